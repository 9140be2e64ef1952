/**
 * A visitor of an apply page who is interrupted at a step finds that step again, with all answers. Other steps, the other
 * order, and a form that has not all arrived: test/widget/fields/draft.test.ts and test/widget/loading/arrival.test.ts.
 */
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import type {BrowserContext, Page} from 'playwright-core';
import {freePort} from '../support/free-port.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {openFor, openForSuite} from '../support/opened.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {openedIn} from '../support/encrypted-rows.ts';

const answers: Readonly<Record<string, string>> = {
  first_name: 'Ana',
  last_name: 'Silva',
  email: 'ana@example.com',
  phone: '(415) 555-0132',
  credit_score: '680 - 720',
  bankruptcy: 'true',
  retirement: '120,000',
  cash: '50,000',
  investments: '0',
};
const stepCount = 3;

async function startAll() {
  const folder = makeTemporaryFolder();
  const port = String(await freePort());
  const environment = {
    // The form of this build, and no release.
    ...serviceSettings(folder.path, {
      withdrawn_versions: readdirSync('releases').filter((name) => /^\d/.test(name)),
    }),
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
  };
  let service = await startService(environment, folder.path);
  const browser = await launchChromium();
  return {
    browser,
    origin: environment.PUBLIC_URL,
    apply: `${environment.PUBLIC_URL}/apply/acme`,
    databasePath: join(folder.path, 'leads.sqlite'),
    kill: () => service.end('SIGKILL'),
    async restart() {
      service = await startService(environment, folder.path);
    },
    async close() {
      await browser.close();
      await service.end('SIGTERM');
      folder.remove();
    },
  };
}
type Run = Awaited<ReturnType<typeof startAll>>;

const fieldsOf = (page: Page, name: string) => page.locator(`lead-prequal-form [name=${name}]`);
/** It also is the button in another language. */
const mainButton = (page: Page) => page.locator('lead-prequal-form form button[type=submit]');

const stepOf = async (page: Page) =>
  Number(/\d+/.exec(await page.locator('lead-prequal-form [part=count]').innerText())?.[0]);

async function untilStep(page: Page, step: number) {
  await page.waitForFunction(
    (expected) =>
      document
        .querySelector('lead-prequal-form')
        ?.shadowRoot?.querySelector('[part=count]')
        ?.textContent.includes(` ${expected} `),
    step,
  );
}

async function fillIn(page: Page) {
  for (const [name, value] of Object.entries(answers)) {
    const field = fieldsOf(page, name);
    // Without a pointer, because a tap on the last question of a step would go on.
    if ((await field.count()) > 1) await field.and(page.locator(`[value="${value}"]`)).dispatchEvent('click');
    else if ((await field.count()) === 1) await field.fill(value);
    // The next question stands below it soon, or else on the next step.
    if (name === 'credit_score' && (await field.count()) > 1)
      await fieldsOf(page, 'bankruptcy')
        .first()
        .waitFor({timeout: 2_000})
        .catch(() => undefined);
  }
}

/** The answers on the step that is shown. */
const shown = (page: Page) =>
  page
    .locator('lead-prequal-form form')
    .evaluate((form: HTMLFormElement) =>
      Object.fromEntries([...new FormData(form)].filter(([name]) => name !== 'website')),
    );

const storedLeads = (databasePath: string) =>
  openedIn(databasePath).map(({lead}) => lead as Record<string, unknown>);

/** @returns the page on which the visitor goes on */
type Interruption = (page: Page, run: Run, context: BrowserContext) => Promise<Page>;

const interruptions: Readonly<Record<string, Interruption>> = {
  'a refresh': async (page) => {
    await page.reload();
    return page;
  },
  'another page and the browser’s Back': async (page, {origin}) => {
    await page.goto(`${origin}/livez`);
    await page.goBack();
    return page;
  },
  'the link to another language': async (page) => {
    await page.getByRole('link', {name: 'Español'}).click();
    await page.waitForURL(/lang=es/);
    return page;
  },
  'a server that is killed, a refresh that fails, and a restart': async (page, run) => {
    await run.kill();
    await assert.rejects(page.reload());
    await run.restart();
    await page.goto(run.apply);
    return page;
  },
  'a tab that the phone has discarded': async (page, run, context) => {
    const kept = await page.evaluate(() => ({...sessionStorage}));
    await page.close();
    const tab = await context.newPage();
    await tab.addInitScript((entries) => {
      if (sessionStorage.length === 0) Object.assign(sessionStorage, entries);
    }, kept);
    await tab.goto(run.apply);
    return tab;
  },
};

suite('an interruption of an apply page loses nothing', () => {
  const run = openForSuite(startAll);

  async function openAt(context: BrowserContext, step: number) {
    const page = await context.newPage();
    await page.goto(run.apply);
    await fillIn(page);
    let filled = await shown(page);
    for (let at = 1; at < step; at++) {
      await mainButton(page).click();
      await untilStep(page, at + 1);
      await fillIn(page);
      filled = {...filled, ...(await shown(page))};
    }
    return {page, filled};
  }
  async function newContext() {
    const context = await run.browser.newContext();
    return {context, close: () => context.close()};
  }

  for (const [what, interrupt] of Object.entries(interruptions)) {
    test(`at the second step: ${what}`, async (t) => {
      const {context} = await openFor(t, newContext());
      const before = await openAt(context, 2);
      const expected = await shown(before.page);
      const page = await interrupt(before.page, run, context);
      await mainButton(page).waitFor();
      assert.equal(await stepOf(page), 2);
      assert.deepEqual(await shown(page), expected);
      assert.equal(await page.locator('lead-prequal-form [aria-invalid=true]').count(), 0);

      await page.goBack();
      await untilStep(page, 1);
      assert.deepEqual({...expected, ...(await shown(page))}, before.filled);
    });
  }

  test('at the last button: a killed server, a refresh, and one lead in the end', async (t) => {
    const {context} = await openFor(t, newContext());
    const {page} = await openAt(context, stepCount);
    const {length} = storedLeads(run.databasePath);
    await run.kill();
    await mainButton(page).click();
    await page.locator('lead-prequal-form [part=notice]').waitFor();
    await run.restart();
    await page.reload();
    await mainButton(page).waitFor();
    assert.equal(await stepOf(page), stepCount);
    await mainButton(page).click();
    await page.locator('lead-prequal-form table').waitFor();
    const leads = storedLeads(run.databasePath);
    assert.equal(leads.length, length + 1);
    assert.partialDeepStrictEqual(leads.at(-1), {first_name: 'Ana', bankruptcy: true, cash: 50_000});
    const kept = await page.evaluate(() => JSON.stringify({...sessionStorage}));
    assert.doesNotMatch(kept, /Ana|Silva|example\.com|50,000/, 'nothing of a sent lead is kept');
  });
});
