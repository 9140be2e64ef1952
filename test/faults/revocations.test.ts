/**
 * Servers are killed again and again while visitors and operators revoke consents. Once that is acknowledged, nothing of
 * these leads is sent, later leads with the number are held, and everything else arrives. On PostgreSQL two servers share
 * the work.
 */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {usualTimings} from '../../server/config/timings.ts';
import {everybody, isInScopes, revokeLinkOf, scopesOf} from '../../server/leads/revocation.ts';
import {json, startFakeUpstream} from '../support/fake-upstream.ts';
import {freePort} from '../support/free-port.ts';
import {openFor} from '../support/opened.ts';
import {runProcess} from '../support/operator.ts';
import {withoutPostgres} from '../support/postgres.ts';
import {amounts} from '../support/sample-leads.ts';
import {serviceSettings, type RunningService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme, inFile} from '../support/test-server.ts';
import {startWebhookReceiver, type ReceiverReply} from '../support/webhook-receiver.ts';
import type {RevocationScope} from '../../server/leads/stored-lead.ts';
import {createLeads, fromCaller, fromPage, startOver, stopped, until, type NewLead} from './load.ts';
import {openAttached, sendingTo, stores} from './operated.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 20);
/** Numbers that nobody has stopped: so few that each of them sends many leads. */
const liveNumbers = 60;
/** How many revoke consents at once, by link and by command. Commands mostly wait for leases of a killed server. */
const [links, commands] = [1, 4];

/** What began at a receiver. `what`: the type of an event with its scope, if any, or the method of the upstream's API. */
type Seen = {at: number; receiver: string; what: string};
/** Times are milliseconds of `performance.now()`, and `Infinity` until they are known. */
type Times = {began: number; acknowledged: number};
type Lead = {phone: string; partner: string | null; id?: string; seen: Seen[]} & Times;
/**
 * `scopes` as of suppressions. `by`: the lead of the link. Later leads are held once it is acknowledged, and nothing begins after
 * `quiet`.
 */
type Stop = {phone: string; scopes: readonly string[]; by: Lead | undefined; quiet: number} & Times;

const senderOf = ({partner}: Lead) => ({partner, cid: '1001'});
const covers = ({phone, scopes}: Stop, lead: Lead) =>
  phone === lead.phone && isInScopes(senderOf(lead), scopes);
const isForEverybody = ({scopes}: Stop) => scopes.includes(everybody);

const anyOf = <Value>(values: readonly Value[]): Value => values[Math.floor(Math.random() * values.length)]!;

/** Visitors of the page of a partner, and callers, who come again, also after their consents were revoked. */
function visitors() {
  const leads: Lead[] = [];
  const byId = new Map<string, Lead>();
  let numbers = 0;
  const newNumber = () => `+1415${2_000_000 + (numbers += 1)}`;
  const live = Array.from({length: liveNumbers}, newNumber);
  const stoppedNumbers: string[] = [];
  /** @param text has the visitor's e-mail address, or nothing of the lead but its id is known to the receiver */
  const know = (id: string, text = '') => {
    const lead = byId.get(id) ?? leads[Number(/person-(\d+)@/.exec(text)?.[1] ?? NaN)];
    if (lead) byId.set(id, Object.assign(lead, {id}));
    return lead;
  };
  return {
    leads,
    live,
    stoppedNumbers,
    newLead: (): NewLead => {
      // Often those whose consent is being revoked right now, so that it happens while their leads are sent.
      const among =
        stoppedNumbers.length > 0 ? anyOf([live, live, stoppedNumbers.slice(-5), stoppedNumbers]) : live;
      const phone = anyOf(among);
      const [api, partner] = anyOf([[fromPage, 'acme'] as const, [fromCaller, null] as const]);
      const came = api();
      const body = came.body.replace('202-555-0142', phone).replace('jane@', `person-${leads.length}@`);
      leads.push({phone, partner, began: performance.now(), acknowledged: Infinity, seen: []});
      return {...came, body};
    },
    submission:
      ({body}: NewLead) =>
      ({id = ''}: {id?: string}) =>
        void Object.assign(know(id, body) ?? {}, {acknowledged: performance.now()}),
    /** Notes that a request has begun. Of a lead that a killed server stored and told nobody, only the revocation is sent. */
    see: (receiver: string, what: string, id: string, text?: string) => {
      const lead = know(id, text);
      assert.ok(lead ?? what.startsWith('consent.revoked'), `nobody sent the lead ${id}`);
      lead?.seen.push({at: performance.now(), receiver, what});
    },
    /** Another number takes its place. */
    stop(phone: string) {
      live.splice(live.indexOf(phone), 1, newNumber());
      stoppedNumbers.push(phone);
    },
  };
}
type Visitors = ReturnType<typeof visitors>;

/** Receivers that are slow, so that something is always under way, and fail now and then, so that something waits. */
async function receiversOf(t: TestContext, {see}: Visitors) {
  const webhook =
    (name: string, slow: number): ReceiverReply =>
    async (response, {body}) => {
      const {type, data} = JSON.parse(body) as {type: string; data: {id: string; scope?: string}};
      see(name, data.scope ? `${type} ${data.scope}` : type, data.id, body);
      await sleep(slow * Math.random());
      response.writeHead(Math.random() < 0.04 ? 503 : 204).end();
    };
  const crm = await openFor(t, startWebhookReceiver(webhook('crm', 150)));
  const sheet = await openFor(t, startWebhookReceiver(webhook('sheet', 50)));
  const script: Parameters<typeof startFakeUpstream>[0] = {
    async create(response, exchange) {
      const id = String(exchange.headers['idempotency-key']);
      see('lender', 'POST', id, JSON.stringify(exchange.body));
      // Then the lead is read: a second request under the same lease, sometimes after seconds.
      await sleep((Math.random() < 0.2 ? 8_000 : 300) * Math.random());
      return json(201, {id})(response, exchange);
    },
    read(response, exchange) {
      see('lender', 'GET', exchange.path.split('/').at(-1)!);
      return json(200, amounts)(response, exchange);
    },
  };
  return {crm, sheet, lender: await openFor(t, startFakeUpstream(script))};
}

/** What became of a lead in the store. `released`: since when it may go although it was held. */
type Fate = {revoked: RevocationScope | undefined; held: boolean; released: number};

/** Which rules are violated by what was sent of a lead. */
function wrongs(lead: Lead, stops: readonly Stop[], {revoked, held, released}: Fate): string[] {
  const own = stops.filter((stop) => covers(stop, lead));
  const events = lead.seen.filter(({what}) => what.startsWith('consent.revoked'));
  const sent = lead.seen.filter((one) => !events.includes(one));
  const arrived = ['crm lead.created', 'sheet lead.created', 'lender POST'].every((each) =>
    sent.some(({receiver, what}) => `${receiver} ${what}` === each),
  );
  const isRevoked = revoked !== undefined;
  const rules = (broken: Record<string, boolean>) => Object.keys(broken).filter((words) => broken[words]);
  if (own.length === 0)
    return rules({
      'it did not arrive': lead.acknowledged < Infinity && !arrived,
      'nobody revoked its consent': events.length > 0 || isRevoked || held,
    });
  // If the number was suppressed before the lead came, nothing of it may be sent at all.
  const ends = own.map(({acknowledged, quiet}) => (lead.began > acknowledged ? acknowledged : quiet));
  const late = sent.filter(({at}) => at > Math.min(...ends) && at < released);
  // A link stops what has its number and its mailbox. Each lead has a mailbox of its own here, so it holds all others.
  const stopping = own.filter(({by}) => by === undefined || by === lead);
  const mayBeBy = stopping.filter(({acknowledged}) => acknowledged > lead.began).map(isForEverybody);
  const isForAll = own.some((stop) => isForEverybody(stop) && stop.began > lead.acknowledged);
  // If all of it was sent before somebody with another mailbox asked, there is nothing that could be held.
  const mayBeFree = stopping.length === 0 && own.every(({acknowledged}) => acknowledged > lead.began);
  const last = ['crm', 'sheet'].flatMap(
    (name) => lead.seen.findLast(({receiver}) => receiver === name) ?? [],
  );
  return rules({
    [`${late[0]?.what} began at ${late[0]?.receiver} after the acknowledgement`]: late.length > 0,
    'it is neither held nor is its consent revoked':
      lead.id !== undefined && !isRevoked && !held && !(mayBeFree && arrived),
    'it was allowed, and did not arrive': released < Infinity && !arrived,
    'it was held, and said to be revoked': !isRevoked && events.length > 0,
    'it is revoked for others than it was said':
      isRevoked && (isForAll ? revoked !== 'all' : !mayBeBy.includes(revoked === 'all')),
    'a receiver was not told last that it is revoked':
      isRevoked && last.some(({what}) => what !== `consent.revoked ${revoked}`),
  });
}

async function killRepeatedly(t: TestContext, on: keyof typeof stores) {
  const folder = temporaryFolder(t);
  const store = await stores[on](folder, t);
  const people = visitors();
  const {leads, live, stoppedNumbers} = people;
  const {crm, sheet, lender} = await receiversOf(t, people);
  const environment = {
    ...serviceSettings(folder),
    ...sendingTo(folder, {crm, sheet}, lender, {
      callers: [{...inFile(acme), answer_from: 'lender', send_to: ['crm', 'sheet']}],
    }),
    ...store,
  };
  const ports = [await freePort(), ...(on === 'SQLite' ? [] : [await freePort()])];
  const start = (port: number) => startOver(folder, {...environment, PORT: String(port)});
  const servers: RunningService[] = await Promise.all(ports.map(start));
  const loads = servers.map(({url}) => createLeads(url, 8, people.newLead, 3, people));
  await until(() => leads.filter(({acknowledged}) => acknowledged < Infinity).length > 100);
  const attached = await openFor(t, openAttached(folder, store));
  const command = async (...words: string[]) => {
    const ran = await runProcess(environment, 'consent', ...words);
    assert.equal(ran.code, 0, `${words.join(' ')}: ${ran.stderr}`);
  };

  const stops: Stop[] = [];
  let taking = true;
  t.after(() => (taking = false));
  /** Revokes a consent, mostly of somebody who has just sent a lead. Later also for all what was revoked for some. */
  async function revokeOne(byLink: boolean) {
    const widens = !byLink && stoppedNumbers.length > 10 && Math.random() < 0.2;
    const among = widens ? stoppedNumbers : live;
    const lead = leads.findLast(
      ({phone, acknowledged}) => acknowledged < Infinity && among.includes(phone) && Math.random() < 0.5,
    );
    if (!lead) return sleep(10);
    const {phone, id = ''} = lead;
    const named = byLink ? '' : widens ? everybody : anyOf([everybody, 'acme', '-']);
    const ofPartner = scopesOf(byLink ? senderOf(lead) : {partner: 'acme', cid: '1001'});
    const scopes = [everybody, '-'].includes(named) ? [named] : ofPartner;
    const [began, by] = [performance.now(), byLink ? lead : undefined];
    const stop: Stop = {phone, scopes, by, began, acknowledged: Infinity, quiet: Infinity};
    stops.push(stop);
    if (!widens) people.stop(phone);
    if (byLink) {
      const link = await revokeLinkOf(attached, '')(id);
      const post = {method: 'POST', body: new URLSearchParams({ask: 'stop'})};
      await until(() =>
        fetch(`${anyOf(servers).url}${link}`, post).then(
          ({status}) => status === 200,
          () => false,
        ),
      );
    } else await command('revoke', phone, '--yes', ...(named === everybody ? [] : [`--partner=${named}`]));
    stop.acknowledged = performance.now();
    // What a process holds cannot be recalled: a command waits for that, and the page does not.
    stop.quiet = stop.acknowledged + (byLink ? usualTimings.lease : 0);
  }
  const takers = Array.from({length: links + commands}, async (_, index) => {
    while (taking) {
      await revokeOne(index < links);
      await sleep(1_500 * Math.random());
    }
  });
  const inFlight = () => stops.filter(({acknowledged}) => acknowledged === Infinity);

  let struck = 0;
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(2_500 * Math.random());
    // In half of the rounds, in the middle of a revocation by link: the process that does it is the one that is killed.
    await until(() => inFlight().some(({by}) => round % 2 === 0 || by));
    const index = Math.floor(Math.random() * servers.length);
    struck += inFlight().length;
    await servers[index]!.end('SIGKILL');
    servers[index] = await start(ports[index]!);
  }
  taking = false;
  await Promise.all(takers);
  // Leads with all of these numbers come again, now that all is acknowledged.
  await sleep(2_000);
  await Promise.all(loads.map((load) => load.stop()));
  const others = loads.flatMap(({statuses}) => statuses.filter((status) => ![201, 503, 0].includes(status)));
  assert.deepEqual(others, [], 'a lead that is held has the usual answer');
  const isQuiet = async () => (await attached.listDeliveries(1, {state: 'waiting'})).length === 0;
  await until(isQuiet);

  const heldAtFirst = new Set(await attached.heldLeads());
  const released = new Map<string, number>();
  const held = leads.filter(({id = ''}) => heldAtFirst.has(id));
  // Of the first of these numbers, all is allowed. Of the others, one lead.
  for (const [index, phone] of [...new Set(held.map((lead) => lead.phone))].slice(0, 4).entries()) {
    const own = held.filter((lead) => lead.phone === phone).slice(0, index === 0 ? undefined : 1);
    for (const {id = ''} of own) released.set(id, performance.now());
    await command('allow', index === 0 ? phone : own[0]!.id!, '--reason', 'a test');
  }
  await until(isQuiet);

  const records = await attached.findRecords(leads.flatMap(({id}) => id ?? []));
  const violations = leads.flatMap((lead) => {
    const {id = ''} = lead;
    const revoked = records.get(id)?.revoked?.scope;
    const fate = {revoked, held: heldAtFirst.has(id), released: released.get(id) ?? Infinity};
    return wrongs(lead, stops, fate).map((words) => `${lead.phone}, ${id}: ${words}`);
  });
  for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
  const byLink = stops.filter(({by}) => by).length;
  const longest = Math.max(...stops.map(({began, acknowledged}) => acknowledged - began));
  t.diagnostic(
    `${on}: ${rounds} kills with ${struck} revocations in flight; ${records.size} leads; ${stops.length - byLink} revocations ` +
      `by command and ${byLink} by link, acknowledged after ${(longest / 1_000).toFixed(1)} s at most; ` +
      `${[...records.values()].filter(({revoked}) => revoked).length} leads revoked, ${held.length} held, ` +
      `${released.size} of them allowed; ${leads.reduce((sum, {seen}) => sum + seen.length, 0)} requests; ` +
      `${violations.length} violations`,
  );
  assert.deepEqual(violations.slice(0, 10), []);
  assert.ok(released.size > 3, 'too few numbers came again');
}

// Who revokes a consent waits up to 45 s for the leases of a killed server, so both stores wait for that at once.
suite('kills while consents are revoked', {concurrency: 2}, () => {
  for (const on of ['SQLite', 'PostgreSQL'] as const)
    test(
      `send nothing after the acknowledgement and lose nothing else on ${on}`,
      {skip: on === 'PostgreSQL' && withoutPostgres},
      (t) => killRepeatedly(t, on),
    );
});
