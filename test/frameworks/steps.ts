/** What the form must be able to do in an app of any framework. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import type {TestContext} from 'node:test';
import type {Locator, Page} from 'playwright-core';
import {rowsOf} from '../support/rows.ts';
import {until} from '../support/until.ts';
import {fill, goTo, goToLastStep, press, visit, type Run} from './visit.ts';

/** @param path that of the app's first page */
type Step = (t: TestContext, run: Run, path: string) => Promise<void>;

const firstName = (form: Locator) => form.getByLabel('First name', {exact: true});
const score = (form: Locator) => form.getByRole('radio', {name: 'Above 720'});
const cash = (form: Locator) => form.getByLabel('Cash', {exact: true});

const becomes = (field: Locator, text: string) =>
  until(async () => (await field.inputValue()) === text, `the field contains "${text}"`);

/** That of another visitor in each step, because the server keeps two equal leads as one. */
const newEmail = () => `${randomUUID()}@example.com`;

const colorScheme = (form: Locator) =>
  form.locator('[part=card]').evaluate((card) => getComputedStyle(card).colorScheme);

/** The events that the page has listed, each with its detail. */
const events = (page: Page) => page.locator('#events li').allInnerTexts();

/** The stored leads of visitors with this e-mail address. */
const leadsOf = (email: string, {service}: Run) =>
  rowsOf(
    service.config.databasePath,
    'SELECT id, partner, status FROM leads WHERE lead LIKE ?',
    `%"${email}"%`,
  );

export const steps: Readonly<Record<string, Step>> = {
  async 'a visitor whose name is filled in sends a lead, and the page learns its id'(t, run, path) {
    const {page, form, sent} = await visit(t, run, path, 'Funding');
    await form.getByRole('heading', {name: 'Your funding'}).waitFor();
    await goToLastStep(form);
    await becomes(firstName(form), 'Ana');
    const email = newEmail();
    await fill(form, {'Last name': 'Silva', Email: email, Phone: '415-555-0132'});
    await press(form, 'See my estimate');
    await form.getByRole('table').waitFor();
    const [lead, ...others] = leadsOf(email, run);
    assert.deepEqual(others, []);
    assert.deepEqual({...lead, id: undefined}, {id: undefined, partner: 'acme', status: 'done'});
    await page.getByText(`Lead: ${String(lead?.['id'])}`).waitFor();
    assert.deepEqual(sent, [
      'GET /embed/v1/config?partner=acme&lang=en-US',
      'POST /embed/v1/leads?partner=acme',
    ]);
  },

  async 'attributes that change later change the form, and those that are taken away get back to their defaults'(
    t,
    run,
    path,
  ) {
    const {page, form, sent} = await visit(t, run, path, 'Settings');
    const [next, funds, send] = [
      form.getByRole('button', {name: 'Next'}),
      form.getByLabel('Retirement funds'),
      form.getByRole('button', {name: 'Send'}),
    ];
    await next.waitFor();
    assert.notEqual(await colorScheme(form), 'dark');
    await press(page, 'Dark');
    await until(async () => (await colorScheme(form)) === 'dark');
    await press(page, 'Single page');
    await funds.waitFor();
    await press(page, 'Contact only');
    await send.waitFor();
    await press(page, 'As it comes');
    await next.waitFor();
    await until(async () => (await colorScheme(form)) !== 'dark');

    await page.getByLabel('Partner').fill('globex');
    sent.length = 0;
    const email = newEmail();
    await goToLastStep(form);
    await fill(form, {'First name': 'Ana', 'Last name': 'Silva', Email: email, Phone: '415-555-0132'});
    await press(form, 'See my estimate');
    await form.getByRole('table').waitFor();
    assert.deepEqual(
      leadsOf(email, run).map(({partner}) => partner),
      ['globex'],
    );
  },

  async 'each event is heard once, also when sending fails first, and a page that renders again loses no typed text'(
    t,
    run,
    path,
  ) {
    const {page, form, sent, trouble} = await visit(t, run, path, 'Settings');
    await goToLastStep(form);
    await firstName(form).fill('Eva');
    await page.getByLabel('Note').fill('for you');
    await form.getByRole('heading', {name: 'Funding for you'}).waitFor();
    assert.equal(await firstName(form).inputValue(), 'Eva');
    await press(form, 'See my estimate');
    const email = newEmail();
    await fill(form, {'Last name': 'Silva', Email: email, Phone: '415-555-0132'});
    await page.getByLabel('Note').fill('for us');
    await page.route('**/embed/v1/leads?*', (route) => route.abort());
    await press(form, 'See my estimate');
    await form.locator('[part=notice]').waitFor();
    await page.unroute('**/embed/v1/leads?*');
    await until(() => trouble.length === 2, 'the browser and the form have said that a request failed');
    trouble.length = 0;
    await page.getByLabel('Note').fill('for all');
    await press(form, 'Try again');
    await form.getByRole('table').waitFor();
    const [lead] = leadsOf(email, run);
    const expected = [
      'prequal-ready null',
      'prequal-start null',
      'prequal-step {"step":2,"of":3,"name":"funds"}',
      'prequal-step {"step":3,"of":3,"name":"contact"}',
      'prequal-invalid {"field":"last_name","code":"required"}',
      'prequal-submit null',
      'prequal-error {"code":"network","retryable":true}',
      'prequal-submit null',
      `prequal-result {"id":"${String(lead?.['id'])}","leadType":"prequalification","status":"done"}`,
    ];
    await until(async () => (await events(page)).length >= expected.length);
    assert.deepEqual(await events(page), expected);
    assert.deepEqual(sent, [
      'GET /embed/v1/config?partner=acme&lang=en-US',
      'POST /embed/v1/leads?partner=acme',
      // The form looks for the reason of the failure, for the webmaster.
      'GET /embed/versions.json',
      'POST /embed/v1/leads?partner=acme',
    ]);
  },

  async 'contact data that the page sets later is filled in, and never replaces what a visitor has typed'(
    t,
    run,
    path,
  ) {
    const {page, form} = await visit(t, run, path, 'Settings');
    await press(page, 'Known visitor');
    await goToLastStep(form);
    await becomes(firstName(form), 'Ana');
    await firstName(form).fill('Eva');
    await press(page, 'Known visitor');
    await page.getByLabel('Note').fill('again');
    await form.getByRole('heading', {name: 'Funding again'}).waitFor();
    assert.equal(await firstName(form).inputValue(), 'Eva');
  },

  async 'a form that is taken away and put back is ready once more, and keeps a draft only if the page asks for it'(
    t,
    run,
    path,
  ) {
    const {page, form, sent} = await visit(t, run, path, 'Settings');
    const showAgain = async () => {
      await press(page, 'Show or hide');
      await form.waitFor({state: 'detached'});
      await press(page, 'Show or hide');
      await form.getByRole('button', {name: 'Next'}).waitFor();
    };
    const fillFunds = async () => {
      await score(form).check();
      await press(form, 'Next');
      await cash(form).fill('50,000');
    };
    await fillFunds();
    await showAgain();
    assert.ok(!(await score(form).isChecked()));
    await press(page, 'Draft');
    await fillFunds();
    await showAgain();
    await becomes(cash(form), '50,000');
    await press(page, 'Draft');
    await showAgain();
    assert.ok(!(await score(form).isChecked()));
    assert.deepEqual(
      (await events(page)).filter((event) => event.startsWith('prequal-ready')),
      Array(4).fill('prequal-ready null'),
    );
    assert.deepEqual([...new Set(sent)], ['GET /embed/v1/config?partner=acme&lang=en-US']);
  },

  async 'a form that moves in a list keeps its text and its partner, and is not made again'(t, run, path) {
    const {page, form} = await visit(t, run, path, 'Two forms');
    const partners = () =>
      form.evaluateAll((forms) => forms.map((form) => (form as HTMLElement & {partner: string}).partner));
    assert.deepEqual(await partners(), ['acme', 'globex']);
    await score(form.first()).check();
    await press(form.first(), 'Next');
    await cash(form.first()).fill('50,000');
    await press(page, 'Swap');
    await until(async () => (await partners()).join() === 'globex,acme');
    assert.ok(!(await score(form.first()).isChecked()));
    assert.equal(await cash(form.last()).inputValue(), '50,000');
    await press(page, 'Swap');
    await until(async () => (await partners()).join() === 'acme,globex');
    assert.equal(await cash(form.first()).inputValue(), '50,000');
    await page.getByText('Ready: 2').waitFor();
  },

  async 'a visitor who goes from page to page of the app finds a working form on each'(t, run, path) {
    const {page, form} = await visit(t, run, path, 'Settings');
    await score(form).check();
    await goTo(page, 'Two forms');
    await goTo(page, 'Funding');
    await goToLastStep(form);
    await becomes(firstName(form), 'Ana');
    await goTo(page, 'Settings');
    assert.ok(!(await score(form).isChecked()));
    await press(page, 'Contact only');
    const email = newEmail();
    await fill(form, {'First name': 'Ana', 'Last name': 'Silva', Email: email, Phone: '415-555-0132'});
    await press(form, 'Send');
    await form.getByRole('heading', {name: 'Thank you, Ana'}).waitFor();
    assert.equal(leadsOf(email, run).length, 1);
    const names = (await events(page)).map((event) => event.split(' ')[0]);
    assert.deepEqual(names, ['prequal-ready', 'prequal-start', 'prequal-submit', 'prequal-result']);
  },
};
