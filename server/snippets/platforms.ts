/**
 * The platforms on which partners put the form, each with the snippet that survives there. The page of snippets, the
 * command `lead-prequal partners snippet` and the documentation take them from this table, and test/e2e/embeds runs them
 * on pages that treat a snippet as such a site does. The command and the page of snippets call a platform `host`, because
 * addresses and scripts of partners use that name.
 */
import {escapeHtml} from '../html/html.ts';
import {fallbackBelow, fallbackChild, fallbackClass, fallbackLine, fallbackStyle} from './fallback.ts';
import {frameSnippet} from './frame-snippet.ts';
import {
  classicTag,
  declarations,
  formTag,
  inlineStyle,
  moduleTag,
  opener,
  scriptText,
  styleAttribute,
  type ScriptFile,
  type SnippetParts,
} from './markup.ts';

/** One text to copy. */
export type Block = {
  /** Where it goes. */
  title: string;
  language: 'html' | 'css' | 'jsx' | 'vue' | 'js' | 'text';
  code: string;
};

export type Platform = {
  name: string;
  /** What to do, one step a sentence. The texts to copy come after them. */
  steps: readonly string[];
  blocks(parts: SnippetParts): readonly Block[];
};

/** The plain script: it also runs where a tool drops attributes, delays scripts, or puts them into the page later. */
const classicHtml = (parts: SnippetParts) =>
  `${fallbackStyle(parts)}${formTag(parts, styleAttribute(parts), fallbackChild(parts))}\n${classicTag(parts)}`;

/**
 * Where WordPress takes scripts out of a page, it leaves what stands between `<style>` and `</style>` as a text, so the
 * snippet has none. It also leaves the link below the form.
 */
const wordpress = (parts: SnippetParts) =>
  `${formTag(parts, styleAttribute(parts))}\n${classicTag(parts)}${fallbackBelow(parts)}`;

const singleHtmlBlock = (title: string, code: (parts: SnippetParts) => string): Platform['blocks'] => {
  return (parts) => [{title, language: 'html', code: code(parts)}];
};

const setAttributes = ({partner, attributes}: SnippetParts) =>
  Object.entries<string | true>({partner, ...attributes})
    .map(([name, value]) => [name, value === true ? '' : value] as const)
    .map(([name, value]) => `form.setAttribute(${scriptText(name)}, ${scriptText(value)});`)
    .join(' ');

const setScript = ({src, integrity}: ScriptFile) =>
  [
    `script.src = ${scriptText(src)};`,
    ...(integrity === undefined ? [] : [`script.integrity = ${scriptText(integrity)};`]),
    `script.crossOrigin = 'anonymous';`,
  ].join(' ');

/**
 * Tag managers run a script that stands in the tag, but drop attributes of a script element, and with them the hash. So
 * this script makes the elements itself. It is written for old checkers, which accept only JavaScript of 2009.
 */
const tagManager = (parts: SnippetParts) => `<script>(function () {
  if (document.querySelector('lead-prequal-form')) return;
  var form = document.createElement('lead-prequal-form'), script = document.createElement('script');
  ${setAttributes(parts)}
  form.style.cssText = ${scriptText(inlineStyle(parts))};
${parts.fallback ? `  var late = document.querySelector('.${fallbackClass}'); if (late) form.appendChild(late);\n` : ''}  (document.getElementById('funding-form') || document.body).appendChild(form);
  ${setScript(parts.classic)}
  document.head.appendChild(script);
})();</script>`;

/** Where tag managers are blocked, too, the text for that shows here. */
const placeForForm = (parts: SnippetParts) => {
  const child = fallbackChild(parts);
  return `${fallbackStyle(parts)}${opener(parts)}<div id="funding-form">${child && `\n  ${child}\n`}</div>`;
};

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const reactStyle = (parts: SnippetParts) =>
  Object.entries(declarations(parts))
    .map(([name, value]) => `${name.startsWith('--') ? `'${name}'` : camelCase(name)}: ${scriptText(value)}`)
    .join(', ');

const jsxAttributes = ({partner, attributes}: SnippetParts) =>
  Object.entries<string | true>({partner, ...attributes})
    .map(([name, value]) => (value === true ? name : `${name}="${escapeHtml(value)}"`))
    .join(' ');

/** The link that opens a form in a dialog, on a line of its own before the form. */
const openerLine = (parts: SnippetParts, indent: string) =>
  opener(parts) ? `${indent}${opener(parts)}` : '';

const pin = (name: string, {integrity}: ScriptFile) =>
  integrity === undefined ? '' : ` ${name}="${integrity}"`;

/** The end of a component's tag, with what it holds. */
const ending = (child: string, indent: string) =>
  child ? `>\n${indent}  ${child}\n${indent}</lead-prequal-form>` : ' />';

const reactRules = ({fallback}: SnippetParts) =>
  fallback ? `    <style>{\`${fallbackLine}\`}</style>\n` : '';

const react = (parts: SnippetParts) => `export const FundingForm = () => (
  <>
    <script async src="${parts.module.src}" type="module"${pin('integrity', parts.module)} crossOrigin="" />
${reactRules(parts)}${openerLine(parts, '    ')}    <lead-prequal-form ${jsxAttributes(parts)} style={{${reactStyle(parts)}}}${ending(fallbackChild(parts, 'className'), '    ')}
  </>
);`;

const vue = (parts: SnippetParts) => `<template>
  <component :is="'script'" async src="${parts.classic.src}"${pin('integrity', parts.classic)} crossorigin />
${openerLine(parts, '  ')}  <lead-prequal-form ${jsxAttributes(parts)} style="${escapeHtml(inlineStyle(parts))}"${ending(fallbackChild(parts), '  ')}
</template>${parts.fallback ? `\n\n${fallbackStyle(parts).trimEnd()}` : ''}`;

const cssRules = (parts: SnippetParts) =>
  [`.funding-form { ${inlineStyle(parts)} }`, ...(parts.fallback ? [fallbackLine] : [])].join('\n');

function policy({server, logo, attributes: {endpoint}}: SnippetParts): string {
  const receiver = typeof endpoint === 'string' ? new URL(endpoint).origin : server;
  return [
    `script-src ${server};`,
    `connect-src ${receiver};`,
    ...(logo === undefined ? [] : [`img-src ${new URL(logo).origin};`]),
    'trusted-types lead-prequal;',
  ].join('\n');
}

const emailLink = ({applyPage: {applyUrl, title}}: SnippetParts) =>
  `<a href="${escapeHtml(applyUrl)}">${escapeHtml(title)}</a>`;

export const platforms = {
  html: {
    name: 'Your own HTML',
    steps: ['Paste this where the form should appear.'],
    blocks: singleHtmlBlock(
      'In the page',
      (parts) =>
        `${moduleTag(parts)}\n${fallbackStyle(parts)}${formTag(parts, styleAttribute(parts), fallbackChild(parts))}`,
    ),
  },
  wordpress: {
    name: 'WordPress',
    steps: [
      'Sign in as somebody who may post any HTML: usually an administrator or editor, in a network of sites only a super admin. WordPress calls this right "unfiltered_html".',
      'Open the page in the editor, and add a block of the kind "Custom HTML" where the form should appear.',
      'Paste this into the block, and publish the page.',
      'Let nobody without that right save the page later, not even to change its title: WordPress would remove the form and its script, and leave only the link below.',
    ],
    blocks: singleHtmlBlock('In the Custom HTML block', wordpress),
  },
  gtm: {
    name: 'Google Tag Manager',
    steps: [
      'Paste the first text into your page, where the form should appear. Without it, the form appears at the end of the page.',
      'In Tag Manager, make a new tag of the type "Custom HTML", and paste the second text into it.',
      'Choose a trigger of the type "DOM Ready" for the page, and publish the container.',
    ],
    blocks: (parts) => [
      {title: 'In the page, where the form should appear', language: 'html', code: placeForForm(parts)},
      {title: 'In the Custom HTML tag', language: 'html', code: tagManager(parts)},
    ],
  },
  webflow: {
    name: 'Webflow',
    steps: [
      'Add an element "Code Embed" where the form should appear.',
      'Paste this into it, and publish the site.',
    ],
    blocks: singleHtmlBlock('In the Code Embed', classicHtml),
  },
  wix: {
    name: 'Wix',
    steps: [
      'Add an element "Embed HTML" (in "Embed Code"), choose "Code", and paste this.',
      'Make the element as high as the form: 1,100 pixels, and 1,500 in the mobile editor.',
      "Wix shows the element under another address. Publish, open your page, type into the form, and send us the address that the browser's console names (F12, Console).",
    ],
    blocks: singleHtmlBlock('In the Embed HTML element', classicHtml),
  },
  squarespace: {
    name: 'Squarespace',
    steps: [
      'Edit the page, and add a block "Code" where the form should appear.',
      'Paste this, leave the language HTML, and save. The editor does not run scripts: look at the published page.',
    ],
    blocks: singleHtmlBlock('In the Code block', classicHtml),
  },
  shopify: {
    name: 'Shopify',
    steps: [
      'In the theme editor, open the page, and add a section "Custom Liquid" where the form should appear.',
      'Paste this, and save.',
    ],
    blocks: singleHtmlBlock('In the Custom Liquid section', classicHtml),
  },
  framer: {
    name: 'Framer',
    steps: [
      'Add an "Embed" where the form should appear, and choose the type "HTML".',
      'Paste this, set the width to "Fill" and the height to "Fit content", and publish.',
    ],
    // With this comment, Framer puts the code into the page. Without it, the form would be in a frame, which does not see
    // from which campaign a visitor comes.
    blocks: singleHtmlBlock('In the Embed', (parts) => `<!-- framer-direct-embed -->\n${classicHtml(parts)}`),
  },
  react: {
    name: 'React',
    steps: ['Put this component into a file, and use it where the form should appear (React 19).'],
    blocks: (parts) => [{title: 'FundingForm.jsx', language: 'jsx', code: react(parts)}],
  },
  vue: {
    name: 'Vue',
    steps: [
      'Put this component into a file, and use it where the form should appear (Vue 3).',
      'Tell Vue that the element is not one of its components.',
    ],
    blocks: (parts) => [
      {title: 'FundingForm.vue', language: 'vue', code: vue(parts)},
      {
        title: 'In vite.config.js',
        language: 'js',
        code: `vue({template: {compilerOptions: {isCustomElement: (tag) => tag === 'lead-prequal-form'}}})`,
      },
    ],
  },
  csp: {
    name: 'A strict content security policy',
    steps: [
      'Add these sources to the directives of your policy. If one is missing there, add it with the sources of your "default-src" as well. "trusted-types" is needed only if your policy has it.',
      'Put the rules into your style sheet, because your policy forbids styles within the page.',
      'Paste the script and the form where the form should appear.',
    ],
    blocks: (parts) => [
      {title: 'In the Content-Security-Policy', language: 'text', code: policy(parts)},
      {title: 'In the style sheet', language: 'css', code: cssRules(parts)},
      {
        title: 'In the page',
        language: 'html',
        code: `${moduleTag(parts)}\n${formTag(parts, {class: 'funding-form'}, fallbackChild(parts))}`,
      },
    ],
  },
  frame: {
    name: 'A frame, without our script on your page',
    steps: [
      'Paste this where the form should appear. The frame shows your apply page, which is on our server. The script gives it the height of the form.',
      'The form works only if the address of your page is on our list.',
    ],
    blocks: singleHtmlBlock('In the page', ({applyPage}) => frameSnippet(applyPage)),
  },
  email: {
    name: 'E-mail or QR code',
    steps: [
      'E-mails cannot hold a form. Link to your apply page, which is on our server.',
      'For a QR code, use the address. Add "?utm_source=" and a name to see where leads come from, or "&utm_source=" if it has a question mark.',
    ],
    blocks: (parts) => [
      {title: 'The address', language: 'text', code: parts.applyPage.applyUrl},
      {title: 'A link in HTML', language: 'html', code: emailLink(parts)},
    ],
  },
} as const satisfies Readonly<Record<string, Platform>>;

export type PlatformName = keyof typeof platforms;

/**
 * The kinds whose snippets lead to the partner's apply page, which has its own design and the newest version of the
 * form.
 */
export const leadToApplyPage: ReadonlySet<PlatformName> = new Set(['frame', 'email']);

/** The form is in a frame there, or on another page, so a tag on the partner's page hears nothing of its leads. */
const lacksTag: ReadonlySet<PlatformName> = new Set([...leadToApplyPage, 'wix']);

/** What shows a file or a component, and not HTML. */
const takesCode: ReadonlySet<PlatformName> = new Set(['react', 'vue', 'csp']);

/**
 * Tells Google Ads of the first lead of a page view that is not refused, as a page of thanks does. It calls the page's own
 * `gtag` only then, so its call comes after those of Consent Mode. A page without it, such as one on which it is blocked, is
 * left alone.
 */
const conversion = (sendTo: string) => `addEventListener('prequal-result', function tell(event) {
  if (event.detail.status === 'refused') return;
  removeEventListener('prequal-result', tell);
  if (window.gtag) gtag('event', 'conversion', {send_to: ${scriptText(sendTo)}});
});`;

/** All texts to copy. */
export function blocksOf(platform: PlatformName, parts: SnippetParts): readonly Block[] {
  const blocks: readonly Block[] = platforms[platform].blocks(parts);
  if (parts.googleAds === undefined || lacksTag.has(platform)) return blocks;
  const code = conversion(parts.googleAds);
  const ads: Block = takesCode.has(platform)
    ? {title: 'For Google Ads, in a script of your site', language: 'js', code}
    : {title: 'For Google Ads, in the same page', language: 'html', code: `<script>${code}</script>`};
  return [...blocks, ads];
}

export const platformNames = Object.keys(platforms) as [PlatformName, ...PlatformName[]];
