/**
 * The styles of what the first screen of the form does not have: errors, text inputs, money fields and alerts. They must be
 * added after the styles of the first screen, because some of these rules replace rules there by their order.
 */
import {css} from './css.ts';

export const touched = css`
  /* The animation ends, so the buttons appear after ten seconds, whatever becomes of the consent text. */
  .waiting {
    animation: hide 10s;
  }
  @keyframes hide {
    from,
    to {
      visibility: hidden;
    }
  }
  :host {
    --_bad: color(
      from
        color(
          from color-mix(in xyz, var(--prequal-error, light-dark(#b3261e, #ffb0a8)), var(--_light)) xyz
            var(--_moved)
        )
        xyz var(--_legibly)
    );
  }
  .alert {
    border-color: var(--_bad);
  }
  .alert > .icon {
    color: var(--_bad);
  }
  /* What has the focus, and its ring, keeps below what stays at the top: a header of the page, and the total so far. */
  .card {
    --_top: var(--prequal-sticky-top, 0px);
  }
  .so-far ~ * {
    --_top: calc(5.5em + var(--prequal-sticky-top, 0px));
  }
  .field,
  :focus {
    scroll-margin-block: calc(24px + var(--_top)) 24px;
  }
  h2:focus {
    /* Shows the progress and the edge of the card above the title when the title is scrolled to. */
    scroll-margin-block: max(48px, var(--_top)) 48px;
  }
  .alert:focus {
    scroll-margin-block: calc(16px + var(--_top)) 96px;
  }
  .fields {
    display: grid;
    gap: calc(var(--_space) * 5) calc(var(--_space) * 4);
  }
  label,
  legend {
    font-weight: 600;
    padding: 0;
  }
  .field > label {
    display: block;
    margin-block-end: 4px;
  }
  .error {
    color: var(--_bad);
    display: flex;
    font-size: 0.875em;
    gap: 6px;
    margin-block-start: 6px;
  }
  /* After a tap on a phone, the button in that place would keep the looks of :hover. */
  @media (hover: hover) {
    input:hover,
    select:hover,
    textarea:hover,
    .option:hover label,
    button:hover {
      border-color: currentcolor;
    }
    .main:hover {
      box-shadow: 0 2px 10px -2px var(--_strong);
    }
  }
  [aria-invalid='true'] .option label,
  :is(input, select, textarea)[aria-invalid='true'] {
    border-color: var(--_bad);
    box-shadow: inset 0 0 0 1px var(--_bad);
  }
  select,
  textarea {
    appearance: none;
    background: var(--_field, var(--_paper));
    border: 1px solid;
    border-radius: var(--_corner);
    box-sizing: border-box;
    color: inherit;
    display: block;
    font: inherit;
    inline-size: 100%;
    margin: 0;
    min-block-size: max(44px, var(--_space) * 12);
    padding: 0 14px;
  }
  textarea {
    padding-block: 10px;
    resize: vertical;
  }
  select {
    padding-inline-end: 40px;
    text-overflow: ellipsis;
  }
  .select {
    position: relative;
  }
  .select::after {
    block-size: 7px;
    border: solid;
    border-width: 0 2px 2px 0;
    content: '';
    inline-size: 7px;
    inset-block-start: calc(50% - 6px);
    inset-inline-end: 16px;
    pointer-events: none;
    position: absolute;
    rotate: 45deg;
  }
  summary {
    border-radius: var(--_corner);
    cursor: pointer;
    font-weight: 600;
    padding-block: 12px;
  }
  details .fields {
    /* Through the box that a browser has in <details>, no colour is inherited. */
    border-color: var(--_muted);
    margin-block-start: calc(var(--_space) * 2);
  }
  .fields > p,
  .partner {
    grid-column: 1 / -1;
  }
  .partner {
    border: 1px solid var(--_line);
    border-radius: var(--_corner);
    display: flow-root;
    font-size: 0.875em;
    padding: 12px 14px;
  }
  .partner img,
  ::slotted([slot='logo']) {
    block-size: 32px;
    float: inline-start;
    margin-inline-end: 10px;
    max-inline-size: 40%;
    object-fit: contain;
  }
  #about-company {
    font-size: 1.1429em;
    font-weight: 600;
    line-height: 32px;
  }
  .or {
    align-self: center;
  }
  .partner a,
  .or a {
    display: inline-block;
    font-weight: 600;
    padding-block: 6px;
  }
  /* The apply page is the only way on. */
  .elsewhere + .main {
    display: none;
  }
  button,
  .main {
    gap: 8px;
    text-decoration: none;
  }
  .so-far {
    background: color-mix(in srgb, var(--_strong) 6%, var(--_paper));
    /* In forced colours, where there is no background, the border can be seen. */
    border: 1px solid transparent;
    border-radius: var(--_corner);
    box-shadow:
      0 -12px var(--_paper),
      0 12px var(--_paper);
    /* A single line on a small phone, too. */
    font-size: clamp(0.875em, 5.6cqi, 1em);
    font-variant-numeric: tabular-nums;
    font-weight: 600;
    inset-block-start: calc(6px + var(--prequal-sticky-top, 0px));
    margin-block-end: calc(var(--_space) * 4);
    padding: calc(var(--_space) * 2) 14px;
    position: sticky;
    /* Above the inputs that scroll away under it, and nothing of the page. */
    z-index: 2;
  }
  form {
    isolation: isolate;
  }
  .money {
    position: relative;
  }
  .so-far .aside,
  .money > :is(label, .help) {
    display: inline-block;
    margin-block: 0 3px;
    margin-inline-end: 6px;
  }
  .sign,
  .hint {
    align-items: center;
    color: var(--_muted);
    display: flex;
    inset-block: 0;
    inset-inline-start: 14px;
    pointer-events: none;
    position: absolute;
  }
  .hint {
    display: none;
    font-size: 0.875em;
    inset-inline: 3em 14px;
    justify-content: end;
    line-height: 1.25;
    text-align: end;
    text-wrap: balance;
  }
  /* An empty field that the visitor has reached with Tab. */
  [data-tab] :focus:invalid + .hint {
    display: flex;
  }
  .money input {
    font-variant-numeric: tabular-nums;
    padding-inline-start: calc(14px + 1em);
  }
  .flag .options {
    grid-template-columns: 1fr 1fr auto;
  }
  .flag input {
    inline-size: 12px;
    inset-inline-start: 2px;
    opacity: 0;
  }
  .flag label {
    justify-content: center;
    min-inline-size: 48px;
    padding-inline: 8px;
    text-align: center;
  }
  .chips {
    display: grid;
    font-size: clamp(0.8125em, 4.8cqi, 0.9375em);
    gap: 4px;
    grid-template-columns: repeat(auto-fit, minmax(max(44px, 3.3em), 1fr));
    margin-block-start: 8px;
  }
  .chips button {
    font-weight: 500;
    min-block-size: 44px;
    padding: 0;
  }
  .question,
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .question {
    align-items: center;
    font-size: 0.875em;
    margin-block-start: 8px;
  }
  .question button {
    padding-inline: 12px;
  }
  section ~ section {
    box-shadow: 0 -1px var(--_line);
    margin-block-start: calc(var(--_space) * 8);
    padding-block-start: calc(var(--_space) * 6);
  }
  .alert li {
    margin-block-start: 4px;
  }
  .alert a {
    display: inline-block;
    padding-block: 2px;
  }
  .corrected a {
    color: var(--_muted);
    text-decoration: line-through;
  }
  /* Fields and options stand side by side if the card is wide enough, whatever the width of the window is. */
  @container (min-width: 26em) {
    .fields {
      grid-template-columns: 1fr 1fr;
    }
    .field:not(.name) {
      grid-column: 1 / -1;
    }
    .flag .options {
      grid-template-columns: repeat(3, 1fr);
    }
    .amount {
      display: grid;
      gap: 8px;
      /* Room for the largest amount. */
      grid-template-columns: minmax(9em, 1fr) minmax(0, 21em);
    }
    .chips {
      margin-block-start: 0;
    }
  }
`;
