/**
 * The file of erasures (the setting `ERASURES_FILE`), which is kept with the backups, so that a restore erases again what
 * had been erased since, and holds the numbers again of those who took a consent back. One line for each erasure: the id of
 * the lead, the time, and the word `all` if the kept consent went, too. One line for each number: its digest, the time, and
 * for whom it is suppressed.
 */
import {closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync} from 'node:fs';
import {dirname} from 'node:path';

/** `at` is in milliseconds since 1970. */
export type Erasure = {id: string; at: number; all: boolean};
/** As a row of `suppressed`. */
export type Stop = {digest: string; at: number; scope: string};

const line = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{4}-\d\d-\d\dT\S+Z)( all)?$/;

const stopLine = /^([\w-]{22}) (\d{4}-\d\d-\d\dT\S+Z) stop (\S+)$/;

const toLine = (of: Erasure | Stop) => {
  const time = new Date(of.at).toISOString();
  return 'id' in of ? `${of.id} ${time}${of.all ? ' all' : ''}\n` : `${of.digest} ${time} stop ${of.scope}\n`;
};

/**
 * When it returns, the lines are safe on the disk. Several processes may append at the same time: each appends with one
 * write.
 */
export function appendErasures(path: string, erasures: readonly (Erasure | Stop)[]): void {
  if (erasures.length === 0) return;
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  // A line that a full disk cut off must not become a part of the next one.
  const isCut = existsSync(path) && /[^\n]$/.test(readFileSync(path, 'utf8'));
  const text = `${isCut ? '\n' : ''}${erasures.map(toLine).join('')}`;
  const file = openSync(path, 'a', 0o600);
  try {
    const written = writeSync(file, text);
    if (written < Buffer.byteLength(text)) throw new Error(`${path} could not be written: the disk is full`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // Without this, a crash may undo the name of a new file.
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * Each lead once, with the time of its first erasure, and each number as often as it was suppressed.
 * @returns also how many lines are none of an erasure, such as a line that was cut off
 */
export function readErasures(path: string): {erasures: Erasure[]; stops: Stop[]; unread: number} {
  const found = new Map<string, Erasure>();
  const stops: Stop[] = [];
  let unread = 0;
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    const [, id, time = '', all] = line.exec(text) ?? [];
    const at = Date.parse(time);
    const [, digest, since = '', scope = ''] = stopLine.exec(text) ?? [];
    if (id !== undefined && !Number.isNaN(at)) {
      const before = found.get(id);
      found.set(id, {id, at: before?.at ?? at, all: all !== undefined || before?.all === true});
    } else if (digest !== undefined) stops.push({digest, at: Date.parse(since), scope});
    else if (text !== '') unread += 1;
  }
  return {erasures: [...found.values()], stops, unread};
}
