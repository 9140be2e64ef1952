/** The partner's number and address, where the form gets no further, and what goes with a copy of the result. */
import {expect, oneEvent} from '@open-wc/testing';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {until} from '../../support/until.ts';
import {lose} from '../../support/browser/lost-files.ts';
import {hearClipboard} from '../../support/browser/browser-page.ts';
import {
  amounts,
  config,
  created,
  isReadingReply,
  problem,
  useServer,
} from '../../support/browser/fake-server.ts';
import {
  chooseScore,
  click,
  fillAll,
  focused,
  open,
  openSent,
  part,
  place,
  send,
  shows,
} from '../../support/browser/visitor.ts';

const number = {href: 'tel:+14155550132', text: '(415) 555-0132'};
const address = {href: 'mailto:hello@acme.example', text: 'hello@acme.example'};
/** As buttons say them. */
const call = {...number, text: `Call ${number.text}`};
const write = {...address, text: `Email ${address.text}`};
const cta = {en: {label: 'Book a call', href: 'https://www.acme.example/book'}};
/** As the snippet writes it, with an address that is no contact. */
const fallback = `<div>The form has not loaded. You can <a href="https://leads.example.com/apply/acme">open it</a>,
  <a href="javascript:alert(1)">run this</a>, call <a href="tel:+14155550132"><b>(415) 555-0132</b></a>, or write to
  <a href="mailto:hello@acme.example">hello@acme.example</a>.</div>`;

/** What leads on, in its order: the first is the main button. */
const ways = (form: LeadPrequalForm) =>
  [...form.shadowRoot!.querySelectorAll<HTMLAnchorElement>('.actions > .main')].map(({href, textContent}) =>
    href ? {href, text: textContent} : textContent.trim(),
  );
const saidIn = (form: LeadPrequalForm) => part(form, '.actions').innerText.trim().replace(/\s+/g, ' ');
const isFilled = (form: LeadPrequalForm) =>
  [...form.shadowRoot!.querySelectorAll('.actions > .main')].map(
    (each) => getComputedStyle(each).backgroundColor !== 'rgba(0, 0, 0, 0)',
  );

describe('the number and address of the partner', () => {
  const server = useServer();
  const none: Partial<EmbedAnswer> = {
    prequalification: {
      ...amounts,
      rollover_amount: 0,
      sba_qualified_amount: 0,
      unsecured_amount: 0,
      total_qualified_amount: 0,
    },
    reasons: {},
  };
  const refused: Partial<EmbedAnswer> = {status: 'refused', prequalification: null, reasons: {}};
  const pending: Partial<EmbedAnswer> = {status: 'pending', prequalification: null, reasons: {}};
  const link = {href: cta.en.href, text: cta.en.label};

  for (const [what, answer, expected] of [
    ['a refusal they are the ways on, before the link', refused, [call, write, link]],
    ['zeros of an upstream they are the ways on, before the link', none, [call, write, link]],
    ['amounts there is the link alone, which is one step', {}, [link]],
    ['amounts that are to come there is the link alone', pending, [link]],
  ] as const) {
    it(`below ${what}`, async () => {
      server.config = () => config({contact: [number, address], cta});
      server.reply(() => created(answer));
      const form = await openSent();
      expect(ways(form)).to.deep.equal(expected);
      expect(isFilled(form)).to.deep.equal(expected.map((_, index) => index === 0));
    });
  }

  it('the number is the next step below amounts without a link, directly under the bar', async () => {
    server.config = () => config({contact: [number, address]});
    const form = await openSent();
    expect(form.shadowRoot!.querySelector('.bar + .ways')?.textContent.trim()).to.equal(call.text);
    expect(form.shadowRoot!.querySelectorAll('.ways + table')).to.have.length(1);
  });

  it('an amount of zero is one line in little space, and says at a press what it needs', async () => {
    const form = await openSent();
    const row = form.shadowRoot!.querySelector<HTMLElement>('[part=unlock] > *')!;
    const needs = row.querySelector<HTMLElement>('[part=reason]')!;
    form.style.inlineSize = '328px';
    expect(needs.checkVisibility()).to.equal(false);
    expect(row.offsetHeight).to.be.at.most(56);
    row.querySelector('summary')!.click();
    await until(() => needs.checkVisibility());
    row.querySelector('summary')!.click();
    form.style.inlineSize = '640px';
    await until(() => needs.checkVisibility(), 'with room, nothing is folded away');
  });

  const apply = {href: 'https://leads.example.com/apply/acme?lang=en', text: 'Continue on our own page'};
  const forbidden = () => problem(403, 'lead-type-not-allowed');

  it('are the ways on where the server takes no lead, and the button of the form is none', async () => {
    server.config = () => config({contact: [number, address]});
    server.reply(forbidden);
    const form = await openSent();
    expect(ways(form)).to.deep.equal([call, write, 'See my estimate']);
    await until(() => isFilled(form).join() === 'true,false,false', 'the button of the form steps back');
    await expect(form).to.be.accessible();
    await click(form, 'Back');
    expect(ways(form)).to.deep.equal(['Next']);
  });

  const failures = {
    'a network error': () => Promise.reject(new TypeError('Failed to fetch')),
    'a status of 503': () => problem(503, 'store-unavailable'),
    'a status of 500': () => problem(500, 'internal'),
  };
  for (const [what, contact, said] of [
    ['a network error', [number, address], `Try again or call ${number.text} Back`],
    ['a status of 503', [address], `Try again or email ${address.text} Back`],
    ['a status of 500', [], 'Try again Back'],
  ] as const) {
    it(`stand below "Try again" from the first failure on, without a link to the server: ${what}`, async () => {
      server.reply(failures[what]);
      server.config = () => config({contact});
      const form = await openSent();
      expect(saidIn(form)).to.equal(said);
      expect(ways(form)).to.deep.equal(['Try again']);
      expect(form.shadowRoot!.querySelectorAll('a[href^=http]')).to.have.length(0);
      await expect(form).to.be.accessible();
    });
  }

  it('stand below the apply page on a page that is not listed, which is said at the first "Next"', async () => {
    server.config = () => problem(403, 'origin-not-allowed');
    for (const [lang, title, says] of [
      ['en', 'This page cannot send your answers', 'or call'],
      ['es', 'Esta página no puede enviar sus respuestas', 'o llame al'],
    ] as const) {
      const form = await open({lang}, fallback);
      await chooseScore(form, lang === 'en' ? undefined : 'Más de 720 Excelente');
      await until(() => !isReadingReply());
      const failed = oneEvent(form, 'prequal-error');
      part(form, 'button.main').click();
      expect((await failed).detail).to.deep.equal({code: 'origin-not-allowed', retryable: false});
      await shows(form, title);
      expect(focused(form)?.matches('.alert')).to.equal(true);
      expect(saidIn(form)).to.contain(`${says} ${number.text}`);
      const {href, target} = part<HTMLAnchorElement>(form, 'a.main');
      expect([href, target]).to.deep.equal([apply.href.replace('=en', `=${lang}`), '_blank']);
      expect(part(form, 'button.main').checkVisibility(), 'no button that can only fail').to.equal(false);
      await expect(form).to.be.accessible();
      expect(server.leads).to.have.length(0);
      form.remove();
    }
  });

  for (const [what, reply] of [
    ['the configuration was refused', forbidden],
    ['an older server does not send them', () => config()],
    ['a newer server sends them in another way', () => config({contact: 'soon' as never})],
  ] as const) {
    it(`come from what the snippet has put into the element if ${what}`, async () => {
      server.config = reply;
      server.reply(forbidden);
      const form = await open({layout: 'single'}, fallback);
      await fillAll(form);
      await send(form);
      expect(ways(form)).to.deep.equal([call, write, 'See my estimate']);
      expect(form.shadowRoot!.querySelector('.actions b')).to.equal(null);
    });
  }

  it('of the server can be no other address', async () => {
    const script = {href: 'javascript:alert(1)', text: 'Call us'};
    server.config = () => config({contact: [script, {href: 'tel:1'} as never, number]});
    server.reply(() => created(refused));
    expect(ways(await openSent())).to.deep.equal([call]);
  });

  it('come from the element if a file of the form does not arrive', async () => {
    const restore = lose('rest');
    const form = await open({}, fallback);
    await send(form, 'Next');
    expect(ways(form)).to.deep.equal(['Try again', number, address]);
    expect(isFilled(form)).to.deep.equal([true, false, false]);
    const failed = oneEvent(document, 'prequal-error');
    const single = await place({layout: 'single'}, fallback);
    await failed;
    await shows(single, 'Try again');
    expect(ways(single)).to.deep.equal(['Try again', number, address]);
    restore();
    await click(form, 'Try again');
    await chooseScore(form);
    expect(ways(form)).to.deep.equal(['Next']);
  });

  it('go with a copy of the result, as the name and the date do', async () => {
    const copies = hearClipboard();
    server.config = () => config({name: 'Acme Funding', contact: [number, address]});
    const form = await openSent();
    await click(form, 'Copy');
    await shows(form, 'Copied');
    const lines = copies[0]!.split('\n');
    expect(lines[0]).to.equal('Acme Funding · (415) 555-0132 · hello@acme.example');
    expect(lines.at(-1)).to.match(/^Made on \w+ \d+, \d{4}\.$/);
  });
});
