/** The log line of each observation. Operators may search for the messages and fields, so they should not change. */
import type {ObservationType, Observation} from './observations.ts';
import {remedyOf} from './causes.ts';
import {noDescriptors} from './file-descriptors.ts';

/** A line without `message` has only fields. */
type Line = {level: 'error' | 'warn' | 'info'; fields: object; message?: string};

/**
 * A line that could come so often that it fills the disk. Of the lines with the same observation and kind, the first is
 * written and the others are counted.
 */
type SampledLine = Line & {
  message: string;
  /** One of a small number of values, such as the reason of an error. It must not be something that a client sent. */
  kind: string;
};

/** @param isDebug whether the log level is `debug`. @returns undefined for an observation without a line */
type ToLine<Type extends ObservationType> = (
  observation: Observation<Type>,
  isDebug: boolean,
) => Line | SampledLine | undefined;

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
  const message = `${path} was answered with ${status}`;
  return {level: 'info', fields, message, kind: `${path} ${status}`};
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
  ready: ({host, port, metrics, script, release, hint}) => ({
    level: 'info',
    // Fields that are undefined are left out of the line.
    fields: {host, port, metrics, script, release, hint},
    message: 'ready',
  }),
  'config-doubtful': ({warning}) => ({
    level: 'warn',
    fields: {warning},
    message: 'the configuration has a setting to look at',
  }),
  'config-noted': ({note}) => ({level: 'info', fields: {}, message: note}),
  'config-reloaded': ({digest, changes, needRestart}) => ({
    level: needRestart.length > 0 ? 'warn' : 'info',
    fields: {digest, changes, ...(needRestart.length > 0 && {needRestart})},
    message:
      needRestart.length > 0
        ? 'the configuration was read again and is in force, but for settings that need a restart'
        : 'the configuration was read again and is in force',
  }),
  'config-refused': ({digest, faults}) => ({
    level: 'error',
    fields: {digest, faults},
    message: 'the configuration was read again and refused: the one before stays in force',
  }),

  draining: ({signal, seconds}) => ({
    level: 'info',
    fields: {seconds},
    message: `${signal}: the port closes in ${seconds} s, or at another signal to stop; /readyz says 503 until then`,
  }),
  stopping: ({reason}) => ({level: 'info', fields: {reason}, message: 'the server stops'}),
  'connections-cut': ({connections}) => ({
    level: 'warn',
    fields: {connections},
    message: 'connections were cut off, because their requests were not complete in time',
  }),
  'deliveries-cut': ({deliveries}) => ({
    level: 'warn',
    fields: {deliveries},
    message: 'deliveries were cut off, because they did not end in time',
  }),
  stopped: ({ms}) => ({level: 'info', fields: {ms}, message: 'the server has stopped'}),
  'stop-timed-out': ({seconds}) => ({
    level: 'error',
    fields: {},
    message: `the server could not stop within ${seconds} s and ends now`,
  }),
  crashed: ({error}) => ({
    level: 'error',
    fields: {err: error},
    message: 'the server ends because of an error that nothing handles',
  }),

  'database-awaited': ({reason, seconds}) => ({
    level: 'warn',
    fields: {reason, remedy: remedyOf(reason), seconds},
    message: `the database cannot be reached; it is tried for ${seconds} s more`,
  }),
  'database-reached': ({seconds}) => ({level: 'info', fields: {seconds}, message: 'the database is there'}),
  'database-created': () => ({
    level: 'info',
    fields: {},
    message: 'the database was empty: its tables were made',
  }),
  'database-upgraded': ({from, to}) => ({
    level: 'info',
    fields: {from, to},
    message: `the database was brought up from version ${from} to version ${to}`,
  }),
  'database-shared': ({path}) => ({
    level: 'warn',
    fields: {path},
    message:
      'another server has the same SQLite file open: stop one of the two, or use PostgreSQL, which several servers can share',
  }),
  'database-readable': ({path}) => ({
    level: 'warn',
    fields: {path},
    message:
      'every user of this machine may read the SQLite file, which belongs to another user: let its owner run "chmod o=" for it and its folder',
  }),
  'database-unencrypted': ({host}) => ({
    level: 'warn',
    fields: {host},
    message:
      'DATABASE_URL asks for no TLS: leads and the password can be read on their way to this database; add sslmode=verify-full',
  }),
  'descriptors-exhausted': ({limit}) => ({
    level: 'error',
    fields: {limit},
    message: `${noDescriptors}; /readyz says 503, and deliveries wait`,
  }),
  'descriptors-available': () => ({
    level: 'info',
    fields: {},
    message: 'there are file descriptors again',
  }),
  'store-failed': ({reason}) => ({
    level: 'error',
    fields: {reason, remedy: remedyOf(reason)},
    message: 'the store does not work: /readyz says so',
  }),
  'store-recovered': () => ({level: 'info', fields: {}, message: 'the store works again'}),
  // Metrics count these; each request has a line of its own.
  'store-written': () => undefined,
  'lead-stored': () => undefined,
  'words-not-kept': ({reason}) => ({
    level: 'warn',
    fields: {reason},
    message:
      'the words of the consent texts, or the public keys of EVIDENCE_KEY, could not be stored: the next reload or start tries again',
  }),
  'expiry-failed': ({reason}) => ({
    level: 'warn',
    fields: {reason},
    message: 'what has expired could not be deleted; it is tried again in an hour',
  }),
  'digests-failed': ({reason}) => ({
    level: 'warn',
    fields: {reason, remedy: remedyOf(reason)},
    message:
      'the digests for searches by person could not be written; until they are, such a search reads more leads',
    kind: reason,
  }),
  'leads-swept': ({leads, consents}) =>
    leads + consents === 0
      ? undefined
      : {
          level: 'info',
          fields: {leads, consents},
          message: 'leads and consents that were kept long enough were erased',
        },
  'sweep-failed': ({reason}) => ({
    level: 'warn',
    fields: {reason, remedy: remedyOf(reason)},
    message: 'what was kept long enough could not be erased; it is tried again in an hour',
  }),

  'request-answered': requestLine,
  'store-unavailable': ({request, reason}) => ({
    level: 'error',
    fields: {request, reason},
    message: 'the store cannot work: 503',
    kind: reason,
  }),
  'request-failed': ({request, error}) => ({level: 'error', fields: {request, err: error}}),
  'connections-exceeded': ({limit}) => ({
    level: 'warn',
    fields: {},
    message: connectionMessages[limit],
    kind: limit,
  }),
  'failures-exceeded': ({network, what}) => ({
    level: 'warn',
    fields: {network},
    message: `${what} of this address are refused for a while`,
  }),
  'withdrawn-version-asked': ({version, origin}) => ({
    level: 'warn',
    fields: {version, origin},
    message: 'a page asks for a withdrawn version of the form: see "lead-prequal versions list"',
    kind: version,
  }),
  'quota-exceeded': ({partner, quota}) => ({
    level: 'error',
    fields: {partner, quota},
    message: 'the partner is over its quota: challenges get harder',
  }),
  'redis-lost': ({reason}) => ({
    level: 'warn',
    fields: {reason, remedy: 'Start Redis, or correct REDIS_URL and restart the server.'},
    message: 'Redis is away: limits and quotas count in memory',
  }),
  'redis-recovered': () => ({
    level: 'info',
    fields: {},
    message: 'Redis is back: limits and quotas are shared again',
  }),

  'destination-unencrypted': ({destination}) => ({
    level: 'warn',
    fields: {destination},
    message:
      'the URL of this destination starts with http://: leads and its password can be read on their way; use https://',
  }),
  'destination-missing': ({destination, deliveries}) => ({
    level: 'error',
    fields: {destination, deliveries},
    message: 'deliveries wait for a destination that is not configured',
  }),
  'alert-failed': ({reason}) => ({
    level: 'error',
    fields: {reason, remedy: remedyOf(reason)},
    message: 'no alert could be sent: "lead-prequal status" says what needs an operator',
    kind: reason,
  }),
  'destination-paused': ({destination, reason}) => ({
    level: 'error',
    fields: {destination, reason, remedy: remedyOf(reason)},
    message: 'the destination is paused: its deliveries wait until it is resumed',
  }),
  'destination-resumed': ({destination}) => ({
    level: 'info',
    fields: {destination},
    message: 'the destination is resumed',
  }),
  'circuit-opened': ({destination, state, reason, until}) => ({
    level: state === 'misconfigured' ? 'error' : 'warn',
    fields: {destination, reason, remedy: remedyOf(reason), until: new Date(until).toISOString()},
    message:
      state === 'misconfigured'
        ? 'the destination refuses our credentials or address: its deliveries wait'
        : 'the destination fails: its deliveries wait',
  }),
  'circuit-closed': ({destination}) => ({
    level: 'info',
    fields: {destination},
    message: 'the destination works again',
  }),
  'break-asked': ({destination, lead, reason, until}) => ({
    level: 'warn',
    fields: {destination, lead, reason, until: new Date(until).toISOString()},
    message: 'the destination asks for a break: its deliveries wait',
    kind: destination,
  }),
  'break-ended': ({destination}) => ({
    level: 'info',
    fields: {destination},
    message: 'an operator ended the break of the destination: it is tried now',
  }),
  'destination-replies': ({destination, state, reason}) =>
    state === 'ok'
      ? {
          level: 'info',
          fields: {destination},
          message: 'the destination answers as it should again',
        }
      : {
          level: 'error',
          fields: {destination, state, reason, remedy: remedyOf(reason ?? '')},
          message:
            state === 'unreadable'
              ? 'the destination gives no reply that can be read'
              : 'the destination refuses every lead',
        },

  'suspect-held': ({lead, partner, destination, reason}) => ({
    level: 'warn',
    fields: {lead, partner, destination, reason},
    message: 'a suspect lead is held for the operator',
  }),
  'lead-suppressed': ({lead, partner}) => ({
    level: 'warn',
    fields: {lead, partner},
    message:
      'held: somebody with the number of this lead took a consent back; "lead-prequal consent list --revoked" says more',
    kind: 'suppressed',
  }),
  'delivery-failed': ({lead, destination, content, attempts, ambiguous, state, reason}) => ({
    level: state === 'waiting' ? 'warn' : 'error',
    fields: {lead, destination, content, attempts, ambiguous, state, reason},
    message: failedMessages[state],
  }),
  'address-changed': ({lead, destination}) => ({
    level: 'warn',
    fields: {destination, lead},
    message:
      'held: the destination has another address or type than when this was stored; "lead-prequal deliveries show" says what to do',
    kind: `address of ${destination}`,
  }),
  'lead-unreadable': ({lead, destination, reason}) => ({
    level: 'error',
    fields: {lead, destination, reason},
    message: 'what is stored of a lead cannot be opened: "lead-prequal status" lists such leads',
    kind: `${destination ?? ''} ${lead}`,
  }),
  'delivery-interrupted': ({lead, destination}) => ({
    level: 'error',
    fields: {lead, destination},
    message: 'held: it may have been sent before a process ended',
  }),
  'delivery-settled': ({lead, destination, state, reason}) =>
    state === 'refused'
      ? {level: 'error', fields: {lead, destination, reason}, message: 'the destination refused the lead'}
      : undefined,
  'recipient-refused': ({lead, destination, recipient}) => ({
    level: 'error',
    fields: {lead, destination, recipient},
    message: 'the mail server refuses a recipient, and the others have the e-mail',
    kind: `${destination}: ${recipient}`,
  }),
  'delivery-unrecorded': ({lead, destination, reason}) => ({
    level: 'error',
    fields: {lead, destination, reason},
    message: 'what became of a delivery could not be written',
    kind: reason,
  }),
  'outbox-unreadable': ({destination, reason}) => ({
    level: 'warn',
    fields: {destination, reason},
    message: 'the outbox cannot be read',
    kind: `${destination}: ${reason}`,
  }),
};

/** @param isDebug whether the log level is `debug` */
export const lineOf = <Type extends ObservationType>(observation: Observation<Type>, isDebug = false) =>
  lines[observation.type](observation, isDebug);
