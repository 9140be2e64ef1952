import {expect, oneEvent} from '@open-wc/testing';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {Clock} from '../../support/browser/clock.ts';
import {answer, created, json, problem, useServer} from '../../support/browser/fake-server.ts';
import {restoreLater, stub} from '../../support/browser/browser-page.ts';
import {
  announced,
  button,
  click,
  fillContact,
  focused,
  heading,
  listen,
  open,
  openSent,
  send,
  shows,
  startOver,
  text,
} from '../../support/browser/visitor.ts';

const second = 1_000;
const pending = {status: 'pending', prequalification: null, reasons: {}} satisfies Partial<EmbedAnswer>;
const {id} = answer();

describe('a pending result', () => {
  const server = useServer();
  let clock: Clock;
  let hidden = false;
  beforeEach(() => {
    server.reply(() => created(pending));
    server.result = () => json(200, answer(pending), {'Retry-After': '5'});
    clock = new Clock();
    hidden = false;
    stub(Document.prototype, 'hidden', {get: () => hidden});
  });

  it('is asked for although an element of the page has the name "hidden"', async () => {
    const image = Object.assign(document.createElement('img'), {name: 'hidden'});
    document.body.append(image);
    restoreLater(() => image.remove());
    expect(document.hidden, 'what scripts of the page find').to.equal(image);
    const form = await openSent();
    server.result = () => json(200, answer());
    await clock.pass(2 * second);
    await shows(form, '$830,000');
  });

  const show = (shown: boolean) => {
    hidden = !shown;
    document.dispatchEvent(new Event('visibilitychange'));
  };
  const asked = () => server.readings.length;

  it('says what happens if the visitor stays, and if the visitor leaves', async () => {
    const form = await openSent();
    expect(heading(form)).to.equal('We have your answers, Maria');
    expect(text(form)).to.contain('They will appear here.');
    expect(text(form)).to.contain('If you leave this page, we will be in touch');
  });

  it('a standard lead that is pending says thanks, and mentions no amounts', async () => {
    const form = await open({'lead-type': 'standard'});
    await fillContact(form);
    await send(form, 'Send');
    expect(text(form)).to.contain('We have your details');
    expect(text(form)).not.to.contain('amounts');
  });

  it('is asked for with the token in a header, not in the URL', async () => {
    await openSent();
    await clock.pass(2 * second);
    const [{url, token}] = server.readings as [(typeof server.readings)[0]];
    expect(url.href).to.equal(`https://leads.example.com/embed/v1/leads/${id}?partner=acme`);
    expect(token).to.equal('Bearer token');
  });

  it('is asked for in the name of its partner, although the page has named another one since', async () => {
    const form = await openSent();
    form.partner = 'globex';
    await clock.pass(2 * second);
    expect(server.readings.map(({url}) => url.search)).to.deep.equal(['?partner=acme']);
  });

  it('turns into the amounts with one announcement and one event, and the focus stays', async () => {
    const form = await openSent();
    const title = focused(form);
    const events = listen(form);
    await clock.pass(2 * second);
    expect(asked()).to.equal(1);
    server.result = () => json(200, answer());
    await clock.pass(5 * second);
    expect(heading(form)).to.equal('Maria, you may qualify for up to $830,000');
    expect(focused(form)).to.equal(title);
    expect(announced(form)).to.equal('Maria, you may qualify for up to $830,000');
    expect(events).to.deep.equal([
      {type: 'prequal-result', detail: {id, leadType: 'prequalification', status: 'done'}},
    ]);
    await clock.pass(3_600 * second);
    expect(asked(), 'no further request').to.equal(2);
  });

  it('can turn into a refusal, which leads to no page of thanks', async () => {
    const form = await openSent();
    form.setAttribute('thanks-href', '/thanks');
    await form.updateComplete;
    server.result = () => json(200, answer({...pending, status: 'refused'}));
    const event = oneEvent(form, 'prequal-result');
    await clock.pass(2 * second);
    expect((await event).detail).to.deep.equal({id, leadType: 'prequalification', status: 'refused'});
    expect(heading(form)).to.equal('We could not prepare an estimate, Maria');
    expect(form.shadowRoot?.querySelector('[href$="/thanks"]')).to.equal(null);
    await click(form, 'Change my answers');
    expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
  });

  it('is asked for less and less often, and never before the time in Retry-After', async () => {
    await openSent();
    server.result = () => json(200, answer(pending), {'Retry-After': '20'});
    await clock.pass(2 * second);
    await clock.pass(19 * second);
    expect(asked()).to.equal(1);
    await clock.pass(1 * second);
    expect(asked()).to.equal(2);
    server.result = () => json(200, answer(pending));
    await clock.pass(20 * second);
    for (let times = 0; times < 5; times++) await clock.pass(30 * second);
    const before = asked();
    await clock.pass(29 * second);
    expect(asked(), 'pauses of half a minute').to.equal(before);
  });

  for (const [what, reply] of Object.entries({
    'no network': () => Promise.reject(new TypeError('Failed to fetch')),
    'an error': () => problem(500, 'internal'),
    'too many requests': () => problem(429, 'too-many-requests', {headers: {'Retry-After': '60'}}),
    'a page of HTML': () => new Response('<h1>Welcome</h1>'),
  })) {
    it(`is asked for again after ${what}`, async () => {
      const form = await openSent();
      server.result = reply;
      await clock.pass(2 * second);
      server.result = () => json(200, answer());
      await clock.pass(60 * second);
      expect(text(form)).to.contain('$830,000');
    });
  }

  it('is no longer asked for after ten minutes, and the form says so', async () => {
    const form = await openSent();
    for (let minutes = 0; minutes < 40; minutes++) await clock.pass(30 * second);
    expect(text(form)).to.contain('too long to wait for');
    expect(announced(form)).to.contain('too long to wait for');
    const before = asked();
    expect(before).to.be.within(15, 40);
    await clock.pass(3_600 * second);
    expect(asked()).to.equal(before);
  });

  it('is no longer asked for when the server does not know the lead', async () => {
    const form = await openSent();
    server.result = () => problem(404, 'not-found');
    await clock.pass(2 * second);
    expect(text(form)).to.contain('too long to wait for');
  });

  it('is not asked for while the page is hidden, and at once when it is shown again', async () => {
    const form = await openSent();
    show(false);
    await clock.pass(600 * second);
    expect(asked()).to.equal(0);
    server.result = () => json(200, answer());
    show(true);
    await clock.settled();
    expect(text(form)).to.contain('$830,000');
  });

  it('is not asked for sooner because the page was hidden for a moment', async () => {
    await openSent();
    show(false);
    show(true);
    await clock.settled();
    expect(asked()).to.equal(0);
    await clock.pass(2 * second);
    expect(asked()).to.equal(1);
  });

  it('is not asked for while the element is off the page, and at once when it is back', async () => {
    const form = await openSent();
    const parent = form.parentElement!;
    form.remove();
    await clock.pass(600 * second);
    expect(asked()).to.equal(0);
    server.result = () => json(200, answer());
    parent.append(form);
    await clock.settled();
    expect(text(form)).to.contain('$830,000');
  });

  for (const [what, leave] of Object.entries({
    'starts over': startOver,
    'is reset by the page': async (form: LeadPrequalForm) => {
      form.reset();
      await form.updateComplete;
    },
  })) {
    it(`is no longer asked for when the visitor ${what}`, async () => {
      const form = await openSent();
      await leave(form);
      const events = listen(form);
      await clock.pass(600 * second);
      expect(asked()).to.equal(0);
      expect(events).to.deep.equal([]);
      expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
      button(form, 'Next');
    });
  }
});
