/** Plays a plan: starts the processes, lets clients, operators and faults do what the plan says, and waits for quiet. */
import {copyFileSync, existsSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {workerData} from 'node:worker_threads';
import {defaultPolicy} from '../../calculator/policy.ts';
import {addressOf, type DestinationSettings} from '../../server/config/destinations.ts';
import {usualTimings, type Timings} from '../../server/config/timings.ts';
import {openStates, type DeliveryRow} from '../../server/leads/deliveries.ts';
import {comparableText, createIdempotencyDigests} from '../../server/leads/idempotency.ts';
import type {Submission as ToDesk} from '../../server/leads/lead-desk.ts';
import type {Accepted, BesideStore} from '../../server/leads/lead-store.ts';
import type {StoredLead} from '../../server/leads/stored-lead.ts';
import {clearText} from '../../server/store/sealing.ts';
import {openCommits} from '../../server/store/sqlite/commits.ts';
import {makeFile} from '../../server/store/sqlite/files.ts';
import {openSqliteBeside} from '../../server/store/sqlite/store.ts';
import {emailSettings} from '../support/email-settings.ts';
import {asLead, prequalificationBody, standardBody} from '../support/sample-leads.ts';
import {
  beginHistory,
  beginning,
  draw,
  later,
  newProcess,
  passTime,
  runIn,
  theWorld,
  time,
  wait,
  type Process,
} from './clock.ts';
import {kill} from './connections.ts';
import {
  contentOf,
  heardOf,
  nameOf,
  readStored,
  type Addresses,
  type Agreed,
  type Command,
  type Creation,
  type Fact,
  type History,
  type Submission,
  type Trouble,
} from './history.ts';
import type {Moment, Mood} from './network.ts';
import {
  destinationNames,
  faultsEnd,
  type ConfigurationName,
  type DestinationName,
  type Operation,
  type Plan,
  type Sender,
  type To,
} from './plan.ts';
import {startServer, type Server, type StoreFault, type World} from './process.ts';

/** Milliseconds after which a client sends its lead again. */
const clientPatience = 12_000;

/** Milliseconds after the last fault at which operators resume once more what is paused. */
const lastResume = 35_000;
/**
 * Milliseconds after the last fault within which everything must be delivered. A clock that was set back makes what waits
 * due later, and the search of the outbox finds that once a minute.
 */
const patience = {usual: 120_000, afterClocks: 270_000};

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
const destinations = {
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
} satisfies Record<DestinationName, DestinationSettings>;
/** The destinations of a configuration. */
function destinationsUnder(name: ConfigurationName): Map<string, DestinationSettings> {
  const {crm, other} = destinations;
  const all = new Map<string, DestinationSettings>(Object.entries(destinations));
  if (name === 'without crm') all.delete('crm');
  if (name === 'crm elsewhere') all.set('crm', {...crm, url: 'http://crm.elsewhere.test'});
  if (name === 'other elsewhere') all.set('other', {...other, url: 'http://other.elsewhere.test'});
  if (name === 'slower crm') all.set('crm', {...crm, perSecond: 2});
  return all;
}

/** As facts have them. */
const addressesUnder = (name: ConfigurationName): Addresses =>
  Object.fromEntries(
    [...destinationsUnder(name)].map(([destination, settings]) => [
      destination,
      new URL('url' in settings ? settings.url : settings.smtpUrl).hostname,
    ]),
  );

const agreed = (mostSends: number): Record<DestinationName, Agreed> => ({
  lender: {gets: 'leads', parallel: 4, mostSends},
  other: {gets: 'leads', parallel: 2, mostSends},
  crm: {gets: 'news', parallel: 3, perSecond: 5, mostSends: Infinity},
  inbox: {gets: 'digests', parallel: Infinity, mostSends: Infinity},
});

/** Nothing is swept. */
const keepingAll = {retention: {retainDays: undefined, keepConsentYears: 5}, partners: []};

const routes: Record<Sender, Pick<ToDesk, 'partner' | 'answerFrom'> & {sendTo: DestinationName[]}> = {
  'a caller': {partner: null, answerFrom: 'lender', sendTo: ['inbox']},
  acme: {partner: 'acme', answerFrom: 'lender', sendTo: ['crm', 'inbox']},
  globex: {partner: 'globex', answerFrom: undefined, sendTo: ['crm', 'other']},
};

const digests = createIdempotencyDigests(['a-token-key-for-tests-that-is-long-enough']);

/** Where the files of the histories are. simulate.ts makes the folder, and removes it. */
const {folder} = workerData as {folder: string};
const [template, path] = [join(folder, 'template.sqlite'), join(folder, 'leads.sqlite')];

/** Triggers that note changes that must never happen. They compare what is meant, and not how it is written. */
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
  const players = new Players(plan);
  beginHistory(plan.seed, players.failed);
  process.on('unhandledRejection', players.failed);
  process.on('uncaughtException', players.failed);
  try {
    return await runIn(theWorld, () => players.play());
  } finally {
    process.off('unhandledRejection', players.failed);
    process.off('uncaughtException', players.failed);
  }
}

/** Those who do what a plan says. */
class Players {
  readonly #plan: Plan;
  readonly #facts: Fact[] = [];
  readonly #creations: Creation[] = [];
  /** By the number of a process: what runs now, and the server that it is, once it has started. */
  readonly #processes: Process[];
  readonly #servers: (Server | undefined)[];
  /** By the number of a process: what its files say. */
  readonly #files: ConfigurationName[];
  /** What it has in force. */
  readonly #inForce: ConfigurationName[];
  /** Milliseconds by which the clock of each machine is ahead. */
  readonly #skews: number[];
  readonly #moods = new Map<string, Mood>();
  readonly #storeFaults = new Map<string, StoreFault>();
  #armed: {process: string; moment: Moment; left: number; strike: () => void}[] = [];
  /** The acknowledged leads, by the number of their content. */
  readonly #leads = new Map<number, string>();
  #submitting = 0;
  #areFaultsOver = false;
  #nextLook = 0;
  readonly #world: World;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#skews = plan.processes === 1 ? [0] : [0, plan.skew];
    this.#processes = this.#skews.map((_, index) => newProcess(`process ${index}`));
    this.#servers = this.#skews.map(() => undefined);
    this.#files = this.#skews.map(() => 'usual');
    this.#inForce = [...this.#files];
    this.#world = {
      moodOf: (destination) => this.#moods.get(destination),
      isForLeads: (destination) => agreed(1)[destination as DestinationName].gets === 'leads',
      creations: this.#creations,
      storeFaultOf: ({name}) => this.#storeFaults.get(name),
      readsAreSlow: plan.readsAreSlow,
      record: (fact) => {
        this.#facts.push(fact);
        if (fact.type === 'creation') this.#creations.push(fact);
      },
      happened: (moment, {name, isDead}) => {
        for (const fault of isDead ? [] : this.#armed) {
          if (fault.moment !== moment || fault.process !== name) continue;
          fault.left -= 1;
          if (fault.left === 0) fault.strike();
        }
      },
    };
  }

  readonly failed = (error: unknown) => {
    this.#facts.push({type: 'failure', at: time(), message: String((error as Error).stack ?? error)});
  };

  async play(): Promise<History> {
    const plan = this.#plan;
    const end = plan.faultsEnd ?? faultsEnd;
    for (const index of this.#servers.keys()) this.#start(index);
    for (const operation of plan.operations) later(operation.at, () => this.#perform(operation));
    later(end, () => this.#endFaults());
    const {afterClocks, usual} = patience;
    const limit = end + (plan.operations.some((one) => one.do === 'set clock') ? afterClocks : usual);
    const isQuiet = await passTime(() => time() > end + 1_000 && this.#isQuiet(), limit);
    for (const lead of this.#leads.values()) void this.#read(lead);
    await passTime(() => false, time() + 5_000);
    const changes = this.#rows('SELECT words FROM changes').map(({words}) => String(words));
    for (const process of this.#processes) kill(process);
    const store = await openSqliteBeside(path, clearText, false);
    const stored = await readStored(store, changes);
    await store.close();
    return {
      beginning,
      agreed: agreed(plan.onAmbiguous === 'hold' ? 1 : 3),
      noticing: timings.idlePoll + 200 + (plan.readsAreSlow ? 10_000 : 0),
      attempt: timings.delivery,
      lease: timings.lease,
      facts: this.#facts,
      isQuiet,
      stored,
    };
  }

  /** Looks at the file itself, which takes no time and disturbs nobody. */
  #rows(query: string) {
    const database = new DatabaseSync(path, {readOnly: true});
    const rows = database.prepare(query).all();
    database.close();
    return rows;
  }

  #isQuiet(): boolean {
    const isAwake =
      this.#servers.every(Boolean) && this.#processes.every(({frozenUntil}) => frozenUntil <= time());
    if (this.#submitting > 0 || !isAwake || time() < this.#nextLook) return false;
    this.#nextLook = time() + 1_000;
    return this.#rows("SELECT 1 FROM deliveries WHERE state = 'waiting' LIMIT 1").length === 0;
  }

  /** Notes a trouble of a process. */
  #trouble({name}: Process, kind: Trouble['kind'], lasts: number): Trouble {
    const trouble: Trouble = {type: 'trouble', process: name, kind, at: time(), until: time() + lasts};
    this.#facts.push(trouble);
    return trouble;
  }

  #start(index: number) {
    const {onAmbiguous, newsGivenUpAfter} = this.#plan;
    const process = newProcess(`process ${index}`, this.#skews[index]);
    this.#processes[index] = process;
    const config = {
      destinations: destinationsUnder(this.#configure(process, index)),
      onAmbiguous,
      outboxPerSecond: 5,
      policy: defaultPolicy,
      ...keepingAll,
    };
    startServer(path, process, config, {...timings, newsGivenUpAfter}, this.#world).then((server) => {
      if (!process.isDead) this.#servers[index] = server;
    }, this.failed);
  }

  /** Notes that the process has read its files. */
  #configure({name: process}: Process, index: number): ConfigurationName {
    const name = this.#files[index] ?? 'usual';
    this.#inForce[index] = name;
    this.#facts.push({type: 'configuration', at: time(), process, addresses: addressesUnder(name)});
    return name;
  }

  #reload(index: number, name: ConfigurationName) {
    this.#files[index] = name;
    const server = this.#servers[index];
    if (!server) return;
    const {process, service} = server;
    const reload = () =>
      service.reload({
        destinations: destinationsUnder(this.#configure(process, index)),
        policy: defaultPolicy,
        ...keepingAll,
      });
    later(0, reload, process);
  }

  #startLater(index: number, milliseconds: number) {
    later(milliseconds, () => this.#start(index), theWorld);
  }

  #kill(index: number, lasts: number) {
    const process = this.#processes[index];
    if (!process || process.isDead || this.#areFaultsOver) return;
    this.#servers[index] = undefined;
    this.#trouble(process, 'crash', lasts);
    kill(process);
    this.#startLater(index, lasts);
  }

  #restart(index: number, patience: number, lasts: number) {
    const server = this.#servers[index];
    if (!server) return;
    this.#servers[index] = undefined;
    const {process, service} = server;
    const stop = this.#trouble(process, 'stop', Infinity);
    const stopped = () => {
      if (process.isDead) return;
      kill(process);
      stop.until = time();
      this.#startLater(index, lasts);
    };
    later(0, () => void service.close(patience).then(stopped, this.failed), process);
  }

  #failStore(index: number, fault: StoreFault, lasts: number) {
    const process = this.#processes[index];
    if (!process || this.#areFaultsOver || this.#storeFaults.has(process.name)) return;
    this.#storeFaults.set(process.name, fault);
    const trouble = this.#trouble(process, fault === 'slow' ? 'slow-store' : 'store', lasts);
    const see = (isBlind: boolean) => (this.#processes[index]!.isBlind = isBlind);
    see(fault === 'fails' || fault === 'blind');
    const end = () => {
      if (this.#storeFaults.delete(process.name)) trouble.until = time();
      see(false);
    };
    later(lasts, end, theWorld);
  }

  #freeze(index: number, lasts: number) {
    const process = this.#processes[index];
    if (!process || process.isDead) return;
    process.frozenUntil = Math.max(process.frozenUntil, time() + lasts);
    this.#trouble(process, 'freeze', lasts);
  }

  #setClock(index: number, by: number) {
    const process = this.#processes[index];
    if (!process) return;
    process.skew += by;
    this.#skews[index] = process.skew;
    this.#trouble(process, 'clock', 0);
  }

  #endFaults() {
    this.#areFaultsOver = true;
    this.#armed = [];
    this.#moods.clear();
    this.#storeFaults.clear();
    for (const process of this.#processes) process.isBlind = false;
    for (const index of this.#servers.keys()) this.#reload(index, 'usual');
    this.#resumeAll();
    // A process that was frozen may learn only now that a destination asked for nothing more, or that its files changed.
    later(lastResume, () => this.#resumeAll());
  }

  #resumeAll() {
    for (const destination of destinationNames) void this.#order({do: 'resume', destination});
    if (this.#plan.operations.some((one) => one.do === 'reload'))
      for (const destination of destinationNames) void this.#order({do: 'accept', destination});
  }

  #perform(operation: Operation) {
    switch (operation.do) {
      case 'submit':
        return void this.#submit(operation);
      case 'read': {
        const lead = this.#leads.get(operation.content);
        return void (lead && this.#read(lead));
      }
      case 'mood': {
        const {destination, mood, lasts} = operation;
        if (this.#moods.has(destination)) return;
        this.#moods.set(destination, mood);
        return void later(lasts, () => this.#moods.delete(destination));
      }
      case 'fail store':
        return this.#strike(operation, (index) => this.#failStore(index, operation.fault, operation.lasts));
      case 'kill':
        return this.#strike(operation, (index) => this.#kill(index, operation.lasts));
      case 'freeze':
        return this.#strike(operation, (index) => this.#freeze(index, operation.lasts));
      case 'set clock':
        return this.#strike(operation, (index) => this.#setClock(index, operation.by));
      case 'restart':
        return this.#strike(operation, (index) => this.#restart(index, operation.patience, operation.lasts));
      case 'reload':
        return this.#strike(operation, (index) => this.#reload(index, operation.configuration));
      case 'accept':
      case 'pause':
      case 'resume':
      case 'retry':
      case 'drop':
      case 'settle':
        return void this.#order(operation);
    }
  }

  /** Lets a fault strike now, or arms it. A plan may name a process that it does not have. */
  #strike(
    {process, when}: {process: number; when?: {moment: Moment; nth: number} | undefined},
    strike: (index: number) => void,
  ) {
    const index = process % this.#processes.length;
    if (!when) return strike(index);
    const {moment, nth} = when;
    this.#armed.push({process: `process ${index}`, moment, left: nth, strike: () => strike(index)});
  }

  /** Sends a lead until it is answered, to one process after another, as a client with patience does. */
  async #submit({process, key, content, sender, isHeld, isStandard}: To<'submit'>) {
    this.#submitting += 1;
    const {partner, answerFrom, sendTo} = routes[sender];
    const body = isStandard ? standardBody : {...prequalificationBody, cash: content};
    const lead = asLead({...body, email: `person-${content}@example.com`});
    const text = comparableText(lead);
    const isCompared = partner !== null && !isHeld && !isStandard;
    const toDesk: ToDesk = {
      lead,
      partner,
      answerFrom,
      idempotency: digests.ofKey(sender, `key ${key}`, text),
      leadDigests: isCompared ? digests.ofLead(text) : [],
      hold: isHeld,
      ...(isHeld && {suspect: 'trap'}),
    };
    const sent = {
      owner: sender,
      key: String(key),
      content: contentOf(lead),
      destinations: [...(answerFrom ? [answerFrom] : []), ...sendTo],
      answeredBy: answerFrom,
      isHeld,
      isCompared,
    };
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const server = this.#servers[(process + attempt) % this.#servers.length];
      const isAnswered = server && (await this.#ask(server, toDesk, sent, content));
      if (isAnswered) break;
      await wait(1_000 + draw(`patience with ${content}`) * 3_000);
    }
    this.#submitting -= 1;
  }

  /** Sends a lead once. Resolves to whether the client has its answer. */
  #ask(
    {process, service}: Server,
    toDesk: ToDesk,
    sent: Pick<
      Submission,
      'owner' | 'key' | 'content' | 'destinations' | 'answeredBy' | 'isHeld' | 'isCompared'
    >,
    content: number,
  ): Promise<boolean> {
    const submission: Submission = {
      type: 'submission',
      at: time(),
      until: Infinity,
      process: process.name,
      ...sent,
    };
    this.#facts.push(submission);
    return new Promise((resolve) => {
      let isOver = false;
      const end = (isAnswered: boolean) => {
        isOver = true;
        resolve(isAnswered);
      };
      const hear = (accepted: Accepted) => {
        if (process.isDead || isOver) return;
        if (accepted.outcome === 'key-in-progress') return end(false);
        Object.assign(submission, {until: time(), outcome: accepted.outcome});
        if ('stored' in accepted) {
          const {id, answer} = accepted.stored;
          Object.assign(submission, {lead: id, answer: heardOf(answer)});
          this.#leads.set(content, id);
        }
        end(true);
      };
      later(clientPatience, () => end(false), theWorld);
      later(
        0,
        () => {
          const addresses = addressesUnder(this.#inForce[this.#processes.indexOf(process)] ?? 'usual');
          const destinations = sent.destinations.filter((name) => name in addresses);
          Object.assign(submission, {addresses, destinations});
          const sendTo = destinations.filter((name) => name !== sent.answeredBy);
          void service.desk.submit({...toDesk, sendTo}).then(hear, () => end(false));
        },
        process,
      );
    });
  }

  #read(lead: string): void {
    const at = time();
    const running = this.#servers.filter((server) => server !== undefined);
    const server = running[Math.floor(draw('who is asked') * running.length)];
    const hear = (found: StoredLead | undefined) => {
      this.#facts.push({type: 'reading', at, until: time(), lead, answer: found && heardOf(found.answer)});
    };
    if (server)
      later(0, () => void server.service.desk.find(lead).then(hear, () => undefined), server.process);
  }

  /** What an operator does with the command, straight on the store. */
  async #order(operation: To<Command['name']>) {
    const command: Command = {
      type: 'command',
      at: time(),
      until: Infinity,
      name: operation.do,
      deliveries: [],
    };
    this.#facts.push(command);
    const store = await openSqliteBeside(path, clearText, true);
    try {
      command.deliveries = await this.#carryOut(operation, store, command);
    } catch (error) {
      this.failed(error);
    } finally {
      command.until = time();
      await store.close();
    }
  }

  /** @returns the deliveries that the command changes, or may change */
  async #carryOut(operation: To<Command['name']>, store: BesideStore, command: Command): Promise<string[]> {
    const now = Date.now();
    if (operation.do === 'pause' || operation.do === 'resume') {
      const {destination} = operation;
      command.destination = destination;
      if (operation.do === 'resume') await store.resumeDestination(now, destination);
      else await store.pauseDestination({destination, pausedAt: now, reason: 'an operator paused it'});
      return [];
    }
    if (operation.do === 'accept') {
      const {destination} = operation;
      const files = this.#files[0] ?? 'usual';
      const settings = destinationsUnder(files).get(destination);
      if (!settings) return [];
      Object.assign(command, {destination, address: addressesUnder(files)[destination]});
      await store.acceptAddress(now, destination, addressOf(settings));
      return [];
    }
    const lead = operation.content === undefined ? undefined : this.#leads.get(operation.content);
    if (operation.do === 'settle') {
      const known = this.#creations.find((one) => one.lead === lead && one.destination === 'lender');
      if (!lead || !known) return [];
      const settled = await store.settleAs(now, {lead, destination: 'lender'}, known.id);
      return settled === 'settled' ? [nameOf({lead, destination: 'lender', content: 'lead'})] : [];
    }
    if (operation.content !== undefined && !lead) return [];
    const {destination, state} = operation;
    const filter = {lead, destination, state};
    if (operation.do === 'drop') {
      const dropped = () => store.listDeliveries(1_000, {...filter, state: 'dropped'});
      const before = new Set((await dropped()).map(nameOf));
      await store.dropDeliveries(now, filter);
      return (await dropped()).map(nameOf).filter((name) => !before.has(name));
    }
    // What the docs say of `retry`: nothing under way, held deliveries only if the command names them, and a lead that has
    // been delivered or dropped never.
    const mayRetry = ({leasedUntil, state: itsState, content}: DeliveryRow) =>
      leasedUntil <= now &&
      (itsState !== 'held' || state !== undefined || lead !== undefined) &&
      (content !== 'lead' || isOpen(itsState));
    const named = (await store.listDeliveries(1_000, filter)).filter(mayRetry).map(nameOf);
    await store.retryDeliveries(now, filter);
    return named;
  }
}

const isOpen = (state: DeliveryRow['state']) => (openStates as readonly string[]).includes(state);
