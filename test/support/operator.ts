/** Runs `lead-prequal` like an operator does, as a process with the server's configuration. */
import {execFile} from 'node:child_process';
import {join} from 'node:path';

const program = join(import.meta.dirname, '../../server/cli/program.ts');

export type Ran = {code: number; stdout: string; stderr: string};

/** Resolves even if the command fails. */
export function runCommand(environment: Record<string, string>, ...words: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = {env: {PATH: process.env['PATH'], ...environment}};
    const child = execFile(process.execPath, [program, ...words], options, (_error, stdout, stderr) =>
      resolve({code: child.exitCode ?? -1, stdout, stderr}),
    );
  });
}
