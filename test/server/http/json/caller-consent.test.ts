/** The consent that a caller brings with a lead: what is refused, what is kept of it, and who hears of it. */
import assert from 'node:assert/strict';
import {createHash, randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {sampleConsent} from '../../../../server/config/sample-consent.ts';
import {inPlainWords} from '../../../../form/consent-text.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {toEventData} from '../../../../server/destinations/webhook/event.ts';
import {comparableText, createIdempotencyDigests} from '../../../../server/leads/idempotency.ts';
import type {FullLead} from '../../../../server/leads/lead-filter.ts';
import {parseLead} from '../../../../server/leads/lead-schema.ts';
import {startFakeUpstream} from '../../../support/fake-upstream.ts';
import {basic, fieldCodes, postJson, readJson, readProblem} from '../../../support/http.ts';
import {openFor} from '../../../support/opened.ts';
import fc from '../../../support/properties.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {standardBody} from '../../../support/sample-leads.ts';
import {asOperator, forEachStore, sqlite, type StoredServer} from '../../../support/stores.ts';
import {acme, globex, listedOrigin, startTestServer, type TestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
type Fields = Parameters<typeof onePartner>[0];
const partner = (key: string, cid: string, consent: Fields['consent']) =>
  onePartner({key, cid, origins: [listedOrigin], consent});
const english = 'You may call me: [terms](https://www.partner.example/terms).';
const spanish = 'Puede llamarme. Ünïcode, too.';
const [plain, shared] = ['You may call me.', 'The text of two partners'];
const partners = [
  partner('acme', '1001', {texts: {en: {text: english, version: '2'}, es: {text: spanish, version: '2'}}}),
  partner('older', '1001', {text: plain, version: '2025'}),
  partner('north', '1001', {texts: {en: {text: shared, version: 'both'}}}),
  partner('south', '1001', {texts: {en: {text: shared, version: 'both'}}}),
  partner('others', '2001', {texts: {en: {text: 'Of another client', version: '9'}}}),
] as const;

const create = (server: Pick<TestServer, 'fetch'>, consent: unknown, more: object = {}, key?: string) =>
  server.fetch(
    '/json/leads',
    postJson({...standardBody, consent, ...more}, {...basic(acme), ...(key && {'idempotency-key': key})}),
  );
const created = async (...sent: Parameters<typeof create>) =>
  (await readJson<{id: string}>(await create(...sent), 201)).id;

/** All that is stored of a lead. */
async function stored(server: StoredServer, id: string): Promise<FullLead> {
  const found = await asOperator(server, (store) => store.readLead(id));
  assert.ok(found && 'consent' in found.lead);
  return found.lead;
}

suite('a consent that is wrong', () => {
  const server = sqlite.useServer({partners: [...partners]});
  const said = {text: 'Yes'};
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const cases: Record<string, [consent: unknown, field: string, code?: string]> = {
    'that is null': [null, 'consent'],
    'that is a text': ['Yes', 'consent'],
    'that is a list': [[said], 'consent'],
    'without a text': [{}, 'consent.text', 'required'],
    'with a text of spaces': [{text: ' \n '}, 'consent.text', 'required'],
    'with a text that is too long': [{text: 'x'.repeat(4_001)}, 'consent.text', 'too_long'],
    'with a control character': [{text: 'a\u0007'}, 'consent.text'],
    'with half a surrogate pair': [{text: 'a\ud800'}, 'consent.text'],
    'with a text that is a number': [{text: 5}, 'consent.text'],
    'with text and version': [{...said, version: '2', language: 'en'}, 'consent.version'],
    'with an unknown version': [{version: '3', language: 'en'}, 'consent.version'],
    'with a version of another language': [{version: '2', language: 'fr'}, 'consent.version'],
    'with a version that two languages have': [{version: '2'}, 'consent.version'],
    'with the version of another client': [{version: '9', language: 'en'}, 'consent.version'],
    'with a long version': [{version: 'v'.repeat(65)}, 'consent.version', 'too_long'],
    'with a language that is none': [{...said, language: 'English'}, 'consent.language'],
    'without a time zone': [{...said, given_at: '2026-01-02T10:00:00'}, 'consent.given_at'],
    'with a blank and no zone': [{...said, given_at: '2026-01-02 10:00'}, 'consent.given_at'],
    'with a zone of no place': [{...said, given_at: '2026-01-02T10:00+24'}, 'consent.given_at'],
    'with a day that does not exist': [{...said, given_at: '2026-02-30T10:00:00Z'}, 'consent.given_at'],
    'given in an hour': [{...said, given_at: inAnHour}, 'consent.given_at'],
    'given before 2000': [{...said, given_at: '1999-12-31T23:59:59Z'}, 'consent.given_at'],
    'with a time as a number': [{...said, given_at: 1_767_225_600}, 'consent.given_at'],
    'on a page that is no web page': [{...said, page: 'javascript:alert(1)'}, 'consent.page'],
    'on half a page': [{...said, page: '/apply'}, 'consent.page'],
    'with a host as address': [{...said, ip: 'localhost'}, 'consent.ip'],
    'without an address': [{...said, ip: ''}, 'consent.ip'],
    'with a certificate over http': [
      {...said, certificate_url: 'http://cert.trustedform.com/1'},
      'consent.certificate_url',
    ],
    'with a certificate that is too long': [
      {...said, certificate_url: `https://cert.example/${'1'.repeat(2_048)}`},
      'consent.certificate_url',
      'too_long',
    ],
    'with a certificate of two lines': [
      {...said, certificate_url: 'https://cert.example/1\nutm_source: x'},
      'consent.certificate_url',
    ],
  };
  for (const [what, [consent, field, code = 'invalid']] of Object.entries(cases))
    test(`is refused with its field: one ${what}`, async () => {
      const problem = await readProblem(await create(server, consent), 422, 'invalid-lead');
      assert.deepEqual(fieldCodes(problem), {[field]: code});
      assert.ok(problem.detail.includes(field));
      assert.deepEqual(await server.select('SELECT id FROM leads'), []);
    });

  test('each field that is wrong is named, beside the other fields of the lead', async () => {
    const sent = await create(server, {text: '', ip: 1, page: 2}, {email: 'x'});
    const problem = await readProblem(sent, 422, 'invalid-lead');
    const ofConsent = {'consent.text': 'required', 'consent.ip': 'invalid', 'consent.page': 'invalid'};
    assert.deepEqual(fieldCodes(problem), {email: 'invalid', ...ofConsent});
    for (const field of Object.keys(ofConsent)) assert.ok(problem.detail.includes(field), field);
  });
  test('the message says that a version stands for several texts', async () => {
    const {errors = []} = await readProblem(await create(server, {version: '2'}), 422, 'invalid-lead');
    assert.match(errors[0]?.message ?? '', /several texts .* language/);
  });
  test('a caller learns nothing of the texts of a client that is not its own', async () => {
    const body = {...standardBody, cid: '1001', consent: {version: '3'}};
    const response = await server.fetch('/json/leads', postJson(body, basic(globex)));
    await readProblem(response, 403, 'cid-not-allowed');
  });
  test('any JSON as a consent gets an answer, and never a 5xx', async () => {
    const names = ['text', 'version', 'language', 'given_at', 'page', 'ip', 'certificate_url', '__proto__'];
    const value = fc.oneof(fc.jsonValue(), fc.string({unit: 'binary'}), fc.webUrl(), fc.ipV6());
    const consent = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value));
    await fc.assert(
      fc.asyncProperty(consent, async (any) => {
        const {status} = await create(server, any);
        assert.ok(status === 201 || status === 422, String(status));
      }),
      {numRuns: 500},
    );
  });
});

test('the example of the guide is taken, and its text is the sample of the demo in plain words', async (t) => {
  const server = await openFor(t, startTestServer());
  const [, section = ''] = /### Consent\n([^]*?)\n## /.exec(readFileSync('docs/api.md', 'utf8')) ?? [];
  const [, body = ''] = /-d '([^]*?)'/.exec(section) ?? [];
  await readJson(await server.fetch('/json/leads', postJson(body, basic(acme))), 201);
  const {consent} = JSON.parse(body) as {consent: {text: string}};
  const {en} = sampleConsent('Acme Funding', {en: 'https://www.acme.example/terms', es: ''});
  assert.equal(consent.text, inPlainWords(en, 'Send'));
});

suite('the time of a consent that a caller brings', () => {
  const server = sqlite.useServer({partners: [...partners]});
  const times = {
    "Facebook's lead ads": '2026-01-02T10:00:00-0500',
    Salesforce: '2026-01-02T15:00:00.000+0000',
    'Java, without seconds': '2026-01-02T15:00Z',
    'Java, with nanoseconds': '2026-01-02T20:30:00.000000000+05:30',
    PostgreSQL: '2026-01-02 15:00:00+00',
    'PostgreSQL in India': '2026-01-02 20:30:00.000001+05:30',
    Ruby: '2026-01-02 15:00:00 +0000',
  };
  for (const [by, given_at] of Object.entries(times))
    test(`is kept as the same moment: ${given_at}, as of ${by}`, async () => {
      const {consent} = await stored(server, await created(server, {text: 'Yes', given_at}));
      assert.equal(consent?.givenAt, Date.UTC(2026, 0, 2, 15));
    });
});

forEachStore((over) => {
  suite('the consent that a caller brings', () => {
    const server = over.useServer({partners: [...partners]});
    const words = () => server.select('SELECT * FROM consent_words ORDER BY words');

    test('with all that it may say is stored with the lead, and its text is not archived', async () => {
      const text = 'I, Jane Doe, agree.\r\nReally 🎉';
      const id = await created(server, {
        ...{text, language: 'en', given_at: '2026-01-02T10:00:00-05:00', ip: '2001:DB8:0::1'},
        page: 'https://www.acme.example/apply?email=jane@example.com#x',
        certificate_url: 'https://cert.trustedform.com/0123456789abcdef?x=1',
        unknown: 'ignored, as everywhere',
      });
      const lead = await stored(server, id);
      const {evidence, ...record} = lead.consent!;
      assert.ok(evidence);
      assert.deepEqual(record, {
        ...{textVersion: sha256(text).slice(0, 8), textLanguage: 'en', textHash: sha256(text), agreed: null},
        ...{givenAt: Date.UTC(2026, 0, 2, 15), origin: null, page: 'https://www.acme.example/apply'},
        ...{ip: '2001:db8::1', userAgent: null, source: 'caller', words: text},
        certificateUrl: 'https://cert.trustedform.com/0123456789abcdef?x=1',
      });
      assert.ok(!(await words()).some((row) => row['words'] === text));
      assert.deepEqual(toEventData(lead, lead.answer).consent, {
        ...{text_version: sha256(text).slice(0, 8), text_language: 'en', text_hash: sha256(text)},
        ...{agreed: null, given_at: '2026-01-02T15:00:00.000Z', origin: null, ip: '2001:db8::1'},
        ...{page: 'https://www.acme.example/apply', user_agent: null, source: 'caller', text},
        certificate_url: 'https://cert.trustedform.com/0123456789abcdef?x=1',
      });
    });
    for (const [consent, text, language] of [
      [{version: '2', language: 'es'}, spanish, 'es'],
      [{version: '2025'}, plain, undefined],
      [{version: 'both'}, shared, 'en'],
    ] as const)
      test(`to a configured text is stored, and so are its words: ${JSON.stringify(consent)}`, async () => {
        const before = Date.now();
        const lead = await stored(server, await created(server, consent));
        const {givenAt, evidence, ...record} = lead.consent!;
        assert.ok(evidence && givenAt >= before && givenAt <= Date.now());
        assert.deepEqual(record, {
          ...{textVersion: consent.version, textHash: sha256(text), agreed: null, origin: null, page: null},
          ...(language && {textLanguage: language}),
          ...{ip: '', userAgent: null, source: 'caller'},
        });
        assert.ok((await words()).some((row) => row['words'] === text && row['text_hash'] === sha256(text)));
      });

    test('belongs to its idempotency key, and a lead without one has the fingerprint of before', async () => {
      const [key, consent] = [randomUUID(), {text: 'Yes', given_at: '2026-01-02T10:00:00Z'}];
      const id = await created(server, consent, {}, key);
      assert.equal(await created(server, {...consent, given_at: '2026-01-02T11:00:00+01:00'}, {}, key), id);
      for (const other of [undefined, {text: 'Yes'}, {...consent, ip: '203.0.113.7'}])
        await readProblem(await create(server, other, {}, key), 422, 'idempotency-key-reused');
      const without = randomUUID();
      await created(server, undefined, {}, without);
      const [digests] = createIdempotencyDigests(server.config.tokenKeys).ofKey(
        `caller:${acme.user}`,
        without,
        comparableText(parseLead(standardBody).data!),
      );
      const rows = await server.select(
        `SELECT fingerprint FROM idempotency_keys WHERE digest = '${digests!.digest}'`,
      );
      assert.deepEqual(
        rows.map((row) => row['fingerprint']),
        [digests!.fingerprint],
      );
    });
    test('is none if the lead has none', async () => {
      const lead = await stored(server, await created(server, undefined));
      assert.equal(lead.consent, null);
      assert.equal(toEventData(lead, lead.answer).consent, null);
    });
  });
});

test('a retry gets its lead again although its text is not configured any more', async (t) => {
  const server = await openFor(t, startTestServer({partners: [...partners]}));
  const [consent, key] = [{version: '2', language: 'en'}, randomUUID()];
  const id = await created(server, consent, {}, key);
  await server.reload({partners: [partners[1]]});
  assert.equal(await created(server, consent, {}, key), id);
  await readProblem(await create(server, consent, {}, randomUUID()), 422, 'invalid-lead');
});

test('the words that a caller brought for an encrypted lead are nowhere in clear', async (t) => {
  const encrypted = sqlite.startServer({dataKeys: ['a data key of at least 32 characters']});
  const server = await openFor(t, encrypted);
  await created(server, {text: 'I, Jane Doe, agree.'});
  for (const table of ['leads', 'consents', 'consent_words', 'consent_texts', 'idempotency_keys'])
    assert.doesNotMatch(JSON.stringify(await server.select(`SELECT * FROM ${table}`)), /Jane Doe/);
});

test('an upstream hears of the consent of a caller in the notes, above those of the caller', async (t) => {
  const upstream = await openFor(t, startFakeUpstream());
  const destinations = new Map([['default', upstream.settings]]);
  const server = await openFor(
    t,
    startTestServer(
      {destinations, partners: [...partners], callers: [{...acme, answer_from: 'default'}]},
      quickTimings,
    ),
  );
  const certificate_url = 'https://cert.trustedform.com/0123456789abcdef';
  const given = {version: '2', language: 'en', given_at: '2026-01-02T10:00:00Z', certificate_url};
  await created(server, given, {notes: 'Call me.\n  As it is'});
  await until(() => upstream.taken().length === 1);
  const [sent] = upstream.exchanges;
  assert.equal(
    sent?.body['notes'],
    `certificate_url: ${certificate_url}\nconsent: 2026-01-02T10:00:00.000Z, en/2\nCall me.\n  As it is`,
  );
  assert.ok(!('consent' in sent.body));
});
