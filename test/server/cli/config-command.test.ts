/** `lead-prequal config check` as an operator runs it: what would stop a start, without a start. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  copyFileSync,
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
import {sentLead} from '../../support/embed-client.ts';
import {basic, fetchFrom, postJson, readJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {runCommand} from '../../support/operator.ts';
import {createDatabase, openPostgresStores, withoutPostgres} from '../../support/postgres.ts';
import {redisUrl, withoutRedis} from '../../support/redis.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {runService, serviceSettings, startService} from '../../support/service-process.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {acme, listedOrigin} from '../../support/test-server.ts';
import {replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

type Settings = Record<string, string>;

const wouldStart = '✓ The server would start.';

function useCheck(t: TestContext) {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const settings: Settings = {...serviceSettings(folder.path), EMBED_FOLDER: '/nowhere', PORT: '0'};
  return {
    folder: folder.path,
    settings,
    check: async (more: Settings = {}) => {
      const {code, stdout, stderr} = await runCommand({...settings, ...more}, 'config', 'check');
      assert.equal(stderr, '');
      return {code, lines: stdout.trimEnd().split('\n')};
    },
  };
}

/** The settings of a server whose partner sends its leads to these destinations. */
function partnersFile(folder: string, destinations: object, send_to: string[] = []): Settings {
  const path = join(folder, 'partners.json');
  const partner = {key: 'acme', origins: [listedOrigin], cid: '1001', send_to};
  writeFileSync(path, JSON.stringify({destinations, partners: [partner]}, null, 1));
  return {PARTNERS_FILE: path};
}

const newDatabase = '· There is no database yet, or it is empty: the start creates it';
const olderDatabase =
  '! The database is that of an older version, and the start brings it up: stop all servers and back it up first';

suite('lead-prequal config check', () => {
  test('lead-prequal config check says that a server would start, and makes no database', async (t) => {
    const {check, settings, folder} = useCheck(t);
    assert.deepEqual(await check(), {code: 0, lines: [newDatabase, wouldStart]});
    const path = join(folder, 'not', 'there', 'leads.sqlite');
    assert.deepEqual(await check({DATABASE_PATH: path}), {code: 0, lines: [newDatabase, wouldStart]});
    assert.ok(!existsSync(settings['DATABASE_PATH']!) && !existsSync(join(folder, 'not')));
  });

  test('lead-prequal config check names every fault and warning of the configuration, and the start agrees', async (t) => {
    const {check, settings, folder} = useCheck(t);
    const file = partnersFile(folder, {}, ['crm']);
    const more = {
      ...file,
      CREDENTIALS_CRM_SECRET: 'canary-of-a-secret',
      TZ: 'Europe/Berln',
      POLICY_FILE: '/nowhere/policy.json',
    };
    const {code, lines} = await check(more);
    assert.deepEqual(lines, [
      '✗ POLICY_FILE names a file that cannot be read (ENOENT)',
      `✗ PARTNERS_FILE ${file['PARTNERS_FILE']}:11:5: partners.0.send_to: crm is not among the destinations`,
      '! CREDENTIALS_CRM_SECRET is not used by any destination: remove it',
      '! TZ names no time zone, so times are shown in UTC: set one such as America/New_York',
    ]);
    assert.equal(code, 1);
    const start = await runService({...settings, ...more}, folder);
    assert.equal(start.code, 1);
    for (const line of lines.filter((line) => line.startsWith('✗')))
      assert.ok(start.errors.includes(line.slice(2)), line);
  });

  test('lead-prequal config check refuses a consent text that has changed without a new version, as the start does', async (t) => {
    const {check, settings, folder} = useCheck(t);
    const path = join(folder, 'partners.json');
    const write = (text: string, version: string) =>
      writeFileSync(
        path,
        JSON.stringify({
          partners: [{key: 'acme', origins: [listedOrigin], cid: '1001', consent: {text, version}}],
        }),
      );
    const file = {PARTNERS_FILE: path};
    write('You may call me.', '1');
    const service = await startService({...settings, ...file}, folder);
    await sentLead({fetch: fetchFrom(service.url)}, undefined, {
      body: {consent: {version: '1', agreed: true}},
    });
    await service.end('SIGTERM');

    write('You may call and write to me.', '1');
    const {code, lines} = await check(file);
    const [line = ''] = lines;
    assert.match(line, /^✗ PARTNERS_FILE partners\.0\.consent\.text: .*give the new text a new version/);
    assert.deepEqual({code, lines}, {code: 1, lines: [line]});
    const start = await runService({...settings, ...file}, folder);
    assert.equal(start.code, 1);
    assert.ok(start.errors.includes(line.slice(2)), start.errors);
    write('You may call and write to me.', '2');
    assert.deepEqual(await check(file), {code: 0, lines: [wouldStart]});
  });

  test('lead-prequal config check takes leftover secrets, as the start does', async (t) => {
    const {check} = useCheck(t);
    assert.deepEqual(await check({CREDENTIALS_CRM_SECRET: 'canary-of-a-secret'}), {
      code: 0,
      lines: ['! CREDENTIALS_CRM_SECRET is not used by any destination: remove it', newDatabase, wouldStart],
    });
  });

  test('lead-prequal config check warns of a destination that is reached without encryption', async (t) => {
    const {check, folder} = useCheck(t);
    const lender = {type: 'lead-api', url: 'http://api.lender.example', cid: '7', credentials: 'LENDER'};
    const access = {CREDENTIALS_LENDER_USER: 'us', CREDENTIALS_LENDER_PASSWORD: 'secret-of-lender'};
    const {code, lines} = await check({...partnersFile(folder, {lender}), ...access});
    assert.equal(code, 0);
    assert.match(lines[0] ?? '', /^! the URL of this destination starts with http:.*"lender"/);
  });

  test('lead-prequal config check says that the form cannot be served', async (t) => {
    const {code, lines} = await useCheck(t).check({WITHDRAWN_VERSIONS: '9.9.9'});
    assert.equal(code, 1);
    assert.match(lines[0] ?? '', /^✗ WITHDRAWN_VERSIONS names 9\.9\.9, which this server does not have/);
  });
});

suite('lead-prequal config check, of the SQLite file,', () => {
  test('lead-prequal config check, of the SQLite file, leaves a database of 1.0.0 as it is, and says that the start brings it up', async (t) => {
    const {check, settings} = useCheck(t);
    const path = settings['DATABASE_PATH']!;
    copyFileSync(join(import.meta.dirname, '../../support/databases/1.0.0.sqlite'), path);
    const before = readFileSync(path);
    assert.deepEqual(await check(), {code: 0, lines: [olderDatabase, wouldStart]});
    assert.deepEqual(readFileSync(path), before);
  });

  const broken: [what: string, make: (path: string) => void, says: RegExp][] = [
    [
      'of a newer version',
      (path) => new DatabaseSync(path).exec('PRAGMA user_version = 999'),
      /made by a newer version$/,
    ],
    ['that is none', (path) => writeFileSync(path, 'no database '.repeat(1_000)), /not a database/],
    ['that is a folder', (path) => mkdirSync(path), /EISDIR/],
  ];
  for (const [what, make, says] of broken) {
    test(`lead-prequal config check, of the SQLite file, refuses one ${what}, as the start does`, async (t) => {
      const {check, settings, folder} = useCheck(t);
      make(settings['DATABASE_PATH']!);
      const {code, lines} = await check();
      assert.equal(code, 1);
      assert.match(lines.join('\n'), /^✗ The database that DATABASE_PATH names cannot be opened: [^\n]+$/);
      assert.match(lines.join('\n'), says);
      assert.equal((await runService(settings, folder)).code, 1);
    });
  }

  test('lead-prequal config check, of the SQLite file, refuses a folder that cannot be made', async (t) => {
    const {check, folder} = useCheck(t);
    writeFileSync(join(folder, 'a-file'), '');
    const {code, lines} = await check({DATABASE_PATH: join(folder, 'a-file/data/leads.sqlite')});
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /^✗ .*DATABASE_PATH names cannot be opened: ENOTDIR: .*a-file/);
  });

  const isNotRoot = process.getuid?.() !== 0 && 'only root may give files to other users';
  test(
    'lead-prequal config check, of the SQLite file, says as which user to run it',
    {skip: isNotRoot},
    async (t) => {
      const {check, settings, folder} = useCheck(t);
      const path = settings['DATABASE_PATH']!;
      copyFileSync(join(import.meta.dirname, '../../support/databases/1.0.0.sqlite'), path);
      chownSync(path, 65_534, 65_534);
      const {code, lines} = await check();
      assert.equal(code, 1);
      assert.match(
        lines.join('\n'),
        /^✗ .* belongs to another user\. Run the command as that user: sudo -u '#65534'/,
      );
      assert.deepEqual(readdirSync(folder).toSorted(), ['embed', 'leads.sqlite']);
    },
  );

  test('lead-prequal config check, of the SQLite file, refuses a folder that may not be written, except to root, who may write everywhere', async (t) => {
    const {check, folder} = useCheck(t);
    mkdirSync(join(folder, 'closed'));
    chmodSync(join(folder, 'closed'), 0o500);
    const {code, lines} = await check({DATABASE_PATH: join(folder, 'closed/leads.sqlite')});
    if (process.getuid?.() === 0)
      assert.deepEqual({code, lines}, {code: 0, lines: [newDatabase, wouldStart]});
    else {
      assert.equal(code, 1);
      assert.match(lines.join('\n'), /^✗ .*DATABASE_PATH names cannot be opened: EACCES/);
    }
    assert.deepEqual(readdirSync(join(folder, 'closed')), []);
  });
});

suite('lead-prequal config check, of PostgreSQL,', {skip: withoutPostgres}, () => {
  const onPostgres = (url: string) => ({DATABASE_URL: url, DATABASE_PATH: ''});

  test('lead-prequal config check, of PostgreSQL, makes no tables in an empty database, and takes one with tables', async (t) => {
    const {check} = useCheck(t);
    const database = await createDatabase();
    t.after(() => database.drop());
    assert.deepEqual(await check(onPostgres(database.url)), {code: 0, lines: [newDatabase, wouldStart]});
    const tables = "SELECT 1 FROM pg_tables WHERE schemaname = 'public'";
    assert.deepEqual(await database.query(tables), []);
    const full = await openPostgresStores(t, 1);
    assert.deepEqual(await check(onPostgres(full.database.url)), {code: 0, lines: [wouldStart]});
    await full.database.query('UPDATE schema_version SET version = version - 1');
    assert.deepEqual(await check(onPostgres(full.database.url)), {
      code: 0,
      lines: [olderDatabase, wouldStart],
    });
  });

  const broken: [what: string, sql: string, says: string][] = [
    [
      'of a newer version',
      'UPDATE schema_version SET version = 999',
      'The database was made by a newer version',
    ],
    [
      'that is read-only',
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
      'The database is read-only, such as a standby',
    ],
  ];
  for (const [what, sql, says] of broken) {
    test(`lead-prequal config check, of PostgreSQL, refuses a database ${what}`, async (t) => {
      const {database} = await openPostgresStores(t, 1);
      await database.query(sql);
      assert.deepEqual(await useCheck(t).check(onPostgres(database.url)), {
        code: 1,
        lines: [`✗ The database that DATABASE_URL names cannot be opened: ${says}`],
      });
    });
  }

  test('lead-prequal config check, of PostgreSQL, refuses a user who may not create tables', async (t) => {
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
    const {code, lines} = await useCheck(t).check(onPostgres(url.href));
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /may not create tables/);
  });

  test('lead-prequal config check, of PostgreSQL, says that it cannot be reached, without waiting for it', async (t) => {
    const {code, lines} = await useCheck(t).check(onPostgres('postgres://127.0.0.1:1/leads'));
    assert.equal(code, 1);
    assert.match(
      lines.join('\n'),
      /^✗ The database that DATABASE_URL names cannot be opened: .*ECONNREFUSED/,
    );
  });
});

suite('lead-prequal config check, beside other programs,', () => {
  test('lead-prequal config check, beside other programs, warns of a Redis that is away, without which the server starts', async (t) => {
    const {code, lines} = await useCheck(t).check({REDIS_URL: 'redis://127.0.0.1:1'});
    assert.equal(code, 0);
    assert.ok(lines.includes('! Redis is away: limits and quotas count in memory {"reason":"ECONNREFUSED"}'));
  });
  test(
    'lead-prequal config check, beside other programs, says nothing of a Redis that works',
    {skip: withoutRedis},
    async (t) => {
      assert.deepEqual(await useCheck(t).check({REDIS_URL: redisUrl!}), {
        code: 0,
        lines: [newDatabase, wouldStart],
      });
    },
  );

  test('lead-prequal config check, beside other programs, may run beside the server, whose port it finds taken', async (t) => {
    const {check, settings, folder} = useCheck(t);
    const service = await startService(settings, folder);
    t.after(() => service.end('SIGKILL'));
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const port = new URL(service.url).port;
      assert.deepEqual(await check({PORT: port, HOST: host}), {
        code: 0,
        lines: [
          `· A server answers on port ${port}, probably the one that the start would replace: stop it first`,
          wouldStart,
        ],
      });
    }
    await readJson(await fetch(`${service.url}/json/leads`, postJson(standardBody, basic(acme))), 201);
  });

  test('lead-prequal config check, beside other programs, refuses a port that another program has', async (t) => {
    const {check} = useCheck(t);
    const programs = [
      createHttpServer((_request, response) => response.end('{"status":"up"}')),
      // It takes connections and says nothing.
      createServer(),
    ];
    for (const program of programs) {
      await once(program.listen(0, '127.0.0.1'), 'listening');
      t.after(() => program.close());
      const {port} = program.address() as AddressInfo;
      const {code, lines} = await check({PORT: String(port)});
      assert.equal(code, 1);
      assert.ok(
        lines.includes(`✗ PORT ${port} is used by another program: stop that program, or set another port`),
      );
    }
    const {code, lines} = await check({HOST: '192.0.2.1', PORT: '8080'});
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /^✗ The server cannot listen at HOST and PORT: .*EADDRNOTAVAIL/m);
  });
});

test('a destination is removed in three steps, in each of which the server starts; deliveries that wait for it are warned of', async (t) => {
  const {check, settings, folder} = useCheck(t);
  const crm = await openFor(t, startWebhookReceiver(replyWith(503)));
  const destinations = {crm: {type: 'webhook', url: crm.settings.url, credentials: 'CRM'}};
  const secret = {CREDENTIALS_CRM_SECRET: crm.secret, WEBHOOK_INTERNAL_HOSTS: '127.0.0.1,localhost'};
  const callers = (send_to: string[]) => ({CALLERS: JSON.stringify([{...acme, send_to}])});

  const before = {...secret, ...partnersFile(folder, destinations, ['crm']), ...callers(['crm'])};
  const service = await startService({...settings, ...before}, folder);
  t.after(() => service.end('SIGKILL'));
  await readJson(await fetch(`${service.url}/json/leads`, postJson(standardBody, basic(acme))), 201);
  await service.end('SIGTERM');

  const unused = '! CREDENTIALS_CRM_SECRET is not used by any destination: remove it';
  const waiting =
    '! deliveries wait for a destination that is not configured {"destination":"crm","deliveries":1}';
  const steps: [step: string, left: object, secrets: Settings, lines: string[]][] = [
    ['no partner and no caller names it', destinations, secret, []],
    ['it is taken out of the list', {}, secret, [unused, waiting]],
    ['its secret is removed', {}, {}, [waiting]],
  ];
  for (const [step, left, secrets, lines] of steps) {
    const more = {...secrets, ...partnersFile(folder, left), ...callers([])};
    assert.deepEqual(await check(more), {code: 0, lines: [...lines, wouldStart]}, step);
    const next = await startService({...settings, ...more}, folder);
    t.after(() => next.end('SIGKILL'));
    assert.deepEqual(await next.end('SIGTERM'), {code: 0, signal: null}, step);
  }
});
