/**
 * What operators can do, a row each. From a row come the command with its help, the page with its plan, the entry of the audit,
 * the line of a lead's timeline, and docs/commands.md.
 */
import {hash} from 'node:crypto';
import type {z} from 'zod';
import type {DeliveryRow} from '../../leads/deliveries.ts';
import type {Role} from '../../leads/operators.ts';
import type {LeadIdentity} from '../../leads/stored-lead.ts';
import {finish, Refusal, type Admin, type Job} from '../admin.ts';
import {readInput, type Fields, type Input} from './fields.ts';
import type {Progress} from './progress.ts';

/**
 * - `words`: those of the command, and the action in the audit, such as `leads erase`
 * - `roles`: who may do it on a page. Without them, there is none
 * - `past`: as audit and timeline tell it, such as `erased {it}`: `{it}` are the leads, and other names are those of what was
 *   noted. Missing for what shows nothing of a person and changes nothing
 * - `wrong`: why this input makes no sense, if each of its fields does
 * - `opens`: what its command opens instead of the store: it is the way out of a lost data key, or works before the first start
 */
type Common<Of extends Fields> = {
  words: string;
  what: string;
  help?: string;
  roles?: readonly Role[];
  past?: string;
  fields: Of;
  wrong?: (input: Input<Of>, isForPrograms: boolean) => string | undefined;
  opens?: 'store without its keys' | 'nothing';
};

export type Cell = string | number | boolean | null | undefined | readonly string[];
/** A field of the line, below its name, or below another head. Or what a function makes of the line. Times are in UTC. */
type Column<Line> =
  (keyof Line & string) | readonly [head: string, cell: (keyof Line & string) | ((line: Line) => Cell)];
export type Columns<Line> = readonly Column<Line>[];

/** Sentences. One that does not apply is false, and is left out. */
type Sentences = readonly (string | false)[];

/**
 * What is said at the end: what was done, or found. On a terminal, `remarks` stand beside it, and `fails`, which is why not all of
 * it was done, makes the exit status 1.
 */
export type Said = {said?: Sentences; remarks?: Sentences; fails?: Sentences};
const applying = <Line extends PlanLine>(lines: readonly (Line | false)[] = []): Line[] =>
  lines.filter((line): line is Line => line !== false);
export const saidIn = ({said, remarks, fails}: Said): Record<keyof Said, string[]> => ({
  said: applying(said),
  remarks: applying(remarks),
  fails: applying(fails),
});

/**
 * It shows something. `read` gives all lines, or yields them page by page.
 * - `columns`: of the table; without them, each line is a block of names and values, as `block` has them, or all of its own
 * - `isCut`: its lines are not wider than a terminal
 * - `counted`: what the lines are. Missing if there is one
 * - `isForPrograms`: amounts are to the dollar, and not as people read them
 */
export type Reading<Of extends Fields, Line extends object> = Common<Of> & {
  line: z.ZodType<Line>;
  counted?: readonly [one: string, many?: string];
  columns?: Columns<Line> | ((input: Input<Of>) => Columns<never>);
  isCut?: true;
  block?: (line: Line, admin: Admin) => readonly (readonly [name: string, value: string])[];
  read: (
    admin: Admin,
    input: Input<Of>,
    isForPrograms: boolean,
  ) => Promise<readonly Line[]> | Job<readonly Line[] | Progress, Said | void>;
};

/** A sentence, or a lead with what happens to it. The name of the person stands apart, because no log may have it. */
export type PlanLine =
  | string
  | {reference: string; head: string; person: string | null; fields: readonly (readonly [string, string])[]};

/**
 * - `does`: what would happen. `notes`: what else a terminal is told. What is false does not apply, and is left out
 * - `facts`: of what that depends. Missing for a selection, whose rows change all the time: then it is what was typed, in
 *   which `7d` stays the same
 * - `prepared`: what `run` needs
 * - `question`: what somebody is asked about, such as `erase 2 leads for ever`. Missing if there is nothing to ask
 * - `unasked`: why it is not done if nobody has seen this plan (`--yes`)
 */
export type Plan<Prepared> = {
  does: readonly (PlanLine | false)[];
  notes?: Sentences;
  facts?: readonly unknown[];
  prepared: Prepared;
  question?: string | undefined;
  unasked?: string | undefined;
};

/**
 * As a button of a page, whose path ends with the last word of the command.
 * - `button`: ends with `…` if a question follows. Without that, it is the title of the question
 * - `make`: on the button that does it, if that is not the title
 * - `input`: @param carried what else stands in the address, or was sent with the form
 */
type OnPage<Of extends Fields> = {
  button: string;
  make?: string;
  isBad?: true;
  input: (name: string, carried: Readonly<Record<string, string>>) => {[Name in keyof Of]?: unknown};
};
/** A delivery that has not ended. */
export type OpenDelivery = Pick<DeliveryRow, 'destination' | 'content' | 'state' | 'reason' | 'ambiguous'>;
/** `isAsked`: somebody with another address asked to stop the number of the lead, and nobody has decided about that. */
type LeadState = Pick<LeadIdentity, 'revoked' | 'isSuppressed'> & {erasedAt: number | null; isAsked: boolean};
/**
 * Of a lead, at `/leads/<id>/…`.
 * - `cannot`: said if it is not possible
 * - `ofMany`: of many leads of the list at once, as one input, or one for each
 */
export type OnLead<Of extends Fields> = OnPage<Of> & {
  cannot: string;
  isPossible: (open: readonly OpenDelivery[], state: LeadState) => boolean;
  ofMany?: (leads: readonly string[]) => readonly {[Name in keyof Of]?: unknown}[];
};
/** Of a line of a list, at `/<list>/<name>/…`, in the order of the rows. `isShown`: @param state of a destination */
export type OnList<Of extends Fields> = OnPage<Of> & {
  list: 'destinations' | 'operators';
  isShown?: (state: string) => boolean;
};

/**
 * It changes something. Without a plan, it is done at once.
 * - `line`: what `--json` prints in place of what is said: the result, or the `lines` of it
 * - `planned`: as `past`, of a plan that nobody has agreed to. Each plan that looks at something has it
 * - `confirm`: the word that somebody at a terminal types; a page shows the plan in any case
 * - `asked`: fields that the page of the plan asks for, with their labels. A plan does not depend on them
 * - `passkey`: a page asks for a passkey, because what is done outlives a stolen session
 */
export type Changing<Of extends Fields, Prepared, Result, Line extends object> = Common<Of> & {
  plan?: (admin: Admin, input: Input<Of>) => Promise<Plan<Prepared>> | Job<Progress, Plan<Prepared>>;
  run: (admin: Admin, input: Input<Of>, prepared: Prepared) => Promise<Result> | Job<Progress, Result>;
  said: (result: Result, input: Input<Of>, admin: Admin) => Said;
  line?: z.ZodType<Line>;
  lines?: (result: Result) => readonly Line[];
  planned?: string;
  confirm?: {word: string; when?: (input: Input<Of>) => boolean};
  asked?: Partial<Record<keyof Of, string>>;
  passkey?: true;
  onLead?: OnLead<Of>;
  onList?: OnList<Of>;
};

export type AnyReading = Reading<Fields, object>;
export type AnyChanging = Changing<Fields, unknown, unknown, object>;
export type Row = AnyReading | AnyChanging;
/** What a command line or a page has given, and the schemas have read. */
export type Given = Readonly<Record<string, unknown>>;

export const isChanging = (row: Row): row is AnyChanging => 'run' in row;
/** The last word of its command, as addresses of pages have it. */
export const verbOf = ({words}: Pick<Row, 'words'>): string => words.split(' ').at(-1) ?? words;

// Only here, a row forgets its types: what `plan` has prepared goes to `run` of the same row, and its result to `said`.
export const reads = <Of extends Fields, Line extends object>(row: Reading<Of, Line>): AnyReading =>
  row as unknown as AnyReading;
export const changes = <Of extends Fields, Prepared, Result, Line extends object>(
  row: Changing<Of, Prepared, Result, Line>,
): AnyChanging => row as unknown as AnyChanging;

/** The commands with the same first word. */
export type Group = {name: string; what: string; help?: string; rows: readonly Row[]};

/**
 * What a page gives, read by the schemas.
 * @param isWhole false while what the page of the plan asks for is missing
 * @throws Refusal that names what is wrong
 */
export function inputOf(row: AnyChanging, given: object, isWhole: boolean): Given {
  const {fields, asked = {}, wrong: whole} = row;
  const needed = Object.entries(fields).filter(([name]) => isWhole || !(name in asked));
  const {input, wrong} = readInput(Object.fromEntries(needed), {...given});
  const fault = wrong?.join(': ') ?? (isWhole ? whole?.(input, false) : undefined);
  if (fault !== undefined) throw new Refusal(`Nothing was changed: ${fault}`);
  return input;
}

export type Report = (progress: Progress) => void | Promise<void>;
export type Planned = {
  plan: Omit<Plan<unknown>, 'does' | 'notes'> & {does: PlanLine[]; notes: string[]};
  digest: string;
};

const result = <Result>(work: Promise<Result> | Job<Progress, Result>, report?: Report): Promise<Result> =>
  work instanceof Promise ? work : finish(work, report);

/** What a plan looks at is noted as planned, until it is done. */
const noting = (admin: Admin, plan: 'shown' | false): Admin => ({
  ...admin,
  noteAccess: (filter, ...leads) => admin.noteAccess({...filter, plan}, ...leads),
});

/**
 * What would happen, and the digest by which somebody agrees to that.
 * @param typed the input before the schemas have read it
 */
export async function planned(
  row: AnyChanging,
  admin: Admin,
  input: Given,
  report?: Report,
  typed = input,
): Promise<Planned> {
  const nothing: Plan<unknown> = {does: [], facts: [], prepared: undefined};
  const shown = noting(admin, 'shown');
  const plan = row.plan ? await result(row.plan(shown, input), report) : nothing;
  if (row.planned !== undefined) await shown.noteAccess({});
  const digest = hash('sha256', JSON.stringify([row.words, ...(plan.facts ?? [typed])]), 'base64url');
  return {plan: {...plan, does: applying(plan.does), notes: applying(plan.notes)}, digest};
}

export const changedMeanwhile = () =>
  new Refusal('Nothing was changed, because something has changed meanwhile: look again');

/**
 * Does what was planned.
 * @param agreed the digest to which somebody agreed. Undefined if nobody was asked
 * @throws Refusal if the plan is another one by now
 */
export async function done(
  row: AnyChanging,
  admin: Admin,
  input: Given,
  {plan, digest}: Planned,
  agreed?: string,
  report?: Report,
): Promise<unknown> {
  if (agreed === undefined && plan.unasked !== undefined) throw new Refusal(plan.unasked);
  if (agreed !== undefined && agreed !== digest) throw changedMeanwhile();
  const made = noting(admin, false);
  if (row.past !== undefined) await made.noteAccess({});
  return result(row.run(made, input, plan.prepared), report);
}
