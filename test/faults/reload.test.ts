/** Configurations that are read again under load, half of them wrong. `FAULT_RELOADS` is how often. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test, type TestContext} from 'node:test';
import {configIn} from '../support/config-file.ts';
import {databaseKinds} from '../support/operator.ts';
import {openFor} from '../support/opened.ts';
import {databaseFor} from '../support/postgres.ts';
import type {RunningService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';
import {createLeads, fromPage, startOver, stopped, until} from './load.ts';
import {openAttached, sendingTo, type Environment} from './operated.ts';

const reloads = Number(process.env['FAULT_RELOADS'] ?? 20);

/** Servers over one store, with the same files. */
async function start(t: TestContext, folder: string, settings: Environment, count: number) {
  const servers: RunningService[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await startOver(folder, settings));
  return {servers, attached: await openFor(t, openAttached(folder, settings))};
}

type Started = Awaited<ReturnType<typeof start>>;

/** Asks all servers as the command does. Resolves to what they report. */
async function reload({attached, servers}: Started) {
  const request = randomUUID();
  await attached.askForReload(request);
  const answered = async () => {
    const reports = await attached.processes(0);
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
      const folder = temporaryFolder(t);
      const store: Environment = postgres
        ? {DATABASE_URL: (await databaseFor(t)).url}
        : {DATABASE_PATH: join(folder, 'leads.sqlite')};
      const started = await start(t, folder, {...store, ...sendingTo(folder, {crm})}, count);
      const {servers, attached} = started;
      const file = configIn(folder);
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
          assert.match(report.faults.join(), isGood ? /^$/ : /lead-prequal\.json:1:\d+: is not valid JSON/);
          assert.equal(report.digest, digest);
        }
      }
      for (const load of loads) await load.stop();

      const statuses = loads.flatMap((load) => load.statuses);
      const failed = statuses.filter((status) => status !== 201);
      t.diagnostic(`${failed.length} of ${statuses.length} requests failed`);
      assert.deepEqual(failed, []);
      const acknowledged = loads.flatMap((load) => load.acknowledged);
      const events = () => new Set(crm.received.map(({headers}) => String(headers['webhook-id'])));
      const undelivered = () => acknowledged.filter((id) => !events().has(`evt_created_${id}`));
      await until(async () => (await attached.waitingDestinations()).length === 0);
      assert.deepEqual(undelivered(), []);
      assert.deepEqual(await attached.countOutbox(), []);
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
