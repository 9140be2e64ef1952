/**
 * `npm run bench:metrics`: what the metrics cost. Two servers, one with and one without metrics, get the same creates in
 * turn, round by round. Then a server with 100 partners and 30 destinations is scraped.
 */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {newSecret, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {fromPage} from '../faults/load.ts';
import {scrape} from '../support/scrape.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';
import {createFromPage} from './load.ts';
import {freshStore, startBenchServer, type Measured} from './servers.ts';

const pairs = Number(process.argv[2] ?? 10);
const rounds = 3;
const connections = 50;
const scrapes = 100;
const [partnerCount, destinationCount] = [100, 30];

const middle = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!;

/** Seconds of processor time that a process has used. Linux counts hundredths. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function measure({url, pid}: Measured) {
  const before = processorTime(pid);
  // The load lasts two seconds.
  const {perSecond} = await createFromPage(url, connections);
  return {perSecond, microseconds: ((processorTime(pid) - before) / (perSecond * 2)) * 1e6};
}

/** Two processes of the same code differ by some percent as long as they run, so each pair of them is a new one. */
async function compareCreates() {
  const [throughput, processor]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    const watched = await startBenchServer('production.ts', await freshStore('SQLite'), {metrics: true});
    const plain = await startBenchServer('production.ts', await freshStore('SQLite'));
    for (let round = 0; round <= rounds; round += 1) {
      // Who comes first alternates, because the load of the machine changes.
      const isFirst = (pair + round) % 2 === 0;
      const one = await measure(isFirst ? watched : plain);
      const other = await measure(isFirst ? plain : watched);
      const [withMetrics, without] = isFirst ? [one, other] : [other, one];
      // The first round does not count, because the code is not compiled yet.
      if (round === 0) continue;
      throughput.push(withMetrics.perSecond / without.perSecond);
      processor.push(without.microseconds / withMetrics.microseconds);
    }
    watched.stop();
    plain.stop();
  }
  console.log(
    `Creates with metrics, of those without, medians of ${pairs} pairs of servers, ${rounds} rounds each:`,
  );
  console.log(`  in a second ${middle(throughput).toFixed(3)}`);
  console.log(`  in a second of processor time ${middle(processor).toFixed(3)}`);
}

async function timeScrapes() {
  const folder = makeTemporaryFolder();
  const receiver = await startWebhookReceiver();
  const names = Array.from({length: destinationCount}, (_, index) => `destination-${index}`);
  const file = join(folder.path, 'partners.json');
  const destinations = Object.fromEntries(
    names.map((name) => [name, {type: 'webhook', url: receiver.settings.url, credentials: 'ALL'}]),
  );
  const partners = Array.from({length: partnerCount}, (_, index) => ({
    key: index === 0 ? 'acme' : `partner-${index}`,
    origins: [listedOrigin],
    cid: '1001',
    send_to: names,
  }));
  writeFileSync(file, JSON.stringify({destinations, partners}));
  const settings = {
    PARTNERS_FILE: file,
    CREDENTIALS_ALL_SECRET: newSecret(),
    WEBHOOK_INTERNAL_HOSTS: 'localhost 127.0.0.1',
    METRICS_PORT: '0',
  };
  const service = await startService({...serviceSettings(folder.path), ...settings}, folder.path);
  const ready = service.lines.find((line) => line.includes('"msg":"ready"')) ?? '';
  const {metrics} = JSON.parse(ready) as {metrics: number};
  // Nothing is delivered any more, so there is a backlog to read.
  await receiver.close();
  for (let lead = 0; lead < 300; lead += 1) {
    const {path, ...request} = fromPage();
    const {status} = await fetch(service.url + path, {method: 'POST', ...request});
    assert.equal(status, 201);
  }
  const times: number[] = [];
  for (let index = 0; index < scrapes; index += 1) {
    const begun = performance.now();
    await scrape(metrics);
    times.push(performance.now() - begun);
  }
  await service.end('SIGTERM');
  folder.remove();
  console.log(
    `A scrape of ${partnerCount} partners and ${destinationCount} destinations, of which ${300 * destinationCount} deliveries wait: median ${middle(times).toFixed(1)} ms, p95 ${times.toSorted((one, other) => one - other)[Math.floor(scrapes * 0.95)]!.toFixed(1)} ms, the first ${times[0]!.toFixed(1)} ms`,
  );
}

await compareCreates();
await timeScrapes();
process.exit();
