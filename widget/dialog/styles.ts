import {css} from 'lit';

export const dialogStyles = css`
  /* The page may have reserved a height for the element, as for a form that stands in the page. */
  :host {
    display: contents !important;
  }
  dialog {
    background: none;
    border: 0;
    border-radius: var(--_radius);
    inline-size: calc(100% - clamp(16px, 5%, 64px));
    max-block-size: calc(100dvh - clamp(16px, 5vw, 64px));
    max-inline-size: var(--prequal-max-width, 640px);
    overflow: auto;
    overscroll-behavior: contain;
    padding: 0;
  }
  ::backdrop {
    background: rgb(0 0 0 / 60%);
  }
  /* Leaves room for the button above the card's own content. */
  dialog .card {
    border: 0;
    border-radius: 0;
    padding-block-start: 52px;
  }
  /* Shows the progress below the button when the title is scrolled to. */
  dialog h2 {
    scroll-margin-block-start: 80px;
  }
  .close {
    background: var(--_paper);
    border: 0;
    border-radius: var(--_corner);
    color: var(--_muted);
    display: flex;
    font-size: 24px;
    inline-size: 44px;
    inset-block-start: 4px;
    margin-block: 4px -48px;
    margin-inline: auto 4px;
    min-block-size: 44px;
    padding: 0;
    position: sticky;
    z-index: 1;
  }
`;
