/** Under which names requests for the form are counted, and what an outage of the store does to the counts. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {onePartner} from '../../../server/config/partners.ts';
import {
  startCountingRequests,
  startOfDay,
  type RequestCount,
  type RequestStore,
} from '../../../server/versions/request-counts.ts';
import {columnOf} from '../../support/rows.ts';

const partners = [
  onePartner({key: 'acme', origins: ['https://www.acme.example', 'https://*.acme.example'], cid: '1001'}),
  onePartner({key: 'globex', origins: ['https://globex.example'], cid: '2001'}),
];

/** Keeps what it gets, or refuses it while `fails` is true. */
function recordingStore() {
  const stored: RequestCount[] = [];
  const store: RequestStore & {fails: boolean} = {
    fails: false,
    addRequests(counts) {
      if (store.fails) return Promise.reject(new Error('The store cannot work right now'));
      stored.push(...counts);
      return Promise.resolve();
    },
    versionUse: () => Promise.resolve([]),
    addViews: () => Promise.resolve(),
    viewDays: () => Promise.resolve([]),
  };
  return {store, stored};
}

suite('a request for the form', () => {
  const names: [origin: string | undefined, name: string, site?: string][] = [
    ['https://www.acme.example', 'https://www.acme.example'],
    ['https://landing.acme.example', 'https://*.acme.example'],
    ['https://globex.example', 'https://globex.example'],
    ['https://www.globex.example', 'other'],
    ['http://globex.example', 'other'],
    ['https://any.example', 'other'],
    ['', 'other'],
    ['null', 'unknown'],
    [undefined, 'unknown'],
    [undefined, 'unknown', 'cross-site'],
    ['null', 'unknown', 'cross-site'],
    [undefined, 'own', 'same-origin'],
    ['null', 'own', 'same-origin'],
    ['https://globex.example', 'https://globex.example', 'same-origin'],
    ['https://leads.example', 'own', 'same-origin'],
    ['https://any.example', 'other', 'cross-site'],
  ];
  for (const [origin, name, site] of names) {
    test(`origin ${JSON.stringify(origin)} and site ${site} are counted as ${name}`, async () => {
      const {store, stored} = recordingStore();
      const requests = startCountingRequests(store, () => partners, 60_000);
      assert.equal(requests.count('1.0.0', origin, site), name);
      await requests.stop();
      assert.deepEqual(stored, [{day: startOfDay(Date.now()), version: '1.0.0', origin: name, requests: 1}]);
    });
  }

  test('is counted by day, in UTC', async (t) => {
    t.mock.timers.enable({apis: ['Date', 'setInterval'], now: Date.UTC(2026, 10, 22, 23, 59)});
    const {store, stored} = recordingStore();
    const requests = startCountingRequests(store, () => partners, 3_600_000);
    requests.count('v1', undefined);
    requests.count('v1', undefined);
    t.mock.timers.setTime(Date.UTC(2026, 10, 23, 0, 1));
    requests.count('v1', undefined);
    await requests.stop();
    assert.deepEqual(stored, [
      {day: Date.UTC(2026, 10, 22), version: 'v1', origin: 'unknown', requests: 2},
      {day: Date.UTC(2026, 10, 23), version: 'v1', origin: 'unknown', requests: 1},
    ]);
  });

  test('a request during an outage of the store is lost for the counts, and later ones are not', async (t) => {
    t.mock.timers.enable({apis: ['setInterval']});
    const {store, stored} = recordingStore();
    const requests = startCountingRequests(store, () => partners, 1_000);
    store.fails = true;
    requests.count('1.0.0', undefined);
    t.mock.timers.tick(1_000);
    await endOfTurn();
    requests.count('1.1.0', undefined);
    store.fails = false;
    await requests.stop();
    assert.deepEqual(columnOf(stored, 'version'), ['1.1.0']);
  });

  test('is not counted once the server ends', async () => {
    const {store, stored} = recordingStore();
    const requests = startCountingRequests(store, () => partners, 60_000);
    await requests.stop();
    assert.equal(requests.count('1.0.0', undefined), 'unknown');
    await requests.stop();
    assert.deepEqual(stored, []);
  });
});
