/** `lead-prequal outbox`: what waits for an upstream, and what an operator does about it. */
import {Command, InvalidArgumentError, Option} from 'commander';
import {upstreamIdSchema} from '../answers/upstream-reply.ts';
import type {LeadStore, OutboxFilter, OutboxRow, Settled} from '../store/lead-store.ts';
import {withStore} from './with-store.ts';

/** Rows in one read. Reads are short, so that the file of an embedded database does not grow meanwhile. */
const pageRows = 1_000;

const states: readonly OutboxRow['state'][] = ['waiting', 'held', 'refused'];

const stateOption = () => new Option('--state <state>', 'only deliveries in this state').choices(states);
const upstreamOption = () => new Option('--upstream <name>', 'only deliveries to this upstream');

/** @throws Error when the configuration or the store cannot be opened */
export function outboxCommand(): Command {
  const outbox = new Command('outbox').description(
    'list and settle deliveries that wait, are held, or were refused',
  );
  // A reader that has seen enough, such as `head`, ends the command without a word. Set for this command alone: the
  // server, which is started by the same program, goes on when nobody reads its log any more.
  outbox.hook('preAction', () => void process.stdout.once('error', () => process.exit()));

  outbox
    .command('list')
    .description('print a line of JSON for each lead, and their number on standard error')
    .addOption(stateOption())
    .addOption(upstreamOption())
    .action((filter: OutboxFilter) => withStore((store) => list(store, filter)));

  outbox
    .command('summary')
    .description('print a line of JSON for each upstream and state: how many leads, and when the oldest came')
    .action(() => withStore(summarize));

  const retry = outbox
    .command('retry')
    .description('make deliveries due now')
    .argument('[id]', 'the id of one lead')
    .option('--all', 'all deliveries that are not held')
    .option('--held', 'all deliveries that are held')
    .addOption(upstreamOption())
    .action((id: string | undefined, options: {all?: boolean; held?: boolean; upstream?: string}) => {
      const {all, held, upstream} = options;
      const named = [id !== undefined, all, held].filter(Boolean);
      const which = all ? 'all' : held ? 'held' : id && {id};
      if (!which || named.length > 1)
        return retry.error('error: name one of: the id of a lead, --all, --held');
      return withStore(async (store) => {
        const count = await store.retryOutbox(Date.now(), which, upstream);
        console.error(`${count} due now`);
        if (count > 0 || typeof which === 'string') return;
        console.error(
          'No delivery of this lead is in the outbox, or it is under way: try again in a minute.',
        );
        process.exitCode = 1;
      });
    });

  const settle = outbox
    .command('settle')
    .description('end a delivery by hand, once the operator of the upstream has said what became of the lead')
    .argument('<id>', 'the id of the lead')
    .option(
      '--taken-as <upstream id>',
      'the upstream has the lead, under this id: only its amounts are asked for',
      readUpstreamId,
    )
    .option('--never-send', 'the lead counts as refused, leaves the outbox, and no retry sends it')
    .action((id: string, {takenAs, neverSend}: {takenAs?: string; neverSend?: boolean}) => {
      if ((takenAs === undefined) === !neverSend)
        return settle.error('error: name either --taken-as <upstream id> or --never-send');
      return withStore(async (store) => {
        const outcome = takenAs === undefined ? 'never-send' : {upstreamId: takenAs};
        const settled = await store.settleOutbox(Date.now(), id, outcome);
        console.error(settledWords[settled]);
        if (settled !== 'settled') process.exitCode = 1;
      });
    });

  return outbox;
}

const settledWords: Record<Settled, string> = {
  settled: '1 settled',
  absent: '0 settled: no such lead is in the outbox',
  'under-way': '0 settled: the delivery is under way; try again in a minute',
  'taken-already':
    '0 settled: the upstream has given its id for this lead already; use retry to ask for its amounts',
};

function readUpstreamId(value: string): string {
  const {success, data} = upstreamIdSchema.safeParse(value);
  if (!success) throw new InvalidArgumentError('An id has 1 to 256 characters.');
  return data;
}

async function list(store: LeadStore, filter: OutboxFilter) {
  let count = 0;
  let rows: OutboxRow[];
  do {
    rows = await store.listOutbox(pageRows, filter);
    for (const {nextAttemptAt, leasedUntil, ...row} of rows) {
      const underWay = leasedUntil > Date.now();
      const due = new Date(nextAttemptAt).toISOString();
      await print({...row, underWay, nextAttemptAt: due});
    }
    count += rows.length;
    filter = {...filter, after: rows.at(-1)?.lead};
  } while (rows.length === pageRows);
  console.error(`${count} ${count === 1 ? 'lead' : 'leads'}`);
}

async function summarize(store: LeadStore) {
  for (const {oldest, ...count} of await store.countOutbox())
    await print({...count, oldestCreatedAt: new Date(timeOf(oldest)).toISOString()});
}

/** Milliseconds since 1970: the first 48 bits of a UUID version 7. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Waits while a pipe's reader is slow, so that a long list is not collected in memory. */
async function print(line: object): Promise<void> {
  if (process.stdout.write(`${JSON.stringify(line)}\n`)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}
