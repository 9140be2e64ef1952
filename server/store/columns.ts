/**
 * All tables of the store with their columns. From `tables` are made: the types of rows, CREATE TABLE, inserts, the record types
 * that PostgreSQL reads from JSON, and the upgrades of older databases (schema.ts).
 *
 * To add a column, table or index, add it here with `since`, the next version of the schema. New databases get it when they are
 * created, and older databases when the server starts. A new column of an older table must allow NULL. Older servers may keep
 * running beside the new one, so everything that their statements need must stay (CONTRIBUTING.md, "A change of the tables").
 */
import {specifiedAmounts} from '../../contract/amounts.ts';
import {tableOf} from '../../contract/table-of.ts';
import {
  confirmationDecisions,
  deliveryContents,
  deliveryReasons,
  deliveryStates,
} from '../leads/deliveries.ts';
import {roles} from '../leads/operators.ts';
import {outcomes} from '../leads/outcomes.ts';
import {requestKinds} from '../leads/privacy-requests.ts';
import {suppressionKinds} from '../leads/revocation.ts';
import {viewStages} from '../versions/request-counts.ts';

export type Column = {
  type: 'text' | 'integer' | 'blob';
  null?: true;
  /** The only texts that the column may hold. */
  oneOf?: readonly string[];
  /** The SQL of a CHECK constraint. */
  check?: string;
  references?: 'leads';
  since?: number;
};

export type Index = {on: readonly string[]; where?: string; since?: number};

export type Table = {
  columns: Readonly<Record<string, Column>>;
  primaryKey: readonly string[];
  /**
   * On SQLite, makes a table with rowids, whose rows are stored in the order of insertion. Without rowids, a row of more than
   * 1,002 bytes would need a page of its own.
   */
  hasLargeRows?: boolean;
  indexes?: Readonly<Record<string, Index>>;
  since?: number;
};

const text = {type: 'text'} as const;
const integer = {type: 'integer'} as const;
const blob = {type: 'blob'} as const;
const textOrNull = {...text, null: true} as const;
const integerOrNull = {...integer, null: true} as const;
const lead = {...text, references: 'leads'} as const;
/** The key of a table with one row. */
const onlyRow = {...integer, check: 'id = 1'} as const;
/** Conditions of indexes. */
const isOpen = 'settled_at IS NULL';
const isGranted = "decision = 'granted'";

/**
 * Times are milliseconds since 1970, amounts are whole US dollars. Tables, columns and indexes without `since` are
 * those of version 1.0.0.
 */
export const tables = {
  leads: {
    columns: {
      id: text,
      created_at: integer,
      cid: text,
      partner: textOrNull,
      lead_type: text,
      // Personal data is in `sealed`. Before 2.0, without a data key, it was stored unencrypted in these columns
      // (`nothingInClear` in personal-data.ts), and it stays here until a server has encrypted it. The columns remain, because
      // during that time the statements of all servers must find them.
      /** The fields of the lead, as JSON. Called `lead` before 2.0, so that such servers now fail, and write nothing unencrypted. */
      clear_lead: text,
      suspect: textOrNull,
      supersedes: textOrNull,
      duplicate_of: textOrNull,
      status: {...text, oneOf: ['done', 'pending', 'refused']},
      ...tableOf(specifiedAmounts, () => integerOrNull),
      reasons: text,
      policy_version: textOrNull,
      /** How the visitor came to the site, as JSON. */
      attribution: textOrNull,
      // The campaign is a part of the attribution. It is repeated here unencrypted, because operators list leads by campaign. It
      // is not personal data: it names an advertisement, while the click ids identify a person.
      utm_source: {...textOrNull, since: 7},
      utm_medium: {...textOrNull, since: 7},
      utm_campaign: {...textOrNull, since: 7},
      /** Hidden fields of the page, as JSON. */
      context: {...textOrNull, since: 11},
      /** When the personal data was erased. The row is kept, so that the lead does not seem to be lost. */
      erased_at: {...integerOrNull, since: 13},
      /** When the consent was revoked, and whether only for the lead's partner or for all. */
      revoked_at: {...integerOrNull, since: 16},
      revoked_for: {...textOrNull, since: 16},
      /** When the lead was stored, if it is held because of its number. NULL once an operator allows it. Until then, nothing is sent. */
      suppressed_at: {...integerOrNull, since: 16},
      /** When somebody with the same mailbox and another number said stop. The lead is not held for that reason. */
      mailbox_stopped_at: {...integerOrNull, since: 18},
    },
    primaryKey: ['id'],
    indexes: {
      // For an operator who deletes a lead by hand, and looks for its duplicates. The server does not use this index.
      leads_duplicate_of: {on: ['duplicate_of'], where: 'duplicate_of IS NOT NULL', since: 4},
      // For operators who look at a lead that was corrected.
      leads_supersedes: {on: ['supersedes'], where: 'supersedes IS NOT NULL', since: 8},
      // For operators, who list and count leads by any combination of these columns (lead-queries.ts). An id is a UUID version 7,
      // which begins with the time, so this index is in the order of time, and a new lead is added at its end. A list
      // reads it from the newest lead on, and never reads the rows of other leads.
      leads_overview: {on: ['id', 'partner', 'status', 'utm_campaign'], since: 8},
      // For operators who look for a lead by its reference, which is made of the end of the id.
      leads_reference: {on: ['substr(id, 27)'], since: 8},
      // For operators who list leads that are held because of their numbers.
      leads_suppressed: {on: ['id'], where: 'suppressed_at IS NOT NULL', since: 16},
    },
  },

  idempotency_keys: {
    columns: {owner: text, digest: text, fingerprint: text, lead_id: lead, created_at: integer},
    primaryKey: ['owner', 'digest'],
    // When a lead is deleted by hand, the database searches the tables that reference it.
    indexes: {idempotency_keys_lead: {on: ['lead_id'], since: 4}},
  },

  same_leads: {
    columns: {partner: text, digest: text, lead_id: lead, created_at: integer},
    primaryKey: ['partner', 'digest'],
    indexes: {same_leads_lead: {on: ['lead_id'], since: 4}},
  },

  spent_proofs: {columns: {nonce: text, expires_at: integer}, primaryKey: ['nonce']},

  consents: {
    columns: {
      lead_id: lead,
      /** The record of the consent of a lead that is not encrypted yet, as JSON. */
      consent: text,
    },
    primaryKey: ['lead_id'],
  },

  /** The personal data of leads, encrypted with a data key (encryption.ts). */
  sealed: {
    columns: {
      lead_id: lead,
      /** Which part of the lead it is (`Part` in encryption.ts). */
      part: text,
      /** The check value of the key that encrypts it. 0 if a version before 2.0 stored it unencrypted. */
      data_key: integer,
      blob,
    },
    primaryKey: ['lead_id', 'part'],
    hasLargeRows: true,
    indexes: {
      // For the retention job, which looks for consents that were kept long enough.
      sealed_consents: {on: ['lead_id'], where: "part = 'consent'"},
    },
    since: 13,
  },

  /** The leads that were read lately and could not be decrypted (unreadable-leads.ts). */
  unreadable_leads: {
    columns: {
      /** Not a foreign key, so that an operator can delete a lead by hand without regard to this table. */
      lead_id: text,
      met_at: integer,
    },
    primaryKey: ['lead_id'],
    since: 13,
  },

  /** The data keys that something may be encrypted with, by their check values. 0 stands for unencrypted data. */
  data_keys: {
    columns: {
      check_value: integer,
      since: integer,
      /** When an operator noted that the key is copied to a safe place. */
      saved_at: {...integerOrNull, since: 20},
      /** When a rotation had encrypted everything with this key. */
      alone_since: {...integerOrNull, since: 20},
      data_key: {...integerOrNull, since: 20},
      /** In row 0: the encrypted mark without which no unencrypted data is read (clear-mark.ts). */
      blob: {...blob, null: true, since: 20},
    },
    primaryKey: ['check_value'],
    since: 13,
  },

  /**
   * The hidden fields by which operators filter leads. They are repeated here unencrypted, because they are not personal data.
   * The primary key sorts the leads with one value by time, as `leads_overview` sorts all leads.
   */
  context_values: {
    columns: {name: text, value: text, lead_id: lead},
    primaryKey: ['name', 'value', 'lead_id'],
    indexes: {context_values_lead: {on: ['lead_id']}},
    since: 11,
  },

  /**
   * One row for each lead, destination, and content that the destination gets. The rows without `settled_at` are the
   * outbox.
   */
  deliveries: {
    columns: {
      lead_id: lead,
      destination: text,
      /** What the delivery takes to the destination (leads/deliveries.ts). */
      content: {...text, oneOf: deliveryContents, since: 8},
      /** 1 if the lead waits for this destination's answer, 0 if the destination only receives the lead. */
      gives_answer: integer,
      state: {...text, oneOf: deliveryStates},
      attempts: integer,
      /** After how many attempts it was unknown whether the destination has the lead. Includes attempts during outages. */
      ambiguous: integer,
      /** How many of the ambiguous attempts count towards the limit after which the delivery is held. */
      ambiguous_counted: integer,
      next_attempt_at: integer,
      /** 0 while no process works on the delivery. */
      leased_until: integer,
      last_error: textOrNull,
      /** The id that the destination gave to the lead. */
      remote_id: textOrNull,
      /** When the delivery succeeded, or an operator dropped it. NULL while the delivery is in the outbox. */
      settled_at: integerOrNull,
      /** When the event happened that the delivery reports, such as when the lead was stored or answered. */
      happened_at: {...integer, since: 8},
      /** When the first attempt failed. Starts again after the delivery was held, given up or paused, or got another address. */
      failing_since: {...integerOrNull, since: 8},
      /** Only before 2.0: the first characters of the last reply, unencrypted, as JSON. They are in `sealed` now. */
      last_reply: {...textOrNull, since: 8},
      /**
       * The recipients of an e-mail that has not reached all of them, as JSON (`Recipients`). NULL until it has reached some of
       * them.
       */
      recipients: {...textOrNull, since: 10},
      /** The kind and address of the destination that it was stored for. NULL for any, and in rows of earlier versions. */
      address: {...textOrNull, since: 12},
      /** Addresses at which the delivery may have arrived before an operator accepted another one, separated by spaces. */
      former_addresses: {...textOrNull, since: 15},
      /** Why the delivery is held or waits. Either this or `last_error` is NULL. */
      reason: {...textOrNull, oneOf: deliveryReasons, since: 21},
    },
    primaryKey: ['lead_id', 'destination', 'content'],
    indexes: {
      deliveries_due: {on: ['destination', 'next_attempt_at'], where: "state = 'waiting'", since: 8},
      // For the lists and counts of operators. They find the rows in this index alone.
      deliveries_open: {on: ['lead_id', 'destination', 'content', 'state'], where: isOpen, since: 8},
      // For operators who look for the few held and refused deliveries among many waiting deliveries.
      deliveries_stopped: {
        on: ['state', 'lead_id', 'destination', 'content'],
        where: `${isOpen} AND state <> 'waiting'`,
        since: 8,
      },
      // Finds the undelivered events of stops and erasures at once, also where very many other deliveries wait.
      deliveries_stops: {
        on: ['destination', 'next_attempt_at'],
        where: `${isOpen} AND content IN ('erased', 'revoked')`,
        since: 18,
      },
    },
    since: 7,
  },

  /** Further destinations of a lead that depend on amounts which its upstream has not sent yet (`OpenRoute`). */
  open_routes: {
    columns: {lead_id: lead, destination: text, content: text, address: textOrNull, least: integerOrNull},
    primaryKey: ['lead_id', 'destination'],
    since: 22,
  },

  /** The confirmations that were requested in the last day, whether sent or not (`ConfirmationRequest`). */
  confirmations: {
    columns: {
      lead_id: lead,
      partner: text,
      address: text,
      network: text,
      language: text,
      created_at: integer,
      /** NULL until a process is about to send the confirmation. */
      decision: {...textOrNull, oneOf: confirmationDecisions},
      decided_at: integerOrNull,
      /** The /56 and the /48 around an IPv6 network. */
      network_56: {...textOrNull, since: 13},
      network_48: {...textOrNull, since: 13},
    },
    primaryKey: ['lead_id'],
    indexes: {
      confirmations_address: {on: ['address', 'decided_at'], where: isGranted},
      confirmations_network: {on: ['network', 'decided_at'], where: isGranted},
      confirmations_network_56: {on: ['network_56', 'decided_at'], where: isGranted, since: 13},
      confirmations_network_48: {on: ['network_48', 'decided_at'], where: isGranted, since: 13},
      confirmations_partner: {on: ['partner', 'decided_at'], where: isGranted},
    },
    since: 11,
  },

  /** The destinations that are paused until an operator resumes them. */
  paused_destinations: {
    columns: {
      destination: text,
      paused_at: integer,
      reason: text,
      /** 1 if the destination's reply was 410 (Gone), and no operator has paused it. */
      is_gone: {...integerOrNull, since: 18},
    },
    primaryKey: ['destination'],
    since: 8,
  },

  /** Only for servers before 1.8: the destinations that need an operator. `troubles` replaced it. */
  alerts: {
    columns: {destination: text, seen_at: integer, told: integer, due_at: integer, last_error: textOrNull},
    primaryKey: ['destination'],
    since: 14,
  },

  /** Problems that alerts by e-mail report (alerts.ts). A row is deleted when its problem is over. */
  troubles: {
    columns: {
      /** The kind of its findings and their subject, such as `destination crm`. */
      name: text,
      /** The text for the subject line of all its e-mails. */
      title: text,
      /** When a process first found the problem, and when one last did. */
      began_at: integer,
      seen_at: integer,
      /** 1 once an e-mail has reported it, 2 once a process has begun to report that it is over. */
      told: integer,
      /** When the next e-mail is due, or the lease of the process that sends it ends. */
      due_at: integer,
      /** Why the last e-mail was not sent. */
      last_error: textOrNull,
    },
    primaryKey: ['name'],
    since: 19,
  },

  /** When an operator last closed the circuit breaker of a destination by hand. When this changes, all processes close theirs. */
  break_ends: {columns: {destination: text, ended_at: integer}, primaryKey: ['destination'], since: 10},

  /** The text of each version of a partner's consent, as the first lead with it was stored (leads/consent-texts.ts). */
  consent_texts: {
    columns: {
      /** The key of the partner, with the language of the text if the configuration has languages: `acme/es`. */
      partner: text,
      version: text,
      text_hash: text,
    },
    primaryKey: ['partner', 'version'],
    since: 10,
  },

  /**
   * The words of each consent text, by the hash that consents refer to. Each text has two rows: as configured, and as forms
   * before 1.4 get it. The words are not personal, and are kept when leads are erased. For leads from before version 1.6, the
   * words were not stored.
   */
  consent_words: {columns: {text_hash: text, words: text}, primaryKey: ['text_hash'], since: 13},

  /**
   * Digests by which leads and kept consents are found by telephone number and e-mail address (person-queries.ts). There is no foreign key
   * and no index by lead, because rows are written later than the lead, and an erasure computes the digests that it deletes.
   */
  person_digests: {columns: {digest: text, lead_id: text}, primaryKey: ['digest', 'lead_id'], since: 15},

  /** One row: the encrypted key of `person_digests`, and the lead up to which these are written. */
  person_search: {
    columns: {id: onlyRow, data_key: integer, blob, done_until: text},
    primaryKey: ['id'],
    since: 15,
  },

  /**
   * The numbers and mailboxes of people who revoked their consent, as keyed digests (person-queries.ts), so that later leads with
   * these numbers are held. These rows are kept when leads are deleted.
   */
  suppressed: {
    columns: {
      digest: text,
      /** For whom it is suppressed, as `scopesOf` in leads/revocation.ts says it. */
      scope: text,
      since: integer,
      /** When an operator decided that later leads may be sent, and why. NULL while they are held. */
      decided_at: integerOrNull,
      reason: textOrNull,
      /** What the digest was made of. NULL for a number. */
      kind: {...textOrNull, oneOf: suppressionKinds, since: 18},
      /** When somebody with another e-mail address asked to stop calls to this number, so that an operator must decide. NULL for any other stop. */
      asked_at: {...integerOrNull, since: 18},
    },
    primaryKey: ['digest', 'scope'],
    since: 16,
  },

  /** All stops, questions and decisions about numbers (`StopEvent` in leads/revocation.ts). Rows are never changed or deleted. */
  stops: {
    columns: {
      id: text,
      kind: {...text, oneOf: ['stop', 'ask', 'allow']},
      /** The digest of the number. Empty if it is not known. */
      digest: text,
      scope: text,
      lead_id: textOrNull,
      asked_at: integer,
      entered_at: integer,
      way: textOrNull,
      reason: textOrNull,
    },
    primaryKey: ['id'],
    indexes: {stops_digest: {on: ['digest']}, stops_lead: {on: ['lead_id'], where: 'lead_id IS NOT NULL'}},
    since: 18,
  },

  /** One row: the time up to which the store knows the lines of the file of erasures. A restore is noticed by it (admin/repairing.ts). */
  erasures_file: {columns: {id: onlyRow, known_until: integer}, primaryKey: ['id'], since: 18},

  /** Requests to erase, to know or to correct (leads/privacy-requests.ts). Ended ones are kept for 24 months. */
  privacy_requests: {
    columns: {
      lead_id: text,
      kind: {...text, oneOf: requestKinds},
      asked_at: integer,
      entered_at: integer,
      way: text,
      /** NULL while the request waits. */
      ended_at: integerOrNull,
      answer: textOrNull,
    },
    primaryKey: ['lead_id', 'kind', 'entered_at'],
    since: 22,
  },

  /** Leads that are kept for a lawsuit (leads/privacy-requests.ts). */
  legal_holds: {
    columns: {lead_id: text, kept_until: integer, reason: text, entered_at: integer},
    primaryKey: ['lead_id'],
    indexes: {legal_holds_until: {on: ['kept_until', 'lead_id']}},
    since: 22,
  },

  /** What became of leads after calls (`OutcomeEntry`). Rows are only added. Amounts and notes are in `sealed`. */
  outcomes: {
    columns: {
      lead_id: lead,
      id: text,
      at: integer,
      actor: text,
      outcome: {...textOrNull, oneOf: outcomes},
      undoes: textOrNull,
    },
    primaryKey: ['lead_id', 'id'],
    indexes: {
      outcomes_newest: {on: ['lead_id', 'at']},
      // For lists of leads with an outcome, and of those whom somebody has called.
      outcomes_list: {on: ['outcome', 'lead_id']},
      outcomes_actor: {on: ['actor', 'lead_id']},
    },
    since: 23,
  },

  /** Only for servers before 2.0: requests to erase leads. */
  erasure_requests: {columns: {lead_id: text, requested_at: integer}, primaryKey: ['lead_id'], since: 16},

  /** Who looked at personal data, or changed it (leads/audit.ts). */
  audit: {
    columns: {
      /** A UUID version 7, or for the reads of an API caller on one day, an id made of the day and the caller. */
      id: text,
      at: integer,
      /** The account on the machine, `caller` or `operator` with the name, or `visitor`. */
      actor: text,
      /** The words of the command, such as `leads show`. */
      action: text,
      /** The filter that selected the leads, as JSON, without personal values. */
      filter: text,
      /** The number of leads, and the ids of the first ones, as JSON. */
      leads: integer,
      ids: text,
    },
    primaryKey: ['id'],
    // For the list of who looked at one lead.
    indexes: {audit_lead: {on: ['ids'], where: 'leads = 1', since: 17}},
    since: 16,
  },

  /** The leads of entries with several leads, if the entry has all their ids. Entries with one lead are found by `audit_lead`. */
  audit_leads: {columns: {lead_id: text, id: text}, primaryKey: ['lead_id', 'id'], since: 18},

  /** Who may use the operators' pages (leads/operators.ts). */
  operators: {
    columns: {
      id: text,
      name: text,
      role: {...text, oneOf: roles},
      created_at: integer,
      revoked_at: integerOrNull,
    },
    primaryKey: ['id'],
    since: 17,
  },

  passkeys: {
    columns: {
      credential: text,
      operator: text,
      public_key: blob,
      counter: integer,
      is_synced: integer,
      created_at: integer,
      used_at: integerOrNull,
    },
    primaryKey: ['credential'],
    indexes: {passkeys_operator: {on: ['operator']}},
    since: 17,
  },

  /** Invitations of operators, by the digest of the secret in the link. */
  invitations: {
    columns: {digest: text, operator: text, expires_at: integer},
    primaryKey: ['digest'],
    since: 17,
  },

  /** Sessions of operators, by the digest of the secret in the cookie. */
  operator_sessions: {
    columns: {digest: text, operator: text, began_at: integer, expires_at: integer, zone: text, agent: text},
    primaryKey: ['digest'],
    indexes: {operator_sessions_operator: {on: ['operator']}},
    since: 17,
  },

  /** The number of leads on each past day, by partner (leads/figures.ts). */
  lead_days: {
    columns: {
      /** When the day began, in UTC. */
      day: integer,
      /** Empty for the callers of `/json/leads`. */
      partner: text,
      leads: integer,
      /** The id of the last lead of the day. */
      newest: text,
    },
    primaryKey: ['day', 'partner'],
    since: 17,
  },

  /** The keys of all statements about consents. Rows without a blob are ignored (evidence-queries.ts). */
  evidence_keys: {
    columns: {
      /** The thumbprint of the key (RFC 7638). */
      id: text,
      /** 32 bytes, in base64url. Servers before version 2.0 publish it. */
      public_key: text,
      since: integer,
      data_key: {...integerOrNull, since: 20},
      /** An `EvidenceKey` without its id, as encrypted JSON. */
      blob: {...blob, null: true, since: 20},
    },
    primaryKey: ['id'],
    since: 15,
  },

  /** The addresses of each destination: the host or mailboxes, and when deliveries went there. */
  destination_addresses: {
    columns: {
      destination: text,
      /** As in `deliveries`. */
      address: text,
      /** The host or the mailboxes, for operators. */
      place: text,
      /** 0 until a delivery may have arrived at this address. */
      first_used: integer,
      last_used: integer,
    },
    primaryKey: ['destination', 'address'],
    since: 15,
  },

  /** The last report of each process that is running, or was lately (reload/reloads.ts). */
  processes: {
    columns: {
      id: text,
      seen_at: integer,
      /** A `ProcessReport`, as JSON. */
      report: text,
    },
    primaryKey: ['id'],
    since: 12,
  },

  /** One row: the last request of an operator that all processes reload their configuration. */
  reload_requests: {columns: {id: onlyRow, request: text}, primaryKey: ['id'], since: 12},

  /** How often pages of an origin requested a version of the form on one day (versions/request-counts.ts). */
  version_requests: {
    columns: {
      /** When the day began, in UTC. */
      day: integer,
      version: text,
      origin: text,
      requests: integer,
    },
    primaryKey: ['day', 'version', 'origin'],
    since: 9,
  },

  /** How often the form of a partner was shown or begun on the pages of an origin on a day (versions/request-counts.ts). */
  page_views: {
    columns: {
      /** When the day began, in UTC. */
      day: integer,
      partner: text,
      origin: text,
      version: text,
      stage: {...text, oneOf: viewStages},
      requests: integer,
    },
    primaryKey: ['day', 'partner', 'origin', 'version', 'stage'],
    since: 23,
  },

  /** One row, which is updated regularly to check that the database accepts writes. */
  heartbeat: {columns: {id: onlyRow, written_at: integer, filler: text}, primaryKey: ['id'], since: 5},

  /** One row: the oldest version of a server that can use these tables (schema.ts). */
  schema_compatibility: {columns: {id: onlyRow, oldest_server: integer}, primaryKey: ['id'], since: 12},

  /** At most one row: why no server may start on this store. Only versions 1.6 to 1.8 wrote it (`StoreMark`). */
  store_mark: {
    columns: {
      id: onlyRow,
      mark: {...text, oneOf: ['moved', 'unfinished']},
      /** Where the leads were moved to, or are being copied from: a file, or a URL without secrets. */
      place: text,
    },
    primaryKey: ['id'],
    since: 13,
  },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof tables;
export type IndexName = keyof typeof tables.leads.indexes | keyof typeof tables.deliveries.indexes;
export type Value = string | number | Uint8Array | null;

type ValueOf<Of extends Column> =
  | (Of extends {oneOf: readonly (infer Text)[]}
      ? Text
      : Of['type'] extends 'integer'
        ? number
        : Of['type'] extends 'blob'
          ? Uint8Array
          : string)
  | (Of extends {null: true} ? null : never);
type ColumnsOf<Name extends TableName> = (typeof tables)[Name]['columns'];

/** A whole row of a table. */
export type RowOf<Name extends TableName> = {
  [Key in keyof ColumnsOf<Name>]: ColumnsOf<Name>[Key] extends Column ? ValueOf<ColumnsOf<Name>[Key]> : never;
};
type MayBeNull<Row> = {[Key in keyof Row]: null extends Row[Key] ? Key : never}[keyof Row];
/** A row to insert. Missing columns become NULL. */
export type NewRowOf<Name extends TableName> = Omit<RowOf<Name>, MayBeNull<RowOf<Name>>> &
  Partial<Pick<RowOf<Name>, MayBeNull<RowOf<Name>>>>;
