/** The versions of the form that a server has, as `GET /embed/versions.json` tells them to partners and their tools. */

export type ListedVersion = {
  /** The exact number, such as `1.0.0`. */
  version: string;
  /** False for a version that the operator built. The next build may change it, so pages should not pin it. */
  released: boolean;
  /**
   * By the name of the file: the `integrity` of each file that a page may name in its script tag, and of the npm package,
   * which a release from 1.5.0 on has.
   */
  integrity: Readonly<Record<string, string>>;
  /** Why the version is not served any more: a page that pins it shows no form. */
  withdrawn?: string;
  /** The security fault that this version has. */
  security?: string;
  /** The first version without that fault. */
  fixed_in?: string;
};

/** A version of the plugin for WordPress. */
export type ListedPlugin = {
  version: string;
  /** False for a plugin that the operator built. */
  released: boolean;
  /** The hash of its zip. */
  integrity: string;
  /** The security fault that this version of the plugin has. Pages that have the form without it are not concerned. */
  security?: string;
  /** The first version of the plugin without that fault. */
  fixed_in?: string;
};

export type ListedVersions = {
  /**
   * The version that pages should pin: the newest release that is not withdrawn. Where there is no such release, the
   * newest build of the operator's own. Null if the server has neither.
   */
  newest: string | null;
  /** Releases and builds, the highest number first. */
  versions: readonly ListedVersion[];
  /** Versions of the plugin for WordPress, the highest number first. Missing if the server has none. */
  plugins?: readonly ListedPlugin[];
  /**
   * The `min-height` in CSS that a page keeps for the form until it has loaded, by the first screen: `standard` with
   * `lead-type="standard"`, else `single` with `layout="single"`, else `contact-first` with that `order`, else `steps`.
   */
  heights: Readonly<Record<'steps' | 'contact-first' | 'standard' | 'single', string>>;
};
