/** Projects in folders of their own, into which tests install packages as their users do. */
import {execFile} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {Owner} from './opened.ts';
import {makeTemporaryFolder} from './temporary-folder.ts';

/** @returns the folder of a project with this `package.json` and nothing else */
export function makeProject(owner: Owner, packageJson: object): string {
  const folder = makeTemporaryFolder();
  owner.after(() => folder.remove());
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify(packageJson));
  return folder.path;
}

/** npm asks nothing else of its registry, and says what went wrong alone. */
const quietNpm = {npm_config_audit: 'false', npm_config_fund: 'false', npm_config_loglevel: 'error'};

/**
 * Runs a command in the folder.
 * @returns what it printed
 * @throws Error with what it printed, when it fails
 */
export async function runIn(
  folder: string,
  [program = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = {...process.env, ...quietNpm, ...environment};
  const {stdout} = await promisify(execFile)(program, words, {cwd: folder, env, maxBuffer: 2 ** 26}).catch(
    (error: Error & {stdout: string; stderr: string}) => {
      throw new Error(`${program} ${words.join(' ')}\n${error.stdout}\n${error.stderr}`, {cause: error});
    },
  );
  return stdout;
}
