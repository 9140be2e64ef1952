/** Tests what the form does before its later file `rest` has arrived, and if it does not arrive. */
import {aTimeout, expect, fixture, html, oneEvent} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {laterFiles} from '../../../widget/loading/later-files.ts';
import {until} from '../../support/until.ts';
import {fillStorage, forbidStorage, later} from '../../support/browser/browser-page.ts';
import {Clock} from '../../support/browser/clock.ts';
import {draftName, drafts, keepDraft, keptDraft} from '../../support/browser/drafts.ts';
import {hold, lose} from '../../support/browser/lost-files.ts';
import {endpoint, useServer} from '../../support/browser/fake-server.ts';
import {
  announced,
  button,
  choose,
  click,
  errors,
  field,
  fillAll,
  focused,
  goTo,
  link,
  listen,
  maybeButton,
  maybeField,
  open,
  openSent,
  place,
  send,
  shows,
  summary,
  text,
  touch,
} from '../../support/browser/visitor.ts';

describe('before the rest of the form has arrived', () => {
  const server = useServer();

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
    const restore = hold('rest');
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

  describe('while the file that has arrived is painted before the step that was asked for', () => {
    async function arriveAfterPress() {
      const restore = hold('rest');
      const form = await open();
      const events = listen(form);
      await choose(form, score);
      const main = button(form, 'Next');
      main.click();
      await form.updateComplete;
      const painted = new Promise((resolve) =>
        new MutationObserver(resolve).observe(main, {attributeFilter: ['aria-disabled']}),
      );
      restore();
      await painted;
      return {form, main, steps: () => events.filter(({type}) => type === 'prequal-step').length};
    }

    it('another press goes one step on, not two', async () => {
      const {form, main, steps} = await arriveAfterPress();
      expect(steps()).to.equal(0);
      main.click();
      await shows(form, 'Step 2 of 3');
      await aTimeout(0);
      expect([steps(), errors(form).length]).to.deep.equal([1, 0]);
    });

    it('a visitor who chooses another score stays', async () => {
      const {form, steps} = await arriveAfterPress();
      expect(steps()).to.equal(0);
      await choose(form, '680 to 720 Good');
      await aTimeout(0);
      expect(steps()).to.equal(0);
      expect(text(form)).to.contain('Step 1 of 3');
    });
  });

  it('a waiting visitor sees a notice if no file arrives, and the button loads it again', async () => {
    const restore = lose('rest');
    const form = await open();
    const events = listen(form);
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
    const fired = events.map(({type}) => type).slice(-2);
    expect(fired, 'what was chosen counts').to.deep.equal(['prequal-start', 'prequal-step']);
    await fillAll(form);
    expect((await send(form)).type).to.equal('prequal-result');
  });

  it('a visitor who waits ten seconds sees a notice, whose "Try again" goes on with the file', async () => {
    const clock = new Clock();
    const restore = hold('rest');
    const form = await open();
    button(form, 'Next').click();
    await clock.pass(9_000);
    expect(text(form)).not.to.contain('We could not load');
    await clock.pass(1_000);
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
    lose('rest');
    const form = await open();
    await send(form, 'Next');
    form.reset();
    await form.updateComplete;
    expect(text(form)).not.to.contain('We could not load');
    expect(maybeButton(form, 'Next')).not.to.equal(undefined);
  });

  it('reset() removes a draft even if the file does not arrive', async () => {
    keepDraft({first_name: 'Maria'});
    lose('rest');
    const form = await place({draft: ''});
    await shows(form, 'We could not load');
    form.reset();
    expect(keptDraft()).to.equal(null);
  });

  it('contact data that the page knows needs no file before the first touch', async () => {
    const restore = hold('rest');
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
    const restore = lose('rest');
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
});

describe('an interruption before the rest of the form has arrived', () => {
  const [score, other] = ['Above 720 Excellent', 'Below 620 Building'];
  const isChosen = (form: LeadPrequalForm, label = score) => field(form, label).checked;
  const contact = {first_name: 'Ana', last_name: 'Silva', email: 'ana@example.com', phone: '(415) 555-0132'};
  const minutes = 60_000;

  const server = useServer();
  /** Lets the file arrive. */
  let arrive: () => void;
  beforeEach(() => (arrive = hold('rest')));

  /** Replaces the form by a new one, for which the file arrives, as a reload of the page does. */
  async function reload(form: LeadPrequalForm) {
    form.remove();
    arrive();
    return open({draft: ''});
  }

  it('the score that was chosen is there after a reload, and is sent once', async () => {
    const form = await open({draft: ''});
    await choose(form, other);
    await choose(form, score);
    const again = await reload(form);
    expect([isChosen(again), isChosen(again, other)]).to.deep.equal([true, false]);
    expect(errors(again)).to.have.length(0);
    expect(text(again)).to.contain('Step 1 of 3');
    await fillAll(again);
    await send(again);
    expect(server.leads.map(({body}) => body.lead['credit_score'])).to.deep.equal(['Above 720']);
    expect(keptDraft(), 'nothing of a sent lead is kept').to.equal(null);
  });

  it('the score is there after a reload while the visitor waited for the next step', async () => {
    const form = await open({draft: ''});
    await choose(form, score);
    button(form, 'Next').click();
    await form.updateComplete;
    const again = await reload(form);
    expect(isChosen(again)).to.equal(true);
    await click(again, 'Next');
    expect(text(again)).to.contain('Step 2 of 3');
  });

  it('the score is there after a reload that follows a file that did not arrive', async () => {
    arrive();
    arrive = lose('rest');
    const form = await open({draft: ''});
    await choose(form, other);
    await send(form, 'Next');
    await choose(form, score);
    expect(isChosen(await reload(form))).to.equal(true);
  });

  it('without an interruption, the score stays chosen, and the draft is that of the whole form', async () => {
    const form = await open({draft: ''});
    await choose(form, score);
    arrive();
    await click(form, 'Next');
    expect(text(form)).to.contain('Step 2 of 3');
    expect(keptDraft()).to.include({credit_score: 'Above 720', step: 'funds'});
  });

  it('a form that is only looked at, or left by Tab, keeps nothing and removes nothing', async () => {
    const form = await open({draft: ''});
    field(form, score).focus();
    expect(keptDraft()).to.equal(null);
    keepDraft(contact);
    document.dispatchEvent(new Event('visibilitychange'));
    field(form, score).blur();
    form.remove();
    expect(keptDraft()).to.include(contact);
  });

  it('what another form of the page has kept meanwhile stays, and the new score is added', async () => {
    const form = await open({draft: ''});
    keepDraft({...contact, credit_score: 'Below 620', step: 'contact'});
    await choose(form, score);
    expect(keptDraft()).to.include({...contact, credit_score: 'Above 720'});
    const again = await reload(form);
    expect([isChosen(again), isChosen(again, other)]).to.deep.equal([true, false]);
  });

  it('answers that are too old do not become young by a new score', async () => {
    const form = await open({draft: ''});
    keepDraft(contact);
    later(31 * minutes);
    await choose(form, score);
    expect(keptDraft()).not.to.have.property('first_name');
    expect(isChosen(await reload(form))).to.equal(true);
  });

  it('of two forms of one partner, the score that was chosen last is there', async () => {
    const first = await open({draft: ''});
    const second = await open({draft: ''});
    await choose(first, other);
    await choose(second, score);
    arrive();
    await touch(first);
    await touch(second);
    await until(() => isChosen(first) && isChosen(second));
    expect(keptDraft()).to.include({credit_score: 'Above 720'});
    expect(isChosen(await reload(first))).to.equal(true);
  });

  it('contact data that the page knows is there beside the score', async () => {
    const form = await open({draft: ''});
    form.prefill = {first_name: 'Ana'};
    await choose(form, score);
    expect(keptDraft(), 'what the page knows is no draft').not.to.have.property('first_name');
    const again = await reload(form);
    again.prefill = {first_name: 'Ana'};
    expect(isChosen(again)).to.equal(true);
    await goTo(again, 'First name');
    expect(field(again, 'First name').value).to.equal('Ana');
  });

  for (const [what, attributes] of [
    ['a form without the attribute draft', {}],
    ['a sample', {draft: '', sandbox: ''}],
  ] as const) {
    it(`${what} keeps nothing`, async () => {
      const form = await open(attributes);
      await choose(form, score);
      expect(drafts()).to.deep.equal([]);
    });
  }

  it('reset() removes the score', async () => {
    const form = await open({draft: ''});
    await choose(form, score);
    form.reset();
    expect(keptDraft()).to.equal(null);
    expect(isChosen(await reload(form))).to.equal(false);
  });

  for (const [what, change] of [
    ['forbidden', forbidStorage],
    ['full', fillStorage],
  ] as const) {
    it(`a score can be chosen and sent where storage is ${what}`, async () => {
      change();
      const form = await open({draft: '', partner: what});
      await choose(form, score);
      arrive();
      await fillAll(form);
      expect((await send(form)).type).to.equal('prequal-result');
    });
  }

  for (const broken of ['{', 'null', '5', '[]', '"text"', '{"at":"x","first_name":"Eve"}']) {
    it(`a score takes the place of a draft that another script replaced by ${broken}`, async () => {
      const form = await open({draft: ''});
      sessionStorage.setItem(draftName, broken);
      await choose(form, score);
      expect(keptDraft()).to.have.all.keys('credit_score', 'step', 'at');
      expect(isChosen(await reload(form))).to.equal(true);
    });
  }

  it('a page that Back shows again has the score and the step that another page kept last', async () => {
    const form = await open({draft: ''});
    await choose(form, score);
    field(form, score).blur();
    keepDraft({credit_score: 'Below 620', step: 'funds'});
    dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}));
    arrive();
    await shows(form, 'Step 2 of 3');
    await click(form, 'Back');
    expect([isChosen(form), isChosen(form, other)]).to.deep.equal([false, true]);
    expect(keptDraft()).to.include({credit_score: 'Below 620'});
  });

  it('an untouched page that Back shows again has what another page kept', async () => {
    const form = await open({draft: ''});
    keepDraft({credit_score: 'Above 720', step: 'funds'});
    arrive();
    dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}));
    await shows(form, 'Step 2 of 3');
  });

  it('a page that Back shows again loads nothing if no draft is kept', async () => {
    let loads = 0;
    const {rest} = laterFiles;
    laterFiles.rest = () => (loads++, rest());
    const form = await open({draft: ''});
    dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}));
    await form.updateComplete;
    laterFiles.rest = rest;
    expect(loads).to.equal(0);
  });

  it('what an apply page has kept while the words were on their way is there at once', async () => {
    const words = hold('es');
    document.documentElement.lang = 'es';
    const ready = oneEvent(document, 'prequal-ready');
    const form = await place({draft: ''});
    await aTimeout(50);
    keepDraft({credit_score: 'Above 720', step: 'credit'});
    arrive();
    words();
    await ready;
    expect(form.shadowRoot?.querySelector<HTMLInputElement>('input:checked')?.value).to.equal('Above 720');
  });

  it('the answer of a sent lead is shown after a reload, although a score is chosen on the way', async () => {
    arrive();
    const form = await openSent({draft: ''});
    form.remove();
    arrive = hold('rest');
    const again = await open({draft: ''});
    await choose(again, other);
    expect(keptDraft()).to.equal(null);
    arrive();
    await shows(again, '$830,000');
  });
});

describe('a first screen that needs the rest of the form', () => {
  useServer();

  const cases = {
    'layout="single"': {layout: 'single'},
    'presentation="dialog"': {presentation: 'dialog'},
    'order="contact-first"': {order: 'contact-first'},
    'a standard lead': {'lead-type': 'standard'},
    'a draft': {draft: ''},
  };
  const kept = {credit_score: 'Above 720'};
  const hasFields = (form: LeadPrequalForm) =>
    maybeField(form, 'First name') !== undefined || maybeField(form, 'Above 720 Excellent') !== undefined;
  const actions = (form: LeadPrequalForm) =>
    [...form.shadowRoot!.querySelectorAll('input, form, .actions')].map(({localName}) => localName);

  for (const [name, attributes] of Object.entries(cases)) {
    it(`shows nothing until the file has arrived: ${name}`, async () => {
      keepDraft(kept);
      const restore = hold('rest');
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
  }

  it('is a notice after ten seconds, whose "Try again" shows the form with its draft', async () => {
    keepDraft(kept);
    const clock = new Clock();
    const restore = hold('rest');
    const form = await place({layout: 'single', draft: ''});
    await clock.pass(10_000);
    await shows(form, 'We could not load all of the form');
    restore();
    await click(form, 'Try again');
    await until(() => maybeField(form, 'Cash') !== undefined);
    expect(field(form, 'Above 720 Excellent').checked).to.equal(true);
    await until(() => focused(form)?.localName === 'h2');
  });

  it('the notice that the rest of the form did not arrive is in the language of the page', async () => {
    lose('rest');
    const form = await place({layout: 'single', lang: 'es'});
    await shows(form, 'No pudimos cargar todo el formulario');
    expect(link(form, 'Continuar en nuestra propia página')!.search).to.equal('?lang=es');
    button(form, 'Intentar de nuevo');
  });

  // A dialog is the only one that could open by itself when the file arrives. All others wait alike.
  for (const name of ['layout="single"', 'presentation="dialog"'] as const) {
    const attributes = cases[name];

    it(`offers the apply page and another try if the file does not arrive: ${name}`, async () => {
      keepDraft(kept);
      const restore = lose('rest');
      const failed = oneEvent(document, 'prequal-error');
      const form = await place(attributes, 'Loading');
      expect((await failed).detail).to.deep.equal({code: 'load-failed', retryable: true});
      await shows(form, 'We could not load all of the form');
      expect(actions(form), 'no field, and the button').to.deep.equal(['div']);
      const {href, target} = link(form, 'Continue on our own page')!;
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

    it(`loads the file when the connection is back, and does not move the focus: ${name}`, async () => {
      keepDraft(kept);
      const restore = lose('rest');
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
    keepDraft(kept);
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
    lose('rest');
    const form = await place({layout: 'single', sandbox: ''});
    await shows(form, 'We could not load all of the form');
    expect(link(form, 'Continue on our own page')).to.equal(undefined);
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
