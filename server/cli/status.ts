/**
 * `lead-prequal status`: how the server, its store, its destinations and its partners are, on one screen. It reads the
 * store, and asks the server over its own addresses. The exit status is for monitors.
 */
import {Command} from 'commander';
import {ConfigError, readConfig, type Config} from '../config/config.ts';
import {digestOf} from '../config/reloaded.ts';
import {referenceOf} from '../../contract/reference.ts';
import {openStates} from '../leads/deliveries.ts';
import type {UnreadableLead} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {askMetrics, askState, type Sample, type ServerState} from '../observe/ask-server.ts';
import {withRemedy} from '../observe/causes.ts';
import {readDisk, type Readings} from '../observe/readings.ts';
import {goneAfter, type ProcessReport} from '../reload/reloads.ts';
import {unreadableLead} from './export.ts';
import {readDestinations, toJsonRow, wrongOf, type DestinationRow} from './destination-rows.ts';
import {
  ago,
  counted,
  isoTime,
  jsonOption,
  lasting,
  localTime,
  printable,
  timeOrNone,
  type Run,
} from './output.ts';
import {midnight} from './times.ts';
import {readingStore} from './with-store.ts';

const usage = `
It may run beside the server, as its user, in the same folder and with the same settings. With METRICS_PORT it also asks
the server for what only the server knows: refusals since its start, and the exact state of each destination.

The exit status is 0 if all is well, 1 if something needs an operator although leads are taken, and 2 if leads may not be
taken. ✗ is what makes it 2, ! what makes it 1, and · is a warning.`;

/** Milliseconds. A destination that works gets a lead within seconds, also after a few attempts that failed. */
const lateAfter = 15 * 60_000;
/** Of the disk with the SQLite file. */
const lowDisk = 0.05;
/** A partner with this many leads in the week before its last one, ten a day, is silent for a day by chance once in sixty years. */
const busyPartner = 70;
const day = 24 * 3_600_000;
/** Days in which the last lead of a partner is looked for. */
const daysLooked = 30;

type Level = 'down' | 'degraded' | 'warning';
type Finding = {level: Level; text: string};
const signs = {down: '✗', degraded: '!', warning: '·'};

type PartnerRow = {
  /** Null for the callers of `/json/leads`. */
  partner: string | null;
  today: number;
  yesterday: number;
  /** Since the start of the server; null if it cannot be asked. */
  refusals: number | null;
  refusedFor: string | null;
  /** Null without a lead in the days that are looked at. */
  lastLead: number | null;
  isSilent: boolean;
};

type Seen = {
  findings: Finding[];
  processes: ProcessReport[];
  server: ServerState | 'unknown';
  store: string;
  disk: Readings['disk'];
  destinations: DestinationRow[];
  partners: PartnerRow[];
  unreadable: UnreadableLead[];
};

export const statusCommand = (run: Run): Command =>
  new Command('status')
    .description('say how the server, its store, its destinations and its partners are')
    .addOption(jsonOption())
    .addHelpText('after', usage)
    .action(async ({json = false}: {json?: boolean}) => {
      const seen = await readStatus(run);
      const levels = seen.findings.map(({level}) => level);
      // Before anything is printed, because the reader of a pipe may close it after the first line.
      if (levels.includes('down')) run.status = 2;
      else if (levels.includes('degraded') || seen.server === 'degraded') run.status = 1;
      await (json ? printJson(run, seen) : printScreen(run, seen));
    });

async function readStatus(run: Run): Promise<Seen> {
  const findings: Finding[] = [];
  const seen: Seen = {
    findings,
    processes: [],
    server: 'unknown',
    store: 'unknown',
    disk: undefined,
    destinations: [],
    partners: [],
    unreadable: [],
  };
  try {
    const config = readConfig(run.environment);
    const [server, samples, disk] = await Promise.all([
      config.port === 0 ? ('unknown' as const) : askState(config),
      askMetrics(config),
      readDisk(config),
    ]);
    Object.assign(seen, {server, disk, store: config.databaseUrl ? 'PostgreSQL' : config.databasePath});
    findings.push(...serverFindings(server, config), ...diskFindings(disk));
    await readingStore(run, async (store) => {
      seen.destinations = (await readDestinations(store, config)).map((row) => asServerSees(row, samples));
      seen.partners = await readPartners(store, config, samples);
      seen.processes = await store.processes(Date.now() - goneAfter);
      seen.unreadable = await store.unreadableLeads(Date.now());
    }).catch((error: unknown) => {
      seen.store = 'failing';
      findings.push({
        level: 'down',
        text: withRemedy(error instanceof Error ? error.message : String(error)),
      });
    });
    findings.push(
      ...seen.destinations.flatMap(destinationFindings),
      ...seen.partners.flatMap(partnerFindings),
      ...processFindings(seen.processes, config),
      ...seen.unreadable.map(unreadableFinding),
    );
    findings.push(...(await settingFindings(run)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    findings.push(...error.faults.map((text): Finding => ({level: 'down', text})));
  }
  return seen;
}

/** What would stop the next start, and what has no effect. */
async function settingFindings({environment}: Run): Promise<Finding[]> {
  // It knows all rooms of the server, as the start does.
  const {checkStart} = await import('../check-start.ts');
  return (await checkStart(environment)).flatMap(({level, text}): Finding[] => {
    if (level === 'note') return [];
    return [{level: level === 'fault' ? 'degraded' : 'warning', text}];
  });
}

function serverFindings(state: Seen['server'], {host, port}: Config): Finding[] {
  switch (state) {
    case 'away':
      return [
        {level: 'down', text: `No server answers at ${host}:${port}. Start it, and read its log if it ends.`},
      ];
    case 'refusing':
      return [{level: 'down', text: 'The server takes no leads now. Its log says why.'}];
    // The findings about the destinations say why.
    case 'degraded':
    case 'ok':
      return [];
    case 'unknown':
      return [{level: 'warning', text: 'The server cannot be asked, because PORT is 0.'}];
  }
}

/** Whether all processes have what the files say now. */
function processFindings(processes: readonly ProcessReport[], config: Config): Finding[] {
  const now = digestOf(config);
  return processes.flatMap(({name, digest, faults}): Finding[] => {
    if (faults.length > 0)
      return [{level: 'degraded', text: `${name} refused its configuration: ${faults.join('; ')}`}];
    if (digest === now) return [];
    const text = `${name} has another configuration in force than the one that is configured here: "lead-prequal reload", or a restart, puts this one in force`;
    return [{level: 'warning', text}];
  });
}

/** Nothing looks for such leads: these are the ones that somebody met in the last day. */
const unreadableFinding = (lead: UnreadableLead): Finding => ({
  level: 'degraded',
  text: `${unreadableLead(lead)} Give back its data key, restore a backup of it, or erase it: "lead-prequal leads erase ${lead.id}".`,
});

function diskFindings(disk: Seen['disk']): Finding[] {
  if (!disk || disk.free >= disk.size * lowDisk) return [];
  const text = `The disk of the database is almost full: ${bytes(disk.free)} of ${bytes(disk.size)} are free. Free some space.`;
  return [{level: 'degraded', text}];
}

function destinationFindings(row: DestinationRow): Finding[] {
  const {destination, state, since, counts, late} = row;
  const findings: string[] = [];
  if (state !== 'ok') {
    const when = since === null ? '' : ` since ${localTime(since)} (${ago(since)})`;
    const why = wrongOf(row);
    findings.push(`${destination} is ${state}${when}${why ? `: ${withRemedy(why)}` : ''}`);
  }
  if (late > lateAfter)
    findings.push(
      `${destination} is late by ${lasting(late)}, and ${counted(counts.waiting, 'delivery is', 'deliveries are')} waiting`,
    );
  const stopped = openStates.filter((name) => name !== 'waiting' && counts[name] > 0);
  if (stopped.length > 0) {
    const many = stopped.map((name) => `${counts[name]} ${name}`).join(', ');
    findings.push(
      `${destination} has deliveries that wait for an operator (${many}): see "lead-prequal deliveries list --destination ${destination}"`,
    );
  }
  return findings.map((text) => ({level: 'degraded', text}));
}

function partnerFindings({partner, isSilent, lastLead}: PartnerRow): Finding[] {
  if (!isSilent || lastLead === null) return [];
  const text = `${partner ?? 'The callers'} fell silent: the last lead came ${ago(lastLead)} ago. Look at the form on the partner's page.`;
  return [{level: 'degraded', text}];
}

/** The row with what only the server knows: what its circuit breaker thinks, and since when. */
function asServerSees(row: DestinationRow, samples: readonly Sample[] | undefined): DestinationRow {
  const own = samples?.filter(({labels}) => labels['destination'] === row.destination) ?? [];
  const state = own.find(({name, value}) => name === 'lead_prequal_destination_state' && value === 1);
  if (!state || row.state === 'missing') return row;
  const time = (what: string) => {
    const sample = own.find(({name}) => name === `lead_prequal_destination_${what}_timestamp_seconds`);
    return sample ? Math.round(sample.value * 1_000) : null;
  };
  const seen = state.labels['state'] ?? row.state;
  const success = time('last_success') ?? 0;
  const known = {...row, lastSuccess: Math.max(row.lastSuccess ?? 0, success) || null};
  // The circuit breaker overlooks a few failures, and those of one lead alone. The store knows of them.
  if (seen === 'ok') {
    const isOver = row.state === 'failing' && success > (row.since ?? 0);
    return isOver ? {...known, state: 'ok', since: null} : known;
  }
  // The store knows of failures from before the start of the server.
  return {...known, state: seen, since: row.state === 'ok' ? time('state_since') : row.since};
}

async function readPartners(
  store: BesideStore,
  {partners}: Config,
  samples: readonly Sample[] | undefined,
): Promise<PartnerRow[]> {
  const now = Date.now();
  const counts = await store.countLeadsBy({since: midnight(now, -daysLooked)}, ['partner', 'day'], (time) =>
    midnight(time),
  );
  const keys = [
    ...partners.map(({key}) => key),
    ...(counts.some(({partner}) => partner === null) ? [null] : []),
  ];
  return keys.map((partner) => {
    const own = counts.filter((each) => each.partner === partner);
    const since = (from: number) =>
      own.reduce((sum, {day, leads}) => sum + (day !== null && day >= from ? leads : 0), 0);
    const [today, yesterday] = [midnight(now), midnight(now, -1)];
    const newest = own
      .map((each) => each.newest)
      .toSorted()
      .at(-1);
    const lastLead = newest === undefined ? null : createdAtOf(newest);
    const refused = samples
      ?.filter(({name}) => name === 'lead_prequal_refusals_total')
      .filter(({labels}) => labels['partner'] === (partner ?? '-'))
      .toSorted((one, other) => other.value - one.value);
    return {
      partner,
      today: since(today),
      yesterday: since(yesterday) - since(today),
      refusals: refused ? refused.reduce((sum, {value}) => sum + value, 0) : null,
      refusedFor: refused?.[0]?.labels['reason'] ?? null,
      lastLead,
      // The week before its last lead, however long the partner has been silent.
      isSilent: lastLead !== null && now - lastLead > day && since(midnight(lastLead, -7)) >= busyPartner,
    };
  });
}

function printJson(
  {print, status}: Run,
  {findings, processes, server, store, disk, destinations, partners, unreadable}: Seen,
) {
  return print({
    status: ['ok', 'degraded', 'down'][status],
    findings,
    server,
    store,
    disk: disk ? {free_bytes: disk.free, size_bytes: disk.size} : null,
    processes: processes.map(({name, digest, inForceSince, faults}) => ({
      name,
      configuration: digest,
      since: isoTime(inForceSince),
      faults,
    })),
    destinations: destinations.map(toJsonRow),
    partners: partners.map(({partner, today, yesterday, refusals, refusedFor, lastLead, isSilent}) => ({
      partner,
      leads_today: today,
      leads_yesterday: yesterday,
      refusals,
      refused_for: refusedFor,
      last_lead_at: isoTime(lastLead),
      silent: isSilent,
    })),
    unreadable_leads: unreadable.map(({id, unreadable: reason}) => ({
      id,
      reference: referenceOf(id),
      reason,
    })),
  });
}

async function printScreen(
  run: Run,
  {findings, processes, server, store, disk, destinations, partners}: Seen,
) {
  const {write, printFields, printTable} = run;
  if (run.status === 0) await write('✓ All is well.\n');
  for (const {level, text} of findings) await write(`${signs[level]} ${printable(text)}\n`);
  await write('\n');
  await printFields([
    ['server', server],
    ['store', store],
    ...processes.map(({name, digest, inForceSince}): [string, string] => [
      'configuration',
      printable(`${digest}, since ${localTime(inForceSince)}, in ${name}`),
    ]),
    ['disk', disk ? `${bytes(disk.free)} of ${bytes(disk.size)} are free` : 'unknown'],
  ]);
  if (destinations.length > 0) {
    await write('\n');
    await printTable(
      ['destination', 'state', 'since', 'last success', ...openStates, 'oldest', 'late'],
      destinations.map(({destination, state, since, lastSuccess, counts, oldest, late}) => [
        destination,
        state,
        timeOrNone(since),
        timeOrNone(lastSuccess),
        ...openStates.map((name) => counts[name]),
        oldest === null ? '' : ago(oldest),
        late > lateAfter ? lasting(late) : '',
      ]),
    );
  }
  if (partners.length === 0) return;
  await write('\n');
  await printTable(
    ['partner', 'today', 'yesterday', 'refused', 'mostly for', 'last lead'],
    partners.map(({partner, today, yesterday, refusals, refusedFor, lastLead}) => [
      partner ?? '-',
      today,
      yesterday,
      refusals ?? '',
      refusedFor ?? '',
      lastLead === null ? `none in ${daysLooked} days` : `${localTime(lastLead)} (${ago(lastLead)})`,
    ]),
  );
}

/** Such as `12.5 GB`. */
function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return `${(count / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
