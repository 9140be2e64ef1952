/**
 * The versions of the form that this server has. Released versions are part of the repository, in `releases/`. They
 * never change, because pages pin their hash. The other versions were built on this machine by `npm run build`.
 */
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {firstFiles} from '../../contract/api.ts';
import type {ListedVersions} from '../../contract/versions.ts';
import type {Config} from '../config/config.ts';
import {readAdvisories, type Advisory} from './advisories.ts';

/**
 * The `manifest.json` that the build writes. `integrity` holds the value of the `integrity` attribute for each file.
 */
export type Manifest = {version: string; integrity: Record<string, string>};

/** A version whose advisory has `withdrawn` is not served. */
export type EmbedVersion = {
  name: string;
  folder: string;
  manifest: Manifest;
  released: boolean;
  advisory: Advisory;
};

type Sources = Pick<Config, 'embedFolder' | 'releasesFolder'> & Partial<Pick<Config, 'withdrawnVersions'>>;

function readFolder(folder: string, released: boolean): Omit<EmbedVersion, 'advisory'>[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => existsSync(join(folder, name, 'manifest.json')))
    .map((name) => ({
      name,
      folder: join(folder, name),
      manifest: JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')) as Manifest,
      released,
    }));
}

/**
 * Every version that was built or released, newest first, withdrawn versions included.
 * @throws Error when a built version has the name of a release and differs from it. Serving one of the two would break
 *   the pages that pinned the other, so an operator has to decide. Also when an advisory or WITHDRAWN_VERSIONS names an
 *   unknown version, or when all versions are withdrawn
 */
export function readVersions({embedFolder, releasesFolder, withdrawnVersions = []}: Sources): EmbedVersion[] {
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
  const found = [...released, ...built].sort((a, b) => b.name.localeCompare(a.name, 'en', {numeric: true}));
  const names = found.map(({name}) => name);
  const advisories = readAdvisories(releasesFolder, withdrawnVersions, names);
  const versions = found.map((version) => ({...version, advisory: advisories.get(version.name) ?? {}}));
  if (versions.length > 0 && versions.every(isWithdrawn)) {
    throw new Error(
      `All versions of the form are withdrawn: ${names.join(', ')}. Build a newer one, or take one out of WITHDRAWN_VERSIONS.`,
    );
  }
  return versions;
}

export const isWithdrawn = ({advisory}: EmbedVersion): boolean => advisory.withdrawn !== undefined;

/** The versions that `/embed/v1/` serves, newest first: of several files with the same name, the first is served. */
export const movingVersions = (versions: readonly EmbedVersion[]): EmbedVersion[] =>
  versions.filter((version) => version.name.startsWith('1.') && !isWithdrawn(version));

/** The newest version that is served, which may be a build; undefined if there is none. */
export const newestServed = (versions: readonly EmbedVersion[]): EmbedVersion | undefined =>
  versions.find((version) => !isWithdrawn(version));

/** Whether the version has the module and its classic twin, which 1.0.0 lacks. Snippets need both. */
export const hasFirstFiles = ({manifest}: EmbedVersion): boolean =>
  firstFiles.every((file) => manifest.integrity[file] !== undefined);

/**
 * The version that pages should pin: the newest release, or the newest build if there is no release. A version that lacks
 * one of the first files counts only if there is no other, and a withdrawn version never.
 */
export function versionToPin(versions: readonly EmbedVersion[]): EmbedVersion | undefined {
  const served = versions.filter((version) => !isWithdrawn(version));
  const complete = served.filter(hasFirstFiles);
  const usable = complete.length > 0 ? complete : served;
  return usable.find(({released}) => released) ?? usable[0];
}

/** What `/embed/versions.json` says. */
export const listVersions = (versions: readonly EmbedVersion[]): ListedVersions => ({
  newest: versionToPin(versions)?.name ?? null,
  versions: versions.map(({name, manifest, released, advisory}) => ({
    version: name,
    released,
    integrity: Object.fromEntries(
      Object.entries(manifest.integrity).filter(([file]) => firstFiles.includes(file)),
    ),
    ...advisory,
  })),
});

/**
 * The address and the hash of a file of a version, for a script tag. Browsers keep the files of a version for a year,
 * because a release never changes. A build that is not a release may change, so its address has the beginning of the
 * hash.
 */
export function pinnedFile(publicUrl: string, {name, manifest, released}: EmbedVersion, file: string) {
  const integrity = manifest.integrity[file] ?? '';
  const build = released
    ? ''
    : `?build=${encodeURIComponent(integrity.replace(/^sha384-/, '').slice(0, 12))}`;
  return {src: `${publicUrl}/embed/${name}/${file}${build}`, integrity};
}
