/** What became of a lead after a call, as those who call record it. Times are milliseconds since 1970. */
import type {LeadView} from './lead-view.ts';

export const outcomes = [
  'no_answer',
  'talked',
  'appointment',
  'funded',
  'not_interested',
  'wrong_number',
] as const;
export type Outcome = (typeof outcomes)[number];

/** In words, and the shape that stands before them. */
export const outcomeWords = {
  no_answer: ['No answer', 'wait'],
  talked: ['Talked', 'ok'],
  appointment: ['Appointment', 'ok'],
  funded: ['Funded', 'ok'],
  not_interested: ['Not interested', 'gone'],
  wrong_number: ['Wrong number', 'no'],
} as const satisfies Record<Outcome, readonly [words: string, kind: LeadView['state']['kind']]>;

/** Characters. */
export const longestNote = 500;

/**
 * - `id`: of whoever records it. A repeat with the same id changes nothing
 * - `at`: later than that of all others of the lead
 * - `actor`: who recorded it, as the audit has it
 * - `outcome`: null of a note alone, and of what takes another one back
 * - `undoes`: the id of the one that this takes back, whose amount and note are deleted
 * - `amount`: of `funded`, in whole US dollars, if it is known
 */
export type OutcomeEntry = {
  lead: string;
  id: string;
  at: number;
  actor: string;
  outcome: Outcome | null;
  undoes: string | null;
  amount: number | null;
  note: string | null;
};
/** What stands of a lead: its newest outcome that nobody has taken back. */
export type NewestOutcome = Pick<OutcomeEntry, 'at' | 'actor' | 'amount'> & {outcome: Outcome};

/** Those that nobody has taken back, without what takes back. */
export function standing(entries: readonly OutcomeEntry[]): OutcomeEntry[] {
  const undone = new Set(entries.map(({undoes}) => undoes));
  return entries.filter(({id, undoes}) => undoes === null && !undone.has(id));
}

export const newestOf = (entries: readonly OutcomeEntry[]): NewestOutcome | undefined =>
  standing(entries).findLast((entry): entry is OutcomeEntry & NewestOutcome => entry.outcome !== null);

export type OutcomeReader = {
  /** All that was recorded of these leads, by lead, the oldest first. What cannot be opened has neither amount nor note. */
  outcomesOf: (leads: readonly string[]) => Promise<ReadonlyMap<string, OutcomeEntry[]>>;
};

export type OutcomeStore = OutcomeReader & {
  /**
   * Records it, once by its id, and tells these destinations if the lead went to them. One that is told of an earlier outcome
   * is told of this one after it. Nothing is recorded of an erased lead.
   * @param entry `at` is now; another time is stored if the lead has a later one
   */
  addOutcome(
    entry: OutcomeEntry,
    tells: readonly {destination: string; address: string | null}[],
  ): Promise<void>;
};
