/** `lead-prequal config check`: what would stop a start of the server, without a start. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import {createServer as createHttpServer} from 'node:http';
import {once} from 'node:events';
import {createServer, type AddressInfo} from 'node:net';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {checkForm} from '../../../server/check-start.ts';
import {readConfig, releasesFolder} from '../../../server/config/config.ts';
import {startServer} from '../../../server/server.ts';
import {sentLead} from '../../support/embed-client.ts';
import {ignoreObservations} from '../../support/observation-log.ts';
import {basic, fetchFrom, postJson, readJson} from '../../support/http.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {runCommand} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {createDatabase, databaseFor, openPostgresStores, withoutPostgres} from '../../support/postgres.ts';
import {redisUrl, withoutRedis} from '../../support/redis.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {runService, serviceSettings, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {acme, inFile} from '../../support/test-server.ts';
import {replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

type Settings = Record<string, string>;

const wouldStart = '✓ The server would start.';

function useCheck(t: TestContext) {
  const folder = temporaryFolder(t);
  const settings: Settings = {...serviceSettings(folder), PORT: '0'};
  const check = async (more: Settings = {}) => {
    const {code, stdout, stderr} = await runCommand({...settings, ...more}, 'config', 'check');
    assert.equal(stderr, '');
    const lines = stdout.trimEnd().split('\n');
    const expected = [...privacyNotes, doubts];
    return {code, lines: lines.filter((line) => !expected.some((note) => note.test(line)))};
  };
  const finds = async (status: number, words: RegExp, more?: Settings) => {
    const {code, lines} = await check(more);
    assert.match(lines.join('\n'), words);
    assert.equal(code, status);
  };
  return {folder, settings, check, finds};
}

/** Starts the server in this process. */
async function start(settings: Settings) {
  const server = await startServer(readConfig(settings), ignoreObservations);
  return {...server, fetch: fetchFrom(`http://127.0.0.1:${server.port}`)};
}

/** Of every configuration without further settings. */
const privacyNotes = [
  /^! Leads of .* are kept for ever/,
  /^· A lead whose deliveries have not ended stays 30 days longer/m,
];
/** Of every configuration without a consent and without destinations, which test/server/smallest-setup.test.ts looks at. */
const doubts = /^! (Nobody is told of|Nobody may call|Consent texts are)/;
const newDatabase = '· There is no database yet, or it is empty: the start creates it';
const olderDatabase =
  '! The database is that of an older version, and the start brings it up: back it up first, and read in the changelog whether older servers may run meanwhile';

suite('config check', () => {
  test('a server would start, and no database is made', async (t) => {
    const {check, settings, folder} = useCheck(t);
    assert.deepEqual(await check(), {code: 0, lines: [newDatabase, wouldStart]});
    const path = join(folder, 'not', 'there', 'leads.sqlite');
    assert.deepEqual(await check({DATABASE_PATH: path}), {code: 0, lines: [newDatabase, wouldStart]});
    assert.ok(!existsSync(settings['DATABASE_PATH']!) && !existsSync(join(folder, 'not')));
  });

  test('every fault and warning of the configuration is named, and the start agrees', async (t) => {
    const {check, settings, folder} = useCheck(t);
    const CONFIG_FILE = writeConfig(folder, [{send_to: ['crm']}]);
    const more = {CREDENTIALS_CRM_SECRET: 'canary-of-a-secret', TZ: 'Europe/Berln', PORT: 'x'};
    const {code, lines} = await check(more);
    assert.deepEqual(lines, [
      '✗ PORT must be a number from 0 to 65535',
      `✗ ${CONFIG_FILE}:1:94: partners.0.send_to: crm is not among the destinations`,
      '! CREDENTIALS_CRM_SECRET is not used by any destination: remove it',
      '! TZ names no time zone, so times are shown in UTC: set one such as America/New_York',
    ]);
    assert.equal(code, 1);
    const started = await runService({...settings, ...more}, folder);
    assert.equal(started.code, 1);
    for (const line of lines.filter((line) => line.startsWith('✗')))
      assert.ok(started.errors.includes(line.slice(2)), line);
  });

  test('a security fault of the version that pages should pin is a warning', (t) => {
    const {settings, folder} = useCheck(t);
    cpSync(join(releasesFolder, '1.5.0'), join(folder, '1.5.0'), {recursive: true});
    const advisory = {'1.5.0': {security: 'A page could read the draft of another.'}};
    writeFileSync(join(folder, 'advisories.json'), JSON.stringify(advisory));
    assert.deepEqual(checkForm({...readConfig(settings), releasesFolder: folder}), [
      {
        level: 'warning',
        text: '1.5.0, the version that pages should pin, has a security fault: A page could read the draft of another. Upgrade the server',
      },
    ]);
  });

  test('a consent text that changed without a new version is refused, as by the start', async (t) => {
    const {check, settings, folder} = useCheck(t);
    const write = (text: string, version: string) => writeConfig(folder, [{consent: {text, version}}]);
    write('You may call me.', '1');
    await openWhile(start(settings), (server) =>
      sentLead(server, undefined, {body: {consent: {version: '1', agreed: true}}}),
    );

    write('You may call and write to me.', '1');
    const {code, lines} = await check();
    const [line = ''] = lines;
    assert.match(line, /^✗ .*partners\.0\.consent\.text: .*give the new text a new version/);
    assert.deepEqual({code, lines}, {code: 1, lines: [line]});
    await assert.rejects(start(settings), (error: Error) => error.message.endsWith(line.slice(2)));
    write('You may call and write to me.', '2');
    assert.deepEqual(await check(), {code: 0, lines: [wouldStart]});
  });

  test('whose leads are kept for ever is said, and how long open deliveries keep the others', async (t) => {
    const {folder, settings} = useCheck(t);
    const rows: [
      partners: Record<string, unknown>,
      retain_days: number | undefined,
      who: string,
      grace: boolean,
    ][] = [
      [{acme: undefined}, undefined, 'callers, acme', false],
      [{acme: undefined}, 730, '', true],
      [{acme: 30}, undefined, 'callers', true],
      [{beta: 'forever', gamma: 30, delta: undefined}, undefined, 'callers, beta, delta', true],
      [{beta: 'forever', gamma: 30, delta: undefined}, 730, 'beta', true],
    ];
    for (const [partners, retain_days, who, grace] of rows) {
      const each = Object.entries(partners).map(([key, days]) => ({key, retain_days: days}));
      writeConfig(folder, each, {}, {retain_days});
      const {code, stdout} = await runCommand(settings, 'config', 'check');
      assert.equal(code, 0);
      assert.equal(/^! Leads of (.*) are kept for ever/m.exec(stdout)?.[1] ?? '', who);
      assert.equal(privacyNotes[1]!.test(stdout), grace);
    }
  });

  test('the key that the start would make is said, and a database that cannot be read is a fault', async (t) => {
    const {check, finds, folder, settings} = useCheck(t);
    const DATA_KEY_FILE = join(folder, 'the-key');
    const noKey = {DATA_KEY: '', DATA_KEY_FILE};
    assert.deepEqual(await check(noKey), {
      code: 0,
      lines: [
        newDatabase,
        `· There is no data key yet: the first start ("lead-prequal serve") makes it in ${DATA_KEY_FILE}. Put the key there first if a backup is to be restored`,
        wouldStart,
      ],
    });
    assert.ok(!existsSync(DATA_KEY_FILE));
    mkdirSync(settings['DATABASE_PATH']!);
    await finds(1, /^✗ The database that DATABASE_PATH names cannot be opened: [^\n]+$/, noKey);
  });

  test('a destination that is reached without encryption is a warning', async (t) => {
    const {finds, folder} = useCheck(t);
    const lender = {type: 'lead-api', url: 'http://api.lender.example', cid: '7', credentials: 'LENDER'};
    const access = {CREDENTIALS_LENDER_USER: 'us', CREDENTIALS_LENDER_PASSWORD: 'secret-of-lender'};
    await finds(0, /^! the URL of this destination starts with http:.*"lender"/, {
      CONFIG_FILE: writeConfig(folder, [{}], {lender}),
      ...access,
    });
  });

  test('a withdrawn version that is not there is a fault', async (t) => {
    const {folder, finds} = useCheck(t);
    writeConfig(folder, undefined, undefined, {withdrawn_versions: ['9.9.9']});
    await finds(1, /^✗ withdrawn_versions names 9\.9\.9, which this server does not have/);
  });
});

const newerDatabase =
  /: The database was made by a newer version\. Its tables have version 999 and need a server for version 998 or newer, and this one is for version \d+: start the newer server again, or restore the backup from before the upgrade$/;

suite('config check of the SQLite file', () => {
  test('a database of 1.0.0 stays as it is, and the start would bring it up', async (t) => {
    const {check, settings} = useCheck(t);
    const path = settings['DATABASE_PATH']!;
    copyFileSync(join(import.meta.dirname, '../../support/databases/1.0.0.sqlite'), path);
    const before = readFileSync(path);
    const room = `· If a version before 2.0 has stored leads in clear, ${path} is written anew once they are encrypted: 81.9 kB must be free on its disk`;
    assert.deepEqual(await check(), {code: 0, lines: [olderDatabase, room, wouldStart]});
    assert.deepEqual(readFileSync(path), before);
  });

  const broken: [what: string, make: (path: string) => void, says: RegExp][] = [
    [
      'of a newer version',
      (path) =>
        new DatabaseSync(path).exec(`PRAGMA user_version = 999;
          CREATE TABLE schema_compatibility AS SELECT 998 AS oldest_server`),
      newerDatabase,
    ],
    ['that is a text', (path) => writeFileSync(path, 'no database '.repeat(1_000)), /not a database/],
    ['that is a folder', (path) => mkdirSync(path), /EISDIR/],
  ];
  for (const [what, make, says] of broken) {
    test(`a database ${what} is refused, as by the start`, async (t) => {
      const {finds, settings} = useCheck(t);
      make(settings['DATABASE_PATH']!);
      await finds(1, /^✗ The database that DATABASE_PATH names cannot be opened: [^\n]+$/);
      await finds(1, says);
      await assert.rejects(start(settings), says);
    });
  }

  test('a folder that cannot be made is a fault, as for the start', async (t) => {
    const {finds, folder, settings} = useCheck(t);
    writeFileSync(join(folder, 'a-file'), '');
    const DATABASE_PATH = join(folder, 'a-file/data/leads.sqlite');
    await finds(1, /^✗ .*DATABASE_PATH names cannot be opened: ENOTDIR: .*a-file/, {DATABASE_PATH});
    const started = await runService({...settings, DATABASE_PATH}, folder);
    assert.deepEqual([started.code, started.output], [1, '']);
    assert.match(started.errors, /^Cannot start: .*DATABASE_PATH names cannot be opened: E[A-Z]+: .*a-file/);
  });

  const isNotRoot = process.getuid?.() !== 0 && 'only root may give files to other users';
  test('the owner of the file is named as the user who must run it', {skip: isNotRoot}, async (t) => {
    const {finds, settings, folder} = useCheck(t);
    const path = settings['DATABASE_PATH']!;
    copyFileSync(join(import.meta.dirname, '../../support/databases/1.0.0.sqlite'), path);
    chownSync(path, 65_534, 65_534);
    await finds(1, /^✗ .* belongs to another user\. Run the command as that user: sudo -u '#65534'/);
    assert.deepEqual(readdirSync(folder).toSorted(), ['lead-prequal.json', 'leads.sqlite']);
  });

  test('a folder that may not be written is a fault, except to root', async (t) => {
    const {check, finds, folder} = useCheck(t);
    mkdirSync(join(folder, 'closed'));
    chmodSync(join(folder, 'closed'), 0o500);
    const DATABASE_PATH = join(folder, 'closed/leads.sqlite');
    if (process.getuid?.() === 0)
      assert.deepEqual(await check({DATABASE_PATH}), {code: 0, lines: [newDatabase, wouldStart]});
    else await finds(1, /^✗ .*DATABASE_PATH names cannot be opened: EACCES/, {DATABASE_PATH});
    assert.deepEqual(readdirSync(join(folder, 'closed')), []);
  });
});

suite('config check of PostgreSQL', {skip: withoutPostgres}, () => {
  const onPostgres = (url: string) => ({DATABASE_URL: url, DATABASE_PATH: ''});

  const noErasures =
    '! erasures_file names no file: after a restore of PostgreSQL, whoever was erased since is back, and whoever said stop is called again';

  test('an empty database gets no tables, and one with tables is accepted', async (t) => {
    const {check, folder, settings} = useCheck(t);
    const database = await databaseFor(t);
    assert.deepEqual(await check(onPostgres(database.url)), {code: 0, lines: [newDatabase, wouldStart]});
    const tables = "SELECT 1 FROM pg_tables WHERE schemaname = 'public'";
    assert.deepEqual(await database.query(tables), []);
    await (await start({...settings, ...onPostgres(database.url)})).close();
    assert.deepEqual(await check(onPostgres(database.url)), {code: 0, lines: [noErasures, wouldStart]});
    writeConfig(folder, undefined, undefined, {erasures_file: '/nowhere/erasures'});
    assert.deepEqual(await check(onPostgres(database.url)), {code: 0, lines: [wouldStart]});
    await database.query('UPDATE schema_version SET version = version - 1');
    assert.deepEqual(await check(onPostgres(database.url)), {
      code: 0,
      lines: [olderDatabase, wouldStart],
    });
  });

  const broken: [what: string, sql: string, says: RegExp][] = [
    [
      'of a newer version',
      'UPDATE schema_version SET version = 999; UPDATE schema_compatibility SET oldest_server = 998',
      newerDatabase,
    ],
    [
      'that is read-only',
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
      /: The database is read-only, such as a standby$/,
    ],
  ];
  for (const [what, sql, says] of broken) {
    test(`a database ${what} is refused`, async (t) => {
      const {database} = await openPostgresStores(t, 1);
      await database.query(sql);
      const {finds} = useCheck(t);
      const settings = onPostgres(database.url);
      await finds(1, /^✗ The database that DATABASE_URL names cannot be opened: [^\n]+$/, settings);
      await finds(1, says, settings);
    });
  }

  test('a user who may not create tables is refused', async (t) => {
    const database = await createDatabase();
    const role = `${new URL(database.url).pathname.slice(1)}_reader`;
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    t.after(async () => {
      await database.query(`DROP ROLE ${role}`);
      await database.drop();
    });
    await database.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const url = new URL(database.url);
    Object.assign(url, {username: role, password: 'secret'});
    await useCheck(t).finds(1, /may not create tables/, onPostgres(url.href));
  });

  test('a server that cannot be reached is a fault, without waiting for it', async (t) => {
    const away = /^✗ The database that DATABASE_URL names cannot be opened: .*ECONNREFUSED/;
    await useCheck(t).finds(1, away, onPostgres('postgres://127.0.0.1:1/leads'));
  });

  test('a database that is not there is a fault, as for the start', async (t) => {
    const {finds, folder, settings} = useCheck(t);
    const url = new URL(process.env['TEST_DATABASE_URL'] ?? '');
    url.pathname = '/no-such-database';
    const missing = /DATABASE_URL names cannot be opened: .*no-such-database/;
    await finds(1, missing, onPostgres(url.href));
    const {code, errors} = await runService({...settings, ...onPostgres(url.href)}, folder);
    assert.equal(code, 1);
    assert.match(errors, missing);
  });
});

suite('config check beside other programs', () => {
  test('a Redis that is away is a warning, because the server starts without it', async (t) => {
    const away = /^! Redis is away: limits and quotas count in memory \{"reason":"ECONNREFUSED"/m;
    await useCheck(t).finds(0, away, {REDIS_URL: 'redis://127.0.0.1:1'});
  });
  test('nothing is said of a Redis that works', {skip: withoutRedis}, async (t) => {
    assert.deepEqual(await useCheck(t).check({REDIS_URL: redisUrl!}), {
      code: 0,
      lines: [newDatabase, wouldStart],
    });
  });

  test('beside the server it finds the port taken, and the server goes on', async (t) => {
    const {check, settings, folder} = useCheck(t);
    const service = await startService(settings, folder);
    t.after(() => service.end('SIGKILL'));
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const port = new URL(service.url).port;
      assert.deepEqual(await check({PORT: port, HOST: host}), {
        code: 0,
        lines: [
          `· A server answers on port ${port}, probably your own: it takes a change by "lead-prequal reload". Before a new start, stop it`,
          wouldStart,
        ],
      });
    }
    await readJson(await fetch(`${service.url}/json/leads`, postJson(standardBody, basic(acme))), 201);
  });

  test('a port that another program has is a fault', async (t) => {
    const {finds} = useCheck(t);
    const programs = [
      createHttpServer((_request, response) => response.end('{"status":"up"}')),
      // It takes connections and says nothing.
      createServer(),
    ];
    for (const program of programs) {
      await once(program.listen(0, '127.0.0.1'), 'listening');
      t.after(() => program.close());
      const {port} = program.address() as AddressInfo;
      const says = `^✗ PORT ${port} is used by another program: stop that program, or set another port$`;
      await finds(1, new RegExp(says, 'm'), {PORT: String(port)});
    }
    const nowhere = /^✗ The server cannot listen at HOST and PORT: .*EADDRNOTAVAIL/m;
    await finds(1, nowhere, {HOST: '192.0.2.1', PORT: '8080'});
  });
});

test('a destination is removed in three steps, in each of which the server starts', async (t) => {
  const {check, settings, folder} = useCheck(t);
  const crm = await openFor(t, startWebhookReceiver(replyWith(503)));
  const destinations = {crm: {type: 'webhook', url: crm.settings.url, credentials: 'CRM'}};
  const secret = {CREDENTIALS_CRM_SECRET: crm.secret};
  const write = (left: Record<string, object>, send_to: string[] = []) =>
    writeConfig(folder, [{send_to}], left, {callers: [{...inFile(acme), send_to}]});

  write(destinations, ['crm']);
  await openWhile(start({...settings, ...secret}), async (server) =>
    readJson(await server.fetch('/json/leads', postJson(standardBody, basic(acme))), 201),
  );

  const unused = '! CREDENTIALS_CRM_SECRET is not used by any destination: remove it';
  const waiting =
    '! deliveries wait for a destination that is not configured {"destination":"crm","deliveries":1}';
  const steps: [step: string, left: Record<string, object>, secrets: Settings, lines: string[]][] = [
    ['no partner and no caller names it', destinations, secret, []],
    ['it is taken out of the list', {}, secret, [unused, waiting]],
    ['its secret is removed', {}, {}, [waiting]],
  ];
  for (const [step, left, secrets, lines] of steps) {
    write(left);
    assert.deepEqual(await check(secrets), {code: 0, lines: [...lines, wouldStart]}, step);
    await (await start({...settings, ...secrets})).close();
  }
});
