/** Text inputs with their labels and help, and what all inputs and buttons have in common. */
import {css} from 'lit';

export const fields = css`
  .fields {
    display: grid;
    gap: calc(var(--_space) * 5) calc(var(--_space) * 4);
    margin-block: calc(var(--_space) * 5) calc(var(--_space) * 6);
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
    background: var(--_paper);
    inline-size: 100%;
    padding-block: 0;
    padding-inline: 14px;
  }
  input:hover,
  .option:hover label,
  button:hover {
    border-color: currentcolor;
  }
  :focus-visible:not(h2),
  .option input:focus-visible + label {
    /* By itself, so that a ring is left if the page's accent is no colour. */
    outline: 3px solid;
    outline-color: var(--_strong);
    outline-offset: 2px;
  }
`;
