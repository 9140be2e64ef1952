/**
 * The way of a visitor through an apply page without a script: in Chromium and in a text browser. What the server answers
 * to each form is in test/server/http/apply/no-js-form.test.ts.
 */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {onePartner} from '../../server/config/partners.ts';
import {missing} from '../support/installed.ts';
import {down, enter, lynx} from '../support/lynx.ts';
import {openForSuite} from '../support/opened.ts';
import {startBuilt} from './built.ts';
import {openedIn} from '../support/encrypted-rows.ts';

const partner = {origins: ['https://www.acme.example'], cid: '1'};
const consent = {required: true, texts: {en: {text: 'I agree to the terms.', version: '1'}}};

/** All leads, the newest first, each with its consent. */
const leadsIn = (databasePath: string) =>
  openedIn(databasePath)
    .toReversed()
    .flatMap(({lead, suspect, consent}) =>
      consent ? [{lead: lead as Record<string, unknown>, suspect, consent}] : [],
    );

suite('an apply page without a script', () => {
  const run = openForSuite(() =>
    startBuilt({
      partners: [onePartner({...partner, key: 'acme', consent}), onePartner({...partner, key: 'plain'})],
    }),
  );

  /** A tab without scripts, and what a visitor does there. */
  async function openTab(t: TestContext, path: string) {
    const context = await run.browser.newContext({javaScriptEnabled: false});
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(run.publicUrl + path);
    return {
      page,
      /** Presses a button, and waits for the page that comes then. */
      press: (name = 'See my estimate') =>
        Promise.all([page.waitForEvent('domcontentloaded'), page.getByRole('button', {name}).click()]),
      fill: async (answers: Readonly<Record<string, string>>) => {
        for (const [name, value] of Object.entries(answers)) await page.locator(`[name=${name}]`).fill(value);
      },
      says: async (words: RegExp) => assert.match(await page.locator('main').innerText(), words),
      focused: () => page.locator(':focus').getAttribute('id'),
    };
  }

  test('takes a visitor past errors to the result in Chromium, to a change and a new start', async (t) => {
    const {page, press, fill, says, focused} = await openTab(t, '/apply/acme?lang=en');
    assert.equal(await page.getByRole('button').count(), 1, 'nothing else is to be pressed');
    await page.locator('label[for=credit_score-0]').click();
    await fill({
      retirement: '120,000',
      cash: 'some',
      investments: '0',
      first_name: 'Ana',
      last_name: 'Silva',
    });
    await fill({email: 'ana@example', phone: '415-555-0132'});
    await press();
    await says(/Please check your answers[^]*Cash: enter one amount in US dollars[^]*Tick the box/);
    await fill({cash: '50k', email: 'ana@example.com'});
    await press();
    await says(/Tick the box to show that you agree\./);
    assert.equal(await focused(), 'consent');
    await page.locator('#consent').click();
    await press();
    const result = /Ana, you may qualify for up to\s+\$950,000/;
    await says(result);

    const [{lead, suspect, consent} = assert.fail('no lead'), ...others] = leadsIn(run.databasePath);
    assert.equal(lead['first_name'], 'Ana');
    assert.match(String(suspect), /^no-script/);
    const expected = {textLanguage: 'en', agreed: true, script: 'none', origin: run.publicUrl};
    assert.partialDeepStrictEqual(consent, expected);
    // The browser sends the form once more.
    await page.reload();
    await says(result);
    assert.equal(leadsIn(run.databasePath).length, others.length + 1, 'the same lead');

    await press('Change my answers');
    await fill({cash: '60,000'});
    await page.locator('#consent').click();
    await press();
    await says(/Ana, you may qualify for up to\s+\$990,000/);
    await page.getByRole('link', {name: 'Start over'}).click();
    await page.waitForURL('**/apply/acme?lang=en');
    assert.equal(await page.locator('[name=first_name]').inputValue(), '');
  });

  test('goes to the field that is wrong, and takes Enter for the button', async (t) => {
    const {page, press, fill, focused} = await openTab(t, '/apply/plain');
    await fill({retirement: '0', cash: '1,000', investments: '0', first_name: 'Ana', last_name: 'Silva'});
    await fill({email: 'ana@example.com', phone: '415-555-0132'});
    await page.keyboard.press('Enter');
    await page.locator('#credit_score-error').waitFor();
    assert.equal(await focused(), 'credit_score-0');
    assert.equal(await page.locator('[name=cash]').inputValue(), '1,000');
    await page.locator('label[for=credit_score-0]').click();
    await press();
    await page.getByRole('table').waitFor();
  });

  test('takes a visitor to the result in lynx', {skip: missing('lynx')}, async () => {
    const screen = await lynx(`${run.publicUrl}/apply/acme?lang=en`, [
      // Of each choice, lynx chooses the first option: four of the credit score, and three of the bankruptcy.
      ...[...down(7), ...'120000', ...down(1), ...'some', ...down(1), ...'0'],
      ...[...down(1), ...'Ana', ...down(1), ...'Silva', ...down(1), ...'ana@example.com'],
      // The field that nobody sees, the box, and the button.
      ...[...down(1), ...'4155550132', ...down(2), enter, ...down(1), enter],
      // An error: the list of fields begins anew.
      ...[...down(8), '^U', ...'50000', ...down(8), enter],
    ]);
    assert.match(screen, /Cash: enter one amount in US dollars/);
    assert.match(screen, /Ana, you may qualify for up to/);
    const [{lead, consent} = assert.fail('no lead')] = leadsIn(run.databasePath);
    assert.partialDeepStrictEqual(lead, {last_name: 'Silva', cash: 50_000, retirement: 120_000});
    assert.partialDeepStrictEqual(consent, {agreed: true, origin: null, script: 'none'});
  });
});
