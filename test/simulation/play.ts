/** Plays a plan: starts the processes, lets clients, operators and faults do what the plan says, and waits for quiet. */
import {comparableText, createIdempotencyDigests} from '../../server/leads/idempotency.ts';
import {Refusal} from '../../server/admin/admin.ts';
import type {NewLead as ToDesk} from '../../server/leads/new-lead.ts';
import {StoreUnavailable} from '../../server/leads/store-errors.ts';
import type {Submitted} from '../../server/leads/lead-service.ts';
import type {StoredLead} from '../../server/leads/stored-lead.ts';
import {appendErasures} from '../../server/store/erasures-file.ts';
import {openAttachedSqlite} from '../../server/store/sqlite/store.ts';
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
import {allow, erase, look, note, revoke, rotate, search, sweep, type AroundCommands} from './commands.ts';
import {
  addressesUnder,
  agreed,
  destinationsUnder,
  rulesUnder,
  keysOf,
  routes,
  settings,
  timings,
} from './configurations.ts';
import {kill} from './connections.ts';
import {
  backUp,
  beginFiles,
  erasuresFile,
  linesOfLink,
  path,
  restore,
  rowsOf,
  takeOutErasures,
} from './data-folder.ts';
import {
  contentOf,
  heardOf,
  readStored,
  type Creation,
  type Fact,
  type History,
  type Revoking,
  type Start,
  type Submission,
  type Telling,
  type Trouble,
} from './history.ts';
import type {Moment, Mood} from './network.ts';
import {order, type AroundOrders} from './orders.ts';
import {consentOf, leadOf, personOf} from './people.ts';
import {
  destinationNames,
  faultsEnd,
  type ConfigurationName,
  type DestinationName,
  type Operation,
  type Plan,
  type To,
} from './plan.ts';
import {linksOf, startServer, type Server, type StoreFault, type World} from './process.ts';

/** Milliseconds after which a client sends its lead again. */
const clientPatience = 12_000;

/** Milliseconds after which a process is started again that could not begin. */
const startAgain = 2_000;
/** Milliseconds after the last fault at which operators resume once more what is paused. */
const lastResume = 35_000;
/**
 * Milliseconds after the last fault within which everything must be delivered. A clock that was set back makes what waits
 * due later, and the search of the outbox finds that once a minute.
 */
const patience = {usual: 120_000, afterClocks: 270_000};

const digests = createIdempotencyDigests(['a-token-key-for-tests-that-is-long-enough']);

/** The same plan gives the same history. */
export async function play(plan: Plan): Promise<History> {
  beginFiles();
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
  /** How far the data keys are (`keysOf`): what the files of each process say, and what it began with. */
  readonly #keys: ReturnType<typeof keysOf>;
  readonly #keyPhases: number[];
  readonly #keysInUse: number[];
  /** Whether everything is encrypted with the last key. */
  #isRotated = false;
  /** Milliseconds by which the clock of each machine is ahead. */
  readonly #skews: number[];
  readonly #moods = new Map<string, Mood>();
  readonly #storeFaults = new Map<string, StoreFault>();
  #armed: {process: string; moment: Moment; left: number; strike: () => void}[] = [];
  /** The acknowledged leads, by the number of their content. */
  readonly #leads = new Map<number, string>();
  /** The contents of all leads that were sent. */
  readonly #contents = new Set<number>();
  /** What was last sent with each key, by which a lead was acknowledged. */
  readonly #retries = new Map<string, To<'submit'>>();
  #submitting = 0;
  #areFaultsOver = false;
  #nextLook = 0;
  /** When copies of the database were made, by their names. */
  readonly #backups = new Map<string, number>();
  /** The lines of what another copy has erased, and whether an operator has said that a start may repair much. */
  readonly #copied = new Set<string>();
  #isRepairAsked = false;
  readonly #world: World;
  readonly #around: AroundCommands & AroundOrders;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#skews = plan.processes === 1 ? [0] : [0, plan.skew];
    this.#processes = this.#skews.map((_, index) => newProcess(`process ${index}`));
    this.#servers = this.#skews.map(() => undefined);
    this.#files = this.#skews.map(() => 'usual');
    this.#inForce = [...this.#files];
    this.#keys = keysOf(plan.keys ?? 'one');
    this.#keyPhases = this.#skews.map(() => 0);
    this.#keysInUse = [...this.#keyPhases];
    this.#around = {
      record: (fact) => this.#facts.push(fact),
      failed: this.failed,
      leadWith: (content) => this.#leads.get(content),
      contents: this.#contents,
      creations: this.#creations,
      commands: [],
      configuration: () => this.#files[0] ?? 'usual',
      encryptor: () => this.#keys.encryptorAt(Math.min(...this.#keyPhases)),
    };
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
    const faultsOver = plan.faultsEnd ?? faultsEnd;
    for (const index of this.#servers.keys()) this.#start(index);
    for (const operation of plan.operations) {
      later(operation.at, () => this.#perform(operation));
      if (operation.do === 'restore') later(operation.at * operation.part, () => this.#backUp(operation));
    }
    later(faultsOver, () => this.#endFaults());
    const {afterClocks, usual} = patience;
    const limit = faultsOver + (plan.operations.some((one) => one.do === 'set clock') ? afterClocks : usual);
    const isQuiet = await passTime(() => time() > faultsOver + 1_000 && this.#isQuiet(), limit);
    for (const lead of this.#leads.values()) void this.#read(lead);
    const areRetried = this.#facts.some(({type}) => type === 'erasing') && this.#backups.size === 0;
    for (const retry of areRetried ? this.#retries.values() : []) void this.#submit(retry, true);
    // A commit that began before the faults ended may still be slow.
    await passTime(() => false, time() + clientPatience + 3_000);
    const changes = rowsOf('SELECT words FROM changes').map(({words}) => String(words));
    const erasures = rowsOf('SELECT lead, leased_until FROM erasures');
    const leases = new Map(erasures.map(({lead, leased_until}) => [String(lead), Number(leased_until)]));
    const tellings = rowsOf(
      'SELECT lead, destination, content, leased_until AS "leasedUntil" FROM tellings',
    ) as Telling[];
    const store = await openAttachedSqlite(path, this.#around.encryptor(), true);
    const stored = await readStored(store, {changes, leases, tellings});
    if (await store.purge()) search(this.#around);
    await store.close();
    for (const process of this.#processes) kill(process);
    for (const {process} of this.#around.commands) kill(process);
    return {
      beginning,
      agreed: agreed(plan.onLostReply === 'hold' ? 1 : 3),
      noticing: timings.idlePoll + 200 + (plan.readsAreSlow ? 10_000 : 0),
      attempt: timings.delivery,
      lease: timings.lease,
      facts: this.#facts,
      isQuiet,
      stored,
    };
  }

  #isQuiet(): boolean {
    const isAwake =
      this.#servers.every(Boolean) && this.#processes.every(({frozenUntil}) => frozenUntil <= time());
    const isWorking = this.#submitting > 0 || this.#around.commands.some(({process}) => !process.isDead);
    if (isWorking || !isAwake || time() < this.#nextLook) return false;
    this.#nextLook = time() + 1_000;
    // The event of a stop waits for ever for an address that is not configured any more.
    const words = `SELECT 1 FROM deliveries WHERE state = 'waiting'
      AND COALESCE(reason, '') <> 'former' LIMIT 1`;
    return rowsOf(words).length === 0;
  }

  /** Notes a trouble of a process. */
  #trouble({name}: Process, kind: Trouble['kind'], lasts: number): Trouble {
    const trouble: Trouble = {type: 'trouble', process: name, kind, at: time(), until: time() + lasts};
    this.#facts.push(trouble);
    return trouble;
  }

  #start(index: number) {
    const {eventsGivenUpAfter} = this.#plan;
    const process = newProcess(`process ${index}`, this.#skews[index]);
    this.#processes[index] = process;
    const phase = this.#keyPhases[index] ?? 0;
    this.#keysInUse[index] = phase;
    const config = {
      destinations: destinationsUnder(this.#configure(process, index), this.#plan),
      ...settings,
    };
    const encryptor = this.#keys.encryptorAt(phase);
    const isAsked = this.#isRepairAsked;
    const span = {at: time(), until: Infinity};
    const start: Start = {...span, type: 'start', process: process.name, isAsked, doubts: []};
    this.#facts.push(start);
    const said = {
      repaired: (changed: NonNullable<Start['changed']>) => void (start.changed ??= changed),
      doubt: (text: string) => void start.doubts.push(text),
    };
    const given = {...timings, eventsGivenUpAfter};
    startServer(path, encryptor, process, config, given, this.#world, isAsked, said).then(
      (server) => {
        if (process.isDead) return;
        start.until = time();
        this.#servers[index] = server;
        // Its files may have changed since it read them.
        const name = this.#files[index] ?? 'usual';
        if (name !== this.#inForce[index]) this.#reload(index, name);
      },
      (error: unknown) => {
        // It notes its data key first. Where that fails, it ends, and is started again.
        if (process.isDead) return;
        if (String(error).includes('store repair')) this.#answerStart();
        else this.#unavailable(error);
        kill(process);
        this.#startLater(index, startAgain);
      },
    );
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
    const {process, pipeline, store} = server;
    const reload = () => {
      const destinations = destinationsUnder(this.#configure(process, index), this.#plan);
      pipeline.reload({destinations, ...settings});
      server.links = linksOf(store, {destinations, ...settings});
    };
    later(0, reload, process);
  }

  /** A start would repair much: an operator takes out what another copy has written, and else says that it may. */
  #answerStart() {
    if (this.#copied.size === 0) this.#isRepairAsked = true;
    takeOutErasures((line) => this.#copied.has(line));
    this.#copied.clear();
  }

  #backUp({at}: Operation) {
    backUp(String(at));
    this.#backups.set(String(at), time());
  }

  /** What was swept since the copy would be there again, and is in no file. */
  #restore({at, lasts}: To<'restore'> & {at: number}) {
    const backup = this.#backups.get(String(at));
    const isSwept = this.#facts.some((one) => one.type === 'erasing' && one.by === 'sweep');
    if (backup === undefined || isSwept || this.#areFaultsOver) return;
    for (const index of this.#servers.keys()) this.#kill(index, lasts);
    for (const {process} of this.#around.commands) kill(process);
    restore(String(at));
    this.#facts.push({type: 'restoring', at: time(), backup});
  }

  #eraseInCopy(content: number | undefined) {
    const named = content === undefined ? undefined : this.#leads.get(content);
    const stored = this.#facts.flatMap((one) => (one.type === 'submission' ? (one.lead ?? []) : []));
    const ids = content === undefined ? [...new Set(stored)] : [named].filter((id) => id !== undefined);
    const now = Date.now();
    const span = {at: time(), until: Infinity};
    for (const lead of ids) {
      this.#copied.add(`${lead} ${new Date(now).toISOString()}`);
      this.#facts.push({...span, type: 'erasing', by: 'copy', now, keepsConsent: true, lead});
    }
    appendErasures(
      erasuresFile,
      ids.map((id) => ({id, at: now, all: false})),
    );
  }

  /** A visitor presses the button behind a link. */
  #press({content, process: number, times}: To<'press'>) {
    const index = number % this.#servers.length;
    const server = this.#servers[index];
    const lead = this.#leads.get(content);
    const sent = this.#facts.find((one) => one.type === 'submission' && one.lead === lead);
    if (!server || lead === undefined || sent?.type !== 'submission' || !sent.from) return;
    const {partner, cid, phone, mailbox} = sent.from;
    const {process, links, store} = server;
    const press = async () => {
      const linked = await links.find(`${lead}.${await store.revokeToken(lead)}`);
      if (!linked) return;
      const span = {at: time(), until: Infinity};
      const lines: [number, number] = [linesOfLink(lead), 0];
      const addresses = addressesUnder(this.#inForce[index] ?? 'usual');
      const stopped = {
        partner,
        cid,
        phone: linked.isNumberKnown ? phone : undefined,
        leads: [lead],
        addresses,
      };
      const link = {lead, mailbox, ahead: process.skew, lines};
      const pressing: Revoking = {type: 'revoking', ...span, ...stopped, link};
      this.#facts.push(pressing);
      await Promise.all(Array.from({length: times}, () => links.stop(linked, 'link')));
      pressing.until = time();
      lines[1] = linesOfLink(lead);
    };
    later(0, () => void press().catch(this.#unavailable), process);
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
    const {process, pipeline, store} = server;
    const stop = this.#trouble(process, 'stop', Infinity);
    const stopped = () => {
      if (process.isDead) return;
      kill(process);
      stop.until = time();
      this.#startLater(index, lasts);
    };
    const close = () => pipeline.close(patience).then(() => store.close());
    later(0, () => void close().then(stopped, this.failed), process);
  }

  #failStore(index: number, fault: StoreFault, lasts: number) {
    const process = this.#processes[index];
    if (!process || this.#areFaultsOver || this.#storeFaults.has(process.name)) return;
    this.#storeFaults.set(process.name, fault);
    const trouble = this.#trouble(process, fault === 'slow' ? 'slow-store' : 'store', lasts);
    const see = (isBlind: boolean) => (this.#processes[index]!.isBlind = isBlind);
    see(fault === 'fails' || fault === 'blind');
    const endFault = () => {
      if (this.#storeFaults.delete(process.name)) trouble.until = time();
      see(false);
    };
    later(lasts, endFault, theWorld);
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
    for (const destination of destinationNames) void order({do: 'resume', destination}, this.#around);
    if (this.#plan.operations.some((one) => one.do === 'reload'))
      for (const destination of destinationNames) void order({do: 'accept', destination}, this.#around);
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
      case 'erase':
        return erase(operation, this.#encryptorOf(operation), this.#around);
      case 'revoke':
        return revoke(operation, this.#encryptorOf(operation), this.#around);
      case 'look':
        return look(operation, this.#encryptorOf(operation), this.#around);
      case 'note':
        return note(operation, this.#encryptorOf(operation), this.#around);
      case 'allow':
        return allow(operation, this.#encryptorOf(operation), this.#around);
      case 'sweep':
        return sweep(operation, this.#encryptorOf(operation), this.#around);
      case 'rotate':
        return rotate(operation, this.#encryptorOf(operation), this.#around, {
          isReady: () => this.#isReadyToRotate(),
          rotated: () => (this.#isRotated = true),
        });
      case 'next keys':
        return this.#nextKeys(operation);
      case 'press':
        return this.#press(operation);
      case 'restore':
        return this.#restore(operation);
      case 'erase in a copy':
        return this.#eraseInCopy(operation.content);
      case 'accept':
      case 'pause':
      case 'resume':
      case 'retry':
      case 'drop':
      case 'settle':
        return void order(operation, this.#around);
    }
  }

  /** That of a command on the machine of a process. */
  #encryptorOf({process}: {process: number}) {
    return this.#keys.encryptorAt(this.#keyPhases[process % this.#keyPhases.length] ?? 0);
  }

  /** Whether all processes and all commands write with the last key. */
  #isReadyToRotate(): boolean {
    const {last, rotating} = this.#keys;
    const {writesWith} = this.#keys.encryptorAt(last);
    const isBehind = ({process, encryptor}: AroundCommands['commands'][number]) =>
      !process.isDead && encryptor.writesWith !== writesWith;
    return (
      last > 0 && this.#keysInUse.every((phase) => phase >= rotating) && !this.#around.commands.some(isBehind)
    );
  }

  /** Brings the process that is furthest behind to the next list of data keys, once all have the one before. */
  #nextKeys({patience, lasts}: To<'next keys'>) {
    if (this.#areFaultsOver) return;
    const behind = this.#keysInUse.findIndex((phase, index) => phase < (this.#keyPhases[index] ?? 0));
    if (behind !== -1) return this.#restart(behind, patience, lasts);
    const next = Math.min(...this.#keyPhases) + 1;
    const {last} = this.#keys;
    if (next > last || (next === last && !this.#isRotated)) return;
    // An operator lets a command end that would find what it cannot open.
    const {writesWith} = this.#keys.encryptorAt(next);
    const lacksKey = ({process, encryptor}: AroundCommands['commands'][number]) =>
      !process.isDead && !encryptor.checkValues.includes(writesWith);
    if (this.#around.commands.some(lacksKey)) return;
    const index = this.#keyPhases.indexOf(next - 1);
    this.#keyPhases[index] = next;
    this.#restart(index, patience, lasts);
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
  async #submit(operation: To<'submit'>, isLast?: true) {
    const {process, key, content, sender, isHeld, isStandard} = operation;
    this.#submitting += 1;
    this.#contents.add(content);
    const {partner, cid, answerFrom, sendTo} = routes[sender];
    const lead = leadOf(content, isStandard, cid);
    const text = comparableText(lead);
    const isCompared = partner !== null && !isHeld && !isStandard;
    const toService: ToDesk = {
      lead,
      partner,
      answerFrom,
      idempotency: digests.ofKey(sender, `key ${key}`, text),
      leadDigests: isCompared ? digests.ofLead(text) : [],
      hold: isHeld,
      ...(isHeld && {suspect: 'trap'}),
      ...(partner !== null && {consent: consentOf(content)}),
    };
    const sent = {
      owner: sender,
      key: String(key),
      content: contentOf(lead),
      from: {partner, cid, ...personOf(content)},
      destinations: [...(answerFrom ? [answerFrom] : []), ...sendTo],
      answeredBy: answerFrom,
      isHeld,
      isCompared,
      ...(isLast && {isLast}),
    };
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const server = this.#servers[(process + attempt) % this.#servers.length];
      const isAnswered = server && (await this.#ask(server, toService, sent, content));
      if (isAnswered) this.#retries.set(`${sender} ${key}`, operation);
      if (isAnswered || isLast) break;
      await wait(1_000 + draw(`patience with ${content}`) * 3_000);
    }
    this.#submitting -= 1;
  }

  /** Sends a lead once. Resolves to whether the client has its answer. */
  #ask(
    {process, pipeline}: Server,
    toService: ToDesk,
    sent: Pick<
      Submission,
      | 'owner'
      | 'key'
      | 'content'
      | 'from'
      | 'destinations'
      | 'answeredBy'
      | 'isHeld'
      | 'isCompared'
      | 'isLast'
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
      const stopWaiting = (isAnswered: boolean) => {
        isOver = true;
        resolve(isAnswered);
      };
      const hear = (accepted: Submitted) => {
        if (process.isDead || isOver) return;
        if (accepted.outcome === 'key-in-progress') return stopWaiting(false);
        Object.assign(submission, {until: time(), outcome: accepted.outcome});
        if ('stored' in accepted) {
          const {id, answer} = accepted.stored;
          Object.assign(submission, {lead: id, answer: heardOf(answer)});
          this.#leads.set(content, id);
        }
        stopWaiting(true);
      };
      later(clientPatience, () => stopWaiting(false), theWorld);
      later(
        0,
        () => {
          const configuration = this.#inForce[this.#processes.indexOf(process)] ?? 'usual';
          const addresses = addressesUnder(configuration);
          const destinations = sent.destinations.filter((name) => name in addresses);
          const rules =
            sent.owner === 'initech'
              ? rulesUnder(configuration).filter(({to}) => to in addresses)
              : undefined;
          Object.assign(submission, {addresses, destinations, ...(rules && {rules})});
          const sendTo = destinations.filter((name) => name !== sent.answeredBy);
          void pipeline.service.submit({...toService, sendTo, rules}).then(hear, (error: unknown) => {
            this.#unavailable(error);
            stopWaiting(false);
          });
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
      later(0, () => void server.pipeline.service.find(lead).then(hear, this.#unavailable), server.process);
  }

  /** A client gets a 503 for it. Nothing else may go wrong. */
  readonly #unavailable = (error: unknown) => {
    if (!(error instanceof StoreUnavailable || error instanceof Refusal)) this.failed(error);
  };
}
