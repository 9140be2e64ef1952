/**
 * The style sheet that WordPress makes of a block theme. A theme has little CSS: its `theme.json` holds colours, fonts
 * and styles, which `class-wp-theme-json.php` turns into "global styles". This file does the same for what the theme
 * Twenty Twenty-Three uses of that format. WordPress itself comes from Debian's packages and is not copied.
 */
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

/** Where Debian's packages `wordpress` and `wordpress-theme-twentytwentythree` are, or were unpacked. */
const wordpressFolder = process.env['WORDPRESS_FOLDER'] ?? '/usr/share/wordpress';
export const themeFolder = join(wordpressFolder, 'wp-content/themes/twentytwentythree');

export const hasWordPress = () => existsSync(join(themeFolder, 'theme.json'));

const sections = ['border', 'color', 'spacing', 'typography'] as const;
const states = [':visited', ':hover', ':focus', ':active'] as const;

type Styles = {
  /** CSS values by name, or the sides of a margin or a padding. */
  [section in (typeof sections)[number]]?: Record<string, string | Record<string, string>>;
} & {[state in (typeof states)[number]]?: Styles} & {
  elements?: Record<string, Styles>;
  blocks?: Record<string, Styles>;
};
type Preset = {slug: string};
type FontFace = {fontFamily: string; fontStyle: string; fontWeight: string; src: string[]};
type FontSize = Preset & {size: string; fluid?: false | {min: string; max: string}};
type Rule = {selector: string; rules: Record<string, string | null>};
type Layout = {className: string; displayMode?: string; baseStyles: Rule[]; spacingStyles: Rule[]};
type ThemeJson = {
  settings: {
    color: {palette: (Preset & {color: string})[]};
    layout: {contentSize: string; wideSize: string; definitions: Record<string, Layout>};
    spacing: {spacingSizes: (Preset & {size: string})[]};
    typography: {
      fontFamilies: (Preset & {fontFamily: string; fontFace?: FontFace[]})[];
      fontSizes: FontSize[];
    };
  };
  styles: Styles;
};

const text = (path: string) => readFileSync(join(wordpressFolder, path), 'utf8');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the second object has replaces what the first one has. Lists are replaced as a whole. */
function merge(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return other ?? one;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(keys.map((key) => [key, merge(one[key], other[key])]));
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const rule = (selector: string, body: readonly string[]) =>
  body.length > 0 ? `${selector} { ${body.join('; ')} }\n` : '';

/** A font that grows with the window, from 768 to 1600 px wide. */
function fontSize({size, fluid}: FontSize): string {
  if (!fluid) return size;
  const perPercent = (100 * (parseFloat(fluid.max) - parseFloat(fluid.min))) / ((1600 - 768) / 16);
  return `clamp(${fluid.min}, ${fluid.min} + ((1vw - 0.48rem) * ${perPercent}), ${fluid.max})`;
}

function presets({color, spacing, typography, layout}: ThemeJson['settings']): string {
  const properties = (kind: string, entries: readonly Preset[], valueOf: (entry: never) => string) =>
    entries.map((entry) => `--wp--preset--${kind}--${entry.slug}: ${valueOf(entry as never)}`);
  return rule('body', [
    ...properties('color', color.palette, (entry: {color: string}) => entry.color),
    ...properties('spacing', spacing.spacingSizes, (entry: {size: string}) => entry.size),
    ...properties('font-family', typography.fontFamilies, (entry: {fontFamily: string}) => entry.fontFamily),
    ...properties('font-size', typography.fontSizes, fontSize),
    `--wp--style--global--content-size: ${layout.contentSize}`,
    `--wp--style--global--wide-size: ${layout.wideSize}`,
    'margin: 0',
  ]);
}

/** @param address of the theme's folder on the page's server */
const fontFaces = ({typography}: ThemeJson['settings'], address: string) =>
  typography.fontFamilies
    .flatMap(({fontFace = []}) => fontFace)
    .map(({fontFamily, fontStyle, fontWeight, src: [file = '']}) =>
      rule('@font-face', [
        `font-family: "${fontFamily}"`,
        `font-style: ${fontStyle}`,
        `font-weight: ${fontWeight}`,
        'font-display: fallback',
        `src: url("${file.replace('file:.', address)}")`,
      ]),
    )
    .join('');

/** The names of the properties that are not made of their path in `theme.json`. */
const renamed: Readonly<Record<string, string>> = {
  'color-text': 'color',
  'color-background': 'background-color',
};

const declarations = (styles: Styles) =>
  sections.flatMap((section) =>
    Object.entries(styles[section] ?? {}).flatMap(([name, value]) => {
      if (name === 'blockGap') return [];
      if (typeof value === 'object') {
        return Object.entries(value).map(([side, size]) => `${name}-${side}: ${size}`);
      }
      const path = `${section}-${kebab(name)}`;
      return [`${renamed[path] ?? (section === 'border' ? path : kebab(name))}: ${value}`];
    }),
  );

const elementSelectors: Readonly<Record<string, string>> = {
  button: '.wp-element-button',
  heading: 'h1, h2, h3, h4, h5, h6',
  link: 'a:where(:not(.wp-element-button))',
};

const within = (outer: string, selectors: string) =>
  selectors
    .split(', ')
    .map((selector) => `${outer} ${selector}`.trim())
    .join(', ');

/** The rules for the elements of a block, or of the whole page, in each of their states. */
const elementRules = (elements: Record<string, Styles> = {}, outer = '') =>
  // As in WordPress, the rules for all headings come before those for one of them.
  Object.entries({heading: {}, ...elements})
    .flatMap(([element, styles]: [string, Styles]) => {
      const selector = within(outer, elementSelectors[element] ?? element);
      return [
        rule(selector, declarations(styles)),
        ...states.map((state) =>
          rule(
            selector.replaceAll(/,|$/g, (end) => state + end),
            declarations(styles[state] ?? {}),
          ),
        ),
      ];
    })
    .join('');

const blockRules = (blocks: Record<string, Styles> = {}) =>
  Object.entries(blocks)
    .map(([name, styles]) => {
      const selector = `.wp-block-${name.replace('core/', '')}`;
      return rule(selector, declarations(styles)) + elementRules(styles.elements, selector);
    })
    .join('');

/** The rules of the containers that a block's content stands in: one below the other, in a column, or in a row. */
const layoutRules = (layouts: Record<string, Layout>, gap: string) =>
  Object.values(layouts)
    .flatMap(({className, displayMode, baseStyles, spacingStyles}) => [
      rule(`body .${className}`, displayMode ? [`display: ${displayMode}`] : []),
      ...[...spacingStyles, ...baseStyles].map(({selector, rules}) =>
        rule(
          `body .${className}${selector}`,
          Object.entries(rules).map(([name, value]) => `${name}: ${value ?? gap}`),
        ),
      ),
    ])
    .join('');

/** The padding of the page's root is that of its containers, so that their full-width children can leave it out. */
function rootRules({spacing, ...styles}: Styles): string {
  const padding = Object.entries(spacing?.['padding'] ?? {});
  return [
    rule('body', [
      ...padding.map(([side, size]) => `--wp--style--root--padding-${side}: ${size}`),
      ...declarations(styles),
    ]),
    rule('.wp-site-blocks', [
      'padding-block: var(--wp--style--root--padding-top) var(--wp--style--root--padding-bottom)',
    ]),
    rule('.has-global-padding', [
      'padding-right: var(--wp--style--root--padding-right)',
      'padding-left: var(--wp--style--root--padding-left)',
    ]),
    rule('.has-global-padding :where(.has-global-padding)', ['padding-inline: 0']),
  ].join('');
}

/**
 * @param variation one of the theme's own, such as `pitch`, which is dark
 * @param address of the theme's folder on the page's server
 */
export function wordpressStyles(variation: string | undefined, address: string): string {
  const theme = 'wp-content/themes/twentytwentythree';
  const files = [
    'wp-includes/theme.json',
    `${theme}/theme.json`,
    variation && `${theme}/styles/${variation}.json`,
  ];
  const merged = files.filter((file) => file !== undefined).map((file) => JSON.parse(text(file)) as unknown);
  const {settings, styles} = merged.reduce(merge) as ThemeJson;
  const blockGap = styles.spacing?.['blockGap'];
  return [
    text('wp-includes/css/dist/block-library/style.min.css'),
    fontFaces(settings, address),
    presets(settings),
    rootRules(styles),
    layoutRules(settings.layout.definitions, typeof blockGap === 'string' ? blockGap : '0'),
    elementRules(styles.elements),
    blockRules(styles.blocks),
  ].join('\n');
}
