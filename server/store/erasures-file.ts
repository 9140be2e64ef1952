/**
 * The file of erasures (the setting `ERASURES_FILE`), which is kept with the backups, so that a restore erases again what
 * had been erased since, and holds the numbers again of those who took a consent back. One line for each erasure: the id of
 * the lead, the time, and the word `all` if the kept consent went, too. One line for each number, by its digest and by its
 * leads: the time, and for whom it is suppressed.
 */
import {closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync} from 'node:fs';
import {dirname} from 'node:path';
import {leadIdForm} from '../leads/lead-ids.ts';

/** `at` is in milliseconds since 1970. */
export type Erasure = {id: string; at: number; all: boolean};
/**
 * A number that was suppressed, by its digest, or by the id of a lead: a backup from before 1.7 has no key of the digests.
 * `allowedAt`: when an operator let it go again, if that was later.
 */
export type Stop = {of: string; at: number; scope: string; allowedAt?: number};
export type Allowance = Pick<Stop, 'of' | 'at'>;

const timeForm = String.raw`(\d{4}-\d\d-\d\dT\S+Z)`;
const line = new RegExp(`^(${leadIdForm}) ${timeForm}( all)?$`);
const stopLine = new RegExp(String.raw`^([\w-]{22}|${leadIdForm}) ${timeForm} (?:stop (\S+)|allow)$`);

const toLine = (one: Erasure | Stop | Allowance) => {
  const time = new Date(one.at).toISOString();
  if ('id' in one) return `${one.id} ${time}${one.all ? ' all' : ''}\n`;
  return `${one.of} ${time} ${'scope' in one ? `stop ${one.scope}` : 'allow'}\n`;
};

/**
 * When it returns, the lines are safe on the disk. Several processes may append at the same time: each appends with one
 * write.
 */
export function appendErasures(path: string, erasures: readonly (Erasure | Stop | Allowance)[]): void {
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
    const [, of, since = '', scope] = stopLine.exec(text) ?? [];
    if (id !== undefined && !Number.isNaN(at)) {
      const before = found.get(id);
      found.set(id, {id, at: before?.at ?? at, all: all !== undefined || before?.all === true});
    } else if (of === undefined) unread += Number(text !== '');
    else if (scope === undefined)
      for (const stop of stops.filter((one) => one.of === of)) stop.allowedAt = Date.parse(since);
    else stops.push({of, at: Date.parse(since), scope});
  }
  return {erasures: [...found.values()], stops, unread};
}
