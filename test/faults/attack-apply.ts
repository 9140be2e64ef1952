/**
 * `node test/faults/attack-apply.ts`: a bot sends forms of an apply page without a script, while visitors send theirs with one. Prints how
 * many of the bot's leads were stored and how many of these are not marked, and what the attack cost the visitors: in turn,
 * the bot sends for some seconds and is silent for as long. Options: how many forms, and how many turns.
 */
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {Pool} from 'undici';
import {applyAttacker} from '../support/apply-attack.ts';
import {rowsOf} from '../support/rows.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';

const [mode = '10000', turnsGiven = '10'] = process.argv.slice(2);
const turnMs = 10_000;

/** The bot is a process of its own, so that it does not slow down the visitors. */
if (mode === 'attacker') {
  const attacker = applyAttacker(turnsGiven, '/apply/acme', 200);
  process.on('message', (posts) => {
    void attacker.send(Number(posts), turnMs).then((statuses) => process.send?.(statuses));
  });
} else {
  const folder = makeTemporaryFolder();
  const service = await startService({...serviceSettings(folder.path), TRUST_PROXY: '1'}, folder.path);
  const bot = fork(import.meta.filename, ['attacker', service.url]);
  const turns = Number(turnsGiven);
  const statuses: Record<string, number> = {};
  const factors: number[] = [];
  await visitors(service.url);
  for (let turn = 0; turn < turns; turn += 1) {
    const quiet = turn % 2 ? undefined : await visitors(service.url);
    const answers = once(bot, 'message');
    bot.send(Math.ceil(Number(mode) / turns));
    const attacked = await visitors(service.url);
    const [counts] = (await answers) as [Record<string, number>];
    for (const [status, count] of Object.entries(counts)) statuses[status] = (statuses[status] ?? 0) + count;
    factors.push(attacked / (quiet ?? (await visitors(service.url))));
  }
  bot.disconnect();
  await service.end('SIGTERM');
  const [{stored, unmarked}] = rowsOf(
    join(folder.path, 'leads.sqlite'),
    `SELECT count(*) AS stored, coalesce(sum(suspect IS NULL), 0) AS unmarked FROM leads WHERE lead LIKE '%"Bot %'`,
  ) as [{stored: number; unmarked: number}];
  folder.remove();
  const factor = factors.toSorted((a, b) => a - b)[factors.length >> 1];
  console.log(
    JSON.stringify({
      answers: statuses,
      stored,
      unmarked,
      p99Factors: factors.map(round),
      p99Factor: round(factor),
    }),
  );
  if (unmarked > 0) process.exitCode = 1;
}

function round(figure = NaN) {
  return Math.round(figure * 100) / 100;
}

/** Visitors fetch the configuration and send a lead, one after the other, for a turn. @returns the 99th percentile in ms */
async function visitors(url: string): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + turnMs;
  const lead = {...prequalificationBody, cid: undefined};
  async function visitor(_: unknown, index: number) {
    const pool = new Pool(url, {connections: 1});
    for (let number = 0; performance.now() < until; number += 1) {
      const headers = {
        origin: listedOrigin,
        'content-type': 'application/json',
        'idempotency-key': `visitor-${index}-${number}-${Math.random()}`,
        'x-forwarded-for': `198.51.100.${index}`,
      };
      const start = performance.now();
      const config = await pool.request({method: 'GET', path: '/embed/v1/config?partner=acme', headers});
      await config.body.dump();
      const sent = await pool.request({
        method: 'POST',
        path: '/embed/v1/leads?partner=acme',
        headers,
        body: JSON.stringify({lead}),
      });
      await sent.body.dump();
      if (sent.statusCode !== 201) throw new Error(`A visitor got ${sent.statusCode}`);
      times.push(performance.now() - start);
      await delay(10);
    }
    await pool.close();
  }
  await Promise.all(Array.from({length: 4}, visitor));
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN;
}
