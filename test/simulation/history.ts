/**
 * What happened in a history, as its clients, receivers and operators saw it, and what the store holds at its end. The
 * checker (check.ts) knows nothing else. A simulated history and one of real servers have the same form.
 */
import {
  deliveryStates,
  type DeliveryKey,
  type DeliveryRow,
  type ForReceivers,
} from '../../server/leads/deliveries.ts';
import type {Rule} from '../../server/config/routes.ts';
import type {FullLead} from '../../server/leads/lead-filter.ts';
import type {RetentionPlace} from '../../server/leads/erasure.ts';
import type {AttachedStore} from '../../server/leads/ports.ts';
import type {OutcomeEntry} from '../../server/leads/outcomes.ts';
import type {Answer, Tombstone} from '../../server/leads/stored-lead.ts';
import {isErased} from '../../server/store/rows.ts';

/** A fact that takes time. `until` is Infinity until it ends. In milliseconds since the beginning of the history. */
export type Span = {at: number; until: number};

/** A client sends a lead once, and gets an answer or not. Retries are submissions with the same owner and key. */
export type Submission = Span & {
  type: 'submission';
  process: string;
  /** The partner or caller that the key belongs to. */
  owner: string;
  key: string;
  /** What is sent, as `contentOf` writes it. */
  content: string;
  destinations: readonly string[];
  /** The rules of the configuration under which the process took it, if it has some. */
  rules?: readonly Rule[];
  /** The destination that gives the answer. Undefined if the calculator does. */
  answeredBy?: string | undefined;
  isHeld: boolean;
  /** Missing where nobody revokes consents. */
  from?: From;
  /** Whether it counts as a duplicate if the same lead came before. */
  isCompared: boolean;
  /** The configuration under which the process took it, if it did. */
  addresses?: Addresses;
  /** What the service did, as `Accepted` names it. Missing if the client heard nothing. */
  outcome?: string;
  lead?: string;
  answer?: Heard;
  /** True for a retry after all faults, which must be answered. */
  isLast?: boolean;
};

/** Who sent a lead, and for whom: a number in E.164, an e-mail address, a partner (null: a caller), and a client. */
export type From = {partner: string | null; cid: string; phone: string; mailbox: string};

/** What a client hears of an answer. */
export type Heard = {status: string; amounts: object | null};

/** The address of each destination of a configuration. */
export type Addresses = Readonly<Record<string, string>>;

/** A process has another configuration in force from now on. */
export type Configuration = {type: 'configuration'; at: number; process: string; addresses: Addresses};

/** A client reads a lead that was acknowledged. Without an answer, it was not found. */
export type Reading = Span & {type: 'reading'; lead: string; answer: Heard | undefined};

/**
 * An operator erases a lead, or a slice of the retention job erases leads that are not known here. `now` is the time that the store
 * notes with what is erased. `until` is Infinity if nobody heard that it was done. Another copy of the store writes what it erases
 * to the same file of erasures.
 */
export type Erasing = Span & {type: 'erasing'; now: number; keepsConsent: boolean} & (
    {by: 'operator' | 'copy'; lead: string} | {by: 'sweep'; of: RetentionPlace['of']}
  );

/**
 * An operator revokes a consent, for a partner, the callers (null) or all (undefined); or a visitor presses a link, for the partner
 * of the lead, or the callers of its client. `until` is Infinity if nobody heard that it was done.
 */
export type Revoking = Span & {
  type: 'revoking';
  partner: string | null | undefined;
  /** The client of the partner, or of the callers. Without it, all callers. */
  cid?: string | undefined;
  /** Of a press: its lead, the address, how far the clock of the process is ahead, and lines that such presses have written to the file of erasures. */
  link?: {lead: string; mailbox: string; ahead: number; lines: [before: number, after: number]};
  /** The number whose later leads are held. Undefined if it is not known any more. */
  phone: string | undefined;
  /** The leads whose consent is that. */
  leads: readonly string[];
  /** Where the command says that destinations are. */
  addresses: Addresses;
};

/** An operator lets one lead go that is held because of its number, or a number: `partner` and `cid` as of `Revoking`. */
export type Allowing = Span & {type: 'allowing'} & (
    {lead: string} | {phone: string; partner: string | null | undefined; cid?: string | undefined}
  );

/** The database was replaced by an earlier copy of it. No process ran. */
export type Restoring = {type: 'restoring'; at: number; backup: number};

/** A process compares the store with the file of erasures before it begins. `changed`: what it said that it did, if anything. */
export type Start = Span & {
  type: 'start';
  process: string;
  changed?: {erased: number; revoked: number; numbers: number};
  /** Whether an operator said that it may be much. */
  isAsked: boolean;
  /** What it said that it cannot do. */
  doubts: string[];
};

/** A command shows leads to an operator, or has changed them. `noted`: those that its row in the store names by now. */
export type Looking = {type: 'looking'; at: number; leads: readonly string[]; noted: readonly string[]};

/** Somebody records what came of a call under this id, perhaps several times at once. `until`: the first acknowledgement. */
export type Noting = {type: 'noting'; at: number; until: number; lead: string; id: string};

/** What was in the files of the data folder, right after the log was emptied: such as `email 7`, of the content 7. */
export type Search = {
  type: 'search';
  at: number;
  found: readonly string[];
};

/**
 * - `taken`: the sender read that the receiver has it
 * - `refused`: the sender read that the receiver will never take it
 * - `turned-away`: the sender knows that the receiver did nothing with it
 * - `unclear`: the sender cannot know what became of it
 */
export type Outcome = 'taken' | 'refused' | 'turned-away' | 'unclear';

/** A request to a receiver. */
export type Request = Span & {
  type: 'request';
  process: string;
  destination: string;
  /** The host to which it is sent. */
  address?: string;
  /** `POST` gives the lead or the event, `GET` fetches amounts, `MAIL` is an e-mail. */
  method: 'POST' | 'GET' | 'MAIL';
  /** What is sent: the id of a lead or of an event; of a GET the receiver's id. */
  what: string;
  body: string;
  /** Missing if the sender ended before it knew. */
  outcome?: Outcome;
  /** True if the sender waited no longer. */
  isGivenUp?: boolean;
  /** True if the receiver asked for nothing more, ever. */
  isGone?: boolean;
  /** True if the receiver breaks the API: its replies say that it has the lead, and cannot be read. */
  isUnreadable?: boolean;
  /** True once the receiver has it, whether the sender knows or not. */
  hasArrived: boolean;
};

/** A receiver of leads stored one under an id of its own, and gives these amounts for it. */
export type Creation = {
  type: 'creation';
  at: number;
  destination: string;
  lead: string;
  id: string;
  amounts: object;
};

/**
 * A process died, was stopped or frozen, its clock was set, or its store failed or took seconds. Each rule says which of
 * these excuse what.
 */
export type Trouble = Span & {
  type: 'trouble';
  process: string;
  kind: 'crash' | 'stop' | 'freeze' | 'clock' | 'store' | 'slow-store';
};

/** What an operator did. `deliveries` are those that the command may change, as `nameOf` writes them. */
export type Command = Span & {
  type: 'command';
  name: 'pause' | 'resume' | 'retry' | 'drop' | 'settle' | 'accept';
  destination?: string | undefined;
  /** The address that is accepted. */
  address?: string;
  /** Of `drop`: whether it asks for the events of stops and erasures alone. */
  isOfStops?: boolean;
  deliveries: readonly string[];
};

export type Failure = {type: 'failure'; at: number; message: string};

export type Fact =
  | Submission
  | Reading
  | Request
  | Creation
  | Trouble
  | Command
  | Erasing
  | Revoking
  | Allowing
  | Restoring
  | Start
  | Looking
  | Noting
  | Search
  | Configuration
  | Failure;

/** What was agreed with a destination. */
export type Agreed = {
  gets: 'leads' | 'events';
  parallel: number;
  /** Only for a destination of events. */
  perSecond?: number;
  /** How often a lead may be sent while it is unclear whether it arrived. */
  maxSends: number;
};

/** `leasedUntil`: when the last lease of the lead ends. */
export type Telling = {lead: string; destination: string; content: ForReceivers; leasedUntil: number};

export type Stored = {
  /** Those that were not erased. */
  leads: ReadonlyMap<string, FullLead>;
  /** What is left of those that were. */
  erased: ReadonlyMap<string, Tombstone>;
  /** Those that cannot be read, each with the reason. */
  unreadable: readonly string[];
  /** When the last lease of an erased lead ended that it had when it was erased, as triggers saw it, by lead. */
  leases: ReadonlyMap<string, number>;
  /** The first claims of the events that tell of an erasure, or of a revoked consent, as triggers saw them. */
  tellings: readonly Telling[];
  deliveries: readonly DeliveryRow[];
  /** All that was recorded of calls. */
  outcomes: readonly Pick<OutcomeEntry, 'lead' | 'id'>[];
  /** What must never change and did, as triggers of the database saw it. */
  changes: readonly string[];
};

export type History = {
  /** The time of the system clock at which the history begins, in milliseconds since 1970. */
  beginning: number;
  agreed: Readonly<Record<string, Agreed>>;
  /** Milliseconds until every process has noticed a pause. */
  noticing: number;
  /** Milliseconds that a destination has for one attempt. */
  attempt: number;
  /** Milliseconds that a lease lasts. */
  lease: number;
  facts: readonly Fact[];
  /**
   * False if deliveries still waited when the patience of the history was over. Missing if it ends before all can have been
   * delivered.
   */
  isQuiet?: boolean | undefined;
  stored: Stored;
};

/** A delivery in one word. */
export const nameOf = ({destination, content, lead}: DeliveryKey) => `${destination}/${content}/${lead}`;

/** Reads everything that the store holds. */
export async function readStored(
  store: AttachedStore,
  {
    changes = [],
    leases = new Map(),
    tellings = [],
  }: Partial<Pick<Stored, 'changes' | 'leases' | 'tellings'>> = {},
): Promise<Stored> {
  const leads = new Map<string, FullLead>();
  const erased = new Map<string, Tombstone>();
  const unreadable: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.readLeads({}, {limit: 500, after});
    for (const lead of page) {
      if ('unreadable' in lead) unreadable.push(`${lead.id}: ${lead.unreadable}`);
      else if (isErased(lead)) erased.set(lead.id, lead);
      else leads.set(lead.id, lead);
    }
    after = page.at(-1)?.id;
    if (after === undefined) break;
  }
  const deliveries: DeliveryRow[] = [];
  for (const state of deliveryStates) {
    for (let after: DeliveryRow | undefined; ;) {
      const page = await store.listDeliveries(500, {state}, after);
      deliveries.push(...page);
      after = page.at(-1);
      if (after === undefined) break;
    }
  }
  const said = await store.outcomesOf([...leads.keys(), ...erased.keys()]);
  const outcomes = [...said.values()].flat();
  return {leads, erased, unreadable, leases, tellings, deliveries, outcomes, changes};
}

/** A lead in a few words. No two contents of a history have the same. */
export const contentOf = (lead: {email: string; lead_type?: string | undefined; cash?: unknown}) =>
  `${lead.email}, ${lead.lead_type ?? 'standard'}, ${String(lead.cash)}`;

export const heardOf = (answer: Answer): Heard => ({
  status: answer.status,
  amounts: answer.status === 'done' ? answer.amounts : null,
});
