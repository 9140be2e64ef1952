/** What a partner asks for besides: from the partners file over the apply page and a frame to the webhook. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join, resolve} from 'node:path';
import {suite, test} from 'node:test';
import {chromium, type FrameLocator, type Page} from 'playwright-core';
import {readConfig} from '../../server/config/config.ts';
import type {LeadEvent} from '../../server/leads/lead-event.ts';
import {startServer} from '../../server/server.ts';
import {findChromium} from '../support/find-browsers.ts';
import {freePort} from '../support/free-port.ts';
import {openForSuite} from '../support/opened.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

async function startAll() {
  const folder = makeTemporaryFolder();
  const [receiver, port] = await Promise.all([startWebhookReceiver(), freePort()]);
  const publicUrl = `http://localhost:${port}`;
  const page = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(`<!doctype html><title>A page</title>
        <iframe src="${publicUrl}/apply/acme" width="600" height="1200" title="The form"></iframe>`);
  }).listen(0, '127.0.0.1');
  await once(page, 'listening');
  const pageUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  const partnersFile = join(folder.path, 'partners.json');
  writeFileSync(
    partnersFile,
    JSON.stringify({
      destinations: {
        crm: {type: 'webhook', url: `http://127.0.0.1:${receiver.port}/hook`, credentials: 'CRM'},
      },
      partners: [
        {
          key: 'acme',
          origins: [pageUrl],
          cid: '1001',
          send_to: ['crm'],
          ask: ['state', 'time_frame', 'notes', 'call_time'],
          call_promise: {en: 'We call within a day.', es: 'Le llamamos en el plazo de un día.'},
        },
      ],
    }),
  );
  const config = readConfig({
    CALLERS: JSON.stringify([acme]),
    TOKEN_KEY: 'a-token-key-for-tests-that-is-long-enough',
    DATABASE_PATH: join(folder.path, 'leads.sqlite'),
    PROOF_OF_WORK: '10',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    EMBED_FOLDER: resolve('dist/embed'),
    PARTNERS_FILE: partnersFile,
    CREDENTIALS_CRM_SECRET: receiver.secret,
    WEBHOOK_INTERNAL_HOSTS: '127.0.0.1',
  });
  // Apply pages take the newest release, which may not know this yet.
  const server = await startServer({...config, releasesFolder: 'no releases'}, () => undefined);
  const browser = await chromium.launch(await findChromium());
  return {
    browser,
    receiver,
    pageUrl,
    applyUrl: `${publicUrl}/apply/acme`,
    async close() {
      await browser.close();
      await server.close();
      page.close().closeAllConnections();
      await receiver.close();
      folder.remove();
    },
  };
}

/** Fills in the form in English, up to its last page. */
async function toLastPage(place: Page | FrameLocator) {
  const form = place.locator('lead-prequal-form');
  await form.getByText('Above 720').click();
  await form.getByRole('button', {name: 'Next'}).click();
  for (const [label, value] of Object.entries({
    'Retirement funds': '120,000',
    Cash: '50000',
    Investments: '0',
  }))
    await form.getByLabel(label, {exact: true}).fill(value);
  await form.getByRole('button', {name: 'Next'}).click();
  for (const [label, value] of Object.entries({
    'First name': 'Ana',
    'Last name': 'Silva',
    Email: 'ana@example.com',
    Phone: '415-555-0132',
  }))
    await form.getByLabel(label, {exact: true}).fill(value);
  return form;
}

suite('what a partner asks for besides, from the partners file to the webhook', () => {
  const run = openForSuite(startAll);

  test('a visitor of the apply page answers it by keyboard and mouse, and the webhook hears of it', async () => {
    const page = await run.browser.newPage({viewport: {width: 360, height: 800}});
    await page.goto(run.applyUrl);
    const form = await toLastPage(page);
    assert.match((await form.getByLabel('Phone').getAttribute('aria-describedby')) ?? '', /\bpromise\b/);
    await form.getByText('We call within a day.').waitFor();
    await form.getByLabel('When should we call?').selectOption({label: 'Text me first'});
    // The keyboard finds a state by its first letters.
    await form.getByLabel('State').focus();
    await page.keyboard.type('new y');
    await form.getByLabel('When do you need the funding?').selectOption('2-6 months');
    await form.getByLabel('Anything else').pressSequentially('Call my office,');
    await page.keyboard.press('Enter');
    await page.keyboard.type('please.');
    await page.evaluate(axe);
    const faults = await page.evaluate('axe.run().then(({violations}) => violations.map(({id}) => id))');
    assert.deepEqual(faults, []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    // A draft keeps it over a reload.
    await page.reload();
    // The page may be scrolled, so that the fields wait until the visitor is in a field, as a consent text does.
    await form.getByRole('button', {name: 'See my estimate'}).waitFor();
    await form.getByLabel('Phone').fill('415-555-0132');
    await form.getByLabel('Anything else').waitFor();
    assert.equal(await form.getByLabel('State').inputValue(), 'NY');
    await form.getByRole('button', {name: 'See my estimate'}).click();
    await form.getByRole('table').waitFor();
    await run.receiver.hasReceived(1);
    const {data} = JSON.parse(run.receiver.received.at(-1)!.body) as LeadEvent;
    const {call_time, state, time_frame, notes} = data.lead;
    assert.deepEqual(
      {call_time, state, time_frame, notes},
      {
        call_time: 'text_first',
        state: 'NY',
        time_frame: '2-6 months',
        notes: 'Call my office,\nplease.',
      },
    );
    await page.close();
  });

  test('a visitor of a frame leaves all of it empty, and the webhook gets none', async () => {
    const page = await run.browser.newPage();
    await page.goto(run.pageUrl);
    const form = await toLastPage(page.frameLocator('iframe'));
    await form.getByLabel('When should we call?').waitFor();
    await form.getByRole('button', {name: 'See my estimate'}).click();
    await form.getByRole('table').waitFor();
    await run.receiver.hasReceived(2);
    const {data} = JSON.parse(run.receiver.received.at(-1)!.body) as LeadEvent;
    assert.deepEqual(
      Object.keys(data.lead).filter((name) => ['call_time', 'state', 'time_frame', 'notes'].includes(name)),
      [],
    );
    await page.close();
  });
});
