/** The log line of each observation. Operators may search for the messages and fields, so they should not change. */
import type {ObservationType, Observation} from './observations.ts';
import {remedyOf} from './causes.ts';

type Line = {
  level: 'error' | 'warn' | 'info';
  fields: object;
  message?: string;
  /**
   * Of a line that could come so often that it fills the disk: of the lines with the same observation and kind, the first is
   * written and the others are counted. It is one of a small number of values, such as the reason of an error, and must not
   * be something that a client sent.
   */
  kind?: string | undefined;
};

/** The arguments are those with which pino writes a line, and the kind. */
const lineAt =
  (level: Line['level']) =>
  (fields: object, message: string, kind?: string): Line => ({level, fields, message, kind});
const [error, warn, info] = [lineAt('error'), lineAt('warn'), lineAt('info')];

/** The lines of observations all of whose facts are fields. */
const factsAt = (level: Line['level']) => (message: string) => (observation: Observation) =>
  lineAt(level)({...observation, type: undefined}, message);
const facts = {error: factsAt('error'), warn: factsAt('warn'), info: factsAt('info')};

/** @param isDebug whether the log level is `debug`. @returns undefined for an observation without a line */
type ToLine<Type extends ObservationType> = (
  observation: Observation<Type>,
  isDebug: boolean,
) => Line | undefined;

/**
 * - Requests of callers with credentials, and requests that created or read a lead: one line each.
 * - Responses with a 5xx, and requests that anybody may send without credentials: sampled, by route and status.
 * - Files, health and documentation, if the response is no error: no line.
 *
 * At the log level `debug`, every request has a line.
 */
const requestLine: ToLine<'request-answered'> = (observation, isDebug) => {
  const {request, method, path, isOperation, status, ms, caller, partner, lead} = observation;
  const fields = {request, method, path, status, ms, caller, partner, lead};
  const isAlwaysLogged = status < 500 && (caller !== undefined || lead !== undefined);
  if (isAlwaysLogged || isDebug) return {level: 'info', fields};
  if (status < 400 && !isOperation) return undefined;
  return info(fields, `${path} was answered with ${status}`, `${path} ${status}`);
};

const connectionMessages = {
  connections: 'too many connections: the longest idle ones are closed',
  'connections of one address':
    'one address has too many connections: its longest idle ones are closed; name it in TRUST_PROXY if it is your proxy',
  'requests of one connection':
    'a client sends more requests than it waits for answers: its connection is closed',
  'unread responses': 'clients may have left too much unread: connections that had most of it are closed',
} as const;

const failedMessages = {
  waiting: 'delivery postponed',
  held: 'delivery held for the operator',
  failed: 'delivery given up after days of failing',
} as const;

/** TypeScript refuses this table if an observation is missing. */
const lines: {[Type in ObservationType]: ToLine<Type>} = {
  // Fields that are undefined are left out of the line.
  ready: facts.info('ready'),
  'pages-ready': facts.info("the operators' pages are ready"),
  'pages-ended': ({reason, seconds}) =>
    warn({reason}, `the operators' pages have ended; they start again in ${seconds} s`),
  'config-doubtful': facts.warn('the configuration has a setting to look at'),
  'config-noted': ({note}) => info({}, note),
  'config-reloaded': ({digest, changes, needRestart}) =>
    needRestart.length > 0
      ? warn(
          {digest, changes, needRestart},
          'the configuration was read again and is in force, but for settings that need a restart',
        )
      : info({digest, changes}, 'the configuration was read again and is in force'),
  'config-refused': facts.error(
    'the configuration was read again and refused: the one before stays in force',
  ),

  draining: ({signal, seconds}) =>
    info(
      {seconds},
      `${signal}: the port closes in ${seconds} s, or at another signal to stop; /readyz says 503 until then`,
    ),
  stopping: facts.info('the server stops'),
  'connections-cut': facts.warn('connections were cut off, because their requests were not complete in time'),
  'deliveries-cut': facts.warn('deliveries were cut off, because they did not end in time'),
  stopped: facts.info('the server has stopped'),
  'stop-timed-out': ({seconds}) => error({}, `the server could not stop within ${seconds} s and ends now`),
  crashed: ({error: err}) => error({err}, 'the server ends because of an error that nothing handles'),

  'database-awaited': ({reason, seconds}) =>
    warn(
      {reason, remedy: remedyOf(reason), seconds},
      `the database cannot be reached; it is tried for ${seconds} s more`,
    ),
  'database-reached': facts.info('the database is there'),
  'database-created': facts.info('the database was empty: its tables were made'),
  'database-upgraded': ({from, to}) =>
    info({from, to}, `the database was brought up from version ${from} to version ${to}`),
  'database-shared': facts.warn(
    'another server has the same SQLite file open: stop one of the two, or use PostgreSQL, which several servers can share',
  ),
  'database-readable': facts.warn(
    'every user of this machine may read the SQLite file, which belongs to another user: let its owner run "chmod o=" for it and its folder',
  ),
  'database-unencrypted': facts.warn(
    'DATABASE_URL asks for no TLS: leads and the password can be read on their way to this database; add sslmode=verify-full',
  ),
  'store-failed': ({reason}) =>
    error({reason, remedy: remedyOf(reason)}, 'the store does not work: /readyz says so'),
  'store-recovered': facts.info('the store works again'),
  // Metrics count these; each request has a line of its own.
  'store-written': () => undefined,
  'lead-stored': () => undefined,
  'words-not-kept': facts.warn(
    'the words of the consent texts, or the key that signs consents, could not be stored: the server tries again',
  ),
  'evidence-doubtful': facts.warn('a key of statements about consents needs a look'),
  'expiry-failed': facts.warn('what has expired could not be deleted; it is tried again in an hour'),
  'digests-failed': ({reason}) =>
    warn(
      {reason, remedy: remedyOf(reason)},
      'the digests for searches by person could not be written; until they are, such a search reads more leads',
      reason,
    ),
  'clear-found': facts.info(
    'an earlier version stored personal data in clear: it is encrypted now, while the server works; backups of before stay in clear, so delete them when they are no longer needed',
  ),
  'clear-sealing': facts.info('personal data in clear is being encrypted'),
  'clear-rewriting': facts.info(
    'all personal data is encrypted: SQLite writes its file anew (VACUUM), so that no copy in clear is left in it, and needs up to this room on its disk; new leads wait meanwhile',
  ),
  'clear-sealed': ({rows, ms}) =>
    ms === undefined
      ? info(
          {rows},
          'all personal data is encrypted; PostgreSQL keeps the rows in clear in its files, also after VACUUM, until it writes something else in their place: "VACUUM FULL leads, consents, deliveries, sealed, person_search" makes the files anew, and locks each table meanwhile; its log (WAL), dumps and other backups of before stay in clear',
        )
      : info(
          {rows, ms},
          'all personal data is encrypted, and SQLite has written its file anew; backups of before stay in clear',
        ),
  'clear-left': ({reason, isAgain}) =>
    warn(
      {reason, remedy: remedyOf(reason)},
      `personal data in clear could not be encrypted, or taken out of the files: ${isAgain ? 'it is tried again in a minute' : 'the next start tries it again'}`,
      reason,
    ),
  'clear-unreadable': ({leads}) =>
    warn(
      {leads: leads.length, first: leads.slice(0, 20)},
      'leads stay in clear, because their rows are damaged: "lead-prequal leads erase" erases them, and the next start goes on',
    ),
  'retention-applied': ({leads, consents}) =>
    leads + consents === 0
      ? undefined
      : info({leads, consents}, 'leads and consents that were kept long enough were erased'),
  'retention-failed': ({reason}) =>
    warn(
      {reason, remedy: remedyOf(reason)},
      'what was kept long enough could not be erased; it is tried again in an hour',
    ),

  'request-answered': requestLine,
  'store-unavailable': ({request, reason}) => error({request, reason}, 'the store cannot work: 503', reason),
  'request-failed': ({request, error}) => ({level: 'error', fields: {request, err: error}}),
  'connections-exceeded': ({limit}) => warn({}, connectionMessages[limit], limit),
  'failures-exceeded': ({network, what}) =>
    warn({network}, `${what} of this address are refused for a while`),
  'withdrawn-version-asked': ({version, origin}) =>
    warn(
      {version, origin},
      'a page asks for a withdrawn version of the form: see "lead-prequal versions list"',
      version,
    ),
  'quota-exceeded': facts.error('the partner is over its quota: challenges get harder'),
  'redis-lost': ({reason}) =>
    warn(
      {reason, remedy: 'Start Redis, or correct REDIS_URL and restart the server.'},
      'Redis is away: limits and quotas count in memory',
    ),
  'redis-recovered': facts.info('Redis is back: limits and quotas are shared again'),

  'destination-unencrypted': facts.warn(
    'the URL of this destination starts with http://: leads and its password can be read on their way; use https://',
  ),
  'destination-missing': facts.error('deliveries wait for a destination that is not configured'),
  'alert-failed': ({reason}) =>
    error(
      {reason, remedy: remedyOf(reason)},
      'no alert could be sent: "lead-prequal status" says what needs an operator',
      reason,
    ),
  'destination-paused': ({destination, reason}) =>
    error(
      {destination, reason, remedy: remedyOf(reason)},
      'the destination is paused: its deliveries wait until it is resumed',
    ),
  'destination-resumed': facts.info('the destination is resumed'),
  'circuit-opened'({destination, state, reason, until}) {
    const fields = {destination, reason, remedy: remedyOf(reason), until: new Date(until).toISOString()};
    return state === 'misconfigured'
      ? error(fields, 'the destination refuses our credentials or address: its deliveries wait')
      : warn(fields, 'the destination fails: its deliveries wait');
  },
  'circuit-closed': facts.info('the destination works again'),
  'break-asked': ({destination, lead, reason, until}) =>
    warn(
      {destination, lead, reason, until: new Date(until).toISOString()},
      'the destination asks for a break: its deliveries wait',
      destination,
    ),
  'break-ended': facts.info('an operator ended the break of the destination: it is tried now'),
  'destination-replies': ({destination, state, reason}) =>
    state === 'ok'
      ? info({destination}, 'the destination answers as it should again')
      : error(
          {destination, state, reason, remedy: remedyOf(reason ?? '')},
          state === 'unreadable'
            ? 'the destination gives no reply that can be read'
            : 'the destination refuses every lead',
        ),

  'suspect-held': facts.warn('a suspect lead is held for the operator'),
  'store-repaired': (done) =>
    warn(done, 'the store was restored: what the file of erasures lists was erased and revoked again'),
  'erasures-doubtful': facts.warn('after a restore, erasures or stops could be missing'),
  'lead-suppressed': ({lead, partner}) =>
    warn(
      {lead, partner},
      'held: somebody with the number of this lead revoked a consent; "lead-prequal consent list --revoked" says more',
      'suppressed',
    ),
  'delivery-failed': ({lead, destination, content, attempts, ambiguous, state, reason}) =>
    lineAt(state === 'waiting' ? 'warn' : 'error')(
      {lead, destination, content, attempts, ambiguous, state, reason},
      failedMessages[state],
    ),
  'address-changed': ({lead, destination}) =>
    warn(
      {destination, lead},
      'held: the destination has another address or type than when this was stored; "lead-prequal deliveries show" says what to do',
      `address of ${destination}`,
    ),
  'lead-unreadable': ({lead, destination, reason}) =>
    error(
      {lead, destination, reason},
      'what is stored of a lead cannot be opened: "lead-prequal status" lists such leads',
      `${destination ?? ''} ${lead}`,
    ),
  'delivery-interrupted': facts.error('held: it may have been sent before a process ended'),
  'delivery-settled': ({lead, destination, state, reason}) =>
    state === 'refused' ? error({lead, destination, reason}, 'the destination refused the lead') : undefined,
  'recipient-refused': ({lead, destination, recipient}) =>
    error(
      {lead, destination, recipient},
      'the mail server refuses a recipient, and the others have the e-mail',
      `${destination}: ${recipient}`,
    ),
  'delivery-unrecorded': ({lead, destination, reason}) =>
    error({lead, destination, reason}, 'what became of a delivery could not be written', reason),
  'outbox-unreadable': ({destination, reason}) =>
    warn({destination, reason}, 'the outbox cannot be read', `${destination}: ${reason}`),
};

/** @param isDebug whether the log level is `debug` */
export const lineOf = <Type extends ObservationType>(observation: Observation<Type>, isDebug = false) =>
  lines[observation.type](observation, isDebug);
