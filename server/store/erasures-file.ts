/**
 * The file of erasures (`erasures_file`), which is kept with the backups. After a restore, a start reads it to repeat erasures
 * and stops, and to restore privacy requests and legal holds (admin/repairing.ts). One line each, with a time in UTC:
 *
 *     <lead> <time> [all]                                an erasure; `all`: the kept consent was erased, too
 *     <lead or digest> <time> stop <scope> [more]        a stop
 *     <digest> <time> ask <scope> [more]                 an operator must decide about the number, and its leads are held meanwhile
 *     <digest> <time> again <scope> [more]               the same, after an operator has decided: nothing is held
 *     <digest> <time> allow [scope] [more]               an operator allows the number
 *     <lead> <time> keep <more>                          a `LegalHold`. The last one of a lead counts
 *     <lead> <time> request <more>                       a `PrivacyRequest`, as it is now. The last line of each counts
 *     <check value> <time> key [<data key> <encrypted key>] the key of the digests in lines above and below
 *
 * `scope` says for whom (leads/revocation.ts). `more` are words such as `kind=both asked=2026-11-20T00:00:00.000Z way=phone
 * event=<id> lead=<id>`. For `keep` and `request`, they are the fields of the type, with times in milliseconds.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {z} from 'zod';
import {isLeadId, leadIdForm} from '../leads/lead-ids.ts';
import type {EncryptedKey} from '../leads/persons.ts';
import {requestKinds, type LegalHold, type PrivacyRequest} from '../leads/privacy-requests.ts';
import {suppressionKinds, type SuppressionKind} from '../leads/revocation.ts';
import {syncToDisk} from './sqlite/files.ts';
import {lockFile} from './sqlite/server-lock.ts';

/** The erasure of a lead. `at`: milliseconds since 1970. */
export type Erasure = {id: string; at: number; all: boolean};
/**
 * A stop, question or decision. `of`: the digest of a number or mailbox, or the id of a lead, because digests made with a lost
 * key match nobody. `key`: the check value of the digest's key, if the file says it.
 */
export type StopLine = {
  of: string;
  at: number;
  does: (typeof said)[number];
  /** Empty for an allowance by version 1.7 or 1.8, which is for all scopes. */
  scope: string;
  kind: SuppressionKind;
  askedAt: number;
  way: string | null;
  event: string | undefined;
  lead: string | null;
  key?: string | undefined;
};
/** The key of the digests. `encrypted` is missing without a data key. */
export type KeyLine = {check: string; at: number; encrypted: EncryptedKey | undefined};
export type Lines = {
  erasures: Erasure[];
  stops: StopLine[];
  holds: LegalHold[];
  requests: PrivacyRequest[];
  keys: KeyLine[];
  unread: number;
  lastAt: number;
};
/** Actions whose lines are written before they are done. */
export type Deed = Erasure | StopLine | ((LegalHold | PrivacyRequest) & {at: number});

const said = ['stop', 'ask', 'again', 'allow'] as const;
/** How long to wait for the lock of the file, in milliseconds. */
const longestLock = 10_000;
const word = String.raw`[\w-]{22}`;
const line = new RegExp(
  String.raw`^(${leadIdForm}|${word}) (\d{4}-\d\d-\d\dT[\d:.]+Z)(?: (all|key|keep|request|${said.join('|')})((?: [!-~]+)*))?$`,
);

const iso = (at: number) => new Date(at).toISOString();
const stopText = ({of, at, does, scope, kind, askedAt, way, event, lead}: StopLine) => {
  const more = {
    kind: kind === 'number' ? undefined : kind,
    asked: askedAt === at ? undefined : iso(askedAt),
    way: way === null ? undefined : encodeURIComponent(way),
    event,
    lead: lead ?? undefined,
  };
  const words = Object.entries(more).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${value}`,
  );
  return [of, iso(at), does, scope, ...words].filter(Boolean).join(' ');
};
const keyText = ({check, at, encrypted}: KeyLine) =>
  [
    check,
    iso(at),
    'key',
    ...(encrypted ? [encrypted.dataKey, Buffer.from(encrypted.blob).toString('base64url')] : []),
  ].join(' ');
const time = z.coerce.number();
const holdWords = z.object({until: time, reason: z.string(), enteredAt: time});
const requestWords = z.object({
  ...{kind: z.enum(requestKinds), askedAt: time, enteredAt: time, way: z.string()},
  ...{endedAt: time.nullable().default(null), answer: z.string().nullable().default(null)},
});
function deskText({lead, at, ...named}: (LegalHold | PrivacyRequest) & {at: number}) {
  const words = Object.entries(named).flatMap(([name, value]) =>
    value === null ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return [lead, iso(at), 'until' in named ? 'keep' : 'request', ...words].join(' ');
}
function toLine(one: Deed | KeyLine): string {
  if ('id' in one) return `${one.id} ${iso(one.at)}${one.all ? ' all' : ''}`;
  if ('of' in one) return stopText(one);
  return 'check' in one ? keyText(one) : deskText(one);
}

/** Runs `work` with the lock that all writers of the file take, on any machine. @param timeout as in `lockFile`. @throws as `lockFile` */
function whileLocked<Result>(path: string, timeout: number, work: () => Result): Result {
  const lock = lockFile(`${path}-lock`, timeout);
  try {
    return work();
  } finally {
    lock.close();
  }
}

/** @throws Error if the disk only has room for a part of the text */
function writeWhole(path: string, file: number, text: string) {
  if (writeSync(file, text) < Buffer.byteLength(text))
    throw new Error(`${path} could not be written: the disk is full`);
}

/**
 * Appends lines, which are flushed to the disk when it returns. Several processes may append at the same time.
 * @param timeout as in `whileLocked`
 */
export function appendErasures(
  path: string,
  lines: readonly (Deed | KeyLine)[],
  timeout = longestLock,
): void {
  if (lines.length === 0) return;
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  whileLocked(path, timeout, () => {
    const file = openSync(path, 'a+', 0o600);
    try {
      const {size} = fstatSync(file);
      const last = Buffer.alloc(1);
      // If a full disk cut off the last line, start a new one.
      const isCut = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
      const text = `${isCut ? '\n' : ''}${lines.map((each) => `${toLine(each)}\n`).join('')}`;
      writeWhole(path, file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    syncToDisk(dirname(path));
  });
}

const timeOf = (text: string | undefined) => Date.parse(text ?? '');

function decoded(text: string): string | undefined {
  try {
    const whole = decodeURIComponent(text);
    return /\p{Cc}/u.test(whole) ? undefined : whole;
  } catch {
    return undefined;
  }
}

const named = (words: readonly string[]) =>
  Object.fromEntries(
    words.map((word) => word.split('=')).map(([name = '', text = '']) => [name, decoded(text)]),
  );

function readStop(
  line: Pick<StopLine, 'of' | 'at' | 'does'>,
  words: readonly string[],
): StopLine | undefined {
  const pairs = words.filter((each) => each.includes('='));
  const [scope = ''] = words.filter((each) => !each.includes('='));
  const more = new Map(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  const way = decoded(more.get('way') ?? '');
  // Incomplete lines are possible, because a full disk may cut one off anywhere.
  if ((line.does !== 'allow' && scope === '') || decoded(scope) === undefined || way === undefined)
    return undefined;
  return {
    ...line,
    scope,
    kind: suppressionKinds.find((kind) => kind === more.get('kind')) ?? 'number',
    askedAt: timeOf(more.get('asked')) || line.at,
    way: way === '' ? null : way,
    event: more.get('event'),
    lead: more.get('lead') ?? null,
  };
}

/** How many bytes are read at once, because the file may not fit into a string, and how much of an overlong line is kept. */
const [chunkSize, longestLine] = [1024 * 1024, 64 * 1024];

/** @throws Error if it is not a regular file: reading a pipe, for example, would never end */
export function openFile(path: string): number {
  if (!statSync(path).isFile()) throw new Error(`${path} is no file`);
  return openSync(path, 'r');
}

function* linesOf(path: string): Generator<string> {
  const file = openFile(path);
  try {
    const chunk = Buffer.alloc(chunkSize);
    let rest = '';
    for (let read = 1; read > 0;) {
      read = readSync(file, chunk);
      const lines = `${rest}${chunk.toString('latin1', 0, read)}`.split('\n');
      rest = (lines.pop() ?? '').slice(0, longestLine);
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    closeSync(file);
  }
}

/**
 * Each erased lead once, with the time of its first erasure; all else in the order of the file.
 * @returns also the number of lines that could not be read, such as one that was cut off, and the newest time
 */
export function readErasures(path: string): Lines {
  const found = new Map<string, Erasure>();
  const holds = new Map<string, LegalHold>();
  const requests = new Map<string, PrivacyRequest>();
  const lines: Lines = {erasures: [], stops: [], holds: [], requests: [], keys: [], unread: 0, lastAt: 0};
  let key: string | undefined;
  for (const text of linesOf(path)) {
    const [, subject = '', time, verb, rest = ''] = line.exec(text) ?? [];
    const at = timeOf(time);
    const words = rest.split(' ').filter(Boolean);
    const does = said.find((each) => each === verb);
    const stop = does && !Number.isNaN(at) ? readStop({of: subject, at, does}, words) : undefined;
    const hold = verb === 'keep' && holdWords.safeParse(named(words)).data;
    const request = verb === 'request' && requestWords.safeParse(named(words)).data;
    if (stop) lines.stops.push({...stop, key});
    else if (hold) holds.set(subject, {lead: subject, ...hold});
    else if (request)
      requests.set([subject, request.kind, request.enteredAt].join(' '), {lead: subject, ...request});
    else if (verb === 'key' && !Number.isNaN(at)) {
      const [dataKey, blob] = words;
      const encrypted =
        blob === undefined ? undefined : {dataKey: Number(dataKey), blob: Buffer.from(blob, 'base64url')};
      lines.keys.push({check: subject, at, encrypted});
      key = subject;
    } else if (isLeadId(subject) && !Number.isNaN(at) && ['all', undefined].includes(verb)) {
      const before = found.get(subject);
      found.set(subject, {id: subject, at: before?.at ?? at, all: verb === 'all' || before?.all === true});
    } else lines.unread += Number(text !== '');
    if (at > lines.lastAt) lines.lastAt = at;
  }
  // A store has one key, so lines above the first key line were written with that key, too.
  for (const stop of lines.stops) stop.key ??= lines.keys[0]?.check;
  const last = {holds: [...holds.values()], requests: [...requests.values()]};
  return {...lines, ...last, erasures: [...found.values()]};
}

/** A file with fewer bytes is not compacted. */
const smallFile = 1024 * 1024;

/** Leaves out lines that repeat an earlier line. */
function* withoutRepeats(path: string): Generator<string> {
  const said = new Map<string, Set<string>>();
  for (const text of linesOf(path)) {
    const [, subject = '', , verb = '', more = ''] = line.exec(text) ?? [];
    const before = said.get(subject) ?? new Set();
    // After an `allow`, a stop counts again, so it is no repeat even if an earlier line is equal.
    if (verb === 'allow') before.clear();
    else if (subject !== '' && !['key', 'keep', 'request'].includes(verb)) {
      if (before.has(`${verb}${more}`)) continue;
      said.set(subject, before.add(`${verb}${more}`));
    }
    yield `${text}\n`;
  }
}

/**
 * Compacts a large file if at least half of it repeats other lines: version 1.8 wrote lines at each press of a link. If it is
 * killed, either the former file or the new one is there.
 */
export function compactErasures(path: string): void {
  if (statSync(path).size < smallFile) return;
  whileLocked(path, longestLock, () => {
    const partial = `${path}.partial`;
    const file = openSync(partial, 'w', 0o600);
    try {
      let part = '';
      const write = () => {
        writeWhole(path, file, part);
        part = '';
      };
      for (const text of withoutRepeats(path)) {
        part += text;
        if (part.length >= chunkSize) write();
      }
      write();
      fsyncSync(file);
      if (fstatSync(file).size <= statSync(path).size / 2) {
        renameSync(partial, path);
        syncToDisk(dirname(path));
      }
    } finally {
      closeSync(file);
      rmSync(partial, {force: true});
    }
  });
}
