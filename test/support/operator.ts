/** Runs `lead-prequal` like an operator does, with the server's configuration. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import type {ZodType} from 'zod';
import {finish, type Admin} from '../../server/admin/admin.ts';
import {noting} from '../../server/admin/audit.ts';
import type {ErasurePlan} from '../../server/admin/erasing.ts';
import {done, inputOf, isChanging, planned} from '../../server/admin/operations/operation.ts';
import {rowOf} from '../../server/admin/operations/table.ts';
import {planRevocation, revokeConsent, type RevocationInput} from '../../server/admin/revocations.ts';
import {exportLeads} from '../../server/admin/exporting.ts';
import {readStatus} from '../../server/admin/status.ts';
import {loadCommands} from '../../server/cli/commands.ts';
import type {jsonOption} from '../../server/cli/operate.ts';
import {createRun, type Surroundings} from '../../server/cli/output.ts';
import {run as runProgram} from '../../server/cli/program.ts';
import type {LeadFilter, UnreadableLead} from '../../server/leads/lead-filter.ts';
import type {LeadEntry} from '../../server/leads/new-lead.ts';
import {readConfig} from '../../server/config/config.ts';
import {usualTimings, type Timings} from '../../server/config/timings.ts';
import {startServer} from '../../server/server.ts';
import {createEncryptor} from '../../server/store/encryption.ts';
import {openStore, openAttachedStore} from '../../server/store/open-store.ts';
import {writeConfig, type FileFields} from './config-file.ts';
import {fetchFrom, type FetchPath} from './http.ts';
import {logTo} from './observation-log.ts';
import {inReverse, openFor, openWhile, type Owner} from './opened.ts';
import {createDatabaseWithTables, withoutPostgres} from './postgres.ts';
import {execute, rowsOf} from './rows.ts';
import {serviceSettings} from './service-process.ts';
import {temporaryFolder} from './temporary-folder.ts';
import {baseConfig, dataKey} from './test-server.ts';
import {newSecret} from './webhook-receiver.ts';

/** What `lead-prequal.cjs` starts. That file also lowers the priority, so that a busy machine would delay the tests. */
export const program = join(import.meta.dirname, '../../server/cli/main.ts');

export type Ran = {code: number; stdout: string; stderr: string};

/** What a command prints. @param work resolves to the exit status */
export async function printedBy(
  work: (streams: {stdout: PassThrough; stderr: PassThrough}) => Promise<number>,
): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([buffer(stdout), buffer(stderr)]);
  const code = await work({stdout, stderr}).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [output, errors] = await printed;
  return {code, stdout: String(output), stderr: String(errors)};
}

/** Runs the command in this process. Resolves even if the command fails. */
export const runCommand = (environment: Record<string, string>, ...words: string[]): Promise<Ran> =>
  runAtTerminal({}, environment, ...words);

/** As `runCommand`, with somebody who answers questions, or interrupts. */
export const runAtTerminal = (
  terminal: Pick<Surroundings, 'ask' | 'onInterrupt'>,
  environment: Record<string, string>,
  ...words: string[]
): Promise<Ran> =>
  checked(
    words,
    printedBy((streams) => runProgram(words, createRun({environment, ...streams, ...terminal}))),
  );

/** As `runCommand`, in a process of its own: for what only a process has, and beside a server under load. */
export function runProcess(environment: Record<string, string>, ...words: string[]): Promise<Ran> {
  const {promise, resolve} = Promise.withResolvers<Ran>();
  // Not in the folder of the tests, whose lead-prequal.env would be read.
  const options = {cwd: tmpdir(), env: {PATH: process.env['PATH'], ...environment}};
  const child = execFile(process.execPath, [program, ...words], options, (_error, stdout, stderr) =>
    resolve({code: child.exitCode ?? -1, stdout, stderr}),
  );
  return checked(words, promise);
}

/** The command has failed, said why, and printed no result. */
export function assertFails({code, stdout, stderr}: Ran, words: RegExp, status = 1) {
  assert.match(stderr, words);
  assert.deepEqual([code, stdout], [status, '']);
}

/** The lines of JSON that a command has printed. */
export const linesOf = <Line = Record<string, unknown>>({stdout}: Pick<Ran, 'stdout'>): Line[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

/** Each line of `--json` is what the command says that it is, and has no property besides. */
async function checked(words: readonly string[], running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  const lines = words.includes('--json') ? linesOf(ran) : [];
  if (lines.length > 0) {
    const shape = await shapeOfLines(words);
    for (const line of lines) assert.deepEqual(shape.parse(line), line);
  }
  return ran;
}

async function shapeOfLines(words: readonly string[]): Promise<ZodType> {
  const [create = assert.fail()] = await loadCommands(words);
  const command = create(createRun({stdout: new PassThrough(), stderr: new PassThrough()}));
  const {options} = command.commands.find((each) => each.name() === words[1]) ?? command;
  const json = options.find((option): option is ReturnType<typeof jsonOption> => 'line' in option);
  return json?.line ?? assert.fail(`${words.join(' ')} does not say what it prints`);
}

export const idsOf = (rows: readonly {id?: unknown}[]) => rows.map(({id}) => id);

/** For functions whose notes a test does not look at. */
export const unnoted: Admin['noteAccess'] = () => Promise.resolve();

/** All rows of a list that comes page by page. */
export async function allOf<Row>(pages: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

/** What an export has, and the leads that it lacks because they cannot be read. */
export async function exportOf(
  admin: Admin,
  options: Parameters<typeof exportLeads>[2],
  filter: LeadFilter = {},
) {
  let text = '';
  const lacks: UnreadableLead[] = [];
  const done = await finish(exportLeads(admin, filter, options), (part) => {
    if ('text' in part) text += part.text;
    else lacks.push(part.unreadable);
  });
  return {text, lacks, ...done};
}

/** Does what a row of the table of operations says, as an operator who agrees with the plan. */
export async function carryOut<Result = unknown>(
  admin: Admin,
  words: string,
  given: object,
): Promise<Result> {
  const row = rowOf(words);
  if (!row || !isChanging(row)) throw new Error(`Nothing is changed by ${words}`);
  const input = inputOf(row, given, true);
  return (await done(row, admin, input, await planned(row, admin, input))) as Result;
}

export const planAndErase = (admin: Admin, leads: readonly string[], all = false) =>
  carryOut<ErasurePlan & {out_of_files: boolean}>(admin, 'leads erase', {leads, all});

export const planAndRevoke = async (admin: Admin, input: RevocationInput) =>
  finish(revokeConsent(admin, await planRevocation(admin, input)));

/** The status beside a server that works, of a configuration with which it would start. */
export const statusOf = ({store, config}: Pick<Admin, 'store' | 'config'>, forAlerts = false) =>
  readStatus({
    ...{config, server: 'ok', forAlerts, withStore: (work) => work(store)},
    checkStart: () => Promise.resolve([]),
  });

const leadApi = {type: 'lead-api', url: 'https://up.example.com/v1', cid: '7', credentials: 'UP'};
const hook = {type: 'webhook', url: 'https://hook.example.com/secret', credentials: 'HOOK'};

/** Settings with the webhook `hook` and the upstream `up`. @param fields of `lead-prequal.json` */
export const hookAndUpstream = (folder: string, fields?: FileFields) => ({
  CONFIG_FILE: writeConfig(
    folder,
    [{answer_from: 'up', send_to: ['hook']}],
    {hook: {...hook, internal: false}, up: leadApi},
    fields,
  ),
  CREDENTIALS_HOOK_SECRET: newSecret(),
  CREDENTIALS_UP_USER: 'user',
  CREDENTIALS_UP_PASSWORD: 'password',
});

/** A server beside commands, and what it logged so far. */
export type RunningServer = {
  url: string;
  fetch: FetchPath;
  logLines: string[];
  /** Reads the files that the settings name again. */
  reload(): Promise<void>;
  close(): unknown;
};

export type Operated = {
  /** Runs `lead-prequal` over the store. */
  run: (...words: string[]) => Promise<Ran>;
  /** As `run`, of a command that must succeed. */
  does: (...words: string[]) => Promise<Ran>;
  /** What functions of `server/admin/` get, under the settings and these changes of them. */
  admin: (changes?: Record<string, string>) => Promise<Admin>;
  /** Stores more leads. */
  accept: (...entries: readonly LeadEntry[]) => Promise<void>;
  /** Runs a server in this process, under the same settings; `status` asks it from then on. */
  serve: (timings?: Partial<Timings>) => Promise<RunningServer>;
  /** Changes the tables directly. */
  execute: (sql: string) => Promise<void>;
  /** Reads the tables directly. */
  select: (sql: string) => Promise<Record<string, unknown>[]>;
  /** An empty folder for files that commands write. */
  folder: string;
  settings: Record<string, string>;
};

/** The databases of `operate`: SQLite, and PostgreSQL where the tests have one. */
export const databaseKinds = [
  {name: 'SQLite', postgres: false, skip: false},
  {name: 'PostgreSQL', postgres: true, skip: withoutPostgres},
] as const;

/** As `operate`, with what functions of `server/admin/` get under its settings. */
export async function operateAdmin(...words: Parameters<typeof operate>) {
  const operated = await operate(...words);
  return {...operated, admin: await operated.admin(), adminUnder: operated.admin};
}

/** Stores the leads, and runs commands over them. */
export async function operate(
  owner: Owner,
  entries: readonly LeadEntry[],
  {
    postgres = false,
    settings = {},
    fields,
  }: {postgres?: boolean; settings?: Record<string, string>; fields?: FileFields | undefined} = {},
): Promise<Operated> {
  // A server is closed before its database and its folder go.
  const t = inReverse(owner);
  const [folder, own] = [temporaryFolder(t), temporaryFolder(t)];
  const database = postgres ? await createDatabaseWithTables() : undefined;
  if (database) t.after(() => database.drop());
  const environment: Record<string, string> = {
    ...serviceSettings(own, fields),
    ...(database && {DATABASE_URL: database.url}),
    ...settings,
  };
  const databasePath = join(own, 'leads.sqlite');
  const config = {...baseConfig(own), databasePath, databaseUrl: database?.url};
  const [first = dataKey, ...others] = environment['DATA_KEY']?.split(' ') ?? [];
  const accept = (...entries: readonly LeadEntry[]) =>
    openWhile(openStore(config, createEncryptor([first, ...others])), async (store) => {
      // A request that waits for its turn has a limit, which thousands at once would reach on a busy machine.
      for (let from = 0; from < entries.length; from += 100) {
        await Promise.all(entries.slice(from, from + 100).map((entry) => store.accept(entry)));
      }
    });
  await accept(...entries);
  const run = (...words: string[]) => runCommand(environment, ...words);
  return {
    accept,
    run,
    async does(...words) {
      const ran = await run(...words);
      assert.equal(ran.code, 0, `${words.join(' ')}: ${ran.stdout}${ran.stderr}`);
      return ran;
    },
    async admin(changes = {}) {
      const config = readConfig({...environment, ...changes});
      const opening = openAttachedStore(config, createEncryptor(config.dataKeys), true);
      const store = await openFor(t, opening);
      return {config, store, noteAccess: noting(store, {actor: 'ana', action: 'test'}), actor: 'ana'};
    },
    async serve(timings) {
      const read = () => readConfig({...environment, PORT: '0'});
      const logLines: string[] = [];
      const {emit} = logTo(logLines);
      const opening = startServer(read(), emit, undefined, {...usualTimings, ...timings}, read);
      const server = await openFor(t, opening);
      Object.assign(environment, {PORT: String(server.port)});
      const url = `http://127.0.0.1:${server.port}`;
      const [reload, close] = [() => server.reload(), () => server.close()];
      return {url, fetch: fetchFrom(url), logLines, reload, close};
    },
    async execute(sql) {
      if (database) return void (await database.query(sql));
      execute(databasePath, sql);
    },
    async select(sql) {
      return database ? database.query(sql) : rowsOf(databasePath, sql);
    },
    folder,
    settings: environment,
  };
}
