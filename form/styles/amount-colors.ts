/** How each part of the total looks in the result, apart from its words, which are those of the language. */
import {amountParts, type AmountPart} from '../../contract/amounts.ts';

/**
 * The fill of each part of the bar and of its swatch. Any two fills have a contrast of at least 1.4 to 1, so that people
 * who cannot tell the colours apart see the difference in lightness. A page can replace the colours by
 * `--prequal-amount-1` and so on, in the order of `amountParts`.
 */
const amountColors: Readonly<Record<AmountPart, string>> = {
  rollover_amount: 'light-dark(#12336f, #5b92e5)',
  sba_qualified_amount: 'light-dark(#cf8300, #ffd468)',
  unsecured_amount: 'light-dark(#006259, #0b7f73)',
  portfolio_loan_qualified_amount: 'light-dark(#925fbe, #c49ee8)',
};

/** The class of the rectangles that have the colour of a part. */
export const fillClass = (part: AmountPart) => `fill-${amountParts.indexOf(part)}`;

export const fillStyles = amountParts
  .map((part, index) => {
    const fill = `var(--prequal-amount-${index + 1}, ${amountColors[part]})`;
    return `.${fillClass(part)} { --_fill: ${fill} }`;
  })
  .join('\n');
