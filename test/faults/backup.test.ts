/** Backups under load, and restores over the files of servers that are running, have crashed, or were stopped. */
import assert from 'node:assert/strict';
import {appendFileSync, existsSync, readdirSync, rmSync, statSync, watch, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {after, suite, test} from 'node:test';
import {runProcess} from '../support/operator.ts';
import {rowsOf} from '../support/rows.ts';
import {serviceSettings} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, missing, startOver, stopped, until} from './load.ts';

/** Milliseconds during which leads arrive, with a backup in the middle. */
const seconds = Number(process.env['FAULT_SECONDS'] ?? 5);

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const rows = (path: string) => new Set(rowsOf(path, 'SELECT id FROM leads').map(({id}) => String(id)));

suite('a backup', () => {
  const folder = temporaryFolder({after});
  const settings = (name: string) => ({
    ...serviceSettings(folder),
    DATABASE_PATH: join(folder, name, 'leads.sqlite'),
  });
  const run = (name: string, ...words: string[]) => runProcess(settings(name), ...words);
  const start = (name: string) => startOver(folder, {DATABASE_PATH: settings(name).DATABASE_PATH});

  test(`of ${seconds} s under load has every lead that was acknowledged before it began`, async () => {
    const server = await start('loaded');
    const load = createLeads(server.url);
    const begun = performance.now();
    const elapsed = () => (performance.now() - begun) / 1_000;
    await until(() => elapsed() > seconds / 2);
    const before = [...load.acknowledged];
    const file = join(folder, 'backup.sqlite');
    const startedAt = performance.now();
    const {code, stdout, stderr} = await run('loaded', 'backup', file);
    const took = Math.round(performance.now() - startedAt);
    assert.deepEqual([code, stderr], [0, '']);
    await until(() => elapsed() > seconds);
    await load.stop();
    assert.deepEqual(new Set(load.statuses), new Set([201]));
    assert.equal(mode(file), '600');
    const again = join(folder, 'again.sqlite');
    // Told by the system, because asking now and then misses a file that is there for some milliseconds.
    const modes = new Set<string>();
    const watcher = watch(folder, (_event, name) => {
      if (name === 'again.sqlite.partial' && existsSync(`${again}.partial`))
        modes.add(mode(`${again}.partial`));
    });
    await run('loaded', 'backup', again);
    watcher.close();
    assert.deepEqual(modes, new Set(['600']), 'before it is finished, too');
    const held = rows(file);
    assert.match(stdout, new RegExp(`: ${held.size.toLocaleString('en-US')} leads, .* checked$`, 'm'));

    const restored = await run('elsewhere', 'restore', file);
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    const path = settings('elsewhere').DATABASE_PATH;
    assert.deepEqual([mode(dirname(path)), mode(path)], ['700', '600']);
    const database = new DatabaseSync(path);
    assert.deepEqual({...database.prepare('PRAGMA integrity_check').get()}, {integrity_check: 'ok'});
    database.close();
    const other = await start('elsewhere');
    assert.deepEqual(await missing(other.url, before), []);
    assert.deepEqual(await other.end('SIGTERM'), stopped);
    assert.deepEqual(await server.end('SIGTERM'), stopped);
    console.log(
      `${load.acknowledged.length} leads in ${seconds} s; backup of ${held.size} in ${took} ms; ${before.length} acknowledged before it, none missing`,
    );
  });

  test('is repaired by a start, and its leads erased, with a file of erasures of 520 MB', async () => {
    const {DATABASE_PATH} = settings('large');
    const file = `${DATABASE_PATH}.erasures`;
    const first = await start('large');
    const load = createLeads(first.url);
    await until(() => load.acknowledged.length > 30);
    await load.stop();
    await first.end('SIGTERM');
    const [back = '', gone = ''] = load.acknowledged;
    // As version 1.8 wrote it, with each press of a link.
    const pressed = Buffer.from(
      'YmqBXoZ0-_1hQdJxXrOaBg 2026-11-20T10:00:00.000Z stop acme\n'.repeat(2 ** 16),
    );
    const grow = () => {
      for (let size = 0; size < 520 * 2 ** 20; size += pressed.length) appendFileSync(file, pressed);
    };
    writeFileSync(file, `${back} ${new Date(Date.now() + 1_000).toISOString()}\n`);
    grow();
    const startedAt = performance.now();
    const server = await start('large');
    console.log(`a start with a file of 520 MB: ${Math.round(performance.now() - startedAt)} ms`);
    assert.ok(statSync(file).size < 1_000);
    assert.deepEqual(await missing(server.url, load.acknowledged), [back]);
    grow();
    const begun = performance.now();
    assert.equal((await run('large', 'leads', 'erase', gone, '--yes')).code, 0);
    console.log(`an erasure with it: ${Math.round(performance.now() - begun)} ms`);
    assert.deepEqual((await missing(server.url, load.acknowledged)).toSorted(), [back, gone].toSorted());
    assert.deepEqual(await server.end('SIGTERM'), stopped);
    rmSync(file);
  });

  test('is not restored over the files of a server, unless they are moved aside', async () => {
    const server = await start('crashed');
    const first = createLeads(server.url);
    await until(() => first.acknowledged.length > 300);
    await first.stop();
    const file = join(folder, 'early.sqlite');
    assert.equal((await run('crashed', 'backup', file)).code, 0);
    const second = createLeads(server.url);
    await until(() => second.acknowledged.length > 300);
    await second.stop();

    for (const words of [
      ['restore', file],
      ['restore', file, '--replace'],
    ]) {
      const refused = await run('crashed', ...words);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /^A server, .* or another program has .* open.* Stop it first/);
    }
    assert.deepEqual(await missing(server.url, second.acknowledged), []);
    await server.end('SIGKILL');
    const path = settings('crashed').DATABASE_PATH;
    const wal = statSync(`${path}-wal`).size;
    assert.ok(wal > 0, 'a crash leaves a log');

    const refused = await run('crashed', 'restore', file);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /left .*-wal, which may hold leads that are in no backup.*--replace/);
    assert.equal(statSync(`${path}-wal`).size, wal, 'the log is as it was');

    const replaced = await run('crashed', 'restore', file, '--replace');
    assert.deepEqual([replaced.code, replaced.stderr], [0, '']);
    const [, aside = ''] = /^What was there before is now (.*)$/m.exec(replaced.stdout) ?? [];
    // The file of the server that was killed, which nobody has locked any more.
    const lock = `${path}-lock`;
    const names = [aside, `${aside}-shm`, `${aside}-wal`, path, lock].map((name) =>
      name.slice(dirname(path).length + 1),
    );
    assert.deepEqual(readdirSync(dirname(path)).toSorted(), names.toSorted());
    assert.deepEqual(rows(path), rows(file));
    const all = rows(aside);
    for (const id of [...first.acknowledged, ...second.acknowledged])
      assert.ok(all.has(id), 'nothing is lost');
  });
});
