/** Plays a plan: starts the processes, lets clients, operators and faults do what the plan says, and waits for quiet. */
import {copyFileSync, existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {defaultPolicy} from '../../server/calculator/policy.ts';
import type {DestinationSettings} from '../../server/config/destinations.ts';
import {usualTimings, type Timings} from '../../server/config/timings.ts';
import {comparableText, createIdempotencyDigests} from '../../server/leads/idempotency.ts';
import type {Submission as ToDesk} from '../../server/leads/lead-desk.ts';
import type {Accepted} from '../../server/leads/lead-store.ts';
import {clearText} from '../../server/store/codec.ts';
import {openCommits} from '../../server/store/sqlite/commits.ts';
import {makeFile} from '../../server/store/sqlite/files.ts';
import {openSqliteBeside} from '../../server/store/sqlite/store.ts';
import {emailSettings} from '../support/email-settings.ts';
import {asLead, prequalificationBody, standardBody} from '../support/sample-leads.ts';
import {beginHistory, draw, later, newProcess, passTime, runIn, theWorld, time, wait} from './clock.ts';
import {kill} from './crash.ts';
import {
  nameOf,
  readStored,
  type Agreed,
  type Creation,
  type Fact,
  type History,
  type Order,
  type Submission,
  type Trouble,
} from './history.ts';
import type {Mood} from './network.ts';
import {
  destinationNames,
  faultsEnd,
  type DestinationName,
  type Moment,
  type Operation,
  type Plan,
  type Sender,
  type To,
} from './plan.ts';
import {startServer, type Server, type StoreFault, type World} from './process.ts';

/** Milliseconds after the last fault within which everything must be delivered. */
const patience = 120_000;

/** Shorter than those of a real server, so that a history has room for several attempts. */
const timings: Timings = {
  ...usualTimings,
  delivery: 10_000,
  settling: 2_000,
  lease: 16_000,
  longestRetry: 20_000,
  longestBreak: 5_000,
  idlePoll: 2_000,
  busyPoll: 200,
};

const access = {user: 'user', password: 'password', cid: '1'};
const destinations: Record<DestinationName, DestinationSettings> = {
  lender: {
    type: 'lead-api',
    url: 'http://lender.test',
    ...access,
    attributionInNotes: true,
    perSecond: undefined,
    parallel: 4,
  },
  other: {
    type: 'lead-api',
    url: 'http://other.test',
    ...access,
    attributionInNotes: false,
    perSecond: 2,
    parallel: 2,
  },
  crm: {
    type: 'webhook',
    url: 'http://crm.test',
    secrets: [Buffer.from('secret')],
    isInternal: true,
    perSecond: 5,
    parallel: 3,
  },
  inbox: emailSettings('smtp://inbox.test', {everyMinutes: 0.25}),
};
const agreed = (mostSends: number): Record<DestinationName, Agreed> => ({
  lender: {gets: 'leads', parallel: 4, mostSends},
  other: {gets: 'leads', parallel: 2, mostSends},
  crm: {gets: 'news', parallel: 3, perSecond: 5, mostSends: Infinity},
  inbox: {gets: 'digests', parallel: Infinity, mostSends: Infinity},
});

const routes: Record<Sender, Pick<ToDesk, 'partner' | 'answerFrom'> & {sendTo: DestinationName[]}> = {
  'a caller': {partner: null, answerFrom: 'lender', sendTo: ['inbox']},
  acme: {partner: 'acme', answerFrom: 'lender', sendTo: ['crm', 'inbox']},
  globex: {partner: 'globex', answerFrom: undefined, sendTo: ['crm', 'other']},
};

const digests = createIdempotencyDigests(['a-token-key-for-tests-that-is-long-enough']);
const emailOf = (content: number) => `person-${content}@example.com`;

/** In memory, where the system has a folder for that. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'simulation-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
const [template, path] = [join(folder, 'template.sqlite'), join(folder, 'leads.sqlite')];

/** Notes what must never change. They compare what is meant, and not how it is written. */
const triggers = `
  CREATE TABLE changes (words TEXT);
  CREATE TRIGGER done AFTER UPDATE ON leads WHEN OLD.status = 'done' AND
      (NEW.status <> 'done' OR NEW.total_qualified_amount IS NOT OLD.total_qualified_amount)
    BEGIN INSERT INTO changes VALUES ('the answer of ' || OLD.id || ' was done and changed'); END;
  CREATE TRIGGER lead_gone AFTER DELETE ON leads
    BEGIN INSERT INTO changes VALUES ('the lead ' || OLD.id || ' was deleted'); END;
  CREATE TRIGGER delivery_gone AFTER DELETE ON deliveries
    BEGIN INSERT INTO changes VALUES ('the delivery of ' || OLD.lead_id || ' to ' || OLD.destination || ' was deleted'); END;
  CREATE TRIGGER remote_id AFTER UPDATE ON deliveries
    WHEN OLD.remote_id IS NOT NULL AND NEW.remote_id IS NOT OLD.remote_id
    BEGIN INSERT INTO changes VALUES ('the id of ' || OLD.lead_id || ' at ' || OLD.destination || ' changed'); END;
  CREATE TRIGGER delivered AFTER UPDATE ON deliveries
    WHEN OLD.state = 'delivered' AND NEW.state <> 'delivered' AND OLD.content = 'lead'
    BEGIN INSERT INTO changes VALUES ('the lead ' || OLD.lead_id || ' was delivered to ' || OLD.destination || ', and is not'); END;`;

/** Makes a file with all tables, of which each history gets a copy. */
function makeTemplate() {
  makeFile(template);
  openCommits(template).close();
  const database = new DatabaseSync(template);
  database.exec(triggers);
  database.close();
}

/** The same plan gives the same history. */
export async function play(plan: Plan): Promise<History> {
  if (!existsSync(template)) makeTemplate();
  for (const end of ['', '-wal', '-shm', '-lock']) rmSync(path + end, {force: true});
  copyFileSync(template, path);
  beginHistory(plan.seed);
  const players = new Players(plan);
  const fail = (error: unknown) => players.failed(error);
  process.on('unhandledRejection', fail);
  process.on('uncaughtException', fail);
  try {
    return await runIn(theWorld, () => players.play());
  } finally {
    process.off('unhandledRejection', fail);
    process.off('uncaughtException', fail);
  }
}

/** Those who do what a plan says. */
class Players {
  readonly plan: Plan;
  readonly facts: Fact[] = [];
  readonly creations: Creation[] = [];
  /** By the number of a process: the server that runs, or undefined while it is down. */
  readonly servers: (Server | undefined)[];
  readonly moods = new Map<string, Mood>();
  readonly storeFaults = new Map<string, StoreFault>();
  armed: {process: string; moment: Moment; left: number; strike: () => void}[] = [];
  /** The ids of acknowledged leads, by the number of their content. */
  readonly leads = new Map<number, string>();
  submitting = 0;
  areFaultsOver = false;

  constructor(plan: Plan) {
    this.plan = plan;
    this.servers = Array.from({length: plan.processes}, () => undefined);
  }

  async play(): Promise<History> {
    const {plan, facts} = this;
    const end = plan.faultsEnd ?? faultsEnd;
    for (const index of this.servers.keys()) this.start(index);
    for (const operation of plan.operations) later(operation.at, () => this.perform(operation));
    later(end, () => this.endFaults());
    const isQuiet = await passTime(() => time() > end + 1_000 && this.isQuiet(), end + patience);
    for (const lead of this.leads.values()) void this.read(lead);
    await passTime(() => false, time() + 5_000);
    const changes = this.rows('SELECT words FROM changes').map(({words}) => String(words));
    for (const server of this.servers) if (server) kill(server.process);
    const store = openSqliteBeside(path, clearText, false);
    const stored = await readStored(store, changes);
    await store.close();
    return {
      agreed: agreed(plan.onAmbiguous === 'hold' ? 1 : 3),
      noticing: timings.idlePoll + 200 + (plan.readsAreSlow ? 4_100 : 0),
      attempt: timings.delivery,
      lease: timings.lease,
      facts,
      isQuiet,
      stored,
    };
  }

  /** Looks at the file itself, which takes no time and disturbs nobody. */
  rows(query: string) {
    const database = new DatabaseSync(path, {readOnly: true});
    const rows = database.prepare(query).all();
    database.close();
    return rows;
  }

  isQuiet(): boolean {
    if (this.submitting > 0 || !this.servers.every(Boolean) || time() < this.nextLook) return false;
    this.nextLook = time() + 1_000;
    return this.rows("SELECT 1 FROM deliveries WHERE state = 'waiting' LIMIT 1").length === 0;
  }
  nextLook = 0;

  /** What the parts of the simulation ask of the history. */
  readonly world: World = {
    moodOf: (destination) => this.moods.get(destination),
    creations: this.creations,
    storeFaultOf: ({name}) => this.storeFaults.get(name),
    readsAreSlow: false,
    record: (fact) => {
      this.facts.push(fact);
      if (fact.type === 'creation') this.creations.push(fact);
    },
    happened: (moment, {name, isDead}) => {
      for (const fault of isDead ? [] : this.armed) {
        if (fault.moment !== moment || fault.process !== name) continue;
        fault.left -= 1;
        if (fault.left === 0) fault.strike();
      }
    },
  };

  failed(error: unknown) {
    this.facts.push({type: 'failure', at: time(), message: String((error as Error).stack ?? error)});
  }

  /** Notes a trouble of a process that is over after some milliseconds. */
  trouble(process: string, kind: Trouble['kind'], lasts: number) {
    this.facts.push({type: 'trouble', process, kind, at: time(), until: time() + lasts});
  }

  start(index: number) {
    const {plan, world} = this;
    const process = newProcess(`process ${index}`);
    if (index === 1) process.skew = plan.skew;
    const config = {
      destinations: new Map(Object.entries(destinations)),
      onAmbiguous: plan.onAmbiguous,
      outboxPerSecond: 5,
      policy: defaultPolicy,
    };
    const itsTimings = {...timings, newsGivenUpAfter: plan.newsGivenUpAfter};
    const itsWorld = {...world, readsAreSlow: plan.readsAreSlow};
    startServer(path, process, config, itsTimings, itsWorld).then(
      (server) => (this.servers[index] = server),
      (error: unknown) => this.failed(error),
    );
  }

  kill(index: number, lasts: number) {
    const server = this.servers[index];
    if (!server || this.areFaultsOver) return;
    this.servers[index] = undefined;
    this.trouble(server.process.name, 'crash', lasts);
    kill(server.process);
    later(lasts, () => this.start(index), theWorld);
  }

  async restart(index: number, patience: number, lasts: number) {
    const server = this.servers[index];
    if (!server) return;
    this.servers[index] = undefined;
    const {process, service} = server;
    const stop: Trouble = {type: 'trouble', process: process.name, kind: 'stop', at: time(), until: Infinity};
    this.facts.push(stop);
    await runIn(process, () => service.close(patience));
    kill(process);
    stop.until = time();
    later(lasts, () => this.start(index), theWorld);
  }

  breakStore(index: number, fault: StoreFault, lasts: number) {
    if (this.areFaultsOver) return;
    const name = `process ${index}`;
    this.storeFaults.set(name, fault);
    this.trouble(name, fault === 'slow' ? 'slow-store' : 'store', lasts);
    later(lasts, () => this.storeFaults.delete(name), theWorld);
  }

  freeze(index: number, lasts: number) {
    const process = this.servers[index]?.process;
    if (!process) return;
    process.frozenUntil = time() + lasts;
    this.trouble(process.name, 'freeze', lasts);
  }

  setClock(index: number, by: number) {
    const process = this.servers[index]?.process;
    if (!process) return;
    process.skew += by;
    this.trouble(process.name, 'clock', 0);
  }

  endFaults() {
    this.areFaultsOver = true;
    this.armed = [];
    this.moods.clear();
    this.storeFaults.clear();
    for (const destination of destinationNames) void this.order({do: 'resume', destination});
  }

  perform(operation: Operation) {
    const arm = (index: number, {moment, nth}: {moment: Moment; nth: number}, strike: () => void) =>
      void this.armed.push({process: `process ${index}`, moment, left: nth, strike});
    switch (operation.do) {
      case 'submit':
        return void this.submit(operation);
      case 'read': {
        const lead = this.leads.get(operation.content);
        return void (lead && this.read(lead));
      }
      case 'mood': {
        const {destination, mood, lasts} = operation;
        this.moods.set(destination, mood);
        return void later(lasts, () => this.moods.delete(destination));
      }
      case 'fail store':
        return this.breakStore(operation.process, operation.fault, operation.lasts);
      case 'fail store when':
        return arm(operation.process, operation, () =>
          this.breakStore(operation.process, operation.fault, operation.lasts),
        );
      case 'kill':
        return this.kill(operation.process, operation.lasts);
      case 'kill when':
        return arm(operation.process, operation, () => this.kill(operation.process, operation.lasts));
      case 'freeze when':
        return arm(operation.process, operation, () => this.freeze(operation.process, operation.lasts));
      case 'set clock':
        return this.setClock(operation.process, operation.by);
      case 'restart':
        return void this.restart(operation.process, operation.patience, operation.lasts);
      case 'pause':
      case 'resume':
      case 'retry':
      case 'drop':
      case 'settle':
        return void this.order(operation);
    }
  }

  /** Sends a lead until it is answered, to one process after another, as a client with patience does. */
  async submit({process, key, content, sender, isHeld, isStandard}: To<'submit'>) {
    this.submitting += 1;
    const {partner, answerFrom, sendTo} = routes[sender];
    const body = isStandard ? standardBody : prequalificationBody;
    const lead = asLead({...body, email: emailOf(content)});
    const text = comparableText(lead);
    const toDesk: ToDesk = {
      lead,
      partner,
      answerFrom,
      sendTo,
      idempotency: digests.ofKey(sender, `key ${key}`, text),
      leadDigests: partner && !isHeld && !isStandard ? digests.ofLead(text) : [],
      hold: isHeld,
      ...(isHeld && {suspect: 'trap'}),
    };
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const server = this.servers[(process + attempt) % this.servers.length];
      const submission: Submission = {
        type: 'submission',
        at: time(),
        until: Infinity,
        process: server?.process.name ?? '',
        owner: sender,
        key: String(key),
        content: `${emailOf(content)}${isStandard ? ', standard' : ''}`,
        destinations: [...(answerFrom ? [answerFrom] : []), ...sendTo],
        isHeld,
      };
      if (server) {
        this.facts.push(submission);
        if (await this.ask(server, toDesk, submission, content)) break;
      }
      await wait(1_000 + draw(`patience with ${content}`) * 3_000);
    }
    this.submitting -= 1;
  }

  /** Sends a lead once. Resolves to whether the client has its answer. */
  async ask({process, service}: Server, toDesk: ToDesk, submission: Submission, content: number) {
    const {promise, resolve} = Promise.withResolvers<boolean>();
    later(12_000, () => resolve(false), theWorld);
    const hear = (accepted: Accepted) => {
      if (process.isDead || accepted.outcome === 'key-in-progress') return resolve(false);
      Object.assign(submission, {until: time(), outcome: accepted.outcome});
      if ('stored' in accepted) {
        const {id, answer} = accepted.stored;
        Object.assign(submission, {lead: id, answer});
        this.leads.set(content, id);
      }
      resolve(true);
    };
    later(0, () => void service.desk.submit(toDesk).then(hear, () => resolve(false)), process);
    return promise;
  }

  async read(lead: string) {
    const at = time();
    const server = this.servers.find(Boolean);
    if (!server) return;
    const read = runIn(server.process, () => server.service.desk.find(lead));
    const found = await read.catch(() => 'failed' as const);
    if (found !== 'failed')
      this.facts.push({type: 'reading', at, until: time(), lead, answer: found?.answer});
  }

  /** What an operator does with the command, straight on the store. */
  async order(operation: To<Order['command']>) {
    const order: Order = {type: 'order', at: time(), until: Infinity, command: operation.do, deliveries: []};
    this.facts.push(order);
    const store = openSqliteBeside(path, clearText, true);
    const now = Date.now();
    try {
      if (operation.do === 'pause' || operation.do === 'resume') {
        const {destination} = operation;
        order.destination = destination;
        if (operation.do === 'pause')
          await store.pauseDestination({destination, pausedAt: now, reason: 'an operator paused it'});
        else await store.resumeDestination(now, destination);
      } else if (operation.do === 'settle') {
        const lead = this.leads.get(operation.content);
        const known = this.creations.find((one) => one.lead === lead && one.destination === 'lender');
        if (!lead || !known) return;
        order.deliveries = [nameOf({lead, destination: 'lender', content: 'lead'})];
        await store.settleAs(now, {lead, destination: 'lender'}, known.id);
      } else {
        const {content, destination, state} = operation;
        const lead = content === undefined ? undefined : this.leads.get(content);
        if (content !== undefined && !lead) return;
        const filter = {lead, destination, state};
        const named = (await store.listDeliveries(1_000, filter)).map(nameOf);
        if (operation.do === 'retry') {
          order.deliveries = named;
          await store.retryDeliveries(now, filter);
        } else {
          const dropped = () => store.listDeliveries(1_000, {...filter, state: 'dropped'});
          const before = new Set((await dropped()).map(nameOf));
          await store.dropDeliveries(now, filter);
          // One that a process is working on is not dropped.
          order.deliveries = (await dropped()).map(nameOf).filter((name) => !before.has(name));
        }
      }
    } catch (error) {
      this.failed(error);
    } finally {
      order.until = time();
      await store.close();
    }
  }
}
