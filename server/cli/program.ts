/** The `lead-prequal` command. Its subcommands start the server, or work on the server's database directly. */
import {inspect} from 'node:util';
import {Command, CommanderError} from 'commander';
import {printable, visible} from '../admin/visible.ts';
import {ConfigError} from '../config/config.ts';
import {Refusal} from '../admin/admin.ts';
import {StoreError} from '../leads/store-errors.ts';
import {loadCommands} from './commands.ts';
import type {Run} from './output.ts';
import packageJson from '../../package.json' with {type: 'json'};

/**
 * Runs the command with these words. Keeps no state, so that tests can run many commands in one process.
 * @returns the exit status: 0 if it succeeded, 1 if it failed, and 2, as usual, if the words are wrong
 */
export async function run(words: readonly string[], current: Run): Promise<number> {
  const {stdout, stderr} = current;
  const program = new Command('lead-prequal')
    .version(packageJson.version)
    .description('Operates the lead service on the machine where its configuration is.')
    .showHelpAfterError()
    // "leads requests" has options of its own, which "leads requests add" would take and leave unread.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => stdout.write(visible(text)),
      writeErr: (text) => stderr.write(visible(text)),
    })
    .hook('preAction', (_, command) => {
      current.action = wordsOf(command);
    });
  for (const create of await loadCommands(words)) program.addCommand(create(current));
  for (const command of withAllBelow(program)) command.copyInheritedSettings(program).exitOverride();

  try {
    await program.parseAsync(words, {from: 'user'});
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode && 2;
    if (error instanceof Refusal) {
      current.fail([printable(error.message), ...error.choices].join('\n'));
      return current.status;
    }
    const isExpected = [ConfigError, StoreError].some((kind) => error instanceof kind);
    // Any other error is a fault of ours: the stack says where. Its message may quote what strangers wrote.
    current.fail(isExpected ? (error as Error).message : inspect(error));
  }
  return current.status;
}

const withAllBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(withAllBelow)];

/** Such as `leads requests add`. */
function wordsOf(command: Command): string {
  const words = command.parent?.parent ? `${wordsOf(command.parent)} ` : '';
  return words + command.name();
}
