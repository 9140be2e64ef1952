/** How each part of the total looks in the result, apart from its words, which are those of the language. */
import {unsafeCSS} from 'lit';
import {amountParts, type AmountPart} from '../../contract/amounts.ts';

type Presentation = {
  /**
   * The fill of its part of the bar and of its swatch. Any two fills have a contrast of at least 1.4 to 1, so that
   * people who cannot tell the colours apart see the difference in lightness. A page can replace the colours by
   * `--prequal-amount-1` and so on, in the order of `amountParts`.
   */
  color: string;
  /**
   * The sentence for an amount below the minimum. `below_minimum` says how much money of the visitor's own it takes,
   * `below_minimum_loan` how much the smallest loan is.
   */
  belowMinimum: 'below_minimum' | 'below_minimum_loan';
};

export const presentations: Readonly<Record<AmountPart, Presentation>> = {
  rollover_amount: {color: 'light-dark(#12336f, #5b92e5)', belowMinimum: 'below_minimum'},
  sba_qualified_amount: {color: 'light-dark(#cf8300, #ffd468)', belowMinimum: 'below_minimum_loan'},
  unsecured_amount: {color: 'light-dark(#006259, #0b7f73)', belowMinimum: 'below_minimum'},
  portfolio_loan_qualified_amount: {color: 'light-dark(#925fbe, #c49ee8)', belowMinimum: 'below_minimum'},
};

/** The class of the rectangles that have the colour of a part. */
export const fillClass = (part: AmountPart) => `fill-${amountParts.indexOf(part)}`;

export const fillStyles = unsafeCSS(
  amountParts
    .map((part, index) => {
      const fill = `var(--prequal-amount-${index + 1}, ${presentations[part].color})`;
      return `.${fillClass(part)} { --_fill: ${fill} }`;
    })
    .join('\n'),
);
