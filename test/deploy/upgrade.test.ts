/**
 * Servers of 1.6, 1.7 and 1.8 become 2.0 by what "From 1.8" in the changelog says, and by nothing else. `former/` has what each of
 * them left: its settings, and a store with two leads, one of which its webhook has not got yet, as a SQLite file and as a
 * dump of PostgreSQL. 1.6 stored in clear, the others with a data key.
 */
import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test, type TestContext} from 'node:test';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {missing} from '../support/installed.ts';
import {suiteOwner} from '../support/opened.ts';
import {databaseFor, withoutPostgres} from '../support/postgres.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {readyPort} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';
import {
  cloneInto,
  followIn,
  makeScratchRoot,
  noScratchRoot,
  processId,
  registry,
  runIn,
  spawnIn,
} from './scratch-root.ts';

const former = join(import.meta.dirname, 'former');
const versions = ['1.6', '1.7', '1.8'] as const;
const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
const [section = ''] = changelog.split('\n### From 1.8\n')[1]!.split('\n### ');
const [, commands = ''] = /\*\*A service\*\*[^]*?```sh\n([^]*?)```/.exec(section)!;
const [upToUpgrade = '', fromCheck = ''] = commands.split(/(?<=config upgrade --write)\s+#.*\n/);

/** Where the partners file of each fixture sends its leads. */
const crmPort = 20807;
const caller = basic({user: 'acme', password: 'open-sesame-of-acme-0123456789'});
const dataFolder = 'var/lib/lead-prequal/data';

suite('from an earlier version', {skip: noScratchRoot() || missing('systemd-sysusers')}, () => {
  const folder = makeTemporaryFolder();
  const root = join(folder.path, 'root');
  suiteOwner().after(() => folder.remove());
  const environmentFile = join(root, 'etc/lead-prequal/lead-prequal.env');
  const storeFile = join(root, dataFolder, 'leads.sqlite');
  let user = '';

  before(async () => {
    makeScratchRoot(root);
    cloneInto(join(root, 'opt/lead-prequal'));
    const packages = await runIn(root, ['npm', 'ci', '--omit=dev'], {
      ...registry(),
      folder: '/opt/lead-prequal',
    });
    assert.equal(packages.code, 0, packages.errors);
    // The former version's own installation has made the user.
    const users = 'install -D -m 644 deploy/lead-prequal.sysusers.conf /etc/sysusers.d/lead-prequal.conf';
    await followIn(root, `${users}\nsystemd-sysusers`);
    [, user = ''] = /^lead-prequal:x:(\d+:\d+):/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8'))!;
  });

  /** Puts there what the former version left, and nothing of a test before. */
  async function leave(version: string, lines: string) {
    for (const path of ['etc/lead-prequal', 'var/lib/lead-prequal', 'usr/local/bin/lead-prequal'])
      rmSync(join(root, path), {recursive: true, force: true});
    mkdirSync(join(root, dataFolder), {recursive: true});
    mkdirSync(join(root, 'etc/systemd/system'), {recursive: true});
    copyFileSync(join(former, version, 'leads.sqlite'), storeFile);
    copyFileSync(join(former, 'partners.json'), join(root, dataFolder, '../partners.json'));
    const settings = readFileSync(join(former, version, 'settings.env'), 'utf8');
    writeFileSync(join(root, 'etc/lead-prequal.env'), settings + lines, {mode: 0o600});
    await followIn(root, 'chown -R lead-prequal: /var/lib/lead-prequal');
  }

  /** Removes, renames and adds settings, as the steps say that `config upgrade` has printed. */
  function change(said: string) {
    let lines = readFileSync(environmentFile, 'utf8');
    const [, gone = ''] = /Remove from .*?compose: (.*)/.exec(said) ?? [];
    for (const [name] of gone.matchAll(/[A-Z_]{4,}/g))
      lines = lines.replace(new RegExp(`^${name}=.*\\n`, 'm'), '');
    for (const [, from = '', to = ''] of said.matchAll(/([A-Z_]{4,}) \(\S+\) to ([A-Z_]{4,})/g))
      lines = lines.replace(new RegExp(`^${from}=`, 'm'), `${to}=`);
    if (said.includes('Set DATA_KEY')) lines += `DATA_KEY=${randomBytes(32).toString('hex')}\n`;
    writeFileSync(environmentFile, lines);
  }

  async function upgradeAndUse(t: TestContext, version: string, lines = '') {
    await leave(version, lines);
    const stored = readFileSync(storeFile);
    const asService = {
      ...{user, folder: '/etc/lead-prequal'},
      environment: {PORT: '0', DATABASE_PATH: `/${dataFolder}/leads.sqlite`},
    };
    const serve = ['node', '/opt/lead-prequal/server/lead-prequal.cjs', 'serve'];
    const crm = await startWebhookReceiver(undefined, {port: crmPort});
    t.after(() => crm.close());

    const upgrade = await followIn(root, upToUpgrade);
    const early = await runIn(root, serve, asService);
    assert.equal(early.code, 1);
    assert.deepEqual(readFileSync(storeFile), stored, 'a start that stops changes nothing');
    change(upgrade);
    assert.match(await followIn(root, fromCheck), /✓ The server would start/);

    const server = spawnIn(root, serve, asService);
    // Not bwrap: what runs as another user would outlive it.
    const pid = await processId(server);
    t.after(async () => {
      const exited = once(server, 'exit');
      process.kill(pid, 'SIGTERM');
      await exited;
    });
    const fetchPath = fetchFrom(`http://127.0.0.1:${await readyPort(server, [])}`);
    const body = {...prequalificationBody, last_name: 'Novak'};
    await readJson(await fetchPath('/json/leads', postJson(body, caller)), 201);
    const leads = await followIn(root, 'lead-prequal leads export --for sales');
    for (const name of ['Doe', 'Pérez', 'Novak']) assert.match(leads, new RegExp(name));
    assert.equal((await fetchPath('/embed/1.6.0/lead-prequal-form.js')).status, 200);
    await crm.hasReceived(1);
  }

  for (const version of versions) {
    test(`a SQLite store of ${version}, with its settings`, async (t) => {
      await upgradeAndUse(t, version);
      if (version !== '1.6') return;
      const inClear = () =>
        readdirSync(join(root, dataFolder)).some((name) =>
          readFileSync(join(root, dataFolder, name)).includes('jane@example.com'),
        );
      await until(() => !inClear());
    });

    test(`a PostgreSQL database of ${version}`, {skip: withoutPostgres}, async (t) => {
      const database = await databaseFor(t);
      await database.query(readFileSync(join(former, version, 'leads.sql'), 'utf8'));
      await upgradeAndUse(t, version, `DATABASE_URL='${database.url}'\n`);
    });
  }
});
