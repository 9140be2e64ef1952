/** `lead-prequal outbox`: lists the deliveries in the outbox, retries them, and ends them by hand. */
import {Command, InvalidArgumentError, Option} from 'commander';
import {upstreamIdSchema} from '../destinations/lead-api/reply.ts';
import type {OutboxFilter, OutboxRow, Settled} from '../leads/deliveries.ts';
import type {LeadStore} from '../leads/lead-store.ts';
import {withStore} from './with-store.ts';

/**
 * Rows in one query. During a long query SQLite cannot reuse its write-ahead log, so the file of the log would grow.
 */
const pageRows = 1_000;

const states: readonly OutboxRow['state'][] = ['waiting', 'held', 'refused'];

const stateOption = () => new Option('--state <state>', 'only deliveries in this state').choices(states);
const upstreamOption = () => new Option('--upstream <name>', 'only deliveries to this upstream');

/** @throws Error when the configuration or the store cannot be opened */
export function outboxCommand(): Command {
  const outbox = new Command('outbox').description(
    'list and settle deliveries that wait, are held, or were refused',
  );
  // A reader such as `head` closes the pipe when it has enough, and then the command ends without an error. Only this
  // command does so: the server, which the same program starts, must go on when nothing reads its log any more.
  outbox.hook('preAction', () => void process.stdout.once('error', () => process.exit()));

  outbox
    .command('list')
    .description('print a line of JSON for each lead, and their number on standard error')
    .addOption(stateOption())
    .addOption(upstreamOption())
    .action(({state, upstream}: {state?: OutboxRow['state']; upstream?: string}) =>
      withStore((store) => list(store, {state, destination: upstream})),
    );

  outbox
    .command('summary')
    .description(
      'print a line of JSON for each upstream and state: how many leads, and when the oldest was created',
    )
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
    .description('end a delivery by hand, after asking the operator of the upstream whether it has the lead')
    .argument('<id>', 'the id of the lead')
    .option(
      '--taken-as <upstream id>',
      'the upstream has the lead under this id: ask it only for the amounts',
      readUpstreamId,
    )
    .option(
      '--never-send',
      'count the lead as refused and remove it from the outbox, so that it is never sent',
    )
    .addOption(upstreamOption())
    .action((id: string, options: {takenAs?: string; neverSend?: boolean; upstream?: string}) => {
      const {takenAs, neverSend, upstream} = options;
      if ((takenAs === undefined) === !neverSend)
        return settle.error('error: name either --taken-as <upstream id> or --never-send');
      return withStore(async (store) => {
        const outcome = takenAs === undefined ? 'never-send' : {remoteId: takenAs};
        const delivery = {lead: id, destination: upstream};
        const settled = await store.settleOutbox(Date.now(), delivery, outcome);
        console.error(settledWords[settled]);
        if (settled !== 'settled') process.exitCode = 1;
      });
    });

  return outbox;
}

const settledWords: Record<Settled, string> = {
  settled: '1 settled',
  absent: '0 settled: no such lead is in the outbox',
  several: '0 settled: the lead waits for several upstreams; name one of them with --upstream',
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
    for (const {lead, destination, state, attempts, ambiguous, lastError, ...times} of rows) {
      const underWay = times.leasedUntil > Date.now();
      const nextAttemptAt = new Date(times.nextAttemptAt).toISOString();
      await print({
        lead,
        upstream: destination,
        state,
        attempts,
        ambiguous,
        lastError,
        underWay,
        nextAttemptAt,
      });
    }
    count += rows.length;
    filter = {...filter, after: rows.at(-1)};
  } while (rows.length === pageRows);
  console.error(`${count} ${count === 1 ? 'lead' : 'leads'}`);
}

async function summarize(store: LeadStore) {
  for (const {destination, state, leads, oldest} of await store.countOutbox()) {
    const oldestCreatedAt = new Date(createdAtOf(oldest)).toISOString();
    await print({upstream: destination, state, leads, oldestCreatedAt});
  }
}

/** When a lead was created, in milliseconds since 1970: the first 48 bits of its id, which is a UUID version 7. */
const createdAtOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Waits while the reader of a pipe is slow, so that a long list does not fill the memory. */
async function print(line: object): Promise<void> {
  if (process.stdout.write(`${JSON.stringify(line)}\n`)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}
