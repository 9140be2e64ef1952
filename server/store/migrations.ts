/** Where the two databases name things differently. */
export type Dialect = {integer: string; tableOptions: string};

/** Checked at the commit: within it, a key may be taken before its lead is in. */
const aLead = 'REFERENCES leads (id) DEFERRABLE INITIALLY DEFERRED';

/** Applied in order, each in a transaction, and counted by the database. From 1.0.0 on, only ever append. */
export const migrations: readonly ((dialect: Dialect) => string)[] = [
  ({integer, tableOptions}) => `
    CREATE TABLE leads (
      id TEXT PRIMARY KEY,
      created_at ${integer} NOT NULL,
      cid TEXT NOT NULL,
      partner TEXT,
      lead_type TEXT NOT NULL,
      lead TEXT NOT NULL,
      suspect TEXT,
      supersedes TEXT,
      duplicate_of TEXT,
      status TEXT NOT NULL CHECK (status IN ('done', 'pending', 'refused')),
      rollover_amount ${integer},
      sba_qualified_amount ${integer},
      unsecured_amount ${integer},
      portfolio_loan_qualified_amount ${integer},
      total_qualified_amount ${integer},
      reasons TEXT NOT NULL,
      policy_version TEXT,
      upstream_id TEXT
    ) ${tableOptions};

    CREATE TABLE idempotency_keys (
      owner TEXT NOT NULL,
      digest TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      lead_id TEXT NOT NULL ${aLead},
      created_at ${integer} NOT NULL,
      PRIMARY KEY (owner, digest)
    ) ${tableOptions};

    CREATE TABLE same_leads (
      partner TEXT NOT NULL,
      digest TEXT NOT NULL,
      lead_id TEXT NOT NULL ${aLead},
      created_at ${integer} NOT NULL,
      PRIMARY KEY (partner, digest)
    ) ${tableOptions};

    CREATE TABLE spent_proofs (
      nonce TEXT PRIMARY KEY,
      expires_at ${integer} NOT NULL
    ) ${tableOptions};

    CREATE TABLE outbox (
      lead_id TEXT PRIMARY KEY ${aLead},
      upstream TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'refused')),
      attempts ${integer} NOT NULL,
      ambiguous ${integer} NOT NULL,
      next_attempt_at ${integer} NOT NULL,
      last_error TEXT
    ) ${tableOptions};
    CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE state = 'waiting';

    CREATE TABLE consents (
      lead_id TEXT PRIMARY KEY ${aLead},
      consent TEXT NOT NULL
    ) ${tableOptions};`,

  () => 'ALTER TABLE leads ADD COLUMN attribution TEXT;',

  // What waited without an error was under way, and may have been sent.
  ({integer}) => `
    ALTER TABLE outbox ADD COLUMN leased_until ${integer} NOT NULL DEFAULT 0;
    UPDATE outbox SET leased_until = next_attempt_at WHERE state = 'waiting' AND last_error IS NULL;
    DROP INDEX outbox_due;
    CREATE INDEX outbox_due ON outbox (upstream, next_attempt_at) WHERE state = 'waiting';`,

  // A lead that is deleted by hand is looked for in the tables that point to it, and in its duplicates.
  () => `
    CREATE INDEX idempotency_keys_lead ON idempotency_keys (lead_id);
    CREATE INDEX same_leads_lead ON same_leads (lead_id);
    CREATE INDEX leads_duplicate_of ON leads (duplicate_of) WHERE duplicate_of IS NOT NULL;`,

  // One row, written again and again to see whether a lead could be written.
  ({integer, tableOptions}) => `
    CREATE TABLE heartbeat (
      id ${integer} PRIMARY KEY CHECK (id = 1),
      written_at ${integer} NOT NULL,
      filler TEXT NOT NULL
    ) ${tableOptions};`,

  // Few rows are held or refused, so this index costs nothing when a lead is taken or delivered.
  () => "CREATE INDEX outbox_stopped ON outbox (state, lead_id) WHERE state <> 'waiting';",
];
