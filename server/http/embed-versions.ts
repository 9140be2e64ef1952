/**
 * The versions of the form that this server has. Released ones are part of the repository, in `releases/`, and
 * never change, because pages pin them by their hash. The others were built on this machine by `npm run build`.
 */
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {elementName} from '../../contract/api.ts';

/** Written by the build beside the files. `integrity` is a hash as in the attribute of that name, by file name. */
export type Manifest = {version: string; integrity: Record<string, string>};

export type EmbedVersion = {name: string; folder: string; manifest: Manifest; released: boolean};

/** Beside the code, wherever the process was started. */
export const releasesFolder = join(import.meta.dirname, '../../releases');

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
 * @param embedFolder where the build writes: one folder a version
 * @param releases where released versions are; none when absent
 * @throws Error when a folder of the build has the name of a release and other files. Serving either of them
 * would break the pages that pinned the other, so an operator has to decide.
 */
export function readVersions(embedFolder: string, releases?: string): EmbedVersion[] {
  const released = releases === undefined ? [] : readFolder(releases, true);
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

/** What an operator is told at start about the form: the newest script tag, and whether pages may pin its hash. */
export type Snippet = {script: string; release: boolean; hint?: string};

/** @throws Error when there is no version, or as `readVersions` */
export function newestSnippet(embedFolder: string, publicUrl: string, releases?: string): Snippet {
  const versions = readVersions(embedFolder, releases);
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

/** The script tag of the newest version. @throws Error as `newestSnippet` */
export const embedScript = (embedFolder: string, publicUrl: string, releases?: string): string =>
  newestSnippet(embedFolder, publicUrl, releases).script;
