/** The settings of the README, with which a server starts, although nobody may be called and nobody is told of a lead. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {routes} from '../../server/pages/routes.ts';
import {freePort} from '../support/free-port.ts';
import {hookAndUpstream, runCommand} from '../support/operator.ts';
import {servePages} from '../support/pages.ts';
import {startService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const lines = [...readme.matchAll(/^export (\w+)=('?)(.*?)\2 +#/gm)];
const own = lines.map(([, name, , value]) => [
  name,
  value?.replace('…', 'a-secret-that-is-long-enough-for-it'),
]);

test('config check, the log of the start and status say what lacks, and the server starts', async (t) => {
  const folder = temporaryFolder(t);
  const settings = {
    ...(Object.fromEntries(own) as Record<string, string>),
    ...{DATABASE_PATH: join(folder, 'leads.sqlite'), PORT: String(await freePort())},
  };
  const says = (text: string, before: string) => {
    for (const sentence of [
      'Nobody is told of the leads of acme. Set PARTNERS_FILE, and in it send_to ',
      'Nobody is told of the leads that callers send (acme). Set PARTNERS_FILE, ',
      'Nobody may call the leads of acme, because visitors agree to nothing. Set PARTNERS_FILE, and in it consent ',
    ])
      assert.equal(text.split(`${before}${sentence}`).length, 2, `${sentence}\n${text}`);
  };
  const check = await runCommand(settings, 'config', 'check');
  assert.equal(check.code, 0);
  says(check.stdout, '! ');
  const service = await startService(settings, folder);
  t.after(() => service.end('SIGTERM'));
  says(service.lines.join('\n'), '"warning":"');
  const {code, stdout} = await runCommand(settings, 'status');
  assert.equal(code, 1);
  assert.match(stdout, /^! Nobody is told/);
  says(stdout, ' ');
});

for (const isTold of [false, true])
  test(`the operators' overview says that all is well only if somebody is told: ${isTold}`, async (t) => {
    const pages = await servePages(t, routes, {
      settings: isTold
        ? {...hookAndUpstream(temporaryFolder(t)), CALLERS: JSON.stringify([{...acme, send_to: ['hook']}])}
        : {},
    });
    const {text} = await pages.ask('/', {headers: {cookie: await pages.sessionOf('viewer')}});
    assert.equal(text.includes('All is well'), isTold);
    assert.equal(text.includes('Nobody is told of the leads of acme'), !isTold);
  });
