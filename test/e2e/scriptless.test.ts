/**
 * The way of a visitor through an apply page without a script: in Chromium and in a text browser. What the server answers
 * to each page is in test/server/http/apply/scriptless-form.test.ts.
 */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {onePartner} from '../../server/config/partners.ts';
import {missing} from '../support/installed.ts';
import {down, enter, lynx} from '../support/lynx.ts';
import {openForSuite} from '../support/opened.ts';
import {rowsOf} from '../support/rows.ts';
import {startBuilt} from './built.ts';

const partner = {origins: ['https://www.acme.example'], cid: '1'};
const consent = {required: true, texts: {en: {text: 'I agree to the terms.', version: '1'}}};

/** All leads, the newest first, each with its consent. */
function leadsIn(databasePath: string) {
  const sql = 'SELECT lead, suspect, consent FROM leads JOIN consents ON lead_id = id ORDER BY id DESC';
  const read = (text: unknown) => JSON.parse(String(text)) as Record<string, unknown>;
  return rowsOf(databasePath, sql).map(({lead, suspect, consent}) => ({
    lead: read(lead),
    suspect,
    consent: read(consent),
  }));
}

suite('an apply page without a script', () => {
  const run = openForSuite(() =>
    startBuilt({
      partners: [onePartner({...partner, key: 'acme', consent}), onePartner({...partner, key: 'plain'})],
    }),
  );

  async function openTab(t: TestContext, path: string) {
    const context = await run.browser.newContext({javaScriptEnabled: false});
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(run.publicUrl + path);
    return page;
  }

  test('takes a visitor to the result in Chromium, with errors and a consent', async (t) => {
    const page = await openTab(t, '/apply/acme?lang=en');
    /** Presses what the selector finds, and waits for the page that comes then. */
    const press = (selector = 'button.main') =>
      Promise.all([page.waitForEvent('domcontentloaded'), page.locator(selector).click()]);
    const fill = async (answers: Readonly<Record<string, string>>) => {
      for (const [name, value] of Object.entries(answers)) await page.locator(`[name=${name}]`).fill(value);
    };
    const says = async (words: RegExp) => assert.match(await page.locator('main').innerText(), words);

    await press();
    await says(/Choose your credit score\./);
    await page.locator('label[for=credit_score-0]').click();
    await press();
    await fill({retirement: '120,000', cash: 'some'});
    await press('button.none[value=investments]');
    await press();
    await says(/Cash: enter one amount in US dollars/);
    await fill({cash: '50k'});
    await press();
    await fill({first_name: 'Ana', email: 'ana@example', phone: '415-555-0132'});
    await press();
    await says(/Tick the box to show that you agree\./);
    await press('[name=_back]');
    await press();
    await fill({last_name: 'Silva', email: 'ana@example.com'});
    await page.locator('#consent').click();
    await press();
    const result = /Ana, you may qualify for up to\s+\$950,000/;
    await says(result);

    const [{lead, suspect, consent} = assert.fail('no lead'), ...others] = leadsIn(run.databasePath);
    assert.equal(lead['first_name'], 'Ana');
    assert.match(String(suspect), /^no-script/);
    const expected = {textLanguage: 'en', agreed: true, script: 'none', origin: run.publicUrl};
    assert.partialDeepStrictEqual(consent, expected);
    // The browser sends the last page once more.
    await page.reload();
    await says(result);
    assert.equal(leadsIn(run.databasePath).length, others.length + 1, 'the same lead');
  });

  test('goes to the field that is wrong, and takes Enter for the main button', async (t) => {
    const page = await openTab(t, '/apply/plain');
    await page.locator('button.main').click();
    assert.equal(await page.locator(':focus').getAttribute('id'), 'credit_score-0');
    // Enter sends the page, although a button "None" comes first.
    await page.locator('label[for=credit_score-0]').click();
    await page.keyboard.press('Enter');
    await page.locator('[name=cash]').fill('1,000');
    await page.keyboard.press('Enter');
    await page.locator('#retirement-error').waitFor();
    assert.equal(await page.locator('[name=cash]').inputValue(), '1,000');
  });

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
    const [{lead, consent} = assert.fail('no lead')] = leadsIn(run.databasePath);
    assert.partialDeepStrictEqual(lead, {last_name: 'Silva', cash: 50_000, retirement: 120_000});
    assert.partialDeepStrictEqual(consent, {agreed: true, origin: null, script: 'none'});
  });
});
