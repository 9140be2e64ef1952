import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {sendKeys} from '@web/test-runner-commands';
import {until} from '../../support/until.ts';
import {hearConsole} from '../../support/browser/browser-page.ts';
import {itExceptWebKit} from '../../support/browser/drivers.ts';
import {useServer} from '../../support/browser/fake-server.ts';
import {
  announced,
  button,
  choose,
  click,
  description,
  errors,
  field,
  fill,
  fillContact,
  fillContactSilently,
  focused,
  goOnTo,
  goTo,
  heading,
  link,
  listen,
  maybeButton,
  open,
  openFilled,
  shows,
  summary,
  text,
  touch,
} from '../../support/browser/visitor.ts';

/** Its first step has the most fields. */
const contactFirst = {order: 'contact-first'};

describe('the form', () => {
  const server = useServer();
  const said = hearConsole();

  it('starts with the credit score, without taking the focus or sending a request', async () => {
    const form = await open();
    expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
    expect(document.activeElement).to.equal(document.body);
    expect(announced(form)).to.equal('');
    expect([server.configRequests, server.readings.length]).to.deep.equal([0, 0]);
  });

  it('the fields have the autocomplete tokens that browsers need to fill them in', async () => {
    const form = await open({layout: 'single'});
    const fields = [
      ['First name', 'text', 'given-name', ''],
      ['Last name', 'text', 'family-name', ''],
      ['Email', 'text', 'email', 'email'],
      ['Phone', 'tel', 'tel', 'tel'],
      ['Retirement funds', 'text', 'off', 'numeric'],
      ['Cash', 'text', 'off', 'numeric'],
      ['Investments', 'text', 'off', 'numeric'],
    ] as const;
    for (const [label, type, autocomplete, inputMode] of fields) {
      const input = field(form, label);
      expect([label, input.type, input.autocomplete, input.inputMode]).to.deep.equal([
        label,
        type,
        autocomplete,
        inputMode,
      ]);
      expect(input.required, label).to.be.true;
      expect(input.maxLength, label).to.equal(-1);
    }
  });

  it('spelling knows what the fields are for', async () => {
    const form = await open({layout: 'single'});
    // The inputs inherit these from their form.
    const element = field(form, 'Email').form;
    const marks = ['autocapitalize', 'autocorrect', 'spellcheck'].map((name) => element?.getAttribute(name));
    expect(marks).to.deep.equal(['words', 'off', 'false']);
  });

  it('the slots are shown, but the intro is not shown with the result', async () => {
    const form = await open(
      {},
      '<h1 slot="heading">Funding</h1><p slot="intro">Two minutes.</p><p slot="disclaimer">Terms.</p>',
    );
    for (const child of form.children) expect(child.assignedSlot, child.slot).not.to.equal(null);
  });

  it('the first touch loads the configuration, and later ones do not load it again', async () => {
    const form = await open();
    field(form, 'Above 720 Excellent').focus();
    await choose(form, 'Above 720 Excellent');
    await touch(form);
    expect(server.configRequests).to.equal(1);
  });

  it('asks only for contact details if the configuration allows only standard leads', async () => {
    server.config = () => new Response(JSON.stringify({lead_types: ['standard'], minimums: {}}));
    const form = await open();
    await touch(form);
    await shows(form, 'Send');
    expect(heading(form)).to.equal('About you');
  });

  describe('errors', () => {
    it('an error appears when the field is left, and goes as soon as the value is right', async () => {
      const form = await open(contactFirst);
      await touch(form);
      fill(form, 'Email', 'maria');
      await form.updateComplete;
      expect(text(form)).not.to.contain('Enter an email');

      await goOnTo(form, 'Phone');
      const email = field(form, 'Email');
      expect(email.getAttribute('aria-invalid')).to.equal('true');
      expect(description(form, email)).to.equal('Enter an email address like name@example.com.');
      expect(announced(form)).to.equal('Enter an email address like name@example.com.');

      fill(form, 'Email', 'maria@example.com');
      await form.updateComplete;
      expect(email.getAttribute('aria-invalid')).to.equal('false');
      expect(text(form)).not.to.contain('Enter an email');
    });

    itExceptWebKit(
      'the way through empty fields by Tab raises no error, until the button is pressed',
      async () => {
        const form = await open({layout: 'single'});
        await touch(form);
        fill(form, 'First name', ' ');
        while (focused(form) !== button(form, 'See my estimate')) await sendKeys({press: 'Tab'});
        await form.updateComplete;
        await form.updateComplete;
        expect(errors(form)).to.deep.equal([]);
        expect(announced(form)).to.equal('');

        await click(form, 'See my estimate');
        expect(errors(form)).to.have.length(8);
      },
    );

    it('a field that was emptied shows an error after a press, and not when it is left', async () => {
      const form = await open(contactFirst);
      await touch(form);
      fill(form, 'First name', 'Maria');
      field(form, 'Last name').focus();
      fill(form, 'First name', '');
      await goOnTo(form, 'Last name');
      expect(errors(form)).to.deep.equal([]);

      await click(form, 'Next');
      field(form, 'First name').focus();
      await goOnTo(form, 'Last name');
      expect(description(form, field(form, 'First name'))).to.equal('Enter your first name.');
    });

    it('wait while a mouse button is down, so that no button moves away from the pointer', async () => {
      const form = await open(contactFirst);
      await touch(form);
      fill(form, 'Email', 'maria');
      const next = button(form, 'Next');
      next.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, composed: true}));
      field(form, 'Email').blur();
      await form.updateComplete;
      expect(text(form)).not.to.contain('Enter an email');

      next.dispatchEvent(new PointerEvent('pointerup', {bubbles: true, composed: true}));
      await shows(form, 'Enter an email');
    });

    it('Next shows a summary of the errors, with a link to each field', async () => {
      const form = await open(contactFirst);
      fill(form, 'First name', 'Maria');
      await click(form, 'Next');
      expect(heading(form)).to.equal('Step 1 of 3 About you');
      expect(summary(form)).to.deep.equal([
        'Enter your last name.',
        'Enter your email address.',
        'Enter your phone number.',
      ]);
      expect(focused(form)?.textContent).to.contain('Please check your answers');

      link(form, 'Enter your email address.')?.click();
      expect(focused(form)).to.equal(field(form, 'Email'));
      expect(location.hash).to.equal('');
    });

    it('the summary of errors stays as it is until Next is pressed again', async () => {
      const form = await open(contactFirst);
      await click(form, 'Next');
      await fillContact(form);
      expect(summary(form)).to.have.length(4);
      await click(form, 'Next');
      expect(summary(form)).to.have.length(0);
      expect(heading(form)).to.equal('Step 2 of 3 Credit history');
    });

    it('the error of a choice belongs to the whole group of radio buttons', async () => {
      const form = await open();
      await click(form, 'Next');
      const group = field(form, 'Above 720 Excellent').closest('fieldset') as HTMLElement;
      expect(group.getAttribute('aria-invalid')).to.equal('true');
      expect(description(form, group)).to.contain('Choose your credit score.');
      expect(focused(form)).to.equal(field(form, 'Above 720 Excellent'));
      await choose(form, '680 to 720 Good');
      expect(group.getAttribute('aria-invalid')).to.equal('false');
    });
  });

  describe('steps', () => {
    it('the fields keep their values when the visitor goes back and forth between steps', async () => {
      const form = await open(contactFirst);
      await fillContact(form);
      await click(form, 'Next');
      await choose(form, '620 to 679 Fair');
      await choose(form, 'Yes');
      await click(form, 'Back');
      expect(field(form, 'First name').value).to.equal('Maria');
      expect(field(form, 'Phone').value).to.equal('(415) 555-0132');
      await click(form, 'Next');
      expect(field(form, '620 to 679 Fair').checked).to.be.true;
      expect(field(form, 'Yes').checked).to.be.true;
    });

    it('Next accepts fields that a browser filled in without an event', async () => {
      const form = await open(contactFirst);
      fillContactSilently(form);
      field(form, 'Phone').value = '+1 (415) 555-0132';
      await click(form, 'Next');
      expect(heading(form)).to.equal('Step 2 of 3 Credit history');
      await click(form, 'Back');
      expect(field(form, 'Phone').value).to.equal('(415) 555-0132');
      expect(summary(form), 'of the step that is left').to.deep.equal([]);
    });

    it('layout="single" shows all fields on one page', async () => {
      const form = await open({layout: 'single'});
      for (const label of ['First name', 'Above 720 Excellent', 'Cash']) field(form, label);
      expect(maybeButton(form, 'Next')).to.equal(undefined);
      button(form, 'See my estimate');
      expect(text(form)).not.to.contain('Step');
    });

    it('the fields keep their values when the layout changes from steps to one page', async () => {
      const form = await open(contactFirst);
      await fillContact(form);
      await click(form, 'Next');
      form.layout = 'single';
      await form.updateComplete;
      expect(field(form, 'First name').value).to.equal('Maria');
      field(form, 'Cash');
    });
  });

  describe('amounts', () => {
    it('an empty amount is never sent as zero unless the visitor presses None', async () => {
      const form = await open({layout: 'single'});
      await click(form, 'See my estimate');
      expect(field(form, 'Cash').value).to.equal('');
      expect(summary(form)).to.include('Cash: enter an amount, or 0 if you have none.');

      await click(form, 'None for Cash');
      expect(field(form, 'Cash').value).to.equal('0');
      expect(field(form, 'Cash').getAttribute('aria-invalid')).to.equal('false');
      expect(announced(form)).to.equal('Cash: $0');
    });

    it('an empty amount shows no error when the focus moves on to its None button', async () => {
      const form = await open({layout: 'single'});
      field(form, 'Cash').focus();
      button(form, 'None for Cash').focus();
      await form.updateComplete;
      await form.updateComplete;
      expect(errors(form)).to.deep.equal([]);
    });
  });

  it('a choice is named by its question, and its error by a short name', async () => {
    const form = await open({layout: 'single'});
    await click(form, 'See my estimate');
    const legends = [...(form.shadowRoot?.querySelectorAll('legend') ?? [])].map(
      ({textContent}) => textContent,
    );
    expect(legends.map((legend) => legend.replace(/\s+/g, ' ').trim())).to.deep.equal([
      'What is your credit score?',
      'Have you ever filed for bankruptcy? (optional)',
    ]);
    expect(summary(form)).to.include('Choose your credit score. A guess is fine.');
    expect(description(form, field(form, 'Yes').closest('fieldset') as HTMLElement)).to.equal('');
  });

  it('links to the privacy page only if its URL is https or on the site of the page', async () => {
    const safe = await open({'privacy-href': 'https://example.com/privacy'});
    expect(link(safe, 'Privacy policy')?.href).to.equal('https://example.com/privacy');
    const relative = await open({'privacy-href': '/privacy'});
    expect(link(relative, 'Privacy policy')?.href).to.equal(`${location.origin}/privacy`);
    const unsafe = await open({'privacy-href': 'javascript:alert(1)'});
    expect(link(unsafe, 'Privacy policy')).to.equal(undefined);
    await touch(unsafe);
    await until(() => said.join().includes('privacy-href="javascript:alert(1)"'));
  });

  for (const [order, names] of Object.entries({
    'funds-first': ['credit', 'funds', 'contact'],
    'contact-first': ['contact', 'credit', 'funds'],
  })) {
    it(`events tell the page which step the visitor is on, and nothing that was typed: ${order}`, async () => {
      const events = listen();
      const form = await openFilled({order});
      await click(form, 'Back');
      expect(events).to.deep.equal([
        {type: 'prequal-ready', detail: null},
        {type: 'prequal-start', detail: null},
        {type: 'prequal-step', detail: {step: 2, of: 3, name: names[1]}},
        {type: 'prequal-step', detail: {step: 3, of: 3, name: names[2]}},
        {type: 'prequal-step', detail: {step: 2, of: 3, name: names[1]}},
      ]);
    });

    it(`says on its first screen that it does not affect the visitor's credit: ${order}`, async () => {
      const form = await open({order});
      expect(text(form)).to.contain('3 short steps. No credit check.');
    });
  }

  it('phones say what the key does that ends a field: the next field, the next step, or sending', async () => {
    const keysOf = (form: LeadPrequalForm) =>
      [...form.shadowRoot!.querySelectorAll('[enterkeyhint]')].map((input) =>
        input.getAttribute('enterkeyhint'),
      );
    const form = await open();
    await goTo(form, 'Cash');
    expect(keysOf(form)).to.deep.equal(['next', 'next', 'go']);
    await goTo(form, 'First name');
    expect(keysOf(form)).to.deep.equal(['next', 'next', 'next', 'send']);
    const other = await open(contactFirst);
    expect(keysOf(other)).to.deep.equal(['next', 'next', 'next', 'go']);
    await goTo(other, 'Cash');
    expect(keysOf(other)).to.deep.equal(['next', 'next', 'send']);
    const [last, ...others] = keysOf(await open({layout: 'single'})).reverse();
    expect([last, ...new Set(others)]).to.deep.equal(['send', 'next']);
  });

  it('the question of a step that consists of it is its title, and names the options', async () => {
    const form = await open();
    const group = form.shadowRoot!.querySelector<HTMLFieldSetElement>('fieldset')!;
    const legend = group.querySelector('legend')!;
    expect(group.firstElementChild).to.equal(legend);
    expect(legend.textContent).to.equal('What is your credit score?');
    expect(legend.checkVisibility(), 'for screen readers').to.equal(true);
    expect(legend.getBoundingClientRect().height, 'for nobody who sees the title').to.equal(1);
    expect(heading(form)).to.contain('What is your credit score?');
  });

  it('nothing that was typed is reflected to an attribute', async () => {
    const form = await open(contactFirst);
    const before = form.outerHTML;
    await fillContact(form);
    await click(form, 'Next');
    expect(form.outerHTML).to.equal(before);
    await click(form, 'Back');
    expect(form.shadowRoot?.innerHTML).not.to.contain('Maria');
  });

  it('reset() empties all fields and does not take the focus', async () => {
    const form = await open(contactFirst);
    await fillContact(form);
    await click(form, 'Next');
    await choose(form, 'Yes');
    (document.activeElement as HTMLElement).blur();
    form.reset();
    await form.updateComplete;
    expect(heading(form)).to.equal('Step 1 of 3 About you');
    expect(field(form, 'First name').value).to.equal('');
    expect(document.activeElement).to.equal(document.body);
    fill(form, 'Email', 'maria');
    form.reset();
    await form.updateComplete;
    expect(field(form, 'Email').value, 'on the step that is shown').to.equal('');
  });
});
