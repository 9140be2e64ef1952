/**
 * Every released form against the server of today. Pages pinned these files by their hashes and will never ask for
 * others, so a server that stops understanding one of them takes the form off those pages.
 */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readdirSync, readFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {after, before, suite, test} from 'node:test';
import {chromium, type Browser} from 'playwright-core';
import {calculate} from '../../server/calculator/calculator.ts';
import {defaultPolicy} from '../../server/config/policy.ts';
import {releasesFolder} from '../../server/config/config.ts';
import type {Manifest} from '../../server/http/embed/embed-versions.ts';
import {onePartner} from '../../server/config/partners.ts';
import {findChromium} from '../support/find-browsers.ts';
import {sha384} from '../support/embed-folder.ts';
import {startTestServer, type TestServer} from '../support/test-server.ts';

const finances = {credit_score: 'Above 720', retirement: 120_000, cash: 50_000, investments: 30_000} as const;
const {amounts} = calculate(finances, defaultPolicy);
const consentText = 'I agree to be contacted about my estimate.';

/** What a visitor reads and presses, in each language of the form. */
const languages = {
  en: {
    contact: ['First name', 'Last name', 'Email', 'Phone'],
    next: 'Next',
    score: 'Above 720',
    funds: [/Retirement/, /Cash/, /Investments/],
    send: 'See my estimate',
  },
  es: {
    contact: ['Nombre', 'Apellidos', 'Correo electrónico', 'Teléfono'],
    next: 'Siguiente',
    score: 'Más de 720',
    funds: [/jubilación/, /Efectivo/, /Inversiones/],
    send: 'Ver mi estimado',
  },
} as const;

suite('a page that pinned a release', () => {
  let browser: Browser;
  let host: Server;
  let server: TestServer;
  let html = '';
  let origin = '';

  before(async () => {
    browser = await chromium.launch(await findChromium());
    host = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    origin = `http://localhost:${(host.address() as AddressInfo).port}`;
    const consent = {text: consentText, version: '2026-11', required: true};
    server = await startTestServer({
      releasesFolder,
      proofOfWork: 200,
      partners: [onePartner({key: 'acme', origins: [origin], cid: '1001', consent})],
    });
  });
  after(async () => {
    await browser.close();
    host.close().closeAllConnections();
    await server.close();
  });

  for (const version of readdirSync(releasesFolder)) {
    const {integrity} = JSON.parse(
      readFileSync(join(releasesFolder, version, 'manifest.json'), 'utf8'),
    ) as Manifest;
    const snippet = () =>
      `<script type="module" src="${server.url}/embed/${version}/lead-prequal-form.js" ` +
      `integrity="${integrity['lead-prequal-form.js']}" crossorigin></script>` +
      '<lead-prequal-form partner="acme"></lead-prequal-form>';

    for (const [language, words] of Object.entries(languages)) {
      test(`a page that pinned a release has a form of ${version} in language ${language} that sends a lead with consent and proof of work, and shows its amounts`, async () => {
        html = `<!doctype html><html lang="${language}"><title>Partner</title>${snippet()}</html>`;
        const page = await browser.newPage();
        const trouble: string[] = [];
        const files = new Map<string, string>();
        const reading: Promise<unknown>[] = [];
        page.on('pageerror', (error) => trouble.push(error.message));
        page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
        page.on('response', (response) => {
          const [, file] = /\/embed\/\d[^/]*\/([^/]+\.js)$/.exec(response.url()) ?? [];
          if (file) reading.push(response.text().then((code) => files.set(file, sha384(code))));
        });
        await page.goto(origin);

        const email = `ana-${version}-${language}@example.com`;
        for (const [index, value] of ['Ana', 'Silva', email, '415-555-0132'].entries()) {
          await page.getByLabel(words.contact[index]!).fill(value);
        }
        await page.getByRole('button', {name: words.next}).click();
        await page.getByRole('radio', {name: new RegExp(words.score)}).check({force: true});
        await page.getByRole('button', {name: words.next}).click();
        for (const [index, value] of ['120000', '50k', '$30,000.00'].entries()) {
          await page.getByRole('textbox', {name: words.funds[index]!}).fill(value);
        }
        await page.getByRole('checkbox', {name: consentText}).check();
        await page.getByRole('button', {name: words.send}).click();
        const table = page.getByRole('table');
        for (const amount of Object.values(amounts)) {
          await table.getByText(`$${amount.toLocaleString('en-US')}`).waitFor();
        }

        assert.deepEqual(trouble, []);
        await Promise.all(reading);
        assert.ok(files.size >= 3, [...files.keys()].join(' '));
        for (const [file, hash] of files) assert.equal(hash, integrity[file], file);
        await page.close();

        const database = new DatabaseSync(server.config.databasePath, {readOnly: true});
        const row = database
          .prepare(
            'SELECT status, total_qualified_amount, consent FROM leads JOIN consents ON lead_id = id WHERE leads.lead LIKE ?',
          )
          .get(`%${email}%`);
        database.close();
        assert.equal(row?.['status'], 'done');
        assert.equal(row['total_qualified_amount'], amounts.total_qualified_amount);
        assert.match(String(row['consent']), /"agreed":true/);
      });
    }
  }
});
