/**
 * `npm run bench -- pages [leads] [database]`, such as `1000000 SQLite`: the operators' pages over a store with a year of
 * leads, as a server and `lead-prequal admin` beside it have them. Of ten leads, one has a delivery that waits for one of
 * 20 destinations, which are paused, so that what waits goes on waiting.
 *
 * First each page over HTTP: the median and the most of 20 requests, after one that is not counted, and the bytes of one. What
 * `status` says is read once in 5 s for all pages; those of the last row are in this process, and read it for each request.
 * Then 200 creates a second, alone and beside one click a second, in turn; `SECONDS` (15) of each.
 */
import {Agent} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {readConfig} from '../../server/config/config.ts';
import {roles, type Role} from '../../server/leads/operators.ts';
import {startPages} from '../../server/pages/process.ts';
import {routes} from '../../server/pages/routes.ts';
import {openAttachedStore} from '../../server/store/open-store.ts';
import {freePort} from '../support/free-port.ts';
import {openWhile} from '../support/opened.ts';
import {askPort, beginSession, ownForm, pagesUrl} from '../support/pages.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {testEncryptor} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {newSecret} from '../support/webhook-receiver.ts';
import {quantile} from './load.ts';
import {dropStore, execute, freshStore, type Kind} from './servers.ts';
import {fill, encryptFilled, startCreates} from './year-of-leads.ts';
import {writeConfig} from '../support/config-file.ts';

const leads = Number(process.argv[2] ?? 1_000_000);
const only = process.argv[3];
const [requests, rounds, seconds] = [20, 5, Number(process.env['SECONDS'] ?? 15)];
const person = {phone: '+12025550142', email: 'jane.doe@mail.example.com'};
const agent = new Agent({keepAlive: true});

/** A year of leads of 20 partners. Seven are held, five are of the person, and one in 16 was looked at once. */
async function fillForPages(kind: Kind, location: string, folder: string) {
  const shape = {partners: 20, waiting: leads / 10, destinations: 20};
  const config = await fill(kind, location, folder, leads, shape);
  await encryptFilled(config);
  const {digests} = await openWhile(openAttachedStore(config, testEncryptor, true), async (store) => {
    await store.writeDigests(0);
    return store.blindIndexes(person);
  });
  // The end of an id is no order of time.
  const some = (count: number) => `(SELECT id FROM leads ORDER BY substr(id, 34), id LIMIT ${count})`;
  await execute(
    location,
    `UPDATE deliveries SET state = 'held', settled_at = NULL WHERE destination = 'crm' AND lead_id IN ${some(7)}`,
    'DELETE FROM person_digests',
    "INSERT INTO person_digests SELECT 'of somebody else ' || id, id FROM leads",
    ...Object.values(digests).map(
      (digest) => `INSERT INTO person_digests SELECT '${digest}', id FROM leads WHERE id IN ${some(5)}`,
    ),
    `INSERT INTO audit SELECT id, created_at, 'operator Ana', 'leads show', '{}', 1, '["' || id || '"]' FROM leads
      WHERE substr(id, 36) = '7'`,
    `INSERT INTO paused_destinations (destination, paused_at, reason) SELECT DISTINCT destination, 1, 'for figures' FROM deliveries WHERE destination <> 'crm'`,
    'UPDATE person_search SET done_until = (SELECT MAX(id) FROM leads)',
    ...(kind === 'PostgreSQL' ? ['VACUUM ANALYZE'] : []),
  );
  return config;
}

/** The settings of the server and of the pages, with the partners and destinations of the leads. */
async function settingsOf(kind: Kind, location: string, folder: string): Promise<Record<string, string>> {
  const names = ['crm', ...Array.from({length: 20}, (_, index) => `destination-${index}`)];
  const webhook = {type: 'webhook', url: 'http://127.0.0.1:9/', credentials: 'ALL'};
  const keys = ['acme', ...Array.from({length: 19}, (_, index) => `partner-${index + 1}`)];
  const destinations = Object.fromEntries(names.map((name) => [name, webhook]));
  return {
    ...serviceSettings(folder),
    ...(kind === 'SQLite' ? {DATABASE_PATH: location} : {DATABASE_URL: location}),
    CONFIG_FILE: writeConfig(
      folder,
      keys.map((key) => ({key})),
      destinations,
    ),
    CREDENTIALS_ALL_SECRET: newSecret(),
    // The pages ask the server at its port.
    ...{PORT: String(await freePort()), ADMIN_URL: pagesUrl, ADMIN_PORT: '0'},
  };
}

async function get(port: number, cookie: string, path: string) {
  const headers = {cookie, 'accept-encoding': 'br', 'sec-fetch-site': 'same-origin'};
  const answer = await askPort(port, path, {headers}, agent);
  if (answer.status !== 200) throw new Error(`${path} got ${answer.status}`);
  return answer.body.length;
}

async function find(port: number, cookie: string, q: string) {
  const asked = {method: 'POST', headers: {cookie, ...ownForm}, form: {q}};
  const found = await askPort(port, '/search', asked, agent);
  return get(port, cookie, found.headers.location ?? '');
}

async function time(what: string, request: (count: number) => Promise<number>) {
  const times: number[] = [];
  let bytes = 0;
  for (let count = 0; count <= requests; count += 1) {
    const began = performance.now();
    bytes = await request(count);
    if (count > 0) times.push(performance.now() - began);
  }
  const sorted = times.toSorted((one, other) => one - other);
  const [median, most] = [sorted[requests / 2], sorted.at(-1)].map((ms) => ms?.toFixed(1));
  console.log(`| ${what} | ${median} | ${most} | ${bytes} |`);
}

const lists: Record<string, string> = {
  'of a partner': 'partner=partner-7',
  'in a state': 'state=refused',
  'of a campaign': 'campaign=campaign-7',
  'of a campaign without hits': 'campaign=none',
  'of today': 'time=today',
  'of 30 days, of a partner': 'time=month&partner=partner-7',
  held: 'open=held',
  'not delivered': 'open=any',
  'not delivered, of a partner': 'open=any&partner=partner-10',
  'not delivered, of a campaign without hits': 'open=any&campaign=none',
};

/** @param ids of leads */
async function timePages(port: number, {viewer, agent, admin}: Record<Role, string>, ids: readonly string[]) {
  for (const [role, cookie] of Object.entries({agent, viewer})) {
    await time(`overview, ${role}`, () => get(port, cookie, '/'));
    await time(`another lead each time, ${role}`, (count) => get(port, cookie, `/leads/${ids[count]}`));
    await time(`list: the newest leads, ${role}`, () => get(port, cookie, '/leads'));
  }
  for (const [what, query] of Object.entries(lists))
    await time(`list: ${what}, agent`, () => get(port, agent, `/leads?${query}`));
  for (const [by, q] of Object.entries(person))
    await time(`a person by ${by}, both requests`, () => find(port, agent, q));
  await time('destinations', () => get(port, agent, '/destinations'));
  await time('who looked', () => get(port, admin, '/audit'));
}

/** @param click opens a page, each time another one */
async function compareCreates(url: string, click: (count: number) => Promise<number>) {
  const [alone, beside, clicks]: [number[], number[], number[]] = [[], [], []];
  async function keepClicking(signal: AbortSignal) {
    while (!signal.aborted) {
      const [pause, began] = [sleep(1_000), performance.now()];
      await click(clicks.length);
      clicks.push(performance.now() - began);
      await pause;
    }
  }
  const creates = startCreates(url);
  await sleep(10_000);
  for (let round = 0; round < 2 * rounds; round += 1) {
    const [ends, isAlone] = [new AbortController(), round % 2 === 0];
    const clicking = isAlone ? undefined : keepClicking(ends.signal);
    creates.take();
    await sleep(seconds * 1_000);
    const {p99, failures} = creates.take();
    ends.abort();
    await clicking;
    if (failures > 0) console.log(`${failures} creates failed`);
    (isAlone ? alone : beside).push(p99);
  }
  await creates.stop();
  const [of, median] = [quantile(alone, 0.5), quantile(beside, 0.5)];
  console.log(`\np99 ms of creates alone: ${alone.join(', ')}; beside clicks: ${beside.join(', ')}`);
  console.log(
    `Their medians: ${(median / of).toFixed(2)}. A click takes ${Math.round(quantile(clicks, 0.5))} ms`,
  );
}

async function measure(kind: Kind) {
  const folder = makeTemporaryFolder();
  const location = await freshStore(kind);
  const config = await fillForPages(kind, location, folder.path);
  const settings = await settingsOf(kind, location, folder.path);
  const server = await startService(settings, folder.path);
  const areReady = (line: string) => line.includes('pages are ready');
  await until(() => server.lines.some(areReady));
  const {port} = JSON.parse(server.lines.find(areReady) ?? '') as {port: number};
  const store = await openAttachedStore(config, testEncryptor, true);
  const cookies = {viewer: '', agent: '', admin: ''};
  for (const role of roles) cookies[role] = `__Host-operator=${await beginSession(store, role)}`;
  const ids = (await store.listOutlines({}, {limit: 50})).map(({id}) => id);
  await store.close();
  console.log(`\n| ${kind}, ${leads} leads | median ms | most ms | bytes |\n| --- | --- | --- | --- |`);
  await timePages(port, cookies, ids);
  const reads = {configuration: 10_000, status: 0};
  const pages = await startPages(
    () => readConfig(settings),
    routes,
    () => undefined,
    reads,
  );
  await time('overview, the status read each time', () => get(pages.port, cookies.agent, '/'));
  await pages.close();
  const walk = (count: number) => ['/', '/leads', `/leads/${ids[count % 50]}`, '/destinations'][count % 4]!;
  await compareCreates(server.url, (count) => get(port, cookies.agent, walk(count)));
  await server.end('SIGTERM');
  folder.remove();
  await dropStore(location);
}

for (const kind of ['SQLite', 'PostgreSQL'] as const)
  if (kind === (only ?? kind) && (kind === 'SQLite' || process.env['TEST_DATABASE_URL'] !== undefined))
    await measure(kind);
