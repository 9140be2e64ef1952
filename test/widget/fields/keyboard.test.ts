import {expect} from '@open-wc/testing';
import {sendKeys} from '@web/test-runner-commands';
import {orders, type Order} from '../../../form/pages.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {useServer} from '../../support/browser/fake-server.ts';
import {
  button,
  field,
  focused,
  heading,
  maybeButton,
  maybeField,
  open,
  openFilled,
  shows,
  touch,
} from '../../support/browser/visitor.ts';

/** How many keys besides characters the visitor has pressed. */
let controlKeys = 0;
const press = (key: string) => {
  controlKeys++;
  return sendKeys({press: key});
};
/** Types key by key, because WebKit's driver loses the second of two equal characters when it gets them at once. */
const type = async (text: string) => {
  for (const character of text) await sendKeys({press: character});
};

const steps = {
  contact: async () => {
    for (const [index, text] of ['Maria', 'Ortiz', 'maria@example.com', '4155550132'].entries()) {
      // Enter leads from field to field as Tab does.
      if (index > 0) await press('Enter');
      await type(text);
    }
    await press('Enter');
  },
  score: async (form: LeadPrequalForm) => {
    await press(' ');
    await touch(form);
    await press('ArrowDown');
  },
  amounts: async () => {
    for (const [index, text] of ['$120k', '50,000.00', 'none'].entries()) {
      if (index > 0) await press('Tab');
      await type(text);
    }
    await press('Enter');
  },
};

/** What the visitor does in each step, which begins with its title. The titles, and the keys of the whole way. */
const ways: Record<
  Order,
  readonly (readonly [title: string, act: (form: LeadPrequalForm) => Promise<void>])[]
> = {
  'funds-first': [
    [
      'What is your credit score?',
      async (form) => {
        await steps.score(form);
        await press('Tab');
        await press(' ');
        await press('Enter');
      },
    ],
    ['Your funds', steps.amounts],
    ['About you', steps.contact],
  ],
  'contact-first': [
    ['About you', steps.contact],
    [
      'Credit history',
      async (form) => {
        await steps.score(form);
        await press('Tab');
        await press(' ');
        await press('Enter');
      },
    ],
    ['Your funds', steps.amounts],
  ],
};

describe('keys and the shortcuts of the page', () => {
  useServer();
  const types = ['keydown', 'keypress', 'keyup', 'input'];
  let heard: string[] = [];
  /** A page that takes every key for a shortcut of its own. */
  const take = (event: Event) => {
    const {type, key} = event as KeyboardEvent;
    heard.push(key ? `${type} ${key}` : type);
    if (/^.$|Enter|Backspace/.test(key)) event.preventDefault();
  };
  beforeEach(() => {
    heard = [];
    for (const name of types) document.addEventListener(name, take);
  });
  afterEach(() => types.forEach((name) => document.removeEventListener(name, take)));

  it('what is typed stays in the form: the page gets no key of it, but its input events', async () => {
    const form = await open({layout: 'single'});
    await touch(form);
    field(form, 'First name').focus();
    await type('Rosa Isis/?');
    await press('Backspace');
    await press('Tab');
    expect(field(form, 'First name').value).to.equal('Rosa Isis/');
    expect(new Set(heard.filter((what) => !what.includes('Tab')))).to.deep.equal(new Set(['input']));
    heard = [];
    await press('Enter');
    expect(focused(form), 'Enter goes to the next empty field').to.equal(field(form, 'Email'));
    expect(heard).to.deep.equal([]);
  });

  it('Tab, Escape and combinations reach the page, and so do keys outside of the fields', async () => {
    const form = await open({layout: 'single'});
    await touch(form);
    field(form, 'First name').focus();
    await press('Escape');
    await press('Tab');
    expect(heard).to.include.members(['keydown Escape', 'keydown Tab']);
    const input = field(form, 'Last name');
    for (const init of [{key: 'k', ctrlKey: true}, {key: 'p', metaKey: true}, {key: 'Control'}])
      input.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true, composed: true, ...init}));
    expect(heard).to.include.members(['keyup k', 'keyup p', 'keyup Control']);
    button(form, 'See my estimate').focus();
    await press('s');
    expect(heard).to.include('keydown s');
  });
});

for (const order of orders) {
  describe(`the whole path by keyboard, ${order}`, () => {
    const server = useServer();

    it('takes 15 keys besides the characters, from the first field to the result', async () => {
      controlKeys = 0;
      const form = await open({order});
      for (const [index, [title, act]] of ways[order].entries()) {
        await shows(form, title);
        if (index > 0) expect(focused(form)?.textContent, 'the step is announced').to.contain(title);
        await press('Tab');
        await act(form);
      }
      await shows(form, '$830,000');
      expect(controlKeys).to.equal(15);
      expect(server.leads[0]!.body.lead).to.deep.include({
        phone: '(415) 555-0132',
        credit_score: '680 - 720',
        bankruptcy: false,
        retirement: 120_000,
        cash: 50_000,
        investments: 0,
      });
      // The line of an amount of zero opens at a press where there is little space.
      for (const stop of ['Portfolio loan', 'Change my answers']) {
        await press('Tab');
        expect(focused(form)?.textContent).to.contain(stop);
      }
      await press(' ');
      await shows(form, 'Your funds');
      expect(heading(form)).to.contain('Your funds');
    });

    it('Tab stops at 12 places on the way to the result, and at no amount to choose', async () => {
      const form = await openFilled({order});
      while (maybeButton(form, 'Back')) {
        button(form, 'Back').click();
        await form.updateComplete;
      }
      const stops: string[] = [];
      for (let page = 0; page < 3; page++) {
        focused(form)?.closest('h2')?.focus();
        do {
          await press('Tab');
          const stop = focused(form);
          stops.push((stop as HTMLInputElement).name || stop?.textContent.trim() || 'nothing');
        } while (!focused(form)?.matches('.main'));
        if (page < 2) await press('Enter');
        if (page < 2) await shows(form, `Step ${page + 2} of 3`);
      }
      const expected: Record<Order, string[][]> = {
        'funds-first': [
          ['credit_score', 'bankruptcy', 'Next'],
          ['retirement', 'cash', 'investments', 'Next'],
          ['first_name', 'last_name', 'email', 'phone', 'See my estimate'],
        ],
        'contact-first': [
          ['first_name', 'last_name', 'email', 'phone', 'Next'],
          ['credit_score', 'bankruptcy', 'Next'],
          ['retirement', 'cash', 'investments', 'See my estimate'],
        ],
      };
      expect(stops).to.deep.equal(expected[order].flat());
    });
  });
}

describe('the error summary', () => {
  useServer();

  const reachSummary = async (): Promise<LeadPrequalForm> => {
    const form = await open({order: 'contact-first'});
    await press('Tab');
    for (let enters = 0; enters < 4; enters++) await press('Enter');
    await shows(form, 'Please check your answers');
    return form;
  };

  it('leads to a field by the keyboard', async () => {
    const form = await reachSummary();
    await press('Tab');
    await press('Enter');
    expect(focused(form)).to.equal(field(form, 'First name'));
    await type('Maria');
    expect(maybeField(form, 'First name')?.value).to.equal('Maria');
  });
});
