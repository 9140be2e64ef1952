/** What the page of a lead says beside the answer on calls, and how it shows words that are written from the right. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import {routes} from '../../../server/pages/routes.ts';
import {planAndErase, planAndRevoke} from '../../support/operator.ts';
import {servePages} from '../../support/pages.ts';
import {
  asLead,
  entryAt,
  newEntry,
  prequalificationBody,
  sampleConsent,
  eventTo,
} from '../../support/sample-leads.ts';

async function begin(t: TestContext, ...entries: LeadEntry[]) {
  const served = await servePages(t, routes);
  await served.accept(...entries);
  const cookie = await served.sessionOf('admin', 'Ana');
  return {
    ...served,
    admin: await served.admin(),
    get: async (path: string) => {
      const {status, text} = await served.ask(path, {headers: {cookie}});
      assert.equal(status, 200, path);
      return text;
    },
  };
}
const withoutTags = (page: string) => page.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ');

test('beside a stop, the page says when it was said, and whether the consent is older', async (t) => {
  const consentAt = (givenAt: number) => ({consent: {...sampleConsent, givenAt}});
  const now = Date.now();
  const first = entryAt(now - 60_000, consentAt(now - 60_000));
  const {get, accept, admin} = await begin(t, first);
  await planAndRevoke(admin, {who: first.id, partner: null});
  const again = entryAt(now + 3_600_000, consentAt(now + 3_600_000));
  await accept(again);
  const saidStop = String.raw`Do not call Somebody with this number said stop on \w+ \d+ at [\d:]+ [AP]M\.`;
  const ticked = String.raw`that: Ticked the box on \w+ \d+ at [\d:]+ [AP]M, version 1\.`;
  assert.match(withoutTags(await get(`/leads/${first.id}`)), new RegExp(`${saidStop} Before ${ticked}`));
  assert.match(withoutTags(await get(`/leads/${again.id}`)), new RegExp(`${saidStop} After ${ticked}`));
});

suite('a name that is written from the right', () => {
  const name = {first_name: 'ليلى', last_name: 'الخوري'};
  const whole = `<bdi>${name.first_name} ${name.last_name}</bdi>`;
  const entryOf = (changes: Partial<LeadEntry> = {}) =>
    newEntry({
      lead: asLead({...prequalificationBody, ...name}),
      attribution: {utm_source: 'بحث', utm_medium: 'cpc', utm_campaign: 'ربيع 2026'},
      consent: sampleConsent,
      ...changes,
    });
  /** The words that would change the order of what stands beside them. */
  const outside = (page: string) =>
    page.replace(/<bdi>[^<]*<\/bdi>/g, '').match(/.{0,60}\p{Script=Arabic}+.{0,20}/gu);

  test('leaves numbers beside it in order, in the list and on the page of the lead', async (t) => {
    const entry = entryOf({deliveries: [eventTo('crm')]});
    const {get} = await begin(t, entry);
    const change = ['retry', 'revoke', 'erase'].map((what) => `/leads/${entry.id}/${what}`);
    for (const path of ['/leads', `/leads/${entry.id}`, ...change]) {
      const page = await get(path);
      assert.ok(page.includes(whole), path);
      assert.deepEqual(outside(page), null, path);
    }
    const page = await get(`/leads/${entry.id}`);
    assert.match(page, /<bdi>202-555-0142<\/bdi>/);
    assert.match(page, /<bdi>بحث<\/bdi>, <bdi>cpc<\/bdi>, <bdi>ربيع 2026<\/bdi>/);
  });

  test('leaves them in order where the consent of an erased lead is kept', async (t) => {
    const entry = entryOf();
    const {get, admin} = await begin(t, entry);
    await planAndErase(admin, [entry.id]);
    const page = await get(`/leads/${entry.id}`);
    assert.ok(page.includes(whole));
    assert.deepEqual(outside(page), null);
  });
});
