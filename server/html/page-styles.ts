/** The colours of the pages that the server makes for partners and for operators, in light and in dark. */
export const tokens = `
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
`;
