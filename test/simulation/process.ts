/** A server of the simulation: the pipeline on a file of SQLite, without HTTP, threads and sockets. */
import type {Timings} from '../../server/config/timings.ts';
import {finish, type Admin} from '../../server/admin/admin.ts';
import {noting} from '../../server/admin/audit.ts';
import {createLinkDesk} from '../../server/admin/link-desk.ts';
import {planRepair, prepareRepair} from '../../server/admin/repair-plan.ts';
import {noteRepaired, repair, repairAtStart, type Repaired} from '../../server/admin/repairing.ts';
import {startPipeline, type Pipeline} from '../../server/pipeline.ts';
import type {LeadStore} from '../../server/leads/ports.ts';
import type {LinkDesk} from '../../server/leads/revocation.ts';
import type {Encryptor} from '../../server/store/encryption.ts';
import {openCommits, type Outcomes} from '../../server/store/sqlite/commits.ts';
import {openSqliteStore, type Writer} from '../../server/store/sqlite/store.ts';
import {draw, runIn, wait, type Process} from './clock.ts';
import {createNetwork, type Surroundings} from './network.ts';

/**
 * How the store of a process fails, for a while.
 * - `fails`: no write and no read takes effect
 * - `forgets`: most writes take effect, but the process hears that they failed
 * - `falters`: most writes fail
 * - `slow`: writes take seconds
 * - `blind`: reads fail
 */
export const storeFaults = ['fails', 'forgets', 'falters', 'slow', 'blind'] as const;
export type StoreFault = (typeof storeFaults)[number];

/** What a process asks of its history, and where it reports. */
export type World = Surroundings & {
  /** Undefined while the store of the process works. */
  storeFaultOf: (process: Process) => StoreFault | undefined;
  /** Whether reads take time, as those of PostgreSQL do. */
  readsAreSlow: boolean;
};

export type Server = {process: Process; pipeline: Pipeline; store: LeadStore; links: LinkDesk};

type Settings = Parameters<typeof startPipeline>[1];

/** By what visitors press their links. */
export const linksOf = (store: LeadStore, config: object) =>
  createLinkDesk({store, config: config as Admin['config']});

/**
 * Starts a server on a file that is there, or makes it.
 * @param isAsked whether an operator has said that much may be erased and revoked again
 * `repaired` gets what was, `doubt` what cannot be
 */
export async function startServer(
  path: string,
  encryptor: Encryptor,
  process: Process,
  config: Settings,
  timings: Timings,
  world: World,
  isAsked: boolean,
  {repaired, doubt}: {repaired: (done: Repaired) => void; doubt: (text: string) => void},
): Promise<Server> {
  return runIn(process, async () => {
    const opened = await openSqliteStore(path, encryptor, undefined, (file) =>
      Promise.resolve(startWriter(file, encryptor, process, world)),
    );
    const store = delayed(opened, process, world);
    const beside = {store, config: {...config, dataKeys: encryptor.words} as unknown as Admin['config']};
    const first = isAsked && (await planRepair(beside));
    if (first) {
      const plan = await prepareRepair(beside, first);
      const noteAccess = noting(store, {actor: 'operator', action: 'store repair'});
      repaired(await finish(repair({...beside, noteAccess}, plan), () => undefined));
      await noteRepaired(beside, plan);
    }
    await repairAtStart(beside, {done: repaired, doubt});
    const pipeline = await startPipeline(store, config, {
      emit: () => undefined,
      timings,
      network: createNetwork(process, world),
    });
    return {process, pipeline, store, links: linksOf(store, config)};
  });
}

/** In place of the thread: a commit takes time before it happens, and again before its outcome is known. */
function startWriter(path: string, encryptor: Encryptor, process: Process, world: World): Writer {
  const commits = openCommits(path, encryptor);
  const failed = 'The simulated disk failed';
  return {
    before: commits.before,
    async commit(batch) {
      const fault = world.storeFaultOf(process);
      const chance = draw(`fault of the store of ${process.name}`);
      await wait(0.2 + draw(`commit of ${process.name}`) * 3 + (fault === 'slow' ? 500 + chance * 9_000 : 0));
      if (fault === 'fails' || (fault === 'falters' && chance < 0.6)) return failed;
      world.happened('write', process);
      if (process.isDead) return new Promise(() => undefined);
      const outcomes: Outcomes = commits.commit(structuredClone(batch));
      if (batch.some((write) => 'accept' in write)) world.happened('acceptance', process);
      world.happened('commit', process);
      await wait(0.1 + draw(`reply to ${process.name}`) * 2);
      return fault === 'forgets' && chance < 0.6 ? failed : outcomes;
    },
    close() {
      commits.close();
      return Promise.resolve();
    },
  };
}

const isRead = (name: string) => /^(find|read|list|count|paused|breakEnds|waiting)/.test(name);

/** The same store, whose reads take time if the history says so. */
function delayed(store: LeadStore, process: Process, world: World): LeadStore {
  if (!world.readsAreSlow) return store;
  const [isLong, length] = [`whether a read of ${process.name} is long`, `a read of ${process.name}`];
  const late = () => wait(draw(isLong) < 0.1 ? draw(length) * 2_000 : draw(length) * 8);
  const delay =
    (read: (...values: unknown[]) => Promise<unknown>) =>
    async (...values: unknown[]) => {
      await late();
      const result = await read(...values);
      await late();
      return result;
    };
  const entries = Object.entries(store).map(([name, work]) => [
    name,
    isRead(name) ? delay(work as Parameters<typeof delay>[0]) : work,
  ]);
  return Object.fromEntries(entries) as LeadStore;
}
