/** The page of snippets and its preview, as a browser gets them. test/e2e/embeds/snippets-page.test.ts runs them in one. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import fc from '../../../support/properties.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {choicesFor} from '../../../../server/snippets/choices.ts';
import {
  platformNames,
  platforms,
  type PlatformName,
  leadToApplyPage,
} from '../../../../server/snippets/platforms.ts';
import {makeEmbedVersion} from '../../../support/embed-folder.ts';
import {readProblem, requestRaw} from '../../../support/http.ts';
import {openFor} from '../../../support/opened.ts';
import {anyChoices} from '../../../support/snippet-choices.ts';
import {caller, startTestServer, type Prepare} from '../../../support/test-server.ts';

const allChoices = choicesFor();
const firstFiles = {'lead-prequal-form.js': 'export {};', 'lead-prequal-form.classic.js': '0;'};
const canaries = {
  callers: [caller({user: 'canary-user', password: 'canary-caller-password', cids: ['canary-cid']})],
  tokenKeys: ['canary-token-key-canary-token-key'],
  partners: [
    onePartner({
      key: 'acme',
      name: 'Acme & Söhne',
      privacy_href: 'https://www.acme.example/privacy',
      origins: ['https://canary-origin.example'],
      cid: 'canary-cid',
      consent: {text: 'canary-consent', version: 'canary-version'},
      colors: {accent: '#0b7a5a'},
      send_to: ['canary-destination'],
      next_step: 'canary-next-step',
      cta: {
        en: {label: 'Book a call', href: 'https://www.acme.example/book'},
        es: {label: 'Reserve', href: 'https://www.acme.example/es'},
      },
    }),
    onePartner({
      key: 'canary-partner',
      name: 'canary-name',
      origins: ['https://b.example'],
      cid: 'canary-cid',
    }),
    onePartner({
      key: 'hidden',
      origins: ['https://h.example'],
      cid: '3',
      context_fields: ['store', {name: 'brand', filter: true}],
    }),
    onePartner({key: 'contact', origins: ['https://c.example'], cid: '1', lead_types: ['standard']}),
    onePartner({key: 'amounts', origins: ['https://d.example'], cid: '2', lead_types: ['prequalification']}),
  ],
} as const;
const prepare =
  (changes: object = {}): Prepare =>
  (folder) => {
    const embedFolder = join(folder, 'embed');
    makeEmbedVersion(embedFolder, '1.1.0', firstFiles);
    return {
      ...canaries,
      callers: [...canaries.callers],
      partners: [...canaries.partners],
      embedFolder,
      ...changes,
    };
  };
const server = await startTestServer(prepare());
after(() => server.close());

const path = '/embed/snippets';
const addressOf = (query: Record<string, string>, page = path) => `${page}?${new URLSearchParams(query)}`;
const get = async (query: Record<string, string>, page = path) => {
  const response = await server.fetch(addressOf(query, page));
  return {status: response.status, headers: response.headers, text: await response.text()};
};
const getPreview = (query: Record<string, string>) => get(query, `${path}/preview`);

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
  '&#123;': '{',
  '&#125;': '}',
  '&#91;': '[',
  '&#93;': ']',
};
const unescape = (text: string) =>
  text.replace(/&(lt|gt|quot|amp|#\d+);/g, (entity) => entities[entity] ?? entity);
/** The texts to copy, as people see them. */
const codesIn = (text: string) =>
  [...text.matchAll(/<pre[^>]*><code>([^]*?)<\/code><\/pre>/g)].map(([, code = '']) => unescape(code));
const asHtml = (platform: PlatformName) => !['react', 'vue', 'frame', 'email'].includes(platform);
/** Where the frame of the page shows the form. */
const frameIn = (text: string) => unescape(/<iframe[^>]* src="([^"]+)"/.exec(text)?.[1] ?? '');

suite('the page of snippets', () => {
  test('has the snippet for the partner and the platform that its address names', async () => {
    const {status, text} = await get({partner: 'acme', host: 'wordpress'});
    assert.equal(status, 200);
    assert.match(text, /Acme &amp; Söhne/);
    const [code = '', ...others] = codesIn(text);
    assert.deepEqual(others, []);
    assert.match(
      code,
      /^<lead-prequal-form partner="acme" privacy-href="https:\/\/www\.acme\.example\/privacy"/,
    );
    assert.match(
      code,
      /<script async src="https:\/\/leads\.example\.com\/embed\/1\.1\.0\/lead-prequal-form\.classic\.js/,
    );
    for (const step of platforms.wordpress.steps)
      assert.ok(text.includes(`<li>${step.replaceAll('"', '&quot;')}</li>`), step);
  });

  test('offers the plugin on the page for WordPress, if the version has it', async (t) => {
    const offer = /href="\/embed\/v1\/lead-prequal-wordpress\.zip" download/;
    assert.doesNotMatch((await get({partner: 'acme', host: 'wordpress'})).text, offer);
    const withPlugin = (folder: string) => {
      makeEmbedVersion(folder, '1.5.0', {...firstFiles, 'lead-prequal-wordpress.zip': 'zip'});
      return {partners: canaries.partners, embedFolder: folder};
    };
    const newer = await openFor(t, startTestServer(withPlugin));
    const textFor = async (host: string) => (await newer.fetch(addressOf({partner: 'acme', host}))).text();
    const text = await textFor('wordpress');
    assert.match(text, offer);
    assert.match(text, /<code>https:\/\/leads\.example\.com<\/code> and <code>acme<\/code>/);
    assert.doesNotMatch(await textFor('html'), offer);
  });

  test('the page is a plain form whose address is its whole state, without JavaScript', async () => {
    const query = {
      partner: 'acme',
      host: 'vue',
      width: 'phone',
      sends: 'leads',
      layout: 'single',
      draft: 'off',
      font: "'A', serif",
    };
    const {text} = await get(query);
    const [form = ''] = /<form[^]*<\/form>/.exec(text) ?? [];
    assert.match(form, /^<form method="get"/);
    const fields = new Set([...form.matchAll(/ name="([^"]+)"/g)].map(([, name]) => name));
    assert.deepEqual(
      [...fields].toSorted(),
      ['partner', 'host', 'width', 'sends', ...Object.keys(allChoices)].toSorted(),
    );
    assert.match(form, /value="single"\s+selected/);
    assert.match(form, /value="off"\s+selected/);
    assert.match(form, /value="'A', serif"/);
    for (const platform of platformNames) {
      const link = new URLSearchParams({...query, host: platform}).toString().replaceAll('&', '&amp;');
      assert.ok(text.includes(`href="?${link}#snippet"`), platform);
    }
    assert.equal(text.match(/aria-current="page"/g)?.length, 1);
  });

  test('without a partner the page of snippets shows a sample that sends nothing', async () => {
    const {status, text} = await get({});
    assert.equal(status, 200);
    assert.match(codesIn(text).join(), /partner="your-partner-key" draft sandbox/);
    assert.match(text, /This is a sample, and its form sends nothing/);
  });

  /** The words of the links that say what the form in the preview sends, and the one that is chosen. */
  const sendingOn = async (query: Record<string, string>) => {
    const {text} = await get(query);
    const [links = ''] = /<nav class="switch sends"[^]*?<\/nav>/.exec(text) ?? [];
    const found = [...links.matchAll(/(aria-current="true")?\s*>([^<]+)<\/a/g)];
    return {
      words: found.map(([, , words]) => words),
      chosen: found.filter(([, current]) => current).map(([, , words]) => words),
      text,
    };
  };
  const [samples, leads] = ['Sends nothing: shows samples', 'Sends real leads'];

  for (const platform of platformNames) {
    test(`the form beside the snippet is a sample until somebody wants leads: ${platforms[platform].name}`, async () => {
      const asItComes = await sendingOn({partner: 'acme', host: platform});
      assert.deepEqual([asItComes.words, asItComes.chosen], [[samples, leads], [samples]]);
      assert.doesNotMatch(asItComes.text, /is a\s+real lead/);
      assert.match((await getPreview({partner: 'acme', host: platform})).text, /sandbox/);
      const live = await sendingOn({partner: 'acme', host: platform, sends: 'leads'});
      assert.deepEqual(live.chosen, [leads]);
      assert.match(live.text, /is a\s+real lead/);
      assert.doesNotMatch(
        (await getPreview({partner: 'acme', host: platform, sends: 'leads'})).text,
        /sandbox/,
      );
      assert.deepEqual(codesIn(asItComes.text), codesIn(live.text));
      assert.doesNotMatch(codesIn(asItComes.text).join(), /sandbox|sends/);
    });
  }

  test('a sample in the snippet stays a sample whatever the form beside it sends', async () => {
    for (const sends of ['samples', 'leads']) {
      const query = {partner: 'acme', sandbox: 'refused', sends};
      const {text} = await get(query);
      assert.match(codesIn(text).join(), /sandbox="refused"/);
      assert.match((await getPreview(query)).text, /sandbox="refused"/);
      assert.doesNotMatch(text, /is a\s+real lead/);
    }
  });

  test('the preview has the colour of the partner unless another one is chosen', async () => {
    const {text} = await get({partner: 'acme'});
    assert.match(text, /class="accent"\s+fill="#0b7a5a"/, 'so has the sample of its own look');
    const styleOf = async (query: Record<string, string>) =>
      /<lead-prequal-form[^>]*style="([^"]*)"/.exec(
        (await getPreview({partner: 'acme', ...query})).text,
      )?.[1];
    for (const sends of ['samples', 'leads'])
      assert.match((await styleOf({sends})) ?? '', /--prequal-partner-accent: #0b7a5a/);
    assert.match((await styleOf({accent: 'red'})) ?? '', /--prequal-accent: red/);
    assert.doesNotMatch((await styleOf({accent: 'red'})) ?? '', /#0b7a5a/);
  });

  test('samples have the link of the partner unless the snippet has another one', async () => {
    const linkIn = async (query: Record<string, string>) => {
      const {text} = await getPreview({partner: 'acme', ...query});
      return /cta-href="([^"]*)" cta-label="([^"]*)"/.exec(text)?.slice(1);
    };
    assert.deepEqual(await linkIn({}), ['https://www.acme.example/book', 'Book a call']);
    assert.deepEqual(await linkIn({lang: 'es'}), ['https://www.acme.example/es', 'Reserve']);
    assert.deepEqual(await linkIn({'cta-href': '/talk', 'cta-label': 'Talk'}), ['/talk', 'Talk']);
    assert.deepEqual(await linkIn({'cta-label': 'Half'}), ['https://www.acme.example/book', 'Book a call']);
    assert.deepEqual(await linkIn({host: 'frame'}), ['https://www.acme.example/book', 'Book a call']);
    assert.equal(await linkIn({sends: 'leads'}), undefined, 'a form that sends leads asks the server');
    const {text} = await get({partner: 'acme'});
    assert.doesNotMatch(codesIn(text).join(), /cta-/, 'the snippet leaves it to the configuration');
  });

  test('says what visitors see first, and which line of the configuration changes that', async (t) => {
    const upstream = onePartner({key: 'upstream', origins: ['https://u.example'], answer_from: 'lender'});
    const early = onePartner({key: 'early', origins: ['https://e.example'], show_estimate: 'before-contact'});
    const own = await openFor(
      t,
      startTestServer(prepare({partners: [...canaries.partners, upstream, early]})),
    );
    const saidOf = async (partner: string) =>
      /"show_estimate": "[a-z-]+"/.exec(
        (await (await own.fetch(`/embed/snippets?partner=${partner}`)).text()).replaceAll('&quot;', '"'),
      )?.[0];
    assert.equal(await saidOf('acme'), '"show_estimate": "before-contact"');
    assert.equal(await saidOf('early'), '"show_estimate": "after-contact"');
    for (const partner of ['contact', 'upstream', 'nobody']) assert.equal(await saidOf(partner), undefined);
  });
  test("names a partner's own questions beside samples, which lack them, or says how to add one", async (t) => {
    const question = {name: 'revenue', label: {en: 'Monthly revenue'}, kind: 'text' as const};
    const asking = onePartner({key: 'asking', origins: ['https://a.example'], ask: [question]});
    const own = await openFor(t, startTestServer(prepare({partners: [...canaries.partners, asking]})));
    const page = async (query: string) => (await own.fetch(`/embed/snippets?${query}`)).text();
    const [named, howTo] = [/the form also asks: Monthly revenue\./, /A question of your own is a line in/];
    assert.match(await page('partner=asking'), named);
    assert.doesNotMatch(await page('partner=asking&sends=leads'), /Monthly revenue|A question of your own/);
    assert.match(await page('partner=acme'), howTo);
    assert.doesNotMatch(await page('partner=nobody'), howTo);
  });

  test('a partner that takes standard leads alone is offered nothing but contact data', async () => {
    const {text} = await get({partner: 'contact'});
    const [select = ''] = /<select[^>]*name="lead-type"[^]*?<\/select>/.exec(text) ?? [];
    assert.deepEqual(
      [...select.matchAll(/value="(\w+)"/g)].map(([, value]) => value),
      ['standard'],
    );
  });

  test('the page of snippets has an input for each hidden field of the partner, and of no other', async () => {
    const inputs = (text: string) =>
      [...text.matchAll(/<input[^>]*name="(context-[^"]*)"[^>]*value="([^"]*)"/g)].map(
        ([, ...parts]) => parts,
      );
    const {text} = await get({partner: 'hidden'});
    assert.deepEqual(inputs(text), [
      ['context-store', ''],
      ['context-brand', ''],
    ]);
    assert.doesNotMatch(codesIn(text).join(), /context-/);
    for (const query of [{}, {partner: 'acme'}]) {
      const other = await get({...query, 'context-brand': 'north'});
      assert.equal(other.status, 200);
      assert.deepEqual(inputs(other.text), []);
      assert.doesNotMatch(other.text, /context-brand|Hidden fields/);
    }
  });

  const brand = `"><script>alert('1')</script> & co`;
  for (const platform of platformNames)
    test(`a hidden field is in the snippet, escaped: ${platforms[platform].name}`, async () => {
      const {status, text} = await get({partner: 'hidden', host: platform, 'context-brand': brand});
      assert.equal(status, 200);
      assert.match(text, /<details open>\s*<summary>Hidden fields/);
      const code = codesIn(text).join('\n');
      const written = {
        frame: '/apply/hidden?context-brand=%22%3E%3Cscript',
        email: '/apply/hidden?context-brand=%22%3E%3Cscript',
        gtm: `form.setAttribute('context-brand', '">\\u003cscript>alert(\\'1\\')\\u003c/script> & co');`,
      };
      const attribute = `context-brand="&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt; &amp; co"`;
      assert.ok(
        code.includes(Object.hasOwn(written, platform) ? written[platform as 'gtm'] : attribute),
        code,
      );
      assert.ok(!text.includes(brand) && !code.includes(brand), code);
    });

  test('where the form does not load, the link of a snippet takes the hidden fields along', async () => {
    const hrefs = async (query: Record<string, string>) =>
      [
        ...codesIn((await get({partner: 'hidden', 'context-brand': 'a b', ...query})).text)
          .join()
          .matchAll(/href="(https:[^"]*apply[^"]*)"/g),
      ].map(([, href]) => href);
    const address = 'https://leads.example.com/apply/hidden';
    assert.deepEqual(await hrefs({}), [`${address}?context-brand=a+b`]);
    assert.deepEqual(await hrefs({lang: 'es', presentation: 'dialog'}), [
      `${address}?lang=es&amp;context-brand=a+b#prequal-form`,
    ]);
  });

  test('the preview of an apply page that sends leads has the hidden fields, and the page says so', async () => {
    const {text} = await get({partner: 'hidden', host: 'frame', sends: 'leads', 'context-brand': 'north'});
    assert.match(text, /<iframe[^>]* src="\/apply\/hidden\?context-brand=north"/);
    assert.match(text, /does not change it, but for the hidden fields in its address\./);
    const page = await server.fetch('/apply/hidden?context-brand=north');
    assert.match(await page.text(), /<lead-prequal-form[^>]* context-brand="north"/);
  });

  test('says that a partner is unknown, and shows a sample', async () => {
    const {status, text} = await get({partner: 'nobody'});
    assert.equal(status, 400);
    assert.match(text, /This key is not known here/);
    assert.match(codesIn(text).join(), /partner="your-partner-key" draft sandbox/);
  });

  test('each wrong choice has words beside its field, and is left out of the snippet', async () => {
    const names = Object.keys(allChoices);
    const wrong = Object.fromEntries(names.map((name) => [name, '\u0000']));
    const {status, text} = await get({partner: 'acme', ...wrong});
    assert.equal(status, 400);
    for (const name of names)
      assert.match(text, new RegExp(`id="fault-${name}" class="fault">[^<]+ must [^<]+\\.</p>`), name);
    assert.match(text, /id="fault-accent" class="fault">Accent must be a colour/);
    // The looks are a group of fields.
    assert.equal(text.match(/aria-invalid="true"/g)?.length, names.length - 1);
    assert.match(text, /Values with an error message are left out of the snippet\./);
    assert.deepEqual(codesIn(text), codesIn((await get({partner: 'acme'})).text));
  });

  test('names no wrong lead type to those who have not chosen one', async () => {
    const {text} = await get({});
    const [, first = assert.fail()] =
      /<select[^>]*name="lead-type"[^>]*>\s*<option value="(\w*)"/.exec(text) ?? [];
    for (const partner of ['amounts', 'contact'])
      assert.equal((await get({partner, 'lead-type': first})).status, 200);
  });

  test('too many guesses of partners are refused, while known partners are shown as before', async (t) => {
    const strict = await openFor(t, startTestServer(prepare({rateLimit: 3})));
    for (let count = 0; count < 3; count++)
      assert.equal((await strict.fetch(`${path}?partner=guess-${count}`)).status, 400);
    await readProblem(await strict.fetch(`${path}?partner=guess`), 429, 'too-many-requests');
    for (const query of ['?partner=acme', '']) assert.equal((await strict.fetch(path + query)).status, 200);
  });

  test('snippets_page: false leaves nothing of the page of snippets', async (t) => {
    const without = await openFor(t, startTestServer(prepare({snippetsPage: false})));
    for (const file of ['', '/preview', '/snippets.css', '/snippets.js'])
      await readProblem(await without.fetch(path + file), 404, 'not-found');
  });

  test('refuses other methods than GET and HEAD', async () => {
    for (const file of ['', '/preview', '/snippets.css', '/snippets.js'])
      await readProblem(await server.fetch(path + file, {method: 'POST'}), 405, 'method-not-allowed');
  });
});

suite('what strangers can do with the page', () => {
  test('nothing inline runs on the page of snippets, nobody may frame it, and no cache keeps it', async () => {
    const {headers, text} = await get({partner: 'acme'});
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(
      text,
      /<script(?! defer src="\/embed\/snippets\/snippets\.js")|<style| style="| on\w+="/,
    );
  });

  test('only this server may frame the preview, and its form can send to this server alone', async () => {
    const {headers} = await getPreview({partner: 'acme', endpoint: 'https://evil.example'});
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /frame-ancestors 'self'$/);
    assert.match(policy, /connect-src https:\/\/leads\.example\.com\/embed\/;/);
    assert.match(policy, /script-src 'self' https:\/\/leads\.example\.com;/);
    assert.doesNotMatch(policy, /evil/);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('a snippet that sends leads to another server has a warning before it', async () => {
    const query = {partner: 'acme', endpoint: 'https://Evil.example/'};
    const words =
      'Leads from this snippet go to https://evil.example and not to this server. Paste it only if you know that server.';
    for (const platform of platformNames.filter((name) => !leadToApplyPage.has(name))) {
      const {text} = await get({...query, host: platform});
      const [warning = ''] = /<div class="warning" role="alert">[^]*?<\/div>/.exec(text) ?? [];
      assert.match(warning, /<svg/);
      assert.ok(warning.includes(`<strong>Warning:</strong> ${words}`), platform);
      assert.ok(text.indexOf(warning) < text.indexOf('<pre'), platform);
    }
    // This server is no stranger, and the link in an e-mail has no endpoint.
    for (const harmless of [
      {...query, endpoint: 'https://leads.example.com'},
      {...query, host: 'email'},
    ])
      assert.doesNotMatch((await get(harmless)).text, /class="warning"/);
  });

  const warningOn = async (query: Record<string, string>) =>
    /<strong>Warning:<\/strong> ([^<]*)/.exec((await get(query)).text)?.[1];
  for (const [name, words] of [
    ['cta-href', 'The link below the result leads to https://evil.example'],
    ['privacy-href', 'The link to the privacy page leads to https://evil.example'],
  ] as const) {
    test(`a snippet whose ${name} is on a site of a stranger has a warning, and no other has`, async () => {
      const query = {partner: 'acme', 'cta-label': 'Book'};
      const warning = `${words}, which is no site of yours that we know. Paste it only if you know that site.`;
      assert.equal(await warningOn({...query, [name]: 'https://Evil.example/page?a=b'}), warning);
      assert.ok(await warningOn({...query, [name]: 'https://acme.example.evil.example'}));
      assert.equal(await warningOn({partner: '', [name]: 'https://evil.example'}), warning);
      for (const own of [
        '/page',
        'https://canary-origin.example/page',
        'https://book.acme.example',
        'https://leads.example.com/page',
      ])
        assert.equal(await warningOn({...query, [name]: own}), undefined, own);
      assert.equal(await warningOn({...query, [name]: 'https://evil.example', host: 'email'}), undefined);
    });
  }
  test('on the page of snippets, a warning names all strangers at once', async () => {
    const evil = 'https://evil.example';
    const warning = await warningOn({
      partner: 'acme',
      endpoint: evil,
      'cta-href': evil,
      'privacy-href': evil,
    });
    assert.match(warning ?? '', /^Leads .* The link below the result .* The link to the privacy page /);
  });

  test('the preview outside of its frame leads to the page of snippets in the same state', async () => {
    const query = {partner: 'acme', look: 'night', 'cta-label': 'A & B'};
    const ask = (place: string) =>
      requestRaw(server.url + addressOf({...query, unknown: 'x'}, `${path}/preview`), {
        headers: {'sec-fetch-dest': place},
      });
    const {status, headers} = await ask('document');
    assert.equal(status, 303);
    const {pathname, searchParams} = new URL(headers.location ?? '', `https://a.example${path}/preview`);
    assert.equal(pathname, path);
    assert.deepEqual(Object.fromEntries(searchParams), query);
    assert.equal((await ask('iframe')).status, 200);
  });

  test('unknown and over-long parameters are not repeated, so they make the page no larger', async () => {
    const {length} = (await get({partner: 'acme'})).text;
    const unknown = await get({partner: 'acme', unknown: 'a'.repeat(15_000)});
    assert.deepEqual([unknown.status, unknown.text.length], [200, length]);
    for (const name of ['partner', 'host', 'width', ...Object.keys(allChoices)]) {
      const {text} = await get({partner: 'acme', [name]: 'a'.repeat(15_000)});
      assert.ok(text.length < length + 2_000, `${name}: ${text.length}`);
      assert.doesNotMatch(text, /a{101}/);
    }
    const all = Object.fromEntries(Object.keys(allChoices).map((name) => [name, '~'.repeat(500)]));
    const links = Object.fromEntries(
      ['privacy-href', 'cta-href'].map((name) => [name, `/${'~'.repeat(499)}`]),
    );
    const {text} = await get({...all, ...links});
    assert.ok(text.length < 100_000, `${text.length}`);
    const long = await get({partner: 'acme', font: 'a'.repeat(501)});
    assert.equal(long.status, 400);
    assert.match(long.text, /id="fault-font" class="fault">Font must have a length of at most 200/);
  });

  test('no secret, no origin and no other partner is on the page, its preview and their files', async () => {
    for (const platform of platformNames) {
      for (const partner of ['acme', 'nobody', '']) {
        for (const made of [
          await get({partner, host: platform}),
          await getPreview({partner, host: platform}),
        ])
          assert.doesNotMatch(JSON.stringify([...made.headers]) + made.text, /canary/i);
      }
    }
    for (const file of ['snippets.css', 'snippets.js']) {
      const {status, text} = await get({}, `${path}/${file}`);
      assert.equal(status, 200);
      assert.doesNotMatch(text, /canary/i);
    }
  });

  test('whatever the address holds becomes neither markup nor a fault of the server', async () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        '"><b data-planted>',
        '</code></pre><b data-planted>',
        '" data-planted="',
        '--><b data-planted>',
      ),
      fc.string({unit: 'binary', maxLength: 300}),
    );
    const names = ['partner', 'host', 'width', 'unknown', '__proto__', ...Object.keys(allChoices)];
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), hostile, {maxKeys: 4}), async (query) => {
        for (const {status, text} of [await get(query), await getPreview(query)]) {
          assert.ok([200, 400].includes(status), `${status}`);
          assert.doesNotMatch(text, /<b data-planted|" data-planted="/);
        }
      }),
      {numRuns: 200},
    );
  });

  test('the page of snippets ignores a parameter that is there twice', async () => {
    const response = await server.fetch(`${path}?partner=acme&partner=contact&layout[a]=single`);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /your-partner-key/);
  });
});

suite('the preview', () => {
  for (const platform of platformNames.filter(asHtml)) {
    test(`holds the very text of the snippet, whatever is chosen: ${platforms[platform].name}`, async () => {
      await fc.assert(
        fc.asyncProperty(anyChoices, async (chosen) => {
          const query = {partner: 'acme', host: platform, sends: 'leads', ...chosen};
          const {status, text} = await get(query);
          assert.equal(status, 200);
          const address = new URL(frameIn(text), `https://leads.example.com${path}`);
          const preview = await (await server.fetch(address.pathname + address.search)).text();
          const blocks = codesIn(text);
          const held = blocks.filter((code) => preview.includes(code));
          // The directives of a policy and a script of the site are the only texts that are not in the page.
          assert.deepEqual(
            blocks
              .filter((code) => !held.includes(code))
              .filter((code) => !/^(script-src|addEventListener)/.test(code)),
            [],
          );
          assert.match(held.join('\n'), /lead-prequal-form/);
        }),
        {numRuns: 25},
      );
    });
  }

  for (const platform of ['react', 'vue'] as const) {
    test(`of a snippet in code is that of HTML, and the page says so: ${platforms[platform].name}`, async () => {
      const query = {partner: 'acme', sends: 'leads', look: 'warm', layout: 'single', 'cta-label': 'Book'};
      const {text} = await get({...query, host: platform});
      assert.match(text, /shown on a page in plain HTML/);
      const preview = await getPreview({...query, host: platform});
      const [html = assert.fail()] = codesIn((await get({...query, host: 'html'})).text);
      assert.ok(preview.text.includes(html));
    });
  }

  test("of a frame is the partner's apply page, which the snippet names", async () => {
    const {text} = await get({partner: 'acme', host: 'frame', sends: 'leads', look: 'night'});
    assert.ok(
      codesIn(text)
        .join()
        .includes(`src="https://leads.example.com${frameIn(text)}"`),
      text,
    );
    assert.match(text, /What you choose here does not change it/);
  });

  test('of a link in an e-mail is the page to which it leads', async () => {
    const {text} = await get({partner: 'acme', host: 'email', sends: 'leads', look: 'night'});
    assert.ok(codesIn(text).includes(`https://leads.example.com${frameIn(text)}`));
    assert.match(text, /What you choose here does not change it/);
    const sample = await getPreview({host: 'email'});
    assert.match(sample.text, /<lead-prequal-form partner="your-partner-key" draft sandbox/);
  });

  test('the page in the preview of a snippet has the background of the look', async () => {
    assert.match((await getPreview({look: 'night'})).text, /background: #080b12/);
  });
});
