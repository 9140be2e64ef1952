import {expect, fixture, html, oneEvent} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {FakeServer, problem} from '../../support/browser/fake-server.ts';
import {fillStorage, forbidStorage, goTo, later, restorePage} from '../../support/browser/browser-page.ts';
import {
  choose,
  click,
  field,
  fill,
  fillAll,
  fillContact,
  heading,
  listen,
  open,
  send,
  touch,
  type Attributes,
} from '../../support/browser/visitor.ts';

const labels = ['First name', 'Last name', 'Email', 'Phone'];
const contact = (form: LeadPrequalForm) => labels.map((label) => field(form, label).value);
const typed = ['Maria', 'Ortiz', 'maria@example.com', '(415) 555-0132'];
const empty = ['', '', '', ''];
const minutes = 60_000;

let server: FakeServer;
beforeEach(() => {
  sessionStorage.clear();
  server = new FakeServer();
});
afterEach(() => {
  restorePage();
  server.restore();
});

/** Replaces the form by a new one, as a reload of the page does. */
async function reload(form: LeadPrequalForm, attributes: Attributes = {}) {
  form.remove();
  return open({draft: '', ...attributes});
}

const drafts = () => Object.keys(sessionStorage).filter((name) => name.includes('draft'));

describe('draft', () => {
  it('a draft brings the contact fields back after a reload, but no other field', async () => {
    const form = await open({draft: '', layout: 'single'});
    await fillContact(form);
    fill(form, 'Cash', '54,321');
    fill(form, 'Retirement funds', '98,765');
    await choose(form, 'Above 720 Excellent');
    await choose(form, 'Yes');
    // The time at which the draft was kept may have the digits of any figure.
    const kept = JSON.stringify(Object.entries(sessionStorage)).replace(/"at\\":\d+/, '');
    for (const never of ['54,321', '54321', '98,765', '98765', '720', 'credit', 'bankruptcy', 'true']) {
      expect(kept).not.to.contain(never);
    }

    const again = await reload(form, {layout: 'single'});
    expect(contact(again)).to.deep.equal(typed);
    expect(field(again, 'Cash').value).to.equal('');
    expect(field(again, 'Above 720 Excellent').checked).to.be.false;
    expect(field(again, 'Yes').checked).to.be.false;
  });

  it('a draft is in the fields at the first render, and sends no prequal-start event', async () => {
    await reload(await typedInto(await open({draft: ''})));
    const events = listen();
    const form = await open({draft: ''});
    expect(contact(form)).to.deep.equal(typed);
    expect(events.map(({type}) => type)).to.deep.equal(['prequal-ready']);
  });

  it('a draft holds the contact details that were typed last, whichever step the visitor is on', async () => {
    const form = await typedInto(await open({draft: ''}));
    fill(form, 'First name', 'Mariana');
    await click(form, 'Next');
    await choose(form, 'Above 720 Excellent');
    expect(contact(await reload(form))).to.deep.equal(['Mariana', ...typed.slice(1)]);
  });

  it('a draft holds what a browser filled in without an event, once the visitor presses Next', async () => {
    const form = await open({draft: ''});
    labels.forEach((label, index) => (field(form, label).value = typed[index]!));
    await click(form, 'Next');
    expect(contact(await reload(form))).to.deep.equal(typed);
  });

  it('a draft holds what a browser filled in without an event, once the visitor leaves the page', async () => {
    const form = await open({draft: ''});
    await touch(form);
    labels.forEach((label, index) => (field(form, label).value = typed[index]!));
    document.dispatchEvent(new Event('visibilitychange'));
    expect(sessionStorage.getItem(drafts()[0]!)).to.contain('maria@example.com');
    expect(contact(await reload(form))).to.deep.equal(typed);
  });

  it('a draft holds text that is not acceptable yet, and shows it without an error', async () => {
    const form = await open({draft: ''});
    await touch(form);
    const half = ['M', '', 'maria@', '(415) 5'];
    labels.forEach((label, index) => fill(form, label, half[index]!));
    const again = await reload(form);
    expect(contact(again)).to.deep.equal(half);
    expect(again.shadowRoot?.querySelector('[part=error]')).to.equal(null);
  });

  it('a draft holds nothing after the visitor has emptied all fields', async () => {
    const form = await typedInto(await open({draft: ''}));
    for (const label of labels) fill(form, label, '');
    expect(drafts()).to.deep.equal([]);
  });

  it('a draft is removed half an hour after the visitor has left the page', async () => {
    let form = await typedInto(await open({draft: ''}));
    later(31 * minutes);
    form.remove();
    later(29 * minutes);
    form = await open({draft: ''});
    expect(contact(form)).to.deep.equal(typed);
    form.remove();
    later(31 * minutes);
    expect(contact(await open({draft: ''}))).to.deep.equal(empty);
    // A slow browser shows the form before it has read the draft.
    await until(() => drafts().length === 0);
  });

  it('a draft is not shown in the form of another partner', async () => {
    const form = await typedInto(await open({draft: ''}));
    expect(contact(await reload(form, {partner: 'globex'}))).to.deep.equal(empty);
  });

  it('a draft stays while sending fails, and is removed once the lead is answered', async () => {
    server.reply(() => problem(503, 'store-unavailable'));
    const form = await open({draft: ''});
    await fillAll(form);
    await send(form);
    expect(drafts()).to.have.length(1);
    server.reply();
    await send(form, 'Try again');
    expect(drafts()).to.deep.equal([]);
  });

  it('a draft is removed by reset()', async () => {
    const form = await open({draft: ''});
    await fillAll(form);
    await send(form);
    await click(form, 'Change my answers');
    await click(form, 'Back');
    await click(form, 'Back');
    fill(form, 'First name', 'Mariana');
    expect(drafts()).to.have.length(1);
    form.reset();
    await form.updateComplete;
    expect(drafts()).to.deep.equal([]);
    expect(contact(await reload(form))).to.deep.equal(empty);
  });

  it('no draft is kept without the attribute draft', async () => {
    const form = await typedInto(await open());
    await click(form, 'Next');
    expect(drafts()).to.deep.equal([]);
  });

  for (const [what, stub] of [
    ['forbidden', forbidStorage],
    ['full', fillStorage],
  ] as const) {
    it(`a form with a draft can be sent where storage is ${what}`, async () => {
      stub();
      const form = await open({draft: '', partner: what});
      await fillAll(form);
      expect((await send(form)).type).to.equal('prequal-result');
    });
  }

  for (const broken of ['{', 'null', '5', '{"at":"x"}', '{"at":8e15,"first_name":5,"cash":"1"}']) {
    it(`a draft that another script replaced by ${broken} is ignored`, async () => {
      sessionStorage.setItem('lead-prequal-draft:acme', broken);
      expect(contact(await open({draft: ''}))).to.deep.equal(empty);
    });
  }
});

async function typedInto(form: LeadPrequalForm) {
  await fillContact(form);
  return form;
}

const known = {first_name: 'Ana', last_name: 'Silva', email: 'ana@example.com', phone: '4155550199'};
const shown = ['Ana', 'Silva', 'ana@example.com', '(415) 555-0199'];

async function openWith(prefill: unknown, attributes: Attributes = {}) {
  const form = document.createElement('lead-prequal-form');
  form.prefill = prefill as LeadPrequalForm['prefill'];
  for (const [name, value] of Object.entries({partner: 'acme', layout: 'single', ...attributes})) {
    form.setAttribute(name, value);
  }
  const ready = oneEvent(form, 'prequal-ready');
  await fixture(html`<main>${form}</main>`);
  await ready;
  return form;
}

describe('prefill', () => {
  it('fills in the contact fields, and reflects them to no attribute', async () => {
    const form = await openWith(known);
    expect(contact(form)).to.deep.equal(shown);
    expect(form.outerHTML + form.shadowRoot?.innerHTML).not.to.contain('ana@example.com');
    expect(drafts()).to.deep.equal([]);
  });

  it('ignores all fields but the contact fields', async () => {
    const form = await openWith({
      cash: '5',
      retirement: 5,
      credit_score: 'Above 720',
      bankruptcy: 'true',
      notes: 'x',
      first_name: 'Ana',
    });
    expect(field(form, 'Cash').value + field(form, 'Retirement funds').value).to.equal('');
    expect(field(form, 'Above 720 Excellent').checked).to.be.false;
    expect(field(form, 'Yes').checked).to.be.false;
    expect(contact(form)).to.deep.equal(['Ana', '', '', '']);
  });

  const bad: readonly (readonly [string, unknown])[] = [
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Ana'],
    ['other types', {first_name: 5, last_name: ['x'], email: {}, phone: 4155550132}],
    ['what no visitor could send', {first_name: 'A\0', last_name: 'x'.repeat(81), email: 'ana', phone: '12'}],
  ];
  for (const [what, prefill] of bad) {
    it(`fills in nothing from ${what}`, async () => {
      expect(contact(await openWith(prefill))).to.deep.equal(empty);
    });
  }

  it('that is set later fills in the fields too, until the visitor begins', async () => {
    const form = await open();
    form.prefill = known;
    await until(() => contact(form)[0] === 'Ana');
    expect(contact(form)).to.deep.equal(shown);

    fill(form, 'First name', '');
    form.prefill = {...known, last_name: 'Souza'};
    await form.updateComplete;
    expect(contact(form)).to.deep.equal(['', ...shown.slice(1)]);
  });

  it('never overwrites what the visitor typed', async () => {
    const form = await typedInto(await open());
    form.prefill = known;
    await form.updateComplete;
    expect(contact(form)).to.deep.equal(typed);
    await click(form, 'Next');
    form.prefill = {...known};
    await click(form, 'Back');
    expect(contact(form)).to.deep.equal(typed);
  });

  it('that is set before the element is defined is not lost', async () => {
    // The form has a copy of the class under another name, which is defined when the element is already on the page.
    const early = document.createElement('late-prequal-form') as LeadPrequalForm;
    early.prefill = known;
    await fixture(html`<main>${early}</main>`);
    customElements.define(
      'late-prequal-form',
      class extends (customElements.get('lead-prequal-form') as typeof LeadPrequalForm) {},
    );
    await oneEvent(early, 'prequal-ready');
    await until(() => contact(early)[0] === 'Ana');
    expect(contact(early)).to.deep.equal(shown);
  });

  it('prefilled fields are sent like typed ones', async () => {
    const form = await openWith(known, {'lead-type': 'standard', endpoint: 'https://leads.example.com'});
    await send(form, 'Send');
    expect(server.leads[0]?.body.lead).to.include({first_name: 'Ana', phone: '(415) 555-0199'});
  });
});

const address =
  '?first_name=Ana&last_name=Silva&email=ana%40example.com&phone=4155550199&cash=5&credit_score=Above+720';

describe('prefill-from-url', () => {
  it('fills in contact fields, but never amounts, and reflects nothing to attributes', async () => {
    goTo(address);
    const form = await open({'prefill-from-url': '', layout: 'single'});
    expect(contact(form)).to.deep.equal(shown);
    expect(field(form, 'Cash').value).to.equal('');
    expect(field(form, 'Above 720 Excellent').checked).to.be.false;
    expect(form.outerHTML + form.shadowRoot?.innerHTML).not.to.contain('ana@example.com');
  });

  it('ignores values that the server would refuse', async () => {
    goTo('?first_name=%00&last_name=&email=javascript:alert(1)&phone=<script>');
    expect(contact(await open({'prefill-from-url': ''}))).to.deep.equal(empty);
  });

  it("the page's URL fills in nothing without the attribute prefill-from-url", async () => {
    goTo(address);
    expect(contact(await open())).to.deep.equal(empty);
  });

  it("a form that was filled in from the page's URL sends no query parameter along", async () => {
    goTo(address);
    const form = await open({'prefill-from-url': '', 'lead-type': 'standard'});
    await send(form, 'Send');
    const {lead, ...besides} = server.leads[0]!.body;
    expect(lead).to.include({email: 'ana@example.com'});
    expect(JSON.stringify(besides)).not.to.contain('ana');
  });
});

describe('contact data from several sources', () => {
  it("a draft comes before the property prefill, and that before the page's URL", async () => {
    sessionStorage.setItem('lead-prequal-draft:acme', JSON.stringify({at: Date.now(), first_name: 'Typed'}));
    goTo('?first_name=Address&last_name=Address&email=address@example.com');
    const form = await openWith({first_name: 'Page', last_name: 'Page'}, {draft: '', 'prefill-from-url': ''});
    expect(contact(form)).to.deep.equal(['Typed', 'Page', 'address@example.com', '']);
  });

  it("a draft and prefill-from-url leave the page's history unchanged", async () => {
    const {length} = history;
    const before = location.href;
    const form = await open({draft: '', 'prefill-from-url': ''});
    await fillAll(form);
    await click(form, 'Back');
    await click(form, 'Back');
    expect(heading(form)).to.equal('Step 1 of 3 · about a minute About you');
    expect(contact(form)).to.deep.equal(typed);
    await click(form, 'Next');
    await click(form, 'Next');
    expect(field(form, 'Cash').value).to.equal('50,000');
    await send(form);
    expect([history.length, location.href]).to.deep.equal([length, before]);
  });
});
