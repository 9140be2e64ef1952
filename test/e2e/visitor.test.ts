/** The visitor's whole way, in a real browser across two real origins. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {suite, test} from 'node:test';
import type {Page} from 'playwright-core';
import {amountParts, totalAmount, type Prequalification} from '../../contract/amounts.ts';
import {formatMoney} from '../../form/format-money.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {partner} from '../../demo/partner.ts';
import {calculate} from '../../calculator/calculator.ts';
import {defaultPolicy} from '../../calculator/policy.ts';
import {missing} from '../support/installed.ts';
import {freePort} from '../support/free-port.ts';
import {openFor} from '../support/opened.ts';
import {troubleOf} from '../support/launch-chromium.ts';
import {until} from '../support/until.ts';
import {startWebsite} from '../support/website.ts';
import {startDemo, useDemo} from './demo.ts';
import {openedIn} from '../support/encrypted-rows.ts';

const finances = {
  credit_score: '680 - 720',
  retirement: 120_000,
  cash: 50_000,
  investments: 130_000,
} as const;
const expected = calculate(finances, defaultPolicy).amounts;
const shown = shownAmounts({
  prequalification: {first_name: 'Ana', ...expected},
  explanation: {rounding_increment: defaultPolicy.display_rounding_increment},
});

const run = useDemo();

/** Fills in the three steps without a mouse: Tab, typing, Space, arrows and Enter. */
async function fillInByKeyboard(page: Page) {
  const keys = page.keyboard;
  const type = async (text: string) => {
    await keys.type(text);
    await keys.press('Tab');
  };
  await page.getByLabel('Above 720').focus();
  await keys.press('Space');
  await keys.press('ArrowDown');
  await keys.press('Enter');
  await page.getByRole('heading', {name: 'Your funds'}).waitFor();
  for (const [label, amount] of [
    ['Retirement', '$120,000.00'],
    ['Cash', '50k'],
    ['Investments', '130 000'],
  ] as const) {
    const field = page.getByRole('textbox', {name: new RegExp(label)});
    while (!(await field.evaluate((input) => input.matches(':focus')))) await keys.press('Tab');
    await keys.type(amount);
  }
  await keys.press('Enter');
  await page.getByRole('heading', {name: 'Your estimate is ready: about $'}).waitFor();
  await page.getByText(`So far: about ${formatMoney(shown!.total_qualified_amount, 'en-US')}`).waitFor();
  await keys.press('Tab');
  await type('Ana');
  await type('Silva');
  await type('ana@example.com');
  await type('4155550132');
  // The consent is the next that Tab goes to.
  await keys.press('Space');
  await keys.press('Enter');
}

suite('a visitor on a partner’s page', () => {
  test('sees the amounts of the calculator after filling in by keyboard, and gets no secret', async () => {
    const page = await run.browser.newPage();
    const received: string[] = [];
    const trouble = troubleOf(page);
    const reading: Promise<void>[] = [];
    page.on('response', (response) => {
      received.push(response.url(), JSON.stringify(response.headers()));
      reading.push(
        response.text().then(
          (body) => void received.push(body),
          () => undefined,
        ),
      );
    });
    await page.goto(run.demo.events);
    await page.getByLabel('Above 720').waitFor();
    await fillInByKeyboard(page);

    const table = page.getByRole('table');
    for (const name of [...amountParts, totalAmount] as const) {
      await table.getByText(formatMoney(shown?.[name] ?? 0, 'en-US')).waitFor();
    }
    await page.getByText('Ana, an adviser calls you at (415) 555-0132').waitFor();
    await page.getByRole('link', {name: partner.cta.en.label}).waitFor();
    const events = await page.locator('#lead-prequal-debug dl').innerText();
    for (const name of ['ready', 'start', 'step', 'submit', 'result']) {
      assert.match(events, new RegExp(`prequal-${name}`));
    }
    assert.deepEqual(trouble, []);

    await Promise.all(reading);
    const all = received.join('\n');
    assert.match(all, /total_qualified_amount/, 'the answer is among what was searched');
    const {user, password, dataKey} = run.demo.secrets;
    const basic = Buffer.from(`${user}:${password}`).toString('base64');
    for (const [name, secret] of Object.entries({
      password,
      dataKey,
      basic,
      user: `"${user}"`,
      cid: `"${partner.cid}"`,
    })) {
      assert.ok(!all.includes(secret), `${name} reached the browser`);
    }
    await page.close();
  });

  test('the lead of a visitor on a partner’s page is committed in the store', () => {
    const [row = assert.fail('no lead')] = openedIn(run.demo.databasePath).filter(
      (lead) => lead.partner === 'demo',
    );
    assert.equal(row.cid, partner.cid);
    assert.equal(row.status, 'done');
    assert.equal(row.answer.total_qualified_amount, expected.total_qualified_amount);
    assert.deepEqual(row.lead, {
      first_name: 'Ana',
      last_name: 'Silva',
      email: 'ana@example.com',
      phone: {typed: '(415) 555-0132', e164: '+14155550132'},
      ...finances,
    });
  });

  test('the page of the form alone that the demo prints is there', async () => {
    const page = await run.browser.newPage();
    await page.goto(run.demo.apply);
    await page.getByRole('heading', {name: partner.name}).waitFor();
    await page.getByLabel('Above 720').waitFor();
    await page.close();
  });

  test('a page of a developer, on another port of this machine, sends its lead to the demo', async (t) => {
    const website = await openFor(t, startWebsite());
    const landing = await (await fetch(run.demo.page)).text();
    const [snippet = assert.fail(landing)] =
      /<script type="module"[^]*<\/lead-prequal-form>/.exec(landing) ?? [];
    website.page.html = `<!doctype html><title>Mine</title>${snippet}`;
    for (const origin of [website.origin, website.origin.replace('127.0.0.1', 'localhost')]) {
      const context = await run.browser.newContext();
      const page = await context.newPage();
      await page.goto(origin);
      await page.getByLabel('Above 720').waitFor();
      await fillInByKeyboard(page);
      await page.getByText('Ana, an adviser calls you').waitFor();
      await context.close();
    }
  });

  test('the demo answers the first request that it takes', async (t) => {
    const port = await freePort();
    let isAnswered = false;
    const ask = () =>
      fetch(`http://localhost:${port}`).then(
        ({ok}) => (isAnswered = ok),
        () => false,
      );
    void until(ask);
    await openFor(t, startDemo({DEMO_PORT: `${port}`}));
    await until(() => isAnswered);
  });

  test('the demo takes the origins of DEMO_ORIGINS, too', async (t) => {
    const demo = await openFor(t, startDemo({DEMO_ORIGINS: 'https://a.example, https://b.example'}));
    for (const [origin, status] of [
      ['https://b.example', 200],
      ['https://c.example', 403],
    ] as const) {
      const response = await fetch(`${demo.service}/embed/v1/config?partner=demo`, {headers: {origin}});
      assert.equal(response.status, status);
    }
  });

  test('the curl line that the demo prints works', {skip: missing('curl')}, async () => {
    const {id} = JSON.parse(execFileSync('sh', ['-c', `${run.demo.curl} --silent`], {encoding: 'utf8'})) as {
      id: string;
    };
    const {user, password} = run.demo.secrets;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const response = await fetch(`${run.demo.service}/json/leads/${id}`, {headers: {authorization}});
    const {first_name, total_qualified_amount, ...parts} = (await response.json()) as Prequalification;
    assert.equal(first_name, 'Ana');
    assert.equal(
      Object.values(parts).reduce((sum, part) => sum + part, 0),
      total_qualified_amount,
    );
  });
});
