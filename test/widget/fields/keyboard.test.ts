import {expect} from '@open-wc/testing';
import {sendKeys} from '@web/test-runner-commands';
import {FakeServer} from '../../support/browser/fake-server.ts';
import {
  button,
  choose,
  field,
  fillContact,
  focused,
  heading,
  open,
  shows,
} from '../../support/browser/visitor.ts';

const press = (key: string) => sendKeys({press: key});
/** How many keys besides characters the visitor has pressed. */
let controlKeys = 0;
const control = (key: string) => {
  controlKeys++;
  return press(key);
};
/** Types key by key, because WebKit's driver loses the second of two equal characters when it gets them at once. */
const type = async (text: string) => {
  for (const character of text) await press(character);
};

describe('the whole path by keyboard', () => {
  let server: FakeServer;
  beforeEach(() => (server = new FakeServer()));
  afterEach(() => server.restore());

  it('the keyboard is enough to get from the first field to the result and back', async () => {
    const form = await open();
    await press('Tab');
    expect(focused(form)).to.equal(field(form, 'First name'));
    await type('Maria');
    await press('Tab');
    await type('Ortiz');
    await press('Tab');
    await type('maria@example.com');
    await press('Tab');
    await type('4155550132');
    await press('Enter');
    await shows(form, 'Credit history');

    await press('Tab');
    await press(' ');
    await press('ArrowDown');
    expect(field(form, '680 to 720 Good').checked).to.be.true;
    await press('Enter');
    await shows(form, 'Your funds');

    await press('Tab');
    await type('$120k');
    await press('Tab');
    await type('50,000.00');
    await press('Tab');
    await type('none');
    await press('Tab');
    expect(field(form, 'Retirement funds').value).to.equal('120,000');
    expect(field(form, 'Investments').value).to.equal('0');
    expect(focused(form)?.textContent).to.contain('See my estimate');
    await press(' ');
    await shows(form, '$830,000');

    expect(server.leads[0]!.body.lead).to.deep.include({
      phone: '(415) 555-0132',
      credit_score: '680 - 720',
      retirement: 120_000,
      cash: 50_000,
      investments: 0,
    });
    await press('Tab');
    expect(focused(form)?.textContent).to.contain('Change my answers');
    await press(' ');
    await shows(form, 'Your funds');
    expect(heading(form)).to.equal('Step 3 of 3 Your funds');
  });

  it('the way to the result takes 14 keys besides the characters', async () => {
    controlKeys = 0;
    const form = await open();
    // Enter leads from field to field as Tab does, and from the last one to the next step: 5 keys.
    await control('Tab');
    await type('Maria');
    await control('Enter');
    await type('Ortiz');
    await control('Enter');
    await type('maria@example.com');
    await control('Enter');
    await type('4155550132');
    await control('Enter');
    await shows(form, 'Credit history');
    expect(focused(form)?.textContent, 'the step is announced').to.contain('Step 2 of 3');

    // Two choices and the next step: 5 keys.
    await control('Tab');
    await control(' ');
    await control('Tab');
    await control(' ');
    await control('Enter');
    await shows(form, 'Your funds');
    expect(focused(form)?.textContent, 'the step is announced').to.contain('Step 3 of 3');

    // Three amounts, and the last button: 4 keys.
    await control('Tab');
    await type('120k');
    await control('Enter');
    await type('50k');
    await control('Enter');
    await type('0');
    await control('Enter');
    await shows(form, '$830,000');
    expect(controlKeys).to.equal(14);
    expect(server.leads[0]!.body.lead).to.deep.include({
      credit_score: 'Above 720',
      bankruptcy: false,
      retirement: 120_000,
      cash: 50_000,
      investments: 0,
    });
  });

  it('Tab stops at 12 places on the way to the result, and at no button "None"', async () => {
    const form = await open();
    const stops: string[] = [];
    /** Goes on with Tab until the main button has the focus. */
    const tabToMain = async (step: string) => {
      await shows(form, step);
      do {
        await press('Tab');
        const stop = focused(form);
        stops.push((stop as HTMLInputElement).name || stop?.textContent.trim() || 'nothing');
      } while (!focused(form)?.matches('.main'));
    };
    await fillContact(form);
    field(form, 'First name').focus();
    stops.push('first_name');
    await tabToMain('Step 1 of 3');
    await press('Enter');
    await tabToMain('Step 2 of 3');
    await choose(form, 'Above 720 Excellent');
    button(form, 'Next').focus();
    await press('Enter');
    await tabToMain('Step 3 of 3');
    expect(stops).to.deep.equal([
      ...['first_name', 'last_name', 'email', 'phone', 'Next'],
      ...['credit_score', 'bankruptcy', 'Next'],
      ...['retirement', 'cash', 'investments', 'See my estimate'],
    ]);
  });

  it('the keyboard is enough to get from the error summary to a field', async () => {
    const form = await open();
    await press('Tab');
    for (let enters = 0; enters < 4; enters++) await press('Enter');
    await shows(form, 'Please check your answers');
    await press('Tab');
    await press('Enter');
    expect(focused(form)).to.equal(field(form, 'First name'));
    await type('Maria');
    expect(field(form, 'First name').value).to.equal('Maria');
  });
});
