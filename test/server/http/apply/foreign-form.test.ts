/** Forms that another website sends to an apply page, and forms of ours that come from another network. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {onePartner} from '../../../../server/config/partners.ts';
import {plainBrowser, type PlainPage} from '../../../support/plain-browser.ts';
import {sqlite} from '../../../support/stores.ts';

const publicUrl = 'https://leads.example.com';
const listed = 'https://www.acme.example';
const consent = {required: true, texts: {en: {text: 'I agree.', version: '1'}}};

const server = await sqlite.startServer({
  publicUrl,
  trustProxy: 1,
  partners: [
    onePartner({
      ...{key: 'acme', origins: [listed], cid: '1', consent, ask: ['state', 'notes']},
      contact: {phone: '(415) 555-0132'},
    }),
    onePartner({key: 'trusting', origins: [listed], cid: '2', without_script: 'trust'}),
    onePartner({key: 'contact', origins: [listed], cid: '3', lead_types: ['standard'], consent}),
  ],
});
after(() => server.close());

type Headers = Record<string, string>;
const own = {origin: publicUrl, 'sec-fetch-site': 'same-origin'};
let networks = 0;
const newAddress = () => {
  networks += 1;
  return `198.18.${networks >> 8}.${networks & 255}`;
};
const browserIn = (address: string, headers: Headers = {}) =>
  plainBrowser(server.url, {'x-forwarded-for': address, ...headers});

const person = {first_name: 'Mallory', last_name: 'Evil', email: 'mal@evil.example', phone: '415-555-0199'};
const answers = {
  ...{credit_score: 'Above 720', retirement: '120,000', cash: '50,000', investments: '0'},
  ...{...person, state: 'NY', notes: 'Call me tonight'},
};
const agreed = {_seen: 'en/1', consent: 'en/1'};

/** Opens the form, fills it in, and sends it. */
async function toResult(browser: ReturnType<typeof browserIn>, path: string, who: object = {}) {
  const form = await browser.open(path);
  return browser.send(form, {...answers, ...who, consent: form.fields.get('_seen') ?? ''});
}
const leads = () => server.select('SELECT id, supersedes FROM leads ORDER BY id');

/** The form holds nothing of what another website has sent. */
function assertEmpty(page: PlainPage, title: string) {
  // Links and the form keep the query of the address, which nothing reads for answers.
  const shown = page.html.replaceAll(/(?:action|href)="[^"]*"/g, '');
  for (const value of Object.values({...person, notes: answers.notes}))
    assert.ok(!shown.includes(value), `${title}: ${value}`);
  for (const [name, value] of page.fields)
    if (!['_token', '_seen'].includes(name)) assert.equal(value, '', `${title}: ${name}`);
  assert.doesNotMatch(page.html, / checked| selected/, title);
}

/** What browsers say of a form that another website sends. */
const foreign: Record<string, Headers> = {
  'of another site': {origin: 'https://evil.example', 'sec-fetch-site': 'cross-site'},
  'of another site, in an older browser': {origin: 'https://evil.example'},
  'of another site that hides its origin': {origin: 'null', 'sec-fetch-site': 'cross-site'},
  'of a sandboxed frame, in an older browser': {origin: 'null'},
  'of a neighbouring subdomain': {origin: 'https://www.example.com', 'sec-fetch-site': 'same-site'},
  'of a page of the partner, around the frame': {origin: listed, 'sec-fetch-site': 'cross-site'},
  'of another port': {origin: `${publicUrl}:8443`, 'sec-fetch-site': 'same-site'},
  'of our address without TLS': {origin: publicUrl.replace('https', 'http')},
  'that a browser has sent anew': {origin: 'https://evil.example', 'sec-fetch-site': 'none'},
  'of a site that names our origin alone in one header': {origin: publicUrl, 'sec-fetch-site': 'cross-site'},
  'of a site whose name resolves to us': {origin: 'https://rebound.example', 'sec-fetch-site': 'same-origin'},
};
const presses: Record<string, Headers> = {
  'the last button': {},
  'the button of the first step': {_next: '1'},
  'the button to change the answers': {_change: '1'},
  'the step of a form before 1.8': {_page: '2'},
};

suite('a form that another website sends', () => {
  for (const [who, headers] of Object.entries(foreign)) {
    test(`${who} gets the form, empty, whatever it brings`, async () => {
      const address = newAddress();
      const before = (await leads()).length;
      // The token is good: whoever made the other website has asked for it in the visitor's network.
      const form = await browserIn(address, own).open('/apply/acme');
      const token = form.fields.get('_token') ?? '';
      const victim = browserIn(address, headers);
      for (const [title, press] of Object.entries(presses))
        for (const [path, notice] of [
          [
            '/apply/acme',
            /not sent\. Please get in touch with us\. You can also +call \(415\) 555-0132 +to reach/,
          ],
          ['/apply/acme?lang=es', /no se enviaron\. Comuníquese con nosotros\. .* \(415\) 555-0132 /],
          ['/apply/acme?order=contact-first', /Your answers were not sent\./],
          ['/apply/contact', /Your answers were not sent\. Please get in touch with us\. (?!You can)/],
        ] as const) {
          const fields = new URLSearchParams({...answers, ...agreed, ...press, _token: token});
          const page = await victim.post(path, fields);
          assert.equal(page.status, 403, title);
          assertEmpty(page, `${title} of ${path}`);
          assert.match(page.text, notice);
          const next = await browserIn(address, own).send(page);
          assert.equal(next.status, 422, 'the next press of the visitor finds no answers');
        }
      assert.equal((await leads()).length, before);
    });
  }

  test('and an address that other websites make, bring no answers and no consent', async () => {
    const query = new URLSearchParams({...answers, ...agreed, _next: '1', prefill: 'x'}).toString();
    assertEmpty(await browserIn(newAddress(), own).open(`/apply/acme?${query}`), 'opened');
  });
});

suite('a browser that does not say which website sends a form', () => {
  test('gets the form, empty, without a token that we have signed for this partner', async () => {
    const browser = browserIn(newAddress());
    const good = (await browser.open('/apply/trusting')).fields.get('_token') ?? '';
    for (const [title, press] of Object.entries(presses))
      for (const token of ['', `9${good.slice(1)}`, good]) {
        const fields = new URLSearchParams({...answers, ...agreed, ...press, _token: token});
        const page = await browser.post('/apply/acme', fields);
        assert.equal(page.status, 403, title);
        assertEmpty(page, title);
      }
  });

  test('sends its form with the token', async () => {
    assert.match((await toResult(browserIn(newAddress()), '/apply/acme')).text, /you may qualify/);
  });
});

suite('a lead that another one corrects', () => {
  const superseding = async (id: unknown) =>
    (await leads()).find((lead) => lead['id'] === id)?.['supersedes'];
  const newestId = async () => (await leads()).at(-1)?.['id'];

  test('is named by the token of the form alone: another website cannot name one', async () => {
    const result = await toResult(browserIn(newAddress(), own), '/apply/trusting');
    const attackers = await newestId();
    assert.ok(!result.html.includes('_supersedes'));
    const change = result.fields.get('_token') ?? assert.fail('the result has a token');
    const address = newAddress();
    const victim = browserIn(address, own);
    const form = await victim.open('/apply/trusting');
    form.fields.set('_supersedes', `${String(attackers)} ${change}`);
    await victim.send(form, {...answers, first_name: 'Ana'});
    assert.notEqual(await newestId(), attackers);
    assert.equal(await superseding(await newestId()), null);
  });

  test('is not that of somebody in another network, whose form was copied', async () => {
    const result = await toResult(browserIn(newAddress(), own), '/apply/trusting');
    const attackers = await newestId();
    for (const headers of [own, {}]) {
      const victim = browserIn(newAddress(), headers);
      const form = await victim.send(result, {}, ['_change', '1']);
      await victim.send(form, {cash: '90,000', first_name: 'Ana'});
      assert.notEqual(await newestId(), attackers);
      assert.equal(await superseding(await newestId()), null);
    }
  });

  test('is the visitor’s own one, each time that the answers are changed, also back again', async () => {
    const browser = browserIn(newAddress(), own);
    let result = await toResult(browser, '/apply/trusting', {email: 'ana@example.com'});
    for (const cash of ['90,000', '50,000', '50,000']) {
      const earlier = await newestId();
      result = await browser.send(await browser.send(result, {}, ['_change', '1']), {cash});
      assert.match(result.text, /you may qualify/);
      assert.equal(await superseding(await newestId()), earlier);
    }
  });
});

suite('a visitor whose network changes', () => {
  for (const [what, headers] of [
    ['', own],
    [', in a browser that does not say which website sends a form', {}],
  ] as [string, Headers][])
    test(`sends the form once more, and loses nothing that was typed${what}`, async () => {
      const form = await browserIn(newAddress(), headers).open('/apply/trusting');
      const before = (await leads()).length;
      const phone = browserIn(newAddress(), headers);
      const again = await phone.send(form, {...answers, email: 'ana@example.com'});
      assert.equal(again.status, 422);
      assert.match(again.text, /Please send your answers once more/);
      assert.equal(again.fields.get('email'), 'ana@example.com');
      assert.equal((await leads()).length, before);
      assert.match((await phone.send(again)).text, /you may qualify/);
    });

  test('gives one lead, also if the first answer was lost on the way', async () => {
    const form = await browserIn('198.51.100.1', own).open('/apply/trusting');
    await browserIn('198.51.100.1', own).send(form, answers);
    const before = (await leads()).length;
    const mobile = browserIn('198.51.100.2', own);
    assert.match((await mobile.send(await mobile.send(form, answers))).text, /you may qualify/);
    assert.equal((await leads()).length, before);
  });

  test('ticks the box again where the browser does not say which website sends a form', async () => {
    for (const [headers, ticked] of [
      [own, true],
      [{}, false],
    ] as [Headers, boolean][]) {
      const form = await browserIn(newAddress(), headers).open('/apply/acme');
      const sent = {...answers, consent: form.fields.get('_seen') ?? ''};
      const again = await browserIn(newAddress(), headers).send(form, sent);
      assert.equal(again.fields.has('consent'), ticked);
    }
  });

  test('keeps the token within a /64 of IPv6', async () => {
    const form = await browserIn('2001:db8:77:1::1', own).open('/apply/trusting');
    assert.equal((await browserIn('2001:db8:77:1::2', own).send(form, answers)).status, 200);
    assert.equal((await browserIn('2001:db8:77:2::1', own).send(form, answers)).status, 422);
  });
});
