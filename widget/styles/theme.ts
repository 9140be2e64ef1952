/**
 * All colours come from three: accent, background and text, each with a default for the page's colour scheme.
 * Whatever a partner sets, what is read on the paper has a contrast of 4.5 to 1, and what is drawn on it 3 to 1.
 */
import {css} from 'lit';

export const theme = css`
  /*
   * A derived colour is its own colour with a luminance that is as far from the paper's as the ratio asks, and no
   * further: moved towards black on light paper, towards white on dark, which keeps its hue and leaves no gamut. In
   * XYZ, Y is the luminance. It takes three steps, which cost a phone less than one large formula, because the text
   * of a custom property is put in wherever it is used:
   * 1. A relative colour has one origin, so the paper's luminance comes along as the alpha of a mix of both (--_light):
   *    there, alpha * 2 is 1 + the paper's Y, and x, y and z are to be multiplied by it.
   * 2. --_moved restores x, y and z, and its alpha says how far to move: below 0.5 this half is what is kept of a colour
   *    that becomes darker, and what is above 0.5 is half of the white in a colour that becomes lighter.
   * 3. --_legibly moves it.
   */
  :host {
    --_paper: var(--prequal-background, light-dark(#fff, #181b20));
    --_accent: var(--prequal-accent, light-dark(#0b57a4, #6ea8f0));
    --_dark: clamp(0, (1.179 - alpha * 2) * 1e6, 1);
    --_keep: min(alpha, 1 - alpha) * 2;
    --_lift: max(0, alpha * 2 - 1);
    --_legibly: calc(x * var(--_keep) + 0.95 * var(--_lift)) calc(y * var(--_keep) + var(--_lift))
      calc(z * var(--_keep) + 1.09 * var(--_lift)) / 1;
  }
  .main {
    --_paper: var(--_accent);
  }
  :host,
  .main {
    --_light: color(from var(--_paper) xyz 0 0 0 / y);
  }
  :host,
  .card,
  .main,
  rect {
    --_moved: calc(x * alpha * 2) calc(y * alpha * 2) calc(z * alpha * 2) /
      calc(
        clamp(var(--_dark), ((alpha * 2 - 0.95) / var(--_ratio) - 0.05) / (y * alpha * 2), 1) / 2 +
          clamp(
            0,
            (var(--_ratio) * (alpha * 2 - 0.95) - 0.05 - y * alpha * 2) / (1 - y * alpha * 2),
            var(--_dark)
          ) /
          2
      );
    --_ratio: 15;
  }
  .card,
  .main {
    --_ink: color(
      from color(from color-mix(in xyz, #171a21, var(--_light)) xyz var(--_moved)) xyz var(--_legibly)
    );
  }
  :host {
    /* More than 4.5, so that it is still that much on the tint of a chosen option. */
    --_ratio: 5.5;
    --_strong: color(
      from color(from color-mix(in xyz, var(--_accent), var(--_light)) xyz var(--_moved)) xyz var(--_legibly)
    );
    --_bad: color(
      from color(from color-mix(in xyz, light-dark(#b3261e, #ffb0a8), var(--_light)) xyz var(--_moved)) xyz
        var(--_legibly)
    );
    --_muted: color(
      from color(from color-mix(in xyz, light-dark(#545c69, #aab2bf), var(--_light)) xyz var(--_moved)) xyz
        var(--_legibly)
    );
    --_line: color-mix(in srgb, currentcolor 14%, transparent);
    --_radius: var(--prequal-radius, 12px);
    --_corner: min(var(--_radius), 8px);
    --_space: var(--prequal-space, 4px);
    display: block;
    inline-size: 100%;
    max-inline-size: var(--prequal-max-width, 640px);
  }
  rect {
    --_ratio: 3.1;
  }
  :host([hidden]) {
    display: none;
  }
  :host([theme='light']) .card {
    color-scheme: light;
  }
  :host([theme='dark']) .card {
    color-scheme: dark;
  }
`;
