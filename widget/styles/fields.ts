/** Inputs, choices and amounts, with their labels, help and errors. */
import {css} from 'lit';

export const fields = css`
  .fields {
    display: grid;
    gap: 20px 16px;
    margin-block: 20px 24px;
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
  .aside {
    color: var(--_muted);
    font-size: 0.875em;
    font-weight: 400;
  }
  .help {
    margin-block: -2px 8px;
  }
  .error {
    color: var(--_bad);
    display: flex;
    font-size: 0.875em;
    gap: 6px;
    margin-block-start: 6px;
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
    border: 1px solid var(--_edge);
    border-radius: var(--_corner);
    box-sizing: border-box;
    color: inherit;
    font: inherit;
    letter-spacing: inherit;
    margin: 0;
    min-block-size: 48px;
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
    border-color: var(--_ink);
  }
  [aria-invalid='true'] .option label,
  input[aria-invalid='true'] {
    border-color: var(--_bad);
    box-shadow: inset 0 0 0 1px var(--_bad);
  }
  :focus-visible:not(h2),
  .option input:focus-visible + label {
    outline: 3px solid var(--_strong);
    outline-offset: 2px;
  }
  .row {
    display: flex;
    gap: 8px;
  }
  .money {
    flex: 1;
    position: relative;
  }
  .sign {
    color: var(--_muted);
    inset-block-start: 12px;
    inset-inline-start: 14px;
    pointer-events: none;
    position: absolute;
  }
  .money input {
    font-variant-numeric: tabular-nums;
    padding-inline-start: 30px;
  }
  .options {
    display: grid;
    gap: 8px;
  }
  .flag .options {
    grid-template-columns: 1fr 1fr auto;
  }
  .option {
    position: relative;
  }
  .option input {
    accent-color: var(--_strong);
    appearance: auto;
    block-size: 20px;
    inline-size: 20px;
    inset-block-start: 14px;
    inset-inline-start: 14px;
    min-block-size: 0;
    outline: none;
    padding: 0;
    position: absolute;
  }
  .option label {
    align-items: center;
    block-size: 100%;
    cursor: pointer;
    display: flex;
    font-weight: 400;
    gap: 8px;
    justify-content: space-between;
    padding-block: 10px;
    padding-inline: 46px 14px;
  }
  .option input:checked + label {
    background: var(--_tint);
    border-color: var(--_strong);
    box-shadow: inset 0 0 0 1px var(--_strong);
  }
  .flag input {
    inline-size: 12px;
    inset-inline-start: 2px;
    opacity: 0;
  }
  .flag label {
    justify-content: center;
    padding-inline: 8px;
    text-align: center;
  }
  .none {
    padding-inline: 16px;
  }
  @container (min-width: 30em) {
    .fields {
      grid-template-columns: 1fr 1fr;
    }
    .field:not(.name) {
      grid-column: 1 / -1;
    }
    .flag .options {
      grid-template-columns: repeat(3, 1fr);
    }
  }
  @container (min-width: 38em) {
    .choice .options {
      grid-template-columns: 1fr 1fr;
    }
  }
  @media (forced-colors: active) {
    .option input:checked + label {
      outline: 3px solid Highlight;
    }
  }
`;
