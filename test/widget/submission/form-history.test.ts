import {expect, oneEvent} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import type {Order} from '../../../form/pages.ts';
import {stub} from '../../support/browser/browser-page.ts';
import {FakeHistory} from '../../support/browser/fake-history.ts';
import {problem, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  click,
  field,
  fillAll,
  focused,
  heading,
  listen,
  maybeField,
  open,
  openFilled,
  openSent,
  send,
  shows,
  startOver,
  touch,
} from '../../support/browser/visitor.ts';

/** The titles of the steps. */
const ways = {
  'funds-first': ['What is your credit score?', 'Your funds', 'About you'],
  'contact-first': ['About you', 'Credit history', 'Your funds'],
} as const satisfies Record<Order, readonly string[]>;
const [first, second, third] = ways['funds-first'];

/** What the visitor has filled in stands in the fields of the step that is shown. */
function expectAnswers(form: LeadPrequalForm) {
  const score = maybeField(form, 'Above 720 Excellent');
  if (score) expect(score.checked).to.equal(true);
  else if (maybeField(form, 'Cash')) expect(field(form, 'Cash').value).to.equal('50,000');
  else expect(field(form, 'First name').value).to.equal('Maria');
}

describe('with history', () => {
  const server = useServer();
  const page = {router: 'state of the page'};
  beforeEach(() => stub(window, 'history', {value: new FakeHistory(page)}));

  const step = () => (history.state as Record<string, unknown>)['lead-prequal-step'];

  /** Goes through the browser's history, and waits until it is there. */
  async function go(delta: number) {
    const arrived = oneEvent(window, 'popstate');
    history.go(delta);
    await arrived;
  }

  const isAt = (form: LeadPrequalForm, title: string) =>
    until(() => heading(form).includes(title), `the form is at "${title}"`);

  const toSecond = async (form: LeadPrequalForm) => {
    await fillAll(form);
    const arrived = oneEvent(window, 'popstate');
    await click(form, 'Back');
    await arrived;
  };

  for (const [order, [start, middle, end]] of Object.entries(ways)) {
    it(`Back and Forward go from step to step, and keep what was typed: ${order}`, async () => {
      const {length} = history;
      const form = await openFilled({order, history: ''});
      expect(history.length).to.equal(length + 2);
      await go(-1);
      await isAt(form, middle);
      expect(focused(form)?.textContent).to.contain(middle);
      expectAnswers(form);
      await go(-1);
      await isAt(form, start);
      expectAnswers(form);
      await go(2);
      await isAt(form, end);
      expectAnswers(form);
    });
  }

  it('the state of the page is in every entry, and its address does not change', async () => {
    const {href} = location;
    const form = await open({history: ''});
    await toSecond(form);
    expect(history.state).to.deep.equal({...page, 'lead-prequal-step': 1});
    await go(-1);
    expect(history.state).to.deep.equal({...page, 'lead-prequal-step': 0});
    expect(location.href).to.equal(href);
  });

  it('the button Back goes back in the history, too', async () => {
    const form = await openFilled({history: ''});
    const arrived = oneEvent(window, 'popstate');
    await click(form, 'Back');
    await arrived;
    expect(step()).to.equal(1);
    await isAt(form, second);
    await go(-1);
    await isAt(form, first);
  });

  it('Back from the result shows the answers, and Forward the result', async () => {
    const form = await openSent({history: ''});
    await go(-1);
    await isAt(form, third);
    expectAnswers(form);
    await go(1);
    await shows(form, '$830,000');
    expect(server.leads).to.have.length(1);
    await go(-1);
    await isAt(form, third);
    await send(form);
    await shows(form, '$830,000');
    expect(server.leads[1]!.body.supersedes).not.to.equal(undefined);
  });

  it('a result that was erased does not come back with Forward', async () => {
    const form = await openSent({history: ''});
    const arrived = oneEvent(window, 'popstate');
    await startOver(form);
    await arrived;
    expect(step()).to.equal(0);
    await go(3);
    await until(() => step() === 0);
    expect(heading(form)).to.contain(first);
  });

  it('after a reload the form begins at the first step, and Back shows no empty steps', async () => {
    const form = await openFilled({history: ''});
    form.remove();
    // The entry of the third step is still there.
    const reloaded = await open({history: ''});
    await touch(reloaded);
    await go(-1);
    await until(() => step() === 0);
    expect(heading(reloaded)).to.contain(first);
    await fillAll(reloaded);
    expect(step()).to.equal(2);
    await send(reloaded);
    await go(-1);
    await isAt(reloaded, third);
  });

  for (const [what, entry] of [
    ['of the same page', 2],
    ['on a page in another language', undefined],
  ] as const) {
    it(`with a draft, Back goes from step to step after a load ${what}`, async () => {
      const form = await openFilled({history: '', draft: ''});
      form.remove();
      if (entry === undefined) stub(window, 'history', {value: new FakeHistory(page)});
      const {length} = history;
      const reloaded = await open({history: '', draft: ''});
      expect(history.length).to.equal(length + (entry === undefined ? 2 : 0));
      expect(history.state).to.deep.equal({...page, 'lead-prequal-step': 2});
      await isAt(reloaded, third);
      await go(-1);
      await isAt(reloaded, second);
      expectAnswers(reloaded);
      await go(-1);
      await isAt(reloaded, first);
      expectAnswers(reloaded);
      await go(2);
      await isAt(reloaded, third);
      sessionStorage.clear();
    });
  }

  it('a form that the visitor does not use leaves the entries of another one alone', async () => {
    // In this order, the form that is not used has loaded all that follows the history, too.
    const order = 'contact-first';
    const unused = await open({order, history: ''});
    const form = await openFilled({order, history: ''});
    const events = listen(unused);
    await go(-1);
    await isAt(form, ways[order][1]);
    expect(step()).to.equal(1);
    expect(events).to.deep.equal([]);
  });

  it('with a draft, a page begins at the step of the entry to which the visitor has gone back', async () => {
    const form = await openFilled({history: '', draft: ''});
    form.remove();
    stub(window, 'history', {value: new FakeHistory({'lead-prequal-step': 1})});
    const reloaded = await open({history: '', draft: ''});
    await isAt(reloaded, second);
    expect(history.length).to.equal(1);
    sessionStorage.clear();
  });

  it('an entry of the page, such as that of a link to a heading, changes nothing', async () => {
    const form = await open({history: ''});
    await toSecond(form);
    history.pushState(null, '', '#heading');
    dispatchEvent(new PopStateEvent('popstate'));
    expect(heading(form)).to.contain(second);
    await go(-1);
    expect(heading(form)).to.contain(second);
    await go(-1);
    await isAt(form, first);
  });

  it('Back changes nothing while the lead is being sent', async () => {
    const release = server.delayReply(() => problem(503, 'store-unavailable'));
    const form = await openFilled({history: ''});
    const sent = send(form);
    await shows(form, 'Sending…');
    await go(-1);
    expect(heading(form)).to.contain(third);
    release();
    await sent;
    expect(heading(form)).to.contain(third);
  });

  it('without the attribute the history of the page stays as it is', async () => {
    const {length} = history;
    await openSent();
    expect(history.length).to.equal(length);
    expect(history.state).to.deep.equal(page);
  });
});
