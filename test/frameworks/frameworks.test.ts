/**
 * The npm package in a small app of React, Vue, Svelte, Angular and Astro each, which docs/widget.md shows. Attributes,
 * properties, slots and events of the element must work there as that page says, against a real server.
 */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import {before, suite, test} from 'node:test';
import express from 'express';
import type {Browser} from 'playwright-core';
import {onePartner} from '../../server/config/partners.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {suiteOwner} from '../support/opened.ts';
import {startTestServer, type TestServer} from '../support/test-server.ts';
import {apps, buildApp, builtFolder, prepareFolder} from './apps.ts';
import {leadsOf} from '../support/encrypted-rows.ts';

// Two apps at a time: one is built while the browser visits the other.
suite('the npm package in other frameworks', {concurrency: 2}, () => {
  const owner = suiteOwner();
  let origin: string;
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    const pages = express()
      .use(express.static(builtFolder))
      .get('/favicon.ico', (_request, response) => void response.status(204).end())
      .listen(0, '127.0.0.1');
    owner.after(() => pages.close());
    await once(pages, 'listening');
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    server = await startTestServer({
      partners: [onePartner({key: 'acme', origins: [origin], cid: '1001', colors: {accent: '#0b7a5a'}})],
    });
    owner.after(() => server.close());
    browser = await launchChromium();
    owner.after(() => browser.close());
    prepareFolder();
  });

  for (const app of Object.keys(apps))
    test(`${app}: a visitor whose name is filled in sends a lead, and the page learns its id`, async (t) => {
      const path = await buildApp(app, server.url);
      const context = await browser.newContext();
      t.after(() => context.close());
      const page = await context.newPage();
      const trouble: string[] = [];
      page.on('pageerror', (error) => trouble.push(error.stack ?? error.message));
      page.on('console', (message) => {
        const isOfLit = message.text().startsWith('Lit is in dev mode');
        if (['error', 'warning'].includes(message.type()) && !isOfLit) trouble.push(message.text());
      });
      await page.goto(origin + path);
      const form = page.locator('lead-prequal-form');
      const fill = (label: string, text: string) => form.getByLabel(label, {exact: true}).fill(text);
      await form.getByRole('heading', {name: 'Your funding'}).waitFor();
      const main = form.getByRole('button', {name: 'Next', exact: true});
      const color = await main.evaluate((element) => getComputedStyle(element).backgroundColor);
      assert.equal(color, 'rgb(11, 122, 90)', "the partner's colour is there before the first touch");
      await form.getByText('Above 720').click();
      await main.click();
      await fill('Retirement funds', '120,000');
      await fill('Cash', '50000');
      await fill('Investments', '0');
      await main.click();
      assert.equal(await form.getByLabel('First name', {exact: true}).inputValue(), 'Ana');
      await fill('Last name', 'Silva');
      await fill('Email', `${app}@example.com`);
      await fill('Phone', '415-555-0132');
      await form.getByRole('button', {name: 'See my estimate', exact: true}).click();
      await form.getByRole('table').waitFor();
      const [lead, ...others] = leadsOf(server.config.databasePath, `${app}@example.com`);
      assert.deepEqual(others, []);
      assert.partialDeepStrictEqual(lead, {partner: 'acme', status: 'done'});
      await page.getByText(`Lead: ${lead!.id}`).waitFor();
      assert.deepEqual(trouble, []);
    });
});
