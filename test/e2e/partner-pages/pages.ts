/**
 * Pages of three partners, each with the public style sheets and the markup of a framework or theme that real pages use:
 * a header, a hero, and a centred column in which the form stands between paragraphs.
 */
import {readFileSync} from 'node:fs';
import {hasWordPress, wordpressStyles} from './wordpress.ts';

export type Scheme = 'light' | 'dark';

export type PartnerPage = {
  /** @param snippet the script tag and the form */
  html(scheme: Scheme, snippet: string): string;
  /** A selector of the page's own button in the colour of its brand, if the form can know that colour. */
  brand?: string;
  /** Why the page cannot be made on this machine. */
  missing?: string;
};

/** Where the server has the files of the WordPress theme. */
export const themeAddress = '/theme';

const site = 'Harbor Lane';
const links = ['Franchises', 'Guides', 'About'];
const title = 'Open a business of your own';
const lead = 'We help people leave a job and buy, build or franchise a business.';
const heading = 'How much could you put behind it?';
const before = [
  'Most owners pay for their start from more than one source. What you own already may count for more than you think.',
  'Answer a few questions and see an estimate of what you could use, by source.',
];
const after = [
  'The figures are a first idea and no offer. An adviser goes through them with you before you sign anything.',
  'Nothing here touches your credit score.',
];
const footer = '© Harbor Lane Partners';

const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join('\n');
const items = (open: string, link: string) =>
  links.map((name) => `${open}<a ${link} href="#">${name}</a></li>`).join('\n');

/** @param root attributes of `<html>` */
const page = (root: string, css: string, body: string) => `<!doctype html>
<html lang="en" ${root}>
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} | ${site}</title>
    <link rel="icon" href="data:," />
    <style>${css}</style>
  </head>
  ${body}
</html>`;

const bootstrap: PartnerPage = {
  brand: '.btn-primary',
  html: (scheme, snippet) =>
    page(
      `data-bs-theme="${scheme}"`,
      readFileSync('test/support/style-sheets/bootstrap.min.css', 'utf8'),
      `<body>
        <nav class="navbar navbar-expand bg-body-tertiary border-bottom">
          <div class="container flex-wrap">
            <a class="navbar-brand" href="#">${site}</a>
            <ul class="navbar-nav flex-wrap">${items('<li class="nav-item">', 'class="nav-link"')}</ul>
          </div>
        </nav>
        <div class="container py-5 text-center">
          <h1 class="display-5 fw-bold">${title}</h1>
          <p class="lead mb-4">${lead}</p>
          <a class="btn btn-primary btn-lg" href="#estimate">Get an estimate</a>
        </div>
        <main class="container" id="estimate">
          <div class="row justify-content-center">
            <div class="col-lg-8">
              <h2 class="mb-3">${heading}</h2>
              ${paragraphs(before)}
              ${snippet}
              <div class="mt-4">${paragraphs(after)}</div>
            </div>
          </div>
        </main>
        <footer class="container border-top mt-5 py-4 text-body-secondary">${footer}</footer>
      </body>`,
    ),
};

const wordpress: PartnerPage = {
  brand: '.wp-element-button',
  ...(!hasWordPress() && {
    missing:
      "there is no WordPress: unpack Debian's packages wordpress and wordpress-theme-twentytwentythree, and name their folder " +
      'usr/share/wordpress in WORDPRESS_FOLDER',
  }),
  html: (scheme, snippet) =>
    page(
      '',
      wordpressStyles(scheme === 'dark' ? 'pitch' : undefined, themeAddress),
      `<body>
        <div class="wp-site-blocks">
          <header class="wp-block-group has-global-padding is-layout-constrained">
            <div class="wp-block-group alignwide is-layout-flex"
              style="padding-bottom: var(--wp--preset--spacing--40); justify-content: space-between">
              <p class="wp-block-site-title"><a href="#">${site}</a></p>
              <nav class="wp-block-navigation">
                <ul class="wp-block-navigation__container is-layout-flex">
                  ${items('<li class="wp-block-navigation-item">', 'class="wp-block-navigation-item__content"')}
                </ul>
              </nav>
            </div>
          </header>
          <main class="wp-block-group is-layout-flow" style="margin-top: var(--wp--preset--spacing--50)">
            <div class="wp-block-group has-global-padding is-layout-constrained">
              <h1 class="wp-block-post-title" style="margin-bottom: var(--wp--preset--spacing--40)">${title}</h1>
            </div>
            <div class="entry-content wp-block-post-content has-global-padding is-layout-constrained">
              <p>${lead}</p>
              <div class="wp-block-buttons is-layout-flex">
                <div class="wp-block-button">
                  <a class="wp-block-button__link wp-element-button" href="#">Get an estimate</a>
                </div>
              </div>
              <h2>${heading}</h2>
              ${paragraphs(before)}
              ${scheme === 'dark' ? snippet.replace('sandbox', 'sandbox theme="dark"') : snippet}
              ${paragraphs(after)}
            </div>
          </main>
          <footer class="wp-block-group has-global-padding is-layout-constrained">
            <p style="padding-top: var(--wp--preset--spacing--40)">${footer}</p>
          </footer>
        </div>
      </body>`,
    ),
};

const handwritten: PartnerPage = {
  html: (_scheme, snippet) =>
    page(
      '',
      `html { font-size: 62.5%; color-scheme: light dark }
       body {
         margin: 0; font: 1.7rem/1.65 Georgia, 'Times New Roman', serif;
         background: light-dark(#fbf7f0, #1d1a16); color: light-dark(#3a2f25, #e6dccd);
       }
       * { box-sizing: border-box }
       a { color: light-dark(#8a3b12, #f0a873) }
       h1, h2 { font-weight: normal; line-height: 1.2 }
       h1 { font-size: 4.2rem; margin: 0 0 1.6rem }
       h2 { font-size: 2.8rem }
       header, main, footer { max-width: 72rem; margin: 0 auto; padding: 2.4rem }
       header ul { display: flex; flex-wrap: wrap; gap: 2rem; list-style: none; margin: 0 0 4rem; padding: 0 }
       .panel { overflow: hidden; margin: 3.2rem 0 }
       .go { background: #8a3b12; border-radius: 0.4rem; color: #fff; padding: 1rem 2rem; text-decoration: none }
       lead-prequal-form {
         --prequal-accent: light-dark(#8a3b12, #f0a873); --prequal-background: light-dark(#fffdf9, #26221c);
         --prequal-radius: 4px;
       }
       lead-prequal-form::part(heading) { font-weight: normal }`,
      `<body>
        <header>
          <ul><li><b>${site}</b></li>${items('<li>', '')}</ul>
          <h1>${title}</h1>
          <p>${lead}</p>
          <a class="go" href="#">Get an estimate</a>
        </header>
        <main>
          <h2>${heading}</h2>
          ${paragraphs(before)}
          <div class="panel">${snippet}</div>
          ${paragraphs(after)}
        </main>
        <footer><small>${footer}</small></footer>
      </body>`,
    ),
};

export const partnerPages: Readonly<Record<string, PartnerPage>> = {
  wordpress,
  bootstrap,
  'hand-written': handwritten,
};
