/** `:state(sending)` and `:state(answered)`, as a style sheet of the page sees them. */
import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {hearConsole, stub} from '../../support/browser/browser-page.ts';
import {created, problem, useServer} from '../../support/browser/fake-server.ts';
import {
  button,
  click,
  goOn,
  open,
  openFilled,
  openSent,
  send,
  shows,
  startOver,
} from '../../support/browser/visitor.ts';

/** The names of the states that the element is in. */
const states = (form: LeadPrequalForm) =>
  ['sending', 'answered'].filter((name) => form.matches(`:state(${name})`));

describe('custom states', () => {
  const server = useServer();
  hearConsole();

  it('tell of sending, then of an answer, and are gone once the visitor starts over', async () => {
    const release = server.delayReply();
    const form = await openFilled();
    expect(states(form)).to.deep.equal([]);
    const sent = send(form);
    await shows(form, 'Sending…');
    expect(states(form)).to.deep.equal(['sending']);
    release();
    await sent;
    expect(states(form)).to.deep.equal(['answered']);
    await startOver(form);
    expect(states(form)).to.deep.equal([]);
  });

  it('tell of no answer once the visitor changes it, or the page calls reset()', async () => {
    const form = await openSent();
    await click(form, 'Change my answers');
    expect(states(form)).to.deep.equal([]);
    await goOn(form);
    await send(form);
    expect(states(form)).to.deep.equal(['answered']);
    form.reset();
    expect(states(form)).to.deep.equal([]);
  });

  it('are gone when sending fails or is cancelled, and never come if the page stops it', async () => {
    server.reply(() => problem(503, 'store-unavailable'));
    const form = await openFilled();
    form.addEventListener('prequal-submit', (event) => event.preventDefault(), {once: true});
    await click(form, 'See my estimate');
    expect(states(form)).to.deep.equal([]);
    await send(form);
    expect(states(form)).to.deep.equal([]);
    server.delayReply();
    button(form, 'Try again').click();
    await shows(form, 'Sending…');
    form.reset();
    expect(states(form)).to.deep.equal([]);
  });

  it('tell of a pending answer, and of one that is shown again after a reload', async () => {
    server.reply(() => created({status: 'pending', prequalification: null}));
    const form = await openSent();
    expect(states(form)).to.deep.equal(['answered']);
    const reloaded = await open();
    await shows(reloaded, 'Your reference');
    expect(states(reloaded)).to.deep.equal(['answered']);
  });

  for (const [what, target, name, property] of [
    ['has no internals of elements', HTMLElement.prototype, 'attachInternals', {value: undefined}],
    ['has no set of states', ElementInternals.prototype, 'states', {get: () => undefined}],
    [
      'refuses names without dashes',
      CustomStateSet.prototype,
      'add',
      {
        value() {
          throw new DOMException('The name must begin with --', 'SyntaxError');
        },
      },
    ],
  ] as const) {
    it(`are missing without an error in a browser that ${what}`, async () => {
      stub(target, name, property);
      const form = await openSent();
      await shows(form, '$830,000');
      expect(states(form)).to.deep.equal([]);
      await startOver(form);
      await shows(form, 'Step 1 of 3');
    });
  }
});
