/** Of consent, sending, the result and the other ends; colours, buttons and type come from the form's own sheet. */
import type {CSSResult} from 'lit';
import type {Kit} from './types.ts';

/** Added to what is there, for there may be sheets of a browser's extension by now. */
export function adopt({host: {shadowRoot}, safeDocument}: Kit, styles: readonly CSSResult[]) {
  for (const {styleSheet, cssText} of styles) {
    if (styleSheet) shadowRoot?.adoptedStyleSheets.push(styleSheet);
    else shadowRoot?.append(Object.assign(safeDocument.createElement('style'), {textContent: cssText}));
  }
}

/** The partner's colour, where the page sets none. */
export const accentStyles = (css: Kit['css'], accent = '') =>
  /^#[0-9a-f]{6}$/i.test(accent)
    ? [css([`:host{--_accent:var(--prequal-accent,${accent})}`] as unknown as TemplateStringsArray)]
    : [];

export const answerStyles = (css: Kit['css']) => css`
  .total {
    display: block;
    font-size: clamp(1.25em, 15cqi, 3.25em);
    font-variant-numeric: tabular-nums;
    font-weight: 700;
    letter-spacing: -0.02em;
    line-height: 1.1;
    margin-block-start: 4px;
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
  /* Told apart by lightness as well: at least 1.4 to 1 between any two, 3 to 1 on the paper. */
  .fill-0 {
    --_fill: var(--prequal-amount-1, light-dark(#12336f, #5b92e5));
  }
  .fill-1 {
    --_fill: var(--prequal-amount-2, light-dark(#cf8300, #ffd468));
  }
  .fill-2 {
    --_fill: var(--prequal-amount-3, light-dark(#006259, #0b7f73));
  }
  .fill-3 {
    --_fill: var(--prequal-amount-4, light-dark(#925fbe, #c49ee8));
  }
  rect {
    color: color(from color-mix(in xyz, var(--_fill), var(--_light)) xyz var(--_legibly));
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
  .zero rect {
    fill: none;
    stroke: currentcolor;
    stroke-width: 4px;
  }
  table {
    border-collapse: collapse;
    font: inherit;
    inline-size: 100%;
  }
  h2 + table {
    margin-block-start: 20px;
  }
  caption {
    color: var(--_muted);
    font-size: 0.875em;
    padding-block-end: 4px;
    text-align: start;
  }
  .card tbody,
  .card tfoot {
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
    overflow-wrap: anywhere;
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
  .zero td {
    color: var(--_muted);
    font-weight: 400;
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
    font-size: 1.125em;
  }
  .estimate {
    color: var(--_muted);
    font-size: 0.875em;
    margin-block: 12px 24px;
    text-wrap: balance;
  }
  .end p {
    margin-block: 8px 24px;
  }
  .badge {
    block-size: 48px;
    border: 2px solid var(--_strong);
    border-radius: 50%;
    color: var(--_strong);
    fill: none;
    inline-size: 48px;
    margin-block-end: 16px;
    stroke: currentcolor;
    stroke-linecap: round;
    stroke-linejoin: round;
    stroke-width: 2px;
  }
  .refused .badge {
    border-color: var(--_bad);
    color: var(--_bad);
  }
  .quiet {
    border-color: transparent;
    min-inline-size: 44px;
    padding-inline: 0;
    text-decoration: underline;
    text-underline-offset: 3px;
  }
  .field .quiet {
    font-size: 0.875em;
    text-align: start;
  }
  /* The partner's colour comes with the first touch. */
  .main,
  .done {
    transition:
      background 0.4s,
      border-color 0.4s;
  }
  .consent {
    color: var(--prequal-text, var(--_ink));
    white-space: pre-line;
  }
  /* Its edge says that there is more of a long text. */
  .held {
    inset: 0;
    outline: 1px solid;
    outline-offset: 7px;
    overflow: auto;
    position: absolute;
  }
  .consent ~ .why {
    display: none;
  }
  .held ~ .why {
    display: flex;
    visibility: hidden;
  }
  .consent label {
    display: block;
    font-weight: 400;
    min-block-size: 44px;
    padding-inline-start: 36px;
  }
  .consent label + a {
    margin-inline-start: 36px;
  }
  .use + .error {
    margin-block: -16px 24px;
  }
  .consent input {
    accent-color: var(--_strong);
    appearance: auto;
    block-size: 24px;
    float: inline-start;
    inline-size: 24px;
    min-block-size: 0;
  }
  .main[aria-disabled='true'] {
    cursor: progress;
  }
  .spinner {
    animation: turn 0.8s linear infinite;
    block-size: 18px;
    border: 2px solid;
    border-block-start-color: transparent;
    border-radius: 50%;
    box-sizing: border-box;
    inline-size: 18px;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .spinner {
      animation-duration: 4s;
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
