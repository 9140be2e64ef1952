/**
 * `npm run bench:operator [leads]`: the commands of an operator over a million leads, beside a server that gets 200
 * leads a second, over both databases. For each command: how long it takes in all (Node alone takes half a second to
 * start), how much memory its process uses at most, and what the creates take meanwhile.
 */
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {referenceOf} from '../../contract/reference.ts';
import {clearText} from '../../server/store/sealing.ts';
import {openStoreBeside} from '../../server/store/open-store.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {dropStore, freshStore} from './servers.ts';
import {begin, fill, runCommand, startCreates} from './year-of-leads.ts';

const leads = Number(process.argv[2] ?? 1_000_000);
/** Milliseconds for which a command is run again and again. */
const shortest = 5_000;

async function measure(name: 'SQLite' | 'PostgreSQL') {
  const folder = makeTemporaryFolder();
  const location = await freshStore(name);
  const config = await fill(name, location, folder.path, leads);
  const environment = {
    ...serviceSettings(folder.path),
    ...(name === 'SQLite' ? {DATABASE_PATH: location} : {DATABASE_URL: location}),
  };
  console.log(`\n${name}, ${leads.toLocaleString('en-US')} leads`);

  // The queries alone, in this process.
  const store = await openStoreBeside(config, clearText, false);
  const [newest] = await store.listLeads({}, {limit: 1});
  const filters = {
    none: {},
    'a partner': {partner: 'partner-7'},
    'a rare state': {status: 'refused'},
    'no partner like this': {partner: 'nobody'},
    'a campaign': {campaign: 'campaign-7'},
    'a campaign that no lead of the partner has': {partner: 'partner-7', campaign: 'campaign-8'},
    'partner, state and campaign': {partner: 'partner-1', status: 'refused', campaign: 'campaign-1'},
    'a reference': {endOfId: newest!.id.slice(-10)},
    'a reference that no lead has': {endOfId: 'ffffffffff'},
    'the oldest day': {until: begin + 24 * 3_600_000},
  } as const;
  const time = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return Math.round(performance.now() - began);
  };
  for (const [what, filter] of Object.entries(filters)) {
    const list = await time(() => store.listLeads(filter, {limit: 50}));
    const count = await time(() => store.countLeads(filter));
    console.log(`  ${what}: list ${list} ms, count ${count} ms`);
  }
  const dayOf = (at: number) => new Date(new Date(at).toDateString()).getTime();
  for (const by of [
    ['partner'],
    ['day'],
    ['partner', 'day'],
    ['state'],
    ['campaign'],
    ['partner', 'state', 'campaign', 'day'],
  ] as const)
    console.log(`  count by ${by.join(', ')}: ${await time(() => store.countLeadsBy({}, by, dayOf))} ms`);
  await store.close();

  const service = await startService(environment, folder.path);
  const creates = startCreates(service.url);
  await sleep(5_000);
  creates.take();
  await sleep(15_000);
  const before = creates.take();
  console.log(
    `  creates alone: p50 ${before.p50} ms, p99 ${before.p99} ms, ${before.failures} failed of ${before.creates}`,
  );
  const file = join(folder.path, 'all');
  const commands = [
    ['leads', 'list'],
    ['leads', 'list', '--partner', 'nobody'],
    ['leads', 'show', referenceOf(newest!.id)],
    ['leads', 'count', '--partner', 'partner-7', '--since', 'yesterday', '--until', 'today'],
    ['leads', 'count', '--by', 'partner,day'],
    ['leads', 'export', `${file}.csv`],
    ['leads', 'export', `${file}.jsonl`],
    ['destinations', 'list'],
    ['deliveries', 'list', '--state', 'failed'],
    ['deliveries', 'retry', '--state', 'failed', '--since', '30d'],
  ];
  for (const words of commands) {
    creates.take();
    const began = performance.now();
    let {code, milliseconds, memory} = await runCommand(environment, words);
    // A short command runs several times, so that the quantile of the creates means something.
    while (performance.now() - began < shortest) {
      const again = await runCommand(environment, words);
      memory = Math.max(memory, again.memory);
      [code, milliseconds] = [again.code, Math.min(milliseconds, again.milliseconds)];
    }
    const {p50, p99, failures, creates: count} = creates.take();
    const ratio = (p99 / before.p99).toFixed(2);
    console.log(
      `  ${words.slice(0, 6).join(' ').replace(folder.path, '…')}: exit ${code}, ${milliseconds} ms, ${memory} MB; creates p50 ${p50} ms, p99 ${p99} ms (${ratio}), ${failures} failed of ${count}`,
    );
  }
  const megabytes = ['csv', 'jsonl'].map((kind) => Math.round(statSync(`${file}.${kind}`).size / 1e6));
  console.log(`  the exports have ${megabytes.join(' and ')} MB`);
  await creates.stop();
  await service.end('SIGTERM');
  folder.remove();
  await dropStore(location);
}

const only = process.argv[3];
if (only !== 'PostgreSQL') await measure('SQLite');
if (only !== 'SQLite' && process.env['TEST_DATABASE_URL']) await measure('PostgreSQL');
