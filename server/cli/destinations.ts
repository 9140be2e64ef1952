/** `lead-prequal destinations`: which destinations there are, whether they work, and which get nothing for now. */
import {Command} from 'commander';
import {randomBytes} from 'node:crypto';
import type {Admin} from '../admin/admin.ts';
import {
  acceptAddress,
  destinationRow,
  listDestinations,
  pauseDestination,
  resumeDestination,
  testDestination,
  testOutcome,
  wrongOf,
  type DestinationRow,
} from '../admin/destinations.ts';
import {ago, counted, localDay} from '../admin/words.ts';
import {printable} from '../admin/visible.ts';
import {readConfig} from '../config/config.ts';
import {openStates} from '../leads/deliveries.ts';
import {withRemedy} from '../observe/causes.ts';
import {jsonOption} from './options.ts';
import {printRows, timeOrNone, type Json, type Run} from './output.ts';
import {changingStore, readingStore} from './with-store.ts';

const examples = `
Examples:
  lead-prequal destinations list             what there is, what waits, what failed
  lead-prequal destinations test crm         send a test to crm, and say what came back
  lead-prequal destinations pause crm        send nothing to crm until it is resumed
  lead-prequal destinations resume crm       go on, with everything that came meanwhile
  lead-prequal destinations accept crm       send to its new address what came before it had that`;

export function destinationsCommand(run: Run): Command {
  const destinations = new Command('destinations')
    .description('list, test, pause, resume and accept the destinations to which leads go')
    .addHelpText('after', examples);
  for (const add of [addList, addTest, addPause, addResume, addAccept, addSecret]) add(destinations, run);
  return destinations;
}

function addList(destinations: Command, run: Run) {
  destinations
    .command('list')
    .description(
      'list all destinations: whether they take their deliveries, and the number of those in the outbox by state',
    )
    .addOption(jsonOption(destinationRow))
    .action((json: Json) => readingStore(run, (admin) => list(run, admin, json)));
}

function addTest(destinations: Command, run: Run) {
  destinations
    .command('test')
    .description('send a made-up lead that is marked as a test, and say in words what came back')
    .argument('<name>', 'the name of the destination')
    .addOption(jsonOption(testOutcome))
    .addHelpText(
      'after',
      '\nTo a destination of kind lead-api no lead is sent: it is asked for a lead that it cannot have.',
    )
    .action((name: string, {json}: Json) => test(run, name, json));
}

function addPause(destinations: Command, run: Run) {
  destinations
    .command('pause')
    .description('send nothing to a destination until it is resumed; its deliveries wait')
    .argument('<name>', 'the name of the destination')
    .option('--reason <text>', 'why, for other operators', 'an operator paused it')
    .action((name: string, {reason}: {reason: string}) =>
      changingStore(run, async (admin) => {
        await pauseDestination(admin, name, reason);
        run.say(`${name} is paused. "lead-prequal destinations resume ${name}" sends what waits.`);
      }),
    );
}

function addResume(destinations: Command, run: Run) {
  destinations
    .command('resume')
    .description('send to a paused destination again, beginning with what waits for it')
    .argument('<name>', 'the name of the destination')
    .action((name: string) =>
      changingStore(run, async (admin) => {
        const wasPaused = await resumeDestination(admin, name);
        run.say(
          wasPaused
            ? `${name} is resumed, and what waits is sent.`
            : `${name} was not paused. If it had a break, that is ended, and what waits is sent.`,
        );
      }),
    );
}

function addAccept(destinations: Command, run: Run) {
  destinations
    .command('accept')
    .description(
      'send what was stored for another address or type of a destination, and is held, to the one of now',
    )
    .argument('<name>', 'the name of the destination')
    .addHelpText(
      'after',
      '\nReload the servers first, so that all of them have the new address. "lead-prequal deliveries drop" drops what must not go there.',
    )
    .action((name: string) =>
      changingStore(run, async (admin) => {
        const changed = await acceptAddress(admin, name);
        run.say(`${counted(changed, 'delivery goes', 'deliveries go')} to the address that ${name} has now.`);
      }),
    );
}

function addSecret(destinations: Command, run: Run) {
  destinations
    .command('secret')
    .description(
      'make a secret for a webhook, for the setting CREDENTIALS_<name>_SECRET and for its receiver',
    )
    .action(() => run.write(`whsec_${randomBytes(32).toString('base64')}\n`));
}

/** How a destination is, in a table. `lead-prequal status` shows the same. */
export const stateHead = ['state', 'since', 'last success', ...openStates, 'oldest'];
export const stateCells = (row: DestinationRow) => [
  row.state,
  timeOrNone(row.since),
  timeOrNone(row.last_success_at),
  ...openStates.map((state) => row[state]),
  row.oldest_created_at === null ? '' : ago(Date.parse(row.oldest_created_at)),
];

/** Such as `crm.example.com since 2026-05-01`, and `formerly old.example.com until 2026-04-30`. */
function usedAddress({place, is_present, first_used_at, last_used_at}: DestinationRow['addresses'][number]) {
  if (first_used_at === null || last_used_at === null) return `${place}, not used yet`;
  const day = (time: string) => localDay(Date.parse(time));
  return is_present ? `${place} since ${day(first_used_at)}` : `formerly ${place} until ${day(last_used_at)}`;
}

async function list(run: Run, admin: Admin, json: Json) {
  const rows = await listDestinations(admin);
  const head = ['destination', 'type', ...stateHead, 'what went wrong', 'addresses'];
  await printRows(run, json, [rows], head, (row) => [
    ...[row.destination, row.type, ...stateCells(row)],
    ...[withRemedy(wrongOf(row)), row.addresses.map(usedAddress).join('; ')],
  ]);
}

async function test(run: Run, name: string, json = false) {
  const {print, write} = run;
  const tested = await testDestination(readConfig(run.environment), name);
  const {works, said, reply, remedy, milliseconds} = tested;
  if (!works) run.status = 1;
  if (json) return print(tested);
  await write(
    `${printable(`${name}: ${said} (after ${milliseconds} ms).${remedy === null ? '' : ` ${remedy}`}`)}\n`,
  );
  if (reply) await write(`Its reply begins with: ${printable(reply)}\n`);
}
