import type {Config} from '../config/config.ts';
import {moduleFile} from '../../contract/api.ts';
import {newestVersion, pinnedFile, readVersions} from '../versions/embed-versions.ts';
import {moduleTag} from './markup.ts';

/** What the server logs about the form at start: the script tag of the newest version, and whether it is a release. */
export type NewestScript = {script: string; release: boolean; hint?: string};

type Sources = Parameters<typeof readVersions>[0] & Pick<Config, 'publicUrl'>;

/** @throws Error when there is no version, or when `readVersions` throws */
export function newestScript({publicUrl, ...sources}: Sources): NewestScript {
  const newest = newestVersion(readVersions(sources));
  if (!newest) throw new Error('The form is not built: run "npm run build" first');
  const script = moduleTag({module: pinnedFile(publicUrl, newest, moduleFile), preload: undefined});
  if (newest.released) return {script, release: true};
  const hint =
    `${newest.name} is a build: the next build may change it, and pages that pin its hash would lose the form. ` +
    'Make a release with "npm run release".';
  return {script, release: false, hint};
}
