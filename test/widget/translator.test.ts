/** The form in a page that the browser translates: each text is replaced, and what changes afterwards is still shown. */
import {expect} from '@open-wc/testing';
import {defaultPolicy, figuresOf} from '../../calculator/policy.ts';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {hearClipboard, stub} from '../support/browser/browser-page.ts';
import {Clock} from '../support/browser/clock.ts';
import {answer, config, created, json, problem, useServer} from '../support/browser/fake-server.ts';
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
  goTo,
  heading,
  maybeButton,
  open,
  reserved,
  send,
  shows,
  showsConfigured,
  summary,
  text,
  type Attributes,
} from '../support/browser/visitor.ts';
import {until} from '../support/until.ts';

/** Puts elements with the same words in the place of each text, as the translators of browsers do. */
function translate(root: ShadowRoot) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const original of texts) {
    if (!original.data.trim() || original.parentElement?.closest('font')) continue;
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    inner.textContent = original.data;
    outer.append(inner);
    original.replaceWith(outer);
  }
}

async function openTranslated(attributes: Attributes = {}): Promise<LeadPrequalForm> {
  const form = await open({style: reserved, ...attributes});
  const root = form.shadowRoot!;
  translate(root);
  new MutationObserver(() => translate(root)).observe(root, {childList: true, subtree: true});
  return form;
}

describe('a form whose texts a translator has replaced', () => {
  const server = useServer();

  it('says what its buttons do, and announces what happens', async () => {
    const form = await openTranslated();
    await goTo(form, 'Cash');
    expect(heading(form)).to.equal('Step 2 of 3 Your funds');
    await fillFunds(form);
    await click(form, 'Next');
    expect(heading(form)).to.equal('Step 3 of 3 About you');
    await fillContact(form);
    const release = server.delayReply(() => problem(500, 'internal'));
    button(form, 'See my estimate').click();
    await until(() => maybeButton(form, 'Sending…') !== undefined && announced(form) === 'Sending…');
    release();
    await shows(form, 'Something went wrong on our side');
    button(form, 'Try again');
    expect(announced(form)).to.equal('');
  });

  it('says what the data is used for on the step that is shown', async () => {
    const form = await openTranslated({order: 'contact-first'});
    const credit = 'This does not affect your credit.';
    await shows(form, '3 short steps. No credit check. We use your details to contact you.');
    await goTo(form, 'Yes');
    expect(text(form)).to.contain(credit).and.not.contain('3 short steps');
  });

  it('says what is wrong now, and what is asked now', async () => {
    const form = await openTranslated({'lead-type': 'standard'});
    await fillContact(form);
    fill(form, 'Phone', '');
    fill(form, 'Email', '');
    await click(form, 'Send');
    const required = ['Enter your email address.', 'Enter your phone number.'];
    expect([errors(form), summary(form)]).to.deep.equal([required, required]);
    fill(form, 'Phone', '12');
    fill(form, 'Email', 'ana@gmial');
    await click(form, 'Send');
    const [email, phone] = errors(form);
    expect(email).to.contain('Enter an email address like');
    expect(phone).to.contain('Enter a US number like');
    expect(summary(form)).to.deep.equal([email, phone]);
    button(form, 'Did you mean ana@gmail.com?');
    fill(form, 'Email', 'ana@hotmial.com');
    field(form, 'Phone').focus();
    await shows(form, 'Did you mean ana@hotmail.com?');
  });

  it('shows the total so far', async () => {
    server.config = () => config({estimate: figuresOf(defaultPolicy)});
    const form = await openTranslated();
    await goTo(form, 'Cash');
    await shows(form, 'So far: about $150,000');
    await shows(form, 'if you never filed for bankruptcy');
    fill(form, 'Retirement funds', '120,000');
    await shows(form, 'So far: about $750,000');
  });

  it('shows the consent text that has come in the place of another', async () => {
    const consent = (text: string, version: string, required: boolean) =>
      config({consent: {text, version, required, lang: 'en'}});
    for (const required of [true, false]) {
      server.config = () => consent('Old [terms](https://example.com/old) and more.', '1', required);
      const form = await openTranslated();
      await fillAll(form);
      await showsConfigured(form, 'Old terms and more.');
      server.config = () => consent('New [rules](https://example.com/new) and others.', '2', required);
      server.reply(() => problem(422, 'consent-outdated'));
      if (required) field(form, 'Old terms and more.').click();
      await send(form);
      await shows(form, 'New rules and others.');
    }
  });

  const pending = {status: 'pending', prequalification: null, reasons: {}} as const;
  for (const [title, sentence, result] of [
    ['Maria, you may qualify for up to $830,000', 'We will contact you about this estimate', answer()],
    ['We have your answers, Maria', 'too long to wait for', undefined],
    ['We could not prepare an estimate, Maria', 'not accepted', answer({...pending, status: 'refused'})],
  ] as const) {
    it(`shows what became of a pending result: ${title}`, async () => {
      stub(Document.prototype, 'hidden', {get: () => false});
      server.reply(() => created(pending));
      server.result = () => (result ? json(200, result) : problem(404, 'not-found'));
      const clock = new Clock();
      const form = await openTranslated();
      await fillAll(form);
      await send(form);
      expect(heading(form)).to.equal('We have your answers, Maria');
      await clock.pass(2_000);
      await shows(form, sentence);
      expect(heading(form)).to.equal(title);
      expect(text(form)).to.not.contain('They will appear here');
    });
  }

  it('says what the buttons below the result do', async () => {
    hearClipboard();
    const form = await openTranslated();
    await fillAll(form);
    await send(form);
    await click(form, 'Copy');
    await until(() => maybeButton(form, 'Copied') !== undefined);
    await click(form, 'Start over');
    await click(form, 'Erase this result');
    expect(heading(form)).to.contain('What is your credit score?');
  });
});
