/** How a visitor came, as it is kept with the lead. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import {attributionKeys} from '../../../../contract/embed.ts';
import {startFakeUpstream} from '../../../support/fake-upstream.ts';
import {sentLead, somebody} from '../../../support/embed-client.ts';
import {openFor} from '../../../support/opened.ts';
import {sqlite} from '../../../support/stores.ts';
import {through} from '../../../support/test-server.ts';
import {openedLead} from '../../../support/encrypted-rows.ts';

const address = 'https://www.partner.example/funding';
const everything: Record<string, string> = {
  ...Object.fromEntries(attributionKeys.map((key) => [key, `canary ${key} 🎉`])),
  referrer: `${address}/referrer`,
  landing_page: `${address}/landing_page`,
};
const longest = 'x'.repeat(500);
const longAddress = address.padEnd(500, '/x');

const campaignIds = {
  ...{utm_source: '2026-11-24', utm_medium: '300x250', utm_campaign: '22345678901'},
  ...{utm_term: 'kwd-298765432109', utm_content: 'c2025550111', utm_id: '120210928312340123'},
};

const server = sqlite.useServer();
const kept = async (attribution: unknown) => {
  const {id} = await sentLead(server, somebody(), {body: {attribution}});
  return (await openedLead(server, id)).attribution;
};

suite('how a visitor came', () => {
  test('is kept with the lead, in every part that there is', async () => {
    assert.deepEqual(await kept(everything), everything);
  });

  const cases: Record<string, [given: unknown, kept: object | null]> = {
    nothing: [undefined, null],
    null: [null, null],
    'a text': ['utm_source=x', null],
    'a list': [['x'], null],
    'an empty object': [{}, null],
    'unknown keys': [{campaign: 'x', constructor: 'x', __proto__: {gclid: 'x'}, gclid: 'ok'}, {gclid: 'ok'}],
    'unknown keys alone': [{campaign: 'x'}, null],
    'values that are no texts': [
      {utm_source: 1, utm_medium: null, utm_term: ['x'], utm_content: {}, utm_campaign: true, fbclid: 'ok'},
      {fbclid: 'ok'},
    ],
    'texts that no database should hold': [
      {utm_source: 'a\0b', utm_medium: '\ud800', utm_term: 'ok'},
      {utm_term: 'ok'},
    ],
    'texts of several lines': [
      {utm_source: 'a\u2028gclid: forged', utm_medium: 'a\u2029b', utm_term: 'ok'},
      {utm_term: 'ok'},
    ],
    'an empty text': [{utm_source: '', referrer: ''}, null],
    'a text of the greatest length': [{utm_source: longest}, {utm_source: longest}],
    'a text too long': [{utm_source: `${longest}x`, utm_medium: 'ok'}, {utm_medium: 'ok'}],
    'an address of the greatest length': [{referrer: longAddress}, {referrer: longAddress}],
    'an address too long': [{referrer: `${longAddress}x`, gclid: 'ok'}, {gclid: 'ok'}],
    'an address with query, fragment and password': [
      {referrer: 'https://user:secret@www.partner.example/a?email=jane@example.com#b'},
      {referrer: 'https://www.partner.example/a'},
    ],
    'addresses with tokens in their paths, from a form that did not cut them': [
      {
        referrer: 'https://mail.example/u/jane@example.com/inbox',
        landing_page: `${address}/reset/9f86d081884c7d659a2feaa0c55ad015/done`,
      },
      {referrer: 'https://mail.example/u/*/inbox', landing_page: `${address}/reset/*/done`},
    ],
    'e-mail addresses in a campaign': [
      {utm_source: 'may jane@example.com', utm_term: 'jane%40example.com', utm_medium: '@acme', gclid: 'a@b'},
      {utm_source: 'may *', utm_term: '*', utm_medium: '@acme', gclid: 'a@b'},
    ],
    'telephone numbers in a campaign': [
      {
        utm_source: 'sms-(202) 555-0111',
        utm_medium: '+44 20 7946 0958',
        utm_campaign: 'phone_2025550111',
        utm_term: ' 12025550111',
        utm_content: '1-202-555-0111, 202.555.0122',
        fbclid: '2025550111',
      },
      {
        utm_source: 'sms-*',
        utm_medium: '*',
        utm_campaign: 'phone_*',
        utm_term: '*',
        utm_content: '*, *',
        fbclid: '2025550111',
      },
    ],
    'numbers in a campaign that are no telephone numbers': [campaignIds, campaignIds],
    'addresses that are none': [{referrer: 'javascript:alert(1)', landing_page: 'not a page'}, null],
  };
  for (const [what, [given, expected]] of Object.entries(cases)) {
    test(`never refuses a lead: ${what}`, async () => assert.deepEqual(await kept(given), expected));
  }

  test('does not make a repeated request another one, and the first one stays', async () => {
    const [lead, key] = [somebody(), randomUUID()];
    const first = await sentLead(server, lead, {key, body: {attribution: {gclid: 'first'}}});
    const again = await sentLead(server, lead, {key, body: {attribution: {gclid: 'second'}}});
    assert.deepEqual(again, first);
    assert.deepEqual((await openedLead(server, first.id)).attribution, {gclid: 'first'});
  });

  test('is in no answer, no log line and nothing that an upstream gets', async (t) => {
    const upstream = await openFor(t, startFakeUpstream());
    const proxy = await openFor(t, sqlite.startServer(through(upstream.settings)));
    const answer = await sentLead(proxy, somebody(), {body: {attribution: everything}});
    assert.equal(answer.status, 'done');
    const heard = JSON.stringify([answer, upstream.exchanges, proxy.logLines]);
    assert.ok(!heard.includes('canary') && !heard.includes(address), heard);
  });
});
