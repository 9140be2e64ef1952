/** Connections to SQLite that belong to a simulated process. Install this before the server is imported. */
import {createRequire, syncBuiltinESMExports} from 'node:module';
import type {DatabaseSync, DatabaseSyncOptions, SQLInputValue} from 'node:sqlite';
import {currentProcess, theWorld, type Process} from './clock.ts';

const connections = new WeakMap<Process, DatabaseSync[]>();

/** Everything in the memory of the process is gone. What was committed stays. */
export function kill(process: Process) {
  process.isDead = true;
  for (const database of connections.get(process) ?? []) if (database.isOpen) database.close();
}

/**
 * From now on, connections to SQLite belong to the process that opens them, so that they end with it. Those that only read
 * fail while the process is blind.
 */
export function installConnections() {
  const sqlite = createRequire(import.meta.url)('node:sqlite') as {DatabaseSync: typeof DatabaseSync};
  const Real = sqlite.DatabaseSync;
  sqlite.DatabaseSync = class extends Real {
    readonly #reader: Process | undefined;
    constructor(path: string, options: DatabaseSyncOptions = {}) {
      super(path, options);
      const process = currentProcess();
      if (process === theWorld) return;
      connections.set(process, [...(connections.get(process) ?? []), this]);
      if (options.readOnly) this.#reader = process;
    }
    override prepare(text: string) {
      const statement = super.prepare(text);
      const [all, get] = [statement.all.bind(statement), statement.get.bind(statement)];
      const see = () => {
        if (this.#reader?.isBlind) throw new Error('The simulated disk failed');
      };
      return Object.assign(statement, {
        all: (...values: SQLInputValue[]) => (see(), all(...values)),
        get: (...values: SQLInputValue[]) => (see(), get(...values)),
      });
    }
  };
  syncBuiltinESMExports();
}
