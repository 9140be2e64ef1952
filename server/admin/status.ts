/**
 * How the server, its store, its destinations and its partners are, and what needs an operator. What only a server knows is
 * in the reports that each process stores (reload/reloads.ts).
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
import {startOfDay} from '../versions/request-counts.ts';
import {destinationRow, listDestinations, wrongOf, type DestinationRow} from './destinations.ts';
import {count, isoTime, time, type With} from './admin.ts';
import {keyName} from './keys.ts';
import {unreadableText} from './lead-names.ts';
import {undecidedNumbers} from './stops.ts';
import {deadline, lateAfter, readUnheard} from './unheard.ts';
import {listRequests} from './privacy-requests.ts';
import {ago, bytes, clockTime, counted, lasting, localDay, midnight} from './words.ts';

/** Of the disk with the SQLite file. */
const lowDisk = 0.05;
/** A partner with this many leads in the week before its last one, ten a day, is silent for a day by chance once in sixty years. */
const busyPartner = 70;
/** A wave: an hour with so many leads of a partner, and so many times the usual ones. Fewer can be looked at one by one. */
const [leastOfWave, timesOfWave] = [50, 10];
/** Days whose hours at this time of the day say how many leads are usual. */
const usualDays = 7;
const hour = 3_600_000;
/** Leads of callers in which a consent is looked for: each of them is opened, and the status is read every few seconds. */
const maxOpened = 200;
/** Numbers that wait for a decision, of which each is a finding. */
const maxNamed = 20;
/** Days in which the last lead of a partner is looked for. */
export const daysLooked = 30;

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
 * What is wrong.
 * - `subject`: the name of a destination, the key of a partner or `-` for the callers, or the id of a lead, if it is about one
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

/** What alerts by e-mail tell (alerts.ts): what needs somebody, and what waits for a decision. */
export const isTold = ({level, kind}: Finding): boolean =>
  kind !== 'alert' && (level !== 'warning' || kind === 'held' || kind === 'erasure');

/** Findings with the same name are one trouble: those about leads are as many as there are leads. */
export const troubleOf = ({kind, subject}: Finding): string =>
  subject === null || isLeadId(subject) ? kind : `${kind} ${subject}`;

/**
 * By the kind of a finding: the operators' page on which it is looked into, and the word on the button that leads there. Kinds
 * that are missing are mended on the server.
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

/** How most findings are: a sentence, and what to do. */
const found = (
  [level, kind, subject = null]: readonly [Finding['level'], Finding['kind'], (string | null)?],
  text: string,
  remedy: string | null = null,
): Finding => ({level, kind, subject, text, remedy});

/**
 * - `partner`: null for the callers of `/json/leads`
 * - `refusals`: since the start of the servers; null if no server reports
 * - `refused_for`: the most frequent reason
 * - `leads_last_hour`: in the last 60 minutes. `usual_hour`: the mean of this hour on the last seven days
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
  KeyStore &
  EvidenceStore &
  ReloadStore &
  AlertPort &
  Pick<LeadPort, 'consentTexts'>;

type Around = {
  config: Config;
  /** What the server of this configuration answers (observe/ask-server.ts). */
  server: Status['server'];
  /** Works with the store. @throws what keeps it from being opened */
  withStore: <Result>(work: (store: StatusStore) => Promise<Result>) => Promise<Result>;
  /** What would stop the next start, and what has no effect (check-start.ts). */
  checkStart: () => Promise<readonly {level: 'fault' | 'warning' | 'note'; text: string}[]>;
  /** Leaves out what takes long and alerts never tell, and throws errors of the store: what was not read is not over. */
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

/** Nothing is wrong, and somebody is told of each lead. */
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

/** All is not well where nobody hears of leads. A caller knows what it has sent: its leads count once there are some. */
function doubtFinding({kind, subject, text, remedy}: LeadDoubt, fromCallers: boolean): Finding {
  const isBad = kind === 'unheard' && (subject === null || fromCallers);
  return found([isBad ? 'degraded' : 'warning', kind, subject], text, remedy);
}

/** Nothing of one that is degraded: the findings about the destinations say why. */
function serverFindings(state: Status['server'], {host, port}: Config): Finding[] {
  const away = `No server answers at ${host}:${port}`;
  if (state === 'away') return [found(['down', 'server'], away, 'Start it, and read its log if it ends.')];
  if (state === 'refusing')
    return [found(['down', 'server'], 'The server takes no leads now', 'Its log says why.')];
  const unknown = 'The server cannot be asked, because PORT is 0.';
  return state === 'unknown' ? [found(['warning', 'server'], unknown)] : [];
}

/** Whether all processes have what the files say now. */
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
 * The leads that callers sent in the last day without a consent, if one could be expected: a partner of the client has a
 * text, or other leads of the client have one.
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

/** Leads of the last day that no rule of `send_to` took, of senders of whom there may be such leads. */
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

/** Whether the key that a server made itself is copied: it is in no backup. */
async function keyFindings({store, config}: With<KeyStore, 'config'>): Promise<Finding[]> {
  const {dataKeys, dataKeyFile} = config;
  if (dataKeyFile === undefined) return [];
  const key = keyName(dataKeys[0]);
  if ((await store.keyUses()).some((use) => use.key === key && use.savedAt !== null)) return [];
  const text = `Without the data key in ${dataKeyFile} nobody can read a lead, and it is in no backup`;
  const remedy = 'copy it to a safe place, then run "lead-prequal keys saved"';
  return [found(['warning', 'configuration'], text, remedy)];
}

/** Each look also lets a process find out that nothing in clear is to be read any more. */
async function clearFindings({store}: With<KeyStore>): Promise<Finding[]> {
  if (!(await store.keyUses()).some(({key}) => key === clearWord)) return [];
  const text =
    'Data that a version before 2.0 stored in clear is not encrypted yet, or still in the file of the database';
  const remedy =
    'A server encrypts it while it works. If this stays for hours, its log says why, such as a disk that lacks room.';
  return [found(['warning', 'store'], text, remedy)];
}

/** A request that must be answered within ten days needs somebody now. */
const urgentBefore = 10 * dayLength;

/** What visitors wait for: an operator decides. */
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
    const {id} = newest.lead;
    const many = counted(leads.length, 'lead');
    const text = `Somebody with another address asked to stop the number of ${referenceOf(id)} (${many}): decide by ${deadline(askedAt)}`;
    const remedy = `"lead-prequal consent revoke" with this number stops all of them, and "lead-prequal consent allow" with it and a reason lets them be called`;
    findings.push(found(['degraded', 'asked', id], text, remedy));
  }
  if (oldest?.due_at) {
    const due = Date.parse(oldest.due_at);
    const many = counted(others.length + 1, 'request of a person waits', 'requests of people wait');
    const text = `${many}, the first since ${localDay(Date.parse(oldest.requested_at ?? ''))}, to ${oldest.kind} ${oldest.reference}: answer it by ${localDay(due)}`;
    const level = due - Date.now() < urgentBefore ? 'degraded' : 'warning';
    findings.push(found([level, 'erasure', oldest.id], text, 'see "lead-prequal leads requests"'));
  }
  return findings;
}

/** Those that somebody met in the last day. The retention job meets all whose time is over. */
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

/** @param held what has findings of its own, because an operator decides about the lead and not about the destination */
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

/** What keeps leads past their time, by the newest run of the retention job: each process looks at all. */
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

function partnerFindings({partner, silent, last_lead_at, ...row}: PartnerRow): Finding[] {
  const [who, subject] = [partner ?? 'The callers', partner ?? '-'];
  const {leads_last_hour: leads, usual_hour: usual} = row;
  if (leads >= Math.max(leastOfWave, timesOfWave * usual)) {
    const text = `${who} sent many leads: ${leads} within an hour, and ${usual} are usual`;
    const remedy = `Bots may have sent them: see "lead-prequal leads list --partner ${subject}"`;
    return [found(['degraded', 'wave', subject], text, remedy)];
  }
  if (!silent || last_lead_at === null) return [];
  const text = `${who} fell silent: the last lead came ${ago(Date.parse(last_lead_at))} ago`;
  return [found(['degraded', 'partner', subject], text, "Look at the form on the partner's page.")];
}

/** The row with what only the servers know: what their circuit breakers think, and since when. */
function asServersSee(row: DestinationRow, processes: readonly ProcessReport[]): DestinationRow {
  const readings = processes
    .flatMap(({destinations = []}) => destinations)
    .filter(({destination}) => destination === row.destination);
  // The store knows at once who is paused. Servers report it some seconds later.
  if (readings.length === 0 || row.state === 'missing' || row.state === 'paused') return row;
  const success = Math.max(...readings.map(({deliveredAt = 0}) => deliveredAt));
  const latest = Math.max(Date.parse(row.last_success_at ?? '') || 0, success);
  const known = {...row, last_success_at: isoTime(latest || null)};
  // A circuit breaker stays open until its process has something to send, also if others have delivered all that waited.
  const own = readings.find(
    ({state, since}) => state !== 'ok' && state !== 'paused' && (row.waiting > 0 || since >= latest),
  );
  // The circuit breaker overlooks a few failures, and those of one lead alone. The store knows of them.
  if (!own) {
    const isOver = row.state === 'failing' && success > Date.parse(row.since ?? '');
    return isOver ? {...known, state: 'ok', since: null} : known;
  }
  // The store knows of failures from before the start of the server.
  return {...known, state: own.state, since: row.state === 'ok' ? isoTime(own.since) : row.since};
}

const sumOf = (counts: readonly RefusalCount[]) => counts.reduce((sum, {requests}) => sum + requests, 0);

async function readPartners(
  {store, config: {partners}}: With<FigureStore, 'config'>,
  processes: readonly ProcessReport[],
): Promise<PartnerRow[]> {
  const now = Date.now();
  const [today, yesterday] = [midnight(now), midnight(now, -1)];
  const days = await store.leadDays(now - (daysLooked + 7) * dayLength, now);
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
    const lastLead = newestAt < midnight(now, -daysLooked) ? null : newestAt;
    // The week before its last lead, however long the partner has been silent.
    const week = own.filter((each) => each.day >= startOfDay(newestAt) - 7 * dayLength);
    const isBusy = week.reduce((sum, {leads}) => sum + leads, 0) >= busyPartner;
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
      last_lead_at: isoTime(lastLead),
      silent: lastLead !== null && now - lastLead > dayLength && isBusy,
    };
  });
}
