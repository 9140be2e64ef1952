/**
 * Agents record outcomes over many connections, each press twice or more, two agents on each lead, while the server and the
 * operators' pages are killed. Each press is recorded once and told once, and the last one of each lead stands.
 */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {Agent} from 'node:http';
import {suite, test, type TestContext} from 'node:test';
import {newestOf, outcomes, type Outcome} from '../../server/leads/outcomes.ts';
import {runAdmin} from '../support/admin-process.ts';
import {freePort} from '../support/free-port.ts';
import {openFor} from '../support/opened.ts';
import {askPort, beginSession, ownForm, pagesUrl} from '../support/pages.ts';
import {withoutPostgres} from '../support/postgres.ts';
import {eventTo, newEntry} from '../support/sample-leads.ts';
import {serviceSettings} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';
import {startOver, until} from './load.ts';
import {openAttached, sendingTo, stores} from './operated.ts';

const presses = Number(process.env['FAULT_OUTCOMES'] ?? 10_000);
const kills = Math.min(5, Number(process.env['FAULT_ROUNDS'] ?? 5));
const [connections, leadsOfAll] = [50, 200];

type Told = {id: string; outcome: string | null};

async function pressAndKill(t: TestContext, on: keyof typeof stores) {
  const folder = temporaryFolder(t);
  const store = await stores[on](folder, t);
  const told = new Map<string, Told>();
  const crm = await openFor(
    t,
    startWebhookReceiver((response, {headers, body}) => {
      const {type, data} = JSON.parse(body) as {type: string; data: Told};
      if (type === 'lead.outcome') told.set(String(headers['webhook-id']), data);
      response.writeHead(Math.random() < 0.02 ? 503 : 204).end();
    }),
  );
  const environment = {
    ...serviceSettings(folder),
    ...sendingTo(folder, {crm: {...crm, events: ['lead.created', 'lead.outcome']}}),
    ...store,
    PORT: String(await freePort()),
  };
  const serve = () => startOver(folder, environment);
  const showPages = async () => {
    const pages = runAdmin({...environment, ADMIN_URL: pagesUrl, ADMIN_PORT: '0'});
    t.after(() => pages.child.kill('SIGKILL'));
    return {pages, port: await pages.ready};
  };
  let server = await serve();
  const attached = await openFor(t, openAttached(folder, store));
  const leads = Array.from({length: leadsOfAll}, () =>
    newEntry({partner: 'acme', deliveries: [eventTo('crm')]}),
  );
  for (const lead of leads) await attached.accept(lead);
  let {pages, port} = await showPages();
  const cookies: string[] = [];
  for (const name of ['Maria', 'Jordan'])
    cookies.push(`__Host-operator=${await beginSession(attached, 'agent', name)}`);
  const agent = new Agent({keepAlive: true, maxSockets: connections});
  t.after(() => agent.destroy());
  let [sent, done] = [0, 0];
  const press = (lead: string, cookie: string, form: Record<string, string>) =>
    askPort(port, `/leads/${lead}/note`, {method: 'POST', headers: {cookie, ...ownForm}, form}, agent).then(
      ({status}) => status,
      () => 0,
    );
  /** Until it is acknowledged, and then once more, as by a second press. */
  async function record(lead: string, cookie: string, outcome: Outcome) {
    const form = {id: randomUUID(), outcome, text: `note ${outcome}`};
    let acknowledged = 0;
    while (acknowledged < 2) {
      sent += 1;
      if ((await press(lead, cookie, form)) === 303) acknowledged += 1;
      else await new Promise((resolve) => setTimeout(resolve, 50));
    }
    done += 1;
  }
  const queue = Array.from({length: presses}, (_, index) => index);
  const began = performance.now();
  const workers = Array.from({length: connections}, async () => {
    for (let index = queue.pop(); index !== undefined; index = queue.pop())
      await record(
        leads[index % leads.length]!.id,
        cookies[Math.floor(index / leads.length) % 2]!,
        outcomes[index % 5]!,
      );
  });
  for (let kill = 1; kill <= kills; kill += 1) {
    await until(() => done > (presses * kill) / (kills + 1));
    if (kill % 2 === 0) {
      await server.end('SIGKILL');
      server = await serve();
    } else {
      pages.child.kill('SIGKILL');
      await pages.ended;
      ({pages, port} = await showPages());
    }
  }
  await Promise.all(workers);
  const seconds = (performance.now() - began) / 1_000;
  // The last press on each lead, when all others are acknowledged.
  await Promise.all(leads.map(({id}) => record(id, cookies[0]!, 'wrong_number')));
  const ids = leads.map(({id}) => id);
  const recorded = await attached.outcomesOf(ids);
  const entries = [...recorded.values()].flat();
  const all = presses + leads.length;
  await until(() => told.size >= all);
  await until(async () => (await attached.listDeliveries(1, {state: 'waiting'})).length === 0);
  const lastTold = new Map([...told.values()].map(({id, outcome}) => [id, outcome]));
  const standing = ids.filter((id) => newestOf(recorded.get(id) ?? [])?.outcome === 'wrong_number');
  const times = new Set(entries.map(({lead, at}) => `${lead} ${at}`));
  t.diagnostic(
    `${on}: ${all} outcomes by 2 agents on ${leads.length} leads, ${sent} presses over ${connections} connections in ` +
      `${seconds.toFixed(0)} s, ${kills} kills: ${entries.length} recorded, ${told.size} told, ` +
      `${entries.filter(({note}) => note !== null).length} notes, the last one stands of ${standing.length} leads`,
  );
  assert.equal(entries.length, all);
  assert.equal(times.size, all, 'no two of a lead have the same time');
  assert.equal(told.size, all);
  assert.equal(entries.filter(({note, outcome}) => note === `note ${outcome}`).length, all);
  assert.deepEqual(standing, ids);
  assert.equal(await attached.countLeads({outcome: 'wrong_number'}), ids.length);
  assert.deepEqual(new Set(lastTold.values()), new Set(['wrong_number']));
}

suite('kills while outcomes are recorded', () => {
  for (const on of ['SQLite', 'PostgreSQL'] as const)
    test(
      `each is recorded and told once, and the last one stands, on ${on}`,
      {skip: on === 'PostgreSQL' && withoutPostgres},
      (t) => pressAndKill(t, on),
    );
});
