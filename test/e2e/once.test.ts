/** The form against the real server, with everything it asks for: proof of work, consent, and one lead only. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {resolve} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {after, before, beforeEach, suite, test} from 'node:test';
import {chromium, type Browser, type Page, type Route} from 'playwright-core';
import type {Config} from '../../server/config/config.ts';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {onePartner} from '../../server/config/partners.ts';
import {findChromium} from '../support/find-browsers.ts';
import {startFakeUpstream, type FakeUpstream, type Script} from '../support/fake-upstream.ts';
import {openForSuite} from '../support/opened.ts';
import {amounts} from '../support/sample-leads.ts';
import {startTestServer} from '../support/test-server.ts';
import {until} from '../support/until.ts';

const embedFolder = resolve('dist/embed');
const consentText = 'I agree to be contacted about my estimate.';
const total = `$${amounts.total_qualified_amount.toLocaleString('en-US')}`;

let browser: Browser;
let host: Server;
let origin: string;
let script = '';
/** Of another visitor in each test, or their leads would be merged. */
let email = '';
const upstreamScript: Script = {};
let upstream: FakeUpstream;

before(async () => {
  upstream = await startFakeUpstream(upstreamScript);
  browser = await chromium.launch(await findChromium());
  host = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(
      `<!doctype html><html lang="en"><title>Partner</title>${script}<lead-prequal-form partner="acme"></lead-prequal-form>`,
    );
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  origin = `http://localhost:${(host.address() as AddressInfo).port}`;
});
after(async () => {
  await browser.close();
  host.close().closeAllConnections();
  await upstream.close();
});

const settings = (): Partial<Config> => ({
  embedFolder,
  proofOfWork: 200,
  destinations: new Map([['default', upstream.settings]]),
  partners: [
    onePartner({
      key: 'acme',
      origins: [origin],
      cid: '1001',
      upstream: 'default',
      consent: {text: consentText, version: '2026-11', required: true},
      colors: {accent: '#0b7a5a'},
    }),
  ],
});

/** Up to the last button, without a mouse. */
async function fillInByKeyboard(page: Page) {
  const keys = page.keyboard;
  const type = async (text: string) => {
    await keys.type(text);
    await keys.press('Tab');
  };
  await page.getByLabel('Above 720').focus();
  await keys.press('Space');
  await keys.press('Enter');
  await page.getByRole('heading', {name: 'Your funds'}).waitFor();
  const tabTo = async (locator: ReturnType<Page['getByRole']>) => {
    while (!(await locator.evaluate((element) => element.matches(':focus')))) await keys.press('Tab');
  };
  for (const label of [/Retirement/, /Cash/, /Investments/]) {
    await tabTo(page.getByRole('textbox', {name: label}));
    await keys.type('50k');
  }
  await keys.press('Enter');
  await page.getByRole('heading', {name: 'Where should we send'}).waitFor();
  await tabTo(page.getByLabel('First name'));
  await type('Ana');
  await type('Silva');
  await type(email);
  await keys.type('4155550132');
  await tabTo(page.getByRole('checkbox', {name: consentText}));
  await keys.press('Space');
}

const sendByKeyboard = async (page: Page) => {
  await fillInByKeyboard(page);
  await page.keyboard.press('Enter');
};

suite('a visitor of a partner that asks for consent', () => {
  // Made before the partner's origin is known, hence a function.
  const server = openForSuite(() => startTestServer(settings()));
  beforeEach(() => {
    ({script} = newestScript({...server.config, publicUrl: server.url}));
    delete upstreamScript.create;
    delete upstreamScript.read;
    stored = leads().length;
    email = `${randomUUID()}@example.com`;
  });
  let stored = 0;
  const rowsOf = (sql: string) => {
    const database = new DatabaseSync(server.config.databasePath, {readOnly: true});
    const rows = database.prepare(sql).all();
    database.close();
    return rows;
  };
  const leads = () => rowsOf('SELECT id, status, suspect FROM leads ORDER BY id');
  const newLeads = () => leads().slice(stored);

  /** What goes wrong with the next lead that is sent, once; everything before and after goes right. */
  async function open(interfere?: (route: Route) => Promise<void>) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const answers: number[] = [];
    let interfered = false;
    page.on('response', (response) => {
      if (response.request().method() === 'POST') answers.push(response.status());
    });
    await context.route('**/embed/v1/leads?*', async (route) => {
      if (!interfere || interfered || route.request().method() !== 'POST') return route.continue();
      interfered = true;
      await interfere(route);
    });
    await page.goto(origin);
    return {page, answers, leave: () => context.close()};
  }

  test('sends consent and proof with the lead, by keyboard alone, and sees the amounts', async () => {
    const {page, answers, leave} = await open();
    await fillInByKeyboard(page);
    const box = page.getByRole('checkbox', {name: consentText});
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByText('Tick the box to show that you agree.').first().waitFor();
    await box.focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByText(total).first().waitFor();
    assert.deepEqual(answers, [201]);
    const [lead, ...others] = newLeads();
    assert.equal(others.length, 0);
    assert.equal(lead?.['status'], 'done');
    const [consent] = rowsOf('SELECT consent FROM consents').slice(-1);
    assert.partialDeepStrictEqual(JSON.parse(String(consent?.['consent'])), {
      textVersion: '2026-11',
      agreed: true,
      page: `${origin}/`,
    });
    await leave();
  });

  test('a lead whose reply is lost is stored once', async () => {
    const {page, leave} = await open(async (route) => {
      await route.fetch();
      await route.abort();
    });
    await sendByKeyboard(page);
    await page.getByRole('button', {name: 'Try again'}).click();
    await page.getByText(total).first().waitFor();
    assert.equal(newLeads().length, 1);
    await leave();
  });

  test('a lead is stored once when the page is loaded again while it is sent', async () => {
    let arrived = false;
    const {page, leave} = await open(async (route) => {
      await route.fetch();
      arrived = true;
      // And never answered: the page is gone by then.
    });
    await sendByKeyboard(page);
    await until(() => arrived);
    await page.reload();
    await sendByKeyboard(page);
    await page.getByText(total).first().waitFor();
    assert.equal(newLeads().length, 1);
    await leave();
  });

  test('two tabs, one the copy of the other, send one lead', async () => {
    let release = () => {};
    const held = new Promise<void>((go) => (release = go));
    const {page, leave} = await open(async (route) => {
      await held;
      await route.continue();
    });
    await sendByKeyboard(page);
    await page.getByText('Sending…').first().waitFor();
    const [copy] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(() => void window.open(location.href)),
    ]);
    await sendByKeyboard(copy);
    await copy.getByText(total).first().waitFor();
    release();
    await page.getByText(total).first().waitFor();
    assert.equal(newLeads().length, 1);
    await leave();
  });

  test('sees the amounts when they come, and again after a reload', async () => {
    let answering = false;
    upstreamScript.create = (response) => {
      const reply = () => {
        response.writeHead(201, {'content-type': 'application/json'}).end('{"id": "late"}');
      };
      void until(() => answering).then(reply);
    };
    upstreamScript.read = (response) => {
      response
        .writeHead(200, {'content-type': 'application/json'})
        .end(JSON.stringify({first_name: 'Ana', ...amounts}));
    };
    const {page, leave} = await open();
    await sendByKeyboard(page);
    await page.getByText('They will appear here.').waitFor();
    await page.reload();
    await page.getByText('They will appear here.').waitFor();
    answering = true;
    await page.getByText(total).first().waitFor();
    await page.reload();
    await page.getByText(total).first().waitFor();
    assert.equal(newLeads().length, 1);
    await leave();
  });
});
