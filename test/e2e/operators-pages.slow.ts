/**
 * The operators' pages as people use them: invited, signed in with a passkey, the whole way by keyboard alone; and in Firefox
 * from a session on. Server and pages are processes of their own on one SQLite file.
 */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, request as httpRequest} from 'node:http';
import {text} from 'node:stream/consumers';
import {suite, test} from 'node:test';
import type {Browser, Page} from 'playwright-core';
import * as puppeteer from 'puppeteer-core';
import {referenceOf} from '../../contract/reference.ts';
import {readConfig} from '../../server/config/config.ts';
import {openAttachedStore} from '../../server/store/open-store.ts';
import {createEncryptor} from '../../server/store/encryption.ts';
import {browserEnvironment} from '../support/browser-environment.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {json, startFakeUpstream, type Script} from '../support/fake-upstream.ts';
import {findFirefox} from '../support/find-browsers.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {freePort} from '../support/free-port.ts';
import {missing} from '../support/installed.ts';
import {openForSuite, openWhile, suiteOwner} from '../support/opened.ts';
import {runCommand} from '../support/operator.ts';
import {writeConfig} from '../support/config-file.ts';
import {beginSession, browserCookie} from '../support/pages.ts';
import {startProxy} from '../support/proxies.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';
import {axeFaults} from './axe.ts';

const firefox = findFirefox();

/** @param before what stands before the pages: it listens at the port that browsers use */
async function startAll(
  before?: (at: {folder: string; port: number; servers: number[]; admin: number}) => unknown,
) {
  const folder = makeTemporaryFolder();
  // Refuses leads for good, so that there are dead letters.
  const script: Script = {create: json(422, {})};
  const crm = await startFakeUpstream(script);
  const port = await freePort();
  const ownPort = before ? await freePort() : port;
  const settings = {
    ...serviceSettings(folder.path),
    ADMIN_URL: `http://localhost:${port}`,
    ADMIN_PORT: String(ownPort),
    ...(before && {TRUST_PROXY: '1'}),
    CONFIG_FILE: writeConfig(
      folder.path,
      [{send_to: ['crm'], consent: {text: 'I agree to be called.', version: '1', required: true}}],
      {crm: {type: 'lead-api', url: crm.settings.url, cid: crm.settings.cid, credentials: 'CRM'}},
    ),
    CREDENTIALS_CRM_USER: crm.settings.user,
    CREDENTIALS_CRM_PASSWORD: crm.settings.password,
  };
  const service = await startService(settings, folder.path);
  await until(() => service.lines.some((line) => line.includes('pages are ready')));
  await before?.({folder: folder.path, port, servers: [Number(new URL(service.url).port)], admin: ownPort});
  // Browsers of people keep pages for the button Back, and Playwright turns that off.
  const browser = await launchChromium({ignoreDefaultArgs: ['--disable-back-forward-cache']});
  const server = {fetch: (path: string, init?: RequestInit) => fetch(service.url + path, init)};
  return {
    ...{crm, script, settings, browser, url: settings.ADMIN_URL},
    /** @returns the id */
    send: async (lead: object = {}) => {
      const body = {consent: {version: '1', agreed: true}};
      return (await sentLead(server, somebody({first_name: 'Ana', last_name: 'Silva', ...lead}), {body})).id;
    },
    async close() {
      await browser.close();
      await service.end('SIGTERM');
      await crm.close();
      folder.remove();
    },
  };
}

/** A page whose browser has an authenticator that says yes. */
async function pageWithPasskeys(browser: Browser) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, acceptDownloads: true});
  await addAuthenticator(page);
  return page;
}

async function addAuthenticator(page: Page, transport: 'internal' | 'usb' = 'internal') {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2' as const,
    transport,
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  };
  await session.send('WebAuthn.addVirtualAuthenticator', {options});
}

/** @returns the link */
async function invite({settings}: {settings: Record<string, string>}, name: string): Promise<string> {
  const {stdout} = await runCommand(settings, 'operators', 'invite', name, '--role', 'admin');
  return /http:\S+/.exec(stdout)?.[0] ?? assert.fail(stdout);
}

/** A proxy that adds a header, on account of which browsers write `null` for the origin of forms. */
async function startHardening({port, admin}: {port: number; admin: number}) {
  const added = {'referrer-policy': 'no-referrer'};
  const server = createServer({maxHeaderSize: 128 * 1024}, (request, response) => {
    const {url: path, method, headers} = request;
    const asked = httpRequest({port: admin, path, method, headers}, (answer) => {
      response.writeHead(answer.statusCode ?? 0, {...answer.headers, ...added});
      answer.pipe(response);
    });
    request.pipe(asked);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
}

/** Puts objects in place of the passkeys of the browser, as password managers do. Runs in the page. */
function replacePasskeys(isPlain: boolean) {
  for (const name of ['parseCreationOptionsFromJSON', 'parseRequestOptionsFromJSON'])
    Reflect.deleteProperty(PublicKeyCredential, name);
  /** With the prototype of the browser's object, its methods throw "Illegal invocation", because the copy is not that object. */
  function copy(from: Record<string, unknown>, names: string[]) {
    const made = Object.create(isPlain ? null : (Object.getPrototypeOf(from) as object)) as object;
    for (const name of names.filter((each) => each in from))
      Object.defineProperty(made, name, {value: from[name], writable: true});
    return made;
  }
  const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  for (const kind of ['create', 'get'] as const) {
    const native = navigator.credentials[kind].bind(navigator.credentials);
    navigator.credentials[kind] = async (options?: object) => {
      const made = (await native(options)) as never;
      const response = copy(made['response'], parts);
      return Object.assign(copy(made, ['id', 'rawId', 'type', 'response']), {response}) as never;
    };
  }
}

/** Presses Tab until the element with these words has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, words: string | RegExp) {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return (
        element?.getAttribute('aria-label') ?? element?.getAttribute('name') ?? element?.textContent ?? ''
      );
    });
    if (typeof words === 'string' ? focused.trim() === words : words.test(focused.trim())) return;
  }
  throw new Error(`Tab never came to ${String(words)}`);
}

async function press(page: Page, words: string | RegExp) {
  await tabTo(page, words);
  await page.keyboard.press('Enter');
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', {name, level: 1}).waitFor();

suite("the operators' pages in Chromium", () => {
  const run = openForSuite(() => startAll());

  test('from the invitation to the sign-out, everything goes by keyboard alone', async () => {
    const id = await run.send();
    await until(() => run.crm.exchanges.length > 0);
    const link = await invite(run, 'Maria Lopez');
    const page = await pageWithPasskeys(run.browser);

    await page.goto(link);
    await heading(page, /Welcome, Maria Lopez/);
    assert.doesNotMatch(page.url(), /#/, 'the secret of the invitation leaves the address');
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'Make a passkey');
    await page.getByText('Make a second passkey now').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'Sign out');
    await page.getByRole('button', {name: 'Sign in with a passkey'}).waitFor();
    await press(page, 'Sign in with a passkey');
    await heading(page, /\w+, \w+ \d+/);
    assert.deepEqual(await axeFaults(page), []);

    await page.keyboard.press('/');
    await page.keyboard.type(referenceOf(id).toLowerCase());
    await page.keyboard.press('Enter');
    await heading(page, 'Ana Silva');
    assert.equal(new URL(page.url()).pathname, `/leads/${id}`);
    assert.doesNotMatch(await page.title(), /Ana|Silva/);
    const timeline = page.getByRole('complementary');
    await timeline.getByText(/refused by crm/).waitFor();
    assert.deepEqual(await axeFaults(page), []);

    delete run.script.create;
    await press(page, /^Send (again|now)…$/);
    await heading(page, /^Send again/);
    assert.deepEqual(await axeFaults(page), []);
    await press(page, /^Send now$/);
    await page.getByRole('status').waitFor();
    await until(() => run.crm.taken().includes(id), 'the lender has the lead');

    await page.goto(`${run.url}/leads`);
    await press(page, 'Export a day');
    const downloading = page.waitForEvent('download');
    await press(page, 'Export');
    const file = await (await downloading).createReadStream();
    assert.match(await text(file), /Ana Silva/);
    assert.deepEqual(await axeFaults(page), []);

    await page.goto(`${run.url}/leads/${id}`);
    await press(page, 'Erase…');
    await heading(page, /^Erase/);
    await page.context().clearCookies();
    await press(page, 'Erase for ever');
    await page.getByRole('alert').getByText('Nothing was changed').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'Sign in with a passkey');
    await heading(page, /^Erase/);
    await press(page, 'Erase for ever');
    await heading(page, 'Erased');
    assert.doesNotMatch(await page.locator('main').innerText(), /jane|Doe/i);

    await page.goto(`${run.url}/audit`);
    await page.getByText('Maria Lopez opened a lead').first().waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.goto(`${run.url}/destinations`);
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'You');
    await heading(page, 'Maria Lopez');
    await press(page, 'Sign out');
    await page.getByRole('button', {name: 'Sign in with a passkey'}).waitFor();
    await page.goBack();
    await page.getByRole('button', {name: 'Sign in with a passkey'}).waitFor();
    assert.equal(new URL(page.url()).pathname, '/sign-in', 'Back shows nothing of before');
    await page.context().close();
  });

  for (const isPlain of [true, false])
    test(`${isPlain ? 'plain objects' : 'objects with broken methods'} of a password manager are passkeys`, async () => {
      const page = await pageWithPasskeys(run.browser);
      await page.addInitScript(replacePasskeys, isPlain);
      await page.goto(await invite(run, `Ana ${isPlain}`));
      await page.getByRole('button', {name: 'Make a passkey'}).click();
      await page.getByText('Make a second passkey now').waitFor();
      await page.getByRole('button', {name: 'Sign out'}).click();
      await page.getByRole('button', {name: 'Sign in with a passkey'}).click();
      await heading(page, /\w+, \w+ \d+/);
      await page.context().close();
    });

  test('a second passkey is made and removed, and a passkey agrees to both', async () => {
    const page = await pageWithPasskeys(run.browser);
    await page.goto(await invite(run, 'Eve'));
    await page.getByRole('button', {name: 'Make a passkey'}).click();
    await page.getByRole('button', {name: 'Add a passkey'}).click();
    const make = page.getByRole('button', {name: 'Make the new passkey'});
    await make.click();
    await page.getByRole('alert').getByText('This device has a passkey for you already').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await addAuthenticator(page, 'usb');
    await make.click();
    await page.getByRole('status').getByText('The passkey was added').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('button', {name: 'Remove'}).first().click();
    await page.getByRole('status').getByText('The passkey was removed').waitFor();
    await page.context().close();
  });

  test('somebody is invited, invited again and shut out on the page, each time with a passkey', async () => {
    const page = await pageWithPasskeys(run.browser);
    await page.goto(await invite(run, 'Rosa'));
    await page.getByRole('button', {name: 'Make a passkey'}).click();
    await page.getByText('Make a second passkey now').waitFor();
    await page.getByRole('link', {name: 'People'}).click();
    await heading(page, 'People');
    assert.deepEqual(await axeFaults(page), []);
    /** @returns the link that is to be handed over */
    const invited = async () => {
      await page.getByRole('button', {name: /^Invite/}).click();
      const said = await page.getByRole('status').innerText();
      return /http:\S+#[\w-]+/.exec(said)?.[0] ?? assert.fail(said);
    };
    const line = page.getByRole('row', {name: /^Ben Ito/});

    await page.getByLabel('Name').fill('Ben Ito');
    await page.getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', {name: 'Invite…'}).click();
    await page.getByText('Ben Ito becomes viewer by a link').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const [first, other] = [await invited(), await pageWithPasskeys(run.browser)];
    await other.goto(first);
    await other.getByRole('button', {name: 'Make a passkey'}).click();
    await other.getByText('Make a second passkey now').waitFor();
    await page.reload();
    assert.match(await line.innerText(), /viewer\s+1\s/);

    await line.getByRole('link', {name: 'Invite again…'}).click();
    await page.getByText('1 passkey and 1 session of Ben Ito end at once').waitFor();
    assert.notEqual(await invited(), first);
    await other.goto(run.url);
    await other.getByRole('button', {name: 'Sign in with a passkey'}).waitFor();

    await line.getByRole('link', {name: 'Shut out…'}).click();
    await page.getByRole('button', {name: 'Shut out'}).click();
    await page.getByRole('status').getByText('Ben Ito is shut out').waitFor();
    assert.equal(await line.count(), 0);
    await page.goto(`${run.url}/audit`);
    await page.getByText('Rosa took back the access of Ben Ito').waitFor();
    for (const each of [page, other]) await each.context().close();
  });

  test('a first view takes three requests and at most 30 kB, and nothing moves', async () => {
    await run.send();
    for (const path of ['/', '/leads', '/destinations']) {
      const context = await run.browser.newContext();
      await context.addCookies([await cookieOf(run, 'agent')]);
      const page = await context.newPage();
      await page.goto(run.url + path, {waitUntil: 'networkidle'});
      const seen = await page.evaluate(async () => {
        const entries = [
          ...performance.getEntriesByType('navigation'),
          ...performance.getEntriesByType('resource'),
        ];
        const moved = await new Promise<number>((resolve) => {
          new PerformanceObserver((list) =>
            resolve(
              list.getEntries().reduce((sum, entry) => sum + (entry as unknown as {value: number}).value, 0),
            ),
          ).observe({type: 'layout-shift', buffered: true});
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
        });
        const bytes = (entries as PerformanceResourceTiming[]).map(({transferSize}) => transferSize);
        return {requests: bytes.length, bytes: bytes.reduce((sum, each) => sum + each, 0), moved};
      });
      assert.ok(seen.requests <= 3 && seen.bytes <= 30_000, `${path} ${JSON.stringify(seen)}`);
      assert.equal(seen.moved, 0, `${path} moves`);
      await context.close();
    }
  });

  test('a link in a mail leads to the lead, although the cookie does not come along', async () => {
    const id = await run.send();
    const context = await run.browser.newContext();
    await context.addCookies([await cookieOf(run, 'agent')]);
    const page = await context.newPage();
    await page.route('https://mail.example/', (route) =>
      route.fulfill({contentType: 'text/html', body: `<a href="${run.url}/leads/${id}">Open the lead</a>`}),
    );
    await page.goto('https://mail.example/');
    await page.getByText('Open the lead').click();
    await heading(page, 'Ana Silva');
    await context.close();
  });

  test('without a script, a lead is found, and everything but signing in works', async () => {
    const id = await run.send();
    const context = await run.browser.newContext({javaScriptEnabled: false});
    await context.addCookies([await cookieOf(run, 'agent')]);
    const page = await context.newPage();
    await page.goto(`${run.url}/leads`);
    await page.getByLabel('Partner').selectOption('acme');
    await page.getByLabel('Partner').press('Enter');
    await page.getByRole('group', {name: 'Filters'}).getByRole('button', {name: 'Go'}).nth(1).click();
    await page.getByText('acme').first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get('partner'), 'acme');
    await page.getByRole('search').getByRole('textbox').or(page.getByRole('searchbox')).fill(referenceOf(id));
    await page.getByRole('searchbox').press('Enter');
    await heading(page, 'Ana Silva');
    await context.close();
  });
});

for (const name of ['nginx', 'HAProxy', 'Caddy'] as const)
  suite(`the operators' pages behind ${name}`, {skip: missing(name.toLowerCase())}, () => {
    const owner = suiteOwner();
    usedBehind(openForSuite(() => startAll((at) => startProxy(owner, name, at))));
  });
suite("the operators' pages behind a proxy that adds no-referrer", () =>
  usedBehind(openForSuite(() => startAll(startHardening))),
);

/** The way of an operator, with a link whose sign a mail program has changed, and with the cookies of a large domain. */
function usedBehind(run: Awaited<ReturnType<typeof startAll>>) {
  test('somebody is invited, finds a lead, stops calls, signs out, and signs in', async () => {
    const id = await run.send();
    const page = await pageWithPasskeys(run.browser);
    const cookie = {value: 'x'.repeat(3_900), domain: 'localhost', path: '/'};
    await page.context().addCookies(Array.from({length: 14}, (_each, at) => ({...cookie, name: `c${at}`})));
    await page.goto((await invite(run, 'Maria Lopez')).replace('#', '%23'));
    await page.getByRole('button', {name: 'Make a passkey'}).click();
    await page.getByText('Make a second passkey now').waitFor();
    await page.getByRole('link', {name: 'Overview'}).click();
    await page.getByRole('searchbox').fill(referenceOf(id));
    await page.getByRole('searchbox').press('Enter');
    await heading(page, 'Ana Silva');
    await page.getByRole('link', {name: 'Stop calls…'}).click();
    await page.locator('.narrow button').click();
    await page.getByRole('status').waitFor();
    await page.getByRole('link', {name: 'You'}).click();
    await page.getByRole('button', {name: 'Sign out'}).click();
    await page.getByRole('button', {name: 'Sign in with a passkey'}).click();
    await heading(page, /\w+, \w+ \d+/);
    await page.context().close();
  });
}

/** The cookie of a new session of somebody with this role. */
async function cookieOf(
  {settings, url}: {settings: Record<string, string>; url: string},
  role: 'agent' | 'admin',
) {
  const config = readConfig(settings);
  const attached = openAttachedStore(config, createEncryptor(config.dataKeys), true);
  return browserCookie(await openWhile(attached, (store) => beginSession(store, role)), url);
}

suite("the operators' pages in Firefox", {skip: firefox ? false : 'Firefox is not installed'}, () => {
  const run = openForSuite(() => startAll());

  test('from a session on, a lead is found, read, erased, and the session ends', async () => {
    const id = await run.send();
    const started = {browser: 'firefox' as const, executablePath: firefox ?? '', env: browserEnvironment()};
    const browser = await puppeteer.launch({...started, headless: true});
    try {
      await browser.setCookie(await cookieOf(run, 'admin'));
      const page = await browser.newPage();
      await page.goto(`${run.url}/leads`);
      const click = async (selector: string) => {
        await Promise.all([page.waitForNavigation(), page.locator(selector).click()]);
      };
      const title = () => page.$eval('h1', ({textContent}) => textContent.trim());
      await page.locator('input[name=q]').fill(referenceOf(id));
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      assert.equal(await title(), 'Ana Silva');
      await click('button[value=talked]');
      await page.locator('textarea[name=text]').fill('Call after five');
      await click('button[name=undo]');
      assert.equal(
        await page.$eval('.timeline blockquote', ({textContent}) => textContent),
        'Call after five',
      );
      await click(`a[href="/leads/${id}/erase"]`);
      await click('.narrow button');
      assert.equal(await title(), 'Erased');
      await click('a[href="/you"]');
      await click('form[action="/sign-out"] button');
      assert.match(page.url(), /\/sign-in/);
      await page.goto(`${run.url}/leads/${id}`);
      assert.match(page.url(), /\/sign-in\?next=/);
    } finally {
      await browser.close();
    }
  });
});
