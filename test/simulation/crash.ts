/** Ends simulated processes. Install it before the server is imported. */
import {createRequire, syncBuiltinESMExports} from 'node:module';
import type {DatabaseSync} from 'node:sqlite';
import {currentProcess, theWorld, type Process} from './clock.ts';

const connections = new WeakMap<Process, DatabaseSync[]>();

/** Everything in the memory of the process is gone. What was committed stays. */
export function kill(process: Process) {
  process.isDead = true;
  for (const database of connections.get(process) ?? []) if (database.isOpen) database.close();
}

/** From now on, connections to SQLite belong to the process that opens them, so that they end with it. */
export function installConnections() {
  const sqlite = createRequire(import.meta.url)('node:sqlite') as {DatabaseSync: typeof DatabaseSync};
  const Real = sqlite.DatabaseSync;
  sqlite.DatabaseSync = class extends Real {
    constructor(...given: ConstructorParameters<typeof Real>) {
      super(...given);
      const process = currentProcess();
      if (process !== theWorld) connections.set(process, [...(connections.get(process) ?? []), this]);
    }
  };
  syncBuiltinESMExports();
}
