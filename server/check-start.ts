/**
 * Finds out whether a start of the server would succeed, without starting it. It calls what main.ts, server.ts and app.ts
 * call, or the part of that which changes nothing.
 */
import {once} from 'node:events';
import {createServer} from 'node:net';
import {paths} from '../contract/api.ts';
import {inOneLine} from './admin/status.ts';
import {planRepair, repairDoubts, repairWords, whyTooMuch} from './admin/repair-plan.ts';
import {bytes} from './admin/words.ts';
import {ConfigError, privacyWarnings, readConfig, type Config} from './config/config.ts';
import {clearWord} from './config/data-keys.ts';
import {unencrypted} from './config/destinations.ts';
import type {Environment} from './config/environment.ts';
import {keptUnder, shortened} from './config/reloaded.ts';
import {ask, localUrl} from './observe/ask-server.ts';
import {logoFault} from './http/apply/logo.ts';
import {tryRedis} from './http/limits/redis-connection.ts';
import {changedConsents} from './leads/consent-texts.ts';
import {leadDoubts} from './leads/lead-doubts.ts';
import type {AttachedStore} from './leads/ports.ts';
import {lineOf} from './observe/log-lines.ts';
import type {Observation} from './observe/observations.ts';
import {goneAfter} from './reload/reloads.ts';
import {newestScript} from './snippets/newest-script.ts';
import {snippetForTerminal} from './snippets/terminal.ts';
import {createEncryptor} from './store/encryption.ts';
import {inspectStore, openAttachedStore, unencryptedHost} from './store/open-store.ts';
import {othersMayRead, roomToRewrite} from './store/sqlite/files.ts';
import {newestVersion, readVersions} from './versions/embed-versions.ts';

/** A fault stops the start. The text has no secrets. */
export type Finding = {level: 'fault' | 'warning' | 'note'; text: string};

/**
 * What the start would find in a database whose tables are those of this version.
 * @throws Error for what stops the start
 */
const storeChecks: readonly ((store: AttachedStore, config: Config) => Promise<Finding[]>)[] = [
  missingDestinations,
  async (store, config) => doubtsOf(config, await store.consentTexts()),
  async (store, {partners}) => changedConsents(partners, await store.consentTexts()).map(fault),
  keptShorter,
  notRepaired,
  async (store, config) =>
    (await store.keyUses()).some(({key}) => key === clearWord) ? rewritten(config) : [],
];

/** Changes nothing, and may run beside the server. */
export async function checkStart(environment?: Environment): Promise<Finding[]> {
  try {
    const config = readConfig(environment, true);
    return [
      ...[...config.warnings, ...privacyWarnings(config)].map(warning),
      ...unencrypted(config.destinations).flatMap((destination) =>
        logged({type: 'destination-unencrypted', destination}),
      ),
      ...(await orFault(() => checkForm(config))),
      ...(await orFault(() => checkSecrecy(config))),
      ...(await orFault(() => checkStore(config))),
      ...(await checkRedis(config)),
      ...(await checkPorts(config)),
      ...(await checkLogos(config)),
      ...config.notes.map(note),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...error.faults.map(fault), ...error.warnings.map(warning)];
  }
}

const fault = (text: string): Finding => ({level: 'fault', text});
const warning = (text: string): Finding => ({level: 'warning', text});
const note = (text: string): Finding => ({level: 'note', text});

const doubtsOf = (...given: Parameters<typeof leadDoubts>): Finding[] =>
  leadDoubts(...given).map((doubt) => warning(inOneLine(doubt)));

/** What the log of the start would say. */
function logged(observation: Observation): Finding[] {
  const {message = '', fields} = lineOf(observation) ?? {fields: {}};
  return [warning(`${message} ${JSON.stringify(fields)}`)];
}

async function orFault(check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [fault(error instanceof Error ? error.message : String(error))];
  }
}

export function checkForm(config: Config): Finding[] {
  const {hint} = newestScript(config);
  const versions = readVersions(config);
  snippetForTerminal(config, versions);
  const {name, advisory: {security} = {}} = newestVersion(versions) ?? {};
  const findings = hint === undefined ? [] : [note(hint)];
  const pinned = `${name}, the version that pages should pin,`;
  if (security !== undefined)
    findings.push(warning(`${pinned} has a security fault: ${security} Upgrade the server`));
  return findings;
}

/** Whether others can read the leads on their way to the database, or in its file. */
async function checkSecrecy(config: Config): Promise<Finding[]> {
  const {databaseUrl, databasePath: path} = config;
  const host = await unencryptedHost(config);
  if (host !== undefined) return logged({type: 'database-unencrypted', host});
  return !databaseUrl && othersMayRead(path) ? logged({type: 'database-readable', path}) : [];
}

async function checkStore(config: Config): Promise<Finding[]> {
  const start = await inspectStore(config);
  if (start === 'creating the tables')
    return [note('There is no database yet, or it is empty: the start creates it'), ...doubtsOf(config)];
  if (start === 'bringing the tables up')
    return [
      warning(
        'The database is that of an older version, and the start brings it up: back it up first, and read in the changelog whether older servers may run meanwhile',
      ),
      ...rewritten(config),
      ...doubtsOf(config),
    ];
  const store = await openAttachedStore(config, createEncryptor(config.dataKeys), false);
  try {
    return (await Promise.all(storeChecks.map((check) => check(store, config)))).flat();
  } finally {
    await store.close();
  }
}

/** What SQLite does once everything is encrypted that a version before 2.0 stored in clear. */
function rewritten({databaseUrl, databasePath: path}: Config): Finding[] {
  if (databaseUrl) return [];
  const text = `If a version before 2.0 has stored leads in clear, ${path} is written anew once they are encrypted: ${bytes(roomToRewrite(path))} must be free on its disk`;
  return [note(text)];
}

/** What the start does again after a restore, or why it would not. */
async function notRepaired(store: AttachedStore, config: Config): Promise<Finding[]> {
  const plan = await planRepair({store, config});
  const doubts = (await repairDoubts({store, config}, plan)).map(warning);
  const tooMuch = plan && whyTooMuch(plan);
  if (tooMuch !== undefined) return [...doubts, fault(tooMuch)];
  return plan && plan.acts > 0
    ? [...doubts, warning(`This store was restored. By the start, ${repairWords(plan)}`)]
    : doubts;
}

async function missingDestinations(store: AttachedStore, {destinations}: Config): Promise<Finding[]> {
  const counts = await store.countOutbox();
  return counts
    .filter(({destination, state}) => state === 'waiting' && !destinations.has(destination))
    .flatMap(({destination, deliveries}) => logged({type: 'destination-missing', destination, deliveries}));
}

/** What the servers that run now keep, and this configuration would not. */
async function keptShorter(store: AttachedStore, config: Config): Promise<Finding[]> {
  const running = await store.processes(Date.now() - goneAfter);
  const lines = running.flatMap(({kept}) => (kept ? shortened(kept, keptUnder(config)) : []));
  return [...new Set(lines)].map((line) =>
    warning(`${line}: the start takes that, and "lead-prequal reload" only with --shorten`),
  );
}

/** The form shows without them. */
async function checkLogos({partners}: Config): Promise<Finding[]> {
  const found = partners.map(async ({key, logo}) => {
    const wrong = logo === undefined ? undefined : await logoFault(logo);
    return wrong === undefined ? [] : [warning(`The logo of "${key}", ${logo}, ${wrong}`)];
  });
  return (await Promise.all(found)).flat();
}

/** The start goes on without Redis. */
async function checkRedis({redisUrl}: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (redisUrl !== undefined)
    await tryRedis(redisUrl, (observation) => findings.push(...logged(observation)));
  return findings;
}

async function checkPorts({host, port, metrics}: Config): Promise<Finding[]> {
  const isOurs = async () => {
    const reply = await ask(`${localUrl(host, port)}${paths.live}`);
    return reply?.text === JSON.stringify({status: 'ok'});
  };
  return [
    ...(await checkPort('PORT', host, port, isOurs)),
    ...(metrics ? await checkPort('METRICS_PORT', metrics.host, metrics.port, isOurs) : []),
  ];
}

/** @param isOurs whether a server answers on `PORT` as this one does. It probably has the other port as well */
async function checkPort(
  name: string,
  host: string,
  port: number,
  isOurs: () => Promise<boolean>,
): Promise<Finding[]> {
  if (port === 0) return [];
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    await once(server.close(), 'close');
    return [];
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE')
      return [fault(`The server cannot listen at ${name.replace('PORT', 'HOST')} and ${name}: ${message}`)];
    return (await isOurs())
      ? [
          note(
            `A server answers on port ${port}, probably your own: it takes a change by "lead-prequal reload". Before a new start, stop it`,
          ),
        ]
      : [fault(`${name} ${port} is used by another program: stop that program, or set another port`)];
  }
}
