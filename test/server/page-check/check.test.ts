/** Each planted fault is named, and nothing else. */
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {suite, test} from 'node:test';
import {classicFile, moduleFile} from '../../../contract/api.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {checkPage, type Given} from '../../../server/page-check/check.ts';
import {findingCodes, type Service} from '../../../server/page-check/findings.ts';
import {hosts} from '../../../server/snippets/hosts.ts';
import {noChoices} from '../../../server/snippets/choices.ts';
import {snippetParts} from '../../../server/snippets/parts.ts';

const publicUrl = 'https://leads.example.com';
const origin = 'https://www.partner.example';
const acme = onePartner({key: 'acme', origins: [origin], cid: '1001'});
const globex = onePartner({key: 'globex', origins: ['https://globex.example'], cid: '2001'});
const integrity = {[moduleFile]: 'sha384-module', [classicFile]: 'sha384-classic'};
const version = (name: string, more: object = {}) => ({version: name, released: true, integrity, ...more});
const service: Service = {
  publicUrl,
  partners: [acme, globex],
  versions: {
    newest: '1.2.0',
    versions: [
      version('1.2.0'),
      version('1.1.0'),
      version('1.0.0', {withdrawn: 'It could send a lead twice.'}),
    ],
  },
};
const manifest = {version: '1.2.0', integrity};
const newest = {name: '1.2.0', folder: '', manifest, released: true, advisory: {}};
const parts = snippetParts({publicUrl}, newest, acme, noChoices);

/** What stands in the page of a host. Its scripts and styles are in files elsewhere for some of them. */
const snippetOf = (host: keyof typeof hosts) =>
  hosts[host]
    .blocks(parts)
    .filter(({language}) => language === 'html')
    .map(({code}) => code)
    .join('\n');
const pageWith = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Partner</title>${head}</head><body><h1>Funding</h1>${body}</body></html>`;

const html = pageWith(snippetOf('html'));
const classic = pageWith(snippetOf('wordpress'));
const allowed = `script-src ${publicUrl}; connect-src ${publicUrl}; style-src 'self' 'unsafe-inline'; trusted-types lead-prequal`;

/** The snippet of the frame, whose script says nothing about the page in it. */
const framed = pageWith(snippetOf('frame'));

const codes = (given: Given) => checkPage(acme, given, service).map(({code}) => code);

suite('the check of a partner page', () => {
  for (const host of [
    'html',
    'wordpress',
    'gtm',
    'webflow',
    'wix',
    'squarespace',
    'shopify',
    'framer',
  ] as const) {
    test(`the check of a partner page finds nothing in the snippet for ${host}`, () => {
      const policy = host === 'gtm' ? undefined : allowed;
      assert.deepEqual(checkPage(acme, {origin, html: pageWith(snippetOf(host)), policy}, service), []);
    });
  }
  test('the check of a partner page finds nothing in the snippet for a strict policy, with its own policy and rule', () => {
    const [policy, rule, body] = hosts.csp.blocks(parts);
    const page = pageWith(body!.code, `<style nonce="x">${rule!.code}</style>`);
    const strict = `default-src 'none'; style-src 'nonce-x'; require-trusted-types-for 'script'; ${policy!.code}`;
    assert.deepEqual(checkPage(acme, {origin, html: page, policy: strict}, service), []);
  });

  const faults: [what: string, given: Given, expected: (typeof findingCodes)[number][], named: RegExp][] = [
    [
      'an origin that is not listed',
      {origin: 'https://acme.filesusr.com', html},
      ['origin-not-listed'],
      /acme\.filesusr\.com.*Add "https:\/\/acme\.filesusr\.com"/,
    ],
    [
      'an address instead of an origin',
      {origin: `${origin}/apply`},
      ['origin-invalid'],
      /such as https:\/\/www\.partner\.example/,
    ],
    [
      'the origin of a sandboxed frame',
      {origin: 'null', html},
      ['origin-null'],
      /allow-same-origin.*\/apply\/acme/,
    ],
    [
      'an unknown partner',
      {html: html.replace('"acme"', '"acne"')},
      ['unknown-partner'],
      /"acne".*partner="acme"/,
    ],
    [
      'another partner',
      {html: html.replace('"acme"', '"globex"')},
      ['unknown-partner'],
      /"globex", another partner/,
    ],
    [
      'a policy that blocks the script',
      {html, policy: `script-src 'self'`},
      ['policy-blocks-script'],
      /\(script-src\).*script-src 'self' https:\/\/leads\.example\.com;/,
    ],
    [
      'a policy that blocks the requests by default-src',
      {html, policy: `default-src 'self'; script-src ${publicUrl}; style-src 'unsafe-inline'`},
      ['policy-blocks-requests'],
      /\(default-src\).*connect-src 'self' https:\/\/leads\.example\.com;/,
    ],
    [
      'a policy in a meta element',
      {
        html: pageWith(
          snippetOf('html'),
          `<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">`,
        ),
      },
      ['policy-blocks-requests'],
      /Write: connect-src https:\/\/leads\.example\.com;/,
    ],
    [
      'a policy that allows only the first file',
      {html, policy: `script-src 'sha384-module'`},
      ['policy-blocks-later-files'],
      /loads later.*script-src 'sha384-module' https:/,
    ],
    [
      'a policy with nonces for inserted scripts',
      {html, policy: `script-src 'nonce-abc' 'strict-dynamic'`},
      ['policy-blocks-script'],
      /Give the script the nonce/,
    ],
    [
      'a policy that forbids the style attribute',
      {html, policy: `style-src 'self'`},
      ['policy-blocks-style'],
      /style sheet/,
    ],
    [
      'a policy without our Trusted Types',
      {html, policy: `trusted-types dompurify`},
      ['policy-blocks-trusted-types'],
      /trusted-types dompurify lead-prequal;/,
    ],
    [
      'a policy that blocks the frame',
      {html: pageWith(`<iframe src="${publicUrl}/apply/acme"></iframe>`), policy: `frame-src 'self'`},
      ['policy-blocks-frame'],
      /frame-src 'self' https:/,
    ],
    [
      'a type of an optimiser',
      {html: html.replace('type="module"', 'type="rocketlazyloadscript"')},
      ['script-inert'],
      /"rocketlazyloadscript"/,
    ],
    [
      'a type of a tag manager',
      {html: classic.replace('<script async', '<script type="text/gtmscript" async')},
      ['script-inert'],
      /"text\/gtmscript"/,
    ],
    [
      'an address that was moved away',
      {html: classic.replace(' src=', ' data-rocket-src=')},
      ['script-inert'],
      /data-rocket-src/,
    ],
    [
      'a script that was pasted as text',
      {
        html: pageWith(
          snippetOf('wordpress')
            .replaceAll('<script', '&lt;script')
            .replaceAll('</script>', '&lt;/script&gt;'),
        ),
      },
      ['script-inert'],
      /pasted as text/,
    ],
    [
      'a script in a template',
      {html: pageWith(`<template>${snippetOf('wordpress')}</template>`)},
      ['no-form', 'script-inert'],
      /is not shown, because it stands in a <template>.*script does not run, because it stands in a <template>/,
    ],
    [
      'a wrong hash',
      {html: html.replace('sha384-module', 'sha384-changed')},
      ['wrong-hash'],
      /integrity="sha384-module"/,
    ],
    [
      'the hash of the twin',
      {html: html.replace('sha384-module', 'sha384-classic')},
      ['wrong-hash'],
      /not that of lead-prequal-form\.js/,
    ],
    ['a pinned v1', {html: html.replace('embed/1.2.0/', 'embed/v1/')}, ['wrong-hash'], /v1 changes/],
    [
      'a hash without crossorigin',
      {html: classic.replace(' crossorigin', '')},
      ['no-crossorigin'],
      /Add the attribute crossorigin/,
    ],
    [
      'an old version',
      {html: html.replace('embed/1.2.0/', 'embed/1.1.0/')},
      ['old-version'],
      /1\.1\.0, and 1\.2\.0/,
    ],
    [
      'a withdrawn version',
      {html: html.replace('embed/1.2.0/', 'embed/1.0.0/')},
      ['withdrawn-version'],
      /send a lead twice.*1\.2\.0/,
    ],
    [
      'a version that never was',
      {html: html.replace('embed/1.2.0/', 'embed/9.9.9/')},
      ['unknown-version'],
      /"9\.9\.9"/,
    ],
    ['no height', {html: html.replace(/ style="[^"]*"/, '')}, ['no-height'], /"style" attribute/],
    [
      'mixed content',
      {origin, html: html.replace('https://leads', 'http://leads')},
      ['mixed-content'],
      /Use https:\/\/leads\.example\.com/,
    ],
    [
      'an endpoint without TLS',
      {origin, html: html.replace('partner=', 'endpoint="http://leads.example.com" partner=')},
      ['mixed-content'],
      /endpoint/,
    ],
    [
      'a copy of the script elsewhere',
      {html: html.replace('https://leads.example.com', 'https://cdn.partner.example')},
      ['script-elsewhere'],
      /cdn\.partner\.example/,
    ],
    [
      'the script twice',
      {
        html: pageWith(
          snippetOf('html') +
            snippetOf('wordpress').replace(/<lead-prequal-form[^]*<\/lead-prequal-form>/, ''),
        ),
      },
      ['script-twice'],
      /more than once/,
    ],
    ['no script', {html: html.replace(/<script[^]*?<\/script>/, '')}, ['no-script'], /snippet acme/],
    [
      'no form',
      {html: pageWith(snippetOf('html').replace(/<lead-prequal-form[^]*/, ''))},
      ['no-form'],
      /snippet acme/,
    ],
    [
      'a form that is not closed',
      {
        html: pageWith(
          `${snippetOf('html').replace(/<lead-prequal-form[^]*/, '')}<lead-prequal-form partner="acme" style="min-height: 45em" />`,
        ),
      },
      ['form-not-closed'],
      /<\/lead-prequal-form>/,
    ],
    [
      'a policy whose keyword for trusted scripts takes away the one for scripts within the page',
      {html: pageWith(snippetOf('gtm')), policy: `script-src 'unsafe-inline' 'strict-dynamic'`},
      ['policy-blocks-script'],
      /within the page/,
    ],
    [
      'a policy that blocks the script of a page whose HTML is not known',
      {origin, policy: `script-src 'self'`},
      ['policy-blocks-script'],
      /script-src 'self' https:\/\/leads\.example\.com;/,
    ],
    [
      'a policy that lets the form ask for its texts, but not send',
      {html, policy: `connect-src ${publicUrl}/embed/v1/config`},
      ['policy-blocks-requests'],
      /connect-src .*config https:\/\/leads\.example\.com;/,
    ],
    [
      'a policy that puts the page into a sandbox',
      {html, policy: `sandbox allow-scripts allow-popups`},
      ['policy-sandboxes-page'],
      /without allow-same-origin.*sandbox allow-scripts allow-popups allow-same-origin;/,
    ],
    [
      'a script within the page that makes an address of a text, where Trusted Types are required',
      {
        html: pageWith(snippetOf('gtm')),
        policy: `require-trusted-types-for 'script'; trusted-types lead-prequal`,
      },
      ['policy-blocks-trusted-types'],
      /plain text.*strict content security policy/,
    ],
    [
      'a script that asks for cookies',
      {html: html.replace(' crossorigin', ' crossorigin="use-credentials"')},
      ['wrong-crossorigin'],
      /cookies.*crossorigin without a value/,
    ],
    [
      'a module from which a tool has taken its type',
      {html: html.replace(' type="module"', '')},
      ['module-as-classic'],
      /is a module.*Add type="module".*lead-prequal-form\.classic\.js/,
    ],
    [
      'a script within the page that adds the module as a plain script',
      {
        html: pageWith(
          snippetOf('gtm').replaceAll('classic.js', 'js').replace('sha384-classic', 'sha384-module'),
        ),
      },
      ['module-as-classic'],
      /is a module/,
    ],
    [
      'a type with spaces, which browsers do not trim',
      {html: html.replace('type="module"', 'type=" module "')},
      ['script-inert'],
      /" module "/,
    ],
    [
      'a classic script that only old browsers run',
      {html: classic.replace('async', 'nomodule')},
      ['script-inert'],
      /nomodule/,
    ],
    [
      'an address in an attribute of a tool that nobody has listed',
      {html: classic.replace(' src=', ' data-wpfc-original-src=')},
      ['script-inert'],
      /data-wpfc-original-src/,
    ],
    [
      'a script into which an editor has put tags',
      {html: pageWith(snippetOf('gtm').replaceAll('\n', '<br />\n'))},
      ['script-inert'],
      /not valid JavaScript \(Unexpected token '<'\)/,
    ],
    [
      'a wrong hash of a stronger kind beside the right one',
      {html: html.replace('sha384-module', `sha512-${'A'.repeat(86)}== sha384-module`)},
      ['wrong-hash'],
      /integrity="sha384-module"/,
    ],
    [
      'a form in a template',
      {html: pageWith(snippetOf('html').replace('<lead-', '<template><lead-') + '</template>')},
      ['no-form'],
      /<template>/,
    ],
    [
      'a form whose end tag is missing',
      {html: html.replace('</lead-prequal-form>', '<p>More</p>')},
      ['form-not-closed'],
      /no end tag/,
    ],
    [
      'an endpoint with a path',
      {html: html.replace('partner=', `endpoint="${publicUrl}/embed" partner=`)},
      ['endpoint-elsewhere'],
      /leads\.example\.com\/embed, and not to this server, which is https:/,
    ],
    [
      'a frame with the page of nobody',
      {html: framed.replace('/apply/acme', '/apply/acne')},
      ['unknown-partner'],
      /"acne", which is no partner.*\/apply\/acme"/,
    ],
    [
      'a frame without TLS',
      {origin, html: framed.replace('https:', 'http:')},
      ['mixed-content'],
      /The frame/,
    ],
    [
      'a frame in a sandbox',
      {html: framed.replace('<iframe', '<iframe sandbox="allow-scripts"')},
      ['frame-sandboxed'],
      /without allow-same-origin/,
    ],
    [
      'a header that was pasted with its name',
      {html, policy: `Content-Security-Policy: connect-src 'self'`},
      ['policy-blocks-requests'],
      /connect-src 'self' https:/,
    ],
    [
      'a policy that forbids scripts within the page',
      {html: pageWith(snippetOf('gtm')), policy: `script-src ${publicUrl}`},
      ['policy-blocks-script'],
      /within the page/,
    ],
    [
      'an address in which a placeholder was left',
      {html: html.replace('leads.example.com/embed', '<?php echo $host ?>/embed')},
      ['script-address-invalid'],
      /not valid: https:\/\/<\?php/,
    ],
    [
      'a file that the version lacks',
      {html: html.replace('/lead-prequal-form.js', '/my-lead-prequal-form.js')},
      ['unknown-file'],
      /no file my-lead-prequal-form\.js.*1\.2\.0/,
    ],
    [
      "a stranger's endpoint",
      {html: html.replace('partner=', 'endpoint="https://leads.example.com.evil.example" partner=')},
      ['endpoint-elsewhere'],
      /leads\.example\.com\.evil\.example, and not to this server/,
    ],
  ];
  for (const [what, given, expected, named] of faults) {
    test(`the check of a partner page names ${what}, and what to do`, () => {
      const findings = checkPage(acme, given, service);
      assert.deepEqual(
        findings.map(({code}) => code),
        expected,
      );
      assert.match(findings.map(({wrong, fix}) => `${wrong} ${fix}`).join(' '), named);
    });
  }
  for (const attribute of ['', ' partner', ' partner=""']) {
    test(`the check of a partner page says whose a form is that names no partner: <lead-prequal-form${attribute}>`, () => {
      const page = html.replace(' partner="acme"', attribute);
      const [finding, ...others] = checkPage(globex, {html: page}, service);
      assert.partialDeepStrictEqual(finding, {code: 'unknown-partner', fix: 'Write partner="globex".'});
      assert.match(finding?.wrong ?? '', /"acme", another partner/);
      assert.deepEqual(others, []);
    });
  }
  test('every finding of the check has a page in these tests that has it', () => {
    assert.deepEqual(new Set(faults.flatMap(([, , expected]) => expected)), new Set(findingCodes));
  });

  test('the check of a partner page accepts a height in a rule of the page', () => {
    const bare = html.replace(/ style="[^"]*"/, ' class="wide funding"');
    const ruled = bare.replace('</title>', '</title><style>main, .funding { min-height: 40em }</style>');
    assert.deepEqual(codes({html: ruled}), []);
  });
  test('the check of a partner page knows scripts that load the form, however they quote its address', () => {
    const {src} = parts.classic;
    for (const code of [
      `s = document.createElement("script"); s.src = \`${src}\``,
      `document.write('<script src="${src}"><\\/script>')`,
      `import('${parts.module.src}')`,
    ])
      assert.deepEqual(
        codes({html: html.replace(/<script[^]*?<\/script>/, () => `<script>${code}</script>`)}),
        [],
        code,
      );
  });
  test('the check of a partner page says nothing against a sample', () => {
    assert.deepEqual(codes({html: html.replace(/partner="acme" style="[^"]*"/, 'sandbox')}), []);
  });

  for (const [what, policy] of [
    ['a nonce', `script-src 'nonce-abc' 'strict-dynamic'`],
    ['the hash of its text', ''],
  ] as const) {
    test(`the check of a partner page finds nothing in a script within the page that the policy allows by ${what}`, () => {
      const snippet = snippetOf('gtm').replace('<script>', '<script nonce="abc">');
      const [, text = ''] = /<script[^>]*>([^]*?)<\/script>/.exec(snippet) ?? [];
      const hash = createHash('sha256').update(text).digest('base64');
      const given = policy || `script-src 'sha256-${hash}' 'strict-dynamic'`;
      assert.deepEqual(checkPage(acme, {origin, html: pageWith(snippet), policy: given}, service), []);
    });
  }

  const styleHash = createHash('sha256')
    .update(/style="([^"]*)"/.exec(html)?.[1] ?? '')
    .digest('base64');
  const blocking = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;
  const pinnedBy = (hashes: string) => ({html: html.replace('sha384-module', hashes)});
  const beside = (more: string) => ({html: pageWith(snippetOf('html') + more)});
  const wellDone: Record<string, Given> = {
    'no partner, which means the first': {html: html.replace(' partner="acme"', '')},
    'an empty partner, which means the first': {html: html.replace('"acme"', '""')},
    'several hashes': pinnedBy('sha384-other sha384-module'),
    'a wrong hash of a weaker kind': pinnedBy(`sha256-${'A'.repeat(43)}= sha384-module`),
    'a hash with options': pinnedBy('sha384-module?ct=js'),
    'a module without crossorigin': {html: html.replace(' crossorigin', '')},
    'a type with a version': {html: classic.replace('async', 'type="text/javascript1.5"')},
    'an example of the script in a text': beside(`<pre>&lt;script src="${parts.module.src}"&gt;</pre>`),
    'an example of the script in a comment': beside(`<!-- ${snippetOf('html')} -->`),
    'the data of a framework': beside(
      `<script>self.__next_f.push([1,${JSON.stringify(JSON.stringify({src: parts.module.src}))}])</script>`,
    ),
    'a list of scripts': beside(
      `<script>exceptions = ['lead-prequal-form.js', '${parts.module.src}']</script>`,
    ),
    'an import map': beside(`<script type="importmap">{"imports":{"form":"${parts.module.src}"}}</script>`),
    'a shadow root in the HTML': {
      html: pageWith(`<div><template shadowrootmode="open">${snippetOf('html')}</template></div>`),
    },
    'a tag that ends with a slash and has an end tag': {html: html.replace(/45em\)"/, '45em)" /')},
    'an address that is short because of <base>': {
      html: html.replace(publicUrl, '').replace('<title>', `<base href="${publicUrl}/x/"><title>`),
    },
    'a script without spaces': {html: pageWith(snippetOf('gtm').replaceAll(' = ', '='))},
    'a height in capitals': {html: html.replace('display: block; min-height', 'MIN-HEIGHT')},
    'an endpoint with a slash': {html: html.replace('partner=', `endpoint="${publicUrl}/" partner=`)},
    'the frame of the snippet': {origin, html: framed},
    'a frame whose address has no scheme': {origin, html: framed.replace('src="https:', 'src="')},
    'a frame that is loaded late': {html: framed.replace('src=', 'data-lazy-src=')},
    'a frame in a sandbox in which the form works': {
      html: framed.replace('<iframe', '<iframe sandbox="allow-scripts allow-same-origin"'),
    },
    'a policy that only reports': {
      html,
      policy: `Content-Security-Policy-Report-Only: script-src 'none'; connect-src 'none'`,
    },
    'a policy in a meta element of the body': {html: pageWith(blocking + snippetOf('html'))},
    'a policy in a template': {html: pageWith(snippetOf('html'), `<template>${blocking}</template>`)},
    'a sandbox in a meta element': {
      html: pageWith(
        snippetOf('html'),
        '<meta http-equiv="Content-Security-Policy" content="sandbox allow-scripts">',
      ),
    },
    'a sandbox in which the form works': {
      html,
      policy: 'sandbox Allow-Scripts allow-same-origin',
    },
    'keywords in capitals': {
      html: pageWith(snippetOf('gtm')),
      policy: `script-src 'UNSAFE-INLINE' ${publicUrl}`,
    },
    'a nonce whose keyword is in capitals': {
      html: html.replace('<script', '<script nonce="abc"'),
      policy: `script-src 'NONCE-abc' 'Strict-Dynamic'`,
    },
    'a hash in the other alphabet of Base64': {
      html: html.replace('sha384-module', 'sha384-a+b/c='),
      policy: `script-src 'SHA384-a-b_c=' 'strict-dynamic'`,
    },
    'the port of http': {html, policy: `script-src http://leads.example.com:80`},
    'the hash of the style attribute': {
      html,
      policy: `style-src 'unsafe-hashes' 'sha256-${styleHash}'`,
    },
    'an address with http that the policy upgrades': {
      origin,
      html: html.replace('https://leads', 'http://leads'),
      policy: 'upgrade-insecure-requests',
    },
  };
  for (const [what, given] of Object.entries(wellDone)) {
    test(`the check of a partner page lets pass what browsers let pass: ${what}`, () => {
      const found = checkPage(acme, given, service).filter(({code}) => code !== 'wrong-hash');
      assert.deepEqual(found, []);
    });
  }

  for (const [what, hostile] of Object.entries({
    'deeply nested': '<div>'.repeat(50_000),
    'full of unfinished forms': '<lead-prequal-form '.repeat(20_000),
    'a style sheet without an end': `<style>${'a'.repeat(500_000)}</style>`,
    'a script of nothing but file names': `<script>${'"/lead-prequal-form.js'.repeat(20_000)}</script>`,
    'a script of one text without an end': `<script>.src${'/lead-prequal-form.js?'.repeat(50_000)}\\</script>`,
    'a hash without an end': `<script src="${publicUrl}/embed/1.2.0/${moduleFile}" integrity="${'sha384-'.repeat(100_000)}!"></script>`,
    'frames with wrong addresses': `<iframe src="${publicUrl}:bad/apply/acme"></iframe><iframe src="//["></iframe>`,
  })) {
    test(`the check of a partner page ends soon and without an error if the page is ${what}`, () => {
      const policy = `frame-src ${publicUrl}/%; connect-src ${publicUrl}/%zz; script-src https://[`;
      assert.ok(checkPage(acme, {origin, html: pageWith(hostile), policy}, service).length > 0);
    });
  }
});
