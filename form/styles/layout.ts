/**
 * The styles of the card, its text, progress and buttons. Lengths are multiples of 4 px, or em. They are not rem,
 * because the page decides how large a rem is.
 */
import {css} from './css.ts';

export const layout = css`
  /*
   * Gives the form a width in a parent that shrinks to fit, such as a float, a table cell or a popup. The card gives none,
   * because styles query its width (container-type). This box has no height, is at least a third of the window wide
   * (240px to 400px), and takes up to 640px if there is room. With contain-intrinsic-inline-size the least width would
   * be the widest, too: a form in a column would push the other columns aside.
   */
  :host::before {
    content: '';
    display: grid;
    flex: 0;
    grid-area: 1 / 1;
    grid-template-columns: minmax(clamp(240px, 100vw / 3, 400px), 640px);
    overflow: hidden;
  }
  .card {
    /* The card would otherwise inherit the style of the page's own text, such as capitals or wide letters. */
    all: initial;
    background: var(--_paper);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    box-sizing: border-box;
    color: var(--prequal-text, var(--_ink));
    color-scheme: inherit;
    container-type: inline-size;
    display: block;
    /* For a page that makes the element a flex box or a grid. */
    flex: 1;
    font-family: var(--prequal-font, inherit);
    /* Below 16px, phones zoom into inputs. */
    font-size: max(16px, 1em);
    grid-area: 1 / 1;
    line-height: 1.5;
    /* The card fills the height that the page keeps for the form. */
    min-block-size: inherit;
    /* A long e-mail address has no place to break, and would make the form wider than a phone. */
    overflow-wrap: anywhere;
    padding: clamp(var(--_space) * 4, 5%, var(--_space) * 8);
    pointer-events: inherit;
    -webkit-text-size-adjust: 100%;
    /* No line of a single short word at the end of a sentence. */
    text-wrap: pretty;
    visibility: inherit;
  }
  /* Borders inherit this colour, because a phone needs half a millisecond for each element with a derived one. */
  .card * {
    border-color: inherit;
  }
  .card > form,
  .card > section {
    --_fill: var(--prequal-line, light-dark(#7b8088, #a1a8b5));
    border-color: var(--_drawn);
  }
  h2,
  p,
  ul,
  form,
  fieldset {
    list-style: none;
    border: 0;
    font: inherit;
    margin: 0;
    min-inline-size: 0;
    padding: 0;
  }
  h2 {
    line-height: 1.25;
    outline: none;
  }
  [part='heading'] {
    display: block;
    font-family: var(--prequal-heading-font, var(--wp--preset--font-family--heading, inherit));
    font-size: 1.375em;
    font-weight: 700;
    text-wrap: balance;
  }
  .count {
    color: var(--_muted);
    display: block;
    font-size: 0.875em;
    margin-block-end: 4px;
  }
  .progress {
    --_fill: var(--prequal-progress, var(--_accent));
    color: var(--_drawn);
    display: flex;
    gap: 4px;
    margin-block-end: calc(var(--_space) * 3);
  }
  .progress i {
    background: var(--_line);
    block-size: 4px;
    border-radius: 2px;
    flex: 1;
  }
  .progress [part='bar-done'] {
    background: currentcolor;
  }
  .help,
  .use {
    color: var(--_muted);
    font-size: 0.875em;
  }
  .alert {
    border: 2px solid;
    border-radius: var(--_corner);
    display: flex;
    gap: 10px;
    margin-block-end: 20px;
    padding: 14px;
  }
  .alert-title {
    font-weight: 600;
  }
  button,
  .main {
    align-items: center;
    background: none;
    cursor: pointer;
    display: inline-flex;
    font-weight: 600;
    justify-content: center;
    padding-block: var(--_space);
    padding-inline: calc(var(--_space) * 5);
    text-align: center;
  }
  .main {
    background: var(--_accent);
    /* Makes the button visible even if the accent and the background have the same colour. */
    border-color: var(--_strong);
    color: var(--_ink);
  }
  /* Only the first is the main button. */
  .main ~ .main {
    background: none;
    color: inherit;
  }
  .actions {
    display: flex;
    flex-direction: column;
    gap: calc(var(--_space) * 3);
  }
  .use {
    margin-block-end: calc(var(--_space) * 6);
  }
  .why {
    display: flex;
    gap: 8px;
  }
  a:not(.main) {
    color: inherit;
    text-underline-offset: 2px;
  }
  .unseen,
  .alone .choice legend {
    clip-path: inset(50%);
    block-size: 1px;
    inline-size: 1px;
    overflow: hidden;
    padding: 0;
    position: absolute;
    white-space: nowrap;
  }
  ::slotted([slot='heading']),
  ::slotted([slot='intro']) {
    margin-block: 0 16px;
  }
  ::slotted([slot='disclaimer']) {
    color: var(--_muted);
    font-size: 0.875em;
    margin-block: 16px 0;
  }
  /* The buttons stand side by side if the card is wide enough, whatever the width of the window is. */
  @container (min-width: 26em) {
    .actions {
      flex-flow: row wrap;
    }
    .actions .main {
      min-inline-size: 12em;
    }
  }
  /* Browsers from before 2024 cannot derive colours and get fixed ones. */
  @supports not (color: light-dark(#fff, color(from red xyz x y z))) {
    .card {
      background: #fff;
      color: #171a21;
    }
    .main {
      color: #fff;
    }
  }
  @media (forced-colors: active) {
    .progress i {
      border: 1px solid;
    }
    /* The colours of the other buttons, reversed. */
    .main,
    .progress [part='bar-done'] {
      background: ButtonText;
      border-color: ButtonText;
      color: ButtonFace;
      forced-color-adjust: none;
    }
  }
`;
