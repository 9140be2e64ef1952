/** What assistive technology gets of the form, as Chromium computes it, and what it looks like in settings of a system. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {BrowserContextOptions, Page} from 'playwright-core';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {openFor, openForSuite, type Owner} from '../support/opened.ts';
import {pageOf, startWebsite} from '../support/website.ts';
import {onePartner} from '../../server/config/partners.ts';
import {startBuilt} from './built.ts';

/** A page that holds nothing but a form, of a partner without settings of its own. */
async function startAll(owner: Owner) {
  const website = await openFor(owner, startWebsite());
  const built = await startBuilt({
    partners: [onePartner({key: 'acme', origins: [website.origin], cid: '1001'})],
  });
  const form =
    '<lead-prequal-form partner="acme" privacy-href="https://example.com/privacy"></lead-prequal-form>';
  Object.assign(website.page, pageOf(newestScript(built.config).script + form));
  return {...built, page: website.origin};
}

const run = openForSuite(startAll);

type Node = {
  ignored: boolean;
  role?: {value: string};
  name?: {value: string};
  description?: {value: string};
  properties?: {name: string; value: {value?: unknown}}[];
};

const told = ['required', 'invalid', 'checked', 'focused', 'disabled'];
/** Text, and boxes that are not announced by themselves. */
const silent =
  /^(generic|none|LabelText|Legend|StaticText|InlineTextBox|paragraph|strong|caption|list|listitem|row|rowgroup)$/;

/** The tree of the form, a line for each thing that is read out: role, name, states, description. */
async function tree(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const {root} = (await session.send('DOM.getDocument')) as {root: {nodeId: number}};
  const {nodeId} = await session.send('DOM.querySelector', {
    nodeId: root.nodeId,
    selector: 'lead-prequal-form',
  });
  const {nodes} = (await session.send('Accessibility.queryAXTree', {nodeId})) as {nodes: Node[]};
  await session.detach();
  return nodes
    .filter(({ignored, role}) => !ignored && role && !silent.test(role.value))
    .map(({role, name, description, properties = []}) =>
      [
        role?.value,
        name?.value && JSON.stringify(name.value.replaceAll(/\s+/g, ' ').trim()),
        ...properties
          .filter(({name, value}) => told.includes(name) && value.value && value.value !== 'false')
          .map(({name, value}) => (value.value === true ? name : `${name}=${String(value.value)}`)),
        description?.value && `(${description.value})`,
      ]
        .filter(Boolean)
        .join(' '),
    );
}

async function openForm(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await run.browser.newPage(options);
  await page.goto(run.page);
  await page.getByLabel('Above 720').waitFor();
  return page;
}

const next = (page: Page) => page.locator('lead-prequal-form').getByRole('button', {name: 'Next'}).click();

async function score(page: Page) {
  await page.getByText('Above 720').click();
  await next(page);
  await page.getByRole('heading', {name: 'Your funds'}).waitFor();
}

/** Answers everything, with no funds, up to the last button. */
async function answerAll(page: Page) {
  await score(page);
  for (const none of await page.getByRole('button', {name: /^None/}).all()) await none.click();
  await next(page);
  const answers = {'First name': 'Ana', 'Last name': 'Silva', Email: 'ana@example.com', Phone: '4155550132'};
  for (const [label, value] of Object.entries(answers)) await page.getByLabel(label).fill(value);
}

const chips = (label: string) => [
  'group "Choose an amount"',
  ...['None', '$25k', '$50k', '$100k', '$250k'].map((amount) => `button "${amount} for ${label}"`),
];

suite('a screen reader hears', () => {
  test('of each step its title, and of each field its name, whether it is required, and its help', async () => {
    const page = await openForm();
    assert.deepEqual(await tree(page), [
      'form',
      'heading "Step 1 of 3 What is your credit score?"',
      'radiogroup "What is your credit score?" required (Your best guess is fine.)',
      'radio "Above 720 Excellent"',
      'radio "680 to 720 Good"',
      'radio "620 to 679 Fair"',
      'radio "Below 620 Building"',
      'link "Privacy policy"',
      'button "Next"',
      'status',
    ]);
    // From the second choice on, the file is there that opens the next question at once.
    for (let label = 0; !(await page.getByText('filed for bankruptcy').isVisible()); label ^= 1)
      await page.getByText(['620 to 679', '680 to 720'][label]!).click();
    assert.deepEqual((await tree(page)).slice(-7), [
      'radiogroup "Have you ever filed for bankruptcy? (optional)" (A tap or click goes on.)',
      'radio "No"',
      'radio "Yes"',
      'radio "Rather not say"',
      'link "Privacy policy"',
      'button "Next"',
      'status',
    ]);
    await score(page);
    assert.deepEqual(await tree(page), [
      'form',
      'heading "Step 2 of 3 Your funds" focused',
      'textbox "Retirement funds" required (401(k), IRA None? Type 0.)',
      ...chips('Retirement funds'),
      'textbox "Cash" required (that you could put in None? Type 0.)',
      ...chips('Cash'),
      'textbox "Investments" required (outside of retirement None? Type 0.)',
      ...chips('Investments'),
      'link "Privacy policy"',
      'button "Next"',
      'button "Back"',
      'status',
    ]);
    for (const none of await page.getByRole('button', {name: /^None/}).all()) await none.click();
    await next(page);
    await page.getByRole('heading', {name: 'Your estimate is ready'}).waitFor();
    assert.deepEqual(await tree(page), [
      'form',
      'heading "Step 3 of 3 Your estimate is ready" focused',
      'textbox "First name" required',
      'textbox "Last name" required',
      'textbox "Email" required',
      'textbox "Phone" required (With the country code if it is not a US number.)',
      'link "Privacy policy"',
      'button "See my estimate"',
      'button "Back"',
      'status',
    ]);
    await page.close();
  });

  test('the errors, by their summary and by their fields', async () => {
    const page = await openForm();
    await page.locator('lead-prequal-form').evaluate((form) => form.setAttribute('order', 'contact-first'));
    await page.getByLabel('First name').fill('Ana');
    await next(page);
    assert.deepEqual((await tree(page)).slice(0, -3), [
      'form',
      'group "Please check your answers" focused',
      'link "Enter your last name."',
      'link "Enter your email address."',
      'link "Enter your phone number."',
      'heading "Step 1 of 3 About you"',
      'textbox "First name" required',
      'textbox "Last name" invalid=true required (Enter your last name.)',
      'textbox "Email" invalid=true required (Enter your email address.)',
      'textbox "Phone" invalid=true required (With the country code if it is not a US number. Enter your phone number.)',
    ]);
    await page.close();
  });

  test('the result as a table with a list of what would unlock more, and not the drawing', async () => {
    const page = await openForm();
    await answerAll(page);
    await page.getByRole('button', {name: 'See my estimate'}).click();
    await page.getByRole('table').waitFor();
    const lines = await tree(page);
    assert.deepEqual(lines.slice(0, lines.indexOf('heading "What happens next"') + 1), [
      'region "Ana, you may qualify for up to $150,000"',
      'heading "Ana, you may qualify for up to $150,000" focused',
      'table "Your estimate by kind of funding"',
      'columnheader "Kind of funding"',
      'columnheader "Amount"',
      'rowheader "Unsecured loan"',
      'cell "$150,000"',
      'cell "Loans and credit lines based on your credit, with nothing pledged. Assumes no bankruptcy."',
      'rowheader "Total"',
      'cell "$150,000"',
      'heading "How to unlock more"',
      'group',
      'DisclosureTriangle "Retirement rollover"',
      'group',
      'DisclosureTriangle "SBA loan"',
      'group',
      'DisclosureTriangle "Portfolio loan"',
      'heading "What happens next"',
    ]);
    assert.ok(!lines.some((line) => /image|graphics/.test(line)));
    await page.close();
  });
});

suite('the form follows the system', () => {
  const painted = (page: Page, selector: string, property: string) =>
    page
      .locator(`lead-prequal-form ${selector}`)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

  test('in forced colours, where what is chosen, done and focused is told without colours of ours', async () => {
    const page = await openForm({forcedColors: 'active'});
    assert.notEqual(
      await painted(page, '[part=bar-done]', 'background-color'),
      await painted(page, '.progress i:last-child', 'background-color'),
    );
    assert.equal(await painted(page, '.progress i:last-child', 'border-top-style'), 'solid');
    await page.getByText('Above 720').click();
    assert.equal(await painted(page, 'input:checked + label', 'outline-style'), 'solid');
    assert.equal(await painted(page, 'input:not(:checked) + label', 'outline-style'), 'none');
    assert.equal(await painted(page, '.main', 'border-top-style'), 'solid');
    await next(page);
    await page.getByRole('button', {name: 'Back'}).waitFor();
    const background = (selector: string) => painted(page, selector, 'background-color');
    assert.notEqual(await background('.main'), await background('.actions button:not(.main)'));
    await page.close();
  });

  test('in forced colours and under the pointer, where no border hugs the words of a quiet button', async () => {
    const page = await openForm({forcedColors: 'active'});
    await answerAll(page);
    await page.getByLabel('Email').fill('ana@gmial.com');
    await page.getByLabel('Phone').focus();
    await page.getByRole('button', {name: 'Did you mean ana@gmail.com?'}).hover();
    assert.equal(await painted(page, '.quiet', 'border-top-width'), '0px');
    await page.close();
  });

  test('in reduced motion, where nothing runs but a slow sign that something is being sent', async () => {
    const page = await openForm({reducedMotion: 'reduce'});
    await page.route('**/embed/v1/leads*', () => {});
    await answerAll(page);
    await page.getByRole('button', {name: 'See my estimate'}).click();
    await page.locator('lead-prequal-form .use[inert]').waitFor();
    // Transitions are left out: all they change is colours.
    const running = await page.evaluate(() =>
      document
        .querySelector('lead-prequal-form')!
        .shadowRoot!.getAnimations()
        .filter((animation) => animation instanceof CSSAnimation)
        .map(({animationName, effect}) => [animationName, effect!.getTiming().duration]),
    );
    assert.deepEqual(running, [['turn', 4000]]);
    await page.close();
  });
});
