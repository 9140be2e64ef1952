/** The styles of the amounts: total, bar and table. The colours of the parts stand in amount-colors.ts. */
import {css} from './css.ts';

export const amounts = css`
  .total {
    display: block;
    font-size: min(15cqi, 3.25em);
    font-variant-numeric: tabular-nums;
    font-weight: 700;
    letter-spacing: -0.02em;
    line-height: 1.1;
    margin-block-start: 4px;
  }
  .total.long {
    font-size: min(10.5cqi, 3.25em);
  }
  .total[data-drawn] span {
    clip-path: inset(50%);
    position: absolute;
  }
  .total[data-drawn]::after {
    content: attr(data-drawn);
    content: attr(data-drawn) / '';
  }
  .bar {
    block-size: 28px;
    border-radius: 6px;
    display: block;
    inline-size: 100%;
    margin-block: 20px 24px;
  }
  .bar rect {
    stroke: var(--_paper);
    stroke-width: 2px;
  }
  .answer:dir(rtl) .bar {
    transform: scaleX(-1);
  }
  rect {
    color: var(--_drawn);
    fill: currentcolor;
  }
  .swatch {
    block-size: 16px;
    border-radius: 4px;
    inline-size: 16px;
    inset-block-start: calc(0.75em + 4px);
    inset-inline-start: 0;
    position: absolute;
  }
  table {
    border-collapse: collapse;
    /* On a page without a doctype, it would have the colour of the page's text. */
    color: inherit;
    font: inherit;
    inline-size: 100%;
  }
  caption {
    color: var(--_muted);
    font-size: 0.875em;
    padding-block-end: 4px;
    text-align: start;
  }
  .card tbody,
  .answer details {
    border-block-start: 1px solid var(--_line);
  }
  th,
  td {
    font-weight: 600;
    padding: 12px 0;
    text-align: start;
    vertical-align: top;
  }
  tbody th {
    padding-inline-start: 24px;
    position: relative;
  }
  td {
    font-variant-numeric: tabular-nums;
    inline-size: 1%;
    padding-inline-start: 8px;
    text-align: end;
    white-space: nowrap;
  }
  tbody tr:first-child > * {
    padding-block-end: 2px;
  }
  .words.words {
    color: var(--_muted);
    font-size: 0.875em;
    font-weight: 400;
    padding-block: 0 12px;
    padding-inline: 24px 0;
    text-align: start;
    white-space: normal;
  }
  .card tfoot {
    border-block-start: 2px solid;
    font-size: clamp(1em, 5cqi, 1.125em);
  }
  .answer > h3 {
    margin-block: 24px 4px;
  }
  .answer details p {
    margin-block: -8px 12px;
  }
  .estimate {
    color: var(--_muted);
    font-size: 0.875em;
    margin-block: 12px 24px;
    text-wrap: balance;
  }
  /* In little space, and in old browsers, what an amount of zero needs is folded away. */
  @supports selector(details::details-content) {
    @container (min-width: 26em) {
      .answer summary {
        list-style: none;
        pointer-events: none;
      }
      .answer details::details-content {
        content-visibility: visible;
      }
    }
  }
  /* In little space an amount goes to the next line if it does not fit beside the longest word of its name. */
  @container (max-width: 19.5em) {
    tr {
      display: flex;
      flex-wrap: wrap;
    }
    tr > th {
      flex: 1;
      min-inline-size: min-content;
      overflow-wrap: break-word;
    }
    td {
      flex: 0 0 max-content;
      margin-inline-start: auto;
    }
    .words {
      flex: 1;
    }
  }
  @media (forced-colors: active) {
    .bar,
    .swatch {
      border: 1px solid CanvasText;
      forced-color-adjust: none;
    }
  }
`;
