/** `lead-prequal config`: checks the configuration of the server. */
import {Command} from 'commander';
import {printable, write} from './output.ts';

const usage = `
It reads the settings and files, opens the database for reading, connects to Redis, and tries the port, as a start does.
It changes nothing, so it may run beside the server, for example before a restart. Run it as the user of the server, in
the same folder and with the same settings.

Each finding is one line: ✗ would stop the start, ! is a warning, and · is good to know. The exit status is 1 if the
server would not start.`;

const signs = {fault: '✗', warning: '!', note: '·'};

export function configCommand(): Command {
  const config = new Command('config').description('check the configuration of the server');
  config
    .command('check')
    .description('find out whether the server would start, without starting it')
    .addHelpText('after', usage)
    .action(async () => {
      // It knows all rooms of the server, as the start does. Other commands need not load them.
      const {checkStart} = await import('../check-start.ts');
      // A driver that never answers would end the process without a word, and with status 0.
      process.exitCode = 1;
      const findings = await checkStart();
      for (const {level, text} of findings) await write(`${signs[level]} ${printable(text)}\n`);
      if (findings.some(({level}) => level === 'fault')) return;
      process.exitCode = 0;
      await write('✓ The server would start.\n');
    });
  return config;
}
