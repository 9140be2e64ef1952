/**
 * A visitor of an apply page who is interrupted at a step finds that step again, with all answers. Whatever the order of
 * the steps is, the fields are found by their names.
 */
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {suite, test} from 'node:test';
import type {BrowserContext, Page, Route} from 'playwright-core';
import type {Order} from '../../form/pages.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {freePort} from '../support/free-port.ts';
import {openFor, openForSuite} from '../support/opened.ts';
import {rowsOf} from '../support/rows.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';

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
    ...serviceSettings(folder.path),
    EMBED_FOLDER: resolve('dist/embed'),
    // The form of this build, and no release.
    WITHDRAWN_VERSIONS: readdirSync('releases')
      .filter((name) => /^\d/.test(name))
      .join(),
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
    if ((await field.count()) > 1) await field.and(page.locator(`[value="${value}"]`)).check();
    else if ((await field.count()) === 1) await field.fill(value);
  }
}

/** The answers on the step that is shown. */
const shown = (page: Page) =>
  page
    .locator('lead-prequal-form form')
    .evaluate((form: HTMLFormElement) =>
      Object.fromEntries([...new FormData(form)].filter(([name]) => name !== 'website')),
    );

/** Goes back to the first step, and gathers the answers of all steps on the way. */
async function allAnswers(page: Page) {
  let found = await shown(page);
  for (let step = await stepOf(page); step > 1; step--) {
    await page.goBack();
    await untilStep(page, step - 1);
    found = {...found, ...(await shown(page))};
  }
  return found;
}

/** Goes on to the end, without typing anything that is there already. */
async function finish(page: Page) {
  for (let step = await stepOf(page); step < stepCount; step++) {
    await fillIn(page);
    await mainButton(page).click();
    await untilStep(page, step + 1);
  }
  await fillIn(page);
  await mainButton(page).click();
  await page.locator('lead-prequal-form table').waitFor();
}

const storedLeads = (databasePath: string) =>
  rowsOf(databasePath, 'SELECT lead FROM leads ORDER BY id').map(
    ({lead}) => JSON.parse(String(lead)) as Record<string, unknown>,
  );

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
  /** @param order that of the form. Apply pages have the default one, so the test sets the attribute. */
  async function newContext(order: Order = 'funds-first') {
    const context = await run.browser.newContext();
    await context.addInitScript((value) => {
      document.addEventListener('readystatechange', () =>
        document.querySelector('lead-prequal-form')?.setAttribute('order', value),
      );
    }, order);
    return {context, close: () => context.close()};
  }

  // What is kept goes by the names of the fields, so the other order is tried at one step.
  const places = [
    {order: 'funds-first', step: 1},
    {order: 'funds-first', step: 2},
    {order: 'funds-first', step: 3},
    {order: 'contact-first', step: 2},
  ] as const;
  for (const {order, step} of places) {
    for (const [what, interrupt] of Object.entries(interruptions)) {
      test(`${order}, at step ${step}: ${what}`, async (t) => {
        const {context} = await openFor(t, newContext(order));
        const before = await openAt(context, step);
        const expected = await shown(before.page);
        const page = await interrupt(before.page, run, context);
        await mainButton(page).waitFor();
        assert.equal(await stepOf(page), step);
        assert.deepEqual(await shown(page), expected);
        assert.equal(await page.locator('lead-prequal-form [aria-invalid=true]').count(), 0);

        assert.deepEqual(await allAnswers(page), before.filled);
        assert.equal(await stepOf(page), 1, 'Back went back one step at a time');
      });
    }
  }

  /** Keeps the file `rest` on its way to the first page that asks for it. */
  async function holdRest(context: BrowserContext) {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async (route: Route) => {
      asked.resolve();
      await gate.promise;
      // The page that has asked for the file may be gone.
      await route.continue().catch(() => {});
    };
    await context.route('**/rest-*.js', hold, {times: 1});
    return {isAsked: asked.promise, arrive: () => gate.resolve()};
  }
  /** The element has taken the place of the form without a script. */
  const untilElement = (page: Page) =>
    page.waitForFunction(
      () => document.querySelector('lead-prequal-form')?.shadowRoot?.querySelector('form') !== null,
    );
  const score = (page: Page) => fieldsOf(page, 'credit_score').and(page.locator('[value="680 - 720"]'));
  for (const [what, interrupt] of Object.entries(interruptions)) {
    test(`before the later file has arrived, a score that was chosen: ${what}`, async (t) => {
      const {context} = await openFor(t, newContext());
      const rest = await holdRest(context);
      const before = await context.newPage();
      await before.goto(run.apply);
      await untilElement(before);
      await score(before).check();
      await rest.isAsked;
      const chosen = await shown(before);
      const page = await interrupt(before, run, context);
      rest.arrive();
      await untilElement(page);
      assert.equal(await stepOf(page), 1);
      assert.deepEqual(chosen, {credit_score: '680 - 720'});
      assert.deepEqual(await shown(page), chosen);
      assert.equal(await page.locator('lead-prequal-form [aria-invalid=true]').count(), 0);
      await finish(page);
      assert.partialDeepStrictEqual(storedLeads(run.databasePath).at(-1), {credit_score: '680 - 720'});
      const kept = await page.evaluate(() =>
        Object.keys(sessionStorage).filter((key) => key.includes('draft')),
      );
      assert.deepEqual(kept, [], 'nothing of a sent lead is kept');
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

  test('after the language has changed twice, what was typed last is there and is sent', async (t) => {
    const {context} = await openFor(t, newContext());
    const {page} = await openAt(context, 1);
    await page.getByRole('link', {name: 'Español'}).click();
    await page.waitForURL(/lang=es/);
    await mainButton(page).click();
    await untilStep(page, 2);
    await page.getByRole('link', {name: 'English'}).click();
    await page.waitForURL(/lang=en/);
    await mainButton(page).waitFor();
    assert.equal(await stepOf(page), 2);
    await finish(page);
    assert.partialDeepStrictEqual(storedLeads(run.databasePath).at(-1), {
      last_name: 'Silva',
      retirement: 120_000,
    });
  });
});
