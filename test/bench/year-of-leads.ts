/** A store with a year of leads, and the creates beside which it is measured. */
import {randomUUID} from 'node:crypto';
import {closeSync, fsyncSync, openSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {Pool} from 'undici';
import {finish} from '../../server/admin/admin.ts';
import type {Config} from '../../server/config/config.ts';
import {clearWord} from '../../server/config/data-keys.ts';
import {openStore} from '../../server/store/open-store.ts';
import {encryptAll} from '../../server/store/encrypt-clear.ts';
import {noteClear} from '../support/in-clear.ts';
import {openWhile} from '../support/opened.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {baseConfig, listedOrigin, testEncryptor} from '../support/test-server.ts';
import {quantile} from './load.ts';
import {execute, type Kind} from './servers.ts';

/** Creates a second. */
const perSecond = 200;

/** The fields of a lead, as the row of a lead in clear has them. */
const personal = JSON.stringify({
  first_name: 'Jane',
  last_name: 'Doe',
  email: 'jane.doe@mail.example.com',
  phone: {typed: '202-555-0142', e164: '+12025550142'},
  credit_score: 'Above 720',
  bankruptcy: false,
  retirement: 100_000,
  cash: 50_000,
  investments: 20_001,
});
const attribution = JSON.stringify({utm_source: 'newsletter', gclid: 'EAIaIQobChMI4'.repeat(4)});
const consent = JSON.stringify({
  textVersion: '2026-11',
  textHash: '6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204',
  agreed: true,
  givenAt: 1_795_304_995_354,
  origin: 'https://www.partner.example',
  page: 'https://www.partner.example/funding',
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
});
const year = 365 * 24 * 3_600_000;
const begin = Date.now() - year;

/** Besides the leads. */
export type Shape = {
  partners: number;
  /** Deliveries that are due, of leads of the whole year, in turn for `destination-0`, `destination-1` and so on. */
  waiting: number;
  destinations: number;
};

/** A year of leads of 50 campaigns; one in a hundred is pending, one in two hundred refused. */
const inserts = (
  leads: number,
  {partners, waiting, destinations}: Shape,
  hex: (n: string, digits: number) => string,
  numbers: string,
) => {
  const time = `(${begin} + n * ${Math.floor(year / leads)})`;
  const id = `substr(${hex(time, 12)}, 1, 8) || '-' || substr(${hex(time, 12)}, 9, 4) || '-7000-8000-' || ${hex('n * 7919', 12)}`;
  const every = Math.floor(leads / waiting);
  const status = `CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 200 = 1 THEN 'refused' ELSE 'done' END`;
  return [
    `INSERT INTO leads (id, created_at, cid, partner, lead_type, clear_lead, status, rollover_amount, sba_qualified_amount,
        unsecured_amount, portfolio_loan_qualified_amount, total_qualified_amount, reasons, policy_version,
        attribution, utm_source, utm_campaign)
      SELECT ${id}, ${time}, '1001',
        CASE WHEN n % ${partners} = 0 THEN NULL ELSE 'partner-' || (n % ${partners}) END,
        'prequalification', '${personal}', ${status}, 100000, 600000, 150000, 12000, 862000, '{}', 'default-1',
        '${attribution}', 'newsletter', CASE n % 3 WHEN 0 THEN NULL ELSE 'campaign-' || (n % 50) END
      FROM ${numbers}`,
    `INSERT INTO consents SELECT ${id}, '${consent}' FROM ${numbers}`,
    `INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous,
        ambiguous_counted, next_attempt_at, leased_until, settled_at, happened_at)
      SELECT ${id}, 'crm', 'created', 0, CASE WHEN n % 500 = 0 THEN 'failed' ELSE 'delivered' END, 1, 0, 0, ${time}, 0,
        CASE WHEN n % 500 = 0 THEN NULL ELSE ${time} END, ${time}
      FROM ${numbers}`,
    `INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous,
        ambiguous_counted, next_attempt_at, leased_until, happened_at)
      SELECT ${id}, 'destination-' || (n / ${every} % ${destinations}), 'created', 0, 'waiting', 0, 0, 0,
        ${time}, 0, ${time}
      FROM ${numbers} WHERE n % ${every} = 0`,
  ];
};

/** The leads are in clear, and everything is on the disk when this resolves. */
export async function fill(name: Kind, location: string, folder: string, leads: number, shape: Shape) {
  const config = {
    ...baseConfig(folder),
    ...(name === 'SQLite' ? {databasePath: location} : {databaseUrl: location}),
  };
  await (await openStore(config, testEncryptor)).close();
  if (name === 'SQLite') {
    const numbers = `(WITH RECURSIVE numbers(n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${leads}) SELECT n FROM numbers)`;
    await execute(
      location,
      'PRAGMA synchronous = OFF',
      'PRAGMA cache_size = -400000',
      ...inserts(leads, shape, (n, digits) => `printf('%0${digits}x', ${n})`, numbers),
      noteClear(testEncryptor, false),
      'PRAGMA wal_checkpoint(TRUNCATE)',
    );
    // Otherwise the system writes the file to the disk while something is measured.
    const opened = openSync(location, 'r+');
    fsyncSync(opened);
    closeSync(opened);
  } else {
    const hex = (n: string, digits: number) => `lpad(to_hex((${n})::bigint), ${digits}, '0')`;
    const numbers = `(SELECT generate_series(1::bigint, ${leads}) AS n) AS numbers`;
    await execute(
      location,
      ...inserts(leads, shape, hex, numbers),
      noteClear(testEncryptor, true),
      'VACUUM ANALYZE',
      'CHECKPOINT',
    );
  }
  return config;
}

/** As a server does while it works, which would disturb what is measured. */
export const encryptFilled = (config: Config) =>
  openWhile(openStore(config, testEncryptor), async (store) => {
    await finish(encryptAll(store, true));
    await store.forgetKey(clearWord);
  });

/** Creates leads at a constant pace until it is stopped. */
export function startCreates(url: string) {
  const pool = new Pool(url, {connections: 50});
  let [times, failures]: [number[], number] = [[], 0];
  let running = true;
  const began = performance.now();
  const done = (async () => {
    for (let count = 0; running; count += 1) {
      const early = began + (count / perSecond) * 1_000 - performance.now();
      if (early > 0) await sleep(early);
      const at = performance.now();
      const headers = {
        origin: listedOrigin,
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
      };
      const body = JSON.stringify({lead: without(prequalificationBody, 'cid')});
      const sent = pool.request({method: 'POST', path: '/embed/v1/leads?partner=acme', headers, body});
      void sent.then(async (response) => {
        await response.body.dump();
        times.push(performance.now() - at);
        if (response.statusCode !== 201) failures += 1;
      });
    }
  })();
  return {
    /** What was measured since the last call. */
    take() {
      const taken = {p99: Math.round(quantile(times, 0.99)), failures, creates: times.length};
      [times, failures] = [[], 0];
      return taken;
    },
    async stop() {
      running = false;
      await done;
      await pool.close();
    },
  };
}
