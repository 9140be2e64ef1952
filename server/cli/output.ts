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
  stdout: Writable;
  stderr: Writable & {isTTY?: boolean};
  /** Asks the person at the terminal, and resolves to the answer. Missing if there is no terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Calls `stop` instead of ending the process, once, when the operator presses Ctrl+C. Returns what takes that back. */
  onInterrupt?: (stop: () => void) => () => void;
};

/** A run of the command: its surroundings, how it prints, and its exit status so far. */
export type Run = ReturnType<typeof createRun>;

type Cell = string | number;
export type Field = readonly [name: string, value: string];

export function createRun(surroundings: Surroundings) {
  const {stdout, stderr} = surroundings;
  const run = {
    ...surroundings,
    status: 0,

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

    /** Prints names and their values. */
    printFields: (fields: readonly Field[]): Promise<void> => run.write(fieldLines(fields)),

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
 * @returns how many there were
 */
export async function printRows<Row extends object>(
  run: Pick<Run, 'print' | 'write'>,
  {json = false}: Json,
  pages: Pages<Row>,
  head: readonly string[],
  cellsOf: (row: Row) => readonly Cell[],
): Promise<number> {
  let count = 0;
  let widths: readonly number[] | undefined;
  for await (const page of pages) {
    count += page.length;
    if (json) for (const row of page) await run.print(row);
    else widths = await printTable(run, head, page.map(cellsOf), widths);
  }
  return count;
}

/**
 * Prints rows as a table whose columns are aligned: numbers to the right, texts to the left.
 * @param widths of the columns in characters, if they are those of an earlier page, which has the head
 * @returns the widths, for the next page
 */
export async function printTable(
  {write}: Pick<Run, 'write'>,
  head: readonly string[],
  cells: readonly (readonly Cell[])[],
  widths?: readonly number[],
): Promise<readonly number[]> {
  const rows = cells.map((row) => row.map((cell) => (typeof cell === 'number' ? cell : printable(cell))));
  const used = widths ?? widthsOf([head, ...rows]);
  await write([...(widths ? [] : [head]), ...rows].map((row) => alignedLine(row, used)).join(''));
  return used;
}

const widthsOf = (rows: readonly (readonly Cell[])[]): number[] =>
  (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, String(row[column] ?? '').length), 0),
  );

function alignedLine(cells: readonly Cell[], widths: readonly number[]): string {
  const aligned = cells.map((cell, column) => {
    const [text, width] = [String(cell), widths[column] ?? 0];
    return typeof cell === 'number' ? text.padStart(width) : text.padEnd(width);
  });
  return `${aligned.join('  ').trimEnd()}\n`;
}

/**
 * A line for each name and its value. A value of several lines is a block beside its name, so that none of them looks like a
 * name. Many spaces are one, because a terminal would wrap the line after them.
 */
function fieldLines(fields: readonly Field[]): string {
  const width = Math.max(...fields.map(([name]) => printable(name).length));
  const indent = `\n${' '.repeat(width + 2)}`;
  const lines = fields.map(([name, value]) => {
    const block = visible(value)
      .replace(/[^\S\n]+/g, ' ')
      .replaceAll('\n', indent);
    return `${printable(name).padEnd(width)}  ${block}\n`;
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
