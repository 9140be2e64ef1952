import {expect, fixture, html, oneEvent} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {drafts, keepDraft} from '../../support/browser/drafts.ts';
import {useServer} from '../../support/browser/fake-server.ts';
import {goTo} from '../../support/browser/browser-page.ts';
import {
  type Attributes,
  click,
  contactIn,
  field,
  fill,
  fillContact,
  heading,
  noContact,
  open,
  openFilled,
  send,
  typedContact,
} from '../../support/browser/visitor.ts';

/** The contact data is on its first screen. */
const contactFirst = {order: 'contact-first'};

const server = useServer();

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
    expect(contactIn(form)).to.deep.equal(shown);
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
    expect(contactIn(form)).to.deep.equal(['Ana', '', '', '']);
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
      expect(contactIn(await openWith(prefill))).to.deep.equal(noContact);
    });
  }

  it('that is set later fills in the fields too, until the visitor begins', async () => {
    const form = await open(contactFirst);
    form.prefill = known;
    await until(() => contactIn(form)[0] === 'Ana');
    expect(contactIn(form)).to.deep.equal(shown);

    fill(form, 'First name', '');
    form.prefill = {...known, last_name: 'Souza'};
    await form.updateComplete;
    expect(contactIn(form)).to.deep.equal(['', ...shown.slice(1)]);
  });

  it('never overwrites what the visitor typed', async () => {
    const form = await open(contactFirst);
    await fillContact(form);
    form.prefill = known;
    await form.updateComplete;
    expect(contactIn(form)).to.deep.equal(typedContact);
    await click(form, 'Next');
    form.prefill = {...known};
    await click(form, 'Back');
    expect(contactIn(form)).to.deep.equal(typedContact);
  });

  it('that is set before the element is defined is not lost', async () => {
    // The form has a copy of the class under another name, which is defined when the element is already on the page.
    const early = document.createElement('late-prequal-form') as LeadPrequalForm;
    early.prefill = known;
    early.setAttribute('order', 'contact-first');
    await fixture(html`<main>${early}</main>`);
    customElements.define(
      'late-prequal-form',
      class extends (customElements.get('lead-prequal-form') as typeof LeadPrequalForm) {},
    );
    await oneEvent(early, 'prequal-ready');
    await until(() => contactIn(early)[0] === 'Ana');
    expect(contactIn(early)).to.deep.equal(shown);
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
    expect(contactIn(form)).to.deep.equal(shown);
    expect(field(form, 'Cash').value).to.equal('');
    expect(field(form, 'Above 720 Excellent').checked).to.be.false;
    expect(form.outerHTML + form.shadowRoot?.innerHTML).not.to.contain('ana@example.com');
  });

  it('takes a plus that a link does not encode, of an e-mail address and a telephone number', async () => {
    goTo('?first_name=Ana+Maria&last_name=Silva&email=ana+bank+2@example.com&phone=+52+55%201234%205678');
    const form = await open({...contactFirst, 'prefill-from-url': ''});
    const phone = '+52 55 1234 5678';
    expect(contactIn(form)).to.deep.equal(['Ana Maria', 'Silva', 'ana+bank+2@example.com', phone]);
    for (const [email, read] of [
      ['ana%2Bbank@example.com', 'ana+bank@example.com'],
      ['Ana+Silva+<ana@example.com>+', 'ana@example.com'],
      ['+ana@example.com+', 'ana@example.com'],
    ]) {
      goTo(`?email=${email}&phone=+1+415%20555-0199`);
      const other = await open({...contactFirst, 'prefill-from-url': ''});
      expect(contactIn(other).slice(2)).to.deep.equal([read, shown[3]]);
    }
  });

  it('ignores values that the server would refuse', async () => {
    goTo('?first_name=%00&last_name=&email=javascript:alert(1)&phone=<script>');
    expect(contactIn(await open({...contactFirst, 'prefill-from-url': ''}))).to.deep.equal(noContact);
  });

  it("the page's URL fills in nothing without the attribute prefill-from-url", async () => {
    goTo(address);
    expect(contactIn(await open(contactFirst))).to.deep.equal(noContact);
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
    keepDraft({first_name: 'Typed'});
    goTo('?first_name=Address&last_name=Address&email=address@example.com');
    const form = await openWith({first_name: 'Page', last_name: 'Page'}, {draft: '', 'prefill-from-url': ''});
    expect(contactIn(form)).to.deep.equal(['Typed', 'Page', 'address@example.com', '']);
  });

  it("a draft and prefill-from-url leave the page's history unchanged", async () => {
    const {length} = history;
    const before = location.href;
    const form = await openFilled({...contactFirst, draft: '', 'prefill-from-url': ''});
    await click(form, 'Back');
    await click(form, 'Back');
    expect(heading(form)).to.equal('Step 1 of 3 About you');
    expect(contactIn(form)).to.deep.equal(typedContact);
    await click(form, 'Next');
    await click(form, 'Next');
    expect(field(form, 'Cash').value).to.equal('50,000');
    await send(form);
    expect([history.length, location.href]).to.deep.equal([length, before]);
  });
});
