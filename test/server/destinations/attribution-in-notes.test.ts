/** With `attribution_in_notes`, an upstream learns from the notes of a lead where the visitor came from. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {notesOf} from '../../../server/destinations/lead-api/notes.ts';
import type {Attribution} from '../../../contract/embed.ts';
import {parseLead} from '../../../server/leads/lead-schema.ts';
import type {Consent} from '../../../server/leads/stored-lead.ts';
import {sentLead, somebody} from '../../support/embed-client.ts';
import {basic, postJson} from '../../support/http.ts';
import {failures, startFakeUpstream, type Script} from '../../support/fake-upstream.ts';
import {openFor} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {prequalificationBody, sampleConsent} from '../../support/sample-leads.ts';
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
    [
      'have the opt-out signal in any case',
      false,
      fromPage({attribution, opt_out_signal: 'gpc'}),
      'opt_out_signal: gpc',
    ],
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

/** What an upstream gets of a lead that a visitor has sent. */
const visitors = (notes: string | undefined, attribution: Attribution | null = null, call_time?: 'morning') =>
  notesOf({partner: 'acme', lead: {...leadOf({}), notes, call_time}, consent: null, attribution}, true);
const ofCaller = {partner: null, consent: null, attribution: null};
const leadOf = (more: object) => parseLead({...prequalificationBody, ...more}).data!;

suite('the notes of a visitor', () => {
  const feigned = ['utm_source: feigned', 'call_time: evening'];

  test('stand behind our lines, each line marked, so that none looks like one of ours', () => {
    assert.equal(
      visitors(feigned.join('\n'), attribution, 'morning'),
      ['call_time: morning', ...lines, 'The visitor wrote:', ...feigned.map((line) => `> ${line}`)].join(
        '\n',
      ),
    );
  });
  test('are marked also where there is no line of ours', () => {
    assert.equal(visitors('call_time: evening'), 'The visitor wrote:\n> call_time: evening');
    assert.equal(visitors(undefined), undefined);
  });
  for (const [what, separator] of Object.entries({
    'a line break of Windows': '\r\n',
    'one of old Macs': '\r',
    'a separator of lines': '\u2028',
    'a separator of paragraphs': '\u2029',
    'as many spaces as a line is wide': ' '.repeat(200),
    'as many tabs': '\t'.repeat(30),
  }))
    test(`begin no line of ours by ${what}`, () => {
      const notes = visitors(`a${separator}utm_source: feigned`, {utm_source: 'google'}) ?? '';
      const [first, said, ...theirs] = notes.split(/[\r\n\u2028\u2029]/);
      assert.deepEqual([first, said], ['utm_source: google', 'The visitor wrote:']);
      for (const line of theirs) assert.match(line, /^> (\S+ ?)+$/);
    });
  test('push none of our lines out, however long they are, and are cut', () => {
    const notes = visitors('n'.repeat(2_000), attribution, 'morning') ?? '';
    const [ours = '', theirs = ''] = notes.split('\nThe visitor wrote:\n> ');
    assert.equal(ours, ['call_time: morning', ...lines].join('\n'));
    assert.match(theirs, /^n+…$/);
    assert.equal(notes.length, 2_000);
  });
  test('keep half of the room, however much the link says that brought the visitor', () => {
    const value = 'v'.repeat(400);
    const most = {utm_source: value, utm_medium: value, utm_campaign: value, gclid: value, referrer: value};
    const notes = visitors('n'.repeat(2_000), most) ?? '';
    assert.equal(notes.length, 2_000);
    assert.ok(notes.split('The visitor wrote:')[1]!.length > 980);
    assert.equal(notes.match(/^utm_/gm)?.length, 2);
  });
  test('are counted as the specification counts characters', () => {
    const notes = visitors('😀'.repeat(2_000), attribution) ?? '';
    assert.equal(Array.from(notes).length, 2_000);
    assert.equal(leadOf({notes}).notes, notes);
  });
  test('leave room for shorter lines, where a longer one is left out', () => {
    const notes = visitors(undefined, {utm_source: 'v'.repeat(1_990), gclid: 'abc'});
    assert.equal(notes, 'gclid: abc');
  });
});

test('the notes of a caller stay as they are, because a server wrote them', () => {
  const notes = 'utm_source: google\n  as it is';
  for (const each of [notes, '', undefined])
    assert.equal(notesOf({...ofCaller, lead: leadOf({notes: each})}, true), each);
});

suite('the consent in the notes', () => {
  const consent: Consent = {...sampleConsent, textLanguage: 'en', givenAt: Date.UTC(2026, 0, 2)};
  const ofForm = {partner: 'acme', lead: leadOf({notes: 'Call me.'}), attribution: {gclid: 'abc'}, consent};
  const said = 'consent: 2026-01-02T00:00:00.000Z, acme/en/1';

  test('of a form is said where the attribution is', () => {
    const theirs = 'The visitor wrote:\n> Call me.';
    assert.equal(notesOf(ofForm, true), `${said}\ngclid: abc\n${theirs}`);
    assert.equal(notesOf(ofForm, false), theirs);
  });
  test('of a caller is said always, and its certificate first', () => {
    const certificateUrl = `https://cert.example/${'1'.repeat(900)}`;
    const brought = {...consent, source: 'caller', certificateUrl} as const;
    const notes = notesOf({...ofCaller, lead: leadOf({notes: 'n'.repeat(2_000)}), consent: brought}, false);
    const [first, second, theirs = ''] = notes?.split('\n') ?? [];
    assert.equal(first, `certificate_url: ${certificateUrl}`);
    assert.equal(second, said.replace('acme/', ''));
    assert.match(theirs, /^n+…$/);
    assert.equal(notes?.length, 2_000);
  });
});
