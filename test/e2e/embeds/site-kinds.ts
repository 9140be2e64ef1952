/**
 * All kinds of sites, emulated: what each does to a text that a partner pastes there, written from the public
 * documentation of the site's software.
 */
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {Liquid} from 'liquidjs';
import type {SiteKindName} from '../../../server/snippets/site-kinds.ts';
import {classicTag, formTag, type SnippetParts} from '../../../server/snippets/markup.ts';
import {skipUnless} from '../../support/installed.ts';
import {reactApp, vueApp} from './apps.ts';
import {
  embedInFrame,
  fireTag,
  followLink,
  insert,
  insertWithScripts,
  pageScript,
  runDelayed,
  tellHeight,
} from './page-scripts.ts';
import {head, pageOf, type Site} from './site.ts';
import type {BeforeForm} from './visitors.ts';

/** The texts of a snippet, in their order, and what they were made from. */
export type Snippet = {texts: readonly string[]; parts: SnippetParts};

export type Way = {
  /** What the site does, as the end of the sentence "The form works on a page that …". */
  does: string;
  beforeForm?: BeforeForm;
  /** @returns the address that a visitor opens */
  publish(snippet: Snippet, site: Site): string | Promise<string>;
};

type Emulation = {
  usual: Way;
  /** The options of such a site, and what tools do that people add to it. */
  others?: readonly Way[];
  /** The snippet stands in a plain page, so that it is tried in Firefox and WebKit, too. */
  isPlain?: true;
  /** Why it cannot be tried on this machine. */
  missing?: string;
};

const page = (html: (texts: readonly string[], parts: SnippetParts) => string): Way['publish'] => {
  return ({texts, parts}, site) => site.add(pageOf(html(texts, parts)));
};

/** The block as an optimiser changes it, and the script that the optimiser adds to the page. */
const optimised = (change: (html: string) => string, added = ''): Way['publish'] =>
  page(([text = '']) => {
    const html = wordpress(htmlBlock(text));
    const changed = change(html);
    if (changed === html) throw new Error('The optimiser finds nothing to change');
    return changed + added;
  });

/** Gives scripts a type that does not run. */
const retype = (html: string, type: string) => html.replaceAll('<script ', `<script type="${type}" `);

const wordpressFolder = process.env['WORDPRESS_FOLDER'] ?? '/usr/share/wordpress';

/**
 * WordPress's own functions, run on the content of a page (https://wordpress.org/documentation/article/custom-html/).
 * The role decides whether HTML is filtered when the page is saved: authors lack the capability `unfiltered_html`
 * (https://wordpress.org/documentation/article/roles-and-capabilities/).
 */
export const wordpress = (content: string, role: 'editor' | 'author' = 'editor') =>
  execFileSync('php', ['test/e2e/embeds/wordpress.php', wordpressFolder, role], {
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
const wixFrame =
  (attributes: string): Way['publish'] =>
  ({texts: [text = '']}, site) => {
    const address = site.addFrame(pageOf(text));
    return site.add(
      pageOf(`<iframe title="Embedded Content" name="htmlComp-iframe" width="100%" height="1500"
        allow="fullscreen" ${attributes} src="${address}"></iframe>`),
    );
  };

/**
 * Framer's component "Embed" is public (https://www.framer.com/learn/how-to-add-an-iframe-or-embed-script/, code at
 * https://framer.com/m/Embed-UI5d.js). HTML with a script is shown in a frame that has no address and reports its
 * height; with a certain comment, it is put into the page, and its scripts are made anew.
 */
const framerEmbed = (html: string) =>
  html.includes('<!-- framer-direct-embed -->')
    ? pageScript(insertWithScripts, {html, into: '#embed'})
    : pageScript(embedInFrame, {
        into: '#embed',
        html: `<html><head><style>html, body {margin: 0; padding: 0}
          body {display: flex; justify-content: center; align-items: center}</style></head>
          <body>${html}<script type="module">(${String(tellHeight)})()</script></body></html>`,
      });
const framerPage = (html: string) =>
  `<div id="embed" style="width: 100%; display: flex; flex-direction: column; justify-content: center;
    align-items: center"></div>${framerEmbed(html)}`;

export const emulations: Readonly<Record<SiteKindName, Emulation>> = {
  html: {isPlain: true, usual: {does: 'has it as it is', publish: page(([text = '']) => text)}},

  wordpress: {
    isPlain: true,
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
      {
        // https://docs.wp-rocket.me/article/1349-delay-javascript-execution
        does: 'delays scripts until the first interaction, as WP Rocket does',
        beforeForm: 'moves the mouse',
        publish: optimised(
          (html) => retype(html, 'rocketlazyloadscript').replace(' src=', ' data-delayed-src='),
          pageScript(runDelayed, {on: 'first interaction', inert: 'rocketlazyloadscript'}),
        ),
      },
      {
        // https://docs.litespeedtech.com/lscache/lscwp/pageopt/ ("Load JS Deferred: Delayed")
        does: 'delays scripts until the first interaction, as LiteSpeed Cache does',
        beforeForm: 'moves the mouse',
        publish: optimised(
          (html) => retype(html, 'litespeed/javascript').replace(' src=', ' data-delayed-src='),
          pageScript(runDelayed, {on: 'first interaction', inert: 'litespeed/javascript'}),
        ),
      },
      {
        // https://developers.cloudflare.com/speed/optimization/content/rocket-loader/
        does: 'runs scripts after it has loaded, as Cloudflare’s Rocket Loader does',
        publish: optimised(
          (html) => retype(html, '7a3f-text/javascript'),
          pageScript(runDelayed, {on: 'load', inert: '7a3f-text/javascript'}),
        ),
      },
      {
        does: 'lost the attributes that an optimiser does not know',
        publish: optimised((html) => html.replace(/ integrity="[^"]*" crossorigin/, '')),
      },
      {
        // https://developer.wordpress.org/reference/functions/wp_enqueue_script/ appends the version of a plugin.
        does: 'has a version appended to the address of the script',
        publish: optimised((html) =>
          html.replace(/ src="[^"]*(?=")/, (src) => `${src}${src.includes('?') ? '&' : '?'}ver=6.4`),
        ),
      },
      {
        does: 'has the script in its head, where it blocks the page',
        publish: ({texts: [text = '']}, site) => {
          const [script = ''] = /<script[^]*?<\/script>/.exec(text) ?? [];
          const body = wordpress(htmlBlock(text.replace(script, '')));
          return site.add({html: `${head}${script.replace(' async', '')}</head><body>${body}</body></html>`});
        },
      },
      {
        // https://wordpress.org/plugins/autoptimize/: "Aggregate JS files" and "Do not aggregate but defer"
        does: 'has the script at its end, deferred',
        publish: optimised((html) => {
          const [script = ''] = /<script async[^]*?<\/script>/.exec(html) ?? [];
          return `${html.replace(script, '')}<p>Footer</p>${script.replace(' async', ' defer')}`;
        }),
      },
      {
        does: 'has the block twice',
        publish: page(([text = '']) => wordpress(htmlBlock(text)).repeat(2)),
      },
    ],
  },

  gtm: {
    usual: {does: 'fires the tag when it is parsed, and has the place for the form', publish: firesTag()},
    others: [
      {does: 'fires the tag, and has no place for the form', publish: firesTag({hasPlace: false})},
      {does: 'fires the tag twice', publish: firesTag({times: 2})},
      {does: 'fires the tag before it is parsed', publish: firesTag({wait: false})},
      {
        does: 'fires a tag with the plain script and the element',
        publish: page((_, parts) =>
          pageScript(fireTag, {html: formTag(parts, {}) + classicTag(parts), times: 1, wait: true}),
        ),
      },
    ],
  },

  webflow: {
    isPlain: true,
    usual: {
      // https://help.webflow.com/hc/en-us/articles/33961332238611-Custom-code-embed
      does: 'wraps the code in an element',
      publish: page(([text = '']) => `<div class="w-embed w-script">${text}</div>`),
    },
  },

  wix: {
    usual: {does: 'shows the code in a frame with another origin', publish: wixFrame('')},
    others: [
      {
        does: 'shows the code in a sandboxed frame that keeps its origin',
        publish: wixFrame('sandbox="allow-same-origin allow-scripts allow-forms allow-popups"'),
      },
    ],
  },

  squarespace: {
    isPlain: true,
    usual: {
      // https://support.squarespace.com/hc/en-us/articles/206543167-Code-blocks
      does: 'has a code block',
      publish: page(
        ([text = '']) => `<div class="sqs-block code-block sqs-block-code">
            <div class="sqs-block-content">${text}</div></div>`,
      ),
    },
    others: [
      {
        // https://support.squarespace.com/hc/en-us/articles/205815928-Adding-custom-code-to-your-site: some templates
        // have "Ajax loading". There, a link replaces the content of the page, and its scripts are made anew.
        does: 'gets the block inserted when the visitor follows a link within the site',
        publish: page(
          ([text = '']) =>
            `<main></main>${pageScript(insertWithScripts, {html: '<p>Another page</p>', into: 'main'})}` +
            pageScript(insertWithScripts, {html: text, into: 'main'}) +
            pageScript(insertWithScripts, {html: '<p>Another page</p>', into: 'main'}) +
            pageScript(insertWithScripts, {html: text, into: 'main'}),
        ),
      },
    ],
  },

  shopify: {
    isPlain: true,
    usual: {
      // https://shopify.dev/docs/storefronts/themes/architecture/settings/input-settings#liquid
      does: 'Liquid makes of the text',
      publish: async ({texts: [text = '']}, site) =>
        site.add(pageOf(`<div class="shopify-section">${await new Liquid().parseAndRender(text)}</div>`)),
    },
    others: [
      {
        // https://shopify.dev/docs/storefronts/themes/best-practices/editor/integrate-sections-and-blocks
        does: 'the theme editor has filled again, without running scripts',
        publish: page(
          ([text = '']) =>
            `<div class="shopify-section">${text}</div>${pageScript(insert, {html: text, into: '.shopify-section'})}`,
        ),
      },
    ],
  },

  framer: {
    usual: {does: 'runs the code in the page itself', publish: page(([text = '']) => framerPage(text))},
    others: [
      {
        does: 'shows the code in a frame without an address',
        publish: page(([text = '']) => framerPage(text.replace('<!-- framer-direct-embed -->', ''))),
      },
    ],
  },

  react: {
    usual: {
      does: 'mounts the component with React 19, under strict mode',
      publish: async ({texts: [component = '']}, site) => site.add(await reactApp(component)),
    },
  },

  vue: {
    usual: {
      does: 'mounts the component with Vue 3',
      publish: async ({texts: [component = '', setting = '']}, site) =>
        site.add(await vueApp(component, setting)),
    },
  },

  csp: {
    isPlain: true,
    usual: {
      does: 'sends the policy of the snippet, and forbids everything else',
      publish: ({texts: [policy = '', rule = '', html = '']}, site) =>
        site.add(strictPage(policy, rule, html)),
    },
  },

  // WebKit's driver cannot click in a frame with another origin.
  frame: {usual: {does: 'has it as it is', publish: page(([text = '']) => text)}},

  email: {
    usual: {
      does: 'has the link with an address that counts clicks',
      publish: ({texts: [address = '', link = '']}, site) =>
        site.add(pageOf(link + pageScript(followLink, {counted: site.addRedirect(address)}))),
    },
  },
};

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
