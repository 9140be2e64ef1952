import {expect, waitUntil} from '@open-wc/testing';
import {Clock} from '../../support/browser/clock.ts';
import {hearClipboard, stub} from '../../support/browser/browser-page.ts';
import {config, created, useServer} from '../../support/browser/fake-server.ts';
import {announced, button, click, maybeButton, openSent, shows} from '../../support/browser/visitor.ts';

describe('the takeaway', () => {
  const server = useServer();
  /** Whether the visitor welcomes motion. */
  const welcomeMotion = (matches: boolean) => {
    const matchMedia = window.matchMedia.bind(window);
    stub(window, 'matchMedia', {
      value: (query: string) => (query.includes('reduced-motion') ? {matches} : matchMedia(query)),
    });
  };
  const setClipboard = (value: unknown) => stub(navigator, 'clipboard', {value});

  const result = async (children = '') => {
    server.reply(() => created());
    const form = await openSent({}, children);
    await shows(form, 'Print or save as PDF');
    return form;
  };

  it('Copy copies the result as text, and says so', async () => {
    const copies = hearClipboard();
    const form = await result();
    await click(form, 'Copy');
    await shows(form, 'Copied');
    expect(announced(form)).to.equal('Copied');
    expect(copies).to.deep.equal([
      [
        'Your estimate by kind of funding',
        'Retirement rollover: $120,000',
        'SBA loan: $560,000',
        'Unsecured loan: $150,000',
        'Total: $830,000',
        'How to unlock more',
        'Portfolio loan: Needs investments outside of retirement accounts.',
        'This is an estimate from your own answers, not an offer or a commitment to lend.',
        'What happens next',
        'We will contact you about this estimate at (415) 555-0132.',
        'Your reference: 0000-0000',
        `Made on ${new Intl.DateTimeFormat('en-US', {dateStyle: 'long'}).format()}.`,
      ].join('\n'),
    ]);
  });

  for (const [what, label, writeText] of [
    ['copied', 'Copied', () => Promise.resolve()],
    ['not copied', 'It could not be copied', () => Promise.reject(new DOMException('', 'NotAllowedError'))],
  ] as const) {
    it(`the button says Copy again a few seconds after the result was ${what}`, async () => {
      setClipboard({writeText});
      const form = await result();
      const clock = new Clock();
      for (let press = 0; press < 2; press++) {
        await click(form, 'Copy');
        await shows(form, label);
        expect(announced(form)).to.equal(label);
        await clock.pass(3_000);
        button(form, label);
        await clock.pass(2_000);
        button(form, 'Copy');
      }
    });
  }

  it('there is no Copy button where there is no clipboard, as on a page without TLS', async () => {
    setClipboard(undefined);
    const form = await result();
    expect(maybeButton(form, 'Copy')).to.equal(undefined);
    expect(maybeButton(form, 'Print or save as PDF')).not.to.equal(undefined);
  });

  /** Prints without a dialog. @returns the window that is printed, which must not be the page itself */
  const printed = async (form: HTMLElement) => {
    const {promise, resolve} = Promise.withResolvers<Window & typeof globalThis>();
    const pagePrint = window.print.bind(window);
    window.print = () => expect.fail('the page itself was printed');
    const frame = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentDocument')!;
    Object.defineProperty(HTMLIFrameElement.prototype, 'contentDocument', {
      configurable: true,
      get(this: HTMLIFrameElement) {
        const document = frame.get!.call(this) as Document | null;
        const paper = document?.defaultView;
        if (paper) paper.print = () => resolve(paper);
        return document;
      },
    });
    try {
      button(form as never, 'Print or save as PDF').click();
      return await promise;
    } finally {
      Object.defineProperty(HTMLIFrameElement.prototype, 'contentDocument', frame);
      window.print = pagePrint;
    }
  };

  it('the result is printed alone: partner, total, table, date and the partner’s words, on white', async () => {
    const contact = [{href: 'tel:+14155550132', text: '(415) 555-0132'}];
    server.config = () => config({name: 'Acme Funding', contact});
    const form = await result('<p slot="disclaimer">Acme is not a bank.</p><p>Loading…</p>');
    const pageNow = () => [
      document.documentElement.outerHTML.length,
      document.adoptedStyleSheets.length,
      form.shadowRoot!.adoptedStyleSheets.length,
    ];
    const before = pageNow();
    const paper = await printed(form);
    const copy = paper.document.body.firstElementChild as HTMLElement;
    const card = copy.shadowRoot!.querySelector<HTMLElement>('.card')!;
    const words = card.innerText.replace(/\s+/g, ' ');
    expect(words)
      .to.contain('$830,000')
      .and.to.contain('Retirement rollover')
      .and.to.contain('How to unlock more');
    expect(words)
      .to.match(/^Acme Funding · \(415\) 555-0132 /)
      .and.to.contain('Your reference: 0000-0000');
    expect(words, 'what an amount of zero needs is not folded away').to.contain('Needs investments outside');
    expect(words).to.match(/not an offer or a commitment to lend\. Made on \w+ \d+, \d{4}\./);
    expect(copy.innerText).to.contain('Acme is not a bank.');
    expect(paper.getComputedStyle(card).backgroundColor).to.equal('rgb(255, 255, 255)');
    const fill = (root: ParentNode, page: Window) =>
      page.getComputedStyle(root.querySelector('.fill-0')!).fill;
    expect(fill(card, paper)).to.equal(fill(form.shadowRoot!, window));
    expect(pageNow()).to.deep.equal(before);
    paper.dispatchEvent(new Event('afterprint'));
    expect(form.shadowRoot!.querySelector('iframe')).to.equal(null);
  });

  const drawn = (form: HTMLElement) =>
    form.shadowRoot!.querySelector<HTMLElement>('.total')!.dataset['drawn'];

  it('the total counts up where motion is welcome, but not for screen readers', async () => {
    welcomeMotion(true);
    const form = await result();
    await waitUntil(() => drawn(form) !== undefined, 'the total begins counting');
    expect(form.shadowRoot!.querySelector('.total')!.textContent).to.equal('$830,000');
    await waitUntil(() => drawn(form) === undefined, 'the total stops counting', {timeout: 5_000});
  });

  it('a total that still counts up is printed as it will be', async () => {
    welcomeMotion(true);
    const form = await result();
    await waitUntil(() => drawn(form) !== undefined);
    const paper = await printed(form);
    const total = paper.document.body.firstElementChild!.shadowRoot!.querySelector<HTMLElement>('.total')!;
    expect(total.dataset['drawn']).to.equal(undefined);
  });

  it('the total does not count up where motion is not welcome', async () => {
    welcomeMotion(false);
    const form = await result();
    const seen = new Set<string | undefined>();
    for (let frame = 0; frame < 5; frame++) {
      await new Promise(requestAnimationFrame);
      seen.add(drawn(form));
    }
    expect([...seen]).to.deep.equal([undefined]);
  });
});
