/** `lead-prequal config`: checks the configuration of the server, and takes over that of 1.8. */
import {existsSync, rmSync, writeFileSync} from 'node:fs';
import {Command} from 'commander';
import {originFault, partnerNamed} from '../admin/partners.ts';
import {printable, toJson} from '../admin/visible.ts';
import {readConfig} from '../config/config.ts';
import {businessFileSchema} from '../config/file.ts';
import type {Run} from './output.ts';

const usage = `
It reads settings and files, opens the database for reading, connects to Redis, and tries the port. It changes nothing, so it
may run beside the server. ✗ would stop the start, and makes the exit status 1; ! is a warning, and · is good to know.

With --partner and --origin, it also says whether pages of that origin may use the form of the partner. If not, it prints the
line that lists the origin, and the exit status is 1.`;

const upgradeUsage = `
It shows the file on a terminal alone, or writes it with --write, and changes nothing else. Then it says what is left to do. The
file holds no secrets. Where there are no files, the setting CONFIG takes its text.`;

const signs = {fault: '✗', warning: '!', note: '·'};

type Options = {partner?: string; origin?: string};

export function configCommand(run: Run): Command {
  const config = new Command('config').description('check the configuration of the server');
  config
    .command('check')
    .description('find out whether the server would start, without starting it')
    .option('--partner <key>', 'the key of the partner on whose page the form is')
    .option('--origin <origin>', 'the origin of that page, such as https://www.example.com')
    .addHelpText('after', usage)
    .action((options: Options) => checkConfig(run, options));
  config
    .command('schema')
    .description('print the JSON Schema of lead-prequal.json, by which editors complete and explain it')
    .action(() => run.write(`${JSON.stringify(businessFileSchema(), null, 2)}\n`));
  config
    .command('upgrade')
    .description('make lead-prequal.json out of the settings of 1.8, and say what else to do')
    .option('--write', 'write the file where the server reads it, if there is none')
    .addHelpText('after', upgradeUsage)
    .action(({write = false}: {write?: boolean}) => upgradeConfig(run, write));
  return config;
}

async function checkConfig(run: Run, {partner, origin}: Options) {
  if ((partner === undefined) !== (origin === undefined))
    return run.fail('--partner and --origin go together');
  // It knows all rooms of the server, as the start does. Other commands need not load them.
  const {checkStart} = await import('../check-start.ts');
  const findings = await checkStart(run.environment);
  const wouldStart = !findings.some(({level}) => level === 'fault');
  // Before anything is printed: the reader of a pipe may close it after the first line, which ends the command.
  if (!wouldStart) run.status = 1;
  for (const {level, text} of findings) await run.write(`${signs[level]} ${printable(text)}\n`);
  if (!wouldStart) return;
  await run.write('✓ The server would start.\n');
  if (partner !== undefined && origin !== undefined) await checkOrigin(run, partner, origin);
}

async function checkOrigin(run: Run, key: string, origin: string) {
  const config = readConfig(run.environment);
  const fault = originFault(origin, partnerNamed(key, config), config);
  if (fault !== undefined) run.status = 1;
  await run.write(
    fault === undefined ? `✓ Pages of ${origin} may use the form of "${key}".\n` : `✗ ${fault}\n`,
  );
}

async function upgradeConfig(run: Run, isWritten: boolean) {
  // Only this command needs it, for one version.
  const {upgrade} = await import('../config/upgrade.ts');
  const {path, file, steps} = upgrade(run.environment);
  const text = `${toJson(file, 2)}\n`;
  if (isWritten) {
    const fault = writeNew(path, text);
    if (fault !== undefined) return run.fail(printable(fault));
    run.say(`${printable(path)} is written. What is left to do:`);
  } else if (run.stdout.isTTY) {
    await run.writeUnchanged(text);
    run.say(
      `"lead-prequal config upgrade --write" writes this to ${printable(path)}. What is left to do then:`,
    );
  } else {
    return run.fail(
      'The file is shown on a terminal alone, because a log would keep it. With --write, it is written.',
    );
  }
  for (const [index, step] of steps.entries()) run.say(`${index + 1}. ${printable(step)}`);
}

/** @returns why it was not written */
function writeNew(path: string, text: string): string | undefined {
  try {
    // Only the user and the group of the server: it holds e-mail addresses, and digests of passwords.
    writeFileSync(path, text, {flag: 'wx', mode: 0o640, flush: true});
    return undefined;
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      return `${path} is there already, and stays as it is: rename it, or name another file in CONFIG_FILE`;
    // A full disk may have taken a part.
    if (existsSync(path)) rmSync(path);
    return `${path} cannot be written (${code})`;
  }
}
