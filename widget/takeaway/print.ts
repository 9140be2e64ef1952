/** Prints the result alone, which browsers can save as a PDF. */
import type {Words} from '../../form/words/words.ts';
import {safeDocument} from '../page/safe-document.ts';
import type {Letterhead} from './copy.ts';
import {printStyles} from './styles.ts';

/**
 * The result is copied into the document of a frame in the element's shadow root, so that nothing of the page is
 * printed, and nothing on the page changes.
 */
export function print(element: HTMLElement, words: Words, letterhead: Letterhead) {
  const {shadowRoot} = element;
  const frame = safeDocument.createElement('iframe');
  frame.className = 'unseen';
  frame.onload = () => {
    const paper = frame.contentDocument?.defaultView;
    if (!paper || !shadowRoot) return;
    paper.document.body.append(copyOf(element, shadowRoot, words, letterhead, paper));
    paper.onafterprint = () => frame.remove();
    paper.focus();
    paper.print();
  };
  shadowRoot?.append(frame);
}

/** A copy of the element with its result, for the document of another window. */
function copyOf(
  element: HTMLElement,
  shadowRoot: ShadowRoot,
  words: Words,
  {sender, date}: Letterhead,
  paper: Window & typeof globalThis,
): HTMLElement {
  const {document} = paper;
  const copy = document.createElement('div');
  const {direction, fontFamily} = getComputedStyle(element);
  copy.setAttribute('theme', 'light');
  copy.lang = words.locale;
  copy.dir = direction;
  copy.style.fontFamily = fontFamily;
  // The copy also gets the content that the partner has put into the slots of the element.
  for (const child of element.children) if (child.slot) copy.append(document.importNode(child, true));
  const inside = copy.attachShadow({mode: 'open'});
  // A constructed style sheet can be used only in the document that created it.
  const shown = shadowRoot.adoptedStyleSheets.map(({cssRules}) =>
    [...cssRules].map(({cssText}) => cssText).join(''),
  );
  inside.adoptedStyleSheets = [...shown, printStyles.cssText].map((rules) => {
    const sheet = new paper.CSSStyleSheet();
    sheet.replaceSync(rules);
    return sheet;
  });
  const card = shadowRoot.querySelector('.card');
  if (card) inside.append(document.importNode(card, true));
  const head = document.createElement('p');
  head.className = 'sender';
  head.append(sender);
  inside.querySelector('.answer')?.prepend(head);
  inside.querySelector('.estimate')?.append(' ', date);
  for (const folded of inside.querySelectorAll('details')) folded.open = true;
  // It may still count up.
  inside.querySelector('.total')?.removeAttribute('data-drawn');
  return copy;
}
