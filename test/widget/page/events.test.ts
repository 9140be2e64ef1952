/** What a page hears of a press of the main button, and how it stops one. */
import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {hearConsole} from '../../support/browser/browser-page.ts';
import {config, problem, useServer} from '../../support/browser/fake-server.ts';
import {
  announced,
  button,
  click,
  errors,
  field,
  fill,
  fillAll,
  fillContact,
  fillFunds,
  focused,
  goTo,
  heading,
  listen,
  open,
  openFilled,
  openSent,
  reserved,
  send,
  shows,
  text,
} from '../../support/browser/visitor.ts';

const agree = 'I agree to be called.';

const server = useServer();
// The form writes there why a lead was refused.
hearConsole();

/** What the page hears of wrong answers from now on. */
function listenForErrors(form: LeadPrequalForm) {
  const heard: unknown[] = [];
  form.addEventListener('prequal-invalid', ({detail}) => heard.push(detail));
  return heard;
}

describe('prequal-invalid', () => {
  it('names the first of several wrong fields, once for each press of "Next"', async () => {
    const form = await open({order: 'contact-first'});
    const heard = listenForErrors(form);
    await fillContact(form);
    fill(form, 'Last name', '');
    fill(form, 'Email', 'maria at example');
    await click(form, 'Next');
    expect(heard).to.deep.equal([{field: 'last_name', code: 'required'}]);
    fill(form, 'Last name', 'Ortiz');
    await click(form, 'Next');
    expect(heard.slice(1)).to.deep.equal([{field: 'email', code: 'invalid'}]);
    fill(form, 'Email', 'maria@example.com');
    await click(form, 'Next');
    expect(heading(form)).to.contain('Credit history');
    expect(heard).to.have.length(2);
  });

  it('is not fired by an error of a field that the visitor leaves', async () => {
    const form = await open({order: 'contact-first'});
    const heard = listenForErrors(form);
    await fillContact(form);
    fill(form, 'Email', 'maria at example');
    field(form, 'Phone').focus();
    await shows(form, 'Enter an email address');
    expect(heard).to.deep.equal([]);
  });

  it('has the code of an amount that can be read in two ways, and nothing that was typed', async () => {
    const form = await open();
    await goTo(form, 'Cash');
    await fillFunds(form);
    const heard = listenForErrors(form);
    fill(form, 'Cash', '50-60k');
    await click(form, 'Next');
    expect(heard).to.deep.equal([{field: 'cash', code: 'range'}]);
  });

  it('names the consent if nothing else is missing', async () => {
    server.config = () => config({consent: {text: agree, version: '1', required: true}});
    const form = await openFilled({style: reserved});
    await shows(form, agree);
    const heard = listenForErrors(form);
    fill(form, 'Email', '');
    await click(form, 'See my estimate');
    fill(form, 'Email', 'maria@example.com');
    await click(form, 'See my estimate');
    expect(heard).to.deep.equal([
      {field: 'email', code: 'required'},
      {field: 'consent', code: 'required'},
    ]);
  });

  it('is fired by submit() too, for a field of an earlier step', async () => {
    const form = await open();
    const events = listen(form);
    await form.submit();
    expect(events).to.deep.equal([
      {type: 'prequal-invalid', detail: {field: 'credit_score', code: 'required'}},
    ]);
  });

  it('is not fired where the form asks about thousands, or the server refuses a field', async () => {
    server.reply(() =>
      problem(422, 'invalid-lead', {errors: [{field: 'cash', code: 'invalid', message: ''}]}),
    );
    const form = await open();
    await goTo(form, 'Cash');
    await fillFunds(form);
    const heard = listenForErrors(form);
    fill(form, 'Cash', '50');
    await click(form, 'Next');
    expect(text(form)).to.contain('$50,000');
    await click(form, 'Next');
    await fillContact(form);
    await send(form);
    expect(errors(form)).to.have.length(1);
    expect(heard).to.deep.equal([]);
  });
});

describe('prequal-submit that the page cancels', () => {
  it('leaves the form as it was, with the focus in its field, and sends nothing', async () => {
    const form = await openFilled();
    const email = field(form, 'Email');
    email.focus();
    form.addEventListener('prequal-submit', (event) => event.preventDefault(), {once: true});
    await form.submit();
    await form.updateComplete;
    expect(server.leads).to.deep.equal([]);
    expect(focused(form)).to.equal(email);
    expect(announced(form)).to.equal('');
    expect(button(form, 'See my estimate').getAttribute('aria-disabled')).to.equal('false');
    fill(form, 'Email', 'maria@example.org');
    await send(form);
    expect(server.leads.map(({body}) => body.lead['email'])).to.deep.equal(['maria@example.org']);
  });

  it('is fired again by each press, and sends at the first one that is not cancelled', async () => {
    const form = await openFilled();
    let presses = 0;
    form.addEventListener('prequal-submit', (event) => {
      presses++;
      if (presses < 3) event.preventDefault();
    });
    await click(form, 'See my estimate');
    await click(form, 'See my estimate');
    expect(server.leads).to.deep.equal([]);
    await send(form);
    expect(presses).to.equal(3);
    expect(server.leads).to.have.length(1);
  });

  it('leaves the notice of a failure and "Try again" where they are', async () => {
    server.reply(() => problem(503, 'store-unavailable'));
    const form = await openSent();
    form.addEventListener('prequal-submit', (event) => event.preventDefault(), {once: true});
    await click(form, 'Try again');
    expect(text(form)).to.contain('Something went wrong on our side');
    expect(server.leads).to.have.length(1);
    await send(form, 'Try again');
    expect(server.leads).to.have.length(2);
  });

  it('is the only event that can be cancelled', async () => {
    const cancelable: string[] = [];
    for (const name of ['ready', 'start', 'step', 'invalid', 'submit', 'result'] as const) {
      document.addEventListener(`prequal-${name}`, (event) => event.cancelable && cancelable.push(name), {
        once: true,
      });
    }
    const form = await open();
    await click(form, 'Next');
    await fillAll(form);
    await send(form);
    expect(cancelable).to.deep.equal(['submit']);
  });
});

describe('a listener of prequal-submit', () => {
  it('cancels the lead by reset(), also without preventDefault()', async () => {
    const form = await openFilled();
    form.addEventListener('prequal-submit', () => form.reset(), {once: true});
    await click(form, 'See my estimate');
    await shows(form, 'Step 1 of 3');
    expect(field(form, 'Above 720 Excellent').checked).to.equal(false);
    expect(server.leads).to.deep.equal([]);
  });

  it('sends one lead if it calls submit() itself', async () => {
    const form = await openFilled();
    let events = 0;
    form.addEventListener('prequal-submit', () => {
      events++;
      void form.submit();
    });
    await send(form);
    expect([events, server.leads.length]).to.deep.equal([1, 1]);
  });

  it('may cancel, and let the lead go with submit() once it has asked elsewhere', async () => {
    const form = await openFilled({layout: 'single'});
    let mayGo = false;
    form.addEventListener('prequal-submit', (event) => {
      if (mayGo) return;
      event.preventDefault();
      mayGo = true;
      setTimeout(() => void form.submit());
    });
    await send(form);
    expect(server.leads).to.have.length(1);
  });
});
