/**
 * A day of requests: 120 leads of the form, of an apply page without a script, and of callers, under three texts and two
 * addresses of a destination, some erased by hand and some by the retention job. What did each person agree to, and who has the lead? Each question
 * is answered by one command, and all words are compared letter by letter.
 */
import assert from 'node:assert/strict';
import {createPublicKey, verify} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test, type TestContext} from 'node:test';
import {referenceOf} from '../../contract/reference.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import type {ConsentRow, ShownConsent} from '../../server/admin/consents.ts';
import {retentionOf} from '../../server/leads/retention.ts';
import {formConfig, sentLead, somebody} from '../support/embed-client.ts';
import {basic, postJson, readJson} from '../support/http.ts';
import {openFor} from '../support/opened.ts';
import {databaseKinds, linesOf, operate} from '../support/operator.ts';
import {writeConfig} from '../support/config-file.ts';
import {plainBrowser} from '../support/plain-browser.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {startWebhookReceiver, type WebhookReceiver} from '../support/webhook-receiver.ts';

const day = 86_400_000;
/** On a busy machine, a commit may take longer than the quick age, after which digests are written. */
const timings = {...quickTimings, digests: {...quickTimings.digests, age: 10_000}};
/** Leads of each text, by where they come from. */
const perText = {form: 20, brief: 4, 'apply page': 4, 'caller with a version': 8, 'caller with a text': 4};
const versions = ['1', '2', '3'];

const textOf = (version: string, language: string) => ({
  version,
  text: `${language} ${version}: With “{button}” I agree to calls, été & <b>\n[Terms](https://acme.example/${version})`,
});

type Sent = {
  id: string;
  from: keyof typeof perText;
  words: string;
  version: string;
  language: string | null;
  phone: string;
  email: string;
  /** The port of the receiver that has it. */
  at: number | undefined;
};

/** Sends leads over a day, and what is known of each. */
async function spendDay(t: TestContext, postgres: boolean) {
  const folder = temporaryFolder(t);
  const [before, after] = [
    await openFor(t, startWebhookReceiver()),
    await openFor(t, startWebhookReceiver()),
  ];
  const consent = (version: string) => ({
    required: true,
    texts: {en: textOf(version, 'en'), es: textOf(version, 'es')},
  });
  const write = (version: string, crm: WebhookReceiver) =>
    writeConfig(
      folder,
      [
        {consent: consent(version), send_to: ['crm']},
        {key: 'brief', consent: consent(version), retain_days: 1},
      ],
      {crm: {type: 'webhook', url: `http://127.0.0.1:${crm.port}/leads?key=secret`, credentials: 'CRM'}},
    );
  const settings = {
    CONFIG_FILE: write('1', before),
    // The receiver is another one after the change of address, and has the same secret.
    CREDENTIALS_CRM_SECRET: before.secret,
    EVIDENCE_KEY: 'an-evidence-key-for-tests-that-is-long-enough',
    TRUST_PROXY: '1',
  };
  const operated = await operate(t, [], {postgres, settings});
  const server = {...operated, ...(await operated.serve(timings))};
  const sent: Sent[] = [];
  let people = 0;
  const person = () => {
    people += 1;
    return {phone: `415-${300 + people}-1234`, email: `Person${people}@example.com`};
  };

  async function fromForm(from: 'form' | 'brief', version: string, at: number | undefined, index: number) {
    const language = index % 2 === 0 ? 'en' : 'es';
    const partner = from === 'form' ? 'acme' : 'brief';
    const {consent: shown} = await formConfig(server, partner, {lang: language});
    const who = person();
    const agreed = {
      version: shown?.version,
      agreed: true,
      button: `Send ${index}`,
      in_view: true,
      width: 360,
    };
    const {id} = await sentLead(server, somebody(who), {partner, body: {consent: agreed, lang: language}});
    const {text: words} = textOf(version, language);
    sent.push({id, from, words, version, language, ...who, at: from === 'form' ? at : undefined});
  }

  async function fromApplyPage(version: string, at: number) {
    const who = person();
    const browser = plainBrowser(server.url, {'x-forwarded-for': `198.51.100.${people % 250}`});
    const form = await browser.open('/apply/acme');
    const funds = {credit_score: 'Above 720', retirement: '120,000', cash: 'none', investments: 'none'};
    const agreed = {first_name: 'Ana', last_name: 'Silva', consent: form.fields.get('_seen') ?? ''};
    const result = await browser.send(form, {...funds, ...who, ...agreed});
    assert.equal(result.status, 200);
    const [id] = await server.select(`SELECT MAX(id) AS id FROM leads WHERE partner = 'acme'`);
    sent.push({
      ...{id: String(id?.['id']), from: 'apply page', words: textOf(version, 'en').text, version, ...who},
      ...{language: 'en', at},
    });
  }

  async function fromCaller(from: 'caller with a version' | 'caller with a text', version: string) {
    const who = person();
    const own = `I agree to calls about ${people}.`;
    const given_at = '2026-11-01T10:00:00.000Z';
    const consent =
      from === 'caller with a text' ? {text: own, given_at} : {version, language: 'en', given_at};
    const body = {...prequalificationBody, ...who, cid: '1001', consent};
    const {id} = await readJson<EmbedAnswer>(
      await server.fetch('/json/leads', postJson(body, basic(acme))),
      201,
    );
    const isOwn = from === 'caller with a text';
    sent.push({
      ...{id, from, words: isOwn ? own : textOf(version, 'en').text, version: isOwn ? '' : version, ...who},
      ...{language: isOwn ? null : 'en', at: undefined},
    });
  }

  for (const version of versions) {
    const crm = version === '3' ? after : before;
    write(version, crm);
    await server.reload();
    for (let index = 0; index < perText.form; index += 1) await fromForm('form', version, crm.port, index);
    for (let index = 0; index < perText.brief; index += 1) await fromForm('brief', version, undefined, index);
    for (let index = 0; index < perText['apply page']; index += 1) await fromApplyPage(version, crm.port);
    for (const from of ['caller with a version', 'caller with a text'] as const)
      for (let index = 0; index < perText[from]; index += 1) await fromCaller(from, version);
    await crm.hasReceived((version === '2' ? 2 : 1) * (perText.form + perText['apply page']));
  }

  return {server, sent, before, after, command: server.does, folder};
}

/** Every third lead of a place, so that each text and language is asked for. */
const someOf = (sent: readonly Sent[], from: Sent['from']) =>
  sent.filter((each) => each.from === from).filter((_, index) => index % 3 === 0);

const placeOf = (port: number) => `127.0.0.1:${port}`;

function assertAgreed(
  record: Omit<ShownConsent, 'receivers' | 'statement' | 'salt'>,
  {id, words, language, from, version}: Sent,
) {
  assert.equal(record.lead, id);
  assert.equal(record.text?.words, words, `the words of ${from}`);
  assert.equal(record.text.language, language);
  if (version !== '') assert.equal(record.text.version, version);
  if (from.startsWith('caller'))
    assert.deepEqual(
      [record.observed?.source, record.reported?.given_at],
      ['caller', '2026-11-01T10:00:00.000Z'],
    );
  else assert.ok(record.observed?.ip && record.reported?.button);
}

async function publicKeys(server: {fetch: (path: string) => Promise<Response>}) {
  type Keys = {keys: {kid: string; kty: string; crv: string; x: string}[]};
  const {keys} = (await (await server.fetch('/.well-known/lead-prequal/keys.json')).json()) as Keys;
  return new Map(keys.map(({kid, ...jwk}) => [kid, createPublicKey({key: jwk, format: 'jwk'})]));
}

for (const {name, postgres, skip} of databaseKinds)
  test(
    `each question of a day is answered by one command, word for word, over ${name}`,
    {skip},
    async (t) => {
      const {server, sent, before, after, command, folder} = await spendDay(t, postgres);
      assert.equal(sent.length, 120);

      const erased = someOf(sent, 'form').slice(0, 6);
      const forgotten = someOf(sent, 'apply page').slice(0, 1);
      const signed = new Map<string, string>();
      for (const {id} of erased) signed.set(id, (await command('consent', 'show', id, '--signed')).stdout);
      const {stderr, stdout} = await command(
        'leads',
        'erase',
        ...erased.map(({id}) => referenceOf(id)),
        '--yes',
      );
      assert.ok(`${stdout}${stderr}`.includes(placeOf(before.port)), 'the former receiver is named');
      await command('leads', 'erase', ...forgotten.map(({id}) => id), '--all', '--yes');
      const later = Date.now() + 2 * day;
      const {store, config} = await server.admin();
      const {leads: expired} = await store.applyRetention(later, retentionOf(config));
      assert.equal(expired, 3 * perText.brief);
      const gone = new Set([...erased, ...sent.filter(({from}) => from === 'brief')].map(({id}) => id));
      const hasConsent = sent.filter(({id}) => id !== forgotten[0]?.id);

      await t.test('all consents in one file, those of erased leads, too', async () => {
        const file = join(folder, 'consents.jsonl');
        await command('leads', 'export', file, '--consents');
        const records = linesOf<ShownConsent>({stdout: readFileSync(file, 'utf8')});
        const byId = new Map(records.map((record) => [record.lead, record]));
        assert.equal(byId.size, hasConsent.length);
        for (const each of hasConsent) {
          const record = byId.get(each.id) ?? assert.fail(`${each.from} is missing`);
          assertAgreed(record, each);
          assert.equal(record.erased_at !== null, gone.has(each.id));
        }
      });

      await t.test('one consent, by reference, phone and e-mail, and who has the lead', async () => {
        const asked = (Object.keys(perText) as Sent['from'][]).flatMap((from) => someOf(sent, from));
        for (const [index, each] of asked.filter(({id}) => id !== forgotten[0]?.id).entries()) {
          const who = [referenceOf(each.id), each.phone, each.email.toUpperCase()][index % 3] ?? '';
          const [record = assert.fail(), ...others] = linesOf<ShownConsent>(
            await command('consent', 'show', who, '--json'),
          );
          assert.deepEqual(others, []);
          assertAgreed(record, each);
          const places = record.receivers.map(({destination, place}) => `${destination} ${place}`);
          assert.deepEqual(places, each.at === undefined ? [] : [`crm ${placeOf(each.at)}`]);
          assert.doesNotMatch(JSON.stringify(record), /key=secret/);
        }
      });

      await t.test('who agreed to a text', async () => {
        const expected = hasConsent.filter(
          ({from, version, language}) =>
            (from === 'form' || from === 'apply page') && version === '2' && language === 'en',
        );
        const rows = linesOf<ConsentRow>(
          await command('consent', 'list', '--text', 'acme/en/2', '--limit', '1000', '--json'),
        );
        assert.deepEqual(rows.map(({lead}) => lead).toSorted(), expected.map(({id}) => id).toSorted());
      });

      await t.test('nothing is left of a consent that was erased', async () => {
        const [one = assert.fail()] = forgotten;
        const [record = assert.fail()] = linesOf<ShownConsent>(
          await command('consent', 'show', one.id, '--json'),
        );
        assert.deepEqual([record.text, record.person, record.statement], [null, null, null]);
        const {stderr: said} = await command('leads', 'list', '--phone', one.phone);
        assert.match(said, /^0 leads/m);
      });

      await t.test(
        'the statements that receivers got are those that a command shows, also after erasing',
        async () => {
          const keys = await publicKeys(server);
          type Event = {type: string; data: {id: string; consent: {statement?: string} | null}};
          const events = [...before.received, ...after.received].map(({body}) => JSON.parse(body) as Event);
          const created = events.filter(({type}) => type === 'lead.created');
          assert.equal(created.length, 3 * (perText.form + perText['apply page']));
          for (const {data} of created) {
            const statement = data.consent?.statement ?? assert.fail('an event has no statement');
            const [header = '', payload = '', signature = ''] = statement.split('.');
            const {kid} = JSON.parse(Buffer.from(header, 'base64url').toString()) as {kid: string};
            const key = keys.get(kid) ?? assert.fail('its key is not published');
            assert.ok(
              verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')),
            );
            const erasedOne = signed.get(data.id);
            if (erasedOne === undefined) continue;
            assert.equal(erasedOne, `${statement}\n`);
            assert.equal((await command('consent', 'show', data.id, '--signed')).stdout, erasedOne);
          }
        },
      );

      await t.test('the present receiver hears of no lead that it never had', async () => {
        const erasedAt = (receiver: WebhookReceiver) =>
          receiver.received
            .map(({body}) => JSON.parse(body) as {type: string; data: {id: string}})
            .filter(({type}) => type === 'lead.erased')
            .map(({data}) => data.id);
        const present = erased.filter(({at}) => at === after.port).map(({id}) => id);
        await until(() => present.every((id) => erasedAt(after).includes(id)));
        assert.deepEqual(erasedAt(after).toSorted(), present.toSorted());
        assert.deepEqual(erasedAt(before), []);
      });
    },
  );
