/** Who may come to the operators' pages: each route, from everywhere, with each method, by everybody, on a real listener. */
import assert from 'node:assert/strict';
import {before, suite, test} from 'node:test';
import {randomUUIDv7} from 'node:crypto';
import {html} from '../../../server/html/html.ts';
import {digestOf, roles, type Role} from '../../../server/leads/operators.ts';
import {routes} from '../../../server/pages/routes.ts';
import type {Route} from '../../../server/pages/visit.ts';
import {yourRoutes} from '../../../server/pages/you.ts';
import {suiteOwner} from '../../support/opened.ts';
import {ownHost, pagesUrl, servePages, type Answer, type ServedPages} from '../../support/pages.ts';

const navigation = {'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document'};

/** What somebody may do from there: all of it, only look, or nothing. */
type May = 'all' | 'noteAccess' | 'nothing';
const [cross, sibling] = [{'sec-fetch-site': 'cross-site'}, {'sec-fetch-site': 'same-site'}];
const ours = {origin: pagesUrl, 'sec-fetch-site': 'same-origin'};
const elsewhere = {origin: 'https://evil.example', ...cross};
const nearby = {origin: 'https://www.leads.example', ...sibling};
const mode = (name: string) => ({'sec-fetch-mode': name});

/** From where a request may come: what browsers, or others, send. */
const froms: Record<string, readonly [may: May, headers: Record<string, string>]> = {
  'a page of ours': ['all', ours],
  'a page of ours in an old browser': ['all', {origin: pagesUrl}],
  'the address bar': ['noteAccess', {'sec-fetch-site': 'none', ...navigation}],
  'a program': ['noteAccess', {}],
  'a page of ours, behind a proxy that adds no-referrer': ['all', {...ours, origin: 'null'}],
  'a page of ours, behind a proxy that drops the origin': ['all', {'sec-fetch-site': 'same-origin'}],
  'the same in an old browser': ['noteAccess', {origin: 'null'}],
  'a sandbox elsewhere': ['noteAccess', {...elsewhere, ...navigation, origin: 'null'}],
  'a page of ours with the origin of another': ['noteAccess', {...ours, origin: 'https://evil.example'}],
  'a link elsewhere': ['noteAccess', {...cross, ...navigation}],
  'a form elsewhere': ['noteAccess', {...elsewhere, ...navigation}],
  'a script elsewhere': ['nothing', {...elsewhere, ...mode('no-cors')}],
  'an image elsewhere': ['nothing', {...cross, ...mode('no-cors'), 'sec-fetch-dest': 'image'}],
  'an object elsewhere': ['nothing', {...cross, ...mode('navigate'), 'sec-fetch-dest': 'object'}],
  'a frame elsewhere': ['nothing', {...cross, ...mode('navigate'), 'sec-fetch-dest': 'iframe'}],
  'a form of a sibling host': ['noteAccess', {...nearby, ...navigation}],
  'a script of a sibling host': ['nothing', {...nearby, ...mode('cors')}],
  'our origin, but another site': ['nothing', {origin: pagesUrl, ...cross}],
  'our origin, but another scheme': [
    'noteAccess',
    {origin: pagesUrl.replace('https', 'http'), ...sibling, ...navigation},
  ],
};
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
const whos = ['nobody', 'somebody with a wrong cookie', 'somebody whose session ended', ...roles] as const;
type Who = (typeof whos)[number];
const isRole = (who: Who): who is Role => roles.some((role) => role === who);

const lead = randomUUIDv7();
const concrete = (path: string) => path.replace(':id', lead).replace(':name', 'hook');
const all = [...routes, ...yourRoutes];
/** The first route that takes an address, such as `/leads/:id` for `/leads/export` with GET. */
const routeFor = (method: string, path: string): Route | undefined =>
  all.find(
    (each) =>
      each.method === method.replace('HEAD', 'GET') &&
      new RegExp(`^${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
  );
const paths = [...new Set(all.map(({path}) => path)), '/nothing/here', '/leads/', '/LEADS', '/%ff', '//'];

suite('the guard', () => {
  let served: ServedPages;
  const cookies = {} as Record<Who, Record<string, string>>;
  const reached: string[] = [];
  const owner = suiteOwner();
  before(async () => {
    // Whether a page is reached, not what is on it. `yourRoutes` are what they are.
    const marked = routes.map((route): Route => ({
      ...route,
      run({seen}) {
        reached.push(`${route.method} ${route.path} ${seen.role}`);
        return Promise.resolve({page: html`reached`});
      },
    }));
    served = await servePages(owner, marked);
    const cookieOf = async (role: Role, expiresAt?: number) => ({
      cookie: await served.sessionOf(role, undefined, expiresAt === undefined ? {} : {expiresAt}),
    });
    cookies['nobody'] = {};
    cookies['somebody with a wrong cookie'] = {cookie: `__Host-operator=${'A'.repeat(43)}`};
    cookies['somebody whose session ended'] = await cookieOf('admin', Date.now() - 1);
    for (const role of roles) cookies[role] = await cookieOf(role);
  });

  /** The status that a cell of the table must have. */
  function expected(who: Who, path: string, from: string, method: string): number[] {
    const [may, headers] = froms[from] ?? assert.fail();
    if (!['GET', 'HEAD', 'POST'].includes(method)) return [405];
    if (method === 'POST' ? may !== 'all' : may === 'nothing') return [403];
    if (!isRole(who)) return who === 'nobody' && headers['sec-fetch-site'] === 'cross-site' ? [200] : [303];
    const route = routeFor(method, concrete(path));
    if (!route?.roles.includes(who)) return path === '/%ff' ? [404, 400] : [404];
    if (routes.includes(route)) return [200];
    // Pages of their own, with an empty form.
    return method === 'POST' ? [303, 409] : [200];
  }

  for (const who of whos)
    for (const from of Object.keys(froms))
      test(`${who}, from ${from}: each route answers each method as it should`, async () => {
        const headers = {...froms[from]?.[1], ...cookies[who]};
        const cells = paths.flatMap((path) => methods.map((method) => ({path, method})));
        reached.length = 0;
        const wrong: string[] = [];
        let due = 0;
        await Promise.all(
          cells.map(async ({path, method}) => {
            const form = method === 'POST' ? {form: {}} : {};
            const {status, headers: got} = await served.ask(concrete(path), {method, headers, ...form});
            const allowed = expected(who, path, from, method);
            const isMarked = routes.some((route) => route === routeFor(method, concrete(path)));
            if (isRole(who) && allowed.includes(200) && isMarked) due += 1;
            if (!allowed.includes(status))
              wrong.push(`${method} ${path}: ${status} and not ${allowed.join()}`);
            if (got['cache-control'] !== 'no-store') wrong.push(`${method} ${path} may be kept`);
          }),
        );
        assert.deepEqual(wrong, []);
        assert.equal(reached.length, due, 'no page is reached otherwise');
      });

  test('who has no session learns nothing: all paths give the same status, headers and length', async () => {
    for (const who of whos.filter((each) => !isRole(each)))
      for (const [, headers] of Object.values(froms))
        for (const method of methods) {
          const answers = new Map<string, string[]>();
          await Promise.all(
            paths.map(async (path) => {
              const asked = concrete(path);
              const ask = {method, headers: {...headers, ...cookies[who]}};
              const seen = JSON.stringify(shapeOf(await served.ask(asked, ask), asked));
              answers.set(seen, [...(answers.get(seen) ?? []), path]);
            }),
          );
          // A path that cannot be a part of an address of ours leads to the first page.
          assert.equal(answers.size, 1, `${who}, ${method}: ${JSON.stringify([...answers])}`);
        }
  });

  test('a form that is sent after the session has ended is answered in words, and leads back', async () => {
    const plan = `/leads/${lead}/drop?destination=hook`;
    const from = (page: string) => ({referer: pagesUrl + page});
    const posts = [
      ...all.filter(({method}) => method === 'POST').map(({path}) => concrete(path)),
      '/sign-out',
    ];
    const sent = async (path: string, more: Record<string, string>, who: Who) => {
      const headers = {...ours, ...cookies[who], ...more};
      const {status, headers: got} = await served.ask(path, {
        method: 'POST',
        headers,
        form: {reason: 'jane'},
      });
      assert.equal(status, 303, path);
      return new URL(got.location ?? '', pagesUrl);
    };
    for (const who of whos.filter((each) => !isRole(each)))
      for (const path of posts)
        for (const page of [plan, '/destinations', '/you?again=1', '/leads?time=today']) {
          const {pathname, searchParams, href} = await sent(path, from(page), who);
          assert.deepEqual([pathname, searchParams.get('next')], ['/sign-in', page], path);
          assert.doesNotMatch(href, /jane/);
          const {text} = await served.ask(href.slice(pagesUrl.length));
          assert.match(text, /role="alert">[^<]*Nothing was changed, because your session had ended/);
          assert.ok(text.includes(`name="next" value="${page}"`));
        }
    // Without a page of ours, the path of the form itself: that of a change of a lead is also the page of its plan.
    for (const referer of [
      '',
      'https://evil.example/leads',
      `${pagesUrl}//evil.example`,
      'about:blank',
      `${pagesUrl}/a:b`,
    ])
      assert.equal(
        (await sent(`/leads/${lead}/revoke`, {referer}, 'nobody')).searchParams.get('next'),
        `/leads/${lead}/revoke`,
        referer,
      );
    assert.doesNotMatch((await served.ask('/sign-in?next=/you')).text, /Nothing was changed/);
  });

  test('a page that a browser asks for before somebody opens it is refused, and is no look', async () => {
    const early: Record<string, string>[] = [
      ...['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'].map((value) => ({
        'sec-purpose': value,
      })),
      ...[{purpose: 'prefetch'}, {'x-moz': 'prefetch'}, {'x-purpose': 'preview'}],
    ];
    const before = await served.store.auditEntries({}, 1);
    reached.length = 0;
    for (const who of whos)
      for (const headers of early)
        for (const path of [...paths, '/sign-in', '/invite'])
          for (const method of ['GET', 'HEAD']) {
            const {
              status,
              text,
              headers: got,
            } = await served.ask(concrete(path), {method, headers: {...cookies[who], ...headers}});
            assert.deepEqual(
              [status, text, got['cache-control']],
              [503, '', 'no-store'],
              `${method} ${path}`,
            );
          }
    assert.deepEqual(reached, []);
    assert.deepEqual(await served.store.auditEntries({}, 1), before);
  });

  test('a request for another host, or for none, gets nothing', async () => {
    for (const host of [
      ...[
        '127.0.0.1',
        'evil.example',
        `${ownHost}.evil.example`,
        `${ownHost}:8443`,
        `x.${ownHost}`,
        'localhost',
      ],
      ...[`evil.example:443`, `${ownHost}:443:443`, `${ownHost}@evil.example`, `${ownHost}.`],
    ])
      for (const method of ['GET', 'POST']) {
        const asked = {method, headers: {...ours, ...cookies['admin'], host}};
        const {status, text} = await served.ask('/search', asked);
        assert.equal(status, 421, host);
        assert.doesNotMatch(text, new RegExp(ownHost), 'not even the right one');
      }
  });

  test('a proxy may leave the port out of the host, or write the usual one, and the way back stays', async (t) => {
    const url = 'https://admin.leads.example:8443';
    const other = await servePages(t, [], {settings: {ADMIN_URL: url}});
    for (const [pages, host, origin] of [
      [served, `${ownHost}:443`, pagesUrl],
      [other, ownHost, url],
      [other, `${ownHost}:8443`, url],
    ] as const) {
      const headers = {...ours, origin, host, referer: `${origin}/you?again=1`};
      const {headers: got} = await pages.ask('/sign-out', {method: 'POST', headers, form: {}});
      assert.equal(got.location, `/sign-in?next=${encodeURIComponent('/you?again=1')}&unchanged=1`, host);
      const cookie = await pages.sessionOf('admin');
      const failed = await pages.ask('/x', {headers: {...headers, cookie}});
      assert.match(failed.text, /href="\/you">Back</, host);
    }
    assert.equal((await other.ask('/', {headers: {host: `${ownHost}:443`}})).status, 421);
  });

  test('a form without its origin is refused with what to change at the proxy', async () => {
    const headers = {...froms['the same in an old browser']?.[1], ...cookies['admin']};
    const {status, text} = await served.ask('/search', {method: 'POST', headers, form: {}});
    assert.equal(status, 403);
    assert.match(
      text,
      /reverse proxy: it must send no Referrer-Policy of its own, and leave the headers Origin/,
    );
  });

  test('no method changes anything but POST', async () => {
    reached.length = 0;
    for (const method of ['PATCH', 'TRACE', 'PROPFIND', 'SEARCH', 'PURGE', 'QUERY']) {
      const {status, headers} = await served.ask('/search', {
        method,
        headers: {...ours, ...cookies['admin']},
      });
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, POST'], method);
    }
    assert.deepEqual(reached, []);
  });

  test('no other spelling of a cookie is a session', async () => {
    const {cookie = ''} = cookies['admin'];
    const secret = cookie.split('=')[1]!;
    const other = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
    for (const wrong of [
      ...[`operator=${secret}`, `__Secure-operator=${secret}`, `__host-operator=${secret}`, `x${cookie}`],
      ...[`__Host-operator="${secret}"`, `${cookie}A`, cookie.slice(0, -1), `__Host-operator=${other}`],
      ...[`__Host-operator= ${secret}`, `__Host-operator=${digestOf(secret)}`, `x=1,${cookie}`],
    ])
      assert.equal((await served.ask('/', {headers: {cookie: wrong}})).status, 303, wrong);
    assert.equal((await served.ask('/', {headers: {cookie: `a=b; ${cookie}; c=d`}})).status, 200);
  });

  test('a link in an e-mail leads to its page by a page of ours, and only there', async () => {
    const headers = froms['a link elsewhere']?.[1] ?? {};
    const refreshOf = async (path: string) =>
      /http-equiv="refresh" content="0;url=([^"]*)"/.exec((await served.ask(path, {headers})).text)?.[1];
    assert.equal(await refreshOf(`/leads/${lead}`), `/leads/${lead}?linked=1`);
    assert.equal(await refreshOf('/leads?time=today&amp=1'), '/leads?time=today&amp;amp=1&amp;linked=1');
    for (const path of ['//evil.example', '/\\evil.example', '/x"><script>', '/a;url=//evil.example'])
      assert.equal(await refreshOf(path), '/?linked=1', path);
  });

  test('each reply has the headers that keep other sites out', async () => {
    const answers = await Promise.all([
      served.ask('/', {headers: cookies['admin']}),
      served.ask('/sign-in'),
      served.ask('/invite'),
      served.ask('/nothing', {headers: cookies['admin']}),
      served.ask('/', {method: 'PUT'}),
    ]);
    for (const {headers, status} of answers) {
      const policy = String(headers['content-security-policy']);
      const rules = [
        ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'"],
        ...["base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
      ];
      for (const rule of rules) assert.ok(policy.split('; ').includes(rule), `${status}: ${rule}`);
      assert.doesNotMatch(policy, /unsafe|\*|http/);
      assert.partialDeepStrictEqual(headers, {
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
  });

  test('style sheet and script may be kept for ever under the address of their digest alone', async () => {
    const {text} = await served.ask('/sign-in');
    const [style = '', script = ''] = [...text.matchAll(/(?:href|src)="(\/pages[^"]+)"/g)].map(
      ([, path]) => path,
    );
    for (const path of [style, script]) {
      const {status, headers} = await served.ask(path);
      assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=31536000, immutable']);
      const other = await served.ask(path.replace(/v=.*/, 'v=other'));
      assert.equal(other.headers['cache-control'], 'no-cache');
    }
  });

  test('the log has the pattern of a path, and never the path', async () => {
    served.observations.length = 0;
    await served.ask(`/leads/${lead}?who=jane@example.com`, {headers: cookies['agent']});
    await served.ask('/jane@example.com', {headers: cookies['agent']});
    await served.ask('/jane@example.com');
    const logged = served.observations.filter(({type}) => type === 'request-answered');
    assert.deepEqual(
      logged.map((each) => (each as {path: string}).path),
      ['/leads/:id', ':unknown', ':unknown'],
    );
    assert.doesNotMatch(JSON.stringify(logged), /jane/);
  });
});

/** All that a stranger can see of a reply, without what is the path that was asked for, and what differs each time. */
function shapeOf({status, rawHeaders, text}: Answer, path: string) {
  const isSafe = /^\/(?!\/)[\w/?=&%.~+#-]*$/.test(path);
  const headers = rawHeaders
    .map((each) => each.replace(`next=${encodeURIComponent(isSafe ? path : '/')}`, 'next='))
    .filter(
      (_each, index, list) =>
        !/^(date|x-request-id|content-length|connection|keep-alive)$/i.test(list[index - (index % 2)] ?? ''),
    );
  const to = isSafe ? `${path}${path.includes('?') ? '&' : '?'}linked=1` : '/?linked=1';
  const body = text.replace(`url=${to}"`, 'url="').replace(`href="${to}">Go on`, 'href="">Go on');
  return {status, headers, body};
}
