/**
 * `npm run bench:sealing [leads]`: what data keys cost. Creates with a key against creates without one, in pairs within one
 * run, on a disk and in memory, where only the processor counts; the bytes of a sealed lead; and, over a million leads in
 * clear, how long sealing takes beside 200 creates a second, and how long it takes to find and to erase a lead.
 */
import {DatabaseSync} from 'node:sqlite';
import {setTimeout as sleep} from 'node:timers/promises';
import {randomUUID} from 'node:crypto';
import {openStoreBeside} from '../../server/store/open-store.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {createSealer} from '../../server/store/sealing.ts';
import {doneAnswer, newDelivery, newEntry} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {createFromCaller} from './load.ts';
import {dropStore, freshStore} from './servers.ts';
import {fill, runCommand, startCreates} from './year-of-leads.ts';

const leads = Number(process.argv[2] ?? 1_000_000);
const only = process.argv[3];
const key = 'a-data-key-of-at-least-32-characters';
const rounds = 3;

type Kind = 'SQLite' | 'PostgreSQL';

const settingOf = (location: string): Record<string, string> =>
  location.startsWith('postgres:') ? {DATABASE_URL: location} : {DATABASE_PATH: location};

/** Creates a second on a new store. */
async function createsPerSecond(location: string, dataKey: string): Promise<number> {
  const folder = makeTemporaryFolder();
  const environment = {
    ...serviceSettings(folder.path),
    ...settingOf(location),
    // As load.ts signs in.
    CALLERS: JSON.stringify([{user: 'acme', password: 'correct horse battery', cids: ['1001']}]),
    DATA_KEY: dataKey,
  };
  const service = await startService(environment, folder.path);
  await createFromCaller(service.url, 50);
  const {perSecond} = await createFromCaller(service.url, 50);
  await service.end('SIGTERM');
  folder.remove();
  await dropStore(location);
  return perSecond;
}

async function comparePairs(where: string, newStore: () => Promise<string> | string) {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const inClear = await createsPerSecond(await newStore(), 'clear');
    const sealed = await createsPerSecond(await newStore(), key);
    ratios.push(sealed / inClear);
    console.log(
      `  ${Math.round(sealed)} with a key, ${Math.round(inClear)} without: ${(sealed / inClear).toFixed(2)}`,
    );
  }
  const median = ratios.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
  console.log(`creates, ${where}: ${median.toFixed(2)} of without a key\n`);
}

/** A lead as a visitor sends it, with a consent, an attribution, and one webhook that has it. */
async function bytesOfALead(words: readonly [string, ...string[]]) {
  const location = await freshStore('SQLite');
  const store = await openSqliteStore(location, createSealer(words));
  const count = 20_000;
  for (let from = 0; from < count; from += 500)
    await Promise.all(
      Array.from({length: 500}, () =>
        store.accept(
          newEntry({
            partner: 'acme',
            answer: doneAnswer,
            attribution: {
              utm_source: 'newsletter',
              utm_medium: 'email',
              utm_campaign: 'spring-2026',
              gclid: 'EAIaIQobChMI4EAIaIQobChMI4EAIaIQobChMI4',
              referrer: 'https://www.example.com/a/page/about/funding',
              landing_page: 'https://www.partner.example/funding/start',
            },
            consent: {
              textVersion: '2026-11',
              textHash: '6254b47edad3a27e640762c996cf67b0bea81d62cb958d1acf49ad7701b0e204',
              agreed: true,
              givenAt: Date.now(),
              origin: 'https://www.partner.example',
              page: 'https://www.partner.example/funding',
              ip: '203.0.113.7',
              userAgent:
                'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
            },
            deliveries: [
              newDelivery({
                destination: 'crm',
                content: 'created',
                givesAnswer: false,
                address: randomUUID().slice(0, 16),
              }),
            ],
          }),
        ),
      ),
    );
  await store.close();
  const database = new DatabaseSync(location, {readOnly: true});
  const tables = database
    .prepare(
      'SELECT name, SUM(pgsize) / ? AS bytes FROM dbstat GROUP BY name HAVING bytes > 5 ORDER BY bytes DESC',
    )
    .all(count) as {name: string; bytes: number}[];
  const total = tables.reduce((sum, {bytes}) => sum + bytes, 0);
  console.log(
    `${total} bytes a lead, ${words[0] === 'clear' ? 'in clear' : 'sealed'}: ${tables.map(({name, bytes}) => `${name} ${bytes}`).join(', ')}`,
  );
  database.close();
  await dropStore(location);
}

async function sealMany(kind: Kind) {
  const folder = makeTemporaryFolder();
  const location = await freshStore(kind);
  const config = await fill(kind, location, folder.path, leads);
  console.log(`\n${kind}, ${leads.toLocaleString('en-US')} leads in clear`);
  const environment = {...serviceSettings(folder.path), ...settingOf(location), DATA_KEY: `${key} clear`};
  const service = await startService(environment, folder.path);
  const creates = startCreates(service.url);
  // The disk is busy with what was filled.
  await sleep(30_000);
  creates.take();
  await sleep(20_000);
  const before = creates.take();
  console.log(
    `  creates alone: p50 ${before.p50} ms, p99 ${before.p99} ms, ${before.failures} failed of ${before.creates}`,
  );
  const measured = async (words: readonly string[]) => {
    creates.take();
    const {code, milliseconds, memory} = await runCommand(environment, words);
    const {p50, p99, failures, creates: count} = creates.take();
    console.log(
      `  ${words.join(' ')}: exit ${code}, ${(milliseconds / 1_000).toFixed(1)} s, ${memory} MB; creates p50 ${p50} ms, p99 ${p99} ms (${(p99 / before.p99).toFixed(2)}), ${failures} failed of ${count}`,
    );
  };
  await measured(['keys', 'rotate']);
  await measured(['leads', 'list', '--email', 'nobody@example.com']);
  const sealer = createSealer([environment.DATA_KEY.split(' ')[0]!]);
  const store = await openStoreBeside(config, sealer, true);
  const ids = (await store.listLeads({}, {limit: 20})).map(({id}) => id);
  const times: number[] = [];
  for (const id of ids) {
    const began = performance.now();
    await store.erase(id, Date.now(), () => true);
    times.push(performance.now() - began);
  }
  await store.close();
  console.log(
    `  erase by id: ${Math.round(times.toSorted((a, b) => a - b)[10] ?? 0)} ms, at most ${Math.round(Math.max(...times))} ms`,
  );
  await measured(['leads', 'erase', ids[0]!, '--all', '--yes']);
  await creates.stop();
  await service.end('SIGTERM');
  folder.remove();
  await dropStore(location);
}

if (only === undefined || only === 'creates') {
  await bytesOfALead(['clear']);
  await bytesOfALead([key]);
  await comparePairs('SQLite on a disk', () => freshStore('SQLite'));
  await comparePairs('SQLite in memory', () => freshStore('SQLite', '/dev/shm'));
  if (process.env['TEST_DATABASE_URL']) await comparePairs('PostgreSQL', () => freshStore('PostgreSQL'));
}
if (only === undefined || only === 'SQLite') await sealMany('SQLite');
if ((only === undefined || only === 'PostgreSQL') && process.env['TEST_DATABASE_URL'])
  await sealMany('PostgreSQL');
