/** A second server on the SQLite file of another one. */
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {basic, postJson, readJson} from '../../../support/http.ts';
import {openFor} from '../../../support/opened.ts';
import {runCommand} from '../../../support/operator.ts';
import {standardBody} from '../../../support/sample-leads.ts';
import {serviceSettings, startService} from '../../../support/service-process.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {acme, startTestServer} from '../../../support/test-server.ts';

const warning = 'another server has the same SQLite file open';

suite('a second server on one SQLite file', () => {
  async function start(t: TestContext, folder: string) {
    const databasePath = join(folder, 'leads.sqlite');
    const server = await openFor(t, startTestServer({databasePath}));
    return {...server, warnings: () => server.logLines.filter((line) => line.includes(warning)).length};
  }

  test('warns of the first one, and both go on', async (t) => {
    const folder = temporaryFolder(t);
    const first = await start(t, folder);
    const second = await start(t, folder);
    assert.equal(second.warnings(), 1);
    for (const {url} of [first, second])
      await readJson(await fetch(`${url}/json/leads`, postJson(standardBody, basic(acme))), 201);
    // The end of the second one leaves the lock to the first one.
    await second.close();
    const third = await start(t, folder);
    assert.equal(third.warnings(), 1);
    await third.close();
    await first.close();
    assert.equal(first.warnings(), 0);
    assert.ok(!existsSync(join(folder, 'leads.sqlite-lock')), 'an orderly end leaves no lock file');
  });

  test('neither a command nor the server after a crash is taken for a second server', async (t) => {
    const folder = temporaryFolder(t);
    const crashed = await startService(serviceSettings(folder), folder);
    t.after(() => crashed.end('SIGKILL'));
    const {code, stderr} = await runCommand(serviceSettings(folder), 'leads', 'list');
    assert.equal(code, 0);
    assert.ok(!stderr.includes(warning));
    await crashed.end('SIGKILL');
    assert.ok(!crashed.lines.some((line) => line.includes(warning)));
    assert.equal((await start(t, folder)).warnings(), 0);
  });
});
