/**
 * The type of an operation, a row of the table of what operators can do. The command with its help, the page with its plan, the
 * entry of the audit, the line of a lead's timeline, and docs/commands.md are all made from the row.
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
 * - `words`: the words of the command, which are also the action in the audit, such as `leads erase`
 * - `roles`: who may use it on a page. Without roles, no page has it
 * - `past`: the words for the audit and the timeline, such as `erased {it}`: `{it}` stands for the leads, and other names for noted values.
 *   Missing if it shows no personal data and changes nothing
 * - `wrong`: why the fields do not fit together, although each is valid
 * - `opens`: what its command opens instead of the complete store, because it recovers a lost data key, or works before the first start
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
/** A field of the line under its own name, or a heading with a field or with a function of the line. Times are in UTC. */
type Column<Line> =
  (keyof Line & string) | readonly [head: string, cell: (keyof Line & string) | ((line: Line) => Cell)];
export type Columns<Line> = readonly Column<Line>[];

/** Sentences. One that does not apply is `false`, and is left out. */
type Sentences = readonly (string | false)[];

/**
 * The messages at the end. `said`: what was done or found. `remarks`: goes to standard error. `fails`: what was not done, and
 * why; goes to standard error and makes the exit status 1.
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
 * An operation that only shows something. `read` returns all lines, or yields them page by page.
 * - `columns`: of the table. Without them, each line is a block of names and values: those of `block`, or else all fields
 * - `isCut`: its lines are not wider than a terminal
 * - `counted`: the noun for the lines. Missing if there is always one line
 * - `isForPrograms`: amounts are exact, and not rounded as for people
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

/** A sentence, or a lead with what happens to it. The name of the person is a field of its own, because no log may contain it. */
export type PlanLine =
  | string
  | {reference: string; head: string; person: string | null; fields: readonly (readonly [string, string])[]};

/**
 * - `does`: what would happen. `notes`: further sentences for a terminal. Entries that are `false` are left out
 * - `facts`: what the plan depends on, for its digest. Missing for a selection, whose rows change all the time: the digest is
 *   then of the input as typed, because `7d` stays the same
 * - `prepared`: what `run` needs
 * - `question`: what the operator must confirm, such as `erase 2 leads for ever`. Missing if there is nothing to confirm
 * - `unasked`: why `--yes` is not enough for this plan, so that it is refused
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
 * The button of the operation on a page, whose path ends with the last word of the command.
 * - `button`: its label. It ends with `…` if a question follows, and is then, without the `…`, the title of that question
 * - `make`: the label of the button that confirms, if it is not the title
 * - `input`: @param carried further values from the URL or from the submitted form
 */
type OnPage<Of extends Fields> = {
  button: string;
  make?: string;
  isBad?: true;
  input: (name: string, carried: Readonly<Record<string, string>>) => {[Name in keyof Of]?: unknown};
};
/** A delivery that has not ended. */
export type OpenDelivery = Pick<DeliveryRow, 'destination' | 'content' | 'state' | 'reason' | 'ambiguous'>;
/** `isAsked`: somebody with another e-mail address asked to stop calls to the lead's number, and no operator has decided about that yet. */
type LeadState = Pick<LeadIdentity, 'revoked' | 'isSuppressed'> & {erasedAt: number | null; isAsked: boolean};
/**
 * The button on a lead's page, at `/leads/<id>/…`.
 * - `cannot`: the message if it is not possible
 * - `ofMany`: for several leads of the list at once: one input for all of them, or one for each
 */
export type OnLead<Of extends Fields> = OnPage<Of> & {
  cannot: string;
  isPossible: (open: readonly OpenDelivery[], state: LeadState) => boolean;
  ofMany?: (leads: readonly string[]) => readonly {[Name in keyof Of]?: unknown}[];
};
/** The button on a line of a list, at `/<list>/<name>/…`, in the order of the table. `isShown`: @param state of a destination */
export type OnList<Of extends Fields> = OnPage<Of> & {
  list: 'destinations' | 'operators';
  isShown?: (state: string) => boolean;
};

/**
 * An operation that changes something. Without a plan, it runs at once.
 * - `line`: what `--json` prints instead of the messages: the result, or the `lines` made from it
 * - `planned`: like `past`, for a plan that was shown and not run. Every plan that reads leads has it
 * - `confirm`: the word that the operator types at a terminal. A page always shows the plan first
 * - `asked`: labels of fields that the page of the plan asks for. The plan does not depend on them
 * - `passkey`: a page asks for a passkey, because the change would outlive a stolen session
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
/** The input from a command line or a page, parsed by the schemas. */
export type Given = Readonly<Record<string, unknown>>;

export const isChanging = (row: Row): row is AnyChanging => 'run' in row;
/** The last word of its command, which URLs of pages contain. */
export const verbOf = ({words}: Pick<Row, 'words'>): string => words.split(' ').at(-1) ?? words;

// Only these casts drop the types of a row. They are safe: what `plan` prepares goes only to `run` of the same row.
export const reads = <Of extends Fields, Line extends object>(row: Reading<Of, Line>): AnyReading =>
  row as unknown as AnyReading;
export const changes = <Of extends Fields, Prepared, Result, Line extends object>(
  row: Changing<Of, Prepared, Result, Line>,
): AnyChanging => row as unknown as AnyChanging;

/** The commands with the same first word. */
export type Group = {name: string; what: string; help?: string; rows: readonly Row[]};

/**
 * Parses the input from a page.
 * @param isWhole false if the fields that the page of the plan asks for are still missing
 * @throws Refusal that names the wrong field
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

/** The audit marks what a plan reads as planned. Running the plan clears the mark. */
const noting = (admin: Admin, plan: 'shown' | false): Admin => ({
  ...admin,
  noteAccess: (filter, ...leads) => admin.noteAccess({...filter, plan}, ...leads),
});

/** Makes the plan, and the digest by which an operator agrees to it. @param typed the input before the schemas have parsed it */
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
 * Runs the plan.
 * @param agreed the digest that the operator agreed to. Undefined if nobody was asked
 * @throws Refusal if the plan has changed since
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
