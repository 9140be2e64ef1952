/** `lead-prequal outbox`: what waits for an upstream, and how an operator sends it again. */
import {Command} from 'commander';
import {withStore} from './with-store.ts';

/** @throws Error when the configuration or the store cannot be opened */
export function outboxCommand(): Command {
  const outbox = new Command('outbox').description('deliveries that wait, are held, or were refused');

  outbox
    .command('list')
    .description('one line of JSON a lead on standard output, their number on standard error')
    .action(() =>
      withStore(async (store) => {
        const rows = await store.listOutbox(1_000);
        for (const {nextAttemptAt, leasedUntil, ...row} of rows) {
          const underWay = leasedUntil > Date.now();
          const due = new Date(nextAttemptAt).toISOString();
          console.log(JSON.stringify({...row, underWay, nextAttemptAt: due}));
        }
        console.error(`${rows.length} ${rows.length === 1 ? 'lead' : 'leads'}`);
      }),
    );

  const retry = outbox
    .command('retry')
    .description('make deliveries due now')
    .argument('[id]', 'of one lead')
    .option('--all', 'all that are not held')
    .option('--held', 'all that are held')
    .action((id: string | undefined, {all, held}: {all?: boolean; held?: boolean}) => {
      const which = all ? 'all' : held ? 'held' : id && {id};
      if (!which) return retry.error('error: name the id of a lead, --all or --held');
      return withStore(async (store) => {
        const count = await store.retryOutbox(Date.now(), which);
        console.error(`${count} due now`);
        if (count === 0 && typeof which === 'object') process.exitCode = 1;
      });
    });

  return outbox;
}
