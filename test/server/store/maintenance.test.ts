/** The server writes the digests behind by which leads are found by person. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {finish} from '../../../server/admin/admin.ts';
import {leadsOfPerson} from '../../../server/admin/persons.ts';
import {startWritingDigests} from '../../../server/store/maintenance.ts';
import type {Observation} from '../../../server/observe/observations.ts';
import {sentLead, somebody} from '../../support/embed-client.ts';
import {openFor} from '../../support/opened.ts';
import {unnoted} from '../../support/operator.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {asOperator, forEachStore} from '../../support/stores.ts';
import {until} from '../../support/until.ts';
import {columnOf} from '../../support/rows.ts';

forEachStore((store) => {
  test('a server writes the digests of its leads, by which a search finds them', async (t) => {
    const server = await openFor(t, store.startServer({}, quickTimings));
    const email = 'jane.doe@example.com';
    const {id} = await sentLead(server, somebody({email}));
    await sentLead(server);
    const digests = () => server.select('SELECT digest, lead_id FROM person_digests');
    await until(async () => (await digests()).length === 4, 'both leads have two digests');
    assert.doesNotMatch(JSON.stringify(await digests()), /jane|202/);
    await asOperator(server, async (store) => {
      const {found} = await finish(leadsOfPerson({store, noteAccess: unnoted}, {}, {email}), () => undefined);
      assert.deepEqual(columnOf(found, 'id'), [id]);
    });
  });
});

test('a failure is reported, and the next pass goes on', async (t) => {
  const observed: Observation[] = [];
  let passes = 0;
  const writing = startWritingDigests({
    store: {
      writeDigests() {
        passes += 1;
        return passes === 1 ? Promise.reject(new Error('disk full')) : Promise.resolve(true);
      },
    },
    emit: (observation) => observed.push(observation),
    timings: {...quickTimings, digests: {every: 1, pause: 1, age: 0}},
  });
  t.after(() => writing.stop());
  await until(() => passes > 2, 'passes go on');
  assert.deepEqual(observed, [{type: 'digests-failed', reason: 'disk full'}]);
});
