/** A log that cannot be written: lines wait, then they are dropped and counted, and nothing else stops. */
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {closeSync, constants, openSync, readFileSync, readSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {createLog} from '../../../server/observe/log.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';

type Line = {msg: string; number?: number; lines?: number};
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

const flushed = (log: ReturnType<typeof createLog>) =>
  new Promise<void>((resolve) => log.flush(() => resolve()));

suite('the log', () => {
  const folder = temporaryFolder({after});

  test('the log holds every line in order when it can be written', async () => {
    const file = join(folder, 'log');
    const log = createLog('info', file);
    for (let number = 0; number < 2_000; number += 1) log.info({number}, 'é');
    await flushed(log);
    const numbers = linesOf(readFileSync(file, 'utf8')).map(({number}) => number);
    assert.deepEqual(numbers, [...Array(2_000).keys()]);
  });
  test('a log that nobody reads keeps what may wait, drops the rest, and says later how much', async (t) => {
    t.mock.timers.enable({apis: ['setInterval']});
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const log = createLog('info', pipe);
    const padding = 'x'.repeat(900);
    const total = 2_000;
    // A pipe holds 64 KiB, and 1 MiB may wait: that is room for 1,200 lines. Each round lets a write begin and end.
    for (let number = 0; number < total; number += 1) {
      log.info({number, padding}, 'a line');
      await new Promise((resolve) => setImmediate(resolve));
    }
    let text = '';
    const bytes = Buffer.alloc(65_536);
    const read = () => {
      try {
        text += bytes.toString('utf8', 0, readSync(pipe, bytes));
      } catch {
        // It is empty.
      }
      return text;
    };
    let numbers: number[] = [];
    let dropped = 0;
    await until(() => {
      t.mock.timers.tick(1_000);
      const lines = read().endsWith('\n') ? linesOf(text) : [];
      numbers = lines.flatMap(({number}) => number ?? []);
      dropped = lines.reduce((sum, line) => sum + (line.lines ?? 0), 0);
      return numbers.length + dropped === total;
    });
    assert.ok(dropped > 0 && numbers.length > 0);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    log.info('and again');
    await until(() => {
      t.mock.timers.tick(1_000);
      return read().includes('and again');
    });
    closeSync(pipe);
  });
  test('a log that ends by an error has every line, also those that came during a write', () => {
    const file = join(folder, 'crash');
    const module = join(import.meta.dirname, '../../../server/observe/log.ts');
    const script = `
      import {createLog} from '${module}';
      const log = createLog('info', '${file}');
      log.info({padding: 'x'.repeat(5_000)}, 'is written at once, because it is long');
      log.info('the last line');
      throw new Error('a fault');`;
    const {status} = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
    assert.equal(status, 1);
    // Two threads write at the same time, so either may be first.
    const messages = linesOf(readFileSync(file, 'utf8')).map(({msg}) => msg);
    assert.deepEqual(messages.toSorted(), ['is written at once, because it is long', 'the last line']);
  });
  test('the log on a full disk gives up a flush instead of waiting for room', async () => {
    const log = createLog('info', '/dev/full');
    for (let number = 0; number < 100; number += 1) log.info({number}, 'a line');
    await flushed(log);
  });
});
