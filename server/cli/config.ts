/** `lead-prequal config`: checks the configuration of the server. */
import {Command} from 'commander';
import {originFault, partnerNamed} from '../admin/partners.ts';
import {printable} from '../admin/visible.ts';
import {readConfig} from '../config/config.ts';
import {businessFileSchema} from '../config/file.ts';
import type {Run} from './output.ts';

const usage = `
It reads the settings and files, opens the database for reading, connects to Redis, and tries the port, as a start does.
It changes nothing, so it may run beside the server, for example before a restart. Run it as the user of the server, in
the same folder and with the same settings.

Each finding is one line: ✗ would stop the start, ! is a warning, and · is good to know. The exit status is 1 if the
server would not start. docs/settings.md lists all settings.

With --partner and --origin, it also says whether pages of that origin may use the form of the partner, and if they may
not, prints the line that lists the origin. The exit status is 1 then. If the form does not appear on a page, open the
page with ?prequal-debug at the end of its address.`;

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
