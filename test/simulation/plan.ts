/** What clients, operators and faults do in a history, and when. fast-check makes plans from seeds, and shrinks them. */
import fc, {type Arbitrary} from 'fast-check';
import type {OnLostReply} from '../../server/config/destinations.ts';
import {deliveryStates} from '../../server/leads/deliveries.ts';
import {moments, moods, type Mood} from './network.ts';
import {storeFaults} from './process.ts';

/** The destinations of a history. `lender` answers the leads of callers and of the partner `acme`. */
export const destinationNames = ['lender', 'other', 'crm', 'inbox'] as const;
export type DestinationName = (typeof destinationNames)[number];

/**
 * What the files of a process may say. `usual` holds at the beginning, and again at the end.
 * - `without crm`: it is removed, also from the routes
 * - `crm elsewhere`, `other elsewhere`: it has another address
 * - `slower crm`: it has another pace, and the same address
 */
export const configurations = [
  'usual',
  'without crm',
  'crm elsewhere',
  'other elsewhere',
  'slower crm',
] as const;
export type ConfigurationName = (typeof configurations)[number];

/**
 * Which data keys the processes have. `changed` begins with another key, and operations bring them to the key that comes last
 * (`keysOf` in configurations.ts).
 */
export type KeysName = 'one' | 'changed';

/** Who sends leads. All send for the same client, besides `another caller`. */
const senders = ['a caller', 'acme', 'globex', 'another caller'] as const;
/** `initech` sends its leads by rules, those of the `routed` flavour. */
export type Sender = (typeof senders)[number] | 'initech';

/** All faults end at this time. Operations begin between the two times below. All in milliseconds. */
export const faultsEnd = 50_000;
const [firstOperation, lastOperation] = [1_000, faultsEnd - 5_000];
/** In some plans, all begins within so many milliseconds. */
const together = 3_000;
const days = 24 * 3_600_000;

const upTo = (most: number) => fc.nat({max: most});
/** Milliseconds. */
const lasts = upTo(25_000);
const down = upTo(8_000);
/** Numbers that name keys and contents of leads: so few that some come twice. */
const few = upTo(12);
const process = upTo(1);
const destination = fc.constantFrom(...destinationNames);
const fault = fc.constantFrom(...storeFaults);
const oneIn = (count: number) => upTo(count - 1).map((drawn) => drawn === count - 1);
/** Nothing, in one of two. */
const perhaps = <Value>(arbitrary: Arbitrary<Value>) => fc.option(arbitrary, {nil: undefined, freq: 2});
/** If given, the fault does not strike at its time, but waits from then on until something happens for the `nth` time. */
const when = fc.option(fc.record({moment: fc.constantFrom(...moments), nth: fc.integer({min: 1, max: 4})}), {
  nil: undefined,
  freq: 2,
});
/** If given, a command is killed after so many reads and writes. */
const cut = fc.option(fc.integer({min: 1, max: 9}), {nil: undefined, freq: 2});
const seldomCut = fc.oneof(
  {arbitrary: fc.constant(undefined), weight: 3},
  {arbitrary: fc.integer({min: 1, max: 30}), weight: 1},
);
const deliveries = {
  destination: perhaps(destination),
  content: perhaps(few),
  state: perhaps(fc.constantFrom(...deliveryStates)),
};

/** For whom it is: a partner, the callers (null), or all (undefined). */
const partner = fc.constantFrom(undefined, undefined, 'acme', 'globex', null);
const revocation = {
  content: few,
  by: fc.constantFrom('lead', 'phone', 'phone', 'email'),
  partner,
  process,
  cut: seldomCut,
};

type Arbitraries<Values> = {[Name in keyof Values]: Arbitrary<Values[Name]>};
const to = <Name extends string, Others>(name: Name, others: Arbitraries<Others>) =>
  fc.record({do: fc.constant(name), ...others}) as Arbitrary<{do: Name} & Others>;

const erase = to('erase', {content: few, all: oneIn(3), process, cut});

/** What may happen, by kinds. */
const operations = {
  leads: to('submit', {
    process,
    key: few,
    content: few,
    sender: fc.constantFrom(...senders, 'acme'),
    isHeld: oneIn(10),
    isStandard: oneIn(5),
  }),
  routed: to('submit', {
    process,
    key: few,
    content: few,
    sender: fc.constant<Sender>('initech'),
    isHeld: oneIn(10),
    isStandard: oneIn(5),
  }),
  reads: to('read', {content: few}),
  moods: to('mood', {destination, mood: fc.constantFrom(...(Object.keys(moods) as Mood[])), lasts}),
  /** What is under way for long. */
  delays: to('mood', {
    destination: fc.constantFrom('lender', 'lender', 'crm'),
    mood: fc.constantFrom('slow', 'very slow'),
    lasts,
  }),
  stores: to('fail store', {process, fault, lasts, when}),
  crashes: fc.oneof(
    to('kill', {process, lasts: down, when}),
    to('kill', {process, lasts: down, when}),
    to('restart', {process, patience: fc.constantFrom(0, 1_000, 8_000), lasts: down}),
  ),
  freezes: to('freeze', {process, lasts: upTo(30_000), when}),
  clocks: to('set clock', {process, by: fc.integer({min: -40_000, max: 40_000})}),
  operators: fc.oneof(
    to('pause', {destination}),
    to('resume', {destination}),
    to('retry', deliveries),
    to('drop', {...deliveries, stops: oneIn(3)}),
    to('settle', {content: few}),
  ),
  /** Of what must not go out for it. */
  retries: to('retry', {...deliveries, state: fc.constantFrom('dropped', 'held')}),
  erasures: fc.oneof(
    erase,
    erase,
    to('sweep', {
      keptFor: fc.constantFrom(0, 5_000, 20_000),
      partner: perhaps(fc.constantFrom('acme', 'globex')),
      keepsConsent: fc.boolean(),
      process,
      cut,
    }),
  ),
  /** The content names the person: by the lead that it became, by its number, or by its e-mail address. */
  revocations: fc.oneof(
    to('revoke', revocation),
    to('revoke', revocation),
    to('allow', {
      content: few,
      by: fc.constantFrom('lead', 'phone', 'phone'),
      partner,
      process,
      cut: seldomCut,
    }),
  ),
  /** What people ask for, without what a sweep does by itself. */
  requests: erase,
  /** A visitor presses the link of a lead, perhaps so often at once. */
  presses: to('press', {content: few, process, times: fc.constantFrom(1, 1, 2)}),
  /**
   * The database is replaced by a copy of it, while no process runs. The copy was made when a part of the time before had
   * passed.
   */
  restores: to('restore', {part: fc.double({min: 0.2, max: 0.9, noNaN: true}), lasts: down}),
  /** Another copy, which runs with the same file of erasures, erases the lead, or all leads that it has. */
  copies: to('erase in a copy', {content: perhaps(few)}),
  looks: to('look', {content: few, process, cut: seldomCut}),
  /** An agent says what came of a call, perhaps twice. */
  notes: to('note', {content: few, process, times: fc.constantFrom(1, 1, 2), cut: seldomCut}),
  /** Operators bring one process after another to the next list of data keys, and encrypt with it what is there. */
  keys: fc.oneof(
    to('next keys', {patience: fc.constantFrom(0, 1_000), lasts: down}),
    to('next keys', {patience: fc.constantFrom(0, 1_000), lasts: down}),
    to('rotate', {process, cut}),
  ),
  /** Two of three change what the files of a process say. */
  reloads: fc.oneof(
    to('reload', {process, configuration: fc.constantFrom(...configurations)}),
    to('reload', {process, configuration: fc.constantFrom(...configurations)}),
    to('accept', {destination: fc.constantFrom<DestinationName>('crm', 'other')}),
  ),
};
type Kind = keyof typeof operations;
type Unplaced = {[Each in Kind]: (typeof operations)[Each] extends Arbitrary<infer One> ? One : never}[Kind];

/** An operation, and the milliseconds since the beginning of the history at which it begins. */
export type Operation = Unplaced & {at: number};
export type To<Name extends Unplaced['do']> = Extract<Unplaced, {do: Name}>;

export type Plan = {
  /** Decides what the plan leaves to chance. */
  seed: number;
  processes: number;
  onLostReply: OnLostReply;
  /** Milliseconds by which the clock of the second process is ahead. */
  skew: number;
  /** Milliseconds after which an event is given up. */
  eventsGivenUpAfter: number;
  /** Whether reads of the store take time, as those of PostgreSQL do. */
  readsAreSlow: boolean;
  /** None if it is missing. */
  keys?: KeysName;
  /** Whether the webhook has chosen to get answers alone. */
  isChoosy?: boolean;
  /** Milliseconds after which all faults have ended, if it is not the usual time. */
  faultsEnd?: number;
  operations: readonly Operation[];
};

/** How many operations of each kind a plan of each flavour has, at most. */
const flavours = {
  calm: {leads: 14, reads: 5},
  usual: {leads: 14, reads: 5, moods: 5, stores: 4, crashes: 4, operators: 5, erasures: 2},
  crowded: {leads: 60, moods: 4, stores: 3, crashes: 3, operators: 4},
  crashing: {leads: 10, reads: 3, moods: 4, crashes: 6},
  outages: {leads: 10, reads: 3, stores: 6, crashes: 2},
  operated: {leads: 14, moods: 4, operators: 8},
  frozen: {leads: 10, moods: 3, stores: 3, freezes: 4, operators: 3, revocations: 2},
  clocks: {leads: 10, moods: 3, stores: 4, freezes: 2, clocks: 3, revocations: 2},
  reloaded: {
    leads: 20,
    moods: 4,
    stores: 2,
    crashes: 2,
    operators: 3,
    reloads: 6,
    erasures: 2,
    revocations: 2,
  },
  routed: {
    leads: 2,
    routed: 24,
    moods: 3,
    delays: 4,
    stores: 2,
    crashes: 3,
    operators: 3,
    reloads: 8,
    erasures: 2,
    revocations: 2,
  },
  erasing: {leads: 14, reads: 5, moods: 4, stores: 3, crashes: 3, operators: 4, erasures: 7},
  encryption: {
    leads: 14,
    reads: 5,
    moods: 3,
    stores: 2,
    crashes: 3,
    operators: 4,
    erasures: 3,
    keys: 9,
    revocations: 2,
  },
  revoking: {
    leads: 24,
    moods: 3,
    delays: 6,
    stores: 2,
    crashes: 2,
    operators: 4,
    retries: 5,
    erasures: 3,
    revocations: 9,
    looks: 3,
  },
  pressed: {
    leads: 24,
    moods: 2,
    delays: 3,
    stores: 2,
    crashes: 2,
    operators: 3,
    requests: 2,
    revocations: 5,
    presses: 10,
  },
  noted: {leads: 14, stores: 2, crashes: 3, erasures: 4, restores: 1, notes: 12},
  restored: {leads: 24, moods: 2, crashes: 2, requests: 3, revocations: 5, presses: 5, restores: 2},
  copied: {leads: 60, moods: 2, crashes: 5, requests: 2, revocations: 3, presses: 3, restores: 1, copies: 3},
} satisfies Record<string, Partial<Record<Kind, number>>>;
export type Flavour = keyof typeof flavours;
export const flavourNames = Object.keys(flavours) as Flavour[];

export function plans(flavour: Flavour): Arbitrary<Plan> {
  const time = fc.integer({min: firstOperation, max: lastOperation});
  const lists = Object.entries(flavours[flavour]).map(([kind, most]) =>
    fc.array(fc.tuple(time, operations[kind as Kind] as Arbitrary<Unplaced>), {
      minLength: kind === 'leads' ? 1 : 0,
      maxLength: most,
      size: 'max',
    }),
  );
  return fc
    .record({
      seed: fc.nat(),
      processes: fc.constantFrom(1, 2),
      onLostReply: fc.constantFrom<OnLostReply>('send', 'send', 'hold'),
      skew: fc.constantFrom(0, 0, 1_500),
      eventsGivenUpAfter: fc.constantFrom(3 * days, 3 * days, 3 * days, 20_000),
      readsAreSlow: fc.constantFrom(false, false, true),
      keys: fc.constant<KeysName>('keys' in flavours[flavour] ? 'changed' : 'one'),
      isChoosy: oneIn(4),
      centre: perhaps(time),
      lists: fc.tuple(...lists),
    })
    .map(({centre, lists: drawn, ...plan}) => {
      const place = ([at, operation]: readonly [number, Unplaced]): Operation => ({
        at: centre === undefined ? at : centre + (at % together),
        ...operation,
      });
      return {
        ...plan,
        operations: drawn
          .flat()
          .map(place)
          .toSorted((one, other) => one.at - other.at),
      };
    });
}

/** The plan of a seed: always the same. */
export function planOf(seed: number, flavour: Flavour): Plan {
  const [plan] = fc.sample(plans(flavour), {seed, numRuns: 1});
  if (!plan) throw new Error('fast-check made no plan');
  return plan;
}
