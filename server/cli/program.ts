/** The `lead-prequal` command. Its subcommands start the server, or work on the server's database directly. */
import {inspect} from 'node:util';
import {Command, CommanderError} from 'commander';
import {backupCommand, restoreCommand} from './backup.ts';
import {callersCommand} from './callers.ts';
import {configCommand} from './config.ts';
import {deliveriesCommand} from './deliveries.ts';
import {destinationsCommand} from './destinations.ts';
import {leadsCommand} from './leads.ts';
import {say, visible} from './output.ts';
import {partnersCommand} from './partners.ts';
import {versionsCommand} from './versions.ts';
import packageJson from '../../package.json' with {type: 'json'};

const program = new Command('lead-prequal')
  .version(packageJson.version)
  .description('Operates the lead service on the machine where its configuration is.')
  .showHelpAfterError()
  .configureOutput({
    writeOut: (text) => process.stdout.write(visible(text)),
    writeErr: (text) => process.stderr.write(visible(text)),
  })
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(callersCommand())
  .addCommand(configCommand())
  .addCommand(leadsCommand())
  .addCommand(deliveriesCommand())
  .addCommand(destinationsCommand())
  .addCommand(partnersCommand())
  .addCommand(versionsCommand());

program
  .command('serve')
  .description('start the server, as "npm run serve" does')
  .action(async () => {
    await import('../main.ts');
  });

for (const command of [program, ...program.commands, ...program.commands.flatMap(({commands}) => commands)]) {
  command.copyInheritedSettings(program).exitOverride();
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) {
    // A fault of ours: the stack says where. Its message may quote what strangers wrote.
    say(inspect(error));
    process.exit(1);
  }
  // Status 2 is usual for a wrong command line. Status 1 means that a command failed.
  process.exit(error.exitCode && 2);
}
