/** Lynx, a text browser, driven by keys: its output is what it draws on a terminal. */
import {execFile} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {makeTemporaryFolder} from './temporary-folder.ts';

/** Keys as lynx names them: `Down Arrow`, `^J` for Enter, or one character. */
export const down = (times: number): string[] => Array.from({length: times}, () => 'Down Arrow');
export const enter = '^J';

/** Opens an address, presses the keys, and quits. @returns what lynx has drawn, without the codes of the terminal */
export async function lynx(address: string, keys: readonly string[]): Promise<string> {
  const folder = makeTemporaryFolder();
  try {
    const script = join(folder.path, 'keys');
    writeFileSync(script, [...keys, 'q', 'y'].map((key) => `key ${key}\n`).join(''));
    const log = join(folder.path, 'screen');
    const command = `stty rows 90 cols 120; lynx -cfg=/dev/null -cmd_script=${script} '${address}'`;
    await promisify(execFile)('script', ['-qec', command, log], {
      env: {...process.env, TERM: 'xterm', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', HOME: folder.path},
      timeout: 60_000,
    });
    return readFileSync(log, 'utf8').replace(/\u001b(?:\[[\d;?]*[A-Za-z]|\(.|[=>])/g, '');
  } finally {
    folder.remove();
  }
}
