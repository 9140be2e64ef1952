/** Tests what a form with `draft` brings back after an interruption: a new element on the same page stands for a reload. */
import {expect} from '@open-wc/testing';
import type {Order} from '../../../form/pages.ts';
import {until} from '../../support/until.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {later, stub} from '../../support/browser/browser-page.ts';
import {draftName, drafts, keepDraft, keptDraft} from '../../support/browser/drafts.ts';
import {config, problem, useServer} from '../../support/browser/fake-server.ts';
import {
  type Attributes,
  button,
  choose,
  chooseScore,
  click,
  contactIn,
  field,
  fill,
  fillAll,
  fillContact,
  fillContactSilently,
  fillFunds,
  goTo,
  heading,
  listen,
  maybeButton,
  noContact,
  open as openForm,
  reserved,
  send,
  shows,
  startOver,
  touch,
  typedContact,
} from '../../support/browser/visitor.ts';

const known = {first_name: 'Maria', last_name: 'Ortiz', email: 'maria@example.com', phone: '4155550132'};
const minutes = 60_000;

const open = (attributes: Attributes = {}) => openForm({draft: '', order: 'contact-first', ...attributes});

async function sent(attributes: Attributes = {}) {
  const form = await open(attributes);
  await fillAll(form);
  await send(form);
  return form;
}

/** Replaces the form by a new one, as a reload of the page does. */
async function reload(form: LeadPrequalForm, attributes: Attributes = {}) {
  form.remove();
  return open(attributes);
}

async function typedInto(form: LeadPrequalForm) {
  await fillContact(form);
  return form;
}

/** As the browser does before the visitor leaves the page. */
function hide() {
  stub(Document.prototype, 'visibilityState', {get: () => 'hidden'});
  document.dispatchEvent(new Event('visibilitychange'));
}
const errors = (form: LeadPrequalForm) => form.shadowRoot?.querySelectorAll('[part=error]').length;

const server = useServer();

describe('a draft', () => {
  it('a draft brings all answers back after a reload', async () => {
    const form = await open({layout: 'single'});
    await fillAll(form);
    await choose(form, 'Rather not say');
    const again = await reload(form, {layout: 'single'});
    expect(contactIn(again)).to.deep.equal(typedContact);
    expect(field(again, 'Above 720 Excellent').checked).to.be.true;
    expect(field(again, 'Rather not say').checked).to.be.true;
    const funds = ['Retirement funds', 'Cash', 'Investments'].map((label) => field(again, label).value);
    expect(funds).to.deep.equal(['120,000', '50,000', '0']);
  });

  const ways = {
    'contact-first': [
      ['About you', fillContact],
      ['Credit history', chooseScore],
      ['Your funds', fillFunds],
    ],
    'funds-first': [
      ['What is your credit score?', chooseScore],
      ['Your funds', fillFunds],
      ['About you', fillContact],
    ],
  } as const satisfies Record<Order, unknown>;
  for (const [order, steps] of Object.entries(ways)) {
    it(`a draft brings each step back, at the first render and without events of the visitor: ${order}`, async () => {
      let form = await open({order});
      for (const [title, fillIn] of steps) {
        expect(heading(form)).to.contain(title);
        await fillIn(form);
        const events = listen();
        form = await reload(form, {order});
        expect(heading(form)).to.contain(title);
        expect(events.map(({type}) => type)).to.deep.equal(['prequal-ready']);
        await touch(form);
        if (maybeButton(form, 'Next')) await click(form, 'Next');
      }
      await send(form);
      expect(server.leads[0]!.body.lead).to.include({
        first_name: 'Maria',
        credit_score: 'Above 720',
        cash: 50_000,
      });
    });
  }

  it('a draft of the other order comes back at the step of its name', async () => {
    const form = await open({order: 'funds-first'});
    await goTo(form, 'Cash');
    await fillFunds(form);
    const again = await reload(form, {order: 'contact-first'});
    expect(heading(again), 'the step before it lacks its answers').to.contain('About you');
    await fillContact(again);
    await touch(again);
    await click(again, 'Next');
    expect(field(again, 'Above 720 Excellent').checked).to.equal(true);
    await click(again, 'Next');
    expect(field(again, 'Cash').value).to.equal('50,000');
  });

  it('the last step of a draft shows the consent and its button without a touch, and no tick', async () => {
    server.config = () => config({consent: {text: 'I agree.', version: '1', required: true}});
    const form = await open({style: reserved});
    await fillAll(form);
    await shows(form, 'I agree.');
    field(form, 'I agree.').click();
    await form.updateComplete;
    // The end of the form is on the screen, where a text that arrives late would else wait for a touch.
    const again = await reload(form, {style: 'margin-block-start: -300px'});
    await shows(again, 'I agree.');
    expect(field(again, 'I agree.').checked).to.be.false;
    await until(() => getComputedStyle(button(again, 'See my estimate')).visibility === 'visible');
  });

  it('a draft holds what was typed last, whichever step the visitor is on', async () => {
    const form = await typedInto(await open());
    fill(form, 'First name', 'Mariana');
    await click(form, 'Next');
    await choose(form, 'Above 720 Excellent');
    await click(form, 'Back');
    const again = await reload(form);
    expect(contactIn(again)).to.deep.equal(['Mariana', ...typedContact.slice(1)]);
    await touch(again);
    await click(again, 'Next');
    expect(field(again, 'Above 720 Excellent').checked).to.be.true;
  });

  it('a draft holds what a browser filled in without an event, once the visitor presses Next', async () => {
    const form = await open();
    fillContactSilently(form);
    await click(form, 'Next');
    const again = await reload(form);
    expect(heading(again)).to.contain('Credit history');
    await click(again, 'Back');
    expect(contactIn(again)).to.deep.equal(typedContact);
  });

  it('a draft holds what a browser filled in without an event, once the visitor leaves the page', async () => {
    const form = await open();
    await touch(form);
    fillContactSilently(form);
    hide();
    expect(sessionStorage.getItem(draftName)).to.contain('maria@example.com');
    expect(contactIn(await reload(form))).to.deep.equal(typedContact);
  });

  it('a draft holds text that is not acceptable yet, and shows it without an error', async () => {
    const form = await open();
    const half = ['M', '', 'maria@', '(415) 5'];
    await fillContact(form, half);
    const again = await reload(form);
    expect(contactIn(again)).to.deep.equal(half);
    expect(errors(again)).to.equal(0);
  });

  it('a draft holds nothing after the visitor has emptied all fields', async () => {
    const form = await typedInto(await open());
    await fillContact(form, noContact);
    expect(drafts()).to.deep.equal([]);
  });

  it('a draft is removed half an hour after the visitor has left the page', async () => {
    let form = await typedInto(await open());
    later(31 * minutes);
    form.remove();
    later(29 * minutes);
    form = await open();
    expect(contactIn(form)).to.deep.equal(typedContact);
    form.remove();
    later(31 * minutes);
    expect(contactIn(await open())).to.deep.equal(noContact);
    expect(drafts()).to.deep.equal([]);
  });

  it('a draft is not shown in the form of another partner', async () => {
    const form = await typedInto(await open());
    expect(contactIn(await reload(form, {partner: 'globex'}))).to.deep.equal(noContact);
  });

  it('no draft is kept without the attribute draft', async () => {
    const form = await typedInto(await openForm({order: 'contact-first'}));
    await click(form, 'Next');
    expect(drafts()).to.deep.equal([]);
  });

  it('what the page has filled in is no draft until the visitor goes on', async () => {
    const form = await open();
    form.prefill = known;
    await until(() => contactIn(form)[0] === 'Maria');
    form.requestUpdate();
    await form.updateComplete;
    expect(drafts()).to.deep.equal([]);
    await click(form, 'Next');
    expect(drafts()).to.deep.equal([draftName]);
  });

  it('a form that was taken off the page does not replace a newer draft', async () => {
    const form = await typedInto(await open());
    form.remove();
    keepDraft({...known, first_name: 'Mariana'});
    form.requestUpdate();
    await form.updateComplete;
    expect(sessionStorage.getItem(draftName)).to.contain('Mariana');
  });

  it('a form in which nothing was typed neither replaces nor removes the draft of another one', async () => {
    const [used, unused] = [await open(), await open()];
    await touch(unused);
    await typedInto(used);
    unused.requestUpdate();
    await unused.updateComplete;
    hide();
    expect(sessionStorage.getItem(draftName)).to.contain('Maria');
    unused.remove();
    const [again, other] = [await reload(used), await open()];
    expect([contactIn(again), contactIn(other)]).to.deep.equal([typedContact, typedContact]);
    fill(again, 'First name', 'Mariana');
    hide();
    expect(sessionStorage.getItem(draftName)).to.contain('Mariana');
    other.remove();
    expect(sessionStorage.getItem(draftName)).to.contain('Mariana');
  });

  it('a form that the visitor does not use keeps nothing of its own step', async () => {
    keepDraft({...known, step: 'contact'});
    const [used] = [await open(), await open()];
    await click(used, 'Next');
    hide();
    expect(sessionStorage.getItem(draftName)).to.contain('"step":"credit"');
  });

  it('what a browser fills into a form that the visitor does not use replaces no draft', async () => {
    const [used, unused] = [await open(), await open()];
    await typedInto(used);
    field(unused, 'Email').value = 'maria@example.com';
    hide();
    expect(contactIn(await reload(used))).to.deep.equal(typedContact);
  });

  it('a draft that was only looked at is kept for half an hour after the visitor leaves', async () => {
    const form = await reload(await typedInto(await open()));
    later(31 * minutes);
    hide();
    form.remove();
    later(29 * minutes);
    expect(contactIn(await open())).to.deep.equal(typedContact);
  });

  it('a page that Back shows again has the answers that another page kept last', async () => {
    const form = await open();
    await fillAll(form);
    keepDraft({...known, credit_score: 'Below 620', cash: '60000', step: 'credit'});
    document.dispatchEvent(new Event('visibilitychange'));
    dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}));
    await form.updateComplete;
    expect(heading(form)).to.contain('Credit history');
    expect(field(form, 'Below 620 Building').checked).to.be.true;
    await click(form, 'Next');
    expect(field(form, 'Cash').value).to.equal('60,000');
  });
});

describe('a draft and the lead', () => {
  it('a draft stays while sending fails, and is removed once the lead is answered', async () => {
    server.reply(() => problem(503, 'store-unavailable'));
    const form = await sent();
    expect(drafts()).to.have.length(1);
    server.reply();
    await send(form, 'Try again');
    expect(drafts()).to.deep.equal([]);
  });

  it('a lead that was being sent is sent once if the visitor sends it again after a reload', async () => {
    server.delayReply();
    const form = await open();
    await fillAll(form);
    button(form, 'See my estimate').click();
    await until(() => server.leads.length === 1);
    server.reply();
    await send(await reload(form));
    expect(server.leads[1]!.key).to.equal(server.leads[0]!.key);
    expect(server.leads[1]!.body.lead).to.deep.equal(server.leads[0]!.body.lead);
  });

  it('nothing of an answered lead is kept before the visitor changes it', async () => {
    const form = await sent();
    await click(form, 'Change my answers');
    expect(drafts()).to.deep.equal([]);
    await shows(await reload(form), '$830,000');
  });

  it('answers that the visitor was changing come back, and replace the lead when they are sent', async () => {
    const form = await sent();
    await click(form, 'Change my answers');
    fill(form, 'Cash', '60,000');
    const again = await reload(form);
    expect(heading(again)).to.contain('Your funds');
    expect(field(again, 'Cash').value).to.equal('60,000');
    await send(again);
    expect(server.readings).to.have.length(0);
    expect(server.leads[1]!.body.supersedes).not.to.equal(undefined);
    expect(drafts()).to.deep.equal([]);
  });

  it('nothing of an answered lead is kept by another form that has the same draft', async () => {
    const form = await open({layout: 'single'});
    await fillAll(form);
    const again = await reload(form, {layout: 'single'});
    const other = await open({layout: 'single'});
    await send(again);
    hide();
    other.remove();
    expect(drafts()).to.deep.equal([]);
  });

  it('a draft is removed if it is sent together with known contact data', async () => {
    const form = await open({layout: 'single'});
    await fillAll(form);
    form.remove();
    keepDraft({...keptDraft(), email: ''});
    const again = document.createElement('lead-prequal-form');
    Object.assign(again, {
      partner: 'acme',
      endpoint: form.endpoint,
      draft: true,
      layout: 'single',
      prefill: known,
    });
    document.body.append(again);
    await until(() => maybeButton(again, 'See my estimate') !== undefined);
    await again.submit();
    await until(() => server.leads.length === 1);
    await shows(again, '$830,000');
    await again.updateComplete;
    expect(drafts()).to.deep.equal([]);
    again.remove();
  });

  it('Start over removes the draft, and the form begins at the first step', async () => {
    const form = await sent();
    await startOver(form);
    expect(drafts()).to.deep.equal([]);
    expect(contactIn(await reload(form))).to.deep.equal(noContact);
  });

  it('a draft is removed by reset()', async () => {
    const form = await open();
    await fillAll(form);
    expect(drafts()).to.have.length(1);
    form.reset();
    await form.updateComplete;
    expect(drafts()).to.deep.equal([]);
    expect(contactIn(await reload(form))).to.deep.equal(noContact);
  });
});

describe('a draft that cannot be trusted', () => {
  for (const broken of [
    '{',
    'null',
    '5',
    '[]',
    '"text"',
    '{"at":"x","first_name":"Eve"}',
    '{"at":8e15,"first_name":"Eve"}',
    '{"first_name":"Eve"}',
  ]) {
    it(`a draft that another script replaced by ${broken} is ignored`, async () => {
      sessionStorage.setItem(draftName, broken);
      expect(contactIn(await open())).to.deep.equal(noContact);
    });
  }

  it('values of a draft that no visitor can have typed or chosen are ignored', async () => {
    keepDraft({
      first_name: 'a'.repeat(1_001),
      last_name: 5,
      email: ['a@example.com'],
      phone: '415\n555 0132',
      credit_score: 'Best',
      bankruptcy: 'maybe',
      cash: {toString: 'x'},
      website: 'bot',
      consent: '1',
      __proto__: {retirement: '5'},
      step: {},
    });
    const form = await open({layout: 'single'});
    expect(contactIn(form)).to.deep.equal(noContact);
    await fillAll(form);
    await send(form);
    const {body} = server.leads[0]!;
    expect(body.lead).not.to.have.property('bankruptcy');
    expect(body.trap).to.equal(undefined);
  });

  for (const [what, draft, title] of [
    ['the step is missing, as in a draft of an earlier version', known, 'About you'],
    ['the step has no such name', {...known, step: 'constructor'}, 'About you'],
    ['an answer before the step is missing', {...known, phone: '', step: 'funds'}, 'About you'],
    ['an answer before the step is wrong', {...known, credit_score: 'Best', step: 'funds'}, 'Credit history'],
    ['the step has answers that are missing', {...known, step: 'credit'}, 'Credit history'],
  ] as const) {
    it(`a form begins at "${title}" if ${what}`, async () => {
      keepDraft(draft);
      const form = await open();
      expect(heading(form)).to.contain(title);
      expect(errors(form)).to.equal(0);
    });
  }
});
