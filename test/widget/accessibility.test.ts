/**
 * Tests WCAG 2.2 AA in every state of the form, as far as a machine can. docs/accessibility.md lists the other tests.
 */
import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {FakeServer} from '../support/browser/fake-server.ts';
import {openState, states} from '../support/browser/states.ts';
import {open} from '../support/browser/visitor.ts';

/** The elements that match the selector and can be seen. */
const each = <Found extends Element = HTMLElement>(form: LeadPrequalForm, selector: string) =>
  [...form.shadowRoot!.querySelectorAll<Found & HTMLElement>(selector)].filter(
    (element) =>
      !element.closest('.unseen, [type=hidden]') &&
      element.checkVisibility({visibilityProperty: true, checkVisibilityCSS: true}),
  );

/** The inputs for text. */
const inputs = 'input:not([type=radio], [type=checkbox])';

/** The text spacing that readers may set for every page, by success criterion 1.4.12 of WCAG. */
const spacing = new CSSStyleSheet();
spacing.replaceSync(`* {
  line-height: 1.5 !important;
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
}
p { margin-block-end: 2em !important }`);

let server: FakeServer;
beforeEach(() => (server = new FakeServer()));
afterEach(() => {
  server.restore();
  document.documentElement.style.colorScheme = '';
  document.body.style.background = '';
});

describe('axe', () => {
  for (const theme of ['light', 'dark']) {
    for (const [name, state] of Object.entries(states)) {
      it(`axe finds no fault in the state "${name}", ${theme}`, async () => {
        document.documentElement.style.colorScheme = theme;
        document.body.style.background = 'Canvas';
        await expect(await openState(state, server, {theme})).to.be.accessible();
      });
    }
  }
});

/** Everything of the form stays within the padding of its card, and no text is cut off. */
function expectToFit(form: LeadPrequalForm, context: string) {
  const card = form.shadowRoot!.querySelector<HTMLElement>('.card')!;
  expect(form.scrollWidth, context).to.be.at.most(form.clientWidth);
  const padding = parseFloat(getComputedStyle(card).paddingInlineStart);
  const {left, right} = card.getBoundingClientRect();
  for (const element of each(form, '.card *:not(svg *, slot)')) {
    const box = element.getBoundingClientRect();
    const what = `${element.outerHTML.slice(0, 120)} ${context}`;
    expect(box.left, what).to.be.at.least(left + padding - 1);
    expect(box.right, what).to.be.at.most(right - padding + 1);
    if (element.localName !== 'input' && element.clientWidth > 0) {
      expect(element.scrollWidth, what).to.be.at.most(element.clientWidth + 1);
    }
  }
}

describe('in every state', () => {
  for (const [name, state] of Object.entries(states)) {
    it(`the state "${name}" fits 320 px, which is 400 % zoom, and 240 px, also with wide text spacing`, async () => {
      const form = await openState(state, server);
      for (const width of [320, 240]) {
        form.style.inlineSize = `${width}px`;
        expectToFit(form, `at ${width} px`);
        form.shadowRoot!.adoptedStyleSheets.push(spacing);
        expectToFit(form, `at ${width} px, spaced out`);
        form.shadowRoot!.adoptedStyleSheets.pop();
      }
    });

    it(`the state "${name}" has targets of at least 44 px on a small phone, also with little space and small type`, async () => {
      const form = await openState(state, server);
      form.style.inlineSize = '288px';
      for (const space of ['', '2px']) {
        form.style.setProperty('--prequal-space', space);
        form.style.fontSize = space && '10px';
        for (const control of each(form, `${inputs}, button, .option, .consent label, a.main`)) {
          expect(control.offsetHeight, control.outerHTML).to.be.at.least(44);
          expect(control.offsetWidth, control.outerHTML).to.be.at.least(44);
        }
        // WCAG asks for 24 px for the links of a list, but not for a link within a sentence.
        for (const link of each(form, 'li a')) expect(link.offsetHeight).to.be.at.least(24);
        for (const input of each(form, inputs)) {
          expect(parseFloat(getComputedStyle(input).fontSize)).to.be.at.least(16);
        }
      }
    });

    it(`the state "${name}" has one polite live region, no id twice or missing, and a focus ring on every control`, async () => {
      const form = await openState(state, server);
      const root = form.shadowRoot!;
      expect(root.querySelectorAll('[role=status]').length).to.equal(1);
      expect(root.querySelectorAll('[aria-live], [role=alert], [role=log]').length).to.equal(0);

      const ids = [...root.querySelectorAll('[id]')].map(({id}) => id);
      expect(ids).to.deep.equal([...new Set(ids)]);
      for (const attribute of ['aria-describedby', 'aria-labelledby', 'for']) {
        for (const element of each(form, `[${attribute}]`)) {
          for (const id of element.getAttribute(attribute)!.split(' ')) expect(ids).to.include(id);
        }
      }

      // While a lead is being sent, its fields cannot have the focus.
      const controls = each(form, `a, button, ${inputs}`).filter((control) => !control.closest('[inert]'));
      for (const control of controls) {
        control.focus();
        expect(root.activeElement, control.outerHTML).to.equal(control);
        const {outlineStyle, outlineWidth} = getComputedStyle(control);
        expect(`${outlineStyle} ${outlineWidth}`, control.outerHTML).to.equal('solid 3px');
      }
    });
  }
});

describe('focus and announcements', () => {
  it('the form takes no focus and announces nothing when it arrives', async () => {
    const form = await open();
    expect(document.activeElement).to.equal(document.body);
    expect(form.shadowRoot!.querySelector('[role=status]')!.textContent).to.equal('');
  });

  it('screen readers hear each step once: the focus moves to its title, and the live region stays empty', async () => {
    const form = await openState(states['the second step']!, server);
    const title = form.shadowRoot!.activeElement!.closest('section')!.querySelector('h2')!;
    expect(title.textContent).to.contain('Step 2 of 3');
    expect(form.shadowRoot!.querySelector('[role=status]')!.textContent).to.equal('');
  });
});

describe('the colour scheme', () => {
  const paper = (form: LeadPrequalForm) => getComputedStyle(each(form, '.card')[0]!).backgroundColor;
  const white = 'rgb(255, 255, 255)';

  it('the form has the colour scheme of the page, not of the system, unless the attribute theme says otherwise', async () => {
    document.documentElement.style.colorScheme = 'light';
    expect(paper(await open())).to.equal(white);
    expect(paper(await open({theme: 'dark'}))).not.to.equal(white);
    document.documentElement.style.colorScheme = 'dark';
    expect(paper(await open())).not.to.equal(white);
    expect(paper(await open({theme: 'light'}))).to.equal(white);
  });
});
