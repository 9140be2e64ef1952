/**
 * `npm run bench:pages -- [leads] [database]`, such as `1000000 SQLite`: what the operators' pages read of a store with a
 * year of leads, in milliseconds, the median of 20 calls. Of ten leads, three have a delivery that waits.
 */
import {DatabaseSync} from 'node:sqlite';
import pg from 'pg';
import type {LeadFilter} from '../../server/leads/lead-filter.ts';
import {firstIdAt} from '../../server/leads/lead-ids.ts';
import type {BesideStore} from '../../server/leads/ports.ts';
import {openStoreBeside} from '../../server/store/open-store.ts';
import {clearText} from '../../server/store/sealing.ts';
import {openWhile} from '../support/opened.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {dropStore, freshStore} from './servers.ts';
import {fill} from './year-of-leads.ts';

type Kind = 'SQLite' | 'PostgreSQL';

const leads = Number(process.argv[2] ?? 1_000_000);
const only = process.argv[3];
const [hour, day] = [3_600_000, 86_400_000];
const person = {phone: '+12025550142', email: 'jane.doe@mail.example.com'};

async function execute(location: string, ...sql: string[]) {
  if (location.startsWith('postgres:')) {
    const client = new pg.Client(location);
    await client.connect();
    for (const each of sql) await client.query(each);
    await client.end();
  } else {
    const database = new DatabaseSync(location, {timeout: 5_000});
    for (const each of sql) database.exec(each);
    database.close();
  }
}

/** A year of leads of 20 partners, of which seven are held, and five are of the person. @returns the configuration */
export async function fillForPages(kind: Kind, location: string, folder: string) {
  const shape = {partners: 20, waiting: leads * 0.3, destinations: 20};
  const config = await fill(kind, location, folder, leads, shape);
  const {digests} = await openWhile(openStoreBeside(config, clearText, true), async (store) => {
    await store.writeDigests(0);
    return store.personDigests(person);
  });
  // The end of an id is no order of time.
  const some = (count: number) => `(SELECT id FROM leads ORDER BY substr(id, 34), id LIMIT ${count})`;
  await execute(
    location,
    `UPDATE deliveries SET state = 'held', settled_at = NULL WHERE destination = 'crm' AND lead_id IN ${some(7)}`,
    'DELETE FROM person_digests',
    ...Object.values(digests).map(
      (digest) => `INSERT INTO person_digests SELECT '${digest}', id FROM leads WHERE id IN ${some(5)}`,
    ),
    'UPDATE person_search SET done_until = (SELECT MAX(id) FROM leads)',
    ...(kind === 'PostgreSQL' ? ['VACUUM ANALYZE'] : []),
  );
  return config;
}

/** The newest leads of a filter that may have no hits: slices of the list, until there are enough, or the time is over. */
async function listSlices(store: BesideStore, filter: LeadFilter, limit = 50, milliseconds = 50) {
  const ends = performance.now() + milliseconds;
  const found: string[] = [];
  let after: string | undefined;
  while (found.length < limit && performance.now() < ends) {
    const since = await store.sliceEnd(after, 20_000);
    const page = await store.listLeads({...filter, since}, {limit: limit - found.length, after});
    found.push(...page.map(({id}) => id));
    if (since === undefined) break;
    after = firstIdAt(since);
  }
  return found;
}

/** @param until the time of the newest lead */
function callsOf(until: number): Record<string, (store: BesideStore) => Promise<unknown>> {
  const spans = Array.from({length: 120}, (_, index) => ({
    since: until - (index + 1) * hour,
    until: until - index * hour,
  }));
  const list = (filter: LeadFilter) => (store: BesideStore) => store.listLeads(filter, {limit: 50});
  const slices = (filter: LeadFilter) => (store: BesideStore) => listSlices(store, filter);
  return {
    'leadDays of a year': (store) => store.leadDays(until - 365 * day, until),
    'leadDays of 35 days': (store) => store.leadDays(until - 35 * day, until),
    'countSpans of 120 hours': (store) => store.countSpans(spans),
    'the newest leads': list({}),
    'of a partner': slices({partner: 'partner-7'}),
    'in a state': slices({status: 'refused'}),
    'of a campaign': slices({campaign: 'campaign-7'}),
    'of a campaign without hits': slices({campaign: 'none'}),
    held: list({open: 'held'}),
    'with an open delivery': list({open: 'any'}),
    'with an open delivery, later pages': (store) =>
      store.listLeads({open: 'any'}, {limit: 50, after: firstIdAt(until - 300 * day)}),
    'open, of a partner': slices({open: 'any', partner: 'partner-6'}),
    'open, of a campaign without hits': slices({open: 'any', campaign: 'none'}),
    outlines: (store) => store.listOutlines({}, {limit: 50}),
    'open deliveries of 50': async (store) =>
      store.openDeliveriesOf((await store.listOutlines({}, {limit: 50})).map(({id}) => id)),
    'deliveryCells of a day': (store) => store.deliveryCells(until - day, hour / 2),
    countStopped: (store) => store.countStopped(),
    countOutbox: (store) => store.countOutbox(),
    'a person': async (store) => {
      const {digests} = await store.personDigests(person);
      for (const digest of Object.values(digests)) await store.listLeads({digest}, {limit: 50});
    },
  };
}

async function measure(kind: Kind) {
  const folder = makeTemporaryFolder();
  const location = await freshStore(kind);
  const config = await fillForPages(kind, location, folder.path);
  const store = await openStoreBeside(config, clearText, true);
  console.log(`\n| ${kind}, ${leads} leads | first ms | median ms |\n| --- | --- | --- |`);
  for (const [what, call] of Object.entries(callsOf(Date.now()))) {
    const times: number[] = [];
    for (let count = 0; count < 21; count += 1) {
      const began = performance.now();
      await call(store);
      times.push(performance.now() - began);
    }
    const [first = 0, ...later] = times;
    const median = later.toSorted((one, other) => one - other)[10] ?? 0;
    console.log(`| ${what} | ${first.toFixed(1)} | ${median.toFixed(1)} |`);
  }
  await store.close();
  folder.remove();
  await dropStore(location);
}

for (const kind of ['SQLite', 'PostgreSQL'] as const)
  if (kind === (only ?? kind) && (kind === 'SQLite' || process.env['TEST_DATABASE_URL'] !== undefined))
    await measure(kind);
