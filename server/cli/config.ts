/** `lead-prequal config`: checks the configuration of the server. */
import {Command} from 'commander';
import {printable, type Run} from './output.ts';

const usage = `
It reads the settings and files, opens the database for reading, connects to Redis, and tries the port, as a start does.
It changes nothing, so it may run beside the server, for example before a restart. Run it as the user of the server, in
the same folder and with the same settings.

Each finding is one line: ✗ would stop the start, ! is a warning, and · is good to know. The exit status is 1 if the
server would not start. docs/settings.md lists all settings.`;

const signs = {fault: '✗', warning: '!', note: '·'};

export function configCommand(run: Run): Command {
  const config = new Command('config').description('check the configuration of the server');
  config
    .command('check')
    .description('find out whether the server would start, without starting it')
    .addHelpText('after', usage)
    .action(async () => {
      // It knows all rooms of the server, as the start does. Other commands need not load them.
      const {checkStart} = await import('../check-start.ts');
      const findings = await checkStart(run.environment);
      // Before anything is printed: the reader of a pipe may close it after the first line, which ends the command.
      if (findings.some(({level}) => level === 'fault')) run.status = 1;
      for (const {level, text} of findings) await run.write(`${signs[level]} ${printable(text)}\n`);
      if (run.status === 0) await run.write('✓ The server would start.\n');
    });
  return config;
}
