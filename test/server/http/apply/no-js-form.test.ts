/** The form of an apply page without a script, as a browser sends it, up to the stored lead. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {HtmlValidate} from 'html-validate';
import type {Config} from '../../../../server/config/config.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import type {Timings} from '../../../../server/config/timings.ts';
import {makeEmbedVersion} from '../../../support/embed-folder.ts';
import {openFor} from '../../../support/opened.ts';
import {attributeOf, plainBrowser, textOf, type PlainPage} from '../../../support/plain-browser.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {rowsOf, stopWrites} from '../../../support/rows.ts';
import {startTestServer, type TestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';
import {openedIn} from '../../../support/encrypted-rows.ts';

const publicUrl = 'https://leads.example.com';
const origins = ['https://www.acme.example'];
const terms = (language: string) => ({
  text: `With {button} I accept the [Terms](https://www.acme.example/${language}).`,
  version: '1',
});

const withForm = (settings: Partial<Config>) => (folder: string) => {
  makeEmbedVersion(join(folder, 'embed'), '1.9.0', {'lead-prequal-form.js': ''});
  return settings;
};

const start = (timings?: Partial<Timings>) =>
  startTestServer(
    withForm({
      publicUrl,
      // Each test has a network of its own, because few leads are taken from each.
      trustProxy: 1,
      rateLimit: 60,
      partners: [
        onePartner({
          key: 'acme',
          name: 'Acme Funding',
          origins,
          cid: 'secret-cid',
          context_fields: ['brand'],
          consent: {required: true, texts: {en: terms('en'), es: terms('es')}},
          contact: {phone: '(415) 555-0132'},
          next_step: 'We call {phone} about {reference}, {first_name}.',
          cta: {en: {label: 'Book', href: 'https://www.acme.example/book'}},
          show_estimate: 'before-contact',
        }),
        onePartner({
          key: 'trusting',
          origins,
          cid: '2',
          without_script: 'trust',
          privacy_href: 'https://acme.example/privacy',
          consent: {
            texts: {
              en: {text: 'By sending you accept the [policy](https://acme.example/privacy).', version: '7'},
            },
          },
        }),
        onePartner({
          key: 'asking',
          origins,
          cid: '4',
          ask: ['state', 'call_time', 'time_frame', 'notes'],
          call_promise: {en: 'We call within a day.'},
          name: 'Asking Inc.',
          contact: {phone: '(415) 555-0132', email: 'hello@acme.example'},
          trust_line: {en: 'Rated <4.9>', es: 'Valorado 4.9'},
        }),
        onePartner({key: 'contact', origins, cid: '3', lead_types: ['standard']}),
        onePartner({
          key: 'broker',
          origins,
          cid: '5',
          ask: [
            {
              ...{name: 'revenue', label: {en: 'Monthly revenue'}, required: true},
              choices: [
                {value: 'low', en: 'Under $10,000'},
                {value: 'high', en: 'Over $50,000'},
              ],
            },
            {name: 'since', label: {en: 'In business since'}, kind: 'text', step: 'funds'},
          ],
        }),
      ],
    }),
    timings,
  );

let networks = 0;
/** A visitor from a network of its own. */
const visitor = (server: TestServer, headers: Record<string, string> = {}) => {
  networks += 1;
  return plainBrowser(server.url, {
    'x-forwarded-for': `198.51.${networks >> 8}.${networks & 255}`,
    ...headers,
  });
};
const answers = {
  credit_score: 'Above 720',
  ...{retirement: '120,000', cash: '50k', investments: 'none'},
  ...{first_name: 'Ana', last_name: 'Silva', email: 'ana@example.com', phone: '415-555-0132'},
};

const agreed = (page: PlainPage) => ({consent: page.fields.get('_seen') ?? ''});

const storedIn = ({config}: TestServer) =>
  openedIn(config.databasePath).map(({lead_type: leadType, lead, ...row}) => ({
    ...{...row, leadType, lead: lead as Record<string, unknown>},
  }));
const newest = (server: TestServer) => storedIn(server).at(-1)!;
/** Fills in the form, and sends it. */
async function sent(browser: ReturnType<typeof visitor>, path: string, more: Record<string, string> = {}) {
  const form = await browser.open(path);
  return browser.send(form, {...answers, ...agreed(form), ...more});
}
/** What the browser shows first, as the id or else the text of the element. */
const focused = (page: PlainPage) =>
  ['h2', 'input', 'div'].flatMap((tag) =>
    page
      .all(tag)
      .filter((element) => attributeOf(element, 'autofocus') !== undefined)
      .map((element) => attributeOf(element, 'id') ?? textOf(element).replace(/\s+/g, ' ').trim()),
  );
const mainLinks = (page: PlainPage) =>
  page
    .all('a')
    .filter((link) => attributeOf(link, 'class') === 'main')
    .map((link) => attributeOf(link, 'href'));
const amountOf = (page: PlainPage) => /up to \$([\d,]+)/.exec(page.text)?.[1];

const server = await start();
after(() => server.close());

suite('the form without a script', () => {
  test('has all fields on one page, and the answer to it is the result', async () => {
    const browser = visitor(server);
    const form = await browser.open(
      '/apply/acme?utm_source=news&referrer=https://forged.example/&context-brand=north&context-other=x',
    );
    assert.match(form.text, /credit score\?.*Your funds.*None\? Type 0\..*About you/);
    assert.doesNotMatch(form.text, /Step 1|Next/);
    assert.equal(attributeOf(form.all('form')[0], 'target'), '_self');
    const before = storedIn(server).length;
    const result = await browser.send(form, {...answers, ...agreed(form)});
    assert.equal(result.status, 200);
    assert.equal(result.headers['cache-control'], 'no-store');
    assert.match(result.text, /Ana, you may qualify for up to \$950,000/);
    assert.match(result.text, /Retirement rollover \$120,000 .*The whole balance may be used\./);
    assert.match(result.text, /We call \(415\) 555-0132 about \w{4}-\w{4} , Ana/);
    assert.deepEqual(mainLinks(result), ['https://www.acme.example/book']);
    assert.doesNotMatch(result.html, /secret-cid|lead-prequal-form /);
    assert.equal(storedIn(server).length, before + 1);
    const row = newest(server);
    assert.partialDeepStrictEqual(row, {
      partner: 'acme',
      context: {brand: 'north'},
      attribution: {utm_source: 'news', landing_page: `${publicUrl}/apply/acme`},
    });
    assert.ok(!row.attribution?.['referrer'], 'an address names no referrer');
    const lead = {
      first_name: 'Ana',
      credit_score: 'Above 720',
      retirement: 120_000,
      cash: 50_000,
      investments: 0,
    };
    assert.partialDeepStrictEqual(row.lead, lead);
  });

  test('ends with the number of the partner as the main button where it found nothing', async () => {
    const nothing = {credit_score: 'Below 620', retirement: 'none', cash: 'none'};
    const result = await sent(visitor(server), '/apply/acme', nothing);
    assert.deepEqual(mainLinks(result), ['tel:+14155550132', 'https://www.acme.example/book']);
    assert.match(result.text, /How to unlock more .*Portfolio loan Needs at least \$100,000 in investments/);
  });

  test('says who asks, and hides the address, which the element needs where it gets no further', async () => {
    const form = await visitor(server).open('/apply/asking');
    assert.match(
      form.text,
      /Phone .* Asking Inc\. We call within a day\. Talk first\? \(415\) 555-0132 .*Rated <4\.9>/,
    );
    assert.equal(form.text.split('Rated').length, 2);
    assert.equal(attributeOf(form.all('lead-prequal-form')[0], 'trust-line'), 'Rated <4.9>');
    const links = form.all('a').filter((link) => /^(tel|mailto):/.test(attributeOf(link, 'href') ?? ''));
    assert.deepEqual(
      links.map((link) => [attributeOf(link, 'href'), attributeOf(link, 'hidden')]),
      [
        ['tel:+14155550132', undefined],
        ['mailto:hello@acme.example', ''],
      ],
    );
  });

  test('is in Spanish, in the other order, and with a consent in that language', async () => {
    const browser = visitor(server, {'accept-language': 'es-MX'});
    const form = await browser.open('/apply/acme?order=contact-first');
    assert.match(form.text, /Apellido.*Historial de crédito.*Sus fondos/);
    assert.equal(attributeOf(form.all('lead-prequal-form')[0], 'order'), 'contact-first');
    assert.match(form.text, /With Ver mi estimado I accept the Terms/);
    const result = await browser.send(form, {...answers, bankruptcy: 'false', ...agreed(form)});
    assert.match(result.text, /Ana, usted podría calificar para hasta \$950,000/);
    assert.partialDeepStrictEqual(newest(server).consent, {textLanguage: 'es', agreed: true, script: 'none'});
  });

  test('takes contact data alone', async () => {
    const result = await sent(visitor(server), '/apply/contact');
    assert.match(result.text, /Thank you, Ana We have your details/);
    assert.equal(newest(server).leadType, 'standard');
    assert.equal(newest(server).consent, null);
  });

  test('asks what the partner asks for besides, with its promise at the phone field', async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/asking');
    assert.match(form.text, /Phone .* We call within a day\./);
    const folds = (page: PlainPage) => page.all('details').map((each) => attributeOf(each, 'open'));
    assert.deepEqual(folds(form), [undefined], 'they are folded');
    const asked = {state: 'NY', call_time: 'text_first', notes: '\nOne "line"\nand <more>'};
    const wrong = await browser.send(form, {...asked, first_name: 'Ana'});
    assert.equal(wrong.fields.get('state'), 'NY');
    assert.deepEqual(folds(wrong), [''], 'they are filled in');
    assert.equal(wrong.fields.get('notes'), asked.notes, 'also an empty first line');
    await browser.send(wrong, answers);
    assert.partialDeepStrictEqual(newest(server).lead, {...asked, notes: asked.notes.trim()});
    assert.equal((await browser.send(form, {...answers, state: 'Nowhere'})).status, 422);
  });

  test("asks a partner's own questions, each where it belongs, and wants one answered", async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/broker');
    assert.match(form.text, /Investments.*In business since \(optional\).*About you.*Monthly revenue/);
    const wrong = await browser.send(form, {...answers, since: '2019'});
    assert.match(wrong.text, /Monthly revenue is missing\./);
    assert.equal(wrong.fields.get('since'), '2019');
    await browser.send(wrong, {revenue: 'high'});
    assert.deepEqual(newest(server).lead['answers'], [
      {name: 'revenue', label: 'Monthly revenue', value: 'high', text: 'Over $50,000'},
      {name: 'since', label: 'In business since', value: '2019', text: '2019'},
    ]);
  });

  test('counts as begun once, at its first post, however often it is sent and changed', async (t) => {
    const counting = await openFor(t, start(quickTimings));
    const browser = visitor(counting, {'sec-fetch-site': 'same-origin'});
    const form = await browser.open('/apply/acme');
    const corrected = await browser.send(form, {first_name: 'Ana'});
    const result = await browser.send(corrected, {...answers, ...agreed(corrected)});
    await browser.send(await browser.send(result, {}, ['_change', '1']), {cash: '90,000'});
    await browser.send(await browser.open('/apply/trusting'));
    const views = () => rowsOf(counting.config.databasePath, 'SELECT * FROM page_views ORDER BY partner');
    await until(() => views().length === 2);
    assert.partialDeepStrictEqual(views(), [
      {partner: 'acme', origin: 'own', version: 'unknown', stage: 'began', requests: 1},
      {partner: 'trusting', stage: 'began', requests: 1},
    ]);
  });

  test('lets the visitor change the answers after the result, and the new lead replaces the other', async () => {
    const browser = visitor(server);
    const result = await sent(browser, '/apply/trusting');
    const first = newest(server);
    const form = await browser.send(result, {}, ['_change', '1']);
    assert.equal(form.status, 200);
    assert.deepEqual(focused(form), ['Your funds']);
    assert.equal(form.fields.get('email'), answers.email);
    const changed = await browser.send(form, {cash: '90,000'});
    assert.notEqual(amountOf(changed), amountOf(result));
    assert.equal(newest(server).supersedes, first.id);
  });
});

suite('the form while its script may still come', () => {
  const open = (browser: ReturnType<typeof visitor>) => browser.open('/apply/trusting');
  /** Such browsers show the first step alone. */
  const waiting = () => visitor(server, {'sec-fetch-dest': 'document'});

  test('has the step of the element before it, whose button brings the whole form without errors', async () => {
    const browser = waiting();
    const form = await open(browser);
    assert.match(form.text, /Step 1 of 3 What is your credit score\?.*Next.*Your funds/);
    const whole = await browser.send(form, {credit_score: 'Above 720'}, ['_next', '1']);
    assert.equal(whole.status, 200);
    assert.doesNotMatch(whole.text, /Step 1|Next/);
    assert.deepEqual(focused(whole), ['Your funds']);
    assert.equal(whole.fields.get('credit_score'), 'Above 720');
    assert.doesNotMatch(whole.html, /class="[^"]*(?:error|late|awaited)/);
    assert.match((await browser.send(whole, answers)).text, /you may qualify/);
    const nothing = await browser.send(form, {}, ['_next', '1']);
    assert.deepEqual(focused(nothing), ['What is your credit score?']);
  });

  test('is whole on a server that has no script', async (t) => {
    const without = await openFor(
      t,
      startTestServer({partners: [onePartner({key: 'trusting', origins, cid: '2'})]}),
    );
    const form = await open(plainBrowser(without.url, {'sec-fetch-dest': 'document'}));
    assert.doesNotMatch(form.html, /Step 1|class="[^"]*(?:late|awaited)/);
  });

  test('takes that button, which Enter presses, for the last one if later fields are filled in', async () => {
    const browser = waiting();
    const form = await open(browser);
    assert.equal((await browser.send(form, {cash: 'some'}, ['_next', '1'])).status, 422);
    assert.match((await browser.send(form, answers, ['_next', '1'])).text, /you may qualify/);
  });
});

suite('errors without a script', () => {
  test('stand beside their fields, with a summary of links, and nothing typed is lost', async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/acme');
    const typed = {...answers, last_name: '', cash: '', email: 'ana@example', phone: '1'};
    const wrong = await browser.send(form, typed);
    assert.equal(wrong.status, 422);
    assert.match(
      wrong.text,
      /Please check your answers Cash: enter an amount, or 0 if you have none\. Enter your last/,
    );
    const links = wrong
      .all('a')
      .map((link) => attributeOf(link, 'href'))
      .filter((href) => href?.startsWith('#'));
    assert.deepEqual(links, ['#cash', '#last_name', '#email', '#phone', '#consent']);
    for (const link of links)
      assert.ok(
        wrong.all('input').some((input) => `#${attributeOf(input, 'id')}` === link),
        link,
      );
    assert.equal(wrong.fields.get('retirement'), '120,000');
    assert.equal(wrong.fields.get('email'), 'ana@example');
    const email = wrong.all('input').find((input) => attributeOf(input, 'name') === 'email');
    assert.equal(attributeOf(email, 'aria-invalid'), 'true');
    assert.equal(attributeOf(email, 'aria-describedby'), 'email-error');
    // Chromium would rewrite letters in an input for e-mail addresses.
    assert.equal(attributeOf(email, 'type'), 'text');
    assert.match(wrong.html, /<title>Please check your answers – /);
  });

  test('alone are where the page begins', async () => {
    const browser = visitor(server);
    for (const [without, focus] of [
      ['cash', 'cash'],
      ['credit_score', 'credit_score-0'],
      ['consent', 'consent'],
    ] as const) {
      const wrong = await sent(browser, '/apply/acme', {[without]: ''});
      assert.equal(wrong.status, 422);
      assert.deepEqual(focused(wrong), [focus]);
    }
  });
});

suite('a consent without a script', () => {
  test('is recorded with its text, the page, and that there was no script', async () => {
    const browser = visitor(server, {origin: publicUrl, 'user-agent': 'Lynx/2.9'});
    await sent(browser, '/apply/acme');
    const {givenAt, textHash, ip, evidence, ...record} = newest(server).consent!;
    assert.ok(Number(givenAt) <= Date.now() && ip && evidence);
    const select = 'SELECT words FROM consent_words WHERE text_hash = ?';
    const [stored] = rowsOf(server.config.databasePath, select, String(textHash));
    assert.equal(stored?.['words'], terms('en').text);
    assert.deepEqual(record, {
      textVersion: '1',
      textLanguage: 'en',
      agreed: true,
      origin: publicUrl,
      page: `${publicUrl}/apply/acme`,
      userAgent: 'Lynx/2.9',
      script: 'none',
      form: {button: 'See my estimate'},
    });
  });

  test('that needs no box is recorded as shown', async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/trusting');
    assert.match(form.text, /By sending you accept the policy ?\. See my estimate/, 'without a second link');
    await browser.send(form, answers);
    assert.partialDeepStrictEqual(newest(server).consent, {textVersion: '7', agreed: null, script: 'none'});
  });

  test('to another text than that of today is asked for again', async () => {
    const browser = visitor(server);
    const old = {_seen: 'en/0/12345678', consent: 'en/0/12345678'};
    const page = await sent(browser, '/apply/acme', old);
    assert.equal(page.status, 422);
    assert.ok(page.text.includes('Please read the new terms above the button.'));
    assert.equal(page.fields.get('consent'), null);
  });

  test('that is missing stores nothing, also without the version that was seen', async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/acme');
    const before = storedIn(server).length;
    for (const without of [{}, {consent: 'x'}]) {
      form.fields.delete('_seen');
      assert.equal((await browser.send(form, {...answers, ...without})).status, 422);
    }
    assert.equal(storedIn(server).length, before);
  });
});

suite('a form that is sent twice', () => {
  test('gives one lead and the same answer, at the same time and later', async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/trusting');
    const before = storedIn(server).length;
    const send = () => browser.send(form, answers);
    const [first, ...others] = [...(await Promise.all([send(), send(), send()])), await send()];
    for (const other of others) assert.equal(other.html, first?.html);
    assert.equal(storedIn(server).length, before + 1);
  });

  test('with a change between gives another lead', async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/trusting');
    const before = storedIn(server).length;
    await browser.send(form, answers);
    const other = await browser.send(form, {...answers, first_name: 'Eva'});
    assert.match(other.text, /Eva, you may qualify/);
    assert.equal(storedIn(server).length, before + 2);
  });

  test('survives that the server ends in between', async () => {
    const first = await start();
    const address = {'x-forwarded-for': '198.51.100.7'};
    const browser = plainBrowser(first.url, address);
    const form = await browser.open('/apply/acme');
    await first.close();
    const second = await startTestServer({...first.config, port: first.port});
    try {
      const result = await plainBrowser(second.url, address).send(form, {...answers, ...agreed(form)});
      assert.match(result.text, /Ana, you may qualify for up to \$950,000/);
    } finally {
      await second.close();
    }
  });
});

suite('leads without a script', () => {
  test('are suspects, unless the partner trusts them', async () => {
    await sent(visitor(server), '/apply/acme');
    assert.match(String(newest(server).suspect), /^no-script/);
    await sent(visitor(server), '/apply/trusting', {email: 'trusted@example.com'});
    assert.equal(newest(server).suspect, 'fast', 'still, a person is not as fast as this test');
  });

  test('with a value in the field that people do not see are marked so, and get the same answer', async () => {
    const result = await sent(visitor(server), '/apply/trusting', {website: 'https://spam.example'});
    assert.match(result.text, /you may qualify/);
    assert.equal(newest(server).suspect, 'trap fast');
  });

  test('that cannot be stored for a while are counted once, so that the visitor may press on', async (t) => {
    const slow = await openFor(t, start({requestWait: 1_000}));
    const browser = visitor(slow);
    const form = await browser.open('/apply/trusting');
    const letWrite = stopWrites(slow.config.databasePath);
    for (let press = 0; press < 6; press += 1) {
      const refused = await browser.send(form, answers);
      assert.equal(refused.status, 503);
      assert.match(refused.text, /Something went wrong on our side/);
    }
    letWrite();
    assert.equal((await browser.send(form, answers)).status, 200);
    assert.equal(storedIn(slow).length, 1);
  });

  test('are taken five times an hour from a network, and the sixth loses nothing that was typed', async () => {
    const browser = visitor(server);
    const form = await browser.open('/apply/trusting');
    const before = storedIn(server).length;
    for (let number = 0; number < 5; number += 1)
      assert.equal((await browser.send(form, {...answers, first_name: `A${number}`})).status, 200);
    const refused = await browser.send(form, {...answers, first_name: 'F'});
    assert.equal(refused.status, 429);
    assert.match(String(refused.headers['retry-after']), /^\d{3,4}$/);
    assert.match(refused.text, /Too many attempts Please try again in \d+ minutes/);
    assert.equal(refused.fields.get('first_name'), 'F');
    assert.equal(storedIn(server).length, before + 5);
    const replayed = await browser.send(form, {...answers, first_name: 'A1'});
    assert.equal(replayed.status, 200, 'what was sent before is still answered');
  });

  test('are taken four times as often from the networks of a home, which has a /56 of IPv6', async () => {
    const statuses: number[] = [];
    for (let network = 0; network < 5; network += 1) {
      const browser = plainBrowser(server.url, {'x-forwarded-for': `2001:db8:9:a0${network}::1`});
      const form = await browser.open('/apply/trusting');
      for (let number = 0; number < 5; number += 1)
        statuses.push((await browser.send(form, {...answers, first_name: `A${number}`})).status);
    }
    const taken = Array.from({length: 20}, () => 200);
    assert.deepEqual(statuses, [...taken, 429, 429, 429, 429, 429]);
  });

  test('tell nobody whether the same lead was sent before', async () => {
    const results = [];
    for (const browser of [visitor(server), visitor(server)]) {
      const result = await sent(browser, '/apply/trusting', {email: 'known@example.com'});
      results.push(result.text.replace(/\w{4}-\w{4}/g, ''));
    }
    assert.equal(results[0], results[1]);
    const [one, two] = storedIn(server).slice(-2);
    assert.notEqual(one?.id, two?.id);
  });

  test('have no campaign of a visitor who does not want to be tracked', async () => {
    const browser = visitor(server, {'sec-gpc': '1'});
    const form = await browser.open('/apply/trusting?utm_source=news');
    assert.match(form.text, /Your browser's opt-out signal is passed on\./);
    await browser.send(form, answers);
    assert.deepEqual(newest(server).attribution, {opt_out_signal: 'gpc'});
    const silent = visitor(server, {dnt: '1'});
    const other = await silent.open('/apply/trusting?utm_source=news');
    assert.doesNotMatch(other.text, /opt-out/);
    await silent.send(other, answers);
    assert.equal(newest(server).attribution, null);
  });
  test('say above the button, in Spanish, that the signal is passed on', async () => {
    const form = await visitor(server, {'sec-gpc': '1'}).open('/apply/acme?lang=es');
    assert.match(form.text, /Transmitimos la señal de exclusión de su navegador\. Ver mi estimado/);
  });
});

suite('a form whose token is not good', () => {
  const own = {origin: publicUrl, 'sec-fetch-site': 'same-origin'};
  const changes: [title: string, change: (page: PlainPage, other: PlainPage) => void][] = [
    ['without a token', ({fields}) => fields.delete('_token')],
    [
      'with a token of another partner',
      ({fields}, other) => fields.set('_token', other.fields.get('_token') ?? ''),
    ],
    [
      'with a token that was changed',
      ({fields}) => fields.set('_token', `${fields.get('_token')}`.replace(/^\d/, '9')),
    ],
  ];
  for (const [title, change] of changes) {
    test(`${title} stores nothing, and asks the visitor of our own page to send it once more`, async () => {
      const browser = visitor(server, own);
      const form = await browser.open('/apply/trusting');
      const before = storedIn(server).length;
      change(form, await browser.open('/apply/contact'));
      const again = await browser.send(form, answers);
      assert.equal(again.status, 422);
      assert.match(again.text, /Please send your answers once more/);
      assert.equal(again.fields.get('first_name'), 'Ana');
      assert.equal(storedIn(server).length, before);
      assert.match((await browser.send(again)).text, /you may qualify/);
    });
  }

  test('has no markup of what was sent', async () => {
    const hostile = `"><script>alert(1)</script>`;
    const browser = visitor(server);
    const page = await browser.open('/apply/contact');
    const wrong = await browser.send(page, {...answers, first_name: hostile, phone: hostile});
    assert.equal(wrong.all('script').length, page.all('script').length);
    assert.equal(wrong.fields.get('first_name'), hostile);
  });

  test('is answered with what to correct, whatever it holds', async () => {
    const texts = ['%', ' ', '0,', '(', '1 '.repeat(2), 'a@', '-', '9', '$', '\u0301', '<'];
    for (const text of texts) {
      const browser = visitor(server);
      const page = await browser.open('/apply/contact');
      const long = text.repeat(Math.floor(600 / text.length));
      const answer = await browser.send(page, {first_name: long, last_name: long, email: long, phone: long});
      assert.equal(answer.status, 422, text);
    }
  });
});

suite('the HTML of each page', () => {
  const rules = new HtmlValidate({extends: ['html-validate:standard', 'html-validate:a11y']});
  const check = (name: string, page: PlainPage) => {
    const faults = rules.validateStringSync(page.html).results.flatMap(({messages}) => messages);
    const found = faults.map(({message, line}) => `${name}:${line} ${message}`);
    assert.deepEqual(found, []);
    return page;
  };
  for (const path of [
    '/apply/acme',
    '/apply/acme?lang=es',
    '/apply/asking',
    '/apply/trusting?order=contact-first',
  ])
    test(`is valid from ${path} to the result`, async () => {
      check('first step', await visitor(server, {'sec-fetch-dest': 'document'}).open(path));
      const browser = visitor(server);
      const form = check('form', await browser.open(path));
      check('errors', await browser.send(form, {cash: '5 or 6', state: 'NY'}));
      const result = check('result', await browser.send(form, {...answers, ...agreed(form)}));
      assert.match(result.html, /class="answer/);
    });
  test('is valid where there is no form', async () => {
    check('not found', await visitor(server).open('/apply/nobody'));
  });
});

suite('pages of errors', () => {
  test('that is too large, or no form, is refused in words, with the contact of the partner', async () => {
    for (const [status, body, type] of [
      [413, 'a='.padEnd(17_000, 'x'), 'application/x-www-form-urlencoded'],
      [400, '{}', 'application/json'],
    ] as const) {
      const response = await server.fetch('/apply/acme', {
        method: 'POST',
        body,
        headers: {'content-type': type},
      });
      assert.equal(response.status, status);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(
        await response.text(),
        /You can also call <a href="tel:\+14155550132">\(415\) 555-0132<\/a> to reach Acme Funding\./,
      );
    }
  });

  test('of an address that no partner has names the contact of the first partner', async () => {
    for (const path of ['/apply/nobody', '/apply/acme/more', '/apply/acme.']) {
      const page = await visitor(server).open(path);
      assert.equal(page.status, 404);
      assert.match(
        page.text,
        /There is no form at this address .*call \(415\) 555-0132 to reach Acme Funding/,
      );
    }
    const posted = await server.fetch('/apply/nobody', {method: 'POST', body: new URLSearchParams('a=1')});
    assert.equal(posted.status, 404);
  });

  test('of a network that sends too many pages says so in words', async () => {
    const browser = visitor(server);
    const page = await browser.open('/apply/trusting');
    const answers = await Promise.all(Array.from({length: 70}, () => browser.send(page)));
    const refused = answers.filter(({status}) => status === 429);
    assert.ok(refused.length >= 10);
    assert.match(refused[0]!.text, /Too many attempts/);
    assert.equal(refused[0]!.headers['content-security-policy']?.includes("form-action 'self'"), true);
  });
});
