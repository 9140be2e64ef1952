import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {reservedHeights} from '../../../form/reserved-heights.ts';
import {onePartner, type Partner} from '../../../server/config/partners.ts';
import {preview} from '../../../server/http/snippets/preview.ts';
import {noChoices, readChoices} from '../../../server/snippets/choices.ts';
import {
  blocksOf,
  platformNames,
  platforms,
  leadToApplyPage,
  type PlatformName,
} from '../../../server/snippets/platforms.ts';
import {snippetParts, versionForSnippets} from '../../../server/snippets/parts.ts';
import {snippetForTerminal} from '../../../server/snippets/terminal.ts';
import type {EmbedVersion} from '../../../server/versions/embed-versions.ts';

const publicUrl = 'https://leads.example.com';
const integrity = {
  'lead-prequal-form.js': 'sha384-ModuleModuleModule',
  'lead-prequal-form.classic.js': 'sha384-Classic/Classic+Classic',
  'rest-0123456789.js': 'sha384-Rest',
};
const release: EmbedVersion = {
  name: '1.1.0',
  folder: '',
  manifest: {version: '1.1.0', integrity},
  released: true,
  advisory: {},
};
const old: EmbedVersion = {
  ...release,
  name: '1.2.0',
  manifest: {version: '1.2.0', integrity: {'lead-prequal-form.js': 'sha384-Old'}},
};
const acme = onePartner({
  key: 'acme',
  name: 'Acme Funding',
  privacy_href: 'https://www.acme.example/privacy',
  origins: ['https://www.acme.example'],
  cid: '1001',
});
const trusted = onePartner({
  key: 'trusted',
  origins: ['https://www.acme.example'],
  trust_line: {en: 'Rated 4.9', es: 'Valorado 4.9'},
});
const contactOnly = onePartner({
  key: 'c',
  origins: ['https://c.example'],
  cid: '1',
  lead_types: ['standard'],
});
const partsOf = (query: Record<string, string>, partner = acme, version = release) =>
  snippetParts({publicUrl}, version, partner, readChoices(query).choices);

const contact = {phone: '(415) 555-0132 ext. 3', email: 'hello@acme.example'};
const textFor = (platform: PlatformName, query: Record<string, string> = {}, partner: Partner = acme) =>
  platforms[platform]
    .blocks(partsOf(query, partner))
    .map(({code}) => code)
    .join('\n');
const withForm = platformNames.filter((name) => !leadToApplyPage.has(name));

suite('what a snippet is made from', () => {
  test('snippets pin the newest release, or else the newest build, if it has both first files', () => {
    const newer = {...release, name: '1.3.0'};
    const build = {...release, name: '1.4.0', released: false};
    assert.equal(versionForSnippets([build, newer, release, old]), newer);
    assert.equal(versionForSnippets([build]), build);
    assert.equal(versionForSnippets([build, old]), undefined);
  });

  test('a form that begins with text fields has their file preloaded, where its address is known', () => {
    const rest = {src: `${publicUrl}/embed/1.1.0/rest-0123456789.js`, integrity: 'sha384-Rest'};
    const contactFirst = {order: 'contact-first'};
    for (const query of [contactFirst, {layout: 'single'}, {'lead-type': 'standard'}])
      assert.deepEqual(partsOf(query).preload, rest);
    assert.deepEqual(partsOf(contactFirst, acme, {...release, released: false}).preload, rest);
    for (const query of [{}, {...contactFirst, version: 'newest'}, {...contactFirst, presentation: 'dialog'}])
      assert.equal(partsOf(query).preload, undefined);
    assert.equal(partsOf(contactFirst, acme, old).preload, undefined);
  });

  test('snippets never pin a version that was withdrawn', () => {
    const withdrawn = {...release, name: '1.3.0', advisory: {withdrawn: 'A fault.'}};
    assert.equal(versionForSnippets([withdrawn, release]), release);
    assert.equal(versionForSnippets([withdrawn]), undefined);
  });

  test('the snippet that the server prints says so when its version is a build', () => {
    const printed = (version: EmbedVersion) =>
      snippetForTerminal({publicUrl, partners: [acme], snippetsPage: true}, [version]);
    assert.match(printed({...release, released: false}), /1\.1\.0 is a build/);
    assert.doesNotMatch(printed(release), /is a build/);
    assert.match(printed(old), /The newest version of the form lacks a file that snippets need/);
  });

  test('both first files of a snippet are pinned by their hash at the address of their version', () => {
    const {module, classic} = partsOf({});
    assert.deepEqual(module, {
      src: `${publicUrl}/embed/1.1.0/lead-prequal-form.js`,
      integrity: integrity['lead-prequal-form.js'],
    });
    assert.deepEqual(classic, {
      src: `${publicUrl}/embed/1.1.0/lead-prequal-form.classic.js`,
      integrity: integrity['lead-prequal-form.classic.js'],
    });
  });

  test('the address of a build changes with each build, because browsers keep the file', () => {
    const {classic} = partsOf({}, acme, {...release, released: false});
    assert.equal(classic.src, `${publicUrl}/embed/1.1.0/lead-prequal-form.classic.js?build=Classic%2FClas`);
  });

  test('a snippet whose form moves on with each version has no hash', () => {
    assert.deepEqual(partsOf({version: 'newest'}).module, {
      src: `${publicUrl}/embed/v1/lead-prequal-form.js`,
      integrity: undefined,
    });
    for (const platform of platformNames)
      assert.doesNotMatch(textFor(platform, {version: 'newest'}), /integrity/);
  });

  test("the partner's privacy page is in its snippet unless another one is chosen", () => {
    assert.equal(partsOf({}).attributes['privacy-href'], 'https://www.acme.example/privacy');
    assert.equal(partsOf({'privacy-href': '/data'}).attributes['privacy-href'], '/data');
  });

  test("the partner's line that builds trust is in its snippet, in the language of the form", () => {
    const lineOf = (query: Record<string, string>) => partsOf(query, trusted).attributes['trust-line'];
    assert.deepEqual([{}, {lang: 'es'}, {'trust-line': 'Since 1999'}].map(lineOf), [
      'Rated 4.9',
      'Valorado 4.9',
      'Since 1999',
    ]);
    assert.equal(partsOf({}).attributes['trust-line'], undefined);
  });
  test('a snippet for a partner that takes standard leads alone has a form that asks for them', () => {
    const {attributes, height} = partsOf({}, contactOnly);
    assert.deepEqual(attributes, {'lead-type': 'standard', draft: true});
    assert.equal(height, reservedHeights.standard);
  });

  test('a snippet promises amounts only if the form shows them, in the chosen language', () => {
    const textOf = (query: Record<string, string>, partner = acme) =>
      platformNames
        .map((platform) => textFor(platform, {presentation: 'dialog', ...query}, partner))
        .join('\n');
    assert.match(
      textOf({}),
      />How much funding can you get\?<.*>How much funding can you get\? – Acme Funding</s,
    );
    assert.doesNotMatch(textOf({}, contactOnly), /How much/);
    assert.match(textOf({}, contactOnly), />Talk to us about funding<.*>Talk to us about funding – c</s);
    // The apply page asks for everything that the partner takes, whatever is chosen for the snippet.
    assert.match(
      textOf({'lead-type': 'standard'}),
      />Talk to us about funding<.*>How much funding can you get\? – Acme Funding</s,
    );
    const spanish = textOf({lang: 'es'});
    assert.match(spanish, />¿Cuánto financiamiento puede obtener\?</);
    assert.doesNotMatch(spanish, /How much/);
  });

  test('a snippet without a partner has a form that is a sample, in the state that was chosen', () => {
    const sample = (query: Record<string, string>) =>
      snippetParts({publicUrl}, release, undefined, readChoices(query).choices).attributes;
    assert.deepEqual(sample({}), {draft: true, sandbox: ''});
    assert.deepEqual(sample({sandbox: 'refused', draft: 'off'}), {sandbox: 'refused'});
  });

  test("a snippet names no endpoint if that is the server's own address, because it is the default", () => {
    assert.equal(partsOf({endpoint: `${publicUrl}/`}).attributes['endpoint'], undefined);
    assert.equal(
      partsOf({endpoint: 'https://other.example'}).attributes['endpoint'],
      'https://other.example',
    );
  });

  test('a snippet reserves the height of the first screen, and none for a dialog', () => {
    assert.equal(partsOf({}).height, reservedHeights.steps);
    assert.equal(partsOf({order: 'contact-first'}).height, reservedHeights['contact-first']);
    assert.equal(partsOf({layout: 'single'}).height, reservedHeights.single);
    assert.equal(partsOf({layout: 'single', order: 'contact-first'}).height, reservedHeights.single);
    assert.equal(
      partsOf({'lead-type': 'standard', order: 'contact-first'}).height,
      reservedHeights.standard,
      'contact data alone has no order',
    );
    assert.equal(partsOf({layout: 'single', 'lead-type': 'standard'}).height, reservedHeights.standard);
    assert.equal(partsOf({presentation: 'dialog'}).height, undefined);
  });

  test('a snippet with contact data first has the order and its height, on every platform', () => {
    for (const platform of withForm) {
      const text = textFor(platform, {order: 'contact-first'});
      assert.match(text, / order="contact-first"|'order', 'contact-first'/, platform);
      assert.ok(text.includes(reservedHeights['contact-first']), platform);
    }
  });

  test('no text of a snippet has more than ten lines, and its rules have one', () => {
    const partner = {...acme, contact: {phone: '(415) 555-0132'}, colors: {accent: '#0b7a5a'}};
    const all = {order: 'contact-first', look: 'night', lang: 'es', history: 'on', 'cta-label': 'Call'};
    for (const platform of platformNames)
      for (const query of [{}, all, {presentation: 'dialog'}])
        for (const {title, code} of platforms[platform].blocks(partsOf(query, partner))) {
          assert.ok(code.split('\n').length <= 10, `${platform}, ${title}: ${code}`);
          assert.doesNotMatch(code, /<style>[^<]*\n/);
        }
  });

  test("a snippet has the partner's colour unless another one is chosen, on every platform", () => {
    const partner = {...acme, colors: {accent: '#0b7a5a'}};
    for (const platform of withForm) {
      for (const presentation of ['inline', 'dialog'])
        assert.match(
          textFor(platform, {presentation}, partner),
          /--prequal-partner-accent'?: '?#0b7a5a/,
          platform,
        );
      assert.doesNotMatch(textFor(platform, {accent: 'red'}, partner), /0b7a5a/, platform);
    }
  });

  test('a snippet with a form in a dialog has the link that opens it, on every platform', () => {
    for (const platform of withForm) {
      const text = textFor(platform, {presentation: 'dialog'});
      assert.match(text, /<a href="https:\/\/leads\.example\.com\/apply\/acme#prequal-form">/, platform);
      assert.match(text, /id="prequal-form"|'id', 'prequal-form'/, platform);
      assert.doesNotMatch(text, /min-height|minHeight/, platform);
    }
  });

  for (const platform of withForm.filter((name) => name !== 'wordpress')) {
    test(`the form holds a link, hidden while the form may come: ${platforms[platform].name}`, () => {
      const text = textFor(platform, {}, {...acme, contact});
      const [, child = assert.fail(text)] = /<div class(?:Name)?="prequal-late">(.*)<\/div>/.exec(text) ?? [];
      assert.equal(
        child,
        'The form has not loaded. You can <a href="https://leads.example.com/apply/acme">open it on its own page</a>, ' +
          'call <a href="tel:+14155550132">(415) 555-0132 ext. 3</a>, ' +
          'or write to <a href="mailto:hello@acme.example">hello@acme.example</a>.',
      );
      assert.ok(text.includes('.prequal-late{animation: prequal-late 0s 8s backwards;'), text);
      assert.match(text, /lead-prequal-form > \.prequal-late::before\{/);
      assert.doesNotMatch(text, /noscript|\/contact/);
    });
  }

  test('a snippet for WordPress has a link below the form, and no rules that it may show as text', () => {
    const text = textFor('wordpress', {}, {...acme, contact: {phone: '+44 20 7946 0958'}});
    assert.doesNotMatch(text, /<style|prequal-late|animation|noscript/);
    assert.match(
      text,
      /<\/lead-prequal-form>\n<script[^\n]*<\/script>\n<p>If the form does not appear, you can <a href="https:\/\/leads\.example\.com\/apply\/acme">open it on its own page<\/a> or call <a href="tel:\+442079460958">\+44 20 7946 0958<\/a>\.<\/p>$/,
    );
  });

  test('without the form a snippet and the apply page speak the chosen language', () => {
    const spanish = textFor('html', {lang: 'es'}, {...acme, contact});
    assert.ok(
      spanish.includes(
        'El formulario no se ha cargado. Puede <a href="https://leads.example.com/apply/acme?lang=es">abrirlo en una página aparte</a>, ' +
          'llamar al <a href="tel:+14155550132">(415) 555-0132 ext. 3</a> ' +
          'o escribir a <a href="mailto:hello@acme.example">hello@acme.example</a>.',
      ),
      spanish,
    );
    assert.match(textFor('wordpress', {lang: 'es'}), /<p lang="es">Si el formulario no aparece, puede <a/);
    assert.match(
      textFor('html', {lang: 'es', presentation: 'dialog'}),
      /<a href="[^"]*\/apply\/acme\?lang=es#prequal-form" lang="es">¿Cuánto/,
    );
  });

  test('where the form does not load, a snippet leads to the server that gets its leads', () => {
    assert.match(
      textFor('html', {endpoint: 'https://other.example/leads'}),
      /<a href="https:\/\/other\.example\/leads\/apply\/acme">/,
    );
  });

  test('a snippet with a dialog leaves nothing in the page, because its link is the apply page', () => {
    for (const platform of withForm)
      assert.doesNotMatch(
        textFor(platform, {presentation: 'dialog'}),
        /prequal-late|has not loaded|<style/,
        platform,
      );
  });

  test('a snippet in JSX has boolean attributes as booleans, because React sets others to texts', () => {
    const [component] = platforms.react.blocks(
      partsOf({draft: 'on', sandbox: 'succeeds', 'data-layer': 'dataLayer'}),
    );
    const {code = ''} = component ?? {};
    assert.match(code, / draft /);
    assert.match(code, / data-layer="dataLayer" sandbox="" /);
  });

  test("a strict policy, and that of the preview, let the form load the partner's logo", () => {
    const withLogo = {...acme, logo: 'https://cdn.acme.example/logo.svg'};
    assert.match(textFor('csp', {}, withLogo), /^img-src https:\/\/cdn\.acme\.example;$/m);
    assert.doesNotMatch(textFor('csp'), /img-src/);
    const {policy} = preview('html', partsOf({}, withLogo), undefined);
    assert.match(policy, /; img-src data: https:\/\/cdn\.acme\.example; /);
  });

  test('a conversion of Google Ads is told where the page of the form has the tag', () => {
    const parts = partsOf({'google-ads': 'AW-123456789/AbC-D_efG'});
    const without = platformNames.filter(
      (name) => !blocksOf(name, parts).some(({code}) => /gtag/.test(code)),
    );
    assert.deepEqual(without, ['wix', ...leadToApplyPage]);
  });

  test('a snippet without any choices is one with the defaults', () => {
    assert.deepEqual(snippetParts({publicUrl}, release, acme, noChoices), partsOf({}));
  });
});
