import {expect, oneEvent} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {restorePage, stub} from '../../support/browser/browser-page.ts';
import {FakeHistory} from '../../support/browser/fake-history.ts';
import {FakeServer, problem} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  choose,
  click,
  field,
  fillAll,
  fillContact,
  fillFunds,
  focused,
  heading,
  open,
  send,
  shows,
  startOver,
} from '../../support/browser/visitor.ts';

describe('with history', () => {
  let server: FakeServer;
  const page = {router: 'state of the page'};
  beforeEach(() => {
    server = new FakeServer();
    stub(window, 'history', {value: new FakeHistory(page)});
  });
  afterEach(() => {
    restorePage();
    server.restore();
  });

  const step = () => (history.state as Record<string, unknown>)['lead-prequal-step'];

  /** Goes through the browser's history, and waits until it is there. */
  async function go(delta: number) {
    const arrived = oneEvent(window, 'popstate');
    history.go(delta);
    await arrived;
  }

  const isAt = (form: LeadPrequalForm, title: string) =>
    until(() => heading(form).includes(title), undefined, `the form is at "${title}"`);

  it('Back and Forward go from step to step, and keep what was typed', async () => {
    const {length} = history;
    const form = await open({history: ''});
    await fillAll(form);
    expect(history.length).to.equal(length + 2);
    await go(-1);
    await isAt(form, 'Credit history');
    expect(focused(form)?.textContent).to.contain('Credit history');
    expect(field(form, 'Above 720 Excellent').checked).to.be.true;
    await go(-1);
    await isAt(form, 'About you');
    expect(field(form, 'First name').value).to.equal('Maria');
    await go(2);
    await isAt(form, 'Your funds');
    expect(field(form, 'Cash').value).to.equal('50,000');
  });

  it('the state of the page is in every entry, and its address does not change', async () => {
    const {href} = location;
    const form = await open({history: ''});
    await fillContact(form);
    await click(form, 'Next');
    expect(history.state).to.deep.equal({...page, 'lead-prequal-step': 1});
    await go(-1);
    expect(history.state).to.deep.equal({...page, 'lead-prequal-step': 0});
    expect(location.href).to.equal(href);
  });

  it('the button Back goes back in the history, too', async () => {
    const form = await open({history: ''});
    await fillAll(form);
    const arrived = oneEvent(window, 'popstate');
    await click(form, 'Back');
    await arrived;
    expect(step()).to.equal(1);
    await isAt(form, 'Credit history');
    await go(-1);
    await isAt(form, 'About you');
  });

  it('Back from the result shows the answers, and Forward the result', async () => {
    const form = await open({history: ''});
    await fillAll(form);
    await send(form);
    await go(-1);
    await isAt(form, 'Your funds');
    expect(field(form, 'Cash').value).to.equal('50,000');
    await go(1);
    await shows(form, '$830,000');
    expect(server.leads).to.have.length(1);
    await go(-1);
    await isAt(form, 'Your funds');
    await send(form);
    await shows(form, '$830,000');
    expect(server.leads[1]!.body.supersedes).not.to.equal(undefined);
  });

  it('a result that was erased does not come back with Forward', async () => {
    const form = await open({history: ''});
    await fillAll(form);
    await send(form);
    const arrived = oneEvent(window, 'popstate');
    await startOver(form);
    await arrived;
    expect(step()).to.equal(0);
    await go(3);
    await until(() => step() === 0);
    expect(heading(form)).to.contain('About you');
  });

  it('after a reload the form begins at the first step, and Back shows no empty steps', async () => {
    const form = await open({history: ''});
    await fillAll(form);
    form.remove();
    // The entry of the third step is still there.
    const reloaded = await open({history: ''});
    await fillContact(reloaded);
    field(reloaded, 'Phone').value = '';
    await go(-1);
    await until(() => step() === 0);
    expect(heading(reloaded)).to.contain('About you');
    field(reloaded, 'Phone').value = '415 555 0132';
    await click(reloaded, 'Next');
    expect(step()).to.equal(1);
    await choose(reloaded, 'Above 720 Excellent');
    await click(reloaded, 'Next');
    await fillFunds(reloaded);
    await send(reloaded);
    await go(-1);
    await isAt(reloaded, 'Your funds');
  });

  it('after a reload in the middle Back never goes forward', async () => {
    const form = await open({history: ''});
    await fillAll(form);
    form.remove();
    const reloaded = await open({history: ''});
    await fillContact(reloaded);
    await go(-1);
    await until(() => step() === 0);
    expect(heading(reloaded)).to.contain('About you');
  });

  for (const [what, entry] of [
    ['of the same page', 2],
    ['on a page in another language', undefined],
  ] as const) {
    it(`with a draft, Back goes from step to step after a load ${what}`, async () => {
      const form = await open({history: '', draft: ''});
      await fillAll(form);
      form.remove();
      if (entry === undefined) stub(window, 'history', {value: new FakeHistory(page)});
      const {length} = history;
      const reloaded = await open({history: '', draft: ''});
      expect(history.length).to.equal(length + (entry === undefined ? 2 : 0));
      expect(history.state).to.deep.equal({...page, 'lead-prequal-step': 2});
      await isAt(reloaded, 'Your funds');
      await go(-1);
      await isAt(reloaded, 'Credit history');
      expect(field(reloaded, 'Above 720 Excellent').checked).to.be.true;
      await go(-1);
      await isAt(reloaded, 'About you');
      expect(field(reloaded, 'First name').value).to.equal('Maria');
      await go(2);
      await isAt(reloaded, 'Your funds');
      sessionStorage.clear();
    });
  }

  it('with a draft, a page begins at the step of the entry to which the visitor has gone back', async () => {
    const form = await open({history: '', draft: ''});
    await fillAll(form);
    form.remove();
    stub(window, 'history', {value: new FakeHistory({'lead-prequal-step': 1})});
    const reloaded = await open({history: '', draft: ''});
    await isAt(reloaded, 'Credit history');
    expect(history.length).to.equal(1);
    sessionStorage.clear();
  });

  it('an entry of the page, such as that of a link to a heading, changes nothing', async () => {
    const form = await open({history: ''});
    await fillContact(form);
    await click(form, 'Next');
    history.pushState(null, '', '#heading');
    dispatchEvent(new PopStateEvent('popstate'));
    expect(heading(form)).to.contain('Credit history');
    await go(-1);
    expect(heading(form)).to.contain('Credit history');
    await go(-1);
    await isAt(form, 'About you');
  });

  it('Back changes nothing while the lead is being sent', async () => {
    const release = server.delayReply(() => problem(503, 'store-unavailable'));
    const form = await open({history: ''});
    await fillAll(form);
    const sent = send(form);
    await shows(form, 'Sending…');
    await go(-1);
    expect(heading(form)).to.contain('Your funds');
    release();
    await sent;
    expect(heading(form)).to.contain('Your funds');
  });

  it('without the attribute the history of the page stays as it is', async () => {
    const {length} = history;
    const form = await open();
    await fillAll(form);
    await send(form);
    expect(history.length).to.equal(length);
    expect(history.state).to.deep.equal(page);
  });
});
