import {expect, fixture, html, oneEvent} from '@open-wc/testing';
import {sendKeys, setViewport} from '@web/test-runner-commands';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {lose} from '../support/browser/lost-files.ts';
import {itExceptWebKit} from '../support/browser/drivers.ts';
import {goTo, hearConsole} from '../support/browser/browser-page.ts';
import {keepDraft, keptDraft} from '../support/browser/drafts.ts';
import {endpoint, useServer} from '../support/browser/fake-server.ts';
import {chooseScore, click, field, focused, heading, shows, text} from '../support/browser/visitor.ts';
import {until} from '../support/until.ts';

useServer();
const said = hearConsole();

const dialogOf = (form: LeadPrequalForm) => form.shadowRoot!.querySelector('dialog')!;
/** What scrolls inside the dialog. */
const scrollerOf = (form: LeadPrequalForm) => form.shadowRoot!.querySelector('.card')!;
const isOpen = (form: LeadPrequalForm) => dialogOf(form).matches(':modal');
const untilOpen = (form: LeadPrequalForm) => until(() => isOpen(form), 'the dialog is open');

/** Puts a form with an id on a page, with links and buttons that open it. */
async function placeUnready(attributes = '', around = ''): Promise<LeadPrequalForm> {
  const main = document.createElement('main');
  main.innerHTML = `
    <a class="link" href="#estimate">How much can I get?</a>
    <button class="button" commandfor="estimate" command="--open">How much can I get?</button>
    <div style="${around}">
      <lead-prequal-form id="estimate" presentation="dialog" partner="acme" endpoint="${endpoint}" ${attributes}>
        <h2 slot="heading">Your estimate</h2>
      </lead-prequal-form>
    </div>
    <p style="height: 3000px">Below</p>`;
  await fixture(html`${main}`);
  return main.querySelector('lead-prequal-form')!;
}

/** Puts such a form on a page, and waits until it is ready. */
async function place(attributes = '', around = ''): Promise<LeadPrequalForm> {
  const ready = oneEvent(document, 'prequal-ready');
  const form = await placeUnready(attributes, around);
  await ready;
  return form;
}

const opener = (name: 'link' | 'button') => document.querySelector<HTMLElement>(`main .${name}`)!;

async function closed(form: LeadPrequalForm) {
  await until(() => !dialogOf(form).open, 'the dialog is closed');
  // The event comes a moment later.
  await until(() => document.documentElement.style.overflow !== 'hidden');
}

describe('a form in a dialog', () => {
  it('takes no room on the page, even if the page reserves a height', async () => {
    const form = await place('style="display: block; min-height: 45em"');
    expect(form.getBoundingClientRect().height).to.equal(0);
    expect(isOpen(form)).to.be.false;
  });

  it('is opened by a link to it, and gives the focus back to the link', async () => {
    const form = await place();
    const before = location.href;
    opener('link').click();
    await untilOpen(form);
    expect(location.href, 'the history of the page is unchanged').to.equal(before);
    expect(focused(form)?.localName).to.equal('h2');
    await sendKeys({press: 'Escape'});
    await closed(form);
    expect(document.activeElement).to.equal(opener('link'));
  });

  for (const [href, opens] of [
    ['https://leads.example.com/apply/acme#estimate', true],
    ['https://leads.example.com/apply/acme?lang=es#estimate', true],
    ['https://leads.example.com/apply/acme', false],
    ['https://leads.example.com/apply/globex#estimate', false],
    ['https://leads.example.com/apply/acme#other', false],
    ['https://leads.example.com/other#estimate', false],
  ] as const) {
    it(`is ${opens ? '' : 'not '}opened by a link to ${href}`, async () => {
      const form = await place();
      const link = opener('link') as HTMLAnchorElement;
      link.href = href;
      let isPrevented: boolean | undefined;
      // Keeps the tests on their page.
      addEventListener(
        'click',
        (event) => {
          isPrevented = event.defaultPrevented;
          event.preventDefault();
        },
        {once: true},
      );
      link.click();
      expect(isPrevented).to.equal(opens);
      if (opens) await untilOpen(form);
      else expect(isOpen(form)).to.be.false;
    });
  }

  const svg = (href: string) =>
    `<svg width="40" height="20"><a ${href}="#estimate"><rect class="link" width="40" height="20"/></a></svg>`;
  for (const [what, content] of [
    ['that has the whole address', `<a class="link" href="${location.href.split('#')[0]}#estimate">Open</a>`],
    ['in an image map', '<map name="map"><area class="link" href="#estimate" alt="Open"></map>'],
    ['in an SVG', svg('href')],
    ['in an SVG, as older ones write it', svg('xlink:href')],
    ['that names a window for it', '<a class="link" href="#estimate" target="_blank">Open</a>'],
  ] as const) {
    it(`is opened by a link ${what}, although addresses are relative to another and clicks are stopped`, async () => {
      const base = document.head.appendChild(document.createElement('base'));
      base.href = '/elsewhere/';
      const form = await place();
      const stop = (event: Event) => event.stopImmediatePropagation();
      document.addEventListener('click', stop, true);
      const around = document.createElement('div');
      form.closest('main')!.prepend(around);
      const root = around.attachShadow({mode: 'open'});
      root.innerHTML = content;
      root
        .querySelector('.link')!
        .dispatchEvent(new MouseEvent('click', {bubbles: true, composed: true, cancelable: true}));
      base.remove();
      document.removeEventListener('click', stop, true);
      await untilOpen(form);
    });
  }

  it('is opened by a button that names it with commandfor, and gives the focus back to it', async () => {
    const form = await place();
    const source = opener('button');
    // The browser may be older than the attribute, so the test sends its event.
    form.dispatchEvent(Object.assign(new Event('command'), {command: '--open', source}));
    await untilOpen(form);
    await click(form, '×');
    await closed(form);
    expect(document.activeElement).to.equal(source);
  });

  it('is open if the address of the page names it', async () => {
    goTo('#estimate');
    await untilOpen(await place());
  });

  it('leaves links alone that lead elsewhere, or that open another tab', async () => {
    const form = await place();
    const link = opener('link');
    for (const [href, init] of [
      ['#', {}],
      ['#other', {}],
      ['/other#estimate', {}],
      ['#estimate', {ctrlKey: true}],
    ] as const) {
      link.setAttribute('href', href);
      const event = new MouseEvent('click', {bubbles: true, composed: true, cancelable: true, ...init});
      let taken = true;
      const look = (seen: Event) => {
        taken = seen.defaultPrevented;
        seen.preventDefault();
      };
      addEventListener('click', look, {once: true});
      link.dispatchEvent(event);
      expect(taken, href).to.be.false;
    }
    expect(isOpen(form)).to.be.false;
  });

  it('keeps everything typed when it is closed, and is where the visitor left it', async () => {
    const form = await place();
    await form.open();
    await chooseScore(form);
    await click(form, 'Next');
    await sendKeys({press: 'Escape'});
    await closed(form);
    await form.open();
    expect(heading(form)).to.contain('Step 2 of 3');
    await click(form, 'Back');
    expect(field(form, 'Above 720 Excellent').checked).to.equal(true);
  });

  it('says in a sandbox that it is a sample', async () => {
    const form = await place('sandbox');
    await form.open();
    expect(isOpen(form)).to.be.true;
    expect(text(form)).to.contain('Sample.');
  });

  it('opens once when open() is called twice, also before it has arrived', async () => {
    const form = document.createElement('lead-prequal-form');
    form.setAttribute('presentation', 'dialog');
    form.setAttribute('endpoint', endpoint);
    await fixture(html`<main>${form}</main>`);
    await Promise.all([form.open(), form.open()]);
    expect(isOpen(form)).to.be.true;
    await form.open();
    dialogOf(form).close();
    await closed(form);
  });

  it('that is removed while it is open is closed when it is back, and the page scrolls again', async () => {
    const form = await place();
    await form.open();
    const parent = form.parentElement!;
    form.remove();
    await until(() => document.documentElement.style.overflow !== 'hidden');
    parent.append(form);
    await form.updateComplete;
    expect(dialogOf(form).open).to.be.false;
    expect(form.getBoundingClientRect().height).to.equal(0);
    await form.open();
    expect(isOpen(form)).to.be.true;
  });

  itExceptWebKit('covers a page whose parts hide their overflow and are moved', async () => {
    await setViewport({width: 800, height: 600});
    const form = await place('', 'overflow: hidden; transform: scale(0.1); height: 10px');
    await form.open();
    const {width, height, top, bottom} = dialogOf(form).getBoundingClientRect();
    expect(width).to.equal(640);
    expect(height).to.be.above(300);
    expect(top >= 0 && bottom <= innerHeight, 'it stands within the window').to.be.true;
  });

  itExceptWebKit('shows the progress of each step below the button that closes it', async () => {
    await setViewport({width: 360, height: 640});
    const form = await place();
    await form.open();
    await chooseScore(form);
    scrollerOf(form).scrollTo(0, scrollerOf(form).scrollHeight);
    await click(form, 'Next');
    const edges = (selector: string) => form.shadowRoot!.querySelector(selector)!.getBoundingClientRect();
    expect(edges('.progress').top).to.be.at.least(edges('.close').bottom);
  });

  itExceptWebKit('scrolls inside on a phone, with its button to close always in reach', async () => {
    await setViewport({width: 360, height: 480});
    const form = await place('layout="single"');
    await form.open();
    const card = scrollerOf(form);
    expect(card.scrollHeight).to.be.above(card.clientHeight);
    expect(card.scrollWidth).to.equal(card.clientWidth);
    card.scrollTo(0, card.scrollHeight);
    const button = form.shadowRoot!.querySelector('.close')!.getBoundingClientRect();
    expect(button.top >= 0 && button.bottom <= innerHeight).to.be.true;
    expect(button.width >= 44 && button.height >= 44, 'it is large enough for a finger').to.be.true;
    expect(getComputedStyle(document.documentElement).overflowY, 'the page behind stays').to.equal('hidden');
    await setViewport({width: 800, height: 600});
  });

  /** The parts of the form that are below the button that closes it, wherever the visitor scrolls. */
  function covered(form: LeadPrequalForm): string[] {
    const scroller = scrollerOf(form);
    const found = new Set<string>();
    for (let top = 0; top < scroller.scrollHeight; top += 8) {
      scroller.scrollTo({top, behavior: 'instant'});
      const {
        left,
        right,
        top: upper,
        bottom,
      } = form.shadowRoot!.querySelector('.close')!.getBoundingClientRect();
      for (const x of [left + 1, (left + right) / 2, right - 1])
        for (const y of [upper + 1, (upper + bottom) / 2, bottom - 1])
          for (const element of form.shadowRoot!.elementsFromPoint(x, y))
            if (element.closest('.card') && element !== scroller) found.add(element.outerHTML.slice(0, 60));
    }
    return [...found];
  }

  // The last is the first, zoomed to 200 %.
  for (const [width, height] of [
    [640, 360],
    [360, 480],
    [360, 300],
    [320, 180],
  ] as const) {
    itExceptWebKit(`is never covered by the button that closes it: ${width} by ${height}`, async () => {
      await setViewport({width, height});
      const form = await place('layout="single"');
      await form.open();
      await click(form, 'See my estimate');
      expect(form.shadowRoot!.querySelectorAll('.error').length).to.be.above(3);
      expect(covered(form)).to.deep.equal([]);
      expect(dialogOf(form).scrollHeight, 'only the card scrolls').to.equal(dialogOf(form).clientHeight);
      for (const input of form.shadowRoot!.querySelectorAll<HTMLElement>(
        '.card input:not([tabindex="-1"])',
      )) {
        input.focus();
        const {top, bottom} = input.getBoundingClientRect();
        const edges = scrollerOf(form).getBoundingClientRect();
        const seen = `${input.id} is seen when it has the focus: ${JSON.stringify([top, bottom, edges])}`;
        // Firefox leaves an input where it is as long as a part of it is seen.
        expect(top < edges.bottom && bottom > edges.top, seen).to.be.true;
      }
      await setViewport({width: 800, height: 600});
    });
  }

  it('has the colours of its theme around it, too', async () => {
    const form = await place('theme="dark"');
    await form.open();
    const paper = getComputedStyle(scrollerOf(form)).backgroundColor;
    expect(getComputedStyle(dialogOf(form)).backgroundColor).to.equal(paper);
  });

  for (const lang of ['en', 'es']) {
    it(`has a name, and a button that says that it closes: ${lang}`, async () => {
      const form = await place(`lang="${lang}"`);
      await form.open();
      expect(dialogOf(form).getAttribute('aria-label')).to.equal('Your estimate');
      const label = form.shadowRoot!.querySelector('.close')!.getAttribute('aria-label');
      expect(label).to.equal({en: 'Close', es: 'Cerrar'}[lang]);
      await expect(form).to.be.accessible();
    });
  }

  it('whose file does not arrive shows a notice in the page, and "Try again" opens the dialog', async () => {
    const restore = lose('rest');
    const form = await placeUnready();
    await shows(form, 'We could not load all of the form');
    expect(form.shadowRoot!.querySelector('dialog')).to.equal(null);
    restore();
    await click(form, 'Try again');
    await until(() => dialogOf(form).open);
    await chooseScore(form);
  });

  it('stays closed when its file arrives late, although its address asks, and keeps the draft', async () => {
    goTo(`${location.search}#estimate`);
    keepDraft({credit_score: 'Above 720'});
    const restore = lose('rest');
    const form = await placeUnready('draft');
    await shows(form, 'We could not load all of the form');
    restore();
    window.dispatchEvent(new Event('online'));
    await until(() => form.shadowRoot!.querySelector('dialog') !== null);
    await form.updateComplete;
    expect(dialogOf(form).open).to.be.false;
    await form.open();
    expect(field(form, 'Above 720 Excellent').checked).to.equal(true);
    expect(keptDraft()).to.include({credit_score: 'Above 720'});
  });

  it('stays as it is when a link of the page is clicked that leads to no page', async () => {
    const form = await place();
    const errors: unknown[] = [];
    const note = (event: ErrorEvent) => errors.push(event.message);
    addEventListener('error', note);
    for (const href of ['tel:+14155550132', 'mailto:hello@acme.example', undefined]) {
      const link = document.querySelector('main')!.appendChild(document.createElement('a'));
      if (href) link.href = href;
      link.addEventListener('click', (event) => event.preventDefault());
      link.click();
    }
    removeEventListener('error', note);
    expect(errors).to.deep.equal([]);
    expect(isOpen(form)).to.be.false;
  });

  it('open() tries again to load a dialog whose file did not arrive', async () => {
    const restore = lose('rest');
    const form = await placeUnready();
    await form.open();
    expect(form.shadowRoot!.querySelector('dialog')).to.equal(null);
    restore();
    await form.open();
    expect(dialogOf(form).open).to.be.true;
  });
});

it('open() does nothing for a form that stands in the page, and the console says what it needs', async () => {
  const form = document.createElement('lead-prequal-form');
  await fixture(html`<main>${form}</main>`);
  await form.open();
  await until(() => said.join().includes('presentation="dialog"'));
});
