/** Messages with `details: link`: they link the page of the lead, and nothing in them is personal. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {attributionKeys} from '../../../contract/embed.ts';
import {chatFormats} from '../../../server/config/destinations.ts';
import {createChat} from '../../../server/destinations/chat/chat.ts';
import type {DeliveryRequest} from '../../../server/destinations/destination.ts';
import {createEmail} from '../../../server/destinations/email/email.ts';
import {parseFormLead} from '../../../server/leads/lead-schema.ts';
import type {LeadRecord} from '../../../server/leads/stored-lead.ts';
import {emailSettings} from '../../support/email-settings.ts';
import {startMailServer} from '../../support/mail-server.ts';
import {openFor, openForSuite, type Owner} from '../../support/opened.ts';
import {canaryLead, sampleConsent} from '../../support/sample-leads.ts';
import {erasedRequest, eventRequest, revokedRequest} from '../../support/sample-events.ts';
import {startWebhookReceiver} from '../../support/webhook-receiver.ts';

const leadPages = 'https://admin.leads.example/leads/';
const link = {details: 'link', leadPages} as const;
const answers = {state: 'WY', time_frame: '6-12 months', call_time: 'evening'};
const {data: lead = assert.fail()} = parseFormLead({cid: '1001', ...canaryLead, ...answers});
/** All but source, medium and campaign. */
const clicks = Object.fromEntries(attributionKeys.slice(3).map((key) => [key, `canary-${key}`]));
const browser = {page: 'https://canary.example/page', ip: '203.0.113.99', userAgent: 'canary-browser'};
const full: Partial<LeadRecord> = {
  lead,
  attribution: {utm_source: 'google', ...clicks, opt_out_signal: 'gpc'},
  consent: {...sampleConsent, ...browser, textVersion: 'canary-3', textLanguage: 'es'},
};

const labels = ['canary', 'bankruptcy', 'Spanish', 'Opt-out', 'State: WY', 'Denver', '6 to 12 months'];
const values = Object.values({...canaryLead, lead_type: 'canary', ...answers, ...clicks, ...browser});
const personal = [...values.filter((value) => typeof value !== 'boolean' && value !== 'WY'), ...labels];
/** Finds also a value that was written in another way, such as a number with commas. */
const signs = (text: string) => text.toLowerCase().replace(/[^a-z\d]/g, '');
const assertNothingPersonal = (message: string) =>
  assert.deepEqual(
    personal.filter((value) => signs(message).includes(signs(String(value)))),
    [],
  );

const events: DeliveryRequest[] = [
  eventRequest(full),
  eventRequest({...full, isAnsweredLater: true}, 'answered'),
  eventRequest({...full, isAnsweredLater: true, answer: {status: 'refused'}}, 'refused'),
  eventRequest({...full, suspect: 'trap'}),
  eventRequest({...full, supersedes: '01934b2c-0000-7000-8000-00a1b2c3d4e5'}),
  revokedRequest(),
  erasedRequest(),
];
const pagesOf = (requests: readonly DeliveryRequest[]) =>
  requests.flatMap(({content, lead: {id}}) => (content === 'erased' ? [] : [leadPages + id]));

suite('an e-mail with a link', () => {
  const server = openForSuite(() => startMailServer());
  async function sent(owner: Owner, requests: DeliveryRequest[], changes = {}) {
    const settings = emailSettings(`smtp://127.0.0.1:${server.port}`, {...link, ...changes});
    const email = await openFor(owner, createEmail(settings, 20_000));
    const before = server.received.length;
    await Promise.all(requests.map((request) => email.deliver(request)));
    const [{parsed} = assert.fail(), ...others] = server.received.slice(before);
    assert.equal(others.length, 0);
    const links = [...(parsed.html ?? '').matchAll(/<a\s+href="(https:[^"]*)"/g)].map(([, href]) => href);
    return {subject: parsed.subject ?? '', links, whole: JSON.stringify({...parsed, headers: []})};
  }

  test('leads to the page of the lead, unless that was erased, and holds nothing personal', async (t) => {
    for (const request of events) {
      const {subject, links, whole} = await sent(t, [request]);
      assertNothingPersonal(whole);
      assert.match(subject, /lead K7QM-2XHD from acme/i);
      assert.deepEqual(links, pagesOf([request]));
    }
  });

  test('has what is looked for here with details: contact', async (t) => {
    const {whole} = await sent(t, events.slice(0, 1), {details: 'contact', leadPages: undefined});
    assert.throws(() => assertNothingPersonal(whole), /canaryfirst[^]*7654321[^]*canary-notes[^]*Spanish/i);
  });
});

/** Where a body has the link. */
const linksIn: Record<(typeof chatFormats)[number], RegExp> = {
  slack: /"title":"Open the lead","title_link":"([^"]*)"/,
  teams: /"actions":\[{"type":"Action\.OpenUrl","title":"Open the lead","url":"([^"]*)"}\]/,
  'google-chat': /{"text":"Open the lead","onClick":{"openLink":{"url":"([^"]*)"}}}/,
};
for (const format of chatFormats) {
  test(`a message to ${format} leads to the page of the lead, and holds nothing personal`, async (t) => {
    const {settings, received} = await openFor(t, startWebhookReceiver());
    const own = {type: 'chat', format, rounding: 1_000, parallel: 1, events: undefined, ...link} as const;
    const chat = await openFor(t, createChat({...settings, ...own}, 10_000));
    for (const request of events) {
      await chat.deliver(request);
      const {body} = received.at(-1) ?? assert.fail();
      assertNothingPersonal(body);
      assert.match(body, /lead K7QM-2XHD from acme/i);
      assert.deepEqual(linksIn[format].exec(body)?.slice(1) ?? [], pagesOf([request]));
    }
  });
}
