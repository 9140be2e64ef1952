import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {lose} from '../../support/browser/lost-files.ts';
import {useServer} from '../../support/browser/fake-server.ts';
import {hearClipboard, restoreLater, stub} from '../../support/browser/browser-page.ts';
import {
  click,
  field,
  fillAll,
  heading,
  listen,
  open,
  part,
  reserved,
  send,
  shows,
  startOver,
  text,
} from '../../support/browser/visitor.ts';

const mark = (form: LeadPrequalForm) =>
  form.shadowRoot?.querySelector('[role=note]')?.textContent?.replace(/\s+/g, ' ').trim();
const marked = 'Sample. Nothing you type is sent or kept, and the amounts are made up.';

/** Fills in a sample, up to the last button. */
async function filled(form: LeadPrequalForm) {
  await fillAll(form);
  await shows(form, 'This is where the consent text');
  part(form, '#consent').click();
  await form.updateComplete;
  return form;
}

/** The sandbox answers after half a second, like a server. Here it answers at once, so that the tests do not wait. */
function shortenPauses() {
  const setTimeout = window.setTimeout.bind(window);
  const short = (run: () => void, milliseconds?: number) =>
    setTimeout(run, milliseconds === 500 ? 0 : milliseconds);
  stub(window, 'setTimeout', {value: short});
}

describe('sandbox', () => {
  const server = useServer();
  beforeEach(shortenPauses);
  afterEach(() => {
    expect([server.configRequests, server.leads.length], 'requests to a server').to.deep.equal([0, 0]);
  });

  it('the property may also be true, as React and Svelte set it', async () => {
    const form = await open({partner: ''});
    form.sandbox = true;
    await form.updateComplete;
    expect(mark(form)).to.equal(marked);
    form.sandbox = false;
    await form.updateComplete;
    expect(mark(form)).to.equal(undefined);
  });

  it('the sandbox marks the form as a sample from the first render on, and its result', async () => {
    const form = await open({style: reserved, sandbox: '', partner: ''});
    expect(mark(form)).to.equal(marked);
    await filled(form);
    expect(mark(form)).to.equal(marked);
    await send(form);
    expect(text(form)).to.contain('Maria, you may qualify for up to');
    expect(text(form)).to.contain('$890,000');
    expect(mark(form)).to.equal(marked);
  });

  it('a result of the sandbox is marked as a sample when it is copied', async () => {
    const copies = hearClipboard();
    const form = await filled(await open({style: reserved, sandbox: ''}));
    await send(form);
    await shows(form, 'Copy');
    await click(form, 'Copy');
    await shows(form, 'Copied');
    expect(copies[0]!.split('\n')[0]).to.equal(marked);
    expect(copies[0]).to.contain('$890,000');
  });

  const states = [
    ['none', 'done', 'we found no funding'],
    ['pending', 'pending', 'We have your answers'],
    ['refused', 'refused', 'could not prepare an estimate'],
  ] as const;
  for (const [state, status, message] of states) {
    it(`the sandbox shows the result "${state}"`, async () => {
      const form = await filled(await open({style: reserved, sandbox: state}));
      const {type, detail} = await send(form);
      expect([type, (detail as {status: string}).status]).to.deep.equal(['prequal-result', status]);
      expect(text(form)).to.contain(message);
      expect(mark(form)).to.equal(marked);
    });
  }

  it('the sandbox shows a failure', async () => {
    const form = await filled(await open({style: reserved, sandbox: 'failed'}));
    expect((await send(form)).detail).to.deep.equal({code: 'store-unavailable', retryable: true});
    expect(text(form)).to.contain('Something went wrong on our side');
    expect(mark(form)).to.equal(marked);
  });

  it('the sandbox thanks for a standard lead', async () => {
    const form = await open({style: reserved, sandbox: '', 'lead-type': 'standard'});
    await filled(form);
    await send(form, 'Send');
    expect(heading(form)).to.equal('Thank you, Maria');
  });

  it('the sandbox sends the same events as a real form', async () => {
    const events = listen();
    await send(await filled(await open({style: reserved, sandbox: ''})));
    expect(events.map(({type}) => type)).to.deep.equal([
      'prequal-ready',
      'prequal-start',
      'prequal-step',
      'prequal-step',
      'prequal-submit',
      'prequal-result',
    ]);
  });

  it('the sandbox stores nothing that was typed, not even a draft', async () => {
    const form = await open({style: reserved, sandbox: '', draft: ''});
    await filled(form);
    const whileTyping = JSON.stringify(Object.entries(sessionStorage));
    await send(form);
    const kept = whileTyping + JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]);
    for (const typed of ['Maria', 'Ortiz', 'maria@', '0132', '120,000', '120000', '720']) {
      expect(kept).not.to.contain(typed);
    }
  });

  it('Start over empties the form of the sandbox and keeps its mark', async () => {
    const form = await filled(await open({style: reserved, sandbox: ''}));
    await send(form);
    await startOver(form);
    expect(field(form, 'Above 720 Excellent').checked).to.equal(false);
    expect(mark(form)).to.equal(marked);
  });

  it('the mark of the sandbox is in the language of the page', async () => {
    document.documentElement.lang = 'es';
    const form = await open({style: reserved, sandbox: ''});
    await shows(form, 'Muestra. Nada de lo que escriba se envía');
  });

  it('the form is not shown if the mark of the sandbox cannot be loaded', async () => {
    lose('sandbox');
    const form = document.createElement('lead-prequal-form');
    form.sandbox = '';
    document.body.append(form);
    restoreLater(() => form.remove());
    const failed = await form.updateComplete.then(
      () => false,
      () => true,
    );
    expect([failed, form.shadowRoot?.querySelector('form')]).to.deep.equal([true, null]);
  });
});

describe('without sandbox', () => {
  const server = useServer();

  it('the mark of the sandbox appears and disappears with the attribute', async () => {
    const form = await open({style: reserved});
    expect(mark(form)).to.equal(undefined);
    form.setAttribute('sandbox', 'pending');
    await form.updateComplete;
    expect(mark(form)).to.equal(marked);
    await filled(form);
    expect(server.configRequests).to.equal(0);
    form.removeAttribute('sandbox');
    await form.updateComplete;
    expect(mark(form)).to.equal(undefined);
    await send(form);
    expect(server.leads).to.have.length(1);
  });
});
