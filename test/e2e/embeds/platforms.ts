/**
 * All platforms, emulated: what each does to a text that a partner pastes there, written from the public
 * documentation of the site's software. Where two platforms do the same with the same text, one of them is tried. In what ways
 * optimisers and editors run the plain script is tried in test/widget/partner-pages/classic.test.ts, in what ways pages
 * make the element in places.test.ts, and other frames in frames.test.ts.
 */
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import type {PlatformName} from '../../../server/snippets/platforms.ts';
import type {SnippetParts} from '../../../server/snippets/markup.ts';
import {skipUnless} from '../../support/installed.ts';
import {reactApp, vueApp} from './apps.ts';
import {fireTag, followLink, insertWithScripts, pageScript} from './page-scripts.ts';
import {head, pageOf, type Page} from '../../support/website.ts';

/** The texts of a snippet, in their order, and what they were made from. */
export type Snippet = {texts: readonly string[]; parts: SnippetParts};

export type Way = {
  /** What the site does, as the end of the sentence "The form works on a page that …". */
  does: string;
  /** @param frames the address at which the site has what it shows in a frame, and what sets it */
  publish: (snippet: Snippet, frames: Frames) => Page | Promise<Page>;
};

type Frames = {address: string; set(page: Page): void};

type Emulation = {
  usual: Way;
  /** What else such a site may do to the text, by the choice of the partner. */
  others?: readonly Way[];
  /** The form is in a frame of the page. */
  isFramed?: true;
  /** Why it cannot be tried on this machine. */
  missing?: string;
};

/** The platforms that put the same text into the page in the same way as the platform that is tried for them. */
export const alike = {squarespace: 'webflow', shopify: 'webflow'} as const satisfies Partial<
  Record<PlatformName, PlatformName>
>;

/** The platforms that are tried. */
export type TriedPlatform = Exclude<PlatformName, keyof typeof alike>;

const page = (html: (texts: readonly string[]) => string): Way['publish'] => {
  return ({texts}) => pageOf(html(texts));
};

const wordpressFolder = process.env['WORDPRESS_FOLDER'] ?? '/usr/share/wordpress';

/**
 * WordPress's own functions, run on the content of a page (https://wordpress.org/documentation/article/custom-html/).
 * The role decides whether HTML is filtered when the page is saved: authors lack the capability `unfiltered_html`
 * (https://wordpress.org/documentation/article/roles-and-capabilities/).
 */
export const wordpress = (content: string, role: 'editor' | 'author' = 'editor') =>
  execFileSync('php', ['test/e2e/wordpress/without-database.php', wordpressFolder, 'content', role], {
    input: content,
    encoding: 'utf8',
  });

const withoutWordPress = skipUnless(
  'REQUIRE_THEMES',
  !existsSync(`${wordpressFolder}/wp-includes/blocks.php`) &&
    'there is no WordPress: unpack Debian’s package wordpress, and name its folder usr/share/wordpress in WORDPRESS_FOLDER',
);

export const htmlBlock = (html: string) => `<!-- wp:html -->\n${html}\n<!-- /wp:html -->`;

/**
 * A Custom HTML tag. Scripts in it are compiled with the container, and made anew when the tag fires; they keep no
 * attributes but `src` and `id`, as any published container shows that has such a tag
 * (https://support.google.com/tagmanager/answer/6107167, and the function `__html` in
 * https://www.googletagmanager.com/gtm.js).
 */
const firesTag = ({hasPlace = true, times = 1, wait = true} = {}): Way['publish'] =>
  page(
    ([place = '', html = '']) =>
      `${hasPlace ? place : ''}<p>Footer</p>${pageScript(fireTag, {html, times, wait})}`,
  );

/**
 * Wix shows what is pasted in a frame on an origin of its own, such as https://www-example-com.filesusr.com
 * (https://dev.wix.com/docs/velo/api-reference/$w/html-component/introduction).
 */
const wixFrame: Way['publish'] = ({texts: [text = '']}, frames) => {
  frames.set(pageOf(text));
  return pageOf(`<iframe title="Embedded Content" name="htmlComp-iframe" width="100%" height="1500"
    allow="fullscreen" src="${frames.address}"></iframe>`);
};

/**
 * Framer's component "Embed" is public (https://www.framer.com/learn/how-to-add-an-iframe-or-embed-script/, code at
 * https://framer.com/m/Embed-UI5d.js). HTML with a certain comment is put into the page, and its scripts are made anew.
 */
const framerEmbed = (html: string) => {
  if (!html.includes('<!-- framer-direct-embed -->')) throw new Error('Framer would show it in a frame');
  return `<div id="embed" style="width: 100%; display: flex; flex-direction: column; justify-content: center;
    align-items: center"></div>${pageScript(insertWithScripts, {html, into: '#embed'})}`;
};

export const emulations: Readonly<Record<TriedPlatform, Emulation>> = {
  html: {usual: {does: 'has it as it is', publish: page(([text = '']) => text)}},

  wordpress: {
    ...(withoutWordPress && {missing: withoutWordPress}),
    usual: {
      does: 'WordPress makes of a Custom HTML block',
      publish: page(([text = '']) => wordpress(htmlBlock(text))),
    },
    others: [
      {
        does: 'WordPress makes of a text in the classic editor, with paragraphs and line breaks added',
        publish: page(([text = '']) => wordpress(text)),
      },
    ],
  },

  gtm: {
    usual: {does: 'fires the tag when it is parsed, and has the place for the form', publish: firesTag()},
    others: [
      {does: 'fires the tag, and has no place for the form', publish: firesTag({hasPlace: false})},
      {does: 'fires the tag twice', publish: firesTag({times: 2})},
      {does: 'fires the tag before it is parsed', publish: firesTag({wait: false})},
    ],
  },

  webflow: {
    usual: {
      // https://help.webflow.com/hc/en-us/articles/33961332238611-Custom-code-embed
      does: 'wraps the code in an element',
      publish: page(([text = '']) => `<div class="w-embed w-script">${text}</div>`),
    },
  },

  wix: {
    isFramed: true,
    usual: {does: 'shows the code in a frame with another origin', publish: wixFrame},
  },

  framer: {
    usual: {does: 'runs the code in the page itself', publish: page(([text = '']) => framerEmbed(text))},
  },

  react: {
    usual: {
      does: 'mounts the component with React 19, under strict mode',
      publish: ({texts: [component = '']}) => reactApp(component),
    },
  },

  vue: {
    usual: {
      does: 'mounts the component with Vue 3',
      publish: ({texts: [component = '', setting = '']}) => vueApp(component, setting),
    },
  },

  csp: {
    usual: {
      does: 'sends the policy of the snippet, and forbids everything else',
      publish: ({texts: [policy = '', rule = '', html = '']}) => strictPage(policy, rule, html),
    },
  },

  frame: {
    isFramed: true,
    usual: {does: 'has it as it is', publish: page(([text = '']) => text)},
  },

  email: {
    usual: {
      does: 'has the link, which the visitor follows',
      publish: page(([, link = '']) => link + pageScript(followLink, {})),
    },
  },
};

export const triedPlatforms = Object.keys(emulations) as TriedPlatform[];

/** The style sheet has a nonce, because the page has it inline where a partner's page has a file. */
function strictPage(policy: string, rule: string, html: string) {
  const base =
    "default-src 'none'; style-src 'nonce-page'; img-src data:; base-uri 'none'; form-action 'none'";
  return {
    html: `${head}<style nonce="page">${rule}</style></head><body>${html}</body></html>`,
    headers: {
      'Content-Security-Policy': `${base}; require-trusted-types-for 'script'; ${policy.replaceAll('\n', ' ')}`,
    },
  };
}
