import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {onePartner} from '../../../../server/config/partners.ts';
import {formLanguages} from '../../../../form/words/languages.ts';
import {makeEmbedVersion, sha384} from '../../../support/embed-folder.ts';
import {readProblem, requestRaw} from '../../../support/http.ts';
import {startTestServer} from '../../../support/test-server.ts';

const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'> & Sons`;
const script = 'lead-prequal-form.js';
const origins = ['https://www.acme.example', 'https://*.acme.example'];

const server = await startTestServer((folder) => {
  makeEmbedVersion(join(folder, 'embed'), '1.9.0', {[script]: 'old'});
  makeEmbedVersion(join(folder, 'releases'), '1.10.0', {[script]: 'new'});
  return {
    embedFolder: join(folder, 'embed'),
    releasesFolder: join(folder, 'releases'),
    partners: [
      onePartner({
        key: 'acme',
        name: 'Acme Funding',
        privacy_href: 'https://www.acme.example/privacy?a=1&b=2',
        origins,
        cid: 'secret-cid',
        colors: {accent: '#0B7A5A'},
        contact: {phone: '(415) 555-0132', email: "o'neill@acme.example"},
        logo: 'https://cdn.acme.example/logo.svg?a=1&b=2',
      }),
      onePartner({key: 'branded', origins, cid: '1', context_fields: ['brand']}),
      onePartner({key: 'hostile', name: hostile, origins, cid: '1', lead_types: ['standard']}),
    ],
    rateLimit: 20,
  };
});
after(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) => server.fetch(path, {headers});
const page = async (path: string, headers: Record<string, string> = {}) => (await get(path, headers)).text();
const inFrame = {'Sec-Fetch-Dest': 'iframe'};
const inTab = {'Sec-Fetch-Dest': 'document'};

/** The directives of a content security policy, by name. */
const directives = ({headers}: Response) =>
  Object.fromEntries(
    (headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );

suite('an apply page', () => {
  test('gives its form the hidden fields of the address that the partner lists, and no others', async () => {
    const attributes = async (path: string) =>
      [...(await page(path)).matchAll(/ (context-[^=]*)="([^"]*)"/g)].map(([, ...pair]) => pair);
    assert.deepEqual(
      await attributes('/apply/branded?context-brand=%20north%22%3E&context-email=a&brand=b'),
      [['context-brand', 'north&quot;&gt;']],
    );
    for (const query of [
      'context-brand=',
      'context-brand=a&context-brand=b',
      `context-brand=${'x'.repeat(201)}`,
    ])
      assert.deepEqual(await attributes(`/apply/branded?${query}`), [], query);
    assert.deepEqual(await attributes('/apply/acme?context-brand=north'), []);
  });

  test('has the name, the newest script with its hash, and the privacy page', async () => {
    const response = await get('/apply/acme');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const text = await response.text();
    assert.match(text, /<h1>Acme Funding<\/h1>/);
    assert.match(text, /<title>[^<]+ – Acme Funding<\/title\s*>/);
    assert.match(text, /<lead-prequal-form partner="acme"[^>]* history/);
    assert.ok(text.includes(`src="/embed/1.10.0/${script}" integrity="${sha384('new')}"`));
    assert.equal(
      text.split('href="https://www.acme.example/privacy?a=1&amp;b=2"').length,
      4,
      'in the element, in the form, and at the end of the page',
    );
    assert.doesNotMatch(text, /prefill-from-url|secret-cid/);
  });

  test('shows its form with the page, which a browser can send without a script', async () => {
    const text = await page('/apply/acme?utm_source=a&lang=en');
    assert.match(text, /<lead-prequal-form [^>]*><div class="prequal">[^]*<form\s+method="post"/);
    assert.match(text, /action="\/apply\/acme\?utm_source=a&amp;lang=en"/);
    assert.match(text, /<input\s+type="radio"\s+id="credit_score-0"\s+name="credit_score"/);
    assert.match(await page('/apply/hostile'), /<input\s+id="first_name"/);
  });

  test('has a picture for previews of links, a PNG of 1200 by 630', async () => {
    for (const lang of formLanguages) {
      const text = await page(`/apply/acme?lang=${lang}`);
      const tag = (name: string) =>
        new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(text)?.[1] ?? '';
      assert.match(tag('og:title'), / – Acme Funding$/);
      assert.equal(tag('og:description'), tag('description'));
      assert.equal(tag('og:url'), 'https://leads.example.com/apply/acme');
      assert.equal(
        tag('twitter:card'),
        'summary_large_image',
        'the picture is there: node test/e2e/preview-pictures.ts',
      );
      const picture = new URL(tag('og:image'));
      assert.equal(picture.origin, 'https://leads.example.com');
      const response = await get(picture.pathname + picture.search);
      assert.equal(response.headers.get('content-type'), 'image/png');
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1200, 630]);
      assert.ok(bytes.length < 200_000, `${bytes.length} bytes`);
    }
  });

  test('for contact data alone has no picture, because that speaks of funding', async () => {
    assert.doesNotMatch(await page('/apply/hostile'), /og:image|twitter:card/);
  });

  test('has no markup from the partner’s name', async () => {
    const text = await page('/apply/hostile');
    assert.doesNotMatch(text, /<script>|<img/);
    assert.equal(text.split('<script').length, 3, 'only the scripts of the server');
    assert.ok(text.includes('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'));
  });

  test('asks only for contact data where the partner takes nothing else', async () => {
    assert.match(await page('/apply/hostile'), /<lead-prequal-form partner="hostile" lead-type="standard"/);
  });

  test('runs nothing inline, and only the partner and the server itself may frame it', async () => {
    const response = await get('/apply/acme');
    const text = await response.text();
    const [, styles = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
    const stylesHash = `'sha256-${createHash('sha256').update(styles).digest('base64')}'`;
    assert.deepEqual(directives(response), {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': stylesHash,
      'connect-src': "'self'",
      'img-src': 'data: https://cdn.acme.example',
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': `'self' ${origins.join(' ')}`,
      'trusted-types': 'lead-prequal',
      'require-trusted-types-for': "'script'",
    });
    const {headers} = response;
    assert.equal(headers.get('x-frame-options'), null, 'it would forbid what the policy allows');
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('set-cookie'), null);
    assert.doesNotMatch(text, /style=|onload=|<script>/);
    assert.equal(text.split('<style').length, 2);
  });

  test('is new for each visitor, because its form has a token, and no cache gives it to another', async () => {
    const {headers} = await get('/apply/acme');
    assert.equal(headers.get('cache-control'), 'private, no-cache');
    assert.equal(headers.get('vary'), 'Accept-Encoding, Accept-Language, Sec-Fetch-Dest');
    assert.equal(headers.get('etag'), null);
    const token = async () => /name="_token" value="([^"]+)"/.exec(await page('/apply/acme'))?.[1];
    assert.ok(await token());
    assert.notEqual(await token(), await token());
  });

  test('is compressed before anything was typed, and never with what a visitor has typed', async () => {
    const accepting = {'Accept-Encoding': 'gzip'};
    assert.equal((await get('/apply/acme', accepting)).headers.get('content-encoding'), 'gzip');
    const headers = {...accepting, origin: 'https://leads.example.com'};
    const body = new URLSearchParams({first_name: 'Ana'});
    const posted = await server.fetch('/apply/acme', {method: 'POST', body, headers});
    assert.match(await posted.text(), /value="Ana"/);
    assert.equal(posted.headers.get('content-encoding'), null);
  });

  test('has colour and logo of its partner, and a policy for them', async () => {
    const response = await get('/apply/acme');
    assert.match(await response.text(), /:root\{--accent:#0B7A5A\}<\/style>/);
    assert.match(
      await page('/apply/acme'),
      /<img class="logo" src="https:\/\/cdn\.acme\.example\/logo\.svg\?a=1&amp;b=2" alt="" \/>/,
    );
    const other = await get('/apply/branded');
    assert.equal(directives(other)['img-src'], 'data:');
    assert.doesNotMatch(await other.text(), /0B7A5A/);
    assert.notEqual(directives(other)['style-src'], directives(response)['style-src']);
  });
});

suite('the files of an apply page', () => {
  test('are kept for a year only under the digest of what they hold', async () => {
    const caching = async (path: string) => (await get(path)).headers.get('cache-control');
    const text = (await page('/apply/acme', inFrame)).replaceAll('&amp;', '&');
    const files = [
      ...text.matchAll(/"(?:https:\/\/leads\.example\.com)?(\/apply\/[^"?]+\.(?:css|js|png)\?[^"]+)"/g),
    ];
    assert.equal(files.length, 2);
    for (const [, file = ''] of files) {
      assert.equal(await caching(file), 'public, max-age=31536000, immutable', file);
      for (const other of [file.split('?')[0] ?? '', file.replace(/v=\w+/, 'v=future')])
        assert.equal(await caching(other), 'no-cache', other);
    }
  });
});

suite('the language of an apply page', () => {
  for (const [path, accepted, lang] of [
    ['/apply/acme', 'es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['/apply/acme', 'en-US,es;q=0.5', 'en'],
    ['/apply/acme', 'la, eo;q=0.5', 'en'],
    ['/apply/acme', '*', 'en'],
    ['/apply/acme?lang=es', 'en-US', 'es'],
    ['/apply/acme?lang=ES-mx', 'en-US', 'es'],
    ['/apply/acme?lang=es_MX', 'en-US', 'es'],
    ['/apply/acme?lang=en', 'es', 'en'],
    ['/apply/acme?lang=la', 'es', 'es'],
    ['/apply/acme?lang=__proto__', 'en', 'en'],
    ['/apply/acme?lang=es&lang=en', 'en', 'en'],
  ] as const) {
    test(`is ${lang} at ${path} in a browser that prefers ${accepted}`, async () => {
      assert.match(await page(path, {'Accept-Language': accepted}), new RegExp(`<html lang="${lang}"`));
    });
  }
});

suite('the link to the other language', () => {
  const linkOf = (text: string) => /<a href="([^"]*)" lang=/.exec(text)?.[1];
  test('keeps the rest of the query, so also the campaign', async () => {
    const link = linkOf(
      await page('/apply/acme?utm_source=poster&lang=en&theme=dark&utm_campaign=a%26b+c&lang=en'),
    );
    assert.equal(link, '?utm_source=poster&amp;lang=es&amp;theme=dark&amp;utm_campaign=a%26b+c');
  });
  test('is the language alone where the address has no query', async () => {
    assert.equal(linkOf(await page('/apply/acme')), '?lang=es');
  });
  test('makes no markup of the query', async () => {
    const {body} = await requestRaw(server.url, {path: `/apply/acme?a="><script>alert(1)</script>&b='`});
    const text = body.toString();
    assert.equal(linkOf(text), '?a=%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E&amp;b=%27&amp;lang=es');
    assert.doesNotMatch(text, /<script>/);
  });
});

suite('an address without a partner', () => {
  const follow = (path: string) => requestRaw(server.url, {path});
  for (const path of ['/apply', '/apply/']) {
    test(`${path} leads to the first partner with its query, and no cache keeps that`, async () => {
      const {status, headers} = await follow(path);
      assert.deepEqual([status, headers.location], [302, '/apply/acme']);
      assert.equal(headers['cache-control'], 'no-store');
      const withQuery = await follow(`${path}?lang=es&utm_source=a%26b?c`);
      assert.equal(withQuery.headers.location, '/apply/acme?lang=es&utm_source=a%26b?c');
    });
  }
  test('leads to the partner that its query names', async () => {
    const {headers} = await follow('/apply?partner=branded&lang=es');
    assert.equal(headers.location, '/apply/branded?partner=branded&lang=es');
    assert.equal((await follow('/apply?partner=nobody')).headers.location, '/apply/acme?partner=nobody');
  });
  test('never leads to another server', async () => {
    for (const query of [
      '?//evil.example',
      '?next=https://evil.example',
      '?/../..//evil.example',
      '?@evil.example',
    ]) {
      const {headers} = await follow(`/apply${query}`);
      assert.equal(headers.location, `/apply/acme${query}`);
    }
    const {headers} = await follow('/apply?a="><script>&b=%0d%0aSet-Cookie:c');
    assert.equal(headers.location, '/apply/acme?a=%22%3E%3Cscript%3E&b=%0d%0aSet-Cookie:c');
    assert.equal(headers['set-cookie'], undefined);
  });
});

suite('an apply page in a frame', () => {
  test('knows the origins that its script may write to', async () => {
    assert.match(
      await page('/apply/acme', inFrame),
      /<script\s+defer\s+src="\/apply\/page\.js\?v=\w+"\s+data-origins="https:\/\/www\.acme\.example https:\/\/\*\.acme\.example"/,
    );
    const file = await get('/apply/page.js');
    assert.equal(file.headers.get('content-type'), 'text/javascript; charset=utf-8');
  });
  test('an apply page that is known to be in a tab names no origins to its script', async () => {
    assert.match(await page('/apply/acme', inTab), /data-origins=""/);
    assert.match(await page('/apply/acme'), /data-origins="https/);
  });
  for (const [path, headers, scheme] of [
    ['/apply/acme', inTab, 'light dark'],
    ['/apply/acme', inFrame, 'light'],
    ['/apply/acme?theme=dark', inFrame, 'dark'],
    ['/apply/acme?theme=auto', inFrame, 'light dark'],
    ['/apply/acme?theme=pink', inTab, 'light dark'],
  ] as const) {
    const place = headers['Sec-Fetch-Dest'];
    test(`an apply page has the colour scheme "${scheme}" at ${path} as ${place}`, async () => {
      const text = await page(path, headers);
      assert.ok(text.includes(`<meta name="color-scheme" content="${scheme}" />`));
    });
  }
});

suite('an address of no partner', () => {
  test('has a page in the language of the visitor, with the same policy', async () => {
    for (const [lang, sentence] of [
      ['en', /There is no form at this address/],
      ['es', /No hay ningún formulario en esta dirección/],
    ] as const) {
      const response = await get('/apply/%3Cb%3Enobody', {'Accept-Language': lang});
      assert.equal(response.status, 404);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(directives(response)['frame-ancestors'], "'self'");
      assert.equal(directives(response)['script-src'], "'self'");
      const text = await response.text();
      assert.match(text, sentence);
      assert.doesNotMatch(text, /nobody/);
    }
  });
  test('is an error of JSON where it cannot be a partner’s', async () => {
    for (const path of ['/APPLY/acme', '/APPLY']) {
      await readProblem(await get(path), 404, 'not-found');
    }
  });
});

suite('methods', () => {
  test('HEAD is answered like GET without a body, and all other methods are refused', async () => {
    const head = await server.fetch('/apply/acme', {method: 'HEAD'});
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const response = await server.fetch('/apply/acme', {method});
      await readProblem(response, 405, 'method-not-allowed');
      assert.equal(response.headers.get('allow'), 'GET, HEAD, POST');
    }
  });
});

suite('somebody who tries names of partners', () => {
  test('is refused after as many as on the API of the form', async () => {
    const tries = await Promise.all(Array.from({length: 25}, (_, index) => get(`/apply/guess-${index}`)));
    assert.ok(tries.some(({status}) => status === 404));
    for (const [lang, sentence] of [
      ['en', /Please try again later/],
      ['es', /Inténtelo de nuevo más tarde/],
    ] as const) {
      const response = await get('/apply/another', {'Accept-Language': lang});
      assert.equal(response.status, 429);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal(directives(response)['frame-ancestors'], "'self'");
      assert.match(await response.text(), sentence);
    }
    assert.equal((await get('/apply/acme')).status, 200, 'visitors of the same network see the form');
  });
});
