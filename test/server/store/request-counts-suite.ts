/** How every store keeps the counts of requests for versions of the form. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {requestsKept, startOfDay} from '../../../server/versions/request-counts.ts';
import {openForSuite} from '../../support/opened.ts';

const today = startOfDay(Date.now());
const dayLength = 86_400_000;
const origin = 'https://www.partner.example';

export function describeRequestCounts(name: string, openStore: (data: string) => Promise<LeadStore>) {
  suite(`${name}: the counts of requests`, () => {
    const store = openForSuite(() => openStore('request-counts'));

    test('the counts of requests of the same day, version and origin are added up', async () => {
      const count = {day: today, version: '1.0.0', origin};
      await store.addRequests([{...count, requests: 2}]);
      await store.addRequests([
        {...count, requests: 3},
        {...count, version: 'v1', requests: 1},
        {...count, origin: 'other', requests: 5},
      ]);
      assert.deepEqual(
        (await store.versionUse(today)).map((row) => ({...row})),
        [
          {version: '1.0.0', origin, requests: 5, lastDay: today},
          {version: '1.0.0', origin: 'other', requests: 5, lastDay: today},
          {version: 'v1', origin, requests: 1, lastDay: today},
        ],
      );
    });

    test('the counts of requests of earlier days are left out of the sum, but not of the last day', async () => {
      const version = '1.1.0';
      await store.addRequests([{day: today - 40 * dayLength, version, origin, requests: 7}]);
      const use = await store.versionUse(today - 30 * dayLength);
      assert.partialDeepStrictEqual(
        use.find((row) => row.version === version),
        {requests: 0, lastDay: today - 40 * dayLength},
      );
    });

    test('the counts of requests of more origins than one transaction takes are all stored', async () => {
      const version = '1.2.0';
      const counts = Array.from({length: 250}, (_, index) => ({
        day: today,
        version,
        origin: `https://${index}.example`,
        requests: 1,
      }));
      await Promise.all([store.addRequests(counts), store.addRequests(counts.toReversed())]);
      const use = (await store.versionUse(today)).filter((row) => row.version === version);
      assert.deepEqual([use.length, use.every(({requests}) => requests === 2)], [250, true]);
    });

    test('page views are added up by day, partner and stage, whatever their origin and version', async () => {
      const view = {
        day: today,
        partner: 'acme',
        origin,
        version: '2.0.0',
        stage: 'began',
        requests: 1,
      } as const;
      await store.addViews([
        {...view, requests: 4},
        {...view, stage: 'shown'},
      ]);
      await store.addViews([view, {...view, origin: 'own'}, {...view, version: 'unknown'}]);
      await store.addViews([
        {...view, partner: 'bright'},
        {...view, day: today - dayLength},
      ]);
      const days = (await store.viewDays(today)).map(
        ({partner, stage, times}) => `${partner} ${stage} ${times}`,
      );
      assert.deepEqual(days.toSorted(), ['acme began 7', 'acme shown 1', 'bright began 1']);
    });

    test('the counts of requests expire after 90 days', async () => {
      const version = '1.3.0';
      const keptDay = today - requestsKept + dayLength;
      for (const day of [keptDay, today - requestsKept]) {
        await store.addRequests([{day, version, origin, requests: 1}]);
        await store.addViews([{day, partner: 'old', version, origin, stage: 'began', requests: 1}]);
      }
      while ((await store.deleteExpired(today)) > 0);
      const [use] = (await store.versionUse(0)).filter((row) => row.version === version);
      assert.partialDeepStrictEqual(use, {requests: 1, lastDay: keptDay});
      const old = (await store.viewDays(0)).filter(({partner}) => partner === 'old');
      assert.deepEqual(
        old.map(({day}) => day),
        [keptDay],
      );
    });
  });
}
