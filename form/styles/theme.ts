/**
 * All colours are derived from three: accent, background ("paper") and text. Each has a default for the page's colour
 * scheme. Whatever colours a partner sets, the contrast with the paper is at least 4.5 to 1 for text and 3 to 1 for
 * drawings.
 */
import {css} from './css.ts';

export const theme = css`
  /*
   * A colour that has too little contrast with the paper (less than --_ratio) is mixed with black on light paper, and
   * with white on dark paper, and only as much as the ratio needs. This keeps the hue, and the result is always a
   * colour that a screen can show. The formulas are in the colour space XYZ, in which Y is the luminance.
   *
   * There are three steps. A single formula would cost a phone more, because the browser copies the text of a custom
   * property to each place where it is used.
   * 1. A relative colour can only read the channels of one colour. So --_light has the paper's luminance as its alpha,
   *    and the colour is mixed with it. In the mix, alpha * 2 is 1 + the paper's Y, and x, y and z are too small by the
   *    factor alpha * 2.
   * 2. --_moved restores x, y and z, and its alpha says how far to move the colour. Up to 0.5 the colour becomes
   *    darker, and alpha * 2 is the share of the colour in the mix with black. Above 0.5 it becomes lighter, and
   *    alpha * 2 - 1 is the share of white.
   * 3. --_legibly mixes the colour accordingly.
   *
   * A background is dark if its luminance is less than 0.1833. Up to there, white has a contrast of 4.5 to 1, and
   * designers expect it: on the blue of Bootstrap, black would be as legible, but all other buttons of the page have white
   * words.
   */
  /*
   * The accent is what the page says, or else the colour of the partner's configuration. The snippet has that colour under
   * the same name, so that it is there at once; in a name of its own, because a style attribute would be stronger than the
   * style sheets of the page. Without both it is the brand of the page: the colour and the radius that Bootstrap,
   * WordPress, Elementor, Pico and Bulma keep under these names. Their other names, such as --bs-primary-rgb, hold only
   * parts of a colour.
   */
  :host {
    --_accent: var(
      --prequal-accent,
      var(
        --prequal-partner-accent,
        var(
          --bs-primary,
          var(
            --wp--preset--color--primary,
            var(
              --e-global-color-primary,
              var(--pico-primary-background, var(--bulma-primary, light-dark(#0b57a4, #6ea8f0)))
            )
          )
        )
      )
    );
    --_radius: var(
      --prequal-radius,
      var(--bs-border-radius, var(--pico-border-radius, var(--bulma-radius, 12px)))
    );
    --_paper: var(--prequal-background, light-dark(#fff, #181b20));
    --_dark: clamp(0, (1.1833 - alpha * 2) * 1e6, 1);
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
  .fields,
  form,
  .answer {
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
    /* More than 4.5, so that the contrast is still 4.5 on the tinted background of a chosen option. */
    --_ratio: 5.5;
    --_strong: color(
      from color(from color-mix(in xyz, var(--_accent), var(--_light)) xyz var(--_moved)) xyz var(--_legibly)
    );
    --_muted: color(
      from color(from color-mix(in xyz, light-dark(#545c69, #aab2bf), var(--_light)) xyz var(--_moved)) xyz
        var(--_legibly)
    );
    --_line: var(--prequal-line, color-mix(in srgb, currentcolor 14%, transparent));
    --_corner: min(var(--_radius), 8px);
    --_space: var(--prequal-space, 4px);
    display: block;
    inline-size: 100%;
    margin-inline: auto;
    max-inline-size: var(--prequal-max-width, 640px);
  }
  /* What is drawn, with a contrast of 3 to 1: the edges of fields, the progress, and the amounts of the result. */
  form,
  .answer,
  .progress,
  rect {
    --_drawn: color(
      from color(from color-mix(in xyz, var(--_fill), var(--_light)) xyz var(--_moved)) xyz var(--_legibly)
    );
    --_ratio: 3.1;
  }
  /*
   * The fill of fields. Its formula is the other way round: a fill is moved away from the text, up to the 0.83 of the
   * paper's luminance at which quiet words have 4.5 to 1. Without a fill of the page, --_field is not valid.
   */
  .fields {
    --_dark: clamp(0, (alpha * 2 - 1.1833) * 1e6, 1);
    --_field: color(
      from color(from color-mix(in xyz, var(--prequal-field), var(--_light)) xyz var(--_moved)) xyz
        var(--_legibly)
    );
    --_ratio: 0.83;
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
