import {css} from '../styles/css.ts';

/** The box has colours of its own, because it is not a part of the page's design. */
export const debugStyles = css`
  :host {
    all: initial;
    background: #fff;
    border: 2px solid #171a21;
    border-radius: 8px;
    box-sizing: border-box;
    color: #171a21;
    color-scheme: light;
    font:
      14px/1.45 system-ui,
      sans-serif;
    inset: auto 12px 12px auto;
    max-block-size: min(45vh, 560px);
    max-inline-size: min(440px, calc(100vw - 24px));
    overflow: auto;
    padding: 12px 16px;
    position: fixed;
    z-index: 2147483647;
  }
  button {
    background: none;
    block-size: 44px;
    border: 0;
    color: inherit;
    cursor: pointer;
    float: inline-end;
    font:
      24px/1 system-ui,
      sans-serif;
    inline-size: 44px;
    margin: -12px -16px 0 8px;
  }
  summary {
    cursor: pointer;
    font-weight: 700;
  }
  ul {
    margin: 8px 0;
    padding-inline-start: 18px;
  }
  li {
    margin-block-end: 6px;
  }
  dl {
    display: grid;
    gap: 2px 12px;
    grid-template-columns: max-content 1fr;
    margin: 8px 0;
  }
  dt {
    color: #565d68;
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
`;
