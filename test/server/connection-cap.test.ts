import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import {openConnection, type Connection} from '../support/connection.ts';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {standardBody} from '../support/sample-leads.ts';
import {serviceSettings, startService, type RunningService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {until} from '../support/until.ts';

/** As many as the service takes. */
const most = 2_000;

suite('more connections than the service takes', () => {
  const folder = makeTemporaryFolder();
  let service: RunningService;
  before(async () => {
    service = await startService(serviceSettings(folder.path), folder.path);
  });
  after(async () => {
    await service.end('SIGTERM');
    folder.remove();
  });

  test('are closed at once, and taken again when others have gone', async () => {
    const port = Number(new URL(service.url).port);
    const create = () => fetchFrom(service.url)('/json/leads', postJson(standardBody, basic(acme)));
    const open: Connection[] = [];
    while (open.length < most) {
      open.push(...(await Promise.all(Array.from({length: 100}, () => openConnection(port)))));
    }
    assert.deepEqual(await (await openConnection(port)).ended(), []);
    await assert.rejects(create());

    for (const connection of open) connection.close();
    await until(() =>
      create().then(
        ({ok}) => ok,
        () => false,
      ),
    );
    await readJson(await create(), 201);
  });
});
