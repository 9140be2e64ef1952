/** Finds the deliveries of leads, makes them due again, and ends them by hand. */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import type {Config} from '../config/config.ts';
import {
  deliveryStates,
  endedStates,
  isForReceivers,
  reasonWords,
  type DeliveryFilter,
  type DeliveryRow as StoredRow,
} from '../leads/deliveries.ts';
import type {LeadReader} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {DeliveryDesk, DeliveryReader} from '../leads/ports.ts';
import type {StopReader} from '../leads/revocation.ts';
import {count, isoTime, Refusal, time, type With} from './admin.ts';
import {noDestination, readAddresses} from './destinations.ts';
import {leadOf} from './lead-names.ts';

/** Which deliveries are meant. `lead` is an id or a reference. */
export type Selection = Omit<DeliveryFilter, 'elsewhere' | 'content'>;

/**
 * - `place`: the host or the mailboxes of the address. Null if the address is not known, and for confirmations
 * - `content`: the lead, or which of its events
 * - `ambiguous`: attempts after which nobody knows whether the destination has received it
 * - `remote_id`: the id that the destination gave to the lead
 * - `recipients_left`, `recipients_refused`: mailboxes of an e-mail that others have taken already
 * - `under_way`: a process may be sending it at this moment
 */
export const deliveryRow = z.object({
  lead: z.string(),
  reference: z.string(),
  destination: z.string(),
  place: z.string().nullable(),
  content: z.string(),
  state: z.enum(deliveryStates),
  attempts: count,
  ambiguous: count,
  last_error: z.string().nullable(),
  remote_id: z.string().nullable(),
  recipients_left: z.array(z.string()).nullable(),
  recipients_refused: z.array(z.string()).nullable(),
  under_way: z.boolean(),
  happened_at: time.nullable(),
  next_attempt_at: time.nullable(),
  failing_since: time.nullable(),
  settled_at: time.nullable(),
});
export type DeliveryRow = z.infer<typeof deliveryRow>;

export const contentWords: Readonly<Record<StoredRow['content'], string>> = {
  lead: 'the lead',
  created: 'the lead',
  answered: 'the answer',
  refused: 'the news that it was refused',
  held: 'the news that it is held',
  confirmation: 'the confirmation for the visitor',
  erased: 'the news that it was erased',
  revoked: 'the news that the consent was taken back',
  outcome: 'the news what became of it',
};

function toRow(row: StoredRow, place: string | null): DeliveryRow {
  const {lead, destination, content, state, attempts, ambiguous, recipients} = row;
  return {
    lead,
    reference: referenceOf(lead),
    destination,
    place,
    content,
    state,
    attempts,
    ambiguous,
    last_error: row.lastError,
    remote_id: row.remoteId,
    recipients_left: recipients?.left.length ? [...recipients.left] : null,
    recipients_refused: recipients?.refused.length ? [...recipients.refused] : null,
    under_way: row.leasedUntil > Date.now(),
    happened_at: isoTime(row.happenedAt),
    // The time is 0 if the delivery is due at once.
    next_attempt_at: state === 'waiting' ? isoTime(row.nextAttemptAt || null) : null,
    failing_since: isoTime(row.failingSince),
    settled_at: isoTime(row.settledAt),
  };
}

/** Rows of one query. During a long query SQLite cannot reuse its write-ahead log, so the file of the log would grow. */
const pageRows = 1_000;

/**
 * Page by page, the oldest leads first: the deliveries in the selected state. Without a state, all deliveries of a selected lead,
 * or else those that wait or need a decision.
 * @throws Refusal if the lead cannot be found
 */
export async function* listDeliveries(
  {store}: With<LeadReader & DeliveryReader>,
  selection: Selection,
  limit = Infinity,
): AsyncGenerator<DeliveryRow[], void, undefined> {
  const filter = await filterOf({store}, selection);
  const useOf = await readAddresses({store});
  const isWhole = filter.lead !== undefined && filter.state === undefined;
  let left = limit;
  for (const state of isWhole ? [undefined, ...endedStates] : [filter.state]) {
    let last: StoredRow | undefined;
    while (left > 0) {
      const size = Math.min(left, pageRows);
      const rows = await store.listDeliveries(size, {...filter, state}, last);
      if (rows.length > 0) yield rows.map((row) => toRow(row, useOf(row)?.place ?? null));
      left -= rows.length;
      last = rows.at(-1);
      if (rows.length < size) break;
    }
  }
}

export async function filterOf({store}: With<LeadReader>, selection: Selection): Promise<DeliveryFilter> {
  const {lead, ...others} = selection;
  return lead === undefined ? others : {...others, lead: await leadOf({store}, lead)};
}

/** `oldest_created_at`: when the oldest of the leads was stored */
export const deliveryCount = z.object({
  destination: z.string(),
  state: z.enum(deliveryStates),
  deliveries: count,
  oldest_created_at: time.nullable(),
});

/** Counts the deliveries that wait or need a decision, by destination and state. */
export async function countDeliveries({store}: With<DeliveryReader>) {
  const counts = await store.countOutbox();
  return counts.map(({oldest, ...one}) => ({...one, oldest_created_at: isoTime(createdAtOf(oldest))}));
}

/** `last_reply`: the beginning of the last reply. */
export const shownDelivery = deliveryRow.extend({last_reply: z.string().nullable()});
export type ShownDelivery = z.infer<typeof shownDelivery>;

/**
 * All deliveries of a lead, in the order in which they became due.
 * @returns `damaged`: destinations whose last reply is stored but cannot be read
 */
export async function deliveriesOf(
  admin: With<LeadReader & DeliveryReader, 'noteAccess'>,
  lead: string,
): Promise<{deliveries: ShownDelivery[]; damaged: string[]}> {
  const id = await leadOf(admin, lead);
  await admin.noteAccess({lead: id});
  const replies = await admin.store.lastReplies(id);
  const rows: DeliveryRow[] = [];
  for await (const page of listDeliveries(admin, {lead: id})) rows.push(...page);
  const replyOf = (row: DeliveryRow) =>
    replies.find(({destination, content}) => destination === row.destination && content === row.content);
  return {
    deliveries: rows
      .toSorted((one, other) => (one.happened_at ?? '').localeCompare(other.happened_at ?? ''))
      .map((row) => ({...row, last_reply: replyOf(row)?.reply ?? null})),
    damaged: rows.filter((row) => replyOf(row)?.reply === null).map(({destination}) => destination),
  };
}

/**
 * - `state`: of the delivery. `unclear` for an earlier address, if an operator has accepted another one since
 * - `at`: when the delivery ended, or when the event happened
 * - `told_of_erasure`: whether the event about the erasure arrived at the same address
 */
export const receiver = deliveryRow
  .pick({destination: true, content: true, place: true})
  .extend({state: z.string(), at: time.nullable(), told_of_erasure: z.boolean()});

/** The deliveries of a lead in one of these states; undefined stands for all that have not ended. @param lead its id */
export async function storedOf(
  {store}: With<DeliveryReader>,
  lead: string,
  states: readonly DeliveryFilter['state'][],
): Promise<StoredRow[]> {
  const reads = states.map((state) => store.listDeliveries(pageRows, {lead, state}));
  return (await Promise.all(reads)).flat();
}

/** Each address at which a lead or an event of it has arrived or may have arrived, the newest first. Visitors' addresses are left out. */
export async function arrivalsOf({store}: With<DeliveryReader>, lead: string) {
  const useOf = await readAddresses({store});
  const rows = await storedOf({store}, lead, [undefined, ...endedStates]);
  const heard = rows.filter(({content, state}) => content === 'erased' && state === 'delivered');
  return rows
    .filter((row) => !isForReceivers(row) && row.content !== 'confirmation')
    .flatMap((row) => {
      const {destination, content, state, attempts, leasedUntil, formerAddresses} = row;
      const mayHave = state === 'delivered' || attempts > 0 || leasedUntil > 0;
      const former = formerAddresses.map((address) => ({address, state: 'unclear'}));
      return [...(mayHave ? [{address: row.address, state}] : []), ...former].map((one) => ({
        ...one,
        destination,
        content,
        at: row.settledAt ?? row.happenedAt,
        use: useOf({destination, address: one.address}),
        isTold: heard.some((event) => event.destination === destination && event.address === one.address),
      }));
    })
    .toSorted((one, other) => other.at - one.at);
}

/** The receivers of a lead. @param lead its id */
export const receiversOf = async (admin: With<DeliveryReader>, lead: string) =>
  (await arrivalsOf(admin, lead)).map(
    ({destination, content, state, at, use, isTold}): z.infer<typeof receiver> => ({
      destination,
      content,
      place: use?.place ?? null,
      state,
      at: isoTime(at),
      told_of_erasure: isTold,
    }),
  );

/**
 * - `deliveries`: how many were changed
 * - `paused`: their destinations that get nothing until they are resumed
 * - `stops`: the first events about stops and erasures that `drop` has not dropped
 * - `why_none`: why no delivery was changed
 */
export const changed = z.object({
  deliveries: count,
  paused: z.array(z.object({destination: z.string(), reason: z.string()})),
  stops: z.array(deliveryRow.pick({lead: true, reference: true, destination: true, content: true})),
  why_none: z.string().nullable(),
});
export type Changed = z.infer<typeof changed>;

/** The deliveries of one lead, one filter for each, or a selection over many leads. */
export type Selected = {filter: DeliveryFilter; each: readonly DeliveryFilter[]};

async function total(each: readonly DeliveryFilter[], change: (one: DeliveryFilter) => Promise<number>) {
  let deliveries = 0;
  for (const one of each) deliveries += await change(one);
  return deliveries;
}

type Desk = With<LeadReader & StopReader & DeliveryDesk, 'config' | 'noteAccess'>;

/** Makes deliveries due now. */
export async function retryDeliveries({store, config, noteAccess}: Desk, {filter, each}: Selected) {
  const deliveries = await total(each, (one) => store.retryDeliveries(Date.now(), one));
  await noteAccess({deliveries});
  const paused = await pausedOf({store}, filter.destination);
  const why_none = deliveries === 0 ? await whyNotSent({store, config}, filter) : null;
  return {deliveries, paused, stops: [], why_none};
}

export const pausedOf = async ({store}: With<DeliveryReader>, name: string | undefined) =>
  (await store.pausedDestinations())
    .filter(({destination}) => (name ?? destination) === destination)
    .map(({destination, reason}) => ({destination, reason}));

export async function whyNotSent(
  {store, config}: With<LeadReader & StopReader, 'config'>,
  filter: DeliveryFilter,
): Promise<string> {
  const again =
    filter.state === undefined
      ? ` What has ended is made again only with --state ${endedStates.join(', ')}.`
      : '';
  const stopped = filter.lead === undefined ? undefined : await whyStopped({store}, filter.lead);
  return stopped ?? `${whyNone(filter, config)}${again}`;
}

/** The maximum number of events about stops and erasures that are listed. */
export const stopsNamed = 20;
export const onlyStopsWait = 'Only events of stops and erasures wait here.';

/** Drops these deliveries. Events about stops and erasures are dropped only if the selection is limited to them (`--stops`). */
export async function dropDeliveries({store, config, noteAccess}: Desk, {filter, each}: Selected) {
  const deliveries = await total(each, (one) => store.dropDeliveries(Date.now(), one));
  await noteAccess({deliveries});
  const rows = filter.stops ? [] : await store.listDeliveries(stopsNamed, {...filter, stops: true});
  const stops = rows
    .filter(({settledAt}) => settledAt === null)
    .map(({lead, destination, content}) => ({lead, reference: referenceOf(lead), destination, content}));
  const onlyStops = stops.length > 0 && onlyStopsWait;
  const why_none = deliveries > 0 ? null : onlyStops || whyNone(filter, config);
  return {deliveries, paused: [], stops, why_none};
}

async function whyStopped({store}: With<LeadReader & StopReader>, lead: string): Promise<string | undefined> {
  if ((await store.findRecords([lead])).get(lead)?.revoked)
    return 'The consent was taken back, so nothing of this lead is sent any more.';
  const isHeld = (await store.heldLeads()).includes(lead);
  return isHeld ? `${reasonWords.suppressed}.` : undefined;
}

export function whyNone({destination}: DeliveryFilter, {destinations}: Config): string {
  if (destination !== undefined && !destinations.has(destination))
    return noDestination(destination, destinations);
  return 'No such delivery is in the outbox, or it is under way and ends within a minute.';
}

const whyNotSettled = {
  absent: '0 settled: this lead waits for no upstream',
  several: '0 settled: the lead waits for several upstreams; name one of them with --destination',
  'under-way': '0 settled: the delivery is under way; try again in a minute',
  stopped: '0 settled: the lead is held because of its number, until "lead-prequal consent allow"',
  'taken-already':
    '0 settled: the upstream has given its id for this lead already; use retry to ask for its amounts',
} as const;

/** @param takenAs the id that the upstream gave to the lead, according to the operator. @throws Refusal if no delivery is settled */
export async function settleDelivery(
  {store, noteAccess}: With<LeadReader & DeliveryDesk, 'noteAccess'>,
  {lead, destination}: {lead: string; destination?: string | undefined},
  takenAs: string,
): Promise<void> {
  const delivery = {lead: await leadOf({store}, lead), destination};
  await noteAccess(delivery);
  const settled = await store.settleAs(Date.now(), delivery, takenAs);
  if (settled !== 'settled') throw new Refusal(whyNotSettled[settled]);
}
