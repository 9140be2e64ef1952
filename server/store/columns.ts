/**
 * All tables of the store with their columns. From `tables` are made: the types of rows, CREATE TABLE, inserts, the
 * record types that PostgreSQL reads from JSON, and the upgrades of older databases (schema.ts).
 *
 * To add a column, table or index, add it here with `since`, the next version of the schema. New databases get it when
 * they are created, and older databases when the server starts. A new column of an older table must allow NULL. Older
 * servers may go on beside the new one, so what their statements need must stay (CONTRIBUTING.md, "A change of the
 * tables").
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
import {requestKinds} from '../leads/privacy-requests.ts';
import {suppressionKinds} from '../leads/revocation.ts';

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
   * On SQLite, the rows stand in the order in which they were inserted, and the primary key is an index. Elsewhere a row
   * of more than 1,002 bytes needs a page of its own.
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
      // What is personal stands in `sealed`. In these columns (`nothingInClear` in personal-data.ts), versions before 2.0
      // stored it in clear if there was no data key, and it stays there until a server has encrypted it. The columns stay: while
      // it encrypts, each statement must know them, also those of other servers.
      /** The fields of the lead, as JSON. It was `lead` before 2.0, whose servers fail without it: they would write in clear. */
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
      // The campaign is a part of the attribution, and always repeated here in clear, because operators list leads by
      // campaign. It is not personal data: it names an advertisement, while the click ids identify a person.
      utm_source: {...textOrNull, since: 7},
      utm_medium: {...textOrNull, since: 7},
      utm_campaign: {...textOrNull, since: 7},
      /** Hidden fields of the page, as JSON. */
      context: {...textOrNull, since: 11},
      /** When the personal data was erased. The row stays, so that nobody takes the lead for one that was lost. */
      erased_at: {...integerOrNull, since: 13},
      /** When the consent was revoked, and whether for the partner of the lead alone or for all. */
      revoked_at: {...integerOrNull, since: 16},
      revoked_for: {...textOrNull, since: 16},
      /** When the lead came, if it is held because of its number, until an operator allows it. Nothing of it goes out. */
      suppressed_at: {...integerOrNull, since: 16},
      /** When somebody with the same mailbox and another number had said stop. Nothing is held for that. */
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
      // For operators who look at what is held because of numbers.
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
      /** The record of the consent of a lead that is in clear, as JSON. */
      consent: text,
    },
    primaryKey: ['lead_id'],
  },

  /** The personal data of leads, encrypted with a data key (encryption.ts). */
  sealed: {
    columns: {
      lead_id: lead,
      /** What of the lead it is (`partOf…` in encryption.ts). */
      part: text,
      /** The check value of the key with which it is encrypted. 0 if a version before 2.0 left it in clear. */
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

  /** The leads that somebody wanted to read lately, and that could not be opened (unreadable-leads.ts). */
  unreadable_leads: {
    columns: {
      /** No reference, so that nobody who deletes a lead by hand has to know of this table. */
      lead_id: text,
      met_at: integer,
    },
    primaryKey: ['lead_id'],
    since: 13,
  },

  /** The data keys with which something may be encrypted, by their check values. 0 stands for data in clear. */
  data_keys: {
    columns: {
      check_value: integer,
      since: integer,
      /** When an operator said that the key is copied to a safe place. */
      saved_at: {...integerOrNull, since: 20},
      /** When everything was encrypted with this key, after another one. */
      alone_since: {...integerOrNull, since: 20},
      data_key: {...integerOrNull, since: 20},
      /** Of 0: the encrypted mark without which nothing in clear is read (clear-mark.ts). */
      blob: {...blob, null: true, since: 20},
    },
    primaryKey: ['check_value'],
    since: 13,
  },

  /**
   * The hidden fields by which operators filter leads, repeated here in clear, because they are not personal
   * data. The primary key has the leads of a value in the order of time, as `leads_overview` has all leads.
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
      /** 1 if the destination answers the lead, 0 if it only receives the lead. */
      gives_answer: integer,
      state: {...text, oneOf: deliveryStates},
      attempts: integer,
      /** How many attempts left it unknown whether the destination has the lead, including those during outages. */
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
      /** When the lead was stored, or got the answer that the delivery is about. */
      happened_at: {...integer, since: 8},
      /** When the first attempt failed, or the first since it was held, given up or paused, or got another address. */
      failing_since: {...integerOrNull, since: 8},
      /** The first characters of the last reply are in `sealed`. Here versions before 2.0 left them in clear, as JSON. */
      last_reply: {...textOrNull, since: 8},
      /**
       * The recipients of an e-mail who do not have it yet, as JSON (`Recipients`). NULL until some of its recipients
       * have it.
       */
      recipients: {...textOrNull, since: 10},
      /** For which kind and address of the destination it is. NULL for any, and in rows of earlier versions. */
      address: {...textOrNull, since: 12},
      /** The addresses at which it may have arrived before an operator accepted another one, separated by spaces. */
      former_addresses: {...textOrNull, since: 15},
      /** Why it is held or waits, in place of `last_error`: one of the two is NULL. */
      reason: {...textOrNull, oneOf: deliveryReasons, since: 21},
    },
    primaryKey: ['lead_id', 'destination', 'content'],
    indexes: {
      deliveries_due: {on: ['destination', 'next_attempt_at'], where: "state = 'waiting'", since: 8},
      // For the lists and counts of operators, which need only this index to find the rows.
      deliveries_open: {on: ['lead_id', 'destination', 'content', 'state'], where: isOpen, since: 8},
      // For operators who look for the few held and refused deliveries among many waiting deliveries.
      deliveries_stopped: {
        on: ['state', 'lead_id', 'destination', 'content'],
        where: `${isOpen} AND state <> 'waiting'`,
        since: 8,
      },
      // For the events of stops and erasures that are not heard yet, however many others wait.
      deliveries_stops: {
        on: ['destination', 'next_attempt_at'],
        where: `${isOpen} AND content IN ('erased', 'revoked')`,
        since: 18,
      },
    },
    since: 7,
  },

  /** What the amounts of a lead, which an upstream has yet to give, will decide: who else gets it (`OpenRoute`). */
  open_routes: {
    columns: {lead_id: lead, destination: text, content: text, address: textOrNull, least: integerOrNull},
    primaryKey: ['lead_id', 'destination'],
    since: 22,
  },

  /** The confirmations that visitors of the last day got, or were to get (`ConfirmationRequest`). */
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

  /** The destinations that get nothing until an operator resumes them. */
  paused_destinations: {
    columns: {
      destination: text,
      paused_at: integer,
      reason: text,
      /** 1 if it asked for nothing more (410), and no operator has paused it. */
      is_gone: {...integerOrNull, since: 18},
    },
    primaryKey: ['destination'],
    since: 8,
  },

  /** Servers before 1.8 alone: the destinations that need an operator. `troubles` took its place. */
  alerts: {
    columns: {destination: text, seen_at: integer, told: integer, due_at: integer, last_error: textOrNull},
    primaryKey: ['destination'],
    since: 14,
  },

  /** What is wrong, where e-mails tell of that (alerts.ts). A row is deleted when the trouble is over. */
  troubles: {
    columns: {
      /** The kind of its findings, and what they are about, such as `destination crm`. */
      name: text,
      /** What the subject of all its e-mails says. */
      title: text,
      /** When a process saw it first, and last. */
      began_at: integer,
      seen_at: integer,
      /** 1 once an e-mail has told of it, 2 once a process has begun to tell that it is over. */
      told: integer,
      /** When the next e-mail is due, or the lease of the process that sends it ends. */
      due_at: integer,
      /** Why the last e-mail was not sent. */
      last_error: textOrNull,
    },
    primaryKey: ['name'],
    since: 19,
  },

  /** When an operator last ended the break of a destination. All processes end it when this changes. */
  break_ends: {columns: {destination: text, ended_at: integer}, primaryKey: ['destination'], since: 10},

  /** Which text a version of a partner's consent had when the first lead under it was stored (leads/consent-texts.ts). */
  consent_texts: {
    columns: {
      /** With the language of the text, such as `acme/es`, if the configuration names it. */
      partner: text,
      version: text,
      text_hash: text,
    },
    primaryKey: ['partner', 'version'],
    since: 10,
  },

  /**
   * The words of each consent text, by the hash that the record of a consent has. There are two rows for each text: as
   * configured, and as the forms before 1.4 get it. The words are not personal, and stay when leads are erased. Leads
   * from before version 1.6 have none.
   */
  consent_words: {columns: {text_hash: text, words: text}, primaryKey: ['text_hash'], since: 13},

  /**
   * Finds leads and kept consents by telephone number and e-mail address (person-queries.ts). No reference and no index by
   * lead: this table is written behind, and erasing knows the digests.
   */
  person_digests: {columns: {digest: text, lead_id: text}, primaryKey: ['digest', 'lead_id'], since: 15},

  /** One row: the key of `person_digests`, encrypted, and up to which lead they are written. */
  person_search: {
    columns: {id: onlyRow, data_key: integer, blob, done_until: text},
    primaryKey: ['id'],
    since: 15,
  },

  /**
   * The numbers and mailboxes of those who revoked their consent, by keyed digests (person-queries.ts), so that later leads
   * with the numbers are held. These rows outlive the leads.
   */
  suppressed: {
    columns: {
      digest: text,
      /** As `scopesOf` in leads/revocation.ts makes it. */
      scope: text,
      since: integer,
      /** When an operator decided that later leads may be sent, and why. NULL while they are held. */
      decided_at: integerOrNull,
      reason: textOrNull,
      /** What the digest is of. NULL for a number. */
      kind: {...textOrNull, oneOf: suppressionKinds, since: 18},
      /** When somebody with another address asked, so that an operator must decide. NULL if the number itself said stop. */
      asked_at: {...integerOrNull, since: 18},
    },
    primaryKey: ['digest', 'scope'],
    since: 16,
  },

  /** All that was ever said about numbers, and decided about them (`StopEvent` in leads/revocation.ts). Rows are only added. */
  stops: {
    columns: {
      id: text,
      kind: {...text, oneOf: ['stop', 'ask', 'allow']},
      /** Of the number. Empty if it is not known. */
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

  /** One row: up to which time the lines of the file of erasures are known here, so that a restore is noticed (admin/repairing.ts). */
  erasures_file: {columns: {id: onlyRow, known_until: integer}, primaryKey: ['id'], since: 18},

  /** What people asked for (leads/privacy-requests.ts). Those that have ended stay 24 months. */
  privacy_requests: {
    columns: {
      lead_id: text,
      kind: {...text, oneOf: requestKinds},
      asked_at: integer,
      entered_at: integer,
      way: text,
      /** NULL while it waits. */
      ended_at: integerOrNull,
      answer: textOrNull,
    },
    primaryKey: ['lead_id', 'kind', 'entered_at'],
    since: 22,
  },

  /** Leads that a lawsuit keeps (leads/privacy-requests.ts). */
  legal_holds: {
    columns: {lead_id: text, kept_until: integer, reason: text, entered_at: integer},
    primaryKey: ['lead_id'],
    indexes: {legal_holds_until: {on: ['kept_until', 'lead_id']}},
    since: 22,
  },

  /** Servers before 2.0 alone: who asked that a lead be erased. */
  erasure_requests: {columns: {lead_id: text, requested_at: integer}, primaryKey: ['lead_id'], since: 16},

  /** Who looked at personal data, or changed it (leads/audit.ts). */
  audit: {
    columns: {
      /** A UUID version 7, or the name of a count of one day. */
      id: text,
      at: integer,
      /** The account on the machine, `caller` or `operator` with the name, or `visitor`. */
      actor: text,
      /** The words of the command, such as `leads show`. */
      action: text,
      /** Which leads were meant, as JSON. Nothing personal. */
      filter: text,
      /** How many leads there were, and the ids of the first ones, as JSON. */
      leads: integer,
      ids: text,
    },
    primaryKey: ['id'],
    // For operators who see who looked at a lead.
    indexes: {audit_lead: {on: ['ids'], where: 'leads = 1', since: 17}},
    since: 16,
  },

  /** The leads of each entry that names several and all of its leads. `audit_lead` finds the entries of one. */
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

  /** By the digest of the secret that the link has. */
  invitations: {
    columns: {digest: text, operator: text, expires_at: integer},
    primaryKey: ['digest'],
    since: 17,
  },

  /** By the digest of the secret that the cookie has. */
  operator_sessions: {
    columns: {digest: text, operator: text, began_at: integer, expires_at: integer, zone: text, agent: text},
    primaryKey: ['digest'],
    indexes: {operator_sessions_operator: {on: ['operator']}},
    since: 17,
  },

  /** How many leads came on each day that has ended, by partner (leads/figures.ts). */
  lead_days: {
    columns: {
      /** When the day began, in UTC. */
      day: integer,
      /** Empty for the callers of `/json/leads`. */
      partner: text,
      leads: integer,
      /** The id of the last lead. */
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
      /** An `EvidenceKey` without its id, as JSON, encrypted. */
      blob: {...blob, null: true, since: 20},
    },
    primaryKey: ['id'],
    since: 15,
  },

  /** Where each address of a destination is, and when it took deliveries. */
  destination_addresses: {
    columns: {
      destination: text,
      /** As in `deliveries`. */
      address: text,
      /** The host or the mailboxes, for operators. */
      place: text,
      /** 0 until a delivery may have arrived there. */
      first_used: integer,
      last_used: integer,
    },
    primaryKey: ['destination', 'address'],
    since: 15,
  },

  /** What each process that runs, or ran lately, reports of itself (reload/reloads.ts). */
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

  /** One row: the last request of an operator that all processes read their configuration again. */
  reload_requests: {columns: {id: onlyRow, request: text}, primaryKey: ['id'], since: 12},

  /** How often pages of an origin asked for a version of the form on a day (versions/request-counts.ts). */
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

  /** One row, which is written again and again to check that leads can be stored. */
  heartbeat: {columns: {id: onlyRow, written_at: integer, filler: text}, primaryKey: ['id'], since: 5},

  /** One row, by which a server knows whether it can serve tables of a newer version than its own (schema.ts). */
  schema_compatibility: {columns: {id: onlyRow, oldest_server: integer}, primaryKey: ['id'], since: 12},

  /** No row, or one: why no server may start on this store. Versions 1.6 to 1.8 alone wrote it (`StoreMark`). */
  store_mark: {
    columns: {
      id: onlyRow,
      mark: {...text, oneOf: ['moved', 'unfinished']},
      /** Where the leads were moved to, or from where they are copied: the file, or the URL without secrets. */
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
/** A row to insert. A column that it lacks is NULL. */
export type NewRowOf<Name extends TableName> = Omit<RowOf<Name>, MayBeNull<RowOf<Name>>> &
  Partial<Pick<RowOf<Name>, MayBeNull<RowOf<Name>>>>;
