/**
 * `node test/bench/upgrade.ts [leads] [SQLite | PostgreSQL]`: how long a database of version 1.0.0 takes to be brought
 * up, and how much disk and memory that needs. A third of the leads has an attribution, all have a consent, a tenth
 * was sent with an idempotency key today, and one of twenty waits in the outbox.
 */
import {copyFileSync, mkdtempSync, readFileSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import pg from 'pg';
import {clearText} from '../../server/store/sealing.ts';
import {openPostgresStore} from '../../server/store/postgres/store.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {freshStore} from './servers.ts';
import {personal} from './year-of-leads.ts';

const leads = Number(process.argv[2] ?? 1_000_000);
const only = process.argv[3];
const databases = join(import.meta.dirname, '../support/databases');

/** Milliseconds between two looks at the size of the database. */
const interval = 250;

const attribution = JSON.stringify({
  utm_source: 'newsletter',
  utm_medium: 'email',
  utm_campaign: 'spring-2026',
  gclid: 'EAIaIQobChMI4'.repeat(4),
  referrer: 'https://www.example.com/a/page/about/funding',
  landing_page: 'https://www.partner.example/funding/start',
});
const consent = JSON.stringify({
  textVersion: '2026-11',
  textHash: '6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204',
  agreed: true,
  givenAt: 1_795_304_995_354,
  page: 'https://www.partner.example/funding',
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
});

/**
 * The rows, made by the database itself. `n` is the number of a lead and `id` its id, which ascends as those of
 * 1.0.0 do. Every second lead went to an upstream.
 */
const inserts = (idOf: (n: string) => string, numbers: string, now: number) => {
  const waits = 'n % 20 = 0';
  return [
    `INSERT INTO leads (id, created_at, cid, partner, lead_type, lead, status, rollover_amount, sba_qualified_amount,
        unsecured_amount, portfolio_loan_qualified_amount, total_qualified_amount, reasons, policy_version, upstream_id,
        attribution)
      SELECT ${idOf('n')}, ${now} + n, '1001', CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN 'acme' ELSE 'lender' END,
        'prequalification', '${personal}', CASE WHEN ${waits} THEN 'pending' ELSE 'done' END, 100000, 600000, 150000,
        12000, 862000, '{}', 'default-1', CASE WHEN ${waits} OR n % 2 = 1 THEN NULL ELSE 'upstream-' || n END,
        CASE n % 3 WHEN 0 THEN '${attribution}' END
      FROM ${numbers}`,
    `INSERT INTO consents SELECT ${idOf('n')}, '${consent}' FROM ${numbers}`,
    `INSERT INTO outbox SELECT ${idOf('n')}, 'default', 'waiting', 1, 0, ${now}, 'The upstream answered POST with 503', 0
      FROM ${numbers} WHERE ${waits}`,
    `INSERT INTO idempotency_keys SELECT 'partner:acme', ${idOf('n')} || '${'0'.repeat(28)}', '${'f'.repeat(64)}',
        ${idOf('n')}, ${now} FROM ${numbers} WHERE n % 10 = 0`,
  ];
};

type Upgraded = {seconds: number; before: number; peak: number; after: number};

/** @param size bytes that the database takes on the disk at the moment */
async function measure(upgrade: () => Promise<void>, size: () => Promise<number>): Promise<Upgraded> {
  const before = await size();
  let peak = before;
  const timer = setInterval(() => void size().then((now) => (peak = Math.max(peak, now))), interval);
  const started = performance.now();
  await upgrade();
  const seconds = (performance.now() - started) / 1_000;
  clearInterval(timer);
  return {seconds, before, peak, after: await size()};
}

async function onSqlite(): Promise<Upgraded> {
  const folder = mkdtempSync(join(tmpdir(), 'lead-prequal-upgrade-'));
  const path = join(folder, 'leads.sqlite');
  copyFileSync(join(databases, '1.0.0.sqlite'), path);
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -200000');
  const idOf = (n: string) => `printf('%08x-0000-7000-8000-%012x', ${n} / 1000, ${n})`;
  const numbers = `(WITH RECURSIVE numbers(n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${leads}) SELECT n FROM numbers)`;
  for (const sql of inserts(idOf, numbers, Date.now())) database.exec(sql);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const sizes = () =>
    ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix, {throwIfNoEntry: false})?.size ?? 0);
  const size = () => Promise.resolve(sizes().reduce((sum, bytes) => sum + bytes, 0));
  const upgraded = await measure(async () => (await openSqliteStore(path, clearText)).close(), size);
  rmSync(folder, {recursive: true});
  return upgraded;
}

async function onPostgres(): Promise<Upgraded> {
  const url = await freshStore('PostgreSQL');
  const client = new pg.Client(url);
  await client.connect();
  await client.query(readFileSync(join(databases, '1.0.0.sql'), 'utf8'));
  const idOf = (n: string) =>
    `lpad(to_hex(${n} / 1000), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0')`;
  const numbers = `generate_series(1, ${leads}) AS n`;
  for (const sql of inserts(idOf, numbers, Date.now())) await client.query(sql);
  await client.query('ANALYZE');
  await client.query('CHECKPOINT');
  const size = async () => {
    const {rows} = await client.query<{bytes: string}>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return Number(rows[0]?.bytes);
  };
  const upgraded = await measure(async () => (await openPostgresStore(url, clearText)).close(), size);
  await client.end();
  return upgraded;
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000).toLocaleString('en-US')} MB`;

const stores = {SQLite: onSqlite, ...(process.env['TEST_DATABASE_URL'] && {PostgreSQL: onPostgres})};
for (const [name, upgrade] of Object.entries(stores)) {
  if (only !== undefined && only !== name) continue;
  const {seconds, before, peak, after} = await upgrade();
  const memory = process.resourceUsage().maxRSS * 1_024;
  console.log(
    `${name}: ${leads.toLocaleString('en-US')} leads in ${seconds.toFixed(1)} s; disk ${megabytes(before)} before, ` +
      `${megabytes(peak)} at most, ${megabytes(after)} after; memory of this process ${megabytes(memory)} at most`,
  );
}
