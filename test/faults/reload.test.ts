/**
 * Configurations that are read again under load, half of them wrong; and a token key that is rotated in two processes.
 * `FAULT_RELOADS` and `FAULT_ROTATIONS` are how often.
 */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {Pool} from 'undici';
import type {EmbedAnswer} from '../../contract/embed.ts';
import {clearText} from '../../server/store/sealing.ts';
import {openStoreBeside} from '../../server/store/open-store.ts';
import {databaseKinds} from '../support/operator.ts';
import {openFor} from '../support/opened.ts';
import {createDatabase} from '../support/postgres.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import type {RunningService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {baseConfig, listedOrigin} from '../support/test-server.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';
import {createLeads, fromPage, startOver, stopped, until} from './load.ts';
import {sendingTo} from './operated.ts';

const reloads = Number(process.env['FAULT_RELOADS'] ?? 20);
const rotations = Number(process.env['FAULT_ROTATIONS'] ?? 3);

/** Servers over one store, with the same files. */
async function start(
  t: TestContext,
  postgres: boolean,
  settings: (folder: string) => Record<string, string>,
  count: number,
) {
  const folder = makeTemporaryFolder();
  const database = postgres ? await createDatabase() : undefined;
  t.after(async () => {
    await database?.drop();
    folder.remove();
  });
  const store = {...settings(folder.path), ...(database && {DATABASE_URL: database.url})};
  const servers: RunningService[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await startOver(folder.path, store));
  const databasePath = join(folder.path, 'leads.sqlite');
  const config = {...baseConfig(folder.path), databasePath, databaseUrl: database?.url};
  const beside = await openFor(t, openStoreBeside(config, clearText, true));
  return {folder: folder.path, servers, beside};
}

type Started = Awaited<ReturnType<typeof start>>;

/** Asks all servers as the command does. Resolves to what they report. */
async function reload({beside, servers}: Started) {
  const request = randomUUID();
  await beside.askForReload(request);
  const answered = async () => {
    const reports = await beside.processes(0);
    return reports.length === servers.length && reports.every((one) => one.request === request)
      ? reports
      : undefined;
  };
  let reports = await answered();
  await until(async () => (reports = await answered()) !== undefined);
  return reports!;
}

for (const {name, postgres, skip} of databaseKinds) {
  const [count, many] = postgres ? [2, 'two servers'] : [1, 'one server'];
  test(
    `${reloads} reloads over ${name} with ${many}, half of them wrong, lose nothing`,
    {skip},
    async (t) => {
      const crm = await openFor(t, startWebhookReceiver());
      const started = await start(t, postgres, (folder) => sendingTo(folder, {crm}), count);
      const {folder, servers, beside} = started;
      const file = join(folder, 'partners.json');
      const sound = JSON.parse(readFileSync(file, 'utf8')) as {
        partners: object[];
        destinations: {crm: object};
      };
      /** A partner comes and one goes, and the pace of the webhook changes, so that it is served anew. */
      const another = (index: number) =>
        JSON.stringify({
          ...sound,
          destinations: {crm: {...sound.destinations.crm, per_second: 300 + (index % 2)}},
          partners: [...sound.partners, {key: `partner-${index}`, origins: [listedOrigin], cid: '1001'}],
        });
      const loads = servers.map(({url}) => createLeads(url, 20 / count, fromPage, 10));

      let lastGood = -1;
      let digest = '';
      for (let index = 0; index < reloads; index += 1) {
        const isGood = index % 2 === 0;
        writeFileSync(file, isGood ? another(index) : another(index).slice(0, -20));
        const reports = await reload(started);
        if (isGood) [lastGood, digest] = [index, reports[0]!.digest];
        for (const report of reports) {
          assert.match(report.faults.join(), isGood ? /^$/ : /partners\.json:1:\d+: is not valid JSON/);
          assert.equal(report.digest, digest);
        }
      }
      for (const load of loads) await load.stop();

      const statuses = loads.flatMap((load) => load.statuses);
      const failed = statuses.filter((status) => status !== 201);
      t.diagnostic(`${failed.length} of ${statuses.length} requests failed`);
      assert.deepEqual(failed, []);
      const acknowledged = loads.flatMap((load) => load.acknowledged);
      const news = () => new Set(crm.received.map(({headers}) => String(headers['webhook-id'])));
      const undelivered = () => acknowledged.filter((id) => !news().has(`evt_created_${id}`));
      await until(async () => (await beside.waitingDestinations()).length === 0);
      assert.deepEqual(undelivered(), []);
      assert.deepEqual(await beside.countOutbox(), []);
      const isKnown = (url: string, index: number) =>
        fetch(`${url}/embed/v1/config?partner=partner-${index}`, {headers: {origin: listedOrigin}}).then(
          ({ok}) => ok,
        );
      for (const server of servers) {
        assert.ok(await isKnown(server.url, lastGood));
        assert.equal(await isKnown(server.url, lastGood - 2), false);
        assert.deepEqual(await server.end('SIGTERM'), stopped);
      }
    },
  );
}

suite('a token key that is rotated under load in two servers', {skip: databaseKinds[1].skip}, () => {
  const keyOf = (index: number) => `token-key-${index}-that-is-long-enough-for-the-check`;

  test('lets no request fail, refuses no token, and makes no second lead of a key', async (t) => {
    const keyFile = (folder: string) => join(folder, 'token-key');
    const settings = (folder: string) => {
      writeFileSync(keyFile(folder), keyOf(0));
      return {TOKEN_KEY: '', TOKEN_KEY_FILE: keyFile(folder)};
    };
    const started = await start(t, true, settings, 2);
    const {folder, servers, beside} = started;
    const pools = servers.map(({url}) => new Pool(url, {connections: 20}));
    const wrong: string[] = [];
    const tokens: {id: string; token: string}[] = [];
    let [sending, keys] = [true, 0];

    const ask = async (
      pool: Pool,
      path: string,
      headers: Record<string, string>,
      body: string | null = null,
    ) => {
      const response = await pool.request({method: body === null ? 'GET' : 'POST', path, headers, body});
      return {status: response.statusCode, answer: (await response.body.json()) as EmbedAnswer};
    };
    const read = ({id, token}: {id: string; token: string}, pool: Pool) =>
      ask(pool, `/embed/v1/leads/${id}?partner=acme`, {
        origin: listedOrigin,
        authorization: `Bearer ${token}`,
      });

    /** A visitor whose lead comes to both servers at once, and who reads it from both. */
    async function visit() {
      keys += 1;
      const {path, headers} = fromPage();
      const lead = {...without(prequalificationBody, 'cid'), email: `person-${keys}@example.com`};
      const body = JSON.stringify({lead});
      const both = await Promise.all(pools.map((pool) => ask(pool, path, headers, body)));
      wrong.push(...both.filter(({status}) => status !== 201).map(({status}) => `create ${status}`));
      const given = both.map(({answer}) => answer);
      if (given[0]?.id !== given[1]?.id) wrong.push('two leads of one key');
      for (const {id, token} of given) {
        tokens.push({id, token});
        for (const pool of pools) {
          const {status} = await read({id, token}, pool);
          if (status !== 200) wrong.push(`read ${status}`);
        }
      }
    }
    const visitors = Array.from({length: 10}, async () => {
      const began = performance.now();
      for (let count = 1; sending; count += 1) {
        await visit();
        const early = began + count * 100 - performance.now();
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      }
    });

    /** One server after the other, with visits in between, so that they have different keys for a while. */
    async function change(text: string) {
      writeFileSync(keyFile(folder), text);
      for (const {pid, lines} of servers) {
        const readAgain = () => lines.filter((line) => line.includes('was read again')).length;
        const [before, visits] = [readAgain(), keys];
        process.kill(pid, 'SIGHUP');
        await until(() => readAgain() > before && keys > visits + 20);
      }
    }
    for (let rotation = 1; rotation <= rotations; rotation += 1) {
      const older = Array.from({length: rotation}, (_, index) => keyOf(index)).toReversed();
      const [newest = '', ...rest] = older;
      await change([newest, keyOf(rotation), ...rest].join(' '));
      await change([keyOf(rotation), ...older].join(' '));
    }
    sending = false;
    await Promise.all(visitors);

    t.diagnostic(`${keys} keys, ${tokens.length} tokens, ${wrong.length} failures`);
    assert.deepEqual(wrong, []);
    assert.equal(await beside.countLeads({}), keys);
    for (const [index, given] of tokens.entries())
      assert.equal((await read(given, pools[index % 2]!)).status, 200);
    for (const pool of pools) await pool.close();
    const reports = await reload(started);
    assert.equal(new Set(reports.map(({digest}) => digest)).size, 1);
    for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
  });
});
