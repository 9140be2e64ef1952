/** With `attribution_in_notes`, an upstream learns from the notes of a lead where the visitor came from. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {withFurther} from '../../../server/destinations/lead-api/notes.ts';
import {parseLead} from '../../../server/leads/lead-schema.ts';
import {sentLead, somebody} from '../../support/embed-client.ts';
import {basic, postJson} from '../../support/http.ts';
import {failures, startFakeUpstream, type Script} from '../../support/fake-upstream.ts';
import {openFor} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {acme, startTestServer, through, type TestServer} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const attribution = {
  gclid: 'abc-123',
  utm_source: 'google',
  referrer: 'https://search.example/',
  landing_page: 'https://www.partner.example/funding',
};
const lines = [
  'utm_source: google',
  'gclid: abc-123',
  'referrer: https://search.example/',
  'landing_page: https://www.partner.example/funding',
];

suite('the notes that reach an upstream', () => {
  const fromPage = (body: object) => (server: TestServer) => sentLead(server, somebody(), {body});
  const fromCaller = (notes: string) => (server: TestServer) =>
    server.fetch('/json/leads', postJson({...prequalificationBody, notes}, basic(acme)));
  const cases: [
    what: string,
    asked: boolean,
    send: (server: TestServer) => Promise<unknown>,
    notes: string | undefined,
  ][] = [
    ['are the attribution of a page', true, fromPage({attribution}), lines.join('\n')],
    ['are missing if a page has no attribution', true, fromPage({}), undefined],
    ['are those of a caller, who sends no attribution', true, fromCaller('Call me.'), 'Call me.'],
    ['hold no attribution if nobody asked for it', false, fromPage({attribution}), undefined],
  ];
  for (const [what, attributionInNotes, send, notes] of cases) {
    test(`the notes that reach an upstream ${what}`, async (t) => {
      const upstream = await openFor(t, startFakeUpstream());
      const server = await openFor(
        t,
        startTestServer(through({...upstream.settings, attributionInNotes}), quickTimings),
      );
      await send(server);
      await until(() => upstream.taken().length === 1);
      const sent = upstream.exchanges[0]?.body;
      assert.equal(sent?.['notes'], notes);
      assert.equal('notes' in (sent ?? {}), notes !== undefined);
      // The specification knows no such fields.
      assert.ok(!('attribution' in (sent ?? {})) && !('utm_source' in (sent ?? {})));
    });
  }

  test('are the same in every attempt', async (t) => {
    const script: Script = {create: failures['an error of its own']};
    const upstream = await openFor(t, startFakeUpstream(script));
    const server = await openFor(
      t,
      startTestServer(through({...upstream.settings, attributionInNotes: true}), quickTimings),
    );
    await sentLead(server, somebody(), {body: {attribution}});
    await until(() => upstream.sent().length >= 2);
    delete script.create;
    await until(() => upstream.taken().length === 1);
    const bodies = upstream.exchanges.filter(({method}) => method === 'POST').map(({body}) => body);
    for (const body of bodies) assert.deepEqual(body, bodies[0]);
    assert.equal(bodies[0]?.['notes'], lines.join('\n'));
  });
});

// Pages cannot send notes since 1.3. Leads that they sent before may still wait.
test('attribution comes after the notes that a lead has', () => {
  assert.equal(withFurther({notes: 'Call me.'}, attribution), ['Call me.', ...lines].join('\n'));
});

suite('attribution in notes that are nearly full', () => {
  // A line takes as many characters as its name, a colon, a space, its value and the line break before it.
  const room = (line: string) => 2_000 - line.length - 1;
  test('a line that just fits is added, and one that is a character too long is left out', () => {
    const line = 'utm_source: google';
    const fits = 'n'.repeat(room(line));
    assert.equal(withFurther({notes: fits}, {utm_source: 'google'}), `${fits}\n${line}`);
    assert.equal(withFurther({notes: `${fits}n`}, {utm_source: 'google'}), `${fits}n`);
  });
  test('a line that is too long is left out whole, and a shorter one after it is added', () => {
    const typed = 'n'.repeat(room('utm_source: google'));
    const notes = withFurther({notes: typed}, {utm_source: 'a longer one', gclid: 'abc'});
    assert.equal(notes, `${typed}\ngclid: abc`);
  });
  test('the characters of the notes are counted as the specification counts them', () => {
    const typed = '😀'.repeat(room('utm_source: 😀') + 1);
    const notes = withFurther({notes: typed}, {utm_source: '😀'}) ?? '';
    assert.equal(Array.from(notes).length, 2_000);
    assert.equal(parseLead({...prequalificationBody, notes}).data?.notes, notes);
  });
  test('all that can come with a lead stays within the limit', () => {
    const value = 'v'.repeat(500);
    const most = {utm_source: value, utm_medium: value, utm_campaign: value, gclid: value, referrer: value};
    const notes = withFurther({notes: 'n'.repeat(100)}, most) ?? '';
    assert.ok(notes.length <= 2_000);
    assert.equal(parseLead({...prequalificationBody, notes}).data?.notes, notes);
  });
});
