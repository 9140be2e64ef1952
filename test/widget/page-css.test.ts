/** Tests that the style sheets of a partner page do not change the form, and that the form does not change the page. */
import {expect, fixture, fixtureCleanup, html} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {useServer} from '../support/browser/fake-server.ts';
import {choose, click, open, openSent, shows} from '../support/browser/visitor.ts';

async function file(path: string) {
  const response = await fetch(`/${path}`);
  if (!response.ok) throw new Error(`there is no ${path}`);
  return response.text();
}

/**
 * Rules of real pages, and some that are worse. All tests set the same font, because
 * another one would move everything, and the same accent and radius, because the form would take them from Bootstrap.
 */
const sheets: Record<string, string | Promise<string>> = {
  Bootstrap: file('test/support/style-sheets/bootstrap.min.css'),
  // In no layer, as in Tailwind 3, where its rules are stronger.
  'the reset of Tailwind': file('test/support/style-sheets/tailwind.min.css').then((css) =>
    css.replace('@layer base', '@media all'),
  ),
  'a reset of everything': '* {all: unset !important}',
  'inherited text styles': `html * {
    text-transform: uppercase !important; letter-spacing: 0.5em !important; word-spacing: 2em !important;
    line-height: 1 !important; text-indent: 4em !important; text-align: center !important; font-style: italic;
    white-space: nowrap !important; font-weight: 900 !important; font-variant: small-caps !important;
    text-shadow: 2px 2px red; cursor: none; color: red !important; -webkit-text-fill-color: red;
    list-style: square; hyphens: auto; tab-size: 0; user-select: none;
  }`,
  'another box-sizing': '* {box-sizing: content-box !important; float: none; margin: 0; border: 0 solid}',
  'every tag restyled': `input, button, label, fieldset, legend, h2, p, a, table, td, th, ul, li, svg, form, section {
    display: inline !important; position: fixed !important; width: 7px !important; padding: 40px !important;
    background: lime !important; border: 9px dashed red !important; opacity: 0.1 !important;
  }`,
  'a rem of 10 px': 'html {font-size: 10px} body {font-size: 1.6rem}',
  'a rem of 30 px': 'html {font-size: 30px} body {font-size: 16px}',
};

const font = `body, lead-prequal-form {font: 16px sans-serif !important}
  lead-prequal-form {--prequal-accent: #0b57a4; --prequal-radius: 12px}`;
const width = 'main {display: block !important; inline-size: 480px !important; margin: 0 !important}';

/** The position, size, colours and text style of every element in the form. */
function picture(form: LeadPrequalForm) {
  const card = form.shadowRoot!.querySelector('.card')!;
  const {left, top} = card.getBoundingClientRect();
  // What is not shown has no place.
  const shown = [...card.querySelectorAll('*:not(slot)')].filter(
    (element) => element.getClientRects().length > 0,
  );
  return [card, ...shown].map((element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return {
      place: [box.left - left, box.top - top, box.width, box.height],
      style: [
        element.localName + (element.id && `#${element.id}`),
        ...[style.color, style.backgroundColor, style.fontSize, style.fontWeight, style.fontStyle],
        ...[style.letterSpacing, style.textTransform, style.textAlign, style.cursor, style.textShadow],
      ].join(' '),
    };
  });
}

type Picture = ReturnType<typeof picture>;

const styles = (elements: Picture) => elements.map(({style}) => style);

/** Allows a difference of one pixel, because the form may begin at a fraction of a pixel. */
function expectSamePlaces(found: Picture, expected: Picture, state: string) {
  for (const [index, {place, style}] of found.entries()) {
    const distances = place.map((value, side) => Math.abs(value - expected[index]!.place[side]!));
    expect(Math.max(...distances), `${state}: ${style}, at ${place.join()}`).to.be.at.most(1);
  }
}

async function pictures() {
  const form = await open({layout: 'single', theme: 'light'});
  const empty = picture(form);
  await choose(form, '680 to 720 Good');
  await click(form, 'See my estimate');
  const faulty = picture(form);
  const steps = await openSent({theme: 'light'});
  // The button to copy the result is in a later file, which may arrive after the amounts.
  await shows(steps, 'Copy');
  return {empty, faulty, result: picture(steps)};
}

describe('the partner page', () => {
  const server = useServer();
  const sheet = document.createElement('style');
  let expected: Awaited<ReturnType<typeof pictures>>;

  before(async () => {
    server.start();
    document.head.append(sheet);
    sheet.textContent = font + width;
    expected = await pictures();
    server.restore();
  });
  after(() => sheet.remove());

  for (const [name, css] of Object.entries(sheets)) {
    it(`styles of the page change nothing in the form: ${name}`, async () => {
      sheet.textContent = `${await css} ${font} ${width}`;
      const found = await pictures();
      for (const state of ['empty', 'faulty', 'result'] as const) {
        expect(styles(found[state]), state).to.deep.equal(styles(expected[state]));
        expectSamePlaces(found[state], expected[state], state);
      }
    });
  }

  it('the form looks the same on a page without a doctype', async () => {
    sheet.textContent = font + width;
    const {contentDocument} = await fixture<HTMLIFrameElement>(html`<iframe width="600"></iframe>`);
    expect(contentDocument!.compatMode).to.equal('BackCompat');
    contentDocument!.body.style.cssText = 'color: red; inline-size: 480px';
    for (const form of [await open({theme: 'light'}), await openSent({theme: 'light'})]) {
      const before = styles(picture(form));
      contentDocument!.body.append(form);
      await form.updateComplete;
      expect(styles(picture(form))).to.deep.equal(before);
      const inner = form.shadowRoot!.querySelector('form');
      expect(inner && getComputedStyle(inner).marginBlockEnd).to.be.oneOf(['0px', null]);
    }
  });

  it('the form has the font of the page, and every word fits at a large size', async () => {
    sheet.textContent = `* {font: 40px/1 'Comic Sans MS', cursive !important} ${width}`;
    const form = await open({layout: 'single'});
    const card = form.shadowRoot!.querySelector('.card')!;
    expect(getComputedStyle(card).fontSize).to.equal('40px');
    expect(getComputedStyle(card).fontFamily).to.contain('Comic Sans MS');
    expect(getComputedStyle(form.shadowRoot!.querySelector('input')!).fontFamily).to.contain('Comic Sans MS');
    expect(card.scrollWidth).to.be.at.most(card.clientWidth);
  });

  it('the page can hide the form, and switch off its pointer events', async () => {
    sheet.textContent = `${font} ${width}`;
    const form = await open();
    const card = form.shadowRoot!.querySelector('.card')!;
    form.style.visibility = 'hidden';
    expect(getComputedStyle(card).visibility).to.equal('hidden');
    form.style.pointerEvents = 'none';
    expect(getComputedStyle(card).pointerEvents).to.equal('none');
    form.hidden = true;
    expect(form.offsetHeight).to.equal(0);
  });

  it('the form adds no style, no global and no element to the page', async () => {
    sheet.textContent = '';
    const page = document.createElement('div');
    page.innerHTML =
      '<h2 class="main card">Title</h2><p>Text</p><form><input><button>Go</button></form><table></table>';
    document.body.append(page);
    const look = () =>
      [document.documentElement, document.body, ...page.querySelectorAll('*')].map((element) => {
        const style = getComputedStyle(element);
        return [...style].map((name) => `${name}: ${style.getPropertyValue(name)}`).join('; ');
      });
    const state = () => ({
      looks: look(),
      globals: Reflect.ownKeys(window).map(String).sort(),
      sheets: document.styleSheets.length + document.adoptedStyleSheets.length,
      head: document.head.childElementCount,
      attributes: [...document.documentElement.attributes, ...document.body.attributes].map(({name}) => name),
    });
    const before = state();
    await openSent();
    fixtureCleanup();
    expect(state()).to.deep.equal(before);
    page.remove();
  });
});
