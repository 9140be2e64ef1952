import {css} from '../styles/css.ts';

export const dialogStyles = css`
  /* The page may have reserved a height for the element, as for a form that stands in the page. */
  :host {
    display: contents !important;
  }
  :host::before {
    display: none;
  }
  /* The button stands above what scrolls, so that it never covers anything. */
  dialog[open] {
    display: flex;
    flex-direction: column;
  }
  dialog {
    --prequal-sticky-top: 0px;
    background: var(--_paper);
    border: 0;
    border-radius: var(--_radius);
    inline-size: calc(100% - clamp(16px, 5%, 64px));
    max-block-size: calc(100dvh - clamp(16px, 5vw, 64px));
    max-inline-size: var(--prequal-max-width, 640px);
    overflow: hidden;
    padding: 0;
  }
  ::backdrop {
    background: rgb(0 0 0 / 60%);
  }
  :host([theme='light']) dialog {
    color-scheme: light;
  }
  :host([theme='dark']) dialog {
    color-scheme: dark;
  }
  dialog .card {
    border: 0;
    border-radius: 0;
    min-block-size: 0;
    overflow: auto;
    overscroll-behavior: contain;
    padding-block: 4px 0;
    /* What only screen readers see is positioned, and would otherwise make the dialog itself longer. */
    position: relative;
  }
  /* The padding at the end of the card. As long as more follows below the edge, it stands over that, which fades away. */
  dialog .card::after {
    background: linear-gradient(transparent, var(--_paper));
    block-size: 32px;
    content: '';
    display: block;
    inset-block-end: 0;
    pointer-events: none;
    position: sticky;
  }
  .close {
    border: 0;
    border-radius: var(--_corner);
    color: var(--_muted);
    display: flex;
    flex: none;
    font-size: 24px;
    inline-size: 44px;
    margin: 4px;
    margin-inline-start: auto;
    min-block-size: 44px;
    padding: 0;
  }
`;
