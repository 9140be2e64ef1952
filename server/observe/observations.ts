/**
 * The observations of the server. Each is emitted once, where it happens. The log listens to them (log-lines.ts says which
 * line an observation becomes), and so do the metrics (metrics.ts).
 *
 * Several observations have these fields: `lead` is the id of a lead, `request` the id of a request, `destination` and
 * `partner` are names from the configuration, and `reason` says in one line why something failed. No observation holds
 * anything that a visitor typed.
 */

import type {LeadStatus} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import type {ProblemCode} from '../../contract/problems.ts';
import type {OverdueCount} from './readings.ts';

type Facts = {
  /**
   * The server accepts connections. `script` is the newest script tag; `release` says whether pages may pin its hash.
   */
  ready: {
    host: string;
    port: number;
    /** The port of the metrics, if there are any. */
    metrics: number | undefined;
    script: string;
    release: boolean;
    hint?: string;
  };
  /** The operators' pages accept connections. `url` is where operators reach them. */
  'pages-ready': {host: string; port: number; url: string};
  'pages-ended': {reason: string; seconds: number};
  /** A setting is probably a mistake, although the server can start with it. `warning` is a sentence without secrets. */
  'config-doubtful': {warning: string};
  /** What an operator should know about the configuration. `note` is a sentence without secrets. */
  'config-noted': {note: string};
  /**
   * The settings and files were read again, and are in force. `changes` are phrases such as `partner acme added`.
   * `needRestart` are the names of settings that have changed but need a restart.
   */
  'config-reloaded': {digest: string; changes: readonly string[]; needRestart: readonly string[]};
  /** They were read again and refused, so the configuration with this digest stays in force. */
  'config-refused': {digest: string; faults: readonly string[]};
  /** The signal to stop came. The server goes on for `seconds`, so that load balancers find other servers. */
  draining: {signal: string; seconds: number};
  /** The server takes no new connections any more. */
  stopping: {reason: string};
  /** Requests still had no complete response when the time for them was over. */
  'connections-cut': {connections: number};
  /** Deliveries were still under way when the time for them was over. */
  'deliveries-cut': {deliveries: number};
  /** The server has stopped in order. `ms` is the time since it began to stop. */
  stopped: {ms: number};
  /** The server could not stop in time, so the process ends as it is. */
  'stop-timed-out': {seconds: number};
  /** The process ends, because nothing handles this error. */
  crashed: {error: unknown};

  /** PostgreSQL cannot be reached at start. The server retries for `seconds` more. */
  'database-awaited': {reason: string; seconds: number};
  /** PostgreSQL was reached after `seconds` of waiting. */
  'database-reached': {seconds: number};
  /** The database was empty, and got its tables. */
  'database-created': object;
  /** The tables were those of an earlier release. `from` and `to` are versions of the tables. */
  'database-upgraded': {from: number; to: number};
  /** Another server uses the SQLite file. */
  'database-shared': {path: string};
  /** Users outside its group may read the SQLite file, which belongs to another user. */
  'database-readable': {path: string};
  /** The database is reached over a network without TLS, so that leads and its password can be read there. */
  'database-unencrypted': {host: string};
  /** Leads cannot be stored or read now. */
  'store-failed': {reason: string};
  'store-recovered': object;
  /** A lead, or a trial write, was committed. `ms` is the time that it took, the waiting for earlier commits included. */
  'store-written': {ms: number};
  /** The words of the consent texts in force, or a key that signs consents, could not be stored. */
  'words-not-kept': {reason: string};
  /** A key of statements about consents is lost, or somebody may have written it into the store. */
  'evidence-doubtful': {warning: string};
  /** Expired keys, digests and proofs could not be deleted. */
  'expiry-failed': {reason: string};
  /** The digests for searches by person could not be written, so searches read leads that have none. */
  'digests-failed': {reason: string};
  /** Something personal is in clear in the store, and is encrypted from now on, while the server works. */
  'clear-found': object;
  /** How many rows of it are encrypted so far. */
  'clear-sealing': {rows: number};
  /** All of it is encrypted, and SQLite now writes its file anew, for which it needs up to this room on the disk. */
  'clear-rewriting': {bytes: number};
  /** Nothing is in clear any more. `ms`: how long SQLite wrote its file anew. */
  'clear-sealed': {rows: number; ms?: number};
  /** Something stays in clear for now. `isAgain`: it is tried again soon, and not only at the next start. */
  'clear-left': {reason: string; isAgain: boolean};
  /** These leads stay in clear, because their rows are damaged. */
  'clear-unreadable': {leads: readonly string[]};
  /** A run of the retention job has ended, and has erased this many leads and consents that were kept long enough; `overdue` it left. */
  'retention-applied': {leads: number; consents: number; overdue: readonly OverdueCount[]};
  /** A run of the retention job has failed, so leads or consents that were kept long enough may not be erased yet. */
  'retention-failed': {reason: string};

  /** A response was sent, or the client disconnected before. `ms` is the time since the headers arrived. */
  'request-answered': {
    request: string;
    method: string;
    /** The route, such as `/json/leads/:id`. The path itself could hold personal data. */
    path: string;
    /** Whether the route belongs to one of the two APIs. */
    isOperation: boolean;
    status: number;
    ms: number;
    caller: string | undefined;
    partner: string | undefined;
    lead: string | undefined;
    /** Why the request was refused, if it was. */
    problem: ProblemCode | undefined;
  };
  /** A request got a 503 because of an outage of the store. */
  'store-unavailable': {request: string; reason: string};
  /** A request got a 500 because of an unexpected error. */
  'request-failed': {request: string; error: unknown};
  /**
   * A connection was closed, because there are too many in all, too many of one address, or too many requests on it.
   */
  'connections-exceeded': {
    limit: 'connections' | 'connections of one address' | 'requests of one connection' | 'unread responses';
  };
  /**
   * A network is refused for a while after too many failures. `what` names their kind in the plural, such as
   * `sign-ins`.
   */
  'failures-exceeded': {network: string; what: string};
  /** A page of this origin asked for a version of the form that was withdrawn. The origin is one that a partner lists. */
  'withdrawn-version-asked': {version: string; origin: string};
  /** A partner has sent more leads in an hour than its quota. */
  'quota-exceeded': {partner: string; quota: number};
  /** Redis cannot be used. Rate limits and quotas are counted in the memory of this process. */
  'redis-lost': {reason: string};
  'redis-recovered': object;

  /** A destination is reached over plain HTTP, so that leads and its password can be read on the network. */
  'destination-unencrypted': {destination: string};
  /** Deliveries wait for a destination that is not in the configuration. */
  'destination-missing': {destination: string; deliveries: number};
  /** No e-mail could tell operators what destinations need. */
  'alert-failed': {reason: string};
  /** The destination gets nothing until an operator resumes it. */
  'destination-paused': {destination: string; reason: string};
  'destination-resumed': {destination: string};
  /** The circuit breaker opened: the destination gets nothing for a while. Trials that fail for the same reason emit none. */
  'circuit-opened': {
    destination: string;
    state: 'failing' | 'misconfigured' | 'unreadable';
    reason: string;
    /** When the first trial may be made, in milliseconds since 1970. */
    until: number;
  };
  'circuit-closed': {destination: string};
  /**
   * With its reply to this lead, the destination asked that nothing is sent to it until a time, in milliseconds since
   * 1970.
   */
  'break-asked': {destination: string; lead: string; reason: string; until: number};
  /** An operator ended the break of a destination, so that it is tried at once. */
  'break-ended': {destination: string};
  /**
   * The last replies of a destination were all refusals (`refusing`), or all lost or unreadable (`unreadable`). `ok`
   * when this has ended.
   */
  'destination-replies': {
    destination: string;
    state: 'ok' | 'unreadable' | 'refusing';
    reason: string | null;
  };

  /** A lead was committed, and `answer` is what its sender is told. `partner` is null for a lead of a caller. */
  'lead-stored': {lead: string; partner: string | null; leadType: LeadType; answer: LeadStatus};
  /** At the start, after a restore: what the file of erasures lists was done again. */
  'store-repaired': Record<'erased' | 'revoked' | 'numbers' | 'lawsuits' | 'requests', number> & {
    out_of_files: boolean;
  };
  /** Something of the file of erasures is missing, or cannot be done. */
  'erasures-doubtful': {reason: string};
  /** The lead is held, because somebody with its number revoked a consent. */
  'lead-suppressed': {lead: string; partner: string | null};
  /** A lead that a bot may have sent is held until an operator decides. */
  'suspect-held': {lead: string; partner: string | null; destination: string; reason: string | null};
  /**
   * An attempt failed. The delivery waits for its next attempt, is held until an operator decides, or is given up.
   * `content` is what the delivery takes to the destination (leads/deliveries.ts).
   */
  'delivery-failed': {
    lead: string;
    destination: string;
    content: string;
    attempts: number;
    /** Whether the destination may have the lead now. */
    ambiguous: boolean;
    state: 'waiting' | 'held' | 'failed';
    reason: string;
  };
  /**
   * A process ended during a delivery, so nobody knows whether the destination has the lead. With `on_lost_reply: hold`
   * the delivery is held until an operator decides. With `send` the lead is sent again, and there is no such observation.
   */
  'delivery-interrupted': {lead: string; destination: string};
  /** The delivery was stored for another kind or address of the destination, and is held until an operator accepts it. */
  'address-changed': {lead: string; destination: string};
  /**
   * The stored data of a lead cannot be opened. Either a request wanted to read it (`reason`), or a delivery needs it
   * (`destination`), or the retention job left it unchanged.
   */
  'lead-unreadable': {lead: string; destination?: string; reason?: string};
  /** The destination has the delivery, or will never accept it (`refused`, with a reason). */
  'delivery-settled': {
    lead: string;
    destination: string;
    state: 'delivered' | 'refused' | 'dropped';
    reason: string | null;
  };
  /** A mail server refuses one of several recipients for good: `recipient` is the address and the status. */
  'recipient-refused': {lead: string; destination: string; recipient: string};
  /** The outcome of a delivery could not be stored. */
  'delivery-unrecorded': {lead: string; destination: string; reason: string};
  /** A worker could not read which deliveries are due. */
  'outbox-unreadable': {destination: string; reason: string};
};

export type ObservationType = keyof Facts;

/** Any observation, or one of the given types. */
export type Observation<Type extends ObservationType = ObservationType> = {
  [Each in Type]: {type: Each} & Facts[Each];
}[Type];

export type Emit = (observation: Observation) => void;
