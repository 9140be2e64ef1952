/** One accent and the colour scheme of the page give all colours. */
import {css} from 'lit';

export const theme = css`
  :host {
    --_accent: var(--prequal-accent, #0b57a4);
    --_paper: var(--prequal-background, light-dark(#fff, #181b20));
    --_ink: var(--prequal-text, light-dark(#171a21, #f0f2f5));
    --_muted: light-dark(#545c69, #aab2bf);
    --_line: light-dark(#dde1e7, #353b45);
    --_edge: light-dark(#7a828f, #7d8694);
    --_bad: light-dark(#b3261e, #ffb0a8);
    /* The accent as a line or a text: dark enough on light paper, light enough on dark. */
    --_strong: light-dark(
      oklch(from var(--_accent) min(l, 0.5) c h),
      oklch(from var(--_accent) max(l, 0.74) c h)
    );
    --_tint: color-mix(in srgb, var(--_strong) 8%, var(--_paper));
    --_radius: var(--prequal-radius, 12px);
    --_corner: min(var(--_radius), 8px);
    box-sizing: border-box;
    container-type: inline-size;
    color: var(--_ink);
    display: block;
    font-weight: 400;
    inline-size: 100%;
    letter-spacing: normal;
    line-height: 1.5;
    max-inline-size: var(--prequal-max-width, 640px);
    text-align: start;
    text-transform: none;
    white-space: normal;
  }
  :host([hidden]) {
    display: none;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  /* Before 2024: light only, with an accent that is taken as it is. */
  @supports not (color: light-dark(#fff, oklch(from red l c h))) {
    :host {
      --_paper: var(--prequal-background, #fff);
      --_ink: var(--prequal-text, #171a21);
      --_muted: #545c69;
      --_line: #dde1e7;
      --_edge: #7a828f;
      --_bad: #b3261e;
      --_strong: var(--_accent);
    }
    .main {
      color: #fff;
    }
  }
`;
