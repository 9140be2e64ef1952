/**
 * Commands that take their time, beside the processes that run: what erases, sweeps, revokes consents, looks and encrypts anew.
 */
import {finish, Refusal, type Admin} from '../../server/admin/admin.ts';
import {noting} from '../../server/admin/audit.ts';
import {showLead} from '../../server/admin/leads.ts';
import {recordOutcome} from '../../server/admin/outcomes.ts';
import {allowConsent, planRevocation, revokeConsent} from '../../server/admin/revocations.ts';
import type {AttachedStore} from '../../server/leads/ports.ts';
import {appendErasures} from '../../server/store/erasures-file.ts';
import {leadQueries} from '../../server/store/queries.ts';
import {checkInHex, type Encryptor} from '../../server/store/encryption.ts';
import {
  createRunner,
  emptyLogAtOnce,
  inTransaction,
  openAttached,
  sqliteWords,
} from '../../server/store/sqlite/connection.ts';
import {draw, newProcess, runIn, time, wait, type Process} from './clock.ts';
import {addressesUnder, clientOf, destinationsUnder, settings} from './configurations.ts';
import {kill} from './connections.ts';
import {erasuresFile, findPersonal, path, rowsOf} from './data-folder.ts';
import type {Allowing, Erasing, Fact, Noting, Revoking} from './history.ts';
import {personalOf, phoneOf} from './people.ts';
import type {ConfigurationName, To} from './plan.ts';

type SlowStore = Omit<AttachedStore, 'close'>;

/** What the commands ask of their history. */
export type AroundCommands = {
  record: (fact: Fact) => void;
  failed: (error: unknown) => void;
  /** The acknowledged lead with this content, if any. */
  leadWith: (content: number) => string | undefined;
  /** All contents of leads that were sent. */
  contents: ReadonlySet<number>;
  /** The commands that were begun, each with the data keys that it has. */
  commands: {process: Process; encryptor: Encryptor}[];
  /** What the files say that a command reads. */
  configuration: () => ConfigurationName;
};

/** Attempts to empty the log, at most, and the milliseconds between two of them. */
const [mostPurges, betweenPurges] = [10, 500];
/** Passes of `rotate`, at most. The last one finds nothing any more. */
const mostPasses = 5;

/**
 * Runs a command as a process of its own. Each of its reads and writes takes some milliseconds, and sometimes seconds, so
 * that processes change what it has read.
 * @param cut it is killed before so many reads and writes have happened. Undefined: never
 * @param long how many of its steps are long
 */
function runCommand(
  encryptor: Encryptor,
  cut: number | undefined,
  {failed, commands}: Pick<AroundCommands, 'failed' | 'commands'>,
  work: (store: SlowStore) => Promise<void>,
  long = 0.15,
): void {
  const process = newProcess('a command');
  commands.push({process, encryptor});
  let steps = 0;
  const late = async <Result>(step: () => Result): Promise<Result> => {
    const isLong = draw('whether a step of a command is long') < long;
    await wait(1 + draw('a step of a command') * (isLong ? 4_000 : 20));
    steps += 1;
    if (steps > (cut ?? Infinity)) kill(process);
    if (process.isDead) return new Promise(() => undefined);
    const result = step();
    await wait(1);
    return result;
  };
  async function run() {
    const connection = openAttached(path, true);
    const {all, one} = createRunner(connection);
    const queries = leadQueries(
      {
        read: (statement) => late(() => all(statement)),
        readOne: (statement) => late(() => one(statement)),
        readMany: (statement) => late(() => all(statement)),
        write: (...statements) => late(() => inTransaction(connection, () => statements.map(all))),
        ...sqliteWords,
      },
      encryptor,
    );
    await queries.checkKeys();
    await work({
      ...queries,
      accept: () => Promise.reject(new Error('No command of the simulation stores a lead')),
      purge: () => Promise.resolve(emptyLogAtOnce(connection)),
    });
    kill(process);
  }
  void runIn(process, run).catch(failed);
}

/** What stands in the files right now. */
export function search({record, contents}: AroundCommands) {
  record({type: 'search', at: time(), found: findPersonal(contents)});
}

async function purgeAndSearch(store: SlowStore, around: AroundCommands) {
  for (let attempt = 0; attempt < mostPurges; attempt += 1) {
    if (await store.purge()) return search(around);
    await wait(betweenPurges);
  }
}

/** What `lead-prequal leads erase` does. */
export function erase({content, all, cut}: To<'erase'>, encryptor: Encryptor, around: AroundCommands) {
  const named = around.leadWith(content);
  if (named === undefined) return;
  runCommand(encryptor, cut, around, async (store) => {
    // Between these two, somebody reads what would go, and types a word.
    const going = await store.erasable([named]);
    await store.useKeys();
    const now = Date.now();
    const span = {at: time(), until: Infinity};
    const erasures = going
      .filter(({erasedAt, hasConsent}) => erasedAt === null || (all && hasConsent))
      .map(({id}) => ({id, at: now, all}));
    appendErasures(erasuresFile, erasures);
    for (const {id: lead} of erasures) {
      const erasing: Erasing = {...span, type: 'erasing', by: 'operator', now, lead, keepsConsent: !all};
      around.record(erasing);
      await store.erase(lead, now, () => !all);
      erasing.until = time();
    }
    await purgeAndSearch(store, around);
  });
}

type LookAt = (leads: readonly string[]) => void;
/**
 * Runs a command of `server/admin/`, which may refuse to do what it was asked for.
 * @param work calls `lookAt` with what it shows, or has changed
 */
function runAdmin(
  {cut}: {cut?: number | undefined},
  encryptor: Encryptor,
  {configuration, record, ...others}: AroundCommands,
  work: (admin: Admin, lookAt: LookAt) => Promise<void>,
) {
  const actor = `operator ${others.commands.length}`;
  const config: Partial<Admin['config']> = {...settings, destinations: destinationsUnder(configuration())};
  const run = async (slow: SlowStore) => {
    const store: Admin['store'] = {...slow, close: () => Promise.resolve()};
    const lookAt: LookAt = (leads) => {
      const rows = rowsOf(`SELECT ids FROM audit WHERE actor = '${actor}'`);
      const noted = rows.flatMap(({ids}) => JSON.parse(String(ids)) as string[]);
      record({type: 'looking', at: time(), leads, noted});
    };
    const noteAccess = noting(store, {actor, action: 'a command'});
    await work({store, config: config as Admin['config'], noteAccess, actor}, lookAt).catch(
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      },
    );
  };
  // It has many steps, and what is under way must not have ended before the last one.
  runCommand(encryptor, cut, others, run, 0.03);
}

/** What `lead-prequal consent revoke` does. */
export function revoke(operation: To<'revoke'>, encryptor: Encryptor, around: AroundCommands) {
  const {content, by, partner} = operation;
  const phone = phoneOf(content);
  const who = {lead: around.leadWith(content), phone: {phone}, email: {email: personalOf(content).email}}[by];
  if (who === undefined) return;
  const addresses = addressesUnder(around.configuration());
  runAdmin(operation, encryptor, around, async (admin, lookAt) => {
    const span = {at: time(), until: Infinity};
    const whose = {partner, cid: clientOf(partner), phone, addresses};
    const revoking: Revoking = {type: 'revoking', ...span, ...whose, leads: []};
    around.record(revoking);
    const {numbers, leads} = await finish(
      revokeConsent(admin, await planRevocation(admin, {who, partner})),
      (progress) => {
        if ('revoked' in progress) lookAt([progress.revoked]);
      },
    );
    Object.assign(revoking, {until: time(), leads: leads.map(({id}) => id)});
    if (numbers === 0) revoking.phone = undefined;
  });
}

/** What `lead-prequal consent allow` does. */
export function allow(operation: To<'allow'>, encryptor: Encryptor, around: AroundCommands) {
  const {content, by, partner} = operation;
  const lead = around.leadWith(content);
  const ofNumber = {phone: phoneOf(content), partner, cid: clientOf(partner)};
  const whom = by === 'phone' ? ofNumber : lead !== undefined && {lead};
  if (!whom) return;
  runAdmin(operation, encryptor, around, async (admin) => {
    const allowing: Allowing = {type: 'allowing', at: time(), until: Infinity, ...whom};
    around.record(allowing);
    const who = 'lead' in whom ? whom.lead : {phone: whom.phone};
    await allowConsent(admin, {who, partner, reason: 'agreed anew'});
    allowing.until = time();
  });
}

/** What `lead-prequal leads show` does. */
export function look(operation: To<'look'>, encryptor: Encryptor, around: AroundCommands) {
  const lead = around.leadWith(operation.content);
  if (lead === undefined) return;
  runAdmin(operation, encryptor, around, async (admin, lookAt) => {
    await showLead(admin, lead);
    lookAt([lead]);
  });
}

/** What `lead-prequal leads note` does, perhaps twice, as where nobody heard that it was done. */
export function note(operation: To<'note'>, encryptor: Encryptor, around: AroundCommands) {
  const {content, times} = operation;
  const lead = around.leadWith(content);
  if (lead === undefined) return;
  const id = `note-${around.commands.length}`;
  const noting: Noting = {type: 'noting', at: time(), until: Infinity, lead, id};
  around.record(noting);
  const text = `Write to ${personalOf(content).email}`;
  for (let again = 0; again < times; again += 1)
    runAdmin(operation, encryptor, around, async (admin) => {
      await finish(recordOutcome(admin, {lead, outcome: 'talked', text, id}));
      noting.until = Math.min(noting.until, time());
    });
}

/** What the retention job does, slice by slice. */
export function sweep(
  {keptFor, partner, keepsConsent, cut}: To<'sweep'>,
  encryptor: Encryptor,
  around: AroundCommands,
) {
  runCommand(encryptor, cut, around, async (store) => {
    const retention = {
      shortest: keptFor,
      keptFor: (name: string | null) => (partner === undefined || name === partner ? keptFor : undefined),
      grace: Infinity,
      keepConsent: () => keepsConsent,
    };
    let after: Parameters<SlowStore['applyRetention']>[2];
    do {
      const now = Date.now();
      const span = {at: time(), until: Infinity};
      const of = after?.of ?? 'leads';
      const erasing: Erasing = {...span, type: 'erasing', by: 'sweep', of, now, keepsConsent};
      around.record(erasing);
      const {next} = await store.applyRetention(now, retention, after);
      erasing.until = time();
      after = next;
    } while (after);
    await purgeAndSearch(store, around);
  });
}

/**
 * What `lead-prequal keys rotate` does, until nothing is encrypted with another key than the first, or in clear.
 * @param isReady whether all processes write with the first key
 * @param rotated called when that was so before the last look
 */
export function rotate(
  {cut}: Pick<To<'rotate'>, 'cut'>,
  encryptor: Encryptor,
  around: AroundCommands,
  {isReady, rotated}: {isReady: () => boolean; rotated: () => void},
) {
  runCommand(encryptor, cut, around, async (store) => {
    await store.useKeys();
    for (let pass = 0; pass < mostPasses; pass += 1) {
      const wasReady = isReady();
      let looked = 0;
      for await (const done of store.reencrypt()) {
        looked = done.examined;
        for (const lead of done.unreadable) around.failed(new Error(`${lead} cannot be encrypted anew`));
      }
      if (looked > 0) continue;
      if (!wasReady) return;
      for (const {key} of await store.keyUses())
        if (key !== checkInHex(encryptor.writesWith)) await store.forgetKey(key);
      rotated();
      return purgeAndSearch(store, around);
    }
  });
}
