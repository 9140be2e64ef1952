/** `npm run outbox -- list | retry <id> | retry --all | retry --held`: what waits for an upstream, for the operator. */
import {ConfigError, readConfig} from './config.ts';
import {openStore} from './store/open-store.ts';

const usage = `Usage:
  npm run outbox -- list           what waits, is held, or was refused
  npm run outbox -- retry <id>     make one delivery due now
  npm run outbox -- retry --all    make all of them due now that are not held
  npm run outbox -- retry --held   make all of them due now that are held`;

const [command, which] = process.argv.slice(2);
if (command !== 'list' && !(command === 'retry' && which)) {
  console.error(usage);
  process.exit(2);
}

const store = await openStore(configured());
if (command === 'list') {
  const rows = await store.listOutbox(1_000);
  for (const {nextAttemptAt, leasedUntil, ...row} of rows) {
    const underWay = leasedUntil > Date.now();
    console.log(JSON.stringify({...row, underWay, nextAttemptAt: new Date(nextAttemptAt).toISOString()}));
  }
  console.error(`${rows.length} ${rows.length === 1 ? 'lead' : 'leads'}`);
} else {
  const groups = {'--all': 'all', '--held': 'held'} as const;
  const id = which as string;
  const count = await store.retryOutbox(Date.now(), groups[id as keyof typeof groups] ?? {id});
  console.error(`${count} due now`);
  if (count === 0 && !id.startsWith('--')) process.exitCode = 1;
}
await store.close();

function configured() {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
