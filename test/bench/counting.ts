/**
 * `npm run bench -- counting`: what it costs to count page views. Loads one server in pairs of rounds, in which page views are
 * counted and are not, and prints the ratios of each pair: requests a second, and requests a second of the server's processor
 * time, which depends less on what else the machine does.
 */
import {quantile, viewAndCreate} from './load.ts';
import {freshStore, processorTime, startBenchServer, type Kind} from './servers.ts';

const pairs = 5;
const connections = 20;

const stores: Kind[] = process.env['TEST_DATABASE_URL'] ? ['SQLite', 'PostgreSQL'] : ['SQLite'];
for (const store of stores) {
  const server = await startBenchServer('production.ts', await freshStore(store));
  async function load(view: 'began' | 'again') {
    const [begun, used] = [performance.now(), processorTime(server.pid)];
    const {perSecond} = await viewAndCreate(server.url, connections, view);
    const [lasted, cost] = [performance.now() - begun, processorTime(server.pid) - used];
    return {perSecond, perProcessor: (perSecond * lasted) / cost};
  }
  const ratios = {perSecond: [] as number[], perProcessor: [] as number[]};
  for (let pair = 0; pair <= pairs; pair += 1) {
    // The order changes, because the store grows. The first pair only warms up.
    const first = await load(pair % 2 === 0 ? 'began' : 'again');
    const second = await load(pair % 2 === 0 ? 'again' : 'began');
    const [counted, uncounted] = pair % 2 === 0 ? [first, second] : [second, first];
    if (pair === 0) continue;
    for (const name of ['perSecond', 'perProcessor'] as const)
      ratios[name].push(counted[name] / uncounted[name]);
  }
  server.stop();
  for (const [name, each] of Object.entries(ratios))
    console.log(
      `${store}, ${name}: ${each.map((ratio) => ratio.toFixed(2)).join(', ')}; median ${quantile(each, 0.5).toFixed(3)}`,
    );
}
