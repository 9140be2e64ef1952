import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {randomUUIDv7} from 'node:crypto';
import {
  appendErasures,
  compactErasures,
  readErasures,
  type KeyLine,
  type StopLine,
} from '../../../server/store/erasures-file.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';

const at = Date.parse('2026-11-20T10:00:00.000Z');

function newPath(t: TestContext) {
  const folder = temporaryFolder(t);
  return join(folder, 'data', 'leads.erasures');
}

const digest = 'YmqBXoZ0-_1hQdJxXrOaBg';
const time = '2026-11-20T10:00:00.000Z';
const stop = (of: string, changes: Partial<StopLine> = {}): StopLine => ({
  of,
  at,
  does: 'stop',
  scope: 'acme',
  kind: 'number',
  askedAt: at,
  way: null,
  event: undefined,
  lead: null,
  ...changes,
});
const pressed = `${digest} ${time} stop acme\n`;

/** A file as version 1.8 wrote it, in which the same stop stands again and again. Its erasures say something each. */
function newLargeFile(t: TestContext, megabytes: number, erasures = 3) {
  const path = newPath(t);
  mkdirSync(dirname(path));
  writeFileSync(path, Array.from({length: erasures}, () => `${randomUUIDv7()} ${time}\n`).join(''));
  const megabyte = pressed.repeat(Math.ceil(2 ** 20 / pressed.length));
  for (let written = 0; written < megabytes; written += 1) appendFileSync(path, megabyte);
  return path;
}

const module = JSON.stringify(join(import.meta.dirname, '../../../server/store/erasures-file.ts'));
const quoted = (path: string) => JSON.stringify(path);
/** A process of its own that works with the file. */
const inProcess = (code: string) => [
  '--input-type=module',
  '--eval',
  `const {appendErasures, compactErasures} = await import(${module}); const {randomUUIDv7} = await import('node:crypto'); ${code}`,
];

suite('the file of erasures', () => {
  test('it has a line for each erasure, and only its owner reads it', (t) => {
    const path = newPath(t);
    const [one, other] = [randomUUIDv7(), randomUUIDv7()];
    appendErasures(path, []);
    appendErasures(path, [{id: one, at, all: false}]);
    appendErasures(path, [{id: other, at, all: true}, {id: one, at: at + 1, all: true}, stop(digest)]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(
      readFileSync(path, 'utf8'),
      `${one} 2026-11-20T10:00:00.000Z\n${other} 2026-11-20T10:00:00.000Z all\n${one} 2026-11-20T10:00:00.001Z all\nYmqBXoZ0-_1hQdJxXrOaBg 2026-11-20T10:00:00.000Z stop acme\n`,
    );
    assert.deepEqual(readErasures(path), {
      erasures: [
        {id: one, at, all: true},
        {id: other, at, all: true},
      ],
      stops: [{...stop(digest), key: undefined}],
      ...{holds: [], requests: [], keys: []},
      unread: 0,
      lastAt: at + 1,
    });
  });

  test('a line that was cut off spoils no other', (t) => {
    const path = newPath(t);
    const [one, other] = [randomUUIDv7(), randomUUIDv7()];
    appendErasures(path, [{id: one, at, all: false}]);
    appendFileSync(path, other.slice(0, 20));
    appendErasures(path, [{id: other, at, all: false}]);
    const {erasures, unread} = readErasures(path);
    assert.deepEqual([erasures.map(({id}) => id), unread], [[one, other], 1]);
  });

  test('whatever was said about a number is read as it was written, with the key of its digest', (t) => {
    const path = newPath(t);
    const lead = randomUUIDv7();
    const key = (check: string, encrypted?: KeyLine['encrypted']): KeyLine => ({check, at, encrypted});
    const [first, second] = ['A'.repeat(22), 'B'.repeat(22)];
    const stops = [
      stop(digest, {does: 'ask', kind: 'mailbox', way: 'link', event: lead, lead}),
      stop(digest, {kind: 'both', askedAt: at - 86_400_000, way: 'a letter, by post'}),
      stop(lead, {scope: '-:1001'}),
      stop(digest, {does: 'again', scope: '-:1%202'}),
      stop(digest, {does: 'allow', scope: ''}),
    ];
    const keys = [key(first), key(second, {dataKey: 7, blob: Uint8Array.of(1, 2, 255)})];
    appendErasures(path, [stops[0]!, keys[0]!, ...stops.slice(1, 3), keys[1]!, ...stops.slice(3)]);
    const read = readErasures(path);
    const keyOfStop = [first, first, first, second, second];
    assert.deepEqual(
      read.stops,
      stops.map((each, index) => ({...each, key: keyOfStop[index]})),
    );
    assert.deepEqual(
      read.keys.map(({encrypted, ...rest}) => ({
        ...rest,
        encrypted: encrypted && {...encrypted, blob: Uint8Array.from(encrypted.blob)},
      })),
      keys,
    );
    const unread = ['stop', '', 'stop * way=r%C3'].map((words) => `${digest} ${time} ${words}\n`);
    appendFileSync(path, `${digest} yesterday stop *\n${unread.join('')}`);
    assert.equal(
      readErasures(path).unread,
      4,
      'no time, a stop for nobody, nothing, and a way that is cut off',
    );
  });

  test('processes that append at the same time tear no line', async (t) => {
    const path = newPath(t);
    const code = `
      for (let index = 0; index < 50; index += 1)
        appendErasures(${quoted(path)}, Array.from({length: 20}, () => ({id: randomUUIDv7(), at: ${at}, all: true})));`;
    const append = () => promisify(execFile)(process.execPath, inProcess(code));
    await Promise.all([append(), append(), append()]);
    const {erasures, unread} = readErasures(path);
    assert.deepEqual([erasures.length, unread], [3_000, 0]);
  });

  test('a process that is killed while it makes the file smaller loses no line of others', async (t) => {
    const path = newLargeFile(t, 4);
    const written = new Set(readErasures(path).erasures.map(({id}) => id));
    const compacting = inProcess(`for (;;) compactErasures(${quoted(path)});`);
    const appending = inProcess(`
      for (;;) {
        const id = randomUUIDv7();
        appendErasures(${quoted(path)}, [{id, at: ${at}, all: true}]);
        process.stdout.write(id + '\\n');
      }`);
    const appenders = [1, 2].map(() => spawn(process.execPath, appending));
    const ends = appenders.map((child) => once(child, 'exit'));
    for (const {stdout} of appenders)
      stdout.on('data', (ids) =>
        String(ids)
          .trim()
          .split('\n')
          .forEach((id) => written.add(id)),
      );
    t.after(() => appenders.forEach((child) => child.kill('SIGKILL')));
    let [kept, shrunk] = [0, 0];
    for (let round = 0; round < 8; round += 1) {
      const before = statSync(path).ino;
      const child = spawn(process.execPath, compacting);
      const exit = once(child, 'exit');
      await until(() => existsSync(`${path}.partial`) || statSync(path).ino !== before);
      await sleep(900 * Math.random());
      child.kill('SIGKILL');
      await exit;
      if (statSync(path).ino === before) kept += 1;
      else {
        shrunk += 1;
        appendFileSync(path, pressed.repeat(2 ** 16));
      }
    }
    for (const child of appenders) child.kill('SIGTERM');
    await Promise.all(ends);
    const {erasures, stops, unread} = readErasures(path);
    const read = new Set(erasures.map(({id}) => id));
    assert.deepEqual(
      [...written].filter((id) => !read.has(id)),
      [],
    );
    assert.ok(written.size > 20 && stops.length > 0);
    t.diagnostic(`${written.size} lines, ${kept} rounds kept the file, ${shrunk} made it smaller`);
    assert.equal(unread, 0);
  });

  test(
    'a file that a full disk would cut off while it is made smaller stays as it is',
    {skip: !existsSync('/bin/bash') && 'there is no bash'},
    async (t) => {
      const path = newLargeFile(t, 3, 14_000);
      const before = readFileSync(path);
      const command = `ulimit -f 700; exec "$0" "$@"`;
      const compact = promisify(execFile)('/bin/bash', [
        '-c',
        command,
        process.execPath,
        ...inProcess(`compactErasures(${quoted(path)});`),
      ]);
      await assert.rejects(compact, /the disk is full/);
      assert.ok(before.equals(readFileSync(path)));
      assert.ok(!existsSync(`${path}.partial`));
    },
  );

  test('an append reads the end alone, also of a file that is longer than any text can be', (t) => {
    const path = newPath(t);
    appendErasures(path, [{id: randomUUIDv7(), at, all: false}]);
    truncateSync(path, 600 * 2 ** 20);
    const before = process.memoryUsage.rss();
    for (let index = 0; index < 5; index += 1) appendErasures(path, [stop(digest)]);
    assert.ok(process.memoryUsage.rss() - before < 100 * 2 ** 20);
    // The file has a hole at its end, as a line that was cut off.
    assert.equal(statSync(path).size, 600 * 2 ** 20 + 1 + 5 * pressed.length);
  });

  test('what an older version repeated goes at a start, in order, and nothing else', (t) => {
    const path = newLargeFile(t, 2);
    const allow = `${digest} ${time} allow\n`;
    const others = [`${digest} ${time} stop *\n`, allow, pressed, 'a line that nobody reads\n', allow];
    appendFileSync(path, others.join(''));
    const erasures = readErasures(path).erasures.map(({id}) => `${id} ${time}\n`);
    compactErasures(path);
    assert.equal(readFileSync(path, 'utf8'), [...erasures, pressed, ...others].join(''));
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });
});
