/** Runs `lead-prequal` like an operator does, as a process with the server's configuration. */
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import type {LeadEntry} from '../../server/leads/lead-store.ts';
import {clearText} from '../../server/store/codec.ts';
import {openStore} from '../../server/store/open-store.ts';
import {openWhile, type Owner} from './opened.ts';
import {createDatabase, withoutPostgres} from './postgres.ts';
import {serviceSettings} from './service-process.ts';
import {makeTemporaryFolder} from './temporary-folder.ts';
import {baseConfig} from './test-server.ts';

const program = join(import.meta.dirname, '../../server/cli/program.ts');

export type Ran = {code: number; stdout: string; stderr: string};

/** Resolves even if the command fails. */
export function runCommand(environment: Record<string, string>, ...words: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = {env: {PATH: process.env['PATH'], ...environment}};
    const child = execFile(process.execPath, [program, ...words], options, (_error, stdout, stderr) =>
      resolve({code: child.exitCode ?? -1, stdout, stderr}),
    );
  });
}

export type Operated = {
  /** Runs `lead-prequal` over the store. */
  run: (...words: string[]) => Promise<Ran>;
  /** Changes the tables directly. */
  execute: (sql: string) => Promise<void>;
  /** An empty folder for files that commands write. */
  folder: string;
  settings: Record<string, string>;
};

/** The databases of `operate`: SQLite, and PostgreSQL where the tests have one. */
export const databaseKinds = [
  {name: 'SQLite', postgres: false, skip: false},
  {name: 'PostgreSQL', postgres: true, skip: withoutPostgres},
] as const;

/** Stores the leads, and runs commands over them. */
export async function operate(
  t: Owner,
  entries: readonly LeadEntry[],
  {postgres = false, settings = {}}: {postgres?: boolean; settings?: Record<string, string>} = {},
): Promise<Operated> {
  const [folder, own] = [makeTemporaryFolder(), makeTemporaryFolder()];
  t.after(() => [folder, own].forEach((each) => each.remove()));
  const database = postgres ? await createDatabase() : undefined;
  if (database) t.after(() => database.drop());
  const environment = {
    ...serviceSettings(own.path),
    ...(database && {DATABASE_URL: database.url}),
    ...settings,
  };
  const databasePath = join(own.path, 'leads.sqlite');
  const config = {...baseConfig(own.path), databasePath, databaseUrl: database?.url};
  await openWhile(openStore(config, clearText), async (store) => {
    for (const entry of entries) await store.accept(entry);
  });
  return {
    run: (...words) => runCommand(environment, ...words),
    async execute(sql) {
      if (database) return void (await database.query(sql));
      const file = new DatabaseSync(databasePath);
      file.exec(sql);
      file.close();
    },
    folder: folder.path,
    settings: environment,
  };
}
