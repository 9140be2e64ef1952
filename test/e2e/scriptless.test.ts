/** The way of a visitor through an apply page without a script: in Chromium, in Firefox, and in a text browser. */
import assert from 'node:assert/strict';
import {resolve} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test} from 'node:test';
import {chromium, type Page} from 'playwright-core';
import puppeteer from 'puppeteer-core';
import {onePartner} from '../../server/config/partners.ts';
import {findChromium, findFirefox} from '../support/find-browsers.ts';
import {freePort} from '../support/free-port.ts';
import {missing, notInstalled, skipUnless} from '../support/installed.ts';
import {down, enter, lynx} from '../support/lynx.ts';
import {openFor, openForSuite} from '../support/opened.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {startTestServer} from '../support/test-server.ts';

const consents = {
  en: {text: 'I agree to the terms.', version: '1'},
  es: {text: 'Acepto las condiciones.', version: '1'},
};

async function start() {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const partner = {origins: ['https://www.acme.example'], cid: '1'};
  const server = await startTestServer({
    port,
    publicUrl,
    embedFolder: resolve('dist/embed'),
    partners: [
      onePartner({...partner, key: 'acme', consent: {required: true, texts: consents}}),
      onePartner({...partner, key: 'plain'}),
    ],
  });
  return {...server, publicUrl};
}

/** The newest lead, whether a bot may have sent it, and its consent. */
function newestLead(databasePath: string) {
  const database = new DatabaseSync(databasePath, {readOnly: true});
  const row = database
    .prepare('SELECT lead, suspect, consent FROM leads LEFT JOIN consents ON lead_id = id ORDER BY id DESC')
    .get()!;
  const count = database.prepare('SELECT count(*) AS leads FROM leads').get()!['leads'];
  database.close();
  const read = (text: unknown) => JSON.parse(String(text)) as Record<string, unknown>;
  return {lead: read(row['lead']), suspect: row['suspect'], consent: read(row['consent']), count};
}

/** What a browser is asked to do, by the names of inputs. */
type Driver = {
  open(address: string): Promise<unknown>;
  fill(answers: Readonly<Record<string, string>>): Promise<unknown>;
  /** Presses what the selector finds, and waits for the page that comes then. */
  press(selector: string): Promise<unknown>;
  check(selector: string): Promise<unknown>;
  text(): Promise<string>;
};

const main = 'button.main';

/** From the first page to the result, with errors on the way. */
async function walk(browser: Driver, address: string, words: Readonly<Record<string, RegExp>>) {
  await browser.open(address);
  await browser.press(main);
  assert.match(await browser.text(), words['noScore']!);
  await browser.check('label[for=credit_score-0]');
  await browser.press(main);
  await browser.fill({retirement: '120,000', cash: 'some'});
  await browser.press('button.none[value=investments]');
  await browser.press(main);
  assert.match(await browser.text(), words['wrongCash']!);
  await browser.fill({cash: '50k'});
  await browser.press(main);
  await browser.fill({first_name: 'Ana', email: 'ana@example', phone: '415-555-0132'});
  await browser.press(main);
  assert.match(await browser.text(), words['noConsent']!);
  await browser.press('[name=_back]');
  await browser.press(main);
  await browser.fill({last_name: 'Silva', email: 'ana@example.com'});
  await browser.check('#consent');
  await browser.press(main);
  assert.match(await browser.text(), words['result']!);
}

const english = {
  noScore: /Choose your credit score\./,
  wrongCash: /Cash: enter one amount in US dollars/,
  noConsent: /Tick the box to show that you agree\./,
  result: /Ana, you may qualify for up to\s+\$950,000/,
};
const spanish = {
  noScore: /Elija su puntaje/,
  wrongCash: /Efectivo: /,
  noConsent: /Marque la casilla/,
  result: /Ana, usted podría calificar para hasta\s+\$950,000/,
};

const chromiumDriver = (page: Page): Driver => ({
  open: (address) => page.goto(address),
  async fill(answers) {
    for (const [name, value] of Object.entries(answers)) await page.locator(`[name=${name}]`).fill(value);
  },
  press: (selector) => Promise.all([page.waitForEvent('domcontentloaded'), page.locator(selector).click()]),
  check: (selector) => page.locator(selector).click(),
  text: () => page.locator('main').innerText(),
});

suite('an apply page without a script', () => {
  const run = openForSuite(start);
  const inChromium = openForSuite(async () =>
    chromium.launch(await findChromium()).then((browser) => ({browser, close: () => browser.close()})),
  );

  for (const [lang, words] of [
    ['en', english],
    ['es', spanish],
  ] as const) {
    test(`takes a visitor to the result in Chromium, with errors and a consent, in "${lang}"`, async (t) => {
      const context = await inChromium.browser.newContext({javaScriptEnabled: false});
      t.after(() => context.close());
      const page = await context.newPage();
      await walk(chromiumDriver(page), `${run.publicUrl}/apply/acme?lang=${lang}`, words);
      const {lead, suspect, consent, count} = newestLead(run.config.databasePath);
      assert.equal(lead['first_name'], 'Ana');
      assert.match(String(suspect), /^no-script/);
      assert.partialDeepStrictEqual(consent, {
        textLanguage: lang,
        agreed: true,
        script: 'none',
        origin: run.publicUrl,
      });
      // The browser sends the last page once more.
      await page.reload();
      assert.match(await page.locator('main').innerText(), words.result);
      assert.equal(newestLead(run.config.databasePath).count, count, 'the same lead');
    });
  }

  test('goes to the field that is wrong, and takes Enter for the main button', async (t) => {
    const context = await inChromium.browser.newContext({javaScriptEnabled: false});
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${run.publicUrl}/apply/plain`);
    await page.locator(main).click();
    assert.equal(await page.locator(':focus').getAttribute('id'), 'credit_score-0');
    // Enter sends the page, although a button "None" comes first.
    await page.locator('label[for=credit_score-0]').click();
    await page.keyboard.press('Enter');
    await page.locator('[name=cash]').fill('1,000');
    await page.keyboard.press('Enter');
    await page.locator('#retirement-error').waitFor();
    assert.equal(await page.locator('[name=cash]').inputValue(), '1,000');
  });

  const firefox = findFirefox();
  test(
    'takes a visitor to the result in Firefox',
    {skip: skipUnless('REQUIRE_BROWSERS', !firefox && notInstalled('firefox'), 'firefox')},
    async (t) => {
      const browser = await puppeteer.launch({
        browser: 'firefox',
        executablePath: firefox ?? 'firefox',
        headless: true,
        extraPrefsFirefox: {'javascript.enabled': false},
      });
      t.after(() => browser.close());
      const page = await browser.newPage();
      // The driver's own click needs scripts in the page.
      const click = (selector: string) => page.$eval(selector, (element) => (element as HTMLElement).click());
      const driver: Driver = {
        open: (address) => page.goto(address),
        async fill(answers) {
          for (const [name, value] of Object.entries(answers)) {
            await page.$eval(`[name=${name}]`, (input) => ((input as HTMLInputElement).value = ''));
            await page.type(`[name=${name}]`, value);
          }
        },
        press: (selector) => Promise.all([page.waitForNavigation(), click(selector)]),
        check: (selector) => click(selector),
        text: () => page.$eval('main', (element) => element.innerText),
      };
      await walk(driver, `${run.publicUrl}/apply/acme?lang=en`, english);
      assert.partialDeepStrictEqual(newestLead(run.config.databasePath).consent, {
        agreed: true,
        script: 'none',
      });
    },
  );

  test('takes a visitor to the result in lynx', {skip: missing('lynx')}, async () => {
    const screen = await lynx(`${run.publicUrl}/apply/acme?lang=en`, [
      // The credit score, of which lynx chooses the first, and "Next".
      ...[...down(4), enter],
      // The button that is for Enter, three options, and each amount with its "None".
      ...[...down(4), ...'120000', ...down(2), ...'some', ...down(2), ...'0', ...down(2), enter],
      // An error: the list of fields begins anew.
      ...[...down(6), '^U', ...'50000', ...down(4), enter],
      ...[...'Ana', ...down(1), ...'Silva', ...down(1), ...'ana@example.com', ...down(1), ...'4155550132'],
      // The field that nobody sees, the box, and the last button.
      ...[...down(2), enter, ...down(1), enter],
    ]);
    assert.match(screen, /Cash: enter one amount in US dollars/);
    assert.match(screen, /Ana, you may qualify for up to/);
    const {lead, consent} = newestLead(run.config.databasePath);
    assert.partialDeepStrictEqual(lead, {last_name: 'Silva', cash: 50_000, retirement: 120_000});
    assert.partialDeepStrictEqual(consent, {agreed: true, origin: null, script: 'none'});
  });
});

test('a visitor without a script goes on after the server was killed and started again', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const port = await freePort();
  const settings = {
    ...serviceSettings(folder.path),
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    EMBED_PARTNER: 'acme',
    EMBED_FOLDER: resolve('dist/embed'),
  };
  const first = await startService(settings, folder.path);
  const {browser} = await openFor(
    t,
    chromium.launch(await findChromium()).then((one) => ({browser: one, close: () => one.close()})),
  );
  const context = await browser.newContext({javaScriptEnabled: false});
  const page = await context.newPage();
  const driver = chromiumDriver(page);
  await page.goto(`http://localhost:${port}/apply/acme`);
  await driver.check('label[for=credit_score-0]');
  await driver.press(main);
  await driver.fill({retirement: '120,000', cash: '50,000', investments: '0'});
  await driver.press(main);
  await driver.fill({first_name: 'Ana', last_name: 'Silva', email: 'ana@example.com', phone: '415-555-0132'});
  await first.end('SIGKILL');
  const second = await startService(settings, folder.path);
  t.after(() => second.end('SIGTERM'));
  await driver.press(main);
  assert.match(await driver.text(), english.result);
});
