/** What the visitor sees and can do while a lead is being sent, and when the connection comes back. */
import {expect} from '@open-wc/testing';
import {hearConsole, stub} from '../../support/browser/browser-page.ts';
import {newChallenge} from '../../support/browser/challenge.ts';
import {Clock} from '../../support/browser/clock.ts';
import {config, created, problem, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  announced,
  button,
  click,
  field,
  fillAll,
  fillContact,
  focused,
  maybeButton,
  open,
  openFilled,
  openSent,
  send,
  shows,
  text,
} from '../../support/browser/visitor.ts';
import {lose} from '../../support/browser/lost-files.ts';

const slow = 'This takes longer than usual. Please stay on this page.';

describe('while a lead is being sent', () => {
  const server = useServer();

  it('the fields show what is being sent and cannot be changed, and after a failure they can', async () => {
    const release = server.delayReply(() => problem(503, 'store-unavailable'));
    const form = await openFilled({order: 'contact-first'});
    const cash = field(form, 'Cash');
    cash.focus();
    cash.value = '60k';
    button(form, 'See my estimate').click();
    await shows(form, 'Sending…');
    expect(focused(form), 'the focus is not lost').to.equal(button(form, 'Sending…'));
    expect(cash.value).to.equal('60,000');
    cash.focus();
    button(form, 'None for Cash').focus();
    expect(focused(form)).to.equal(button(form, 'Sending…'));
    expect(maybeButton(form, 'Back')).to.equal(undefined);

    release();
    await shows(form, 'Something went wrong');
    expect(focused(form)?.textContent).to.contain('Something went wrong');
    cash.focus();
    expect(focused(form)).to.equal(cash);
    expect(server.leads[0]!.body.lead).to.include({cash: 60_000});
    await click(form, 'Back');
  });

  it('the page may send the lead while the focus is elsewhere, and keeps the focus', async () => {
    const release = server.delayReply();
    const form = await openFilled();
    await shows(form, 'See my estimate');
    focused(form)?.blur();
    const sent = form.submit();
    await shows(form, 'Sending…');
    expect(document.activeElement?.tagName).to.equal('BODY');
    release();
    await sent;
  });

  for (const layout of ['steps', 'single']) {
    it(`a line says after four seconds that it goes on, and no button moves (layout ${layout})`, async () => {
      const clock = new Clock();
      const release = server.delayReply(() => problem(503, 'store-unavailable'));
      const form = await open({layout, 'lead-type': layout === 'single' ? 'standard' : 'prequalification'});
      if (layout === 'single') await fillContact(form);
      else await fillAll(form);
      const main = button(form, layout === 'single' ? 'Send' : 'See my estimate');
      main.click();
      await shows(form, 'Sending…');
      await clock.pass(3_900);
      expect(text(form)).not.to.contain(slow);
      const box = () => [main.getBoundingClientRect().top, form.getBoundingClientRect().height];
      const before = box();
      await clock.pass(100);
      await shows(form, slow);
      expect(announced(form)).to.equal(slow);
      expect(box()).to.deep.equal(before);

      release();
      await shows(form, 'Something went wrong');
      expect(text(form)).not.to.contain(slow);
    });
  }

  const endless = () => new Promise<never>(() => {});
  for (const [what, begin] of [
    ['the proof of work', () => stub(crypto.subtle, 'deriveBits', {value: endless})],
    ['a request that does not listen to its signal', () => server.reply(endless)],
  ] as const) {
    it(`half a minute of waiting for ${what} ends as a failure, with a number to call`, async () => {
      const clock = new Clock();
      const challenge = await newChallenge();
      server.config = () =>
        config({challenge, contact: [{href: 'tel:+14155550132', text: '(415) 555-0132'}]});
      begin();
      const form = await openFilled();
      const failed = send(form);
      await shows(form, 'Sending…');
      await until(() => server.leads.length > 0 || what.includes('proof'));
      await clock.pass(30_000);
      expect((await failed).detail).to.deep.equal({code: 'timeout', retryable: true});
      expect(text(form)).to.contain('We could not send your answers There was no answer in time.');
      expect(button(form, 'Try again')).to.exist;
      expect(text(form)).to.contain('Try again or call (415) 555-0132');
    });
  }

  it('a lead that is sent at once is never said to take long', async () => {
    const clock = new Clock();
    const form = await openSent();
    await clock.pass(4_000);
    expect(text(form)).not.to.contain(slow);
  });
});

describe('when the connection comes back', () => {
  const server = useServer();
  hearConsole();

  const comeBack = () => window.dispatchEvent(new Event('online'));

  it('the notice that sending failed goes, and the button has its name again', async () => {
    server.reply(
      () => Promise.reject(new TypeError('Failed to fetch')),
      () => created(),
    );
    const form = await openSent();
    expect(text(form)).to.contain('Please check your connection');
    comeBack();
    await form.updateComplete;
    expect(text(form)).not.to.contain('Please check your connection');
    expect(announced(form)).to.equal('You are connected again.');
    await form.updateComplete;
    expect(focused(form)).to.equal(button(form, 'See my estimate'));
    await send(form);
    await shows(form, '$830,000');
  });

  it('the notice that a file did not arrive goes, and the button has its name again', async () => {
    lose('rest');
    const form = await open();
    await send(form, 'Next');
    comeBack();
    await form.updateComplete;
    await form.updateComplete;
    expect(text(form)).not.to.contain('We could not load');
    expect(announced(form)).to.equal('You are connected again.');
    expect(focused(form)).to.equal(button(form, 'Next'));
  });

  it('other notices stay, and a form without a notice says nothing', async () => {
    server.reply(() => problem(503, 'store-unavailable'));
    const form = await open();
    comeBack();
    await form.updateComplete;
    expect(announced(form)).to.equal('');
    await fillAll(form);
    await send(form);
    comeBack();
    await form.updateComplete;
    expect(text(form)).to.contain('Something went wrong');
    expect(announced(form)).to.equal('');
  });
});
