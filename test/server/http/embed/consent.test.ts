/** What the visitor was shown and agreed to, and what is kept of it. */
import assert from 'node:assert/strict';
import {createHash, randomUUID} from 'node:crypto';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {releasesFolder} from '../../../../server/config/config.ts';
import {onePartner, type Partner} from '../../../../server/config/partners.ts';
import {fieldCodes, postJson, readJson, readProblem} from '../../../support/http.ts';
import {openFor, openWhile} from '../../../support/opened.ts';
import {formConfig, sendLead, sentLead, somebody} from '../../../support/embed-client.ts';
import {forEachStore, sqlite, type StoredServer} from '../../../support/stores.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {listedOrigin, startTestServer, type TestServer} from '../../../support/test-server.ts';
import {startWebhookReceiver} from '../../../support/webhook-receiver.ts';
import {openedLead} from '../../../support/encrypted-rows.ts';

const text = 'You may call me about funding. Ünïcode, too.';
type Fields = Parameters<typeof onePartner>[0];
const partner = (key: string, consent?: Fields['consent'], more: Partial<Fields> = {}) =>
  onePartner({key, origins: [listedOrigin], cid: '1001', consent, ...more});
const partners = [
  partner('ticked', {text, version: '2026-02', required: true}),
  partner('shown', {text, version: '2026-02', required: false}),
  partner('none'),
] as const;
const agreed = {version: '2026-02', agreed: true};

const server = sqlite.useServer({partners: [...partners]});
const send = (key: string, body: object) => sendLead(server, somebody(), {partner: key, body});
const recordOf = async ({id}: {id: string}) => (await openedLead(server, id)).consent ?? undefined;

suite('a partner with a consent', () => {
  test('shows its text and version, and says whether it must be ticked', async () => {
    const shown = async (key: string) => (await formConfig(server, key)).consent;
    assert.deepEqual(await shown('ticked'), {text, version: '2026-02', required: true});
    assert.deepEqual(await shown('shown'), {text, version: '2026-02', required: false});
    assert.equal(await shown('none'), null);
  });
  for (const consent of [undefined, null, 'yes', {}, {agreed: true}, {...agreed, agreed: false}]) {
    test(`a lead without the tick is refused, and nothing is stored: ${JSON.stringify(consent)}`, async () => {
      const before = await server.select('SELECT id FROM leads');
      const problem = await readProblem(await send('ticked', {consent}), 422, 'invalid-lead');
      assert.deepEqual(fieldCodes(problem), {consent: 'required'});
      assert.equal((await server.select('SELECT id FROM leads')).length, before.length);
    });
  }
  test('that asks for no tick wants to know that it was shown', async () => {
    const problem = await readProblem(await send('shown', {}), 422, 'invalid-lead');
    assert.deepEqual(fieldCodes(problem), {consent: 'required'});
    assert.equal((await send('shown', {consent: {...agreed, agreed: false}})).status, 201);
  });
  for (const key of ['ticked', 'shown']) {
    test(`refuses the consent to another text: ${key}`, async () => {
      const response = await send(key, {consent: {...agreed, version: '2026-01'}});
      await readProblem(response, 422, 'consent-outdated');
    });
  }
  test('makes a request with the consent to another text another one', async () => {
    const [lead, key] = [somebody(), randomUUID()];
    const sending = {partner: 'ticked', key, body: {consent: agreed}};
    const first = await sentLead(server, lead, sending);
    assert.deepEqual(await sentLead(server, lead, sending), first);
    const outdated = await sendLead(server, lead, {...sending, body: {consent: {...agreed, version: '1'}}});
    await readProblem(outdated, 422, 'idempotency-key-reused');
  });
  test('a repeated request gets its lead again although the consent text has changed since', async (t) => {
    const folder = temporaryFolder(t);
    const databasePath = join(folder, 'leads.sqlite');
    const [lead, key] = [somebody(), randomUUID()];
    const sending = {partner: 'ticked', key, body: {consent: agreed}};
    const before = await openFor(t, startTestServer({databasePath, partners: [partners[0]]}));
    const first = await sentLead(before, lead, sending);
    await before.close();
    const changed = partner('ticked', {text: 'New', version: '2026-03', required: true});
    const after = await openFor(t, startTestServer({databasePath, partners: [changed]}));
    assert.deepEqual(await sentLead(after, lead, sending), first);
    const response = await sendLead(after, somebody(), {...sending, key: randomUUID()});
    await readProblem(response, 422, 'consent-outdated');
  });
});

const sha256 = (given: string) => createHash('sha256').update(given).digest('hex');
const english = 'With {button} I accept the [Terms](https://www.partner.example/terms).';
const spanish = 'Con {button} acepto los [Términos](https://www.partner.example/es).';

const words = {
  en: '{first_name}, we call {phone}. Say {reference}.',
  es: '¡Gracias, {first_name}! Diga {reference}.',
  fr: 'Merci: {reference}.',
};
const links = {
  en: {label: 'Book a call', href: 'https://book.example/en'},
  'es-MX': {label: 'Reserve', href: 'https://book.example/es'},
};

suite('a partner with a consent in each language', () => {
  const texts = {en: {text: english, version: '1'}, es: {text: spanish, version: '1'}};
  const spoken = sqlite.useServer({
    partners: [
      partner('both', {texts, required: true}, {next_step: {en: 'We call {phone}.', es: 'Le llamamos.'}}),
      partner('spanish', {texts: {es: texts.es}}, {lead_types: ['standard']}),
      partner('old', {text: english, version: '1'}),
      partner('named', undefined, {next_step: words, cta: links}),
    ],
  });
  const configOf = (key: string, lang?: string) => formConfig(spoken, key, {lang});
  /** The record of a lead with the consent that this form got. */
  const recordAfter = async (key: string, lang?: string) => {
    const {consent} = await configOf(key, lang);
    const body = {consent: {version: consent?.version, agreed: consent?.required}};
    const {id} = await sentLead(spoken, somebody({lead_type: 'standard'}), {partner: key, body});
    return (await openedLead(spoken, id)).consent ?? assert.fail('it has none');
  };

  /** The text that the record of a consent names by its hash. */
  const wordsOf = async (hash: unknown) =>
    (await spoken.select(`SELECT words FROM consent_words WHERE text_hash = '${String(hash)}'`))[0]?.[
      'words'
    ];

  const plain = 'With See my estimate I accept the Terms (https://www.partner.example/terms).';
  const plainSpanish = 'Con Enviar acepto los Términos (https://www.partner.example/es).';
  type Row = [form: string, key: string, says: string | undefined, lang: string | undefined, text: string];
  const rows: Row[] = [
    ['in English', 'both', 'en-US', 'en', english],
    ['in Spanish', 'both', 'es-US', 'es', spanish],
    ['in French, which has no text', 'both', 'fr-CA', 'en', english],
    ['in English, which has no text', 'spanish', 'en', 'es', spanish],
    ['in English, of a text without a language', 'old', 'en', undefined, english],
    ['that does not say its language, of a text without one', 'old', undefined, undefined, english],
    ['that does not say its language', 'both', undefined, 'en', plain],
    ['whose language is empty', 'both', '', 'en', plain],
    [
      'without its language, at a partner for contact data in Spanish',
      'spanish',
      undefined,
      'es',
      plainSpanish,
    ],
  ];
  for (const [form, key, says, lang, shown] of rows) {
    test(`gives a form ${form} its text, and records it`, async () => {
      const {consent} = await configOf(key, says);
      assert.equal(consent?.text, shown);
      assert.equal(consent.lang, shown.includes('](') ? lang : undefined);
      const {textLanguage, textVersion, textHash} = await recordAfter(key, says);
      assert.deepEqual(
        {textLanguage, textVersion, textHash},
        {textLanguage: lang, textVersion: '1', textHash: sha256(shown)},
      );
      assert.equal(await wordsOf(textHash), shown);
    });
  }
  test('names each text by another version, also if the configured versions are the same', async () => {
    const langs = [undefined, 'en', 'es'];
    const given = await Promise.all(langs.map(async (lang) => (await configOf('both', lang)).consent));
    assert.equal(new Set(given.map((consent) => consent?.version)).size, langs.length);
  });
  test('never records a text that the form did not get, also if the version stayed the same', async () => {
    const {consent} = await configOf('both', 'en');
    const changed = partner('both', {texts: {en: {text: 'I agree.', version: '1'}}});
    await openWhile(startTestServer({partners: [changed]}), async (other) => {
      const body = {consent: {version: consent?.version, agreed: true}};
      const response = await sendLead(other, somebody(), {partner: 'both', body});
      await readProblem(response, 422, 'consent-outdated');
    });
  });
  test('takes no consent to a version as it is configured, for that says no language', async () => {
    const body = {consent: {version: '1', agreed: true}};
    const response = await sendLead(spoken, somebody(), {partner: 'both', body});
    await readProblem(response, 422, 'consent-outdated');
  });
  test('gives a form that says its language the next step in that language alone', async () => {
    assert.deepEqual((await configOf('both', 'es-US')).next_step, {es: 'Le llamamos.'});
    assert.deepEqual((await configOf('both', 'fr')).next_step, {en: 'We call {phone}.'});
    assert.deepEqual((await configOf('both')).next_step, {en: 'We call {phone}.', es: 'Le llamamos.'});
  });
  test('gives a form that says its language the placeholders and the link in that language alone', async () => {
    const {next_step, next_step_named, cta} = await configOf('named', 'es-US');
    assert.deepEqual(next_step_named, {es: words.es});
    assert.deepEqual(next_step, {es: '¡Gracias! Diga el código de abajo.'});
    assert.deepEqual(cta, {'es-MX': links['es-MX']});
    assert.deepEqual((await configOf('named', 'fr')).cta, {en: links.en});
  });
  test('gives older forms no placeholder but the phone number', async () => {
    const {next_step, next_step_named, cta} = await configOf('named');
    assert.deepEqual(next_step, {
      en: 'We call {phone}. Say the code below.',
      es: '¡Gracias! Diga el código de abajo.',
      fr: 'Merci: the code below.',
    });
    assert.deepEqual(next_step_named, words);
    assert.deepEqual(cta, links);
  });
  test('gives a text that all forms know once, and no link if the partner has none', async () => {
    for (const lang of [undefined, 'en']) {
      const config = await configOf('both', lang);
      assert.ok(!('next_step_named' in config) && !('cta' in config));
    }
  });
  test('takes a language that is there twice for none', async () => {
    const twice = await configOf('both', 'es&lang=en');
    assert.deepEqual(twice.consent, (await configOf('both')).consent);
  });
  test('the words of the button are those of the released forms', () => {
    for (const release of readdirSync(releasesFolder).filter((name) => /^\d/.test(name))) {
      const folder = join(releasesFolder, release);
      const code = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
      for (const words of ['See my estimate', 'Send', 'Ver mi estimado', 'Enviar'])
        assert.ok(
          code.some((each) => each.includes(`"${words}"`)),
          `${words} in ${release}`,
        );
    }
  });
});

suite('the record of a consent', () => {
  /** The record of a lead that was sent with the tick. @param page from which it says that it comes */
  const recordWith = async (more: object, page?: unknown, headers: Record<string, string> = {}) => {
    const body = {consent: {...agreed, ...more}, page};
    return recordOf(await sentLead(server, somebody(), {partner: 'ticked', body, headers}));
  };

  test('the record has text, version, tick, time, origin, page, address and browser', async () => {
    const before = Date.now();
    const page = 'https://user:secret@www.partner.example/funding/?email=jane@example.com#part';
    const {givenAt, evidence, ...record} = (await recordWith({}, page, {'user-agent': 'Browser/1.0'}))!;
    assert.ok(evidence);
    assert.ok(Number(givenAt) >= before && Number(givenAt) <= Date.now());
    assert.deepEqual(record, {
      textVersion: '2026-02',
      textHash: sha256(text),
      agreed: true,
      origin: listedOrigin,
      page: 'https://www.partner.example/funding/',
      ip: '127.0.0.1',
      userAgent: 'Browser/1.0',
    });
  });
  test('the record has what stood on the screen, and texts lose what nobody sees', async () => {
    const view = {button: ' See\u202e my\u0000estimate', in_view: false, width: 390, form: '1.7.0'};
    const slot = `We call\n\ud800 by  machine.${'x'.repeat(5_000)}`;
    const {form} = (await recordWith({...view, verbatim: false, slot}))!;
    assert.deepEqual(form, {
      version: '1.7.0',
      button: 'See my estimate',
      verbatim: false,
      inView: false,
      width: 390,
      slot: `We call by machine.${'x'.repeat(5_000)}`.slice(0, 3_999) + '…',
    });
  });
  for (const view of [
    {button: 7, verbatim: 1, in_view: 'yes', width: '390', slot: ['x'], form: null},
    {button: '', in_view: null, width: 0, slot: ' \u200b', form: {}},
    {width: 1.5, slot: 4},
    {width: 100_001},
  ]) {
    test(`leaves out what is not valid, and takes the lead: ${JSON.stringify(view)}`, async () => {
      const record = await recordWith(view);
      assert.ok(record && !('form' in record));
    });
  }
  test('a retry from a window of another width is the same lead, and the first record stays', async () => {
    const [lead, key] = [somebody(), randomUUID()];
    const sendAt = (width: number) =>
      sentLead(server, lead, {partner: 'ticked', key, body: {consent: {...agreed, width}}});
    const first = await sendAt(390);
    assert.deepEqual(await sendAt(1_280), first);
    assert.deepEqual((await recordOf(first))?.['form'], {width: 390});
  });
  for (const page of [undefined, '', 'not a page', 'javascript:alert(1)', 'data:text/html,x', 7]) {
    test(`has no page where there is none: ${JSON.stringify(page)}`, async () => {
      const record = await recordWith({}, page, {'user-agent': 'x'.repeat(5_000)});
      assert.partialDeepStrictEqual(record, {page: null, userAgent: 'x'.repeat(512)});
    });
  }
  for (const page of [
    'https://other.example/',
    'http://www.partner.example/',
    'https://www.partner.example:8443/',
    'https://www.partner.example.other.example/',
  ]) {
    test(`believes no page of another origin: ${page}`, async () => {
      assert.partialDeepStrictEqual(await recordWith({}, page), {origin: listedOrigin, page: null});
    });
  }
  test('the record has no origin and no page where a page of the service sends none', async () => {
    const response = await server.fetch(
      '/embed/v1/leads?partner=ticked',
      postJson(
        {lead: somebody(), consent: agreed, page: `${listedOrigin}/`},
        {'sec-fetch-site': 'same-origin', 'idempotency-key': randomUUID()},
      ),
    );
    const record = await recordOf(await readJson<{id: string}>(response, 201));
    assert.partialDeepStrictEqual(record, {origin: null, page: null});
  });
  test('speaks of no tick where none was asked for', async () => {
    const answer = await sentLead(server, somebody(), {partner: 'shown', body: {consent: agreed}});
    assert.partialDeepStrictEqual(await recordOf(answer), {agreed: null, textVersion: '2026-02'});
  });
  test('is not made at a partner without consent, whatever is sent', async () => {
    assert.equal(await recordOf(await sentLead(server, somebody(), {partner: 'none'})), undefined);
    const answer = await sentLead(server, somebody(), {partner: 'none', body: {consent: agreed}});
    assert.equal(await recordOf(answer), undefined);
  });
  test('is nowhere in the log', () => {
    const log = server.logLines.join('');
    for (const secret of ['/funding/', 'Browser/1.0', 'jane@example.com', text]) {
      assert.ok(!log.includes(secret), secret);
    }
  });
});

forEachStore((store) => {
  suite('a consent text that has changed without a new version', () => {
    const [first, second] = ['changed', 'shared'].map((key) =>
      partner(key, {text, version: '1', required: true}),
    );
    const earlier = store.useServer({partners: [first!, second!]});
    const startWith = (...changed: [Partner, ...Partner[]]) => {
      const {databasePath, databaseUrl} = earlier.config;
      return startTestServer({databasePath, databaseUrl, partners: changed});
    };
    const changed = (key: string, version: string) =>
      partner(key, {text: 'Something else.', version, required: true});
    const agree = (server: TestServer, key: string, version: string) =>
      sentLead(server, somebody(), {partner: key, body: {consent: {version, agreed: true}}});

    test('a changed text is taken if no lead was stored under its version', async (t) => {
      await openFor(t, startWith(changed('changed', '1'), second!));
    });
    test('a changed text is refused at start from the first lead on, by the name of the partner', async (t) => {
      await agree(earlier, 'changed', '1');
      await assert.rejects(startWith(second!, changed('changed', '1')), {
        name: 'ConfigError',
        message:
          /^ {2}partners\.1\.consent\.text: .*visitors of changed saw under the version "1": give the new text a new version/m,
      });
      await openFor(t, startWith(changed('changed', '2'), second!));
    });
    test('is another one for each partner', async (t) => {
      await openFor(t, startWith(changed('shared', '1'), first!));
    });
    test('a changed text is refused also under a version that was used before the last one', async (t) => {
      const next = await openFor(t, startWith(changed('changed', '2'), second!));
      await agree(next, 'changed', '2');
      await assert.rejects(startWith(changed('changed', '1'), second!), /under the version "1"/);
      await openFor(t, startWith(first!, second!));
    });
    test('a changed text is taken if the leads are older than this check', async (t) => {
      await agree(earlier, 'shared', '1');
      await earlier.execute('DELETE FROM consent_texts');
      const server = await openFor(t, startWith(changed('shared', '1'), first!));
      await agree(server, 'shared', '1');
      await assert.rejects(startWith(second!), /under the version "1"/, 'from the first lead on, it stays');
    });
    const inTexts = (
      texts: Readonly<Record<string, {text: string; version: string}>>,
      key = 'spoken',
    ): Partner => partner(key, {texts, required: true});
    /** A lead with the consent that a form in this language gets; an empty one for a form before 1.4. */
    const agreeIn = async (server: TestServer, key: string, lang: string) => {
      const {consent} = await formConfig(server, key, {lang});
      await agree(server, key, consent?.version ?? '');
    };
    const firstEnglish = {text: english, version: '1'};
    const firstSpanish = {text: spanish, version: '1'};

    test('a changed text is refused in its language alone, and every form counts', async (t) => {
      const server = await openFor(t, startWith(inTexts({en: firstEnglish, es: firstSpanish})));
      for (const lang of ['', 'es', 'en']) await agreeIn(server, 'spoken', lang);

      const changedSpanish = {...firstSpanish, text: 'Acepto.'};
      await assert.rejects(startWith(inTexts({en: firstEnglish, es: changedSpanish})), {
        message:
          /^ {2}partners\.0\.consent\.texts\.es\.text: .*of spoken saw under the version "1" in es: give/m,
      });
      await assert.rejects(
        startWith(inTexts({en: {...firstEnglish, text: 'I agree.'}, es: firstSpanish})),
        /"1" in en/,
      );
      const second = {...changedSpanish, version: '2'};
      await openFor(t, startWith(inTexts({en: firstEnglish, es: second})));
      await openFor(t, startWith(inTexts({es: second, en: firstEnglish})));
      await openFor(t, startWith(inTexts({en: {text: english, version: '3'}, es: firstSpanish})));
    });
    test('another language may have a version that was used before for another text', async (t) => {
      const server = await openFor(t, startWith(inTexts({en: firstEnglish}, 'grown')));
      await agreeIn(server, 'grown', 'en');
      const grown = inTexts({en: firstEnglish, es: firstSpanish}, 'grown');
      const next = await openFor(t, startWith(grown));
      await agreeIn(next, 'grown', 'es');
      await openFor(t, startWith(grown));
    });
    test('the first text takes the place of one without a language, which keeps its version', async (t) => {
      await agree(earlier, 'changed', '1');
      await openFor(t, startWith(inTexts({en: {text, version: '1'}, es: firstSpanish}, 'changed')));
      await assert.rejects(
        startWith(inTexts({en: firstEnglish, es: firstSpanish}, 'changed')),
        /partners\.0\.consent\.texts\.en\.text: .*under the version "1" in en/,
      );
      await openFor(t, startWith(inTexts({en: {text: english, version: '5'}, es: firstSpanish}, 'changed')));
    });
    test('a changed text is found however many leads are stored at once', async () => {
      await earlier.execute('DELETE FROM consent_texts');
      await Promise.all(
        Array.from({length: 40}, (_, place) => agree(earlier, place % 2 ? 'changed' : 'shared', '1')),
      );
      assert.deepEqual(
        (await earlier.select('SELECT partner, version FROM consent_texts ORDER BY partner')).map((row) => ({
          ...row,
        })),
        ['changed', 'shared'].map((name) => ({partner: name, version: '1'})),
      );
    });
  });
});

forEachStore((store) => {
  suite('the words of the texts in force', () => {
    const texts = {en: {text: english, version: '1'}, es: {text: spanish, version: '1'}};
    const inEnglish = 'With See my estimate I accept the Terms (https://www.partner.example/terms).';
    const inSpanish = 'Con Ver mi estimado acepto los Términos (https://www.partner.example/es).';
    const spoken = (given: typeof texts) => [partner('acme', {texts: given}), partner('none')] as const;
    /** Without the figures of policies, which stand in the same archive. */
    const wordsIn = async (server: StoredServer) =>
      (await server.select('SELECT text_hash, words FROM consent_words')).flatMap(({text_hash, words}) => {
        assert.equal(text_hash, sha256(String(words)));
        return String(words).startsWith('{"version"') ? [] : words;
      });
    const sorted = (words: readonly unknown[]) => words.toSorted();

    test('are taken in at start and at a reload, and those of a changed text are not', async (t) => {
      const server = await openFor(t, store.startServer({partners: [...spoken(texts)]}));
      const first = [english, spanish, inEnglish, inSpanish];
      assert.deepEqual(sorted(await wordsIn(server)), sorted(first));

      // As before 1.6: a lead names the hash of a text, of which no words are kept.
      const shown = await formConfig(server, 'acme', {lang: 'en'});
      await sentLead(server, somebody(), {
        body: {consent: {version: shown.consent?.version, agreed: false, button: 'See my estimate'}},
      });
      await server.execute('DELETE FROM consent_words');
      const changed = spoken({...texts, en: {text: 'Changed.', version: '2'}});
      await server.reload({partners: [...changed]});
      assert.deepEqual(sorted(await wordsIn(server)), sorted(['Changed.', spanish, inSpanish]));
      const {databasePath, databaseUrl} = server.config;
      await openFor(t, startTestServer({databasePath, databaseUrl, partners: [...spoken(texts)]}));
      assert.deepEqual(sorted(await wordsIn(server)), sorted([...first, 'Changed.']));
    });

    test('do not stop a start or a reload if they cannot be stored, and the log says so', async (t) => {
      const server = await openFor(t, store.startServer());
      await server.execute('ALTER TABLE consent_words RENAME TO kept_aside');
      await server.reload({partners: [...spoken(texts)]});
      const {databasePath, databaseUrl} = server.config;
      const other = await openFor(
        t,
        startTestServer({databasePath, databaseUrl, partners: [...spoken(texts)]}),
      );
      for (const {logLines} of [server, other])
        assert.ok(logLines.some((line) => line.includes('words of the consent texts, or the key')));
      await server.execute('ALTER TABLE kept_aside RENAME TO consent_words');
    });
  });

  test('what stood on the screen is encrypted with the lead, and stands in its event', async (t) => {
    const receiver = await openFor(t, startWebhookReceiver());
    const sending = partner('ticked', {text, version: '2026-02', required: true}, {send_to: ['crm']});
    const destinations = new Map([['crm', receiver.settings]]);
    const dataKeys = ['a data key of at least 32 characters'] as const;
    const server = await openFor(t, store.startServer({partners: [sending], destinations, dataKeys}));
    const view = {button: 'See my estimate', in_view: true, width: 390, slot: 'Canary', form: '1.7.0'};
    await sentLead(server, somebody(), {partner: 'ticked', body: {consent: {...agreed, ...view}}});
    await receiver.hasReceived(1);
    const {data} = JSON.parse(receiver.received[0]!.body) as {data: {consent: object}};
    assert.partialDeepStrictEqual(data.consent, {
      button: 'See my estimate',
      in_view: true,
      window_width: 390,
      slot_text: 'Canary',
      form_version: '1.7.0',
    });
    assert.ok(!server.logLines.join('').includes('Canary'));
  });
});
