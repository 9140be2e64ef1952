/**
 * The status of the server, its store, its destinations and its partners, with findings about what an operator must see to. Facts
 * that only a running server knows come from the reports that each process stores (reload/reloads.ts).
 */
import {z} from 'zod';
import {routeOf} from '../config/callers.ts';
import type {Config, ConfigError} from '../config/config.ts';
import {referenceOf} from '../../contract/reference.ts';
import {clearWord} from '../config/data-keys.ts';
import {digestOf} from '../config/reloaded.ts';
import {dayLength} from '../config/timings.ts';
import type {KeyStore} from '../leads/data-keys.ts';
import {openStates} from '../leads/deliveries.ts';
import {doubtsOf, type EvidenceStore} from '../leads/evidence.ts';
import type {FigureStore} from '../leads/figures.ts';
import {leadDoubts, mayTakeNone, type LeadDoubt} from '../leads/lead-doubts.ts';
import type {UnreadableLead, LeadReader} from '../leads/lead-filter.ts';
import {expectsConsent} from '../leads/caller-consent.ts';
import {createdAtOf, isLeadId} from '../leads/lead-ids.ts';
import type {AlertPort, LeadPort, ReadStore} from '../leads/ports.ts';
import {explained} from '../observe/causes.ts';
import {readDisk} from '../observe/readings.ts';
import type {RefusalCount} from '../observe/refusals.ts';
import {goneAfter, type ProcessReport, type ReloadStore} from '../reload/reloads.ts';
import {startOfDay, type RequestStore} from '../versions/request-counts.ts';
import {destinationRow, listDestinations, wrongOf, type DestinationRow} from './destinations.ts';
import {daysLooked, fellSilent, formUse, formUseOf} from './form-use.ts';
import {count, isoTime, time, type With} from './admin.ts';
import {keyName} from './keys.ts';
import {unreadableText} from './lead-names.ts';
import {undecidedNumbers} from './stops.ts';
import {deadline, lateAfter, readUnheard} from './unheard.ts';
import {listRequests} from './privacy-requests.ts';
import {ago, bytes, clockTime, counted, dayOf, lasting, localDay, midnight} from './words.ts';

/** The share of free space below which the disk with the SQLite file counts as almost full. */
const lowDisk = 0.05;
/** An hour with this many leads of a partner, and this many times the usual number, is a wave. Fewer can be checked by hand. */
const [leastOfWave, timesOfWave] = [50, 10];
/** How many past days are averaged for the usual number of leads in an hour. */
const usualDays = 7;
const hour = 3_600_000;
/** How many leads of callers are checked for a consent. Each must be decrypted, and the status is read every few seconds. */
const maxOpened = 200;
/** The maximum number of undecided numbers that have a finding each. */
const maxNamed = 20;

const ofServer = ['server', 'store', 'disk', 'process', 'configuration', 'evidence', 'alert'] as const;
const ofDestination = ['stop', 'destination', 'late', 'stopped', 'overdue'] as const;
const ofPartner = [
  'partner',
  'wave',
  'consents',
  'unheard',
  'unmailed',
  'uncallable',
  'texts',
  'rules',
  'unnamed',
  'untaken',
] as const;
const ofLead = ['unreadable', 'held', 'asked', 'erasure', 'suspects'] as const;

/**
 * Something that is wrong.
 * - `subject`: a destination's name, a partner's key, `-` for the callers, or a lead's id; null if it is about none
 * - `text`: a sentence without its full stop
 * - `remedy`: what to do about it
 */
const finding = z.object({
  level: z.enum(['down', 'degraded', 'warning']),
  kind: z.enum([...ofServer, ...ofDestination, ...ofPartner, ...ofLead]),
  subject: z.string().nullable(),
  text: z.string(),
  remedy: z.string().nullable(),
});
export type Finding = z.infer<typeof finding>;

/** Whether alerts by e-mail (alerts.ts) include a finding: it needs somebody soon, or waits for a decision. */
export const isTold = ({level, kind}: Finding): boolean =>
  kind !== 'alert' && (level !== 'warning' || kind === 'held' || kind === 'erasure');

/** The name under which findings count as one problem. All findings of a kind about leads are one. */
export const troubleOf = ({kind, subject}: Finding): string =>
  subject === null || isLeadId(subject) ? kind : `${kind} ${subject}`;

/**
 * For each kind of finding, the operators' page to look at and the label of the button that leads there. Kinds without a page are
 * repaired on the server.
 */
export const placeOf: Partial<
  Record<Finding['kind'], (subject: string) => readonly [to: string, words: string]>
> = {
  stop: (name) => [`/destinations#${name}`, 'Look'],
  destination: (name) => [`/destinations#${name}`, 'Look'],
  late: (name) => [`/destinations#${name}`, 'Look'],
  stopped: () => ['/leads?open=any', 'Look'],
  held: () => ['/leads?open=held', 'Look'],
  suspects: () => ['/leads?open=held', 'Look'],
  asked: (lead) => [`/leads/${lead}`, 'Decide'],
  erasure: (lead) => [`/leads/${lead}`, 'Decide'],
  unreadable: (lead) => [`/leads/${lead}`, 'Look'],
  partner: (key) => [`/leads?partner=${key}`, 'Look'],
  wave: (key) => [`/leads?partner=${key}`, 'Look'],
  consents: () => ['/leads?partner=-', 'Look'],
  untaken: (key) => [`/leads?partner=${key}`, 'Look'],
};

/** The whole finding in one line. */
export const inOneLine = ({text, remedy}: Pick<Finding, 'text' | 'remedy'>): string =>
  remedy === null ? text : `${text}${/^[a-z"]/.test(remedy) ? ': ' : '. '}${remedy}`;

/** Makes a finding of a sentence and a remedy. */
const found = (
  [level, kind, subject = null]: readonly [Finding['level'], Finding['kind'], (string | null)?],
  text: string,
  remedy: string | null = null,
): Finding => ({level, kind, subject, text, remedy});

/**
 * - `partner`: null for the callers of `/json/leads`
 * - `refusals`: refused requests since the start of the servers; null if no server reports them
 * - `refused_for`: the most frequent reason
 * - `leads_last_hour`: in the last 60 minutes. `usual_hour`: the mean for these 60 minutes on the last seven days
 * - `form`: null for the callers
 */
const partnerRow = z.object({
  partner: z.string().nullable(),
  leads_today: count,
  leads_yesterday: count,
  leads_last_hour: count,
  usual_hour: count,
  refusals: count.nullable(),
  refused_for: z.string().nullable(),
  last_lead_at: time.nullable(),
  silent: z.boolean(),
  form: formUse.nullable(),
});
export type PartnerRow = z.infer<typeof partnerRow>;

export const status = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  findings: z.array(finding),
  server: z.enum(['ok', 'degraded', 'refusing', 'away', 'unknown']),
  store: z.string(),
  disk: z.object({free_bytes: count, size_bytes: count}).nullable(),
  processes: z.array(
    z.object({
      name: z.string(),
      configuration: z.string(),
      since: time.nullable(),
      faults: z.array(z.string()),
    }),
  ),
  destinations: z.array(destinationRow),
  partners: z.array(partnerRow),
  unreadable_leads: z.array(z.object({id: z.string(), reference: z.string(), reason: z.string()})),
});
export type Status = z.infer<typeof status>;

const nothingSeen = {disk: null, processes: [], destinations: [], partners: [], unreadable_leads: []};

type StatusStore = ReadStore &
  RequestStore &
  KeyStore &
  EvidenceStore &
  ReloadStore &
  AlertPort &
  Pick<LeadPort, 'consentTexts'>;

type Around = {
  config: Config;
  /** The server's answer to a request for its health (observe/ask-server.ts). */
  server: Status['server'];
  /** Opens the store for `work`. @throws Error that says why it cannot be opened */
  withStore: <Result>(work: (store: StatusStore) => Promise<Result>) => Promise<Result>;
  /** Faults that would stop the next start, and settings without effect (check-start.ts). */
  checkStart: () => Promise<readonly {level: 'fault' | 'warning' | 'note'; text: string}[]>;
  /** Leaves out slow checks that alerts do not use. Throws errors of the store: unread problems must not seem to be over. */
  forAlerts?: boolean;
};

export async function readStatus(around: Around): Promise<Status> {
  const {config, server, withStore, checkStart, forAlerts} = around;
  const disk = await readDisk(config);
  const seen: Omit<Status, 'status'> = {
    ...nothingSeen,
    findings: [...serverFindings(server, config), ...diskFindings(disk)],
    server,
    store: config.databaseUrl ? 'PostgreSQL' : config.databasePath,
    disk: disk ? {free_bytes: disk.free, size_bytes: disk.size} : null,
  };
  let texts: Parameters<typeof leadDoubts>[1];
  await withStore(async (store) => {
    texts = await store.consentTexts();
    const processes = await store.processes(Date.now() - goneAfter);
    seen.destinations = (await listDestinations({store, config})).map((row) => asServersSee(row, processes));
    seen.partners = await readPartners({store, config}, processes);
    seen.processes = processes.map(({name, digest, inForceSince, faults}) => ({
      name,
      configuration: digest,
      since: isoTime(inForceSince),
      faults: [...faults],
    }));
    const unreadable = await store.unreadableLeads(Date.now());
    const unsent = config.alerts ? await store.alertFailures() : [];
    seen.unreadable_leads = unreadable.map(({id, unreadable: reason}) => {
      return {id, reference: referenceOf(id), reason};
    });
    const held = await store.countHeld();
    seen.findings.push(
      ...(await readUnheard({store, config})).map(({destination, text, remedy}) =>
        found(['degraded', 'stop', destination], text, remedy),
      ),
      ...seen.destinations.flatMap((row) => destinationFindings(row, held)),
      ...suspectFindings(held),
      ...overdueFindings(processes),
      ...unsent.map(unsentFinding),
      ...seen.partners.flatMap(partnerFindings),
      ...processFindings(processes, config),
      ...unreadable.map(unreadableFinding),
      ...(await untakenFindings({store, config})),
      ...(forAlerts ? [] : await consentFindings({store, config})),
      ...(await keyFindings({store, config})),
      ...(await clearFindings({store})),
      ...(await visitorFindings({store})),
      ...doubtsOf(await store.evidenceKeys()).map(({text, remedy}) =>
        found(['warning', 'evidence'], text, remedy),
      ),
    );
  }).catch((error: unknown) => {
    if (forAlerts) throw error;
    seen.store = 'failing';
    const {text, remedy} = explained(error instanceof Error ? error.message : String(error));
    seen.findings.push(found(['down', 'store'], text, remedy));
  });
  const doubts = leadDoubts(config, texts);
  const fromCallers = seen.partners.some(({partner}) => partner === null);
  seen.findings.push(...doubts.map((doubt) => doubtFinding(doubt, fromCallers)));
  const said = new Set(doubts.map(inOneLine));
  for (const {level, text} of await checkStart())
    if (level !== 'note' && !said.has(text))
      seen.findings.push(found([level === 'fault' ? 'degraded' : 'warning', 'configuration'], text));
  return {status: levelOf(seen), ...seen};
}

/** Whether nothing is wrong, and somebody is told of each lead. */
export const isWell = ({status, findings}: Pick<Status, 'status' | 'findings'>): boolean =>
  status === 'ok' && findings.every(({kind}) => kind !== 'unheard');

function levelOf({findings, server}: Pick<Status, 'findings' | 'server'>): Status['status'] {
  const levels = findings.map(({level}) => level);
  if (levels.includes('down')) return 'down';
  return levels.includes('degraded') || server === 'degraded' ? 'degraded' : 'ok';
}

/** The status where the configuration cannot be read. */
export const unconfigured = ({faults}: ConfigError): Status => ({
  status: 'down',
  findings: faults.map((text) => found(['down', 'configuration'], text)),
  server: 'unknown',
  store: 'unknown',
  ...nothingSeen,
});

/** `degraded` if nobody is told of new leads. Leads of callers count only once there are some: callers know what they sent. */
function doubtFinding({kind, subject, text, remedy}: LeadDoubt, fromCallers: boolean): Finding {
  const isBad = kind === 'unheard' && (subject === null || fromCallers);
  return found([isBad ? 'degraded' : 'warning', kind, subject], text, remedy);
}

/** A degraded server has no finding here, because the findings about its destinations say why. */
function serverFindings(state: Status['server'], {host, port}: Config): Finding[] {
  const away = `No server answers at ${host}:${port}`;
  if (state === 'away') return [found(['down', 'server'], away, 'Start it, and read its log if it ends.')];
  if (state === 'refusing')
    return [found(['down', 'server'], 'The server takes no leads now', 'Its log says why.')];
  const unknown = 'The server cannot be asked, because PORT is 0.';
  return state === 'unknown' ? [found(['warning', 'server'], unknown)] : [];
}

/** Findings about processes that do not use the configuration in the files. */
function processFindings(processes: readonly ProcessReport[], config: Config): Finding[] {
  const now = digestOf(config);
  return processes.flatMap(({name, digest, faults}): Finding[] => {
    if (faults.length > 0)
      return [found(['degraded', 'process'], `${name} refused its configuration: ${faults.join('; ')}`)];
    if (digest === now) return [];
    const text = `${name} has another configuration in force than the one that is configured here`;
    const remedy = '"lead-prequal reload", or a restart, puts this one in force';
    return [found(['warning', 'process'], text, remedy)];
  });
}

/**
 * Warns of leads that callers sent in the last day without a consent, where one is expected: a partner of the client has a
 * consent text, or other leads of the client have a consent.
 */
async function consentFindings({store, config: {partners}}: With<LeadReader, 'config'>): Promise<Finding[]> {
  const page = await store.listLeads({partner: null, since: Date.now() - dayLength}, {limit: maxOpened});
  const leads = page.filter((lead) => 'consent' in lead);
  const clients = new Set(leads.filter(({consent}) => consent).map(({lead}) => lead.cid));
  const lacking = leads.filter(
    (lead) => !lead.consent && (clients.has(lead.lead.cid) || expectsConsent(partners, lead)),
  );
  if (lacking.length === 0) return [];
  const among = `${page.length < maxOpened ? 'the' : 'the newest'} ${counted(leads.length, 'lead')}`;
  const text = `${lacking.length} of ${among} that callers sent in the last 24 hours came without a consent`;
  return [found(['warning', 'consents'], text, 'see "lead-prequal leads list --partner -"')];
}

/** Leads of the last day that no rule of `send_to` matched. Only for senders without a rule that matches every lead. */
async function untakenFindings({store, config}: With<FigureStore, 'config'>): Promise<Finding[]> {
  const {partners, callers} = config;
  const keys = partners.filter(mayTakeNone).map(({key}) => key);
  const cids = callers.filter((caller) => mayTakeNone(routeOf(caller))).flatMap((caller) => caller.cids);
  if (keys.length + cids.length === 0) return [];
  const untaken = await store.countUntaken(Date.now() - dayLength, keys, cids);
  return untaken.map(({partner, leads, newest}) => {
    const text = `No rule of send_to took ${counted(leads, 'lead')} of ${partner ?? 'callers'} in the last 24 hours, the last one ${referenceOf(newest)}: nobody was told`;
    const remedy = `"lead-prequal routes try ${referenceOf(newest)}" says why`;
    return found(['degraded', 'untaken', partner ?? '-'], text, remedy);
  });
}

/** Warns if the data key that a server made itself was not copied, because no backup has it. */
async function keyFindings({store, config}: With<KeyStore, 'config'>): Promise<Finding[]> {
  const {dataKeys, dataKeyFile} = config;
  if (dataKeyFile === undefined) return [];
  const key = keyName(dataKeys[0]);
  if ((await store.keyUses()).some((use) => use.key === key && use.savedAt !== null)) return [];
  const text = `Without the data key in ${dataKeyFile} nobody can read a lead, and it is in no backup`;
  const remedy = 'copy it to a safe place, then run "lead-prequal keys saved"';
  return [found(['warning', 'configuration'], text, remedy)];
}

/** Warns of unencrypted data of earlier versions. Reading `keyUses` also tells this process once there is no such data left to read. */
async function clearFindings({store}: With<KeyStore>): Promise<Finding[]> {
  if (!(await store.keyUses()).some(({key}) => key === clearWord)) return [];
  const text =
    'Data that a version before 2.0 stored in clear is not encrypted yet, or still in the file of the database';
  const remedy =
    'A server encrypts it while it works. If this stays for hours, its log says why, such as a disk that lacks room.';
  return [found(['warning', 'store'], text, remedy)];
}

/** A privacy request that is due within this time is `degraded`, and not only a warning. */
const urgentBefore = 10 * dayLength;

/** Findings about people who wait for an operator's decision. */
async function visitorFindings({store}: With<ReadStore>): Promise<Finding[]> {
  const [held, [oldest, ...others]] = [await store.heldLeads(), await listRequests({store})];
  const findings: Finding[] = [];
  if (held.length > 0) {
    const many = counted(held.length, 'lead is', 'leads are');
    const text = `${many} held, because somebody with the number revoked a consent`;
    findings.push(found(['warning', 'held'], text, 'see "lead-prequal consent list --revoked"'));
  }
  for (const {askedAt, leads} of await undecidedNumbers({store}, maxNamed)) {
    const [newest] = leads;
    if (askedAt === null || !newest) continue;
    const {id} = newest;
    const many = counted(leads.length, 'lead');
    const text = `Somebody with another address asked to stop the number of ${referenceOf(id)} (${many}): decide by ${deadline(askedAt)}`;
    const remedy = `"lead-prequal consent revoke" with this number stops all of them, and "lead-prequal consent allow" with it and a reason lets them be called`;
    findings.push(found(['degraded', 'asked', id], text, remedy));
  }
  if (oldest?.due_at) {
    const due = Date.parse(oldest.due_at);
    const many = counted(others.length + 1, 'request of a person waits', 'requests of people wait');
    const text = `${many}, the first since ${dayOf(oldest.requested_at)}, to ${oldest.kind} ${oldest.reference}: answer it by ${localDay(due)}`;
    const level = due - Date.now() < urgentBefore ? 'degraded' : 'warning';
    findings.push(found([level, 'erasure', oldest.id], text, 'see "lead-prequal leads requests"'));
  }
  return findings;
}

/** The finding for a lead that could not be read in the last day, by somebody or by the retention job. */
const unreadableFinding = (lead: UnreadableLead): Finding =>
  found(
    ['degraded', 'unreadable', lead.id],
    unreadableText(lead).replace(/\.$/, ''),
    `Give back its data key, restore a backup of it, or erase it: "lead-prequal leads erase ${lead.id}".`,
  );

function diskFindings(disk: Awaited<ReturnType<typeof readDisk>>): Finding[] {
  if (!disk || disk.free >= disk.size * lowDisk) return [];
  const text = `The disk of the database is almost full: ${bytes(disk.free)} of ${bytes(disk.size)} are free`;
  return [found(['degraded', 'disk'], text, 'Free some space.')];
}

function unsentFinding(reason: string): Finding {
  const {text, remedy} = explained(reason);
  return found(['degraded', 'alert'], `An alert could not be sent to alerts_to: ${text}`, remedy);
}

type Held = Awaited<ReturnType<FigureStore['countHeld']>>;

/** @param held deliveries that are left out here: an operator decides about their leads, so these have findings of their own */
function destinationFindings(row: DestinationRow, held: Pick<Held, 'deliveries'>): Finding[] {
  const {destination, state, late_seconds: late} = row;
  const waiting = row.waiting > 0 && counted(row.waiting, 'delivery is', 'deliveries are');
  const findings: Finding[] = [];
  if (state !== 'ok') {
    const from = row.since === null ? undefined : Date.parse(row.since);
    const when = from === undefined ? '' : ` since ${clockTime(from)} (${ago(from)})`;
    const many = waiting ? `, and ${waiting} waiting` : '';
    const {text, remedy} = explained(wrongOf(row));
    const why = text === '' ? '' : `: ${text}`;
    const words = `${destination} is ${state}${when}${many}${why}`;
    findings.push(found(['degraded', 'destination', destination], words, remedy));
  } else if (late * 1_000 > lateAfter) {
    const text = `${destination} is late by ${lasting(late * 1_000)}, and ${waiting} waiting`;
    findings.push(found(['degraded', 'late', destination], text));
  }
  const withLeads = held.deliveries.find((each) => each.destination === destination)?.deliveries ?? 0;
  const stopped = openStates
    .filter((name) => name !== 'waiting')
    .map((name) => [name, row[name] - (name === 'held' ? withLeads : 0)] as const)
    .filter(([, deliveries]) => deliveries > 0);
  if (stopped.length > 0) {
    const many = stopped.map(([name, deliveries]) => `${deliveries} ${name}`).join(', ');
    const text = `${destination} has deliveries that wait for an operator (${many})`;
    const remedy = `see "lead-prequal deliveries list --destination ${destination}"`;
    findings.push(found(['degraded', 'stopped', destination], text, remedy));
  }
  return findings;
}

function suspectFindings({leads, oldest}: Held): Finding[] {
  if (oldest === null) return [];
  const since = createdAtOf(oldest);
  const text = `Leads are held as a bot's (${leads} since ${clockTime(since)}, for ${ago(since)})`;
  return [found(['degraded', 'suspects'], text, 'see "lead-prequal deliveries list --state held"')];
}

const whyKept: Readonly<Record<string, readonly [why: string, remedy: string | null]>> = {
  unreadable: [
    'what cannot be opened stays until you decide',
    'give back its data key, or erase it by "lead-prequal leads erase", or all of a lost key by "lead-prequal keys forget"',
  ],
  duplicate: ['the answer of an original stays until the last of its duplicates has gone', null],
  lawsuit: ['a lawsuit keeps what "lead-prequal leads keep" has named', null],
};

/** Why leads are kept past their retention, by the newest run of the retention job. Each process checks all leads. */
function overdueFindings(processes: readonly ProcessReport[]): Finding[] {
  const readings = processes.flatMap(({overdue}) => overdue ?? []);
  const newest = readings.toSorted((one, other) => other.sweptAt - one.sweptAt)[0];
  return (newest?.counts ?? []).map(({destination, reason, leads, erasedFrom}) => {
    const [why, remedy] = whyKept[reason] ?? [
      `${destination} has ${reason} deliveries of them`,
      `see "lead-prequal deliveries list --destination ${destination} --state ${reason}". From ${localDay(erasedFrom)} on, they are erased, and these deliveries dropped`,
    ];
    const text = `${counted(leads, 'lead is', 'leads are')} kept past the time of retention, because ${why}`;
    const level = reason === 'lawsuit' ? 'warning' : 'degraded';
    return found([level, 'overdue', destination === '-' ? null : destination], text, remedy);
  });
}

function partnerFindings({partner, silent, last_lead_at, form, ...row}: PartnerRow): Finding[] {
  const [who, subject] = [partner ?? 'The callers', partner ?? '-'];
  const {leads_last_hour: leads, usual_hour: usual} = row;
  if (leads >= Math.max(leastOfWave, timesOfWave * usual)) {
    const text = `${who} sent many leads: ${leads} within an hour, and ${usual} are usual`;
    const remedy = `Bots may have sent them: see "lead-prequal leads list --partner ${subject}"`;
    return [found(['degraded', 'wave', subject], text, remedy)];
  }
  const silence =
    silent && `${who} fell silent: the last lead came ${ago(Date.parse(last_lead_at ?? ''))} ago`;
  const text = form?.unbegun_since
    ? `Nobody has begun the form of ${who} since ${form.unbegun_since}`
    : silence;
  if (!text) return [];
  return [found(['degraded', 'partner', subject], text, "Look at the form on the partner's page.")];
}

/** Adds to the row what only running servers know: the states of their circuit breakers, and since when. */
function asServersSee(row: DestinationRow, processes: readonly ProcessReport[]): DestinationRow {
  const readings = processes
    .flatMap(({destinations = []}) => destinations)
    .filter(({destination}) => destination === row.destination);
  // The store knows at once which destinations are paused. Servers report it some seconds later.
  if (readings.length === 0 || row.state === 'missing' || row.state === 'paused') return row;
  const success = Math.max(...readings.map(({deliveredAt = 0}) => deliveredAt));
  const latest = Math.max(Date.parse(row.last_success_at ?? '') || 0, success);
  const known = {...row, last_success_at: isoTime(latest || null)};
  // A circuit breaker stays open until its process sends something, even if other processes have delivered everything.
  const own = readings.find(
    ({state, since}) => state !== 'ok' && state !== 'paused' && (row.waiting > 0 || since >= latest),
  );
  // All circuit breakers are closed, but they ignore a few failures, or those of only one lead: `row` reports these as failing.
  if (!own) {
    const isOver = row.state === 'failing' && success > Date.parse(row.since ?? '');
    return isOver ? {...known, state: 'ok', since: null} : known;
  }
  // The store knows of failures from before the start of the server.
  return {...known, state: own.state, since: row.state === 'ok' ? isoTime(own.since) : row.since};
}

const sumOf = (counts: readonly RefusalCount[]) => counts.reduce((sum, {requests}) => sum + requests, 0);

async function readPartners(
  {store, config: {partners}}: With<FigureStore & RequestStore, 'config'>,
  processes: readonly ProcessReport[],
): Promise<PartnerRow[]> {
  const now = Date.now();
  const [today, yesterday] = [midnight(now), midnight(now, -1)];
  const since = now - (daysLooked + 7) * dayLength;
  const days = await store.leadDays(since, now);
  const views = Map.groupBy(await store.viewDays(startOfDay(since)), ({partner}) => partner);
  const counts = await store.countSpans([
    {since: today, until: now + dayLength},
    {since: yesterday, until: today},
    ...Array.from({length: usualDays + 1}, (_, days) => {
      const then = now - days * dayLength;
      return {since: then - hour, until: then + 1};
    }),
  ]);
  const [ofToday, ofYesterday, ofHour, ...usualHours] = counts.map(
    (each) => new Map(each.map(({partner, leads}) => [partner, leads])),
  );
  const keys: (string | null)[] = partners.map(({key}) => key);
  if (days.some(({partner}) => partner === null)) keys.push(null);
  return keys.map((partner) => {
    const own = days.filter((each) => each.partner === partner);
    const leadsOf = (span: typeof ofToday) => span?.get(partner) ?? 0;
    const newestAt = Math.max(0, ...own.map(({newest}) => createdAtOf(newest)));
    const sent = own.map(({day, leads}) => ({day, times: leads}));
    const refused = processes
      .flatMap(({refusals = []}) => refusals)
      .filter((each) => each.partner === partner)
      .toSorted((one, other) => other.requests - one.requests);
    return {
      partner,
      leads_today: leadsOf(ofToday),
      leads_yesterday: leadsOf(ofYesterday),
      leads_last_hour: leadsOf(ofHour),
      usual_hour: Math.round(usualHours.reduce((sum, each) => sum + leadsOf(each), 0) / usualDays),
      refusals: processes.some(({refusals}) => refusals) ? sumOf(refused) : null,
      refused_for: refused[0]?.reason ?? null,
      last_lead_at: isoTime(newestAt < midnight(now, -daysLooked) ? null : newestAt),
      silent: fellSilent(sent, newestAt, now),
      form: partner === null ? null : formUseOf(views.get(partner) ?? [], sent, newestAt, now),
    };
  });
}
