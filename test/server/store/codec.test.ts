/** What a store keeps readable when it is opened with a codec that hides what it is given. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {Attribution} from '../../../contract/embed.ts';
import type {Consent} from '../../../server/leads/stored-lead.ts';
import type {Codec} from '../../../server/store/sealing.ts';
import {tables} from '../../../server/store/columns.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {openFor} from '../../support/opened.ts';
import {asLead, newDelivery, newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';

const backwards = (text: string) => [...text].toReversed().join('');

/** Writes the id of the lead and the record backwards, and reads a text only for the lead that it was made for. */
const reversing: Codec = {
  encode: (record, leadId) => backwards(leadId + JSON.stringify(record)),
  decode(text, leadId) {
    const plain = backwards(text);
    assert.ok(plain.startsWith(leadId), 'the text belongs to another lead');
    return JSON.parse(plain.slice(leadId.length)) as object;
  },
};

/** Each personal value says where it stood. */
const lead = asLead({
  ...prequalificationBody,
  first_name: 'Canary-first',
  last_name: 'Canary-last',
  email: 'canary-email@example.com',
  phone: '202-555-0199',
  state: 'WY',
  notes: 'canary-notes',
});
const attribution: Attribution = {
  utm_source: 'clear-source',
  utm_medium: 'clear-medium',
  utm_campaign: 'clear-campaign',
  utm_term: 'canary-term',
  gclid: 'canary-click',
  referrer: 'https://canary-referrer.example/',
  landing_page: 'https://canary-landing.example/',
};
const consent: Consent = {
  textVersion: 'clear-version',
  textHash: 'clear-hash',
  agreed: true,
  givenAt: 1_795_304_995_354,
  origin: 'https://canary-origin.example',
  page: 'https://canary-page.example/',
  ip: '203.0.113.99',
  userAgent: 'canary-agent',
};
const canaries = [/canary/i, /2025550199/, /555-0199/, /203\.0\.113\.99/, /"WY"/];

forEachStore((over) => {
  suite('a store that is opened with a codec', () => {
    test('nothing personal but the campaign is stored in clear, and all of it is read again', async (t) => {
      const server = await over.startServer();
      t.after(() => server.close());
      const store = await openFor(t, openStore(server.config, reversing));
      const entry = newEntry({
        lead,
        attribution,
        consent,
        partner: 'acme',
        answer: {status: 'pending'},
        idempotency: [{owner: 'partner:acme', digest: 'd', fingerprint: 'f'}],
        leadDigests: ['same'],
        proof: {nonce: 'nonce', expiresAt: Date.now() + 60_000},
        deliveries: [newDelivery()],
      });
      assert.equal((await store.accept(entry)).outcome, 'created');
      assert.deepEqual((await store.find(entry.id))?.lead, lead);

      const rows = await Promise.all(
        Object.keys(tables).map((name) => server.select(`SELECT * FROM ${name}`)),
      );
      const kept = JSON.stringify(rows);
      for (const canary of canaries) assert.doesNotMatch(kept, canary);

      const [row] = await server.select('SELECT * FROM leads');
      assert.partialDeepStrictEqual(row, {
        utm_source: 'clear-source',
        utm_medium: 'clear-medium',
        utm_campaign: 'clear-campaign',
      });
      assert.deepEqual(reversing.decode(String(row?.['attribution']), entry.id), attribution);
      const [evidence] = await server.select('SELECT consent FROM consents');
      assert.deepEqual(reversing.decode(String(evidence?.['consent']), entry.id), consent);
    });
  });
});
