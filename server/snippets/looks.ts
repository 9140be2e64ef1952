/** Ready looks of the form: for each the kind of page it is for, its theme, and its custom properties. */

export type Look = {
  label: string;
  /** The background of a page that the look suits. */
  page: string;
  theme: 'light' | 'dark';
  /** By the name of a custom property without `--prequal-`. */
  properties: Readonly<Record<string, string>>;
};

export const looks = {
  bank: {
    label: 'Bank',
    page: '#eef2f6',
    theme: 'light',
    properties: {
      accent: '#12406f',
      radius: '4px',
      font: "'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    },
  },
  warm: {
    label: 'Warm',
    page: '#f3e3d0',
    theme: 'light',
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
    theme: 'dark',
    properties: {
      accent: '#7ce0c0',
      background: '#111726',
      radius: '14px',
      font: 'system-ui, sans-serif',
    },
  },
  letter: {
    label: 'Letter',
    page: '#ffffff',
    theme: 'light',
    properties: {
      accent: '#111111',
      text: '#111111',
      radius: '0px',
      space: '5px',
      font: "'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, serif",
    },
  },
} as const satisfies Readonly<Record<string, Look>>;

export type LookName = keyof typeof looks;
export const lookNames = Object.keys(looks) as LookName[];
