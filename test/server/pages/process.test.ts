/** `lead-prequal admin` as a process: how it starts, what it outlasts, and how it ends. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test, type TestContext} from 'node:test';
import {readConfig} from '../../../server/config/config.ts';
import {html} from '../../../server/html/html.ts';
import {roles} from '../../../server/leads/operators.ts';
import {startPages} from '../../../server/pages/process.ts';
import type {Route} from '../../../server/pages/visit.ts';
import {openStore, openAttachedStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {runAdmin} from '../../support/admin-process.ts';
import {askPort, beginSession, pagesUrl} from '../../support/pages.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {writeConfig} from '../../support/config-file.ts';
import {createDatabaseWithTables, withoutPostgres} from '../../support/postgres.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';

const ignore = () => undefined;

/** Settings with a store that has its tables, and no server. */
async function settingsIn(t: TestContext, databaseUrl?: string) {
  const folder = temporaryFolder(t);
  const settings = serviceSettings(folder);
  const all = {
    ...settings,
    ...{PORT: '0', ADMIN_PORT: '0', ADMIN_URL: pagesUrl},
    ...(databaseUrl !== undefined && {DATABASE_URL: databaseUrl}),
  };
  const config = readConfig(all);
  await openWhile(openStore(config, createEncryptor(config.dataKeys)), () => Promise.resolve());
  return {settings: all, folder, config};
}

function run(t: TestContext, settings: Record<string, string>) {
  const running = runAdmin(settings);
  t.after(() => running.child.kill('SIGKILL'));
  return running;
}

test('without ADMIN_URL, or without a store, it says what is missing and ends', async (t) => {
  const {settings} = await settingsIn(t);
  const rows: [settings: Record<string, string>, words: RegExp][] = [
    [{...settings, ADMIN_URL: ''}, /^ADMIN_URL is missing: where operators reach these pages/],
    [{...settings, ADMIN_URL: 'https://192.0.2.7'}, /ADMIN_URL must be https:/],
    [{...settings, DATABASE_PATH: join(temporaryFolder(t), 'none.sqlite')}, /^There is no database at /],
  ];
  for (const [given, words] of rows) {
    const {ended, errors} = run(t, given);
    assert.match(await errors, words);
    assert.deepEqual(await ended, [1, null]);
  }
});

test('it answers while no server runs, and ends with status 0 on a signal', async (t) => {
  const {settings} = await settingsIn(t);
  const {child, lines, ended, ready} = run(t, settings);
  const port = await ready;
  assert.equal((await askPort(port, '/livez')).status, 200);
  assert.equal((await askPort(port, '/leads')).headers.location, '/sign-in?next=%2Fleads');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], lines.join('\n'));
  assert.match(lines.at(-1) ?? '', /has stopped/);
});

/** Runs the pages in this process, with one that says what `status` finds, and somebody who is signed in. */
async function startHere(t: TestContext, databaseUrl?: string) {
  const {settings, folder, config} = await settingsIn(t, databaseUrl);
  const said: Route = {
    ...{method: 'GET', path: '/', roles, action: 'status'},
    async run({status, admin}) {
      const {findings} = await status();
      const keys = admin.config.partners.map(({key}) => key).join();
      return {page: html`${keys}: ${findings.map(({text, kind}) => `${kind} ${text}`).join('; ')}`};
    },
  };
  const read = () => readConfig(settings);
  const pages = await openFor(t, startPages(read, [said], ignore, {configuration: 0, status: 0}));
  const attached = openAttachedStore(config, createEncryptor(config.dataKeys), true);
  const secret = await openWhile(attached, (store) => beginSession(store, 'agent'));
  const page = (headers: Record<string, string> = {}) =>
    askPort(pages.port, '/', {headers: {cookie: `__Host-operator=${secret}`, ...headers}});
  return {page, folder};
}

test('it takes 60 kB of cookies of the domain, and says in words that more are too many', async (t) => {
  const {page} = await startHere(t);
  const withCookies = (bytes: number) => page({'x-cookies-of-others': 'x'.repeat(bytes)});
  assert.equal((await withCookies(60_000)).status, 200);
  const {status, text, headers} = await withCookies(70_000);
  assert.deepEqual([status, headers['content-type']], [431, 'text/html; charset=utf-8']);
  assert.match(text, /<h1>The headers are too large<\/h1>[^]*delete those of this domain in the settings/);
});

test('it reads its configuration again, and one that cannot be read is a finding', async (t) => {
  const {page, folder} = await startHere(t);
  assert.match((await page()).text, /^acme: /);
  writeConfig(folder, [{key: 'globex'}]);
  assert.match((await page()).text, /^globex: /);
  writeFileSync(join(folder, 'lead-prequal.json'), '{');
  const {status, text} = await page();
  assert.equal(status, 200);
  assert.match(text, /^globex: .*configuration \S+lead-prequal\.json/);
});

test('it outlasts an outage of PostgreSQL', {skip: withoutPostgres}, async (t) => {
  const database = await createDatabaseWithTables();
  t.after(() => database.drop());
  const {page} = await startHere(t, database.url);
  assert.equal((await page()).status, 200);
  const giveBack = await database.takeAway();
  const {status, text} = await page();
  await giveBack();
  assert.equal(status, 503);
  assert.match(text, /The store cannot be asked/);
  await until(async () => (await page()).status === 200);
});
