/** Makes commands of the rows of admin/operations: the words, options and help, the plan with its question, and the result. */
import {Argument, Command, Option} from 'commander';
import {z} from 'zod';
import type {Admin} from '../admin/admin.ts';
import {
  inUsage,
  isRequired,
  optionName,
  readInput,
  type Field,
  type Fields,
  type Input,
} from '../admin/operations/fields.ts';
import {
  done,
  isChanging,
  planned,
  saidIn,
  verbOf,
  type AnyChanging,
  type AnyReading,
  type Cell,
  type Columns,
  type Given,
  type Group,
  type Planned,
  type PlanLine,
  type Row,
  type Said,
} from '../admin/operations/operation.ts';
import {progressWords, type Progress} from '../admin/operations/progress.ts';
import {printable} from '../admin/visible.ts';
import {counted, timeZone} from '../admin/words.ts';
import {leadsBar, lineColumns, minuteOrNone, orMore, printTable, type Json, type Run} from './output.ts';
import {withoutStore, withStore} from './with-store.ts';

/** @param others commands of the group that have code of their own */
export const groupCommand =
  ({name, what, help, rows}: Group, ...others: readonly ((run: Run) => Command)[]) =>
  (run: Run): Command => {
    const group = new Command(name).description(what);
    if (help !== undefined) group.addHelpText('after', `\n${help}`);
    for (const row of rows) {
      // `leads requests add` stands below `leads requests`, which does something by itself.
      const above = group.commands.find((each) => row.words.startsWith(`${name} ${each.name()} `));
      (above ?? group).addCommand(commandOf(run, row));
    }
    for (const other of others) group.addCommand(other(run));
    return group;
  };

/** @param line what each line is, as the function says that makes it */
export const jsonOption = (line: z.ZodType): Option & {line: z.ZodType} =>
  Object.assign(new Option('--json', 'print one JSON object a line, for programs'), {line});

/** What is printed before anything is done, with `--dry-run --json`. */
const shownPlan = z.object({does: z.array(z.string()), confirm: z.string()});

type Options = Json & {csv?: boolean; yes?: boolean; dryRun?: boolean; confirm?: string};

function commandOf(run: Run, row: Row): Command {
  const command = new Command(verbOf(row)).description(row.what);
  addFields(command, row.fields);
  const isPlanned = isChanging(row) && row.plan !== undefined;
  if (isPlanned) {
    command.option('--dry-run', 'only show what would happen, and the digest of that');
    command.option('--confirm <digest>', 'do it only if it depends on the same as what --dry-run has shown');
    if (row.confirm) command.option('--yes', 'do not ask, for programs');
  }
  if (row.line) command.addOption(jsonOption(isPlanned ? z.union([row.line, shownPlan]) : row.line));
  if (!isChanging(row) && row.columns)
    command.addOption(new Option('--csv', 'print the table as a CSV').conflicts('json'));
  if (row.help !== undefined) command.addHelpText('after', `\n${row.help}`);
  return command.action(async () => {
    const options = command.opts<Options>();
    const {input, typed} = await inputOf(command, run, row.fields);
    const fault = row.wrong?.(input, options.json ?? false);
    if (fault !== undefined) command.error(`error: ${fault}`);
    if (!isChanging(row)) return opening(run, row)((admin) => show(run, row, admin, input, options));
    const asks = asksFor(row, input) && !options.yes && !options.dryRun && options.confirm === undefined;
    if (asks && !run.ask)
      command.error('error: there is no terminal to ask on: add --yes to go on without a question');
    return opening(run, row)((admin) => change(run, row, admin, input, {...options, typed, asks}));
  });
}

const asksFor = ({confirm}: AnyChanging, input: Given): boolean =>
  confirm !== undefined && (confirm.when?.(input) ?? true);

const opening = (run: Run, row: Row) => (work: (admin: Admin) => Promise<void>) => {
  if (row.opens === 'nothing') return withoutStore(run, work);
  return withStore(run, {mayWrite: isChanging(row), mayLackKeys: row.opens !== undefined}, work);
};

export function addFields(command: Command, fields: Fields) {
  for (const [name, field] of Object.entries(fields))
    if (field.argument) command.addArgument(new Argument(inUsage(name, field), field.what));
    else command.addOption(optionOf(name, field));
}

function optionOf(name: string, field: Field): Option {
  const {what, value, choices, many} = field;
  const words = `--${optionName(name)}${value === undefined ? '' : ` <${value}>`}`;
  const option = new Option(words, what).makeOptionMandatory(isRequired(field));
  if (choices) return option.choices(choices);
  const add = (text: string, before: readonly string[] = []) => [...before, text];
  return many ? option.argParser(add) : option;
}

/** Stands for a line of standard input. */
const fromInput = '-';

/** What the command line gives: as it was `typed`, and as the schemas of the row read it. */
export async function inputOf<Of extends Fields>(
  command: Command,
  {ask, readLine}: Run,
  fields: Of,
): Promise<{input: Input<Of>; typed: Given}> {
  const typed: Record<string, unknown> = {};
  const names = Object.keys(fields).filter((name) => fields[name]?.argument);
  const options = command.opts<Record<string, unknown>>();
  let isRead = false;
  for (const [name, {argument, asks}] of Object.entries(fields)) {
    const value: unknown = argument ? command.processedArgs[names.indexOf(name)] : options[name];
    typed[name] = value;
    if (asks === undefined || value !== fromInput) continue;
    if (isRead) command.error('error: only one thing can be read from standard input');
    isRead = true;
    typed[name] = (await (ask ? ask(`${asks}: `) : readLine?.()))?.trim();
    if (!typed[name]) command.error(`error: standard input has no line: ${asks} is missing`);
  }
  const {input, wrong} = readInput(fields, typed);
  if (!wrong) return {input: input as Input<Of>, typed};
  const [name, why] = wrong;
  const field = fields[name]?.argument ? `<${name}>` : `--${optionName(name)}`;
  return command.error(`error: ${field} is invalid. ${why}`);
}

/** Reports how far a job is. The first Ctrl+C ends a search, and what it has found until then is its result. */
export function reporting({stderr, say, onInterrupt}: Run) {
  const words = progressWords();
  const stop = new AbortController();
  let bar: Awaited<ReturnType<typeof leadsBar>> | undefined;
  let release: (() => void) | undefined;
  return {
    signal: stop.signal,
    report: async (progress: Progress) => {
      const {say: text} = words(progress);
      if (text !== undefined) say(text);
      if (!('looked' in progress)) return;
      release ??= onInterrupt?.(() => stop.abort());
      if (stderr.isTTY) bar ??= await leadsBar(stderr, progress.total);
      bar?.update(progress.looked);
    },
    close: () => {
      bar?.stop();
      release?.();
    },
  };
}

async function say(run: Run, all: Said, isSaid: boolean) {
  const {said, remarks, fails} = saidIn(all);
  if (isSaid) for (const text of said) await run.write(`${printable(text)}\n`);
  for (const text of fails) run.fail(printable(text));
  for (const text of remarks) run.say(printable(text));
}

export async function show(
  run: Run,
  row: AnyReading,
  admin: Admin,
  input: Given,
  {json = false, csv = false}: Options,
) {
  const {counted: words, isCut} = row;
  const columns = typeof row.columns === 'function' ? row.columns(input) : row.columns;
  const {signal, report, close} = reporting(run);
  const read = row.read({...admin, signal}, input, json);
  let last: Said | undefined;
  async function* pages(): AsyncGenerator<readonly object[], void, undefined> {
    try {
      if (read instanceof Promise) return yield await read;
      for (;;) {
        const {done: isDone, value} = await read.next();
        if (isDone) return void (last = value ?? undefined);
        if (Array.isArray(value)) yield value as readonly object[];
        else await report(value as Progress);
      }
    } finally {
      close();
    }
  }
  let many = 0;
  // The columns have the widths of the first page.
  let widths: readonly number[] | undefined;
  const {csvWriter} = csv ? await import('../admin/exporting.ts') : {};
  const toCsv = await csvWriter?.();
  if (toCsv) await run.writeUnchanged(toCsv([headsOf(columns ?? [])]));
  for await (const lines of pages()) {
    if (json) for (const line of lines) await run.print(line);
    else if (columns) {
      const cells = lines.map((line) => cellsOf<never>(columns, line as never));
      if (toCsv) await run.writeUnchanged(toCsv(cells));
      else widths = await printTable(run, headsOf(columns), cells, widths, isCut ? lineColumns : Infinity);
    } else for (const [index, line] of lines.entries()) await printBlock(run, row, admin, line, many + index);
    many += lines.length;
  }
  if (words) {
    const limit = typeof input['limit'] === 'number' ? input['limit'] : Infinity;
    run.say(`${counted(many, ...words)}${orMore(limit - many)}; times are those of ${timeZone()}`);
  }
  await say(run, last ?? {}, true);
  if (signal.aborted) run.status = 1;
}

async function printBlock(run: Run, {block}: AnyReading, admin: Admin, line: object, index: number) {
  if (index > 0) await run.write('\n');
  const all = () => Object.entries(line).map(([name, value]) => [name, String(cell(value as Cell))] as const);
  const fields = (block?.(line, admin) ?? all()).filter(([, value]) => value !== '');
  await run.printFields(fields, lineColumns);
}

export const headsOf = <Line extends object>(columns: Columns<Line>): string[] =>
  columns.map((column) => (typeof column === 'string' ? column : column[0]));
export const cellsOf = <Line extends object>(columns: Columns<Line>, line: Line): (string | number)[] =>
  columns.map((column) => {
    const source = typeof column === 'string' ? column : column[1];
    return cell(typeof source === 'function' ? source(line) : (line[source] as Cell));
  });

/** Times are to the minute, in the time zone of this machine. What is missing is empty. */
function cell(value: Cell): string | number {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return 'yes';
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return value.join(', ');
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? minuteOrNone(value) : value;
}

/** Without the name of the person, where the words may end in the log of a program. */
function linesOf(line: PlanLine, isNamed: boolean): string[] {
  if (typeof line === 'string') return [printable(line)];
  const {head, person, fields} = line;
  return [
    printable(`${head}${isNamed && person !== null ? `, ${person}` : ''}`),
    ...fields.map(([name, value]) => `  ${name.padEnd(14)}  ${printable(value)}`),
  ];
}

async function change(
  run: Run,
  row: AnyChanging,
  admin: Admin,
  input: Given,
  how: Options & {typed: Given; asks: boolean},
) {
  const {json = false, dryRun = false, confirm: agreed, typed, asks} = how;
  const {signal, report, close} = reporting(run);
  const first = await planned(row, {...admin, signal}, input, report, typed).finally(close);
  const meanwhile = reporting(run);
  const {plan, digest} = first;
  const does = plan.does.flatMap((line) => linesOf(line, asks));
  // Of what asks nobody, the result says enough.
  if (asksFor(row, input) || dryRun) for (const line of [...does, ...plan.notes]) run.say(line);
  const isAsked = asks && plan.question !== undefined;
  if (signal.aborted || (isAsked && !(await isAgreed(run, row, plan))))
    return run.fail('Nothing was changed.');
  if (dryRun) return json ? run.print({does, confirm: digest}) : run.write(`${digest}\n`);
  // What was planned is of this moment, unless somebody took time to read it.
  const now = isAsked ? await planned(row, admin, input, meanwhile.report, typed) : first;
  const basis = isAsked ? digest : agreed;
  const result = await done(row, admin, input, now, basis, meanwhile.report).finally(meanwhile.close);
  const isPrinted = json && row.line !== undefined;
  if (isPrinted) for (const line of row.lines?.(result) ?? [result as object]) await run.print(line);
  await say(run, row.said(result, input, admin), !isPrinted);
}

const isAgreed = async ({ask}: Run, {confirm}: AnyChanging, {question}: Planned['plan']) =>
  (await ask?.(`To ${question}, type ${confirm?.word}: `))?.trim() === confirm?.word;
