/**
 * The height that a page reserves for the form before the script arrives, so that nothing below the form moves when it
 * does. Each is enough for the first screen in every language of the form, at the default spacing, without the page's own
 * heading and introduction. The card of the form fills it. The documentation, the snippets and the benchmark take the
 * heights from here, and test/e2e/arrival.test.ts measures them.
 */

/**
 * A height in CSS that needs no media query, so that it can also stand in a `style` attribute. The factor makes a step of
 * the slope between the two heights.
 *
 * @param narrow em, for pages on which the fields stand below each other
 * @param wide em, for pages that are at least 40em wide, on which the fields stand side by side
 */
const reserve = (narrow: number, wide: number) => `clamp(${wide}em, (40em - 100vw) * 99, ${narrow}em)`;

/**
 * By the first screen: the first of several steps, the same where the contact data comes first, contact data with a
 * consent, all fields on one page. Each but the first has the name of the attribute's value that brings it.
 */
export const reservedHeights = {
  steps: reserve(38, 28),
  'contact-first': reserve(46, 37),
  standard: reserve(45, 38),
  single: reserve(114, 97),
};

/** The rule of a style sheet that reserves a height for the elements that the selector matches. */
export const reservedHeightRule = (selector: string, height: string) => `${selector} {
  display: block;
  min-height: ${height};
}`;
