/** Styles that are added to an element that is on the page already. */
import {unsafeCSS, type CSSResult} from 'lit';
import {safeDocument} from '../page/safe-document.ts';

/** Of the host, what is needed here. */
export type Adopting = {
  readonly element: HTMLElement & {adoptedCallback(): void};
  readonly addedStyles: CSSResult[];
};

/** The styles are added to the end of the list, because a browser's extension may have put its own there. */
export function adopt({element, addedStyles}: Adopting, styles: readonly CSSResult[]) {
  const {shadowRoot} = element;
  addedStyles.push(...styles);
  try {
    for (const {styleSheet, cssText} of styles) {
      const style = safeDocument.createElement('style');
      style.textContent = cssText;
      if (styleSheet) shadowRoot?.adoptedStyleSheets.push(styleSheet);
      else shadowRoot?.append(style);
    }
  } catch {
    // The element is in another document than the one that made the style sheets.
    element.adoptedCallback();
  }
}

/**
 * @param accent the colour of the partner's configuration. The page's own rules are stronger, and so is the snippet: a
 *   form that is in use does not change its colour.
 */
export const accentStyles = (accent = ''): CSSResult[] =>
  /^#[0-9a-f]{6}$/i.test(accent) ? [unsafeCSS(`:host { --prequal-partner-accent: ${accent} }`)] : [];
