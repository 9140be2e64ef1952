/** `npm run outbox -- list | retry [id]`: what waits for an upstream, for the operator. */
import {readConfig} from './config.ts';
import {openStore} from './store/open-store.ts';

const usage = `Usage:
  npm run outbox -- list           what waits, is held, or was refused
  npm run outbox -- retry <id>     make one delivery due now
  npm run outbox -- retry --all    make all of them due now`;

const [command, which] = process.argv.slice(2);
if (command !== 'list' && !(command === 'retry' && which)) {
  console.error(usage);
  process.exit(2);
}

const store = await openStore(readConfig());
if (command === 'list') {
  const rows = await store.listOutbox(1_000);
  for (const {nextAttemptAt, leasedUntil, ...row} of rows) {
    const underWay = leasedUntil > Date.now();
    console.log(JSON.stringify({...row, underWay, nextAttemptAt: new Date(nextAttemptAt).toISOString()}));
  }
  console.error(`${rows.length} ${rows.length === 1 ? 'lead' : 'leads'}`);
} else {
  const count = await store.retryOutbox(Date.now(), which === '--all' ? undefined : which);
  console.error(`${count} due now`);
}
await store.close();
