/**
 * `npm run bench:lateness [seconds] [leads per second]`: how long after a lead was received its news is at a webhook,
 * with the default settings, over both databases. The time counts from before the commit, so from the commit on it is
 * shorter.
 */
import {randomUUID} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {Pool} from 'undici';
import type {LeadEvent} from '../../server/leads/lead-event.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';
import {freshStore} from './servers.ts';

const seconds = Number(process.argv[2] ?? 30);
const perSecond = Number(process.argv[3] ?? 200);
/** The first leads meet a server whose code is not compiled yet, and do not count. */
const warmUp = perSecond * 2;

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)];

async function measure(name: 'SQLite' | 'PostgreSQL') {
  const folder = makeTemporaryFolder();
  const lateness: number[] = [];
  const receiver = await startWebhookReceiver((response, {body}) => {
    lateness.push(Date.now() - Date.parse((JSON.parse(body) as LeadEvent).data.created_at));
    response.writeHead(204).end();
  });
  const file = join(folder.path, 'partners.json');
  const crm = {type: 'webhook', url: receiver.settings.url, credentials: 'CRM'};
  const partner = {
    key: 'acme',
    origins: [listedOrigin],
    cid: '1001',
    send_to: ['crm'],
    merge_duplicates: false,
  };
  writeFileSync(file, JSON.stringify({destinations: {crm}, partners: [partner]}));
  const location = await freshStore(name);
  const service = await startService(
    {
      ...serviceSettings(folder.path),
      ...(name === 'SQLite' ? {DATABASE_PATH: location} : {DATABASE_URL: location}),
      PARTNERS_FILE: file,
      WEBHOOK_INTERNAL_HOSTS: '127.0.0.1',
      CREDENTIALS_CRM_SECRET: receiver.secret,
    },
    folder.path,
  );
  const pool = new Pool(service.url, {connections: 50});
  const statuses: Promise<number>[] = [];
  const began = performance.now();
  for (let count = 0; count < seconds * perSecond; count += 1) {
    const early = began + (count / perSecond) * 1_000 - performance.now();
    if (early > 0) await sleep(early);
    const sent = pool.request({
      method: 'POST',
      path: '/embed/v1/leads?partner=acme',
      headers: {
        origin: listedOrigin,
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
      },
      body: JSON.stringify({lead: without(prequalificationBody, 'cid')}),
    });
    statuses.push(sent.then(({statusCode, body}) => body.dump().then(() => statusCode)));
  }
  const created = (await Promise.all(statuses)).filter((status) => status === 201).length;
  await receiver.hasReceived(created);
  const counted = lateness.slice(warmUp);
  const figures = [0.5, 0.99, 0.999, 1].map((share) => quantile(counted, share) ?? Math.max(...counted));
  console.log(
    `${name}: ${created} leads, ${perSecond} a second; late by p50 ${figures[0]} ms, p99 ${figures[1]} ms, p99.9 ${figures[2]} ms, at most ${figures[3]} ms`,
  );
  await pool.destroy();
  await service.end('SIGTERM');
  await receiver.close();
  folder.remove();
}

await measure('SQLite');
if (process.env['TEST_DATABASE_URL']) await measure('PostgreSQL');
else console.log('PostgreSQL: not measured, because TEST_DATABASE_URL is not set');
