/** Tests what the form does before its later file `rest` has arrived, and if it does not arrive. */
import {aTimeout, expect, fixture, html, oneEvent} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {until} from '../../support/until.ts';
import {Clock} from '../../support/browser/clock.ts';
import {hold, lose} from '../../support/browser/lost-files.ts';
import {endpoint, FakeServer} from '../../support/browser/fake-server.ts';
import {
  announced,
  button,
  choose,
  click,
  field,
  errors,
  fillAll,
  focused,
  goTo,
  link,
  listen,
  maybeButton,
  maybeField,
  open,
  place,
  send,
  shows,
  summary,
  text,
  touch,
} from '../../support/browser/visitor.ts';

describe('before the rest of the form has arrived', () => {
  let server: FakeServer;
  let restore: () => void;
  beforeEach(() => {
    server = new FakeServer();
    restore = () => {};
  });
  afterEach(() => {
    restore();
    server.restore();
  });

  const score = 'Above 720 Excellent';
  const isChosen = (form: LeadPrequalForm, label = score) => field(form, label).checked;

  it('a score stays chosen, in the same input with the focus, when the file arrives', async () => {
    const form = await open();
    const events = listen(form);
    const input = field(form, score);
    input.focus();
    await choose(form, score);
    await touch(form);
    await form.updateComplete;
    expect(field(form, score), 'the same input').to.equal(input);
    expect(isChosen(form)).to.equal(true);
    expect(focused(form)).to.equal(input);
    expect(events.map(({type}) => type)).to.deep.equal(['prequal-start']);
    await fillAll(form);
    await send(form);
    expect(server.leads[0]!.body.lead['credit_score']).to.equal('Above 720');
  });

  it('a score that was chosen again on the way is the one that counts', async () => {
    const form = await open();
    await choose(form, score);
    await choose(form, 'Below 620 Building');
    await click(form, 'Next');
    await shows(form, 'Step 2 of 3');
    await click(form, 'Back');
    expect([isChosen(form), isChosen(form, 'Below 620 Building')]).to.deep.equal([false, true]);
  });

  it('the main button says that the form waits for the file, and then shows the next step once', async () => {
    const form = await open();
    const events = listen(form);
    await choose(form, score);
    const main = button(form, 'Next');
    main.click();
    main.click();
    await form.updateComplete;
    expect(main.textContent.trim()).to.equal('One moment…');
    expect(main.getAttribute('aria-disabled')).to.equal('true');
    expect(announced(form)).to.equal('One moment…');
    await shows(form, 'Step 2 of 3');
    expect(announced(form)).to.equal('');
    expect(events.map(({type}) => type)).to.deep.equal(['prequal-start', 'prequal-step']);
  });

  it('a visitor who chooses another score no longer waits, and sees no error later', async () => {
    restore = hold('rest');
    const form = await open();
    button(form, 'Next').click();
    await form.updateComplete;
    button(form, 'One moment…');
    await choose(form, '680 to 720 Good');
    expect(button(form, 'Next').getAttribute('aria-disabled')).to.equal('false');
    const started = oneEvent(form, 'prequal-start');
    restore();
    await started;
    await form.updateComplete;
    expect(errors(form)).to.have.length(0);
    expect(focused(form)).to.equal(null);
    expect(isChosen(form, '680 to 720 Good')).to.equal(true);
    expect(text(form)).to.contain('Step 1 of 3');
  });

  it('a waiting visitor sees a notice if no file arrives, and the button loads it again', async () => {
    restore = lose('rest');
    const form = await open();
    await choose(form, score);
    expect(text(form), 'to a visitor who only chooses').not.to.contain('We could not load');

    const {type, detail} = await send(form, 'Next');
    expect([type, detail]).to.deep.equal(['prequal-error', {code: 'load-failed', retryable: true}]);
    expect(focused(form)?.textContent).to.contain('We could not load all of the form');
    const notice = getComputedStyle(focused(form)!);
    expect(
      [notice.display, notice.borderTopStyle, notice.borderTopWidth, notice.paddingTop],
      'the notice is a box, although the styles of a touched form are in the missing file',
    ).to.deep.equal(['flex', 'solid', '2px', '14px']);
    expect(announced(form)).to.equal('');
    expect(isChosen(form)).to.equal(true);

    await send(form, 'Try again');
    expect(text(form)).to.contain('We could not load all of the form');
    restore();
    await click(form, 'Try again');
    expect(text(form)).not.to.contain('We could not load');
    await shows(form, 'Step 2 of 3');
    await fillAll(form);
    expect((await send(form)).type).to.equal('prequal-result');
  });

  it('a visitor who waits ten seconds sees a notice, whose "Try again" goes on with the file', async () => {
    const clock = new Clock();
    restore = hold('rest');
    const form = await open();
    button(form, 'Next').click();
    await clock.pass(9_000);
    expect(text(form)).not.to.contain('We could not load');
    await clock.pass(1_000);
    clock.restore();
    await shows(form, 'We could not load all of the form');
    restore();
    await click(form, 'Try again');
    expect(errors(form)).to.deep.equal(['Choose your credit score. A guess is fine.']);
    expect(text(form)).not.to.contain('We could not load');
  });

  it('reset() empties the choice before the file has arrived', async () => {
    const form = await open();
    await choose(form, score);
    form.reset();
    expect(isChosen(form)).to.equal(false);
    await touch(form);
    expect(isChosen(form)).to.equal(false);
  });

  it('reset() also takes back what the visitor waits for', async () => {
    const form = await open();
    const events = listen(form);
    await choose(form, score);
    button(form, 'Next').click();
    const submitted = form.submit();
    await form.updateComplete;
    form.reset();
    await form.updateComplete;
    expect(announced(form)).to.equal('');
    expect(button(form, 'Next').getAttribute('aria-disabled')).to.equal('false');
    await submitted;
    await touch(form);
    await form.updateComplete;
    expect(errors(form)).to.have.length(0);
    expect(events).to.have.length(0);
  });

  it('reset() takes back the notice of a file that did not arrive', async () => {
    restore = lose('rest');
    const form = await open();
    await send(form, 'Next');
    form.reset();
    await form.updateComplete;
    expect(text(form)).not.to.contain('We could not load');
    expect(maybeButton(form, 'Next')).not.to.equal(undefined);
  });

  it('reset() removes a draft even if the file does not arrive', async () => {
    const draft = 'lead-prequal-draft:acme';
    sessionStorage.setItem(draft, JSON.stringify({at: Date.now(), first_name: 'Maria'}));
    restore = lose('rest');
    const form = await place({draft: ''});
    await shows(form, 'We could not load');
    form.reset();
    expect(sessionStorage.getItem(draft)).to.equal(null);
  });

  it('what is chosen counts as chosen even if the file arrives only at a later attempt', async () => {
    restore = lose('rest');
    const form = await open();
    const events = listen(form);
    await choose(form, score);
    await send(form, 'Next');
    restore();
    await click(form, 'Try again');
    await shows(form, 'Step 2 of 3');
    const fired = events.map(({type}) => type);
    expect(fired).to.deep.equal(['prequal-error', 'prequal-start', 'prequal-step']);
  });

  it('contact data that the page knows needs no file before the first touch', async () => {
    restore = hold('rest');
    const form = document.createElement('lead-prequal-form');
    form.endpoint = endpoint;
    form.prefill = {first_name: 'Ana', last_name: 'Silva'};
    const ready = oneEvent(form, 'prequal-ready');
    await fixture(html`<main>${form}</main>`);
    await ready;
    expect(isChosen(form)).to.equal(false);
    restore();
    await goTo(form, 'First name');
    expect(field(form, 'First name').value).to.equal('Ana');
    expect(field(form, 'Last name').value).to.equal('Silva');
  });

  it('the time that the visitor took counts from the first touch, not from the file', async () => {
    restore = lose('rest');
    const form = await open();
    await choose(form, score);
    const touched = performance.now();
    await send(form, 'Next');
    const waited = performance.now() - touched;
    restore();
    await click(form, 'Try again');
    await fillAll(form);
    expect((await send(form)).type).to.equal('prequal-result');
    expect(server.leads[0]!.body.elapsed_ms).to.be.at.least(Math.floor(waited));
  });

  it('submit() loads the file and then checks all fields', async () => {
    const form = await open();
    await form.submit();
    await form.updateComplete;
    expect(errors(form)).to.have.length(1);
    expect(server.leads).to.have.length(0);
  });
});

describe('a first screen that needs the rest of the form', () => {
  let server: FakeServer;
  let restore = () => {};
  beforeEach(() => (server = new FakeServer()));
  afterEach(() => {
    restore();
    sessionStorage.clear();
    server.restore();
  });

  const cases = {
    'layout="single"': {layout: 'single'},
    'presentation="dialog"': {presentation: 'dialog'},
    'order="contact-first"': {order: 'contact-first'},
    'a standard lead': {'lead-type': 'standard'},
    'a draft': {draft: ''},
  };
  const keepDraft = () =>
    sessionStorage.setItem(
      'lead-prequal-draft:acme',
      JSON.stringify({at: Date.now(), credit_score: 'Above 720'}),
    );
  const hasFields = (form: LeadPrequalForm) =>
    maybeField(form, 'First name') !== undefined || maybeField(form, 'Above 720 Excellent') !== undefined;
  const actions = (form: LeadPrequalForm) =>
    [...form.shadowRoot!.querySelectorAll('input, form, .actions')].map(({localName}) => localName);

  for (const [name, attributes] of Object.entries(cases)) {
    it(`shows nothing until the file has arrived: ${name}`, async () => {
      keepDraft();
      restore = hold('rest');
      const form = await place(attributes, 'Loading');
      await aTimeout(50);
      expect(form.shadowRoot!.textContent).to.equal('');
      expect(form.shadowRoot!.querySelector('slot')!.assignedNodes(), 'its own children stay').to.have.length(
        1,
      );
      const ready = oneEvent(form, 'prequal-ready');
      restore();
      await ready;
      expect(hasFields(form)).to.equal(true);
    });

    it(`offers the apply page and another try if the file does not arrive: ${name}`, async () => {
      keepDraft();
      restore = lose('rest');
      const failed = oneEvent(document, 'prequal-error');
      const form = await place(attributes, 'Loading');
      expect((await failed).detail).to.deep.equal({code: 'load-failed', retryable: true});
      await shows(form, 'We could not load all of the form');
      expect(actions(form), 'no field, and the button').to.deep.equal(['div']);
      const {href, target} = link(form, 'Open the form on its own page')!;
      expect([href, target]).to.deep.equal([`${endpoint}/apply/acme?lang=en`, '_blank']);
      await expect(form).to.be.accessible();

      const events = listen(form);
      await click(form, 'Try again');
      await until(() => focused(form)?.matches('.alert') === true);
      expect(events.map(({type}) => type)).to.deep.equal(['prequal-error']);

      restore();
      await click(form, 'Try again');
      await until(() => hasFields(form));
      expect(events.map(({type}) => type).slice(1)).to.deep.equal(['prequal-ready']);
      expect(text(form)).not.to.contain('We could not load');
      await until(() => focused(form)?.localName === 'h2');
    });
  }

  it('is a notice after ten seconds, whose "Try again" shows the form with its draft', async () => {
    keepDraft();
    const clock = new Clock();
    restore = hold('rest');
    const form = await place({layout: 'single', draft: ''});
    await clock.pass(10_000);
    clock.restore();
    await shows(form, 'We could not load all of the form');
    restore();
    await click(form, 'Try again');
    await until(() => maybeField(form, 'Cash') !== undefined);
    expect(field(form, 'Above 720 Excellent').checked).to.equal(true);
    await until(() => focused(form)?.localName === 'h2');
  });

  it('the notice that the rest of the form did not arrive is in the language of the page', async () => {
    restore = lose('rest');
    const form = await place({layout: 'single', lang: 'es'});
    await shows(form, 'No pudimos cargar todo el formulario');
    expect(link(form, 'Abrir el formulario en una página aparte')!.search).to.equal('?lang=es');
    button(form, 'Intentar de nuevo');
  });

  for (const [name, attributes] of Object.entries(cases)) {
    it(`loads the file when the connection is back, and does not move the focus: ${name}`, async () => {
      keepDraft();
      restore = lose('rest');
      const form = await place(attributes);
      await shows(form, 'We could not load all of the form');
      const other = document.body.appendChild(document.createElement('input'));
      other.focus();
      restore();
      const before = listen(form);
      window.dispatchEvent(new Event('online'));
      await until(() => !text(form).includes('We could not load') && hasFields(form));
      await form.updateComplete;
      expect(document.activeElement).to.equal(other);
      expect(form.shadowRoot!.querySelector('dialog')?.open ?? false, 'an open dialog').to.be.false;
      expect(before.map(({type}) => type)).not.to.contain('prequal-error');
      other.remove();
    });
  }

  it('says nothing of a file on its way, also if prefill was set after the first render', async () => {
    keepDraft();
    const release = hold('rest');
    const form = document.createElement('lead-prequal-form');
    form.endpoint = endpoint;
    const seen: string[] = [];
    const observer = new MutationObserver(() => seen.push(text(form)));
    await fixture(html`<main>${form}</main>`);
    observer.observe(form.shadowRoot!, {childList: true, subtree: true, characterData: true});
    await form.updateComplete;
    form.layout = 'single';
    form.prefill = {first_name: 'Ana'};
    await form.updateComplete;
    await aTimeout(50);
    release();
    await until(() => maybeField(form, 'Cash') !== undefined);
    expect(seen.join()).not.to.contain('We could not load');
    expect(field(form, 'First name').value).to.equal('Ana');
    observer.disconnect();
  });

  it('a form with layout="single" that the page hides becomes ready', async () => {
    await open({layout: 'single', style: 'display: none'});
  });

  it('a sample whose rest did not arrive has no link to the apply page', async () => {
    restore = lose('rest');
    const form = await place({layout: 'single', sandbox: ''});
    await shows(form, 'We could not load all of the form');
    expect(link(form, 'Open the form on its own page')).to.equal(undefined);
  });

  it('a form in use does not move into a dialog when the page sets presentation="dialog"', async () => {
    const form = await open();
    form.presentation = 'dialog';
    await touch(form);
    expect(form.shadowRoot!.querySelector('dialog')).to.equal(null);
  });

  it('submit() checks all fields of a form with layout="single" that is far from the screen', async () => {
    const form = await place({layout: 'single', style: 'margin-block-start: 9000px'});
    await form.submit();
    await until(() => summary(form).length > 4);
  });
});
