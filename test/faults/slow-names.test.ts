/** Names of destinations that nobody answers, with the resolver of the system and a real DNS server. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {usualTimings} from '../../server/config/timings.ts';
import {openFor} from '../support/opened.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';
import {createLeads, fromPage, startOver, stopped, until} from './load.ts';
import {startNameServer} from './name-server.ts';
import {useCluster} from './postgres-cluster.ts';
import {writeConfig} from '../support/config-file.ts';

/** More than Node has threads for such work, and for files. */
const slow = Array.from({length: 6}, (_, index) => `slow-${index + 1}`);

suite('names of destinations that nobody answers', () => {
  const cluster = useCluster();

  test('keep a server from neither PostgreSQL nor another destination, and do not delay its end', async (t) => {
    const folder = temporaryFolder(t);
    const names = await openFor(t, startNameServer(folder, /^slow-/));
    const receiver = await openFor(t, startWebhookReceiver());
    const webhooks = [...slow, 'good'].map((name) => [
      name,
      {type: 'webhook', url: `http://${name}.test:${receiver.port}/`, credentials: 'HOOK'},
    ]);
    const destinations = Object.fromEntries(webhooks) as Record<string, object>;
    const partner = {merge_duplicates: false, send_to: Object.keys(destinations)};
    const settings = {
      DATABASE_URL: cluster.url.replace('127.0.0.1', 'database.test'),
      CONFIG_FILE: writeConfig(folder, [partner], destinations),
      CREDENTIALS_HOOK_SECRET: receiver.secret,
    };
    const start = () => startOver(folder, settings, names.command);
    /** The leads that a destination has, by the ids of its events. */
    const leadsAt = (name: string) =>
      new Set(
        receiver.received
          .filter(({headers}) => headers.host?.startsWith(`${name}.`))
          .map(({headers}) => String(headers['webhook-id']).replace('evt_created_', '')),
      );
    const first = await start();
    const load = createLeads(first.url, 4, fromPage, 10);
    await until(() => load.acknowledged.length > 0 && names.unanswered().length === slow.length);
    cluster.stop('fast');
    await until(() => load.statuses.at(-1) === 503);
    cluster.start();
    const [refused, before] = [load.statuses.length, load.acknowledged.length];
    await until(() => load.acknowledged.length >= before + 20 || load.statuses.length >= refused + 40);
    assert.ok(load.acknowledged.length >= before + 20, 'PostgreSQL was not reached');
    await load.stop();
    await until(() => load.acknowledged.every((id) => leadsAt('good').has(id)));
    assert.equal(names.unanswered().length, slow.length);
    const began = performance.now();
    assert.deepEqual(await first.end('SIGTERM'), stopped);
    const took = performance.now() - began;
    assert.ok(took < usualTimings.processEnd, `the stop took ${took} ms`);

    // When the names are known at last, all destinations get all leads.
    names.answerAll();
    const second = await start();
    await until(() => slow.every((name) => load.acknowledged.every((id) => leadsAt(name).has(id))));
    t.diagnostic(`${load.acknowledged.length} leads; the server stopped in ${Math.round(took)} ms`);
    assert.deepEqual(await second.end('SIGTERM'), stopped);
  });
});
