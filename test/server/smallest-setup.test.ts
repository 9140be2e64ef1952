/** An address and a partner, with which a server starts, although nobody may be called and nobody is told of a lead. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {routes} from '../../server/pages/routes.ts';
import {freePort} from '../support/free-port.ts';
import {hookAndUpstream, runCommand} from '../support/operator.ts';
import {servePages} from '../support/pages.ts';
import {startService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme, inFile} from '../support/test-server.ts';

test('config check, the log of the start and status say what lacks, and the server starts', async (t) => {
  const folder = temporaryFolder(t);
  const content = {partners: [{key: 'acme', origins: ['https://www.acme.example']}]};
  writeFileSync(join(folder, 'lead-prequal.json'), JSON.stringify(content));
  const settings = {PUBLIC_URL: 'https://leads.example.com', PORT: String(await freePort())};
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
  const says = (text: string, sign: string) => {
    for (const sentence of [
      'Nobody is told of the leads of acme. Set send_to of the partner, ',
      'Nobody may call the leads of acme, because visitors agree to nothing. Set consent of the partner ',
    ])
      assert.equal(text.split(`${sign}${sentence}`).length, 2, `${sentence}\n${text}`);
  };
  const check = await runCommand(settings, 'config', 'check');
  assert.equal(check.code, 0);
  says(check.stdout, '! ');
  const service = await startService(settings, folder);
  t.after(() => service.end('SIGTERM'));
  says(service.lines.join('\n'), '"warning":"');
  const {code, stdout} = await runCommand(settings, 'status');
  assert.equal(code, 1);
  assert.match(stdout, /^! Nobody is told/m);
  says(stdout, ' ');
});

for (const isTold of [false, true])
  test(`the operators' overview says that all is well only if somebody is told: ${isTold}`, async (t) => {
    const pages = await servePages(t, routes, {
      settings: isTold
        ? hookAndUpstream(temporaryFolder(t), {callers: [{...inFile(acme), send_to: ['hook']}]})
        : {},
    });
    const {text} = await pages.ask('/', {headers: {cookie: await pages.sessionOf('viewer')}});
    assert.equal(text.includes('All is well'), isTold);
    assert.equal(text.includes('Nobody is told of the leads of acme'), !isTold);
  });
