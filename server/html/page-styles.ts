/** What the pages for partners and for operators have in common: colours in light and in dark, and a quiet beginning. */
export const pageStyles = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fff, #14171c);
  --panel: light-dark(#f5f7f9, #1b1f26);
  --text: light-dark(#15181d, #e8ebf0);
  --quiet: light-dark(#565d68, #a5adb9);
  --line: light-dark(#d5dae1, #343b46);
  --edge: light-dark(#808893, #7c8591);
  --focus: light-dark(#3156d3, #8ca7ff);
  --wrong: light-dark(#b3261e, #ff9b92);
  --alarm: light-dark(#fdecea, #3a1a18);
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3, p, ol { margin: 0; }
a { color: inherit; text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
[hidden] { display: none; }
/* For screen readers alone. */
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`;
