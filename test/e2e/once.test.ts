/**
 * The form on a partner's page against the real server, which asks for a proof of work: whatever is lost on the way, one
 * lead is stored.
 */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {Route} from 'playwright-core';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {onePartner} from '../../server/config/partners.ts';
import {startFakeUpstream, type Script} from '../support/fake-upstream.ts';
import {openFor, openForSuite, type Owner} from '../support/opened.ts';
import {amounts} from '../support/sample-leads.ts';
import {until} from '../support/until.ts';
import {startWebsite} from '../support/website.ts';
import {startBuilt} from './built.ts';
import {leadsOf} from '../support/encrypted-rows.ts';

const total = `$${amounts.total_qualified_amount.toLocaleString('en-US')}`;

async function startAll(owner: Owner) {
  const upstreamScript: Script = {};
  const upstream = await openFor(owner, startFakeUpstream(upstreamScript));
  const website = await openFor(owner, startWebsite());
  const built = await startBuilt({
    proofOfWork: 200,
    destinations: new Map([['default', upstream.settings]]),
    partners: [onePartner({key: 'acme', origins: [website.origin], cid: '1001', answer_from: 'default'})],
  });
  const {script} = newestScript(built.config);
  website.page.html = `<!doctype html><html lang="en"><title>Partner</title>${script}
    <lead-prequal-form partner="acme"></lead-prequal-form>`;
  return {...built, upstreamScript, origin: website.origin};
}

suite('a visitor of a partner’s page', () => {
  const run = openForSuite(startAll);

  /**
   * Opens the page for another visitor in each test, or their leads would be merged.
   * @param interfere what goes wrong with the next lead that is sent, once; everything before and after goes right
   */
  async function open(interfere?: (route: Route) => Promise<void>) {
    const context = await run.browser.newContext();
    let interfered = false;
    await context.route('**/embed/v1/leads?*', async (route) => {
      if (!interfere || interfered || route.request().method() !== 'POST') return route.continue();
      interfered = true;
      await interfere(route);
    });
    const email = `${randomUUID()}@example.com`;
    const page = await context.newPage();
    await page.goto(run.origin);
    return {
      page,
      send: async (tab = page) => {
        await tab.getByText('Above 720').click();
        await tab.getByRole('button', {name: 'Next'}).click();
        for (const name of ['Retirement funds', 'Cash', 'Investments'])
          await tab.getByRole('button', {name: `None for ${name}`}).click();
        await tab.getByRole('button', {name: 'Next'}).click();
        const contact = {'First name': 'Ana', 'Last name': 'Silva', Email: email, Phone: '4155550132'};
        for (const [label, value] of Object.entries(contact)) await tab.getByLabel(label).fill(value);
        await tab.getByRole('button', {name: 'See my estimate'}).click();
      },
      seesAmounts: (tab = page) => tab.getByText(total).first().waitFor(),
      leads: () => leadsOf(run.databasePath, email),
      close: () => context.close(),
    };
  }

  test('whose reply is lost presses "Try again", and the lead is stored once', async (t) => {
    const {page, send, seesAmounts, leads} = await openFor(
      t,
      open(async (route) => {
        await route.fetch();
        await route.abort();
      }),
    );
    await send();
    await page.getByRole('button', {name: 'Try again'}).click();
    await seesAmounts();
    assert.equal(leads().length, 1);
  });

  test('who loads the page again while the lead is sent has it stored once', async (t) => {
    const arrived = Promise.withResolvers<void>();
    const {page, send, seesAmounts, leads} = await openFor(
      t,
      open(async (route) => {
        await route.fetch();
        // And never answered: the page is gone by then.
        arrived.resolve();
      }),
    );
    await send();
    await arrived.promise;
    await page.reload();
    await send();
    await seesAmounts();
    assert.equal(leads().length, 1);
  });

  test('who sends from two tabs, one the copy of the other, sends one lead', async (t) => {
    const held = Promise.withResolvers<void>();
    const {page, send, seesAmounts, leads} = await openFor(
      t,
      open(async (route) => {
        await held.promise;
        await route.continue();
      }),
    );
    await send();
    await page.getByText('Sending…').first().waitFor();
    const [copy] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(() => void window.open(location.href)),
    ]);
    await send(copy);
    await seesAmounts(copy);
    held.resolve();
    await seesAmounts();
    assert.equal(leads().length, 1);
  });

  test('sees the amounts when they come, and again after a reload', async (t) => {
    let answering = false;
    run.upstreamScript.create = (response) => {
      const reply = () => {
        response.writeHead(201, {'content-type': 'application/json'}).end('{"id": "late"}');
      };
      void until(() => answering).then(reply);
    };
    run.upstreamScript.read = (response) => {
      response
        .writeHead(200, {'content-type': 'application/json'})
        .end(JSON.stringify({first_name: 'Ana', ...amounts}));
    };
    const {page, send, seesAmounts, leads} = await openFor(t, open());
    await send();
    await page.getByText('They will appear here.').waitFor();
    await page.reload();
    await page.getByText('They will appear here.').waitFor();
    answering = true;
    await seesAmounts();
    await page.reload();
    await seesAmounts();
    assert.equal(leads().length, 1);
  });
});
