/** The styles of what comes after the first touch: consent, sending, the answer and its states without amounts. */
import {fillStyles} from './amount-colors.ts';
import {amounts} from './amounts.ts';
import {css} from './css.ts';

const otherStyles = css`
  .end > p,
  .answer > h2 + p {
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
  .next {
    border: 1px solid var(--_line);
    border-radius: var(--_corner);
    display: grid;
    gap: 4px;
    margin-block: 24px;
    padding: 16px;
  }
  h3,
  bdi {
    font: inherit;
    font-weight: 600;
  }
  h3 {
    margin: 0;
  }
  .ways:has(a) {
    margin-block-end: 24px;
  }
  h2 + .ways:has(a) {
    margin-block-start: 24px;
  }
  bdi {
    white-space: nowrap;
  }
  /* Large text on a phone. */
  @container (max-width: 14em) {
    bdi {
      white-space: normal;
    }
  }
  .take {
    column-gap: 24px;
    display: flex;
    flex: 1 0 100%;
    flex-wrap: wrap;
  }
  .quiet,
  .main ~ a.main {
    border: 0;
    min-inline-size: 44px;
    padding-inline: 0;
    text-align: start;
    text-decoration: underline;
    text-underline-offset: 3px;
  }
  .field .quiet {
    font-size: 0.875em;
  }
  /* The partner's colour arrives with the configuration, after the first touch. The buttons change to it gradually. */
  .main,
  .progress i {
    transition:
      background 0.4s,
      border-color 0.4s;
  }
  .consent {
    color: var(--prequal-text, var(--_ink));
    white-space: pre-line;
  }
  .consent ~ .why {
    display: none;
  }
  .use > p:not(.why) {
    margin-block: 8px;
  }
  .consent label {
    display: block;
    font-weight: 400;
    min-block-size: 44px;
    padding-inline-start: 36px;
  }
  .consent label + a {
    display: block;
    margin-inline-start: 36px;
  }
  .use + .error {
    margin-block: -16px 24px;
  }
  /* Drawn here for the same reason as the circles of the options. */
  .consent input {
    block-size: 24px;
    border-radius: 4px;
    border-width: 2px;
    float: inline-start;
    inline-size: 24px;
    min-block-size: 0;
    padding: 0;
  }
  .consent input:checked {
    background: var(--_strong);
    border-color: var(--_strong);
  }
  .consent input:checked::before {
    block-size: 12px;
    border: solid var(--_paper);
    border-width: 0 3px 3px 0;
    content: '';
    display: block;
    inline-size: 5px;
    margin: 0 auto;
    rotate: 45deg;
  }
  /* Not paler, so that visitors can read what they are sending. */
  [inert] {
    color: var(--_muted);
  }
  .wait {
    align-content: center;
    flex: 1;
    min-block-size: max(44px, var(--_space) * 12);
  }
  .main[aria-disabled='true'] {
    cursor: progress;
  }
  /* While the lead is being sent. */
  [inert] ~ .actions .main::before {
    animation: turn 0.8s linear infinite;
    block-size: 18px;
    border: 2px solid;
    border-block-start-color: transparent;
    border-radius: 50%;
    box-sizing: border-box;
    content: '';
    inline-size: 18px;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    [inert] ~ .actions .main::before {
      animation-duration: 4s;
    }
  }
`;

export const answerStyles: readonly string[] = [amounts, fillStyles, otherStyles];
