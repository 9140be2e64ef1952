/** The deliveries of leads: lists them, sends them again, releases held ones, and drops them. */
import {z} from 'zod';
import {upstreamIdSchema} from '../../destinations/lead-api/upstream-id.ts';
import {deliveryStates, hasEnded, isForReceivers, type DeliveryFilter} from '../../leads/deliveries.ts';
import {Refusal, type Admin} from '../admin.ts';
import {
  changed,
  contentWords,
  countDeliveries,
  deliveriesOf,
  deliveryCount,
  deliveryRow,
  dropDeliveries,
  filterOf,
  listDeliveries,
  onlyStopsWait,
  pausedOf,
  retryDeliveries,
  settleDelivery,
  shownDelivery,
  stopsNamed,
  whyNone,
  whyNotSent,
  type Changed,
  type Selected,
  type Selection,
} from '../deliveries.ts';
import {noDestination} from '../destinations.ts';
import {counted, placed} from '../words.ts';
import * as field from './fields.ts';
import {changes, reads, type Group, type OpenDelivery, type Plan} from './operation.ts';

/** The delivery was stored for another address, and waits until an operator accepts the present one. */
const isElsewhere = ({reason}: OpenDelivery) => reason === 'elsewhere' || reason === 'former';
/** Whether an operator can release the delivery by deciding about this lead alone. */
export const isReleasable = (row: OpenDelivery): boolean => row.state === 'held' && !isElsewhere(row);
const isDue = (row: OpenDelivery) => row.state !== 'held' && !isElsewhere(row);
const isDroppable = (row: OpenDelivery) => !isForReceivers(row);

const aLead = 'the id or the reference of a lead';
const destination = field.option('name', 'only deliveries to this destination');
const selection = {
  lead: {...field.argument(aLead), schema: z.string().optional()},
  destination,
  state: field.choice('state', deliveryStates, 'only deliveries in this state'),
  failing: field.flag('only deliveries whose last attempt failed'),
  stops: field.flag('only events of stops and erasures'),
  since: field.since('leads'),
  until: field.until('leads'),
};
const isEmpty = (input: object) => Object.values(input).every((value) => value === undefined);

const list = reads({
  words: 'deliveries list',
  what: 'list deliveries, the oldest leads first; without --state those that wait or need a decision, of a lead all',
  fields: {...selection, limit: field.limit('deliveries')},
  line: deliveryRow,
  counted: ['delivery', 'deliveries'],
  columns: [
    ['lead', 'reference'],
    ['happened', 'happened_at'],
    ['destination', placed],
    'content',
    'state',
    ['tries', 'attempts'],
    ['what went wrong', 'last_error'],
  ],
  async *read(admin, {limit, ...input}) {
    let many = 0;
    for await (const page of listDeliveries(admin, input, limit)) {
      many += page.length;
      yield page;
    }
    const {destinations} = admin.config;
    const name = input.destination;
    const isUnknown = many === 0 && name !== undefined && !destinations.has(name);
    return isUnknown ? {fails: [noDestination(name, destinations)]} : {};
  },
});

const summary = reads({
  words: 'deliveries summary',
  what: 'count the deliveries that wait or need a decision, by destination and state',
  fields: {},
  line: deliveryCount,
  counted: ['line'],
  columns: ['destination', 'state', 'deliveries', ['oldest lead', 'oldest_created_at']],
  read: countDeliveries,
});

const show = reads({
  words: 'deliveries show',
  what: 'show all deliveries of a lead, what went wrong, and how the last reply began',
  past: 'looked at the deliveries of {it}',
  fields: {lead: field.argument(aLead)},
  line: shownDelivery,
  counted: ['delivery', 'deliveries'],
  async *read(admin, {lead}) {
    const {deliveries, damaged} = await deliveriesOf(admin, lead);
    yield deliveries;
    return {fails: damagedReplies(damaged)};
  },
});

/** @param names of destinations */
export const damagedReplies = (names: readonly string[]): string[] =>
  names.map((name) => `The last reply of ${name} cannot be read: it is damaged in the database.`);

export const sentLines = ({destination: name, content, ambiguous}: OpenDelivery) => [
  `${name} gets ${contentWords[content]} now.`,
  ambiguous > 0 &&
    `${name} may have it already: nobody knows what became of ${counted(ambiguous, 'attempt')}.`,
];
const dropLines = ({destination: name, content}: OpenDelivery) => [
  `${name} never gets ${contentWords[content]}.`,
  content === 'lead' && `If ${name} was to answer the lead, it counts as refused.`,
];
export const factsOf = ({destination: name, content, state, ambiguous}: OpenDelivery): string =>
  [name, content, state, ambiguous].join(' ');

/** A line for each destination of these deliveries that is paused, so that they wait longer. */
export async function pauseLines(admin: Admin, rows: readonly OpenDelivery[]): Promise<string[]> {
  const paused = await pausedOf(admin, undefined);
  return paused
    .filter(({destination: name}) => rows.some((row) => row.destination === name))
    .map(
      ({destination: name, reason}) =>
        `${name} is paused (${reason}), so it goes there once ${name} is resumed.`,
    );
}

type Order = 'retry' | 'drop';

/** The plan for one lead lists its deliveries. For a selection over many leads, it only has their number. */
async function planOf(
  admin: Admin,
  input: Selection,
  order: Order,
  concerns: (row: OpenDelivery) => boolean,
): Promise<Plan<Selected>> {
  const filter = await filterOf(admin, input);
  await admin.noteAccess(filter);
  if (filter.lead === undefined) {
    const many = counted(await admin.store.countSelected(order, filter), 'delivery', 'deliveries');
    return {
      does: [`${many} of the selection, as it is now, ${order === 'retry' ? 'due at once' : 'never made'}.`],
      prepared: {filter, each: [filter]},
      question: `${order} what is selected, ${many} now`,
    };
  }
  const {lead} = filter;
  const all: readonly OpenDelivery[] = await admin.store.listDeliveries(maxRows, filter);
  const rows = all.filter(concerns);
  if (rows.length === 0) throw new Refusal(await whyNot(admin, order, filter, all));
  const stops = order === 'drop' && !input.stops ? all.filter((row) => !isDroppable(row)) : [];
  return {
    does: [
      ...rows.flatMap(order === 'drop' ? dropLines : sentLines),
      ...stops.map(({destination: name, content}) => `${name} still gets ${contentWords[content]}.`),
      ...(order === 'drop' ? [] : await pauseLines(admin, rows)),
    ],
    facts: [lead, ...rows.map(factsOf)],
    prepared: {
      filter,
      each: rows.map(({destination: name, content, state}): DeliveryFilter => ({
        ...{lead, destination: name, content, state, stops: input.stops},
      })),
    },
  };
}

async function whyNot(admin: Admin, order: Order, filter: DeliveryFilter, rows: readonly OpenDelivery[]) {
  if (order === 'drop') return rows.length > 0 ? onlyStopsWait : whyNone(filter, admin.config);
  const why = await whyNotSent(admin, filter);
  return filter.state === undefined && rows.some(isReleasable)
    ? `${why} What is held is sent on by "lead-prequal deliveries release".`
    : why;
}

/** The maximum number of a lead's deliveries. */
const maxRows = 1_000;

const agents = ['agent', 'admin'] as const;
const many = ({deliveries}: Changed) => counted(deliveries, 'delivery', 'deliveries');
const pausedWords = ({paused}: Changed) =>
  paused.map(
    ({destination: name, reason}) =>
      `${name} is paused (${reason}): its deliveries wait until "lead-prequal destinations resume ${name}".`,
  );
const sending = {
  run: (admin: Admin, _: unknown, prepared: Selected) => retryDeliveries(admin, prepared),
  line: changed,
  said: (done: Changed) =>
    done.why_none === null
      ? {said: [`${many(done)} due now`], remarks: pausedWords(done)}
      : {fails: [done.why_none], remarks: pausedWords(done)},
};
const eachLead = (leads: readonly string[]) => leads.map((lead) => ({lead}));
const onePlace = (lead: string, {destination}: Readonly<Record<string, string>>) => ({lead, destination});

const retry = changes({
  words: 'deliveries retry',
  what: 'make deliveries due now',
  help: `What is held needs --state held, or "deliveries release". What was delivered needs --state delivered, and only events
are sent again: a lead-api would store the lead twice. To a destination that is failing, one is tried at a time.`,
  roles: agents,
  past: 'sent {it} again',
  planned: 'asked what sending {it} again would do',
  fields: {...selection, all: field.flag('all deliveries in the outbox that are not held')},
  wrong: ({all, ...input}) =>
    isEmpty(input) && !all ? 'name a lead, select deliveries, or say --all' : undefined,
  onLead: {
    button: 'Send again…',
    make: 'Send now',
    cannot: 'Nothing of it waits to be sent.',
    isPossible: (open) => open.some(isDue),
    input: onePlace,
  },
  plan: (admin, {lead, destination: name, state, failing, stops, since, until}) => {
    const input = {lead, destination: name, state, failing, stops, since, until};
    const concerns = (row: OpenDelivery) =>
      state === undefined ? isDue(row) : !(hasEnded(state) && ['lead', 'confirmation'].includes(row.content));
    return planOf(admin, input, 'retry', concerns);
  },
  ...sending,
});

const release = changes({
  words: 'deliveries release',
  what: 'send on what is held of a lead, because a bot may have sent it, or the destination may have it already',
  roles: agents,
  past: 'released {it}',
  planned: 'asked what releasing {it} would do',
  fields: {lead: field.argument(aLead), destination},
  onLead: {
    button: 'Send it on…',
    cannot: 'Nothing of it is held, or its number said stop, which is decided lead by lead.',
    isPossible: (open, {isSuppressed = false}) => !isSuppressed && open.some(isReleasable),
    input: onePlace,
    ofMany: eachLead,
  },
  plan: (admin, input) => planOf(admin, {...input, state: 'held'}, 'retry', isReleasable),
  ...sending,
});

const drop = changes({
  words: 'deliveries drop',
  what: 'never make these deliveries; a lead that waits for the answer of one counts as refused',
  help: `Events of stops and erasures are left, unless --stops asks for them alone: tell those receivers by hand first.
To take it back: lead-prequal deliveries retry --state dropped (only events).`,
  roles: agents,
  past: 'dropped {it}',
  planned: 'asked what dropping {it} would do',
  fields: selection,
  wrong: (input) => (isEmpty(input) ? 'name a lead, or select deliveries' : undefined),
  confirm: {word: 'drop', when: ({lead}) => lead === undefined},
  onLead: {
    button: 'Drop…',
    cannot:
      'Nothing of it waits that can be dropped here: that somebody who said stop or was erased must be told goes on.',
    isPossible: (open) => open.some(isDroppable),
    input: onePlace,
    ofMany: eachLead,
  },
  plan: (admin, input) => planOf(admin, input, 'drop', (row) => input.stops === true || isDroppable(row)),
  run: (admin, _, prepared) => dropDeliveries(admin, prepared),
  line: changed,
  said(done) {
    const {stops, why_none: why} = done;
    return {
      said: [why === null && `${many(done)} dropped`],
      fails: [why ?? false],
      remarks: [
        ...stops.map(
          ({reference, destination: name, content}) =>
            `Left: ${name} must hear that ${reference} was ${content}.`,
        ),
        stops.length > 0 &&
          `${stops.length < stopsNamed ? 'Tell' : 'There may be more. Tell'} them by hand, then drop this by --stops.`,
      ],
    };
  },
});

const settle = changes({
  words: 'deliveries settle',
  what: 'say that an upstream has a lead, so that it is asked only for the amounts',
  past: 'said that the upstream has {it}',
  fields: {
    lead: field.argument(aLead),
    takenAs: {
      ...field.option('upstream id', 'the id that the upstream gave to the lead, as its operator says'),
      schema: upstreamIdSchema,
    },
    destination: field.option('name', 'the upstream, if the lead waits for several'),
  },
  run: (admin, {takenAs, ...delivery}) => settleDelivery(admin, delivery, takenAs),
  said: () => ({said: ['1 delivery settled']}),
});

export const deliveries: Group = {
  name: 'deliveries',
  what: 'find deliveries that wait, failed or were made; send them again, or end them',
  help: `A delivery takes a lead, or an event of one, to a destination. Its states:
  waiting    it is due now or later, perhaps after it has failed
  held       you must decide: a bot may have sent the lead, or nobody knows whether the destination has it
  refused    the destination will never take it
  failed     it was given up after three days of failing. That somebody said stop, or was erased, never is
  delivered  the destination has it
  dropped    an operator ended it, or it is a confirmation that is not sent any more

Examples:
  lead-prequal deliveries summary                              how many wait, are held, were refused or failed
  lead-prequal deliveries list --failing                       which keep failing, and why
  lead-prequal deliveries list --state failed                  which were given up
  lead-prequal deliveries show K7QM-2XHD                       all deliveries of a lead, with the last replies
  lead-prequal deliveries release K7QM-2XHD                    send on what is held of a lead
  lead-prequal deliveries retry --destination crm --state failed
                                                               send these again
  lead-prequal deliveries retry --destination crm --state delivered --since yesterday
                                                               send again what crm got since yesterday
  lead-prequal deliveries drop K7QM-2XHD --destination crm     never send this one`,
  rows: [list, summary, show, retry, release, drop, settle],
};
