/** How commands print: tables for people, one JSON object a line for programs. */
import type {Writable} from 'node:stream';
import type {SingleBar} from 'cli-progress';
import {printable, toJson, visible} from '../admin/visible.ts';
import {localTime} from '../admin/words.ts';
import type {Environment} from '../config/environment.ts';

export type Json = {json?: boolean | undefined};

/** What follows the number of rows. @param left how many more the limit would have let through */
export const orMore = (left: number): string => (left === 0 ? ' (--limit shows more)' : '');

/** What the process gives to a run of the command. Without an environment, the settings are those of this process. */
export type Surroundings = {
  environment?: Environment;
  stdout: Writable & {isTTY?: boolean};
  stderr: Writable & {isTTY?: boolean};
  /**
   * Asks the person at the terminal, and resolves to the answer, or to undefined if the person wants to end the command.
   * Missing if there is no terminal. `isSecret` shows nothing of what is typed.
   */
  ask?: ((question: string, isSecret?: boolean) => Promise<string | undefined>) | undefined;
  /** Reads a line of standard input that is no terminal. Undefined if there is none. */
  readLine?: (() => Promise<string | undefined>) | undefined;
  /** Calls `stop` instead of ending the process, once, when the operator presses Ctrl+C. Returns what takes that back. */
  onInterrupt?: (stop: () => void) => () => void;
};

/** A run of the command: its surroundings, how it prints, and its exit status so far. */
export type Run = ReturnType<typeof createRun>;

/** How wide a terminal is, at least. */
export const lineColumns = 78;

type Cell = string | number;
export type Field = readonly [name: string, value: string];

export function createRun(surroundings: Surroundings) {
  const {stdout, stderr} = surroundings;
  const run = {
    ...surroundings,
    status: 0,
    /** The words of the command, such as `leads show`. */
    action: '',

    /** Prints to standard output: the result of a command. Texts of strangers must be `printable` before. */
    write: (text: string): Promise<void> => run.writeUnchanged(visible(text)),

    /**
     * As `write`, for what holds nothing that a terminal would obey. Waits while the reader of a pipe is slow, so that a
     * long list does not fill the memory.
     */
    writeUnchanged: async (text: string): Promise<void> => {
      if (stdout.write(text)) return;
      await new Promise((resolve) => stdout.once('drain', resolve));
    },

    /** Prints a line of JSON. What a terminal would obey is escaped, and so it is the same text again for a program. */
    print: (line: object): Promise<void> => run.writeUnchanged(`${toJson(line)}\n`),

    /** Prints names and their values. @param columns how wide the lines may be */
    printFields: (fields: readonly Field[], columns = Infinity): Promise<void> =>
      run.write(fieldLines(fields, columns)),

    /** Prints to standard error: everything that is not the result of a command. */
    say: (text: string): void => void stderr.write(visible(`${text}\n`)),

    /** Says why the command failed, and sets the exit status to 1. */
    fail: (message: string): void => {
      run.say(message);
      run.status = 1;
    },
  };
  return run;
}

type Pages<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/**
 * Prints rows that come page by page: as JSON for programs, or as a table whose columns have the widths of the first page.
 * @param columns how wide the lines of the table may be: longer ones are cut
 * @returns how many there were
 */
export async function printRows<Row extends object>(
  run: Pick<Run, 'print' | 'write'>,
  {json = false, columns}: Json & {columns?: number},
  pages: Pages<Row>,
  head: readonly string[],
  cellsOf: (row: Row) => readonly Cell[],
): Promise<number> {
  let count = 0;
  let widths: readonly number[] | undefined;
  for await (const page of pages) {
    count += page.length;
    if (json) for (const row of page) await run.print(row);
    else widths = await printTable(run, head, page.map(cellsOf), widths, columns);
  }
  return count;
}

/** Prints rows that come page by page as a CSV with the head of their table. @returns how many there were */
export async function printCsv<Row extends object>(
  {writeUnchanged}: Pick<Run, 'writeUnchanged'>,
  pages: Pages<Row>,
  head: readonly string[],
  cellsOf: (row: Row) => readonly Cell[],
): Promise<number> {
  const toCsv = await (await import('../admin/exporting.ts')).csvWriter();
  let count = 0;
  await writeUnchanged(toCsv([[...head]]));
  for await (const page of pages) {
    count += page.length;
    if (page.length > 0) await writeUnchanged(toCsv(page.map((row) => [...cellsOf(row)])));
  }
  return count;
}

/**
 * Prints rows as a table whose columns are aligned: numbers and dollars to the right, texts to the left.
 * @param widths of the columns in characters, if they are those of an earlier page, which has the head
 * @param columns how wide the lines may be: longer ones are cut
 * @returns the widths, for the next page
 */
export async function printTable(
  {write}: Pick<Run, 'write'>,
  head: readonly string[],
  cells: readonly (readonly Cell[])[],
  widths?: readonly number[],
  columns = Infinity,
): Promise<readonly number[]> {
  const rows = cells.map((row) => row.map((cell) => (typeof cell === 'number' ? cell : printable(cell))));
  const used = widths ?? widthsOf([head, ...rows]);
  const lines = [...(widths ? [] : [head]), ...rows].map((row) => cut(alignedLine(row, used), columns));
  await write(lines.map((line) => `${line}\n`).join(''));
  return used;
}

/** What ends a row that is shorter than the head may go on over the columns that the row lacks. */
const widthsOf = (rows: readonly (readonly Cell[])[]): number[] =>
  (rows[0] ?? []).map((_, column, {length}) =>
    rows
      .filter((row) => row.length === length || column < row.length - 1)
      .reduce((widest, row) => Math.max(widest, String(row[column] ?? '').length), 0),
  );

function alignedLine(cells: readonly Cell[], widths: readonly number[]): string {
  const aligned = cells.map((cell, column) => {
    const [text, width] = [String(cell), widths[column] ?? 0];
    return /^\$?[\d,]+$/.test(text) ? text.padStart(width) : text.padEnd(width);
  });
  return aligned.join('  ').trimEnd();
}

/** The characters of a text, and an empty one before each that may be two columns wide on a terminal. */
const columnsOf = (text: string): string[] => [...text].flatMap((one) => (one < '\u1100' ? one : ['', one]));

/** The text, or a beginning of it that ends with `…`. */
function cut(text: string, columns: number): string {
  if (text.length * 2 <= columns) return text;
  const all = columnsOf(text);
  const begin = all.slice(0, columns - 1).join('');
  return all.length <= columns ? text : `${begin.trimEnd()}…`;
}

/** Breaks a line at spaces, and within a word that is wider than a line. */
function wrapped(text: string, columns: number): string[] {
  const all = columnsOf(text);
  if (all.length <= columns) return [text];
  const space = all.lastIndexOf(' ', columns);
  const lineEnd = space > 0 ? space : columns;
  return [all.slice(0, lineEnd).join(''), ...wrapped(all.slice(lineEnd).join('').trimStart(), columns)];
}

/**
 * A line for each name and its value. A value of several lines is a block beside its name, so that none of them looks like a
 * name. Many spaces are one, because a terminal would wrap the line after them. Without name and value, the line is empty.
 */
function fieldLines(fields: readonly Field[], columns: number): string {
  const width = Math.max(...fields.map(([name]) => printable(name).length));
  const indent = `\n${' '.repeat(width + 2)}`;
  const lines = fields.map(([name, value]) => {
    const rows = visible(value)
      .replace(/[^\S\n]+/g, ' ')
      .split('\n')
      .flatMap((line) => wrapped(line, columns - width - 2));
    return `${`${printable(name).padEnd(width)}  ${rows.join(indent)}`.trimEnd()}\n`;
  });
  return lines.join('');
}

/** A bar on the terminal, with the number of leads that were looked at. */
export async function leadsBar(stream: Run['stderr'], total: number): Promise<SingleBar> {
  // Most commands show no progress, and the library takes time to load.
  const {SingleBar} = await import('cli-progress');
  const format = '{bar} {percentage} %, {value} of {total} leads, {eta_formatted} left';
  const bar = new SingleBar({stream, format});
  bar.start(total, 0);
  return bar;
}

/** A time as people read it, or nothing. */
export const timeOrNone = (time: string | null): string => (time === null ? '' : localTime(Date.parse(time)));
/** The same to the minute, which is also what spreadsheets take for a time. */
export const minuteOrNone = (time: string | null): string => timeOrNone(time).slice(0, 16);
