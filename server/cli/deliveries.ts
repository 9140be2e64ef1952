/** `lead-prequal deliveries`: finds the deliveries of leads, tries them again, and ends them by hand. */
import {Command, InvalidArgumentError, Option} from 'commander';
import {upstreamIdSchema} from '../destinations/lead-api/upstream-id.ts';
import {
  deliveryStates,
  endedStates,
  openStates,
  type DeliveryFilter,
  type DeliveryRow,
} from '../leads/deliveries.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {referenceOf} from '../../contract/reference.ts';
import type {Config} from '../config/config.ts';
import {leadOf} from '../admin/leads.ts';
import {counted, isoTime, jsonOption, localTime, printable, type Run} from './output.ts';
import {sinceOption, untilOption} from './times.ts';
import {changingStore, readingStore} from './with-store.ts';

/**
 * Rows in one query. During a long query SQLite cannot reuse its write-ahead log, so the file of the log would grow.
 */
const pageRows = 1_000;

const examples = `
A delivery takes a lead, or the news of one, to a destination. Its states:
  waiting    it is due now or later, perhaps after it has failed
  held       you must decide: a bot may have sent the lead, or nobody knows whether the destination has it
  refused    the destination will never take it
  failed     it was given up after three days of failing
  delivered  the destination has it
  dropped    an operator ended it, or it is a confirmation that is not sent any more

Examples:
  lead-prequal deliveries summary                              how many wait, are held, were refused or failed
  lead-prequal deliveries list --failing                       which keep failing, and why
  lead-prequal deliveries list --state failed                  which were given up
  lead-prequal deliveries show K7QM-2XHD                       all deliveries of a lead, with the last replies
  lead-prequal deliveries retry --destination crm --state failed
                                                               send these again
  lead-prequal deliveries retry --destination crm --state delivered --since yesterday
                                                               send again what crm got since yesterday
  lead-prequal deliveries drop K7QM-2XHD --destination crm     never send this one`;

type Selection = {
  id?: string;
  destination?: string;
  state?: DeliveryFilter['state'];
  failing?: boolean;
  since?: number;
  until?: number;
};

/** Adds the options that select deliveries. */
function selecting(command: Command): Command {
  return command
    .argument('[lead]', 'the id or the reference of a lead')
    .option('--id <lead>', 'the same as the argument')
    .addOption(new Option('--destination <name>', 'only deliveries to this destination'))
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(deliveryStates))
    .option('--failing', 'only deliveries whose last attempt failed')
    .addOption(sinceOption('leads'))
    .addOption(untilOption('leads'))
    .hook('preAction', (command) => {
      const {id} = command.opts<Selection>();
      if (id !== undefined && command.args.length > 0) command.error('error: name the lead once');
    });
}

/** The filter of the options. @throws Refusal if the lead cannot be found */
async function filterOf(
  store: BesideStore,
  named: string | undefined,
  {id = named, ...others}: Selection,
): Promise<DeliveryFilter> {
  return id === undefined ? others : {...others, lead: await leadOf({store}, id)};
}

export function deliveriesCommand(run: Run): Command {
  const {say, fail} = run;
  const deliveries = new Command('deliveries')
    .description('find deliveries that wait, failed or were made; send them again, or end them')
    .addHelpText('after', examples);

  selecting(deliveries.command('list'))
    .description(
      'list deliveries, the oldest leads first; without --state those that wait or need a decision, of a lead all',
    )
    .addOption(jsonOption())
    .action((lead: string | undefined, {json, ...selection}: Selection & {json?: boolean}) =>
      readingStore(run, async ({store, config}) => {
        const filter = await filterOf(store, lead, selection);
        const count = await list(run, store, filter, json);
        if (count === 0 && isUnknown(filter, config)) fail(unknownDestination(filter, config));
      }),
    );

  deliveries
    .command('summary')
    .description('count the deliveries that wait or need a decision, by destination and state')
    .addOption(jsonOption())
    .action(({json}: {json?: boolean}) => readingStore(run, ({store}) => summarize(run, store, json)));

  deliveries
    .command('show')
    .description('show all deliveries of a lead, what went wrong, and how the last reply began')
    .argument('<lead>', 'the id or the reference of a lead')
    .addOption(jsonOption())
    .action((named: string, {json}: {json?: boolean}) =>
      readingStore(run, async ({store}) => {
        await showDeliveries(run, store, await leadOf({store}, named), json);
      }),
    );

  const retry = selecting(deliveries.command('retry'))
    .description('make deliveries due now')
    .option('--all', 'all deliveries in the outbox that are not held')
    .addHelpText(
      'after',
      `
Without --state, held deliveries are tried only if the lead is named. Deliveries that have succeeded are made again
only with --state delivered, and only news: a lead-api would store the lead a second time.`,
    )
    .action((lead: string | undefined, {all, ...selection}: Selection & {all?: boolean}) => {
      if (!all && lead === undefined && Object.keys(selection).length === 0)
        return retry.error('error: name a lead, select deliveries, or say --all');
      return changingStore(run, async ({store, config}) => {
        const filter = await filterOf(store, lead, selection);
        const count = await store.retryDeliveries(Date.now(), filter);
        say(`${counted(count, 'delivery', 'deliveries')} due now`);
        if (count === 0) fail(nothingToRetry(filter, config));
        else say('To a destination that is failing, one is tried at a time until it works.');
        for (const {destination, reason} of await store.pausedDestinations()) {
          if (filter.destination === undefined || filter.destination === destination)
            say(
              printable(
                `${destination} is paused (${reason}): its deliveries wait until "lead-prequal destinations resume ${destination}".`,
              ),
            );
        }
      });
    });

  const drop = selecting(deliveries.command('drop'))
    .description('never make these deliveries; a lead that waits for the answer of one counts as refused')
    .option('--yes', 'if no lead is named: drop the deliveries of all leads that are selected')
    .addHelpText('after', '\nTo take it back: lead-prequal deliveries retry --state dropped (only news).')
    .action((lead: string | undefined, {yes = false, ...selection}: Selection & {yes?: boolean}) => {
      if (lead === undefined && Object.keys(selection).length === 0)
        return drop.error('error: name a lead, or select deliveries');
      if (lead === undefined && selection.id === undefined && !yes)
        return drop.error('error: this drops the deliveries of all leads that are selected: add --yes');
      return changingStore(run, async ({store, config}) => {
        const filter = await filterOf(store, lead, selection);
        const count = await store.dropDeliveries(Date.now(), filter);
        say(`${counted(count, 'delivery', 'deliveries')} dropped`);
        if (count === 0) fail(isUnknown(filter, config) ? unknownDestination(filter, config) : notInOutbox);
      });
    });

  deliveries
    .command('settle')
    .description('say that an upstream has a lead, so that it is asked only for the amounts')
    .argument('<lead>', 'the id or the reference of the lead')
    .requiredOption(
      '--taken-as <upstream id>',
      'the id that the upstream gave to the lead, as its operator says',
      readUpstreamId,
    )
    .option('--destination <name>', 'the upstream, if the lead waits for several')
    .action((named: string, {takenAs, destination}: {takenAs: string; destination?: string}) =>
      changingStore(run, async ({store}) => {
        const lead = await leadOf({store}, named);
        const settled = await store.settleAs(Date.now(), {lead, destination}, takenAs);
        if (settled === 'settled') say(settledWords.settled);
        else fail(settledWords[settled]);
      }),
    );

  return deliveries;
}

const isUnknown = ({destination}: DeliveryFilter, {destinations}: Config) =>
  destination !== undefined && !destinations.has(destination);

const unknownDestination = ({destination}: DeliveryFilter, {destinations}: Config) =>
  `The configuration has no destination ${destination}. It has ${[...destinations.keys()].join(', ') || 'none'}.`;

const notInOutbox = 'No such delivery is in the outbox, or it is under way and ends within a minute.';

function nothingToRetry(filter: DeliveryFilter, config: Config): string {
  if (isUnknown(filter, config)) return unknownDestination(filter, config);
  if (filter.state !== undefined) return notInOutbox;
  return `${notInOutbox} What has ended is made again only with --state ${endedStates.join(', ')}.`;
}

const settledWords = {
  settled: '1 delivery settled',
  absent: '0 settled: this lead waits for no upstream',
  several: '0 settled: the lead waits for several upstreams; name one of them with --destination',
  'under-way': '0 settled: the delivery is under way; try again in a minute',
  'taken-already':
    '0 settled: the upstream has given its id for this lead already; use retry to ask for its amounts',
};

function readUpstreamId(value: string): string {
  const {success, data} = upstreamIdSchema.safeParse(value);
  if (!success) throw new InvalidArgumentError('An id has 1 to 256 characters.');
  return data;
}

/** A delivery as programs read it. */
function toJson({
  lead,
  destination,
  content,
  state,
  attempts,
  ambiguous,
  lastError,
  remoteId,
  recipients,
  ...times
}: DeliveryRow) {
  return {
    lead,
    reference: referenceOf(lead),
    destination,
    content,
    state,
    attempts,
    ambiguous,
    last_error: lastError,
    remote_id: remoteId,
    recipients_left: recipients?.left.length ? recipients.left : null,
    recipients_refused: recipients?.refused.length ? recipients.refused : null,
    under_way: times.leasedUntil > Date.now(),
    happened_at: isoTime(times.happenedAt),
    next_attempt_at: state === 'waiting' ? isoTime(times.nextAttemptAt) : null,
    failing_since: isoTime(times.failingSince),
    settled_at: isoTime(times.settledAt),
  };
}

const head = ['lead', 'happened', 'destination', 'content', 'state', 'tries', 'what went wrong'];
const toRow = ({lead, happenedAt, destination, content, state, attempts, lastError}: DeliveryRow) => [
  referenceOf(lead),
  localTime(happenedAt),
  destination,
  content,
  state,
  attempts,
  lastError ?? '',
];

/** The deliveries of a filter, page by page. Of a lead whose state is not named, these are its deliveries in any state. */
async function* pagesOf(store: BesideStore, filter: DeliveryFilter): AsyncGenerator<DeliveryRow[]> {
  const isWhole = filter.lead !== undefined && filter.state === undefined;
  for (const state of isWhole ? [undefined, ...endedStates] : [filter.state]) {
    let last: DeliveryRow | undefined;
    let rows: DeliveryRow[];
    do {
      rows = await store.listDeliveries(pageRows, {...filter, state}, last);
      if (rows.length > 0) yield rows;
      last = rows.at(-1);
    } while (rows.length === pageRows);
  }
}

/** @returns the number of deliveries */
async function list(
  {print, printTable, say}: Run,
  store: BesideStore,
  filter: DeliveryFilter,
  json = false,
): Promise<number> {
  let count = 0;
  let widths: readonly number[] | undefined;
  for await (const rows of pagesOf(store, filter)) {
    if (json) for (const row of rows) await print(toJson(row));
    else widths = await printTable(head, rows.map(toRow), widths, widths === undefined);
    count += rows.length;
  }
  say(counted(count, 'delivery', 'deliveries'));
  return count;
}

async function summarize({print, printTable, say}: Run, store: BesideStore, json = false) {
  const counts = await store.countOutbox();
  if (json) {
    for (const {oldest, ...count} of counts) {
      await print({...count, oldest_created_at: isoTime(createdAtOf(oldest))});
    }
  } else if (counts.length === 0) {
    say(`No delivery is ${openStates.join(', ').replace(/, (?=\w+$)/, ' or ')}.`);
  } else {
    const rows = counts.map(({destination, state, deliveries, oldest}) => [
      destination,
      state,
      deliveries,
      localTime(createdAtOf(oldest)),
    ]);
    await printTable(['destination', 'state', 'deliveries', 'oldest lead'], rows);
  }
}

/** All deliveries of a lead as programs read them, with the beginning of the last reply. */
export async function deliveriesOf({fail}: Run, store: BesideStore, lead: string) {
  const replies = await store.lastReplies(lead);
  const rows: DeliveryRow[] = [];
  for await (const page of pagesOf(store, {lead})) rows.push(...page);
  return rows
    .toSorted((one, other) => one.happenedAt - other.happenedAt)
    .map((row) => {
      const reply = replies.find(
        ({destination, content}) => destination === row.destination && content === row.content,
      );
      if (reply?.reply === null)
        fail(`The last reply of ${row.destination} cannot be read: it is damaged in the database.`);
      return {...toJson(row), last_reply: reply?.reply ?? null};
    });
}

/** Shows all deliveries of a lead. */
export async function showDeliveries(run: Run, store: BesideStore, lead: string, json = false) {
  const {print, printFields, write, say} = run;
  const deliveries = await deliveriesOf(run, store, lead);
  for (const delivery of deliveries) {
    if (json) await print(delivery);
    else {
      const given = Object.entries(delivery).filter(([, value]) => value !== null && value !== false);
      await printFields(given.map(([name, value]) => [name, String(value)]));
      await write('\n');
    }
  }
  if (deliveries.length === 0) say('This lead has no deliveries.');
}
