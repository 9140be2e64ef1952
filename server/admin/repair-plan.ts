/**
 * Compares a restored store with the file of erasures: leads erased since the backup are back, and stops since then are lost. If
 * a copy of the store, such as one for tests, has the same file, the file also lists erasures of the other store. So a plan with
 * many changes needs an operator.
 */
import {existsSync} from 'node:fs';
import {createdAtOf, isLeadId} from '../leads/lead-ids.ts';
import type {EncryptedKey, PersonStore} from '../leads/persons.ts';
import type {ReadStore} from '../leads/ports.ts';
import {endedKept, type LegalHold, type PrivacyRequest} from '../leads/privacy-requests.ts';
import {everybody, isInScopes, type StopEvent, type Suppression} from '../leads/revocation.ts';
import {
  appendErasures,
  readErasures,
  type Erasure,
  type Lines,
  type StopLine,
} from '../store/erasures-file.ts';
import {isErased} from '../store/rows.ts';
import {checkValueOf} from '../store/encryption.ts';
import {idsOf, pagesOf, type With} from './admin.ts';
import {peopleOf, senderOf} from './persons.ts';
import {isRevokedFor} from './revocations.ts';
import {counted} from './words.ts';

/** A start repairs up to `always` leads without asking; or up to `most`, if they are at most this share of the store. */
const [always, most, mostOfStore] = [20, 100, 0.01];
/** The most missing erasures and stops that may be older than the store's newest lead. In a restored store, most are newer than it. */
const mostOlder = 10;
/** Ids of one query. */
const sliceSize = 200;
/** Stands for the check value of an unknown key. */
const unknownKey = 'A'.repeat(22);
/** Stands for the reason of an operator's decision, because the file of erasures does not contain it. */
export const afterRestore = 'as before the restore';
/** For a file without a key line: says that the digests in the lines above were made with an unknown key. */
const unknownKeyAt = ({lastAt: at}: Pick<Lines, 'lastAt'>) => ({check: unknownKey, at, encrypted: undefined});

/** The state that a digest must have: its last stop, and the operator's decision after that stop, if there was one. */
type Wanted = {stop: StopLine; allow: StopLine | undefined};

/**
 * What the file of erasures lists and the store lacks.
 * - `adopts`: keys of the digests that the store lacks, the newest first
 * - `toErase`, `toRevoke`: missing erasures, and missing stops of leads. `suppress`: digests that must be held again
 * - `holds`, `requests`: lawsuits and privacy requests that the store lacks, or has in an older state
 * - `leads`: ids of all leads that would be erased or stopped. `acts`: how many of all these are missing. `older`: how many of
 *   the erasures and stops are older than the newest lead
 * - `unheld`: how many numbers cannot be held, because the key of their digests is unknown. `byLeads`: leads of such stops,
 *   through whose own numbers they can be held
 * - `isKeyUnknown`: the file has digests without a key, and the store has no key either, so they were made with another one
 */
export type Repair = Pick<Lines, 'keys' | 'holds' | 'requests' | 'unread' | 'lastAt'> & {
  path: string;
  adopts: readonly EncryptedKey[];
  toErase: Erasure[];
  toRevoke: StopLine[];
  suppress: Wanted[];
  history: StopEvent[];
  byLeads: StopLine[];
  leads: ReadonlySet<string>;
  total: number;
  acts: number;
  older: number;
  unheld: number;
  isKeyUnknown: boolean;
};

/** Makes the plan and changes nothing. Undefined if there is no file. */
export async function planRepair({store, config}: With<ReadStore, 'config'>): Promise<Repair | undefined> {
  const {erasuresFile: path} = config;
  if (path === undefined || !existsSync(path)) return undefined;
  const {erasures, stops, ...file} = readErasures(path);
  const own = await store.personKey();
  const keysHere = config.dataKeys.map(checkValueOf);
  const openable = file.keys
    .filter((key) => key.encrypted && keysHere.includes(key.encrypted.dataKey))
    .toReversed();
  const adopts = own ? [] : openable.flatMap((key) => key.encrypted ?? []);
  const check = own?.check ?? openable[0]?.check;
  const isUsable = ({key}: StopLine) => check !== undefined && (key === undefined || key === check);
  const ofDigests = stops.filter(({of}) => !isLeadId(of));
  const ofLeads = stops.filter(({of}) => isLeadId(of));
  const leads = new Set<string>();
  const toErase = await missingErasures({store}, erasures);
  for (const {id} of toErase) leads.add(id);
  const toRevoke = await missingStops({store}, ofLeads);
  for (const {of} of toRevoke) leads.add(of);
  const known = new Map((await store.suppressions()).map((one) => [`${one.digest} ${one.scope}`, one]));
  const suppress = wantedOf(ofDigests.filter(isUsable)).filter((one) =>
    isMissing(one, known.get(`${one.stop.of} ${one.stop.scope}`)),
  );
  const unusable = ofDigests.filter((one) => !isUsable(one));
  const lost = await lostNumbers({store}, unusable, ofLeads, known);
  for (const one of suppress) for (const id of await leadsOf({store}, one)) leads.add(id);
  const said = stops.filter((one) => isLeadId(one.of) || isUsable(one));
  const holds = await missingHolds({store}, file.holds);
  const requests = await missingRequests({store}, file.requests);
  const history = await missingEvents({store}, said.flatMap(eventsOf));
  const [newest] = await store.listOutlines({}, {limit: 1});
  // One stop has up to seven lines, all of the same time.
  const stopped = new Set([...toRevoke, ...suppress.map(({stop, allow}) => allow ?? stop)].map(({at}) => at));
  const times = [...toErase.map(({at}) => at), ...stopped];
  const older = times.filter((at) => newest !== undefined && at < createdAtOf(newest.id)).length;
  return {
    ...file,
    path,
    adopts,
    toErase,
    toRevoke,
    suppress,
    history,
    holds,
    requests,
    leads,
    ...lost,
    total: await store.countLeads({}),
    acts: times.length + holds.length + requests.length,
    older,
    isKeyUnknown: check === undefined && file.keys.length === 0 && ofDigests.length > 0,
  };
}

/**
 * Gives the store the key of the file's digests, and digests to leads without them, which stops then find. Changes no lead.
 * @returns the plan, which may then have more leads
 */
export async function prepareRepair(beside: With<ReadStore & PersonStore, 'config'>, first: Repair) {
  const {store} = beside;
  // Marks the digests in the file as made with an unknown key, before the store makes a key of its own.
  if (first.isKeyUnknown) appendErasures(first.path, [unknownKeyAt(first)]);
  for (const key of first.adopts) if (await store.adoptPersonKey(key)) break;
  // Makes a key for the store if none of these could be decrypted.
  if (first.adopts.length > 0) await store.digestsOfPeople([]);
  if (first.acts > 0) for (let isDone = false; !isDone;) isDone = await store.writeDigests(0);
  const isOld = first.adopts.length > 0 || first.isKeyUnknown || first.acts > 0;
  return (isOld && (await planRepair(beside))) || first;
}

/** Filters a long list in slices, because each slice is one query. `work` returns the items to keep. */
async function inSlices<Item>(
  items: readonly Item[],
  work: (slice: readonly Item[]) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const kept: Item[] = [];
  for (let index = 0; index < items.length; index += sliceSize)
    kept.push(...(await work(items.slice(index, index + sliceSize))));
  return kept;
}

const missingErasures = ({store}: With<ReadStore>, erasures: readonly Erasure[]) =>
  inSlices(erasures, async (slice) => {
    const ids = idsOf(slice);
    const [records, kept] = [await store.findRecords(ids), await store.keptConsents(ids)];
    return slice.filter(({id, all}) => {
      const record = records.get(id);
      return record && (!isErased(record) || (all && kept.has(id)));
    });
  });

const missingStops = ({store}: With<ReadStore>, stops: readonly StopLine[]) =>
  inSlices(stops, async (slice) => {
    const records = await store.findRecords(slice.map(({of}) => of));
    return slice.filter(({of, scope}) => {
      const record = records.get(of);
      return record && isInScopes(senderOf(record), [scope]) && !isRevokedFor(record, [scope]);
    });
  });

const missingEvents = ({store}: With<ReadStore>, events: readonly StopEvent[]) =>
  inSlices(events, async (slice) => {
    const known = new Set(idsOf(await store.stopEvents({ids: idsOf(slice)})));
    return slice.filter(({id}) => !known.has(id));
  });

async function missingHolds({store}: With<ReadStore>, holds: readonly LegalHold[]) {
  const now = Date.now();
  const known = new Map((await store.legalHolds(now)).map((hold) => [hold.lead, hold]));
  return ofLeadsHere({store}, holds, ({lead, until, enteredAt}) => {
    const hold = known.get(lead);
    return hold ? hold.enteredAt < enteredAt : until > now;
  });
}

/** Includes ended requests until they expire. Leaves out waiting ones that an erasure has ended, for which the file may have no line. */
async function missingRequests({store}: With<ReadStore>, requests: readonly PrivacyRequest[]) {
  const nameOf = ({lead, kind, enteredAt}: PrivacyRequest) => [lead, kind, enteredAt].join(' ');
  const known = new Map((await store.requests()).map((one) => [nameOf(one), one]));
  return ofLeadsHere({store}, requests, (one, isGone) => {
    const row = known.get(nameOf(one));
    if (row) return row.endedAt === null && (one.endedAt !== null || one.askedAt < row.askedAt);
    return one.endedAt === null ? one.kind === 'know' || !isGone : one.endedAt > Date.now() - endedKept;
  });
}

/** @param isMissing `isGone`: whether the lead is erased */
const ofLeadsHere = <One extends {lead: string}>(
  {store}: With<ReadStore>,
  all: readonly One[],
  isMissing: (one: One, isGone: boolean) => boolean,
) =>
  inSlices(all, async (slice) => {
    const records = await store.findRecords(slice.map(({lead}) => lead));
    return slice.filter((one) => {
      const record = records.get(one.lead);
      return record !== undefined && isMissing(one, isErased(record));
    });
  });

/** For each digest and scope, the last stop or question, and what an operator decided after it. */
function wantedOf(lines: readonly StopLine[]): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const line of lines) {
    if (line.does === 'again') continue;
    if (line.does !== 'allow') {
      const key = `${line.of} ${line.scope}`;
      const before = wanted.get(key);
      // A question by another person does not replace the stop of the number itself.
      if (line.does === 'ask' && before?.stop.does === 'stop' && !before.allow) continue;
      const isSame = before && !before.allow && before.stop.does === line.does;
      if (!isSame) wanted.set(key, {stop: line, allow: undefined});
    } else
      for (const one of wanted.values())
        if (one.stop.of === line.of && ['', one.stop.scope].includes(line.scope)) one.allow = line;
  }
  return [...wanted.values()];
}

function isMissing({stop, allow}: Wanted, row: Suppression | undefined): boolean {
  if (!row) return true;
  // Not missing if the store has this decision already, or has a stop that is newer than the decision.
  if (allow) return row.decidedAt === null && row.since <= allow.at;
  return row.decidedAt === null
    ? stop.does === 'stop' && row.kind === 'number' && row.askedAt !== null
    : row.decidedAt < stop.at;
}

/**
 * The leads that the stop of a number revokes, including those stored after it, up to an operator's decision. Leads that were
 * stopped by a link have lines of their own in the file.
 */
export async function leadsOf({store}: With<ReadStore>, {stop, allow}: Wanted): Promise<string[]> {
  if (stop.kind !== 'number' || stop.does !== 'stop') return [];
  const [ids, scopes] = [[] as string[], [stop.scope]];
  const filter = {digest: stop.of, until: allow?.at};
  for await (const leads of pagesOf((page) => store.listLeads(filter, page)))
    for (const lead of leads)
      if (!('unreadable' in lead) && isInScopes(senderOf(lead), scopes) && !isRevokedFor(lead, scopes))
        ids.push(lead.id);
  return ids;
}

/**
 * Digests made with an unknown key match no lead. A number is still held if the store has a lead of the same stop.
 * @returns `unheld`: how many numbers remain unknown; `byLeads`: lines of leads whose numbers must be held
 */
async function lostNumbers(
  {store}: With<ReadStore>,
  lost: readonly StopLine[],
  ofLeads: readonly StopLine[],
  known: ReadonlyMap<string, Suppression>,
) {
  const nameOf = ({of, scope}: StopLine) => `${of} ${scope}`;
  const wanted = wantedOf(lost.filter(({kind, does}) => kind === 'number' || does === 'allow'));
  const open = new Set(wanted.flatMap(({stop, allow}) => (allow ? [] : [nameOf(stop)])));
  const isOpen = (one: StopLine) => open.has(nameOf(one)) && !known.has(nameOf(one));
  const lines = lost.filter((one) => one.does !== 'allow' && isOpen(one));
  /** All lines of one stop have the same time. If it only asked about its numbers, the lead's number is only asked about, too. */
  const stops = Map.groupBy(lines, ({at}) => at);
  const same = ofLeads.filter(({at}) => stops.has(at));
  const ids = same.map((line) => line.of);
  const {people} = await peopleOf({store}, ids);
  const phones = new Set([...people.values()].flatMap(({phone}) => phone ?? []));
  const byLeads: StopLine[] = [];
  for (const line of same) {
    const {phone} = people.get(line.of) ?? {};
    const {phone: digest} = (await store.blindIndexes({phone})).digests;
    const numbers = stops.get(line.at) ?? [];
    const does = numbers.some((one) => one.does === 'stop') ? 'stop' : 'ask';
    // A stop for one partner also covers the callers who send for the same client, so it has two scopes.
    for (const scope of new Set(numbers.map((one) => one.scope)))
      if (phone !== undefined && !known.has(`${digest} ${scope}`)) byLeads.push({...line, scope, does});
  }
  return {unheld: Math.max(0, new Set(lines.map(({of}) => of)).size - phones.size), byLeads};
}

function eventsOf({of, at, does, scope, askedAt, way, event, lead}: StopLine): StopEvent[] {
  if (event === undefined) return [];
  return [
    {
      id: event,
      kind: does === 'again' ? 'ask' : does,
      digest: isLeadId(of) ? '' : of,
      scope: scope || everybody,
      lead,
      askedAt,
      enteredAt: at,
      way,
      reason: does === 'allow' ? afterRestore : null,
    },
  ];
}

export const isNothing = ({acts, history, byLeads, adopts, isKeyUnknown}: Repair) =>
  acts + history.length + byLeads.length + adopts.length === 0 && !isKeyUnknown;

/** How many numbers are held or allowed again. */
export const numbersOf = ({suppress}: Repair) =>
  new Set(suppress.flatMap(({stop: {kind, of}}) => (kind === 'number' ? [of] : []))).size;

/** The words for what the repair would do. */
export const repairWords = (repair: Repair): string => {
  const [erased, all] = [repair.toErase.length, repair.leads.size];
  const known = `${counted(repair.holds.length, 'lawsuit')} and ${counted(repair.requests.length, 'request')} known again`;
  return `${counted(erased, 'lead')} erased again, the consents of ${counted(all - erased, 'lead')} and ${counted(numbersOf(repair), 'number')} revoked again, and ${known}`;
};

/** Why a start leaves this repair to an operator. Undefined if the start may do it. */
export function whyTooMuch(repair: Repair): string | undefined {
  const {path, leads, total, acts, holds, requests, older} = repair;
  const isMuch = leads.size > always && (leads.size > most || leads.size > total * mostOfStore);
  if (!isMuch && older <= mostOlder) return undefined;
  const why = isMuch
    ? `That concerns ${leads.size.toLocaleString('en-US')} of ${counted(total, 'lead')}`
    : `${older} of these ${acts - holds.length - requests.length} erasures and stops are older than the newest lead`;
  return `By the file of erasures ${path}, there would be ${repairWords(repair)}. ${why}, so this may be a copy that only has the file of another store: then give it a file of its own (erasures_file). If the store was restored, "lead-prequal store repair" does it, and then start again`;
}

/** Warnings about what cannot be repaired, or may be wrong, each as a sentence. @param repair undefined if there is no file */
export async function repairDoubts(beside: With<ReadStore, 'config'>, repair?: Repair): Promise<string[]> {
  const {store, config} = beside;
  const {erasuresFile: path, databaseUrl} = config;
  if (path === undefined)
    return databaseUrl
      ? [
          'erasures_file names no file: after a restore of PostgreSQL, whoever was erased since is back, and whoever said stop is called again',
        ]
      : [];
  if (!repair) {
    const wasThere = (await store.erasuresKnown()).wasWritten || (await store.suppressions()).length > 0;
    const gone = `There is no file of erasures at ${path}, and there was one: after a restore, whoever was erased since is back, and whoever said stop is called again. Put it back, or correct erasures_file`;
    return wasThere ? [gone] : [];
  }
  const {unread, unheld} = repair;
  return [
    ...(unread > 0 ? [`${counted(unread, 'line')} of the file of erasures ${path} cannot be read`] : []),
    ...(unheld > 0
      ? [
          `${counted(unheld, 'number')} of the file of erasures ${path} cannot be held: the key of their digests is not known here. Later leads with them go out`,
        ]
      : []),
  ];
}
