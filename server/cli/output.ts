/** How commands print: tables for people, one JSON object a line for programs. */
import {Option} from 'commander';

export const jsonOption = (): Option => new Option('--json', 'print one JSON object a line, for programs');

/** Prints a line of JSON. Waits while the reader of a pipe is slow, so that a long list does not fill the memory. */
export const print = (line: object): Promise<void> => write(`${JSON.stringify(line)}\n`);

export async function write(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}

type Cell = string | number;

/**
 * Prints rows as a table whose columns are aligned: numbers to the right, texts to the left.
 * @param widths the width of each column in characters, if it was taken from an earlier page
 * @returns the widths, for the next page
 */
export async function printTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  widths: readonly number[] = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => String(row[column] ?? '').length)),
  ),
  withHead = true,
): Promise<readonly number[]> {
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, column) => {
        const text = String(cell);
        const width = widths[column] ?? 0;
        return typeof cell === 'number' ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const lines = [...(withHead ? [line(head)] : []), ...rows.map(line)];
  await write(lines.map((text) => `${text}\n`).join(''));
  return widths;
}

/** A time as people read it: in the time zone of this machine, to the second. */
export function localTime(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

/** The day of a time, such as `2026-11-22`, in the time zone of this machine. */
export const localDay = (time: number): string => localTime(time).slice(0, 10);

/** Says why the command failed, and sets the exit status to 1. */
export function fail(message: string) {
  console.error(message);
  process.exitCode = 1;
}

/** `1 lead`, `2 leads`, `1,000 leads`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
