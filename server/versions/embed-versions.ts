/**
 * The versions of the form that this server has. A release is part of the repository, in `releases/`, and never changes,
 * because pages pin its hash. A build was made on this machine by `npm run build`, and the next one may replace it. From
 * 1.5.0 on, a version brings the plugin for WordPress. If that alone is corrected, the plugin is released alone, in
 * `releases/wordpress/`.
 */
import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {compareVersions} from 'compare-versions';
import {z} from 'zod';
import {firstFiles, packageFile, wordpressPlugin} from '../../contract/api.ts';
import type {ListedVersions} from '../../contract/versions.ts';
import {reservedHeights} from '../../form/reserved-heights.ts';
import type {Config} from '../config/config.ts';
import {readOwnJsonFile} from '../config/files.ts';
import {versionNumber} from '../config/values.ts';
import {readAdvisories, type Advisory} from './advisories.ts';

/**
 * The `manifest.json` that the build writes. `integrity` holds the value of the `integrity` attribute for each script. A
 * release from 1.5.0 on also has the npm package, with its hash as `package-lock.json` writes it.
 */
const manifestSchema = z.object({
  version: z.string(),
  integrity: z.record(z.string(), z.string()),
  package: z.string().exactOptional(),
});
export type Manifest = z.output<typeof manifestSchema>;

/** A version of the form, or of the plugin alone. If its advisory has `withdrawn`, it is not served. */
export type EmbedVersion = {
  name: string;
  folder: string;
  manifest: Manifest;
  released: boolean;
  advisory: Omit<Advisory, 'plugin'>;
  /** The known fault of the plugin for WordPress alone. */
  pluginAdvisory?: Advisory['plugin'];
};

type Sources = Pick<Config, 'embedFolder' | 'releasesFolder'> & Partial<Pick<Config, 'withdrawnVersions'>>;

function readFolder(folder: string, released: boolean): Omit<EmbedVersion, 'advisory'>[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => existsSync(join(folder, name, 'manifest.json')))
    .map((name) => {
      const path = join(folder, name);
      if (!versionNumber.safeParse(name).success)
        throw new Error(`${path} has a manifest, but its name is not an exact version such as 1.0.0.`);
      const manifest = readOwnJsonFile(join(path, 'manifest.json'), manifestSchema);
      return {name, folder: path, manifest, released};
    });
}

const hasPlugin = ({manifest}: Pick<EmbedVersion, 'manifest'>) =>
  manifest.integrity[wordpressPlugin] !== undefined;

/** Whether it is a version of the form. Otherwise it is a release of the plugin alone. */
export const hasForm = ({manifest}: Pick<EmbedVersion, 'manifest'>): boolean =>
  !isDeepStrictEqual(Object.keys(manifest.integrity), [wordpressPlugin]);

/** As `readVersions`, and without the releases of the plugin alone. */
export const readVersions = (sources: Sources): EmbedVersion[] => readAllVersions(sources).filter(hasForm);

/**
 * Every release and every build, the highest number first, withdrawn versions and releases of the plugin alone included.
 * @throws Error when a build has the number of a release and differs from it. Serving one of the two would break the
 *   pages that pinned the other, so an operator has to decide. Also when a folder is not named by a version, when an
 *   advisory or `withdrawn_versions` names an unknown version, or when all versions are withdrawn
 */
export function readAllVersions({
  embedFolder,
  releasesFolder,
  withdrawnVersions = [],
}: Sources): EmbedVersion[] {
  const released = readFolder(releasesFolder, true);
  const built = readFolder(embedFolder, false).filter(({name, folder, manifest}) => {
    const release = released.find((one) => one.name === name);
    if (release && !isDeepStrictEqual(release.manifest.integrity, manifest.integrity)) {
      throw new Error(
        `${folder} differs from the released ${name} in ${release.folder}. Delete it, or, if pages have pinned ` +
          'its hash, first let them pin the released one.',
      );
    }
    return !release;
  });
  const plugins = readFolder(join(releasesFolder, 'wordpress'), true);
  const found = [...released, ...built, ...plugins].sort((one, other) =>
    compareVersions(other.name, one.name),
  );
  const names = found.filter(hasForm).map(({name}) => name);
  const pluginNames = found.filter(hasPlugin).map(({name}) => name);
  const advisories = readAdvisories(releasesFolder, withdrawnVersions, names, pluginNames);
  const versions = found.map((version) => {
    const {plugin, ...advisory} = advisories.get(version.name) ?? {};
    return {...version, advisory, ...(plugin && {pluginAdvisory: plugin})};
  });
  if (names.length > 0 && versions.filter(hasForm).every(isWithdrawn)) {
    throw new Error(
      `All versions of the form are withdrawn: ${names.join(', ')}. Build a newer one, or take one out of withdrawn_versions.`,
    );
  }
  return versions;
}

export const isWithdrawn = ({advisory}: EmbedVersion): boolean => advisory.withdrawn !== undefined;

/** The versions that are served: releases, then builds, and of each the highest number first. */
function served(versions: readonly EmbedVersion[]): EmbedVersion[] {
  const all = versions.filter((version) => !isWithdrawn(version));
  return [...all.filter(({released}) => released), ...all.filter(({released}) => !released)];
}

/**
 * The newest version, for all parts of the server: the newest release that is not withdrawn, or the newest build if
 * there is no such release. Undefined if there is neither.
 */
export const newestVersion = (versions: readonly EmbedVersion[]): EmbedVersion | undefined =>
  served(versions).find(hasForm);

/** The address that moves on with each release of a major version: `v1` of `/embed/v1/`, and so on. */
export const movingName = ({name}: Pick<EmbedVersion, 'name'>): string => `v${name.split('.', 1)[0]}`;

/** The versions behind each address that moves. Of several files with the same name, the first is served. */
export const movingVersions = (versions: readonly EmbedVersion[]): ReadonlyMap<string, EmbedVersion[]> =>
  Map.groupBy(served(versions), movingName);

/** The version with the newest plugin, which serves sites with forms of every version. */
export const newestPlugin = (versions: readonly EmbedVersion[]): EmbedVersion | undefined =>
  served(versions).find(hasPlugin);

/** Whether the version has the module and its classic twin, which 1.0.0 lacks. Snippets need both. */
export const hasFirstFiles = ({manifest}: EmbedVersion): boolean =>
  firstFiles.every((file) => manifest.integrity[file] !== undefined);

/** The name of the later file in this version, such as `rest-1b2ff6881c.js`. Undefined if the version has none. */
export const laterFile = ({manifest}: EmbedVersion, name: string): string | undefined =>
  Object.keys(manifest.integrity).find((file) => file.startsWith(`${name}-`));

/** What `/embed/versions.json` says. */
export const listVersions = (versions: readonly EmbedVersion[]): ListedVersions => {
  const plugins = versions.filter(hasPlugin).map(({name, manifest, released, pluginAdvisory}) => ({
    version: name,
    released,
    integrity: manifest.integrity[wordpressPlugin] ?? '',
    ...pluginAdvisory,
  }));
  return {
    newest: newestVersion(versions)?.name ?? null,
    versions: versions.filter(hasForm).map(({name, manifest, released, advisory}) => ({
      version: name,
      released,
      integrity: {
        ...Object.fromEntries(
          Object.entries(manifest.integrity).filter(([file]) => firstFiles.includes(file)),
        ),
        ...(released && manifest.package && {[packageFile]: manifest.package}),
      },
      ...advisory,
    })),
    ...(plugins.length > 0 && {plugins}),
    heights: reservedHeights,
  };
};

/**
 * The address and the hash of a file of a version, for a script tag. Browsers keep the files of a version for a year,
 * because a release never changes. A build may change, so its address has the beginning of the hash.
 */
export function pinnedFile(publicUrl: string, {name, manifest, released}: EmbedVersion, file: string) {
  const integrity = manifest.integrity[file] ?? '';
  // The name of a later file has its hash, and the first file asks for it by that name alone.
  const build =
    released || !firstFiles.includes(file)
      ? ''
      : `?build=${encodeURIComponent(integrity.replace(/^sha384-/, '').slice(0, 12))}`;
  return {src: `${publicUrl}/embed/${name}/${file}${build}`, integrity};
}
