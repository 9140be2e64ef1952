/** Ready themes of the form: for each, the kind of page that it suits, whether it is light, and its custom properties. */

export type Theme = {
  label: string;
  /** The background of a page that the theme suits. */
  page: string;
  colorScheme: 'light' | 'dark';
  /** By the name of a custom property without `--prequal-`. */
  properties: Readonly<Record<string, string>>;
};

export const themes = {
  bank: {
    label: 'Bank',
    page: '#eef2f6',
    colorScheme: 'light',
    properties: {
      accent: '#12406f',
      radius: '4px',
      font: "'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    },
  },
  warm: {
    label: 'Warm',
    page: '#f3e3d0',
    colorScheme: 'light',
    properties: {
      accent: '#b4472a',
      background: '#fffaf3',
      text: '#3a2a20',
      radius: '20px',
      font: "ui-rounded, 'Avenir Next', Nunito, 'Trebuchet MS', sans-serif",
    },
  },
  night: {
    label: 'Night',
    page: '#080b12',
    colorScheme: 'dark',
    properties: {accent: '#7ce0c0', background: '#111726', radius: '14px', font: 'system-ui, sans-serif'},
  },
  letter: {
    label: 'Letter',
    page: '#ffffff',
    colorScheme: 'light',
    properties: {
      accent: '#111111',
      text: '#111111',
      radius: '0px',
      space: '5px',
      font: "'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, serif",
    },
  },
} as const satisfies Readonly<Record<string, Theme>>;

export type ThemeName = keyof typeof themes;
export const themeNames = Object.keys(themes) as ThemeName[];
