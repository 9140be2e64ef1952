/** The operators' pages as a child of the server: they come with it, come back, and end with it. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {test, type TestContext} from 'node:test';
import {freePort} from '../../support/free-port.ts';
import {askPort, pagesUrl} from '../../support/pages.ts';
import {serviceSettings, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';

async function serveWithPages(t: TestContext) {
  const folder = temporaryFolder(t);
  const port = await freePort();
  const settings = {...serviceSettings(folder), ADMIN_URL: pagesUrl, ADMIN_PORT: String(port)};
  const start = async () => {
    const service = await startService(settings, folder);
    t.after(() => service.end('SIGKILL'));
    const says = (words: string, times = 1) =>
      until(() => service.lines.filter((line) => line.includes(words)).length >= times, words);
    const isUp = () => fetch(`${service.url}/livez`).then(({ok}) => ok);
    const stop = (signal: NodeJS.Signals) => service.end(signal);
    return {...service, says, isUp, stop};
  };
  const answers = () =>
    askPort(port, '/livez').then(
      ({status}) => status === 200,
      () => false,
    );
  return {port, start, answers};
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

test('with ADMIN_URL, the pages come with the server, come back, and end with it', async (t) => {
  const {start, answers} = await serveWithPages(t);
  const {pid, lines, says, stop} = await start();
  await says('pages are ready');
  assert.ok(await answers());
  const [child = 0, ...others] = childrenOf(pid);
  assert.deepEqual(others, []);

  process.kill(child, 'SIGKILL');
  await says('pages have ended; they start again in 1 s');
  await says('pages are ready', 2);
  assert.ok(await answers());

  assert.deepEqual(await stop('SIGTERM'), {code: 0, signal: null}, lines.join('\n'));
  assert.equal(await answers(), false);
});

test('the pages end with a server that is killed', async (t) => {
  const {start, answers} = await serveWithPages(t);
  const {says, stop} = await start();
  await says('pages are ready');
  await stop('SIGKILL');
  await until(async () => !(await answers()), 'the pages have ended');
});

test('while something else has their port, the server serves, and the pages try again', async (t) => {
  const {port, start, answers} = await serveWithPages(t);
  const other = createServer().listen(port, '127.0.0.1');
  t.after(() => other.close());
  const {says, isUp, stop} = await start();
  await says('cannot listen at HOST and ADMIN_PORT');
  await says('they start again in 2 s');
  assert.ok(await isUp());
  other.close();
  await says('pages are ready');
  assert.ok(await answers());
  assert.equal((await stop('SIGTERM')).code, 0);
});

test('a server that stops while its pages wait for their next start ends at once', async (t) => {
  const {port, start} = await serveWithPages(t);
  const other = createServer().listen(port, '127.0.0.1');
  t.after(() => other.close());
  const {says, stop} = await start();
  await says('pages have ended');
  assert.equal((await stop('SIGTERM')).code, 0);
});
