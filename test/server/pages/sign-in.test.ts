/** Signing in with a passkey, invitations, sessions, and `/you`, with an authenticator in software. */
import assert from 'node:assert/strict';
import {randomUUIDv7} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import {inviteOperator} from '../../../server/admin/operators.ts';
import {html} from '../../../server/html/html.ts';
import {newSecret, roles, type Role} from '../../../server/leads/operators.ts';
import {routes} from '../../../server/pages/routes.ts';
import type {Route} from '../../../server/pages/visit.ts';
import {browserOf} from '../../../server/pages/you.ts';
import {createAuthenticator, type Authenticator, type Lies} from '../../support/authenticator.ts';
import {carryOut, databaseKinds, unnoted} from '../../support/operator.ts';
import {ownForm, pagesUrl, servePages, type Answer, type ServedPages} from '../../support/pages.ts';

const home: Route = {
  ...{method: 'GET', path: '/', roles, action: 'status'},
  run: ({seen}) => Promise.resolve({page: html`<p>Hello ${seen.name}, ${seen.role}, ${seen.zone}</p>`}),
};
const minute = 60_000;

/** A browser: it keeps one cookie. */
function browse(served: ServedPages) {
  let cookie: string | undefined;
  const sent = () => (cookie === undefined ? {} : {cookie});
  function kept(answer: Answer): Answer {
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set !== undefined) cookie = set.includes('Expires=Thu, 01 Jan 1970') ? undefined : set.split(';')[0];
    return answer;
  }
  return {
    get: async (path: string) => kept(await served.ask(path, {headers: sent()})),
    post: async (path: string, form: Record<string, string> = {}, headers: object = {}) =>
      kept(await served.ask(path, {method: 'POST', headers: {...ownForm, ...sent(), ...headers}, form})),
    /** A cookie that somebody else has, too. */
    with: (other: string | undefined) => void (cookie = other),
    cookie: () => cookie,
  };
}
type Browser = ReturnType<typeof browse>;

const decoded = (text: string) =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (_all, code: string, name: string) =>
    code ? String.fromCharCode(Number(code)) : ({quot: '"', amp: '&', lt: '<', gt: '>'}[name] ?? ''),
  );
type Options = Parameters<Authenticator['get']>[0];
/** What a form asks of the browser: the first one, or the one that has all these parts. */
function optionsIn({text}: Answer, ...parts: string[]): Options {
  const form = text
    .split('<form')
    .find((each) => ['data-options', ...parts].every((part) => each.includes(part)));
  const options = /data-options="([^"]*)"/.exec(form ?? '')?.[1];
  return JSON.parse(decoded(options ?? assert.fail(text.slice(-600)))) as Options;
}

async function invite(
  served: ServedPages,
  name: string,
  again = false,
  role: Role = 'agent',
): Promise<string> {
  const admin = {store: served.store, config: served.config, noteAccess: unnoted};
  const {link} = await inviteOperator(admin, {name, role, again});
  return new URL(link).hash.slice(1);
}

async function accept(browser: Browser, secret: string, passkey: Authenticator, lies: Lies = {}) {
  const credential = passkey.create(optionsIn(await browser.post('/invite', {secret})), lies);
  return browser.post('/invite/accept', {secret, credential, zone: 'Europe/Madrid'});
}

async function signIn(browser: Browser, passkey: Authenticator, lies: Lies = {}, next = '/') {
  const options = optionsIn(await browser.get('/sign-in'));
  return browser.post('/sign-in', {credential: passkey.get(options, lies), zone: 'Europe/Madrid', next});
}

async function start(t: TestContext, postgres = false) {
  const served = await servePages(t, [home], {postgres});
  const passkey = createAuthenticator({origin: pagesUrl});
  const browser = browse(served);
  const audit = async () =>
    (await served.store.auditEntries({}, 100)).map(({actor, action}) => `${actor}: ${action}`).toReversed();
  return {served, passkey, browser, audit};
}

async function startInvited(t: TestContext, name = 'Maria Lopez', synced = true) {
  const all = await start(t);
  const passkey = createAuthenticator({origin: pagesUrl, synced});
  const accepted = await accept(all.browser, await invite(all.served, name), passkey);
  assert.deepEqual([accepted.status, accepted.headers.location], [303, '/you?again=1']);
  return {...all, passkey};
}
const isRefused = ({status, headers}: Answer) => status === 403 && headers['set-cookie'] === undefined;

for (const {name, postgres, skip} of databaseKinds)
  test(`${name}: invited, signed out, signed in, shut out`, {skip}, async (t) => {
    const {served, passkey, browser, audit} = await start(t, postgres);
    const accepted = await accept(browser, await invite(served, 'Maria Lopez'), passkey);
    assert.equal(accepted.headers.location, '/you?again=1');
    const [set = ''] = accepted.headers['set-cookie'] ?? [];
    assert.match(
      set,
      /^__Host-operator=[\w-]{43}; Max-Age=43200; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
    );
    assert.match((await browser.get('/')).text, /Hello Maria Lopez, agent, Europe\/Madrid/);
    assert.match((await browser.get('/you?again=1')).text, /Make a second passkey now/);

    const before = browser.cookie();
    const out = await browser.post('/sign-out');
    assert.deepEqual([out.status, out.headers.location], [303, '/sign-in']);
    assert.equal(out.headers['clear-site-data'], undefined, 'browsers take seconds for it');
    assert.equal(browser.cookie(), undefined);
    browser.with(before);
    assert.equal((await browser.get('/')).headers.location, '/sign-in?next=%2F', 'the session has ended');

    assert.equal((await signIn(browser, passkey)).headers.location, '/');
    assert.match((await browser.get('/')).text, /Hello Maria Lopez/);
    const admin = {store: served.store, config: served.config, noteAccess: unnoted, actor: 'ana'};
    await carryOut(admin, 'operators revoke', {name: 'Maria Lopez'});
    assert.equal((await browser.get('/')).status, 303, 'at once');
    assert.ok(isRefused(await signIn(browser, passkey)), 'and the passkey is gone');
    const who = 'operator Maria Lopez: operators';
    // In order of their words: the first two may be of one millisecond.
    assert.deepEqual((await audit()).toSorted(), [
      `${who} passkey`,
      `${who} sign-in`,
      `${who} sign-in`,
      `${who} sign-out`,
    ]);
  });

suite('an invitation', () => {
  test('works once, and not at all when it has ended or is none of ours', async (t) => {
    const {served, passkey, browser} = await start(t);
    const secret = await invite(served, 'Ana');
    const other = createAuthenticator({origin: pagesUrl});
    const all = [passkey, other, ...Array.from({length: 8}, () => createAuthenticator({origin: pagesUrl}))];
    const open = async () => optionsIn(await browser.post('/invite', {secret}));
    const made = await Promise.all(all.map(async (each) => each.create(await open())));
    const answers = await Promise.all(
      made.map((credential) => browse(served).post('/invite/accept', {secret, credential, zone: ''})),
    );
    assert.equal(answers.filter(({status}) => status === 303).length, 1, 'also at the same time');
    assert.equal(answers.filter(isRefused).length, 9);
    for (const each of [secret, newSecret()])
      assert.match((await browser.post('/invite', {secret: each})).text, /This invitation does not work/);
    const [ana] = await served.store.operators(Date.now());
    assert.deepEqual([ana?.passkeys, ana?.sessions], [1, 1]);

    const late = await invite(served, 'Ben');
    const asked = optionsIn(await browser.post('/invite', {secret: late}));
    await served.execute(`UPDATE invitations SET expires_at = ${Date.now() - 1}`);
    const credential = other.create(asked);
    assert.ok(isRefused(await browser.post('/invite/accept', {secret: late, credential})));
  });

  test('sent again ends the passkeys and sessions of before', async (t) => {
    const {served, passkey, browser} = await startInvited(t, 'Ana');
    const asked = optionsIn(await browser.get('/sign-in'));
    const secret = await invite(served, 'Ana', true);
    assert.equal((await browser.get('/')).status, 303);
    assert.ok(isRefused(await signIn(browser, passkey)));
    assert.ok(isRefused(await browser.post('/sign-in', {credential: passkey.get(asked)})), 'asked before');
    await accept(browser, secret, createAuthenticator({origin: pagesUrl}));
    assert.match((await browser.get('/')).text, /Hello Ana/);
  });

  test('of somebody with any name shows its link on the page that it leads to', async (t) => {
    const served = await servePages(t, routes);
    const [browser, passkey] = [browse(served), createAuthenticator({origin: pagesUrl})];
    await accept(browser, await invite(served, 'Ana', false, 'admin'), passkey);
    for (const name of ["Conor O'Brien", 'Ben (nights)!*']) {
      const asked = String(new URLSearchParams({name, role: 'agent'}));
      const page = await browser.get(`/operators/invite?${asked}`);
      const [, to = assert.fail(page.text)] = /<form method="post" action="([^"]+)"/.exec(page.text) ?? [];
      const [, confirm = ''] = /name="confirm" value="([^"]+)"/.exec(page.text) ?? [];
      const form = {role: 'agent', confirm, credential: passkey.get(optionsIn(page))};
      const {headers} = await browser.post(decoded(to), form);
      const [path = assert.fail(`no link for ${name}`)] = headers.location?.split('#') ?? [];
      const shown = await browser.get(path);
      assert.match(shown.text, /\/invite#[\w-]{43}/);
    }
  });

  test('takes no passkey that somebody has already', async (t) => {
    const {served, passkey, browser} = await startInvited(t, 'Ana');
    assert.ok(isRefused(await accept(browse(served), await invite(served, 'Ben'), passkey)));
    assert.match((await browser.get('/')).text, /Hello Ana/);
  });

  const lies: Record<string, Lies> = {
    'another origin': {origin: 'https://admin.leads.example.evil.example'},
    'another port': {origin: `${pagesUrl}:8443`},
    'another host': {rpId: 'leads.example'},
    'nobody verified': {verified: false},
    'a challenge of somebody else': {challenge: newSecret()},
    'an answer to another question': {type: 'webauthn.get'},
  };
  for (const [what, lie] of Object.entries(lies))
    test(`takes no passkey with ${what}`, async (t) => {
      const {served, passkey, browser} = await start(t);
      const secret = await invite(served, 'Ana');
      const refused = await accept(browser, secret, passkey, lie);
      assert.ok(isRefused(refused));
      assert.match(refused.text, /Welcome, Ana[^]*role="alert">That passkey was not taken[^]*still works/);
      assert.equal((await served.store.operators(Date.now()))[0]?.passkeys, 0);
      const credential = passkey.create(optionsIn(refused));
      const again = await browser.post('/invite/accept', {secret, credential});
      assert.equal(again.status, 303, 'the page that says so asks again');
    });

  test('with a changed link is opened if the secret is whole, and otherwise says so', async (t) => {
    const {served, browser} = await start(t);
    const secret = await invite(served, 'Ana');
    for (const link of [
      `%23${secret}`,
      `%2523${secret}`,
      `%23${secret}%3E`,
      `%23${secret}.`,
      `%23${secret}&sa=D`,
    ]) {
      const {status, headers} = await browser.get(`/invite${link}`);
      assert.deepEqual([status, headers.location], [303, `/invite#${secret}`], link);
    }
    for (const text of [`${secret}.`, `${secret}%20`, `${secret}&data=05`, ` ${secret}`])
      assert.match((await browser.post('/invite', {secret: text})).text, /Welcome, Ana/, text);
    const broken = [secret.slice(0, -1), `${secret}x`, '', `${secret.slice(0, 20)}=${secret.slice(20)}`];
    for (const text of broken) {
      const pages = [await browser.post('/invite', {secret: text}), await browser.get(`/invite%23${text}`)];
      for (const {text: page} of pages) assert.match(page, /This link is not whole[^]*Copy it whole/, text);
    }
    assert.doesNotMatch(JSON.stringify(served.observations), new RegExp(secret.slice(0, 20)), 'nor the log');
  });
});

suite('a sign-in', () => {
  test('with a lie of the browser or the authenticator is refused', async (t) => {
    const {browser, passkey} = await startInvited(t);
    const lies: Lies[] = [
      ...[{origin: 'https://evil.example'}, {origin: 'http://admin.leads.example'}, {rpId: 'leads.example'}],
      {origin: `${pagesUrl}:8443`},
      ...[{verified: false}, {challenge: newSecret()}, {type: 'webauthn.create'}, {userHandle: 'b3RoZXI'}],
      {userHandle: ''},
    ];
    for (const lie of lies) {
      browser.with(undefined);
      assert.ok(isRefused(await signIn(browser, passkey, lie)), JSON.stringify(lie));
    }
    assert.equal((await signIn(browser, passkey)).status, 303);
  });

  test('with what is no answer at all is refused', async (t) => {
    const {browser, passkey} = await startInvited(t);
    browser.with(undefined);
    const other = createAuthenticator({origin: pagesUrl});
    const options = optionsIn(await browser.get('/sign-in'));
    const forged = {...(JSON.parse(other.get(options)) as object), id: passkey.id, rawId: passkey.id};
    for (const credential of ['', '{', 'null', '[]', '{"id":1}', '{"id":"x"}', `{"id":"${passkey.id}"}`])
      assert.ok(isRefused(await browser.post('/sign-in', {credential})), credential);
    assert.ok(
      isRefused(await browser.post('/sign-in', {credential: JSON.stringify(forged)})),
      'a forged one',
    );
  });

  test('with an id that no passkey can have does not come to the store', async (t) => {
    const {browser, served} = await startInvited(t);
    browser.with(undefined);
    const asked = t.mock.method(served.store, 'passkey');
    for (const id of ['a\0', 'a b', '', 'é'])
      assert.ok(isRefused(await browser.post('/sign-in', {credential: JSON.stringify({id})})), id);
    assert.equal(asked.mock.callCount(), 0);
  });

  test('with a lost passkey begins no session while somebody is invited again', async (t) => {
    const {browser, passkey, served} = await startInvited(t);
    browser.with(undefined);
    const {store} = served;
    const begin = store.beginSession.bind(store);
    t.mock.method(store, 'beginSession', async (session: Parameters<typeof begin>[0]) => {
      const invited = {digest: newSecret(), expiresAt: Date.now() + minute};
      await store.inviteAgain(session.operator, invited);
      return begin(session);
    });
    assert.ok(isRefused(await signIn(browser, passkey)));
    assert.deepEqual(
      (await store.operators(Date.now())).map(({passkeys, sessions}) => [passkeys, sessions]),
      [[0, 0]],
    );
  });

  test('cannot be repeated by who has seen it, also not at the same time', async (t) => {
    const {served, passkey} = await startInvited(t);
    const options = optionsIn(await browse(served).get('/sign-in'));
    const form = {credential: passkey.get(options), zone: '', next: '/'};
    const all = await Promise.all(Array.from({length: 12}, () => browse(served).post('/sign-in', form)));
    assert.equal(all.filter(({status}) => status === 303).length, 1);
    assert.equal(all.filter(isRefused).length, 11);
    assert.ok(isRefused(await browse(served).post('/sign-in', form)));
  });

  test('takes the challenge of a sign-in alone, and not that of an invitation or of a page', async (t) => {
    const {served, passkey, browser} = await startInvited(t);
    const secret = await invite(served, 'Ben');
    const invitation = optionsIn(await browser.post('/invite', {secret}));
    const ask = optionsIn(await browser.get('/you'), '/you/passkeys/new');
    for (const {challenge} of [invitation, ask])
      assert.ok(isRefused(await signIn(browse(served), passkey, {challenge})));
    const {challenge} = optionsIn(await browser.get('/sign-in'));
    const other = createAuthenticator({origin: pagesUrl});
    assert.ok(isRefused(await accept(browse(served), secret, other, {challenge})), 'nor the other way round');
  });

  test('a device-bound passkey whose counter goes back is refused and noted, a synced one is not', async (t) => {
    const {served, passkey, browser, audit} = await startInvited(t, 'Ana', false);
    assert.equal((await signIn(browser, passkey)).status, 303);
    browser.with(undefined);
    for (const counter of [2, 1, 0]) assert.ok(isRefused(await signIn(browser, passkey, {counter})));
    assert.equal((await audit()).filter((line) => line === 'operator Ana: operators copy').length, 3);
    assert.equal((await signIn(browser, passkey, {counter: 3})).status, 303);
    const synced = createAuthenticator({origin: pagesUrl});
    await accept(browser, await invite(served, 'Ben'), synced, {counter: 9});
    assert.equal((await signIn(browser, synced, {counter: 0})).status, 303);
  });

  test('leads to a path of the pages alone', async (t) => {
    const {browser, passkey} = await startInvited(t);
    const to = async (next: string) => (await signIn(browser, passkey, {}, next)).headers.location;
    assert.equal(await to('/leads?time=today'), '/leads?time=today');
    for (const next of [
      ...['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '', '\\\\evil'],
      ...[
        '/\t/evil.example',
        '/@evil.example',
        'evil.example',
        ' //evil.example',
        '/x y',
        '/%0a\n/evil.example',
      ],
    ])
      assert.equal(await to(next), '/', next);
    const page = await browser.get('/sign-in?next=https://evil.example');
    assert.doesNotMatch(page.text, /evil/);
  });

  test('ends the session that the browser had, and a zone that there is not is UTC', async (t) => {
    const {browser, passkey} = await startInvited(t);
    const before = browser.cookie();
    const options = optionsIn(await browser.get('/sign-in'));
    const zone = 'Mars/Base';
    await browser.post('/sign-in', {credential: passkey.get(options), zone, next: '/'});
    assert.match((await browser.get('/')).text, /, UTC</);
    browser.with(before);
    assert.equal((await browser.get('/')).status, 303);
  });

  test('after twenty failures, a network gets no further, also not with a right passkey', async (t) => {
    const {served, passkey} = await startInvited(t);
    const credential = JSON.stringify({id: 'unknown'});
    const tries = Array.from({length: 20}, () => browse(served).post('/sign-in', {credential}));
    assert.ok((await Promise.all(tries)).every(({status}) => status === 403));
    const refused = await browse(served).post('/sign-in', {credential: passkey.id});
    assert.deepEqual([refused.status, Number(refused.headers['retry-after']) > 0], [429, true]);
    assert.equal((await browse(served).post('/invite', {secret: 'x'})).status, 429);
    assert.equal(served.observations.filter(({type}) => type === 'failures-exceeded').length, 1);
  });
});

suite('/you', () => {
  /** What the passkey answers to a form of the page, such as the one that removes `other`. */
  const agree = async (browser: Browser, passkey: Authenticator, form: string, other = '', page = '/you') =>
    passkey.get(optionsIn(await browser.get(page), form, other));
  async function add(browser: Browser, first: Authenticator, second: Authenticator, lies: Lies = {}) {
    const credential = await agree(browser, first, '/you/passkeys/new');
    const {headers} = await browser.post('/you/passkeys/new', {credential});
    const page = await browser.get(headers.location ?? assert.fail('the first passkey did not agree'));
    return browser.post('/you/passkeys', {
      credential: second.create(optionsIn(page, '"/you/passkeys"'), lies),
    });
  }
  const remove = async (browser: Browser, passkey: Authenticator, other: Authenticator) =>
    browser.post('/you/passkeys/remove', {
      passkey: other.id,
      credential: await agree(browser, passkey, '/remove', other.id),
    });
  const passkeysIn = async ({store}: ServedPages) =>
    (await store.operators(Date.now())).map(({passkeys}) => passkeys);

  test('adds a second passkey, which signs in; the first one can be removed, but not the last', async (t) => {
    const {browser, passkey} = await startInvited(t);
    const second = createAuthenticator({origin: pagesUrl, synced: false});
    assert.match((await add(browser, passkey, second)).headers.location ?? '', /^\/you\?said=/);
    assert.equal((await signIn(browser, second)).status, 303);
    const page = (await browser.get('/you?again=1')).text;
    assert.match(page, /Synced between your devices[^]*On one device/);
    assert.doesNotMatch(page, /Make a second passkey now/);
    assert.equal((await remove(browser, second, passkey)).status, 303);
    assert.doesNotMatch((await browser.get('/you')).text, /passkeys\/remove/);
    assert.ok(isRefused(await signIn(browser, passkey)));
  });

  test('of two passkeys that are removed at once, one stays', async (t) => {
    const {served, browser, passkey} = await startInvited(t);
    const second = createAuthenticator({origin: pagesUrl});
    await add(browser, passkey, second);
    const both = await Promise.all([remove(browser, passkey, passkey), remove(browser, second, second)]);
    assert.deepEqual(both.map(({status}) => status).toSorted(), [303, 409]);
    assert.deepEqual(await passkeysIn(served), [1]);
  });

  test('does not take a passkey again that was removed, from who has seen how it was made', async (t) => {
    const {browser, passkey} = await startInvited(t);
    const second = createAuthenticator({origin: pagesUrl});
    const made = t.mock.method(second, 'create');
    assert.equal((await add(browser, passkey, second)).status, 303);
    assert.equal((await remove(browser, passkey, second)).status, 303);
    const credential = made.mock.calls[0]?.result ?? '';
    assert.equal((await browser.post('/you/passkeys', {credential})).status, 409);
  });

  test('takes one new passkey for each time that one agrees, also from the page of before', async (t) => {
    const {served, browser, passkey} = await startInvited(t);
    const credential = await agree(browser, passkey, '/you/passkeys/new');
    const {headers} = await browser.post('/you/passkeys/new', {credential});
    for (const status of [303, 409]) {
      const options = optionsIn(await browser.get(headers.location ?? ''), '"/you/passkeys"');
      const made = createAuthenticator({origin: pagesUrl}).create(options);
      assert.equal((await browser.post('/you/passkeys', {credential: made})).status, status);
    }
    assert.deepEqual(await passkeysIn(served), [2]);
  });

  test('changes no passkey for a session alone, soon after the sign-in as well', async (t) => {
    const {served, browser, passkey} = await startInvited(t, 'Ana');
    const second = createAuthenticator({origin: pagesUrl});
    await add(browser, passkey, second);
    const ben = createAuthenticator({origin: pagesUrl});
    await accept(browse(served), await invite(served, 'Ben'), ben);
    const [thief, other] = [browse(served), browse(served)];
    other.with(await served.sessionOf('agent', 'Ana'));
    thief.with(browser.cookie());
    const asked = optionsIn(await thief.get('/you'), '/you/passkeys/new');
    const signedIn = optionsIn(await thief.get('/sign-in'));
    const removal = await agree(browser, passkey, '/remove', second.id);
    const wrong = {
      nothing: '',
      'a passkey of their own': ben.get(asked),
      'a passkey of nobody': createAuthenticator({origin: pagesUrl}).get(asked),
      'a passkey that nobody touched': passkey.get(asked, {verified: false}),
      'the answer to a sign-in': passkey.get(signedIn),
      'the answer of another session': await agree(other, passkey, '/you/passkeys/new'),
      'the answer to another removal': removal,
    };
    for (const [what, credential] of Object.entries(wrong)) {
      assert.equal((await thief.post('/you/passkeys/new', {credential})).status, 409, what);
      const gone = await thief.post('/you/passkeys/remove', {passkey: passkey.id, credential});
      assert.match(gone.text, /Nothing was changed: a passkey of yours has to agree/, what);
    }
    const {challenge} = asked;
    const made = createAuthenticator({origin: pagesUrl}).create({...asked, user: {id: ''}}, {challenge});
    assert.equal((await thief.post('/you/passkeys', {credential: made})).status, 409, 'no step is left out');
    for (const add of [challenge, 'x'])
      assert.doesNotMatch((await thief.get(`/you?add=${add}`)).text, /Now the new/);
    assert.deepEqual(await passkeysIn(served), [2, 1]);
    const once = {passkey: second.id, credential: removal};
    assert.equal((await browser.post('/you/passkeys/remove', once)).status, 303);
    assert.equal((await browser.post('/you/passkeys/remove', once)).status, 409, 'once');
  });

  test('shows the own sessions and ends one, and nothing of anybody else', async (t) => {
    const {served, browser} = await startInvited(t, 'Ana');
    const [phone, other] = [browse(served), browse(served)];
    phone.with(await served.sessionOf('agent', 'Ana'));
    other.with(await served.sessionOf('agent', 'Ben'));
    const sessionsIn = ({text}: Answer) =>
      [...text.matchAll(/name="session" value="([^"]*)"/g)].map(([, id]) => id);
    const [session = ''] = sessionsIn(await browser.get('/you'));
    assert.equal(sessionsIn(await browser.get('/you')).length, 1, 'all but this one');
    await other.post('/you/sessions/end', {session});
    assert.equal((await phone.get('/')).status, 200, 'nobody ends that of somebody else');
    await browser.post('/you/sessions/end', {session});
    assert.equal((await phone.get('/')).status, 303);
  });

  test('names browsers in a few words', () => {
    const names: Record<string, string> = {
      'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0': 'Firefox on Linux',
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0':
        'Edge on Windows',
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36':
        'Chrome on Android',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1': 'Safari on iPhone',
      'curl/8.0': 'A browser',
    };
    for (const [agent, name] of Object.entries(names)) assert.equal(browserOf(agent), name);
  });
});

test('an account without a passkey cannot sign in, and a session is no longer than twelve hours', async (t) => {
  const {served, browser} = await startInvited(t, 'Ana');
  const [ana] = await served.store.operators(Date.now());
  const [session] = await served.store.sessionsOf(ana?.id ?? '', Date.now());
  assert.equal((session?.expiresAt ?? 0) - (session?.beganAt ?? 0), 12 * 60 * minute);
  const stranger = createAuthenticator({origin: pagesUrl});
  stranger.create({challenge: newSecret(), user: {id: randomUUIDv7()}});
  assert.ok(isRefused(await signIn(browser, stranger)));
});
