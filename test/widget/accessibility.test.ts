/**
 * Tests what WCAG 2.2 AA asks of the size, the focus and the colours of every state of the form. axe.test.ts tests its
 * markup, and docs/accessibility.md lists the other tests.
 */
import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {useServer} from '../support/browser/fake-server.ts';
import {openState, states} from '../support/browser/states.ts';
import {open} from '../support/browser/visitor.ts';

/** The elements that match the selector and can be seen. */
const each = <Found extends Element = HTMLElement>(form: LeadPrequalForm, selector: string) =>
  [...form.shadowRoot!.querySelectorAll<Found & HTMLElement>(selector)].filter(
    (element) =>
      !element.closest('.unseen, .alone legend, [type=hidden]') &&
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

const server = useServer();
afterEach(() => (document.documentElement.style.colorScheme = ''));

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

/** Every control is large enough for a finger, and the text in inputs so large that phones do not zoom in. */
function expectToBeTapped(form: LeadPrequalForm) {
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

describe('each state', () => {
  for (const [name, state] of Object.entries(states)) {
    it(`fits a small phone, has large targets and a focus ring on each: ${name}`, async () => {
      const form = await openState(state, server);
      const root = form.shadowRoot!;

      // While a lead is being sent, its fields cannot have the focus.
      const controls = each(form, `a, button, ${inputs}`).filter((control) => !control.closest('[inert]'));
      for (const control of controls) {
        control.focus();
        expect(root.activeElement, control.outerHTML).to.equal(control);
        const {outlineStyle, outlineWidth} = getComputedStyle(control);
        expect(`${outlineStyle} ${outlineWidth}`, control.outerHTML).to.equal('solid 3px');
      }

      // A window of 1280 px has 320 at 400 % zoom.
      for (const width of [320, 240]) {
        form.style.inlineSize = `${width}px`;
        expectToFit(form, `at ${width} px`);
        root.adoptedStyleSheets.push(spacing);
        expectToFit(form, `at ${width} px, spaced out`);
        root.adoptedStyleSheets.pop();
      }

      // Text of 200 % on a small phone.
      form.style.inlineSize = '320px';
      form.style.fontSize = '32px';
      expectToFit(form, 'in large text');

      form.style.inlineSize = '288px';
      for (const space of ['', '2px']) {
        form.style.setProperty('--prequal-space', space);
        form.style.fontSize = space && '10px';
        expectToBeTapped(form);
      }
    });
  }
});

describe('the colour scheme', () => {
  const paper = (form: LeadPrequalForm) => getComputedStyle(each(form, '.card')[0]!).backgroundColor;
  const white = 'rgb(255, 255, 255)';

  it('is that of the page and not of the system, unless the attribute theme says otherwise', async () => {
    document.documentElement.style.colorScheme = 'light';
    expect(paper(await open())).to.equal(white);
    expect(paper(await open({theme: 'dark'}))).not.to.equal(white);
    document.documentElement.style.colorScheme = 'dark';
    expect(paper(await open())).not.to.equal(white);
    expect(paper(await open({theme: 'light'}))).to.equal(white);
  });
});
