/** Which addresses of a PostgreSQL with TLS connect, what the others are told, and who is told that there is no TLS. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import {createApp} from '../../../../server/app.ts';
import type {Observation} from '../../../../server/observe/observations.ts';
import {openStore, unencryptedHost} from '../../../../server/store/open-store.ts';
import {openSqliteStore} from '../../../../server/store/sqlite/store.ts';
import {startCluster, withoutBinaries} from '../../../faults/postgres-cluster.ts';
import {createAuthority} from '../../../support/certificates.ts';
import {openFor, suiteOwner} from '../../../support/opened.ts';
import {runCommand, runProcess} from '../../../support/operator.ts';
import {newEntry} from '../../../support/sample-leads.ts';
import {serviceSettings} from '../../../support/service-process.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {baseConfig, testEncryptor} from '../../../support/test-server.ts';

const on = (url: string) => ({databaseUrl: url, databasePath: ''}) as const;

suite('a PostgreSQL whose certificate is signed by an authority of its own', {skip: withoutBinaries}, () => {
  const owner = suiteOwner();
  let urlWith: (query: string, host?: string) => string;
  let authorityFile: string;
  before(async () => {
    const folder = temporaryFolder(owner);
    const authority = await createAuthority();
    authorityFile = join(folder, 'ca.pem');
    writeFileSync(authorityFile, authority.ca);
    writeFileSync(join(folder, 'other.pem'), (await createAuthority()).ca);
    const cluster = await startCluster(await authority.issue('localhost'));
    owner.after(() => cluster.remove());
    urlWith = (query, host = 'localhost') =>
      `${cluster.url.replace('127.0.0.1', host)}?${query.replaceAll('<folder>', folder)}`;
  });

  const connects: [query: string, host?: string][] = [
    ['sslmode=verify-full&sslrootcert=<folder>/ca.pem'],
    ['sslrootcert=<folder>/ca.pem'],
    ['uselibpqcompat=true&sslmode=verify-ca&sslrootcert=<folder>/ca.pem', '127.0.0.1'],
    ['sslmode=no-verify'],
    ['uselibpqcompat=true&sslmode=require'],
  ];
  for (const [query, host] of connects) {
    test(`an address with ${query}${host ? ` and the host ${host}` : ''} connects, and stores leads`, async (t) => {
      const store = await openFor(t, openStore(on(urlWith(query, host)), testEncryptor));
      assert.equal((await store.accept(newEntry())).outcome, 'created');
    });
  }

  test('an address that the platform sets itself connects by settings beside it', async (t) => {
    const folder = temporaryFolder(t);
    const check = (query: string, more: Record<string, string>) =>
      runProcess(
        {...serviceSettings(folder), DATABASE_URL: urlWith(query), PORT: '0', ...more},
        'config',
        'check',
      );
    const trusting = {NODE_EXTRA_CA_CERTS: authorityFile};
    const all = [
      await check('sslmode=require', trusting),
      await check('', {...trusting, PGSSLMODE: 'verify-full'}),
      await check('', {PGSSLMODE: 'no-verify'}),
    ];
    assert.deepEqual(
      all.map(({code, stdout}) => [code, /no TLS|cannot be opened/.test(stdout)]),
      [
        [0, false],
        [0, false],
        [0, false],
      ],
    );
  });

  const ownAuthority = /signed by an authority.*Save the certificate .*sslmode=verify-full&sslrootcert=/;
  const refused: [query: string, says: RegExp, host?: string][] = [
    ['', /no encryption.*Add sslmode=verify-full/],
    ['sslmode=require', ownAuthority],
    ['sslmode=verify-full', ownAuthority],
    ['sslmode=verify-full&sslrootcert=<folder>/other.pem', /certificate.*sslrootcert=/],
    [
      'sslmode=verify-full&sslrootcert=<folder>/ca.pem',
      /Name the host .* that the certificate names/,
      '127.0.0.1',
    ],
    ['sslmode=verify-full&sslrootcert=<folder>/none.pem', /no such file or directory, open '.*none\.pem'/],
  ];
  for (const [query, says, host] of refused) {
    test(`an address with "${query}"${host ? ` and the host ${host}` : ''} is refused at once, with the remedy`, async (t) => {
      const url = urlWith(query, host);
      await assert.rejects(openStore(on(url), testEncryptor), says);
      const folder = temporaryFolder(t);
      const {code, stdout} = await runCommand(
        {...serviceSettings(folder), DATABASE_URL: url, PORT: '0'},
        'config',
        'check',
      );
      assert.equal(code, 1);
      assert.match(stdout, says);
    });
  }
});

suite('a PostgreSQL over a network without TLS', () => {
  const hosts: Record<string, string | undefined> = {
    'postgres://leads@db.example/leads': 'db.example',
    'postgres://leads@10.0.0.7:5432/leads': '10.0.0.7',
    'postgres://leads@[2001:db8::7]/leads': '2001:db8::7',
    'postgres://leads@db.example/leads?sslmode=disable': 'db.example',
    'postgres://leads@localhost/leads?host=db.example': 'db.example',
    'postgres://leads@db.example/leads?sslmode=require': undefined,
    'postgres://leads@db.example/leads?sslmode=no-verify': undefined,
    'postgres://leads@db.example/leads?ssl=true': undefined,
    'postgres://leads@localhost/leads': undefined,
    'postgres://leads@127.0.0.1/leads': undefined,
    'postgres://leads@[::1]/leads': undefined,
    'postgres://leads@/leads?host=/run/postgresql': undefined,
  };
  for (const [url, host] of Object.entries(hosts)) {
    test(`${url} ${host ? 'sends leads that others can read' : 'is as it should be'}`, async () => {
      assert.equal(await unencryptedHost(on(url)), host);
    });
  }

  test('is said by config check, and by the start', async (t) => {
    const folder = temporaryFolder(t);
    const databaseUrl = 'postgres://leads:canary-password@db.invalid/leads';
    const settings = {...serviceSettings(folder), DATABASE_URL: databaseUrl, PORT: '0'};
    const {stdout} = await runCommand(settings, 'config', 'check');
    assert.match(stdout, /^! DATABASE_URL asks for no TLS: .*sslmode=verify-full \{"host":"db\.invalid"\}$/m);
    assert.doesNotMatch(stdout, /canary/);

    const observed: Observation[] = [];
    const config = baseConfig(folder);
    const given = await openSqliteStore(config.databasePath, testEncryptor);
    const app = await createApp({...config, databaseUrl}, (each) => observed.push(each), given);
    await app.close(0);
    assert.deepEqual(
      observed.filter(({type}) => type === 'database-unencrypted'),
      [{type: 'database-unencrypted', host: 'db.invalid'}],
    );
  });
});
