/**
 * Every released form against the server of today. Pages pinned these files by their hashes and will never ask for
 * others, so a server that stops understanding one of them takes the form off those pages.
 */
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import {compareVersions} from 'compare-versions';
import type {Browser} from 'playwright-core';
import {firstFiles, moduleFile} from '../../../contract/api.ts';
import {calculate} from '../../../calculator/calculator.ts';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {releasesFolder} from '../../../server/config/config.ts';
import {isWithdrawn, readVersions} from '../../../server/versions/embed-versions.ts';
import {onePartner} from '../../../server/config/partners.ts';
import type {Lead} from '../../../server/leads/lead-schema.ts';
import {launchChromium, troubleOf} from '../../support/launch-chromium.ts';
import {sameHashOf} from '../../support/embed-folder.ts';
import {openFor, suiteOwner} from '../../support/opened.ts';
import {startTestServer, type TestServer} from '../../support/test-server.ts';
import {startWebsite, type Website} from '../../support/website.ts';
import {leadsOf} from '../../support/encrypted-rows.ts';

const finances = {
  credit_score: 'Above 720',
  retirement: 120_000,
  cash: 50_000,
  investments: 130_000,
} as const;
const {amounts} = calculate(finances, defaultPolicy);
/** One partner describes its consent as before 1.4, the other in each language, of which the first is the default. */
const consents = {
  acme: {text: 'I agree to be contacted about my estimate.', version: '2026-11', required: true},
  hola: {
    required: true,
    texts: {
      es: {text: 'Con {button} acepto los [Términos](https://www.acme.example/es).', version: '2026-11'},
      en: {text: 'With {button} I accept the [Terms](https://www.acme.example/en).', version: '2026-11'},
    },
  },
};

/** No released form knows these placeholders but the phone number, and none may show braces. */
const next_step = {
  en: '{first_name}, we call {phone} about {reference}.',
  es: '{first_name}, llamamos al {phone} por {reference}.',
};

const inPlainWords = 'Con Ver mi estimado acepto los Términos (https://www.acme.example/es).';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const releases = readVersions({releasesFolder, embedFolder: join(releasesFolder, 'none')});
const servedReleases = releases.filter((version) => !isWithdrawn(version));

/** A question that no form before 2.0 knows, and that those from 2.0 on want an answer to. */
const question = {
  ...{name: 'revenue', label: {en: 'Monthly revenue'}, required: true},
  ...{kind: 'text' as const, step: 'funds' as const},
};

/** What a visitor reads and presses, in each language of the form. */
const languages = {
  en: {
    partner: 'acme',
    consent: consents.acme.text,
    consentBefore14: consents.acme.text,
    record: {textVersion: '2026-11', textHash: sha256(consents.acme.text)},
    recordBefore14: {textVersion: '2026-11', textHash: sha256(consents.acme.text)},
    contact: ['First name', 'Last name', 'Email', 'Phone'],
    next: 'Next',
    score: 'Above 720',
    funds: [/Retirement/, /Cash/, /Investments/],
    send: 'See my estimate',
    next_step: /e call .*555-0132 about/,
  },
  es: {
    partner: 'hola',
    consent: 'Con Ver mi estimado acepto los Términos.',
    consentBefore14: inPlainWords,
    record: {textVersion: '2026-11', textLanguage: 'es', textHash: sha256(consents.hola.texts.es.text)},
    recordBefore14: {textVersion: '2026-11', textLanguage: 'es', textHash: sha256(inPlainWords)},
    contact: ['Nombre', 'Apellidos', 'Correo electrónico', 'Teléfono'],
    next: 'Siguiente',
    score: 'Más de 720',
    funds: [/jubilación/, /Efectivo/, /Inversiones/],
    send: 'Ver mi estimado',
    next_step: /lamamos al .*555-0132 por/,
  },
} as const;

suite('a page that pinned a release', () => {
  const owner = suiteOwner();
  let browser: Browser;
  let website: Website;
  let server: TestServer;

  before(async () => {
    browser = await launchChromium();
    owner.after(() => browser.close());
    website = await openFor(owner, startWebsite());
    const partner = {origins: [website.origin], cid: '1001', next_step, ask: [question]};
    server = await openFor(
      owner,
      startTestServer({
        releasesFolder,
        proofOfWork: 200,
        partners: [
          onePartner({...partner, key: 'acme', consent: consents.acme}),
          onePartner({...partner, key: 'hola', consent: consents.hola}),
        ],
      }),
    );
  });

  for (const {name: version, manifest} of servedReleases) {
    const {integrity} = manifest;
    const snippet = (file: string, partner: string) =>
      `<script ${file === moduleFile ? 'type="module"' : 'async'} src="${server.url}/embed/${version}/${file}" ` +
      `integrity="${integrity[file]}" crossorigin></script>` +
      `<lead-prequal-form partner="${partner}"></lead-prequal-form>`;

    // Each first file in one language, because both load the same file of words. A release without a classic twin
    // has both languages in its module.
    const pinnedFiles = firstFiles.filter((file) => integrity[file]);
    for (const [index, [language, words]] of Object.entries(languages).entries()) {
      const pinned = pinnedFiles[index % pinnedFiles.length]!;
      test(`sends a lead and shows its amounts: ${pinned} of ${version} in ${language}`, async () => {
        website.page.html = `<!doctype html><html lang="${language}"><title>Partner</title>${snippet(pinned, words.partner)}</html>`;
        const page = await browser.newPage();
        const trouble = troubleOf(page);
        const files = new Map<string, string>();
        const reading: Promise<unknown>[] = [];
        page.on('response', (response) => {
          const [, file] = /\/embed\/\d[^/]*\/([^/]+\.js)$/.exec(response.url()) ?? [];
          if (file) reading.push(response.text().then((code) => files.set(file, code)));
        });
        await page.goto(website.origin);

        const email = `ana-${version}-${language}-${pinned}@example.com`;
        const revenue = compareVersions(version, '2.0.0') >= 0 ? 'About 9,000' : null;
        const steps = {
          contact: async () => {
            for (const [index, value] of ['Ana', 'Silva', email, '415-555-0132'].entries())
              await page.getByLabel(words.contact[index]!).fill(value);
          },
          credit: () => page.getByRole('radio', {name: new RegExp(words.score)}).check({force: true}),
          funds: async () => {
            for (const [index, value] of ['120000', '50k', '$130,000.00'].entries())
              await page.getByRole('textbox', {name: words.funds[index]!}).fill(value);
            if (revenue) await page.getByLabel(question.label.en).fill(revenue);
          },
        };
        // 1.4.0 has another default order, fewer files, and a consent with links.
        const {contact, credit, funds} = steps;
        const isBefore14 = compareVersions(version, '1.4.0') < 0;
        const [first, ...others] = isBefore14 ? [contact, credit, funds] : [credit, funds, contact];
        await first?.();
        for (const step of others) {
          await page.getByRole('button', {name: words.next}).click();
          await step();
        }
        await page
          .getByRole('checkbox', {name: isBefore14 ? words.consentBefore14 : words.consent, exact: true})
          .check();
        await page.getByRole('button', {name: words.send}).click();
        const table = page.getByRole('table');
        for (const amount of Object.values(amounts)) {
          await table.getByText(`$${amount.toLocaleString('en-US')}`).waitFor();
        }

        const said = await page.locator('lead-prequal-form').ariaSnapshot();
        // 1.0.0 shows no text of the partner.
        if (version !== '1.0.0') assert.match(said, words.next_step);
        assert.doesNotMatch(said, /[{}]/);
        assert.deepEqual(trouble, []);
        await Promise.all(reading);
        assert.ok(files.size >= (isBefore14 ? 3 : 2), [...files.keys()].join(' '));
        for (const [file, code] of files)
          assert.equal(sameHashOf(code, integrity[file] ?? ''), integrity[file], file);
        await page.close();

        const [row = assert.fail('no lead')] = leadsOf(server.config.databasePath, email);
        assert.equal(row.status, 'done');
        assert.deepEqual((row.lead as Lead).answers, [
          {name: 'revenue', label: 'Monthly revenue', value: revenue, text: revenue},
        ]);
        assert.equal(row.answer.total_qualified_amount, amounts.total_qualified_amount);
        assert.partialDeepStrictEqual(row.consent, {
          ...(isBefore14 ? words.recordBefore14 : words.record),
          agreed: true,
        });
      });
    }
  }
});
