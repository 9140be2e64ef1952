/**
 * The versions of the form that this server has. Released versions are part of the repository, in `releases/`. They
 * never change, because pages pin their hash. The other versions were built on this machine by `npm run build`.
 */
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {elementName} from '../../../contract/api.ts';
import type {Config} from '../../config/config.ts';

/**
 * The `manifest.json` that the build writes. `integrity` holds the value of the `integrity` attribute for each file.
 */
export type Manifest = {version: string; integrity: Record<string, string>};

export type EmbedVersion = {name: string; folder: string; manifest: Manifest; released: boolean};

type Folders = Pick<Config, 'embedFolder' | 'releasesFolder'>;

function readFolder(folder: string, released: boolean): EmbedVersion[] {
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
 * Every version that was built or released, newest first.
 * @throws Error when a built version has the name of a release and differs from it. Serving one of the two would break
 *   the pages that pinned the other, so an operator has to decide.
 */
export function readVersions({embedFolder, releasesFolder}: Folders): EmbedVersion[] {
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
  return [...released, ...built].sort((a, b) => b.name.localeCompare(a.name, 'en', {numeric: true}));
}

function scriptTag({name, manifest}: EmbedVersion, publicUrl: string): string {
  const file = `${elementName}.js`;
  const address = `${publicUrl}/embed/${name}/${file}`;
  return `<script type="module" src="${address}" integrity="${manifest.integrity[file]}" crossorigin></script>`;
}

/** What the server logs about the form at start: the newest script tag, and whether that version is a release. */
export type Snippet = {script: string; release: boolean; hint?: string};

/** @throws Error when there is no version, or when `readVersions` throws */
export function newestSnippet({publicUrl, ...folders}: Folders & Pick<Config, 'publicUrl'>): Snippet {
  const versions = readVersions(folders);
  const [newest] = versions;
  if (!newest) throw new Error('The form is not built: run "npm run build" first');
  const script = scriptTag(newest, publicUrl);
  if (newest.released) return {script, release: true};
  const pinnable = versions.find(({released}) => released);
  const hint =
    `${newest.name} is not a release: the next build may change it, and pages that pin its hash would lose the form. ` +
    (pinnable
      ? `Let pages pin ${pinnable.name}, the newest release.`
      : 'Make a release with "npm run release".');
  return {script, release: false, hint};
}
