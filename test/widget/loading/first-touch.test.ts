/** Tests what the form does with the actions of a visitor before the file of a touched form has arrived. */
import {expect, oneEvent} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import {laterFiles} from '../../../widget/loading/pins.ts';
import {FakeServer} from '../../support/browser/fake-server.ts';
import {
  announced,
  button,
  click,
  description,
  field,
  fill,
  fillAll,
  focused,
  heading,
  listen,
  maybeButton,
  maybeField,
  open,
  send,
  shows,
  summary,
  text,
  touch,
} from '../../support/browser/visitor.ts';

const pin = laterFiles['touched-form'];
const {path} = pin;

/** Makes loading the file fail. @returns a function that lets it succeed again */
function lose() {
  pin.path = 'http://127.0.0.1:1/touched-form.js';
  return () => (pin.path = path);
}

describe('before the file of a touched form has arrived', () => {
  let server: FakeServer;
  beforeEach(() => (server = new FakeServer()));
  afterEach(() => {
    pin.path = path;
    server.restore();
  });

  it('a field that the visitor fills in and leaves keeps its value, and is checked as soon as the file has arrived', async () => {
    const form = await open();
    const events = listen(form);
    fill(form, 'Email', 'maria');
    field(form, 'Phone').focus();
    const email = field(form, 'Email');
    expect(field(form, 'Email').getAttribute('aria-invalid')).to.equal('false');
    await shows(form, 'Enter an email address like name@example.com.');
    expect(field(form, 'Email'), 'the same input').to.equal(email);
    expect(email.value).to.equal('maria');
    expect(focused(form)).to.equal(field(form, 'Phone'));
    expect(description(form, field(form, 'Email'))).to.contain('Enter an email');
    expect(events.map(({type}) => type)).to.deep.equal(['prequal-start']);
  });

  it('the main button says that the form waits for the file, and then shows the next step once', async () => {
    const form = await open();
    const events = listen(form);
    for (const [label, value] of [
      ['First name', 'Maria'],
      ['Last name', 'Ortiz'],
      ['Email', 'maria@example.com'],
      ['Phone', '(415) 555-0132'],
    ] as const) {
      fill(form, label, value);
    }
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

  it('a visitor who goes on to another field no longer waits, and the file raises no errors when it arrives', async () => {
    const form = await open();
    const started = oneEvent(form, 'prequal-start');
    fill(form, 'First name', 'Maria');
    button(form, 'Next').click();
    fill(form, 'Last name', 'Or');
    await form.updateComplete;
    expect(button(form, 'Next').getAttribute('aria-disabled')).to.equal('false');
    await started;
    await form.updateComplete;
    expect(summary(form)).to.have.length(0);
    expect(focused(form)).to.equal(field(form, 'Last name'));
    expect(field(form, 'Last name').value).to.equal('Or');
  });

  it('a visitor who waits for a file that does not arrive sees a notice, and the button loads the file again', async () => {
    const restore = lose();
    const form = await open();
    fill(form, 'First name', 'Maria');
    await form.updateComplete;
    expect(text(form), 'to a visitor who only types').not.to.contain('We could not load');

    const {type, detail} = await send(form, 'Next');
    expect([type, detail]).to.deep.equal(['prequal-error', {code: 'load-failed', retryable: true}]);
    expect(focused(form)?.textContent).to.contain('We could not load the rest of the form');
    const notice = getComputedStyle(focused(form)!);
    expect(
      [notice.display, notice.borderTopStyle, notice.borderTopWidth, notice.paddingTop],
      'the notice is a box, although the styles of a touched form are in the missing file',
    ).to.deep.equal(['flex', 'solid', '2px', '14px']);
    expect(announced(form)).to.equal('');
    expect(field(form, 'First name').value).to.equal('Maria');

    await send(form, 'Try again');
    expect(text(form)).to.contain('We could not load the rest of the form');
    restore();
    await click(form, 'Try again');
    expect(text(form)).not.to.contain('We could not load');
    expect(summary(form)).to.have.length(3);
    await fillAll(form);
    expect((await send(form)).type).to.equal('prequal-result');
  });

  it('layout="single" shows the first step if the file with its fields does not arrive, and all fields once it has', async () => {
    const restore = lose();
    const form = await open({layout: 'single'});
    expect(heading(form)).to.equal('Step 1 of 3 · about a minute About you');
    expect(maybeField(form, 'Cash')).to.equal(undefined);
    fill(form, 'First name', 'Maria');
    expect((await send(form, 'Next')).type).to.equal('prequal-error');
    restore();
    await click(form, 'Try again');
    await until(() => maybeField(form, 'Cash') !== undefined);
    expect(field(form, 'First name').value).to.equal('Maria');
    expect(maybeButton(form, 'Next')).to.equal(undefined);
  });

  it('reset() empties the fields before the file has arrived', async () => {
    const form = await open();
    fill(form, 'First name', 'Maria');
    form.reset();
    expect(field(form, 'First name').value).to.equal('');
    await touch(form);
    expect(field(form, 'First name').value).to.equal('');
  });

  it('reset() also takes back what the visitor waits for', async () => {
    const form = await open();
    const events = listen(form);
    fill(form, 'First name', 'Maria');
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
    expect(summary(form)).to.have.length(0);
    expect(events).to.have.length(0);
  });

  it('reset() takes back the notice of a file that did not arrive', async () => {
    lose();
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
    lose();
    const form = await open({draft: ''});
    form.reset();
    expect(sessionStorage.getItem(draft)).to.equal(null);
  });

  it('what is typed counts as typed even if the file arrives only at a later attempt', async () => {
    const restore = lose();
    const form = await open();
    const events = listen(form);
    fill(form, 'First name', 'Maria');
    await send(form, 'Next');
    restore();
    await click(form, 'Try again');
    expect(summary(form)).to.have.length(3);
    form.prefill = {first_name: 'Ana'};
    await form.updateComplete;
    expect(field(form, 'First name').value).to.equal('Maria');
    expect(events.map(({type}) => type)).to.deep.equal(['prequal-error', 'prequal-start']);
  });

  it('a prefill that comes before the file does not overwrite what was typed, and fills in the other fields', async () => {
    const form = await open();
    fill(form, 'First name', 'Maria');
    form.prefill = {first_name: 'Ana', last_name: 'Silva'};
    await form.updateComplete;
    await touch(form);
    // The file that fills in known data may arrive later than that of the touched form.
    await until(() => field(form, 'Last name').value === 'Silva');
    expect(field(form, 'First name').value).to.equal('Maria');
  });

  it('a draft is filled in also if the file arrives only at the touch, beside what was typed meanwhile', async () => {
    const kept = {at: Date.now(), first_name: 'Maria', email: 'maria@example.com'};
    sessionStorage.setItem('lead-prequal-draft:acme', JSON.stringify(kept));
    const restore = lose();
    const form = await open({draft: ''});
    fill(form, 'First name', 'Mariana');
    await send(form, 'Next');
    restore();
    await click(form, 'Try again');
    expect([field(form, 'First name').value, field(form, 'Email').value]).to.deep.equal([
      'Mariana',
      'maria@example.com',
    ]);
  });

  it('the time that the visitor took counts from the first touch, not from the arrival of the file', async () => {
    const restore = lose();
    const form = await open({'lead-type': 'standard'});
    for (const [label, value] of [
      ['First name', 'Maria'],
      ['Last name', 'Ortiz'],
      ['Email', 'maria@example.com'],
      ['Phone', '(415) 555-0132'],
    ] as const) {
      fill(form, label, value);
    }
    const filled = performance.now();
    await send(form, 'Send');
    const waited = performance.now() - filled;
    restore();
    expect((await send(form, 'Try again')).type).to.equal('prequal-result');
    expect(server.leads[0]!.body.elapsed_ms).to.be.at.least(Math.floor(waited));
  });

  it('submit() loads the file and then checks all fields', async () => {
    const form = await open();
    await form.submit();
    await form.updateComplete;
    expect(summary(form)).to.have.length(4);
    expect(server.leads).to.have.length(0);
  });
});
