/** The card, its type, buttons and alerts. Lengths are px on a grid of 4 and em; rem belongs to the page. */
import {css} from 'lit';

export const layout = css`
  .card {
    background: var(--_paper);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    box-sizing: border-box;
    /* Below 16px, phones zoom into inputs. */
    font-size: max(16px, 1em);
    overflow-wrap: break-word;
    padding: 20px 16px;
  }
  h2,
  p,
  ul,
  fieldset {
    list-style: none;
    border: 0;
    margin: 0;
    min-inline-size: 0;
    padding: 0;
  }
  h2 {
    font-size: 1.375em;
    font-weight: 700;
    line-height: 1.25;
    text-wrap: balance;
    outline: none;
    scroll-margin-block: 96px;
  }
  .count {
    color: var(--_muted);
    display: block;
    font-size: 0.6364em;
    font-weight: 400;
    margin-block-end: 4px;
  }
  .progress {
    display: flex;
    gap: 4px;
    margin-block-end: 12px;
  }
  .progress i {
    background: var(--_line);
    block-size: 4px;
    border-radius: 2px;
    flex: 1;
  }
  .progress .done {
    background: var(--_strong);
  }
  section + section {
    border-block-start: 1px solid var(--_line);
    margin-block-start: 32px;
    padding-block-start: 24px;
  }
  .help,
  .use {
    color: var(--_muted);
    font-size: 0.875em;
  }
  button,
  .main {
    align-items: center;
    background: none;
    cursor: pointer;
    display: inline-flex;
    font-weight: 600;
    gap: 8px;
    justify-content: center;
    padding-block: 8px;
    padding-inline: 20px;
    text-align: center;
    text-decoration: none;
  }
  .main {
    background: var(--_accent);
    border-color: var(--_accent);
    /* White or black, whichever the accent carries. */
    color: oklch(from var(--_accent) clamp(0, (0.66 - l) * 1000, 1) 0 0);
  }
  .main:hover {
    filter: brightness(0.92);
  }
  .actions {
    display: flex;
    flex-direction: column;
    gap: 12px;
  }
  .use {
    display: flex;
    gap: 8px;
    margin-block-start: 16px;
  }
  a:not(.main) {
    color: inherit;
    text-underline-offset: 2px;
  }
  .alert {
    border: 2px solid var(--_bad);
    border-radius: var(--_corner);
    display: flex;
    gap: 10px;
    margin-block-end: 20px;
    padding: 14px;
    scroll-margin-block: 96px;
  }
  .alert > .icon {
    color: var(--_bad);
  }
  .alert-title {
    font-weight: 600;
  }
  .alert li {
    margin-block-start: 4px;
  }
  .alert a {
    display: inline-block;
    padding-block: 2px;
  }
  .mended a {
    color: var(--_muted);
    text-decoration: line-through;
  }
  .unseen {
    clip-path: inset(50%);
    block-size: 1px;
    inline-size: 1px;
    overflow: hidden;
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
  @container (min-width: 30em) {
    .card {
      padding: 32px;
    }
    .actions {
      flex-flow: row wrap;
    }
    .actions .main {
      min-inline-size: 12em;
    }
  }
  @media (forced-colors: active) {
    .progress .done {
      background: Highlight;
      forced-color-adjust: none;
    }
  }
`;
