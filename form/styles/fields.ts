/** Choices, labels and help, and what all inputs and buttons have in common. */
import {css} from './css.ts';

export const fields = css`
  .fields {
    margin-block: calc(var(--_space) * 5) calc(var(--_space) * 6);
  }
  .help {
    margin-block: -2px 8px;
  }
  .icon {
    block-size: 1.15em;
    fill: currentcolor;
    flex: none;
    inline-size: 1.15em;
    margin-block-start: 0.17em;
  }
  input,
  button,
  .main,
  .option label {
    border-radius: var(--_corner);
    border-style: solid;
    border-width: 1px;
    box-sizing: border-box;
    color: inherit;
    font: inherit;
    margin: 0;
    min-block-size: max(44px, var(--_space) * 12);
  }
  input {
    appearance: none;
    background: var(--_field, var(--_paper));
    inline-size: 100%;
    padding-block: 0;
    padding-inline: 14px;
  }
  :focus-visible:not(h2),
  .option input:focus-visible + label {
    /* By itself, so that a ring is left if the page's accent is no colour. */
    outline: 3px solid;
    outline-color: var(--_strong);
    outline-offset: 2px;
  }
  .aside {
    color: var(--_muted);
    font-size: 0.875em;
    font-weight: 400;
  }
  .options {
    display: grid;
    gap: 8px;
  }
  legend + .options {
    margin-block-start: 6px;
  }
  .option {
    position: relative;
  }
  /* Not the browser's own circle: on a dark page that is dark grey, as if it were disabled. */
  .option input {
    block-size: 20px;
    border-radius: 50%;
    border-width: 2px;
    inline-size: 20px;
    inset-block-start: calc(50% - 10px);
    inset-inline-start: 14px;
    min-block-size: 0;
    outline: none;
    padding: 0;
    position: absolute;
    /* A transform or a filter on the part "option" would paint the label over it. */
    z-index: 1;
  }
  .option label {
    align-items: center;
    block-size: 100%;
    cursor: pointer;
    display: flex;
    flex-wrap: wrap;
    font-weight: 400;
    gap: 0 8px;
    justify-content: space-between;
    background: var(--_field, none);
    padding-block: calc(var(--_space) * 2);
    padding-inline: 46px 14px;
  }
  .option input:checked {
    border: 6px solid var(--_strong);
  }
  .option input:checked + label,
  [aria-pressed='true'] {
    background: color-mix(in srgb, var(--_strong) 6%, var(--_paper));
    border-color: var(--_strong);
    box-shadow: inset 0 0 0 1px var(--_strong);
  }
  @container (min-width: 33em) {
    .choice .options {
      grid-template-columns: 1fr 1fr;
    }
  }
  @media (forced-colors: active) {
    .option input:checked + label,
    [aria-pressed='true'] {
      outline: 3px solid Highlight;
    }
  }
`;
