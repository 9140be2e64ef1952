/** Inputs, choices and amounts, with their labels, help and errors. */
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
    align-items: center;
    color: var(--_muted);
    display: flex;
    inset-block: 0;
    inset-inline-start: 14px;
    pointer-events: none;
    position: absolute;
  }
  .money input {
    font-variant-numeric: tabular-nums;
    padding-inline-start: calc(14px + 1em);
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
    appearance: auto;
    block-size: 20px;
    inline-size: 20px;
    inset-block-start: calc(50% - 10px);
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
    flex-wrap: wrap;
    font-weight: 400;
    gap: 0 8px;
    justify-content: space-between;
    padding-block: calc(var(--_space) * 2);
    padding-inline: 46px 14px;
  }
  .option input:checked + label {
    background: color-mix(in srgb, var(--_strong) 6%, var(--_paper));
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
`;
