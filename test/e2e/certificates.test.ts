/**
 * A certificate of TrustedForm or Jornaya goes with a lead. The partner's page is the one of docs/partners.md. In place of
 * the company's script stands one that does the same: some time after the page was loaded, it fills a field of an
 * ordinary form.
 */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {onePartner} from '../../server/config/partners.ts';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {openFor, openForSuite, type Owner} from '../support/opened.ts';
import {startWebsite} from '../support/website.ts';
import {startBuilt} from './built.ts';
import {leadsOf} from '../support/encrypted-rows.ts';

const [, section = ''] =
  /### Certificates of other companies\n([^]*?)\n##/.exec(readFileSync('docs/partners.md', 'utf8')) ?? [];
const [, listed = ''] = /```json\n([^]*?)\n```/.exec(section) ?? [];
const [, recipe = ''] = /```html\n([^]*?)\n```/.exec(section) ?? [];

const certificate = `https://cert.trustedform.com/${'0123456789abcdef'.repeat(3).slice(0, 40)}`;
const fill = (selector: string, value: string) => `<script>
  addEventListener('load', () => {
    setTimeout(() => { document.querySelector('${selector}').value = '${value}'; }, 50);
  });
</script>`;

async function startAll(owner: Owner) {
  const website = await openFor(owner, startWebsite());
  const {context_fields} = JSON.parse(`{${listed}}`) as {context_fields: string[]};
  const built = await startBuilt({
    partners: [onePartner({key: 'acme', origins: [website.origin], cid: '1001', context_fields})],
  });
  return {...built, website, script: newestScript(built.config).script};
}

suite('a page with the recipe for certificates', () => {
  const run = openForSuite(startAll);

  /** What is stored of the hidden fields of a lead that a visitor sends. @param isFilled waits for the other script */
  async function contextAfter(theirs: string, isFilled = false) {
    run.website.page.html = `<!doctype html><html lang="en"><title>Partner</title>${run.script}
      <lead-prequal-form partner="acme" lead-type="standard"></lead-prequal-form>${recipe}${theirs}`;
    const context = await run.browser.newContext();
    const page = await context.newPage();
    await page.goto(run.website.origin);
    const email = `${randomUUID()}@example.com`;
    const contact = {'First name': 'Ana', 'Last name': 'Silva', Email: email, Phone: '4155550132'};
    for (const [label, value] of Object.entries(contact)) await page.getByLabel(label).fill(value);
    if (isFilled)
      await page.waitForFunction(() =>
        [...document.querySelectorAll<HTMLInputElement>('form[hidden] input')].some(({value}) => value),
      );
    await page.getByRole('button', {name: 'Send'}).click();
    await page.getByText('Thank you', {exact: false}).first().waitFor();
    await context.close();
    return leadsOf(run.databasePath, email);
  }

  test('sends the certificate with the lead, although the script fills its field late', async () => {
    const [row] = await contextAfter(fill('input[name=xxTrustedFormCertUrl]', certificate), true);
    assert.deepEqual(row?.context, {certificate_url: certificate});
  });
  test('sends the certificate from a field that the script itself adds to the ordinary form', async () => {
    const added = `<script>
      const [form] = document.forms;
      form.insertAdjacentHTML('beforeend', '<input type="hidden" name="xxTrustedFormCertUrl" id="added">');
    </script>${fill('#added', certificate)}`;
    const [row] = await contextAfter(added, true);
    assert.deepEqual(row?.context, {certificate_url: certificate});
  });
  test('sends the lead without one if the script was blocked', async () => {
    const [row] = await contextAfter('');
    assert.equal(row?.context, null);
  });
});
