/**
 * The height that a page reserves for the form before the script arrives, so that nothing below the form moves when it
 * does. Each is enough for the first screen in every language of the form, at the default spacing, without the page's own
 * heading and introduction. The documentation, the playground and the benchmark take the heights from here, and
 * test/e2e/arrival.test.ts measures them.
 */

export type ReservedHeight = {
  /** On a page of any width. */
  readonly narrow: string;
  /** On a page that is at least as wide as `wideFrom`. */
  readonly wide: string;
};

/** The width of the page from which the fields stand side by side. */
export const wideFrom = '40em';

/** By the first screen: the first of several steps, contact data with a consent, all fields on one page. */
export const reservedHeights = {
  steps: {narrow: '45em', wide: '37em'},
  standard: {narrow: '45em', wide: '38em'},
  single: {narrow: '107em', wide: '97em'},
} satisfies Record<string, ReservedHeight>;

/** The rules of a style sheet that reserve a height for the elements that the selector matches. */
export const reservedHeightRules = (selector: string, {narrow, wide}: ReservedHeight) => `${selector} {
  display: block;
  min-height: ${narrow};
}
@media (min-width: ${wideFrom}) {
  ${selector} {
    min-height: ${wide};
  }
}`;
