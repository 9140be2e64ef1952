/** The apply page of a partner: the form alone, for e-mails, QR codes and frames. */
import {paths} from '../../../contract/api.ts';
import {contextPrefix, contextValue} from '../../../contract/embed.ts';
import {fill} from '../../../form/words/fill.ts';
import type {Partner} from '../../config/partners.ts';
import {html, Html} from '../../html/html.ts';
import {anyOf, contactWays} from '../../snippets/fallback.ts';
import {pageLanguages, pageWords, type PageLanguage} from '../../snippets/words.ts';
import {pairsOf, type Query} from '../query.ts';
import {assets} from './page-assets.ts';

/** `auto` follows the visitor's device. */
export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The script of the form. Undefined on a server without any version of the form. */
export type FormScript = {address: string; integrity: string} | undefined;

type Visit = {
  language: PageLanguage;
  theme: Theme;
  /** The page is shown in a frame of another page. */
  framed: boolean;
  /** The page may be shown in a frame, as far as the browser says, so it needs the script that tells its height. */
  mayBeFramed: boolean;
  /** The parameters of the address. */
  query: Query;
};

/** The bar of the four amounts, in the partner's colour. It is in the page, so that no request is needed for it. */
function icon(accent = '#0b57a4'): string {
  const image = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
    <rect width="16" height="16" rx="4" fill="${accent}" />
    <path d="M3 13V9h2v4zm4 0V6h2v7zm4 0V3h2v10z" fill="#fff" />
  </svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image.text)}`;
}

/** @param head further elements of the head */
function pageOf(
  {language, theme, framed}: Omit<Visit, 'mayBeFramed' | 'query'>,
  head: Html,
  body: Html,
): Html {
  return html`<!doctype html>
    <html lang="${language}" ${framed && html`data-framed`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}" />
        <meta name="robots" content="noindex" />
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

type Preview = {partner: Partner; language: PageLanguage; title: string; intro: string; publicUrl: string};

/** What programs show of a link to the page: chats, mail programs and social networks read these tags. */
function linkPreview({partner, language, title, intro, publicUrl}: Preview): Html {
  const picture = assets.pictures[language];
  const tags = {
    'og:type': 'website',
    'og:site_name': partner.name,
    'og:title': title,
    'og:description': intro,
    'og:url': `${publicUrl}${paths.apply}/${partner.key}`,
    'og:locale': pageWords[language].locale,
    // The picture asks how much funding the visitor can get, which a partner for contact data alone does not answer.
    ...(picture !== undefined &&
      takesPrequalification(partner) && {
        'og:image': publicUrl + picture,
        'og:image:type': 'image/png',
        'og:image:width': '1200',
        'og:image:height': '630',
        'og:image:alt': pageWords[language].picture,
        'twitter:card': 'summary_large_image',
      }),
  };
  return html`<meta name="description" content="${intro}" />
    ${Object.entries(tags).map(([name, value]) => html`<meta property="${name}" content="${value}" />`)}`;
}

const takesPrequalification = ({leadTypes}: Partner) => leadTypes.includes('prequalification');

export function applyPage(partner: Partner, visit: Visit, publicUrl: string, script: FormScript): Html {
  const {key, name, privacyHref, origins, colors, cta} = partner;
  const {language, framed, mayBeFramed, query} = visit;
  const words = pageWords[language];
  const leadType = takesPrequalification(partner) ? 'prequalification' : 'standard';
  const title = `${words.title[leadType]} – ${name}`;
  const intro = words.intro[leadType];
  const hidden = contextOf(partner, query);

  // The script of the frame comes first, so that it does not miss the first event of the form.
  // The partner's link below the result leaves the frame: its page may be too large for it, or forbid to be framed.
  const head = html`<title>${title}</title>${framed && cta && html`<base target="_blank" />`}
    ${linkPreview({partner, language, title, intro, publicUrl})}
    <link rel="icon" href="${icon(colors?.accent)}" />
    <link rel="stylesheet" href="${assets.styles(colors?.accent)}" />
    ${mayBeFramed && html`<script defer src="${assets.frameScript}" data-origins="${origins.join(' ')}"></script>`}
    ${script && html`<script type="module" src="${script.address}" integrity="${script.integrity}"></script>`}`;
  // In a frame, the browser's Back belongs to the page around it.
  const attributes = html`partner="${key}" ${leadType === 'standard' && html`lead-type="standard"`}
  ${privacyHref && html`privacy-href="${privacyHref}"`} draft ${!framed && html`history`}${hidden}`;
  const body = html`<main>
      <header>
        <h1>${name}</h1>
        <p>${intro}</p>
      </header>
      <lead-prequal-form ${attributes}>${fallback(partner, language)}</lead-prequal-form>
    </main>
    <footer>
      <span>${name}</span>
      ${privacyHref && html`<a href="${privacyHref}">${words.privacy}</a>`} ${otherLanguages(language, query)}
    </footer>`;
  return pageOf(visit, head, body);
}

/**
 * The hidden fields that the address of the page sets, such as `?context-brand=north`, as attributes of the form. Names
 * that the partner does not list are ignored.
 */
const contextOf = ({contextFields}: Partner, query: Query): Html[] =>
  contextFields.flatMap(({name}) => {
    const given = query[contextPrefix + name];
    const value = typeof given === 'string' ? given.trim() : '';
    return contextValue.test(value) ? [html` ${contextPrefix}${name}="${value}"`] : [];
  });

/** The form shows this as long as its script has not run. */
function fallback({name, contact, cta}: Partner, language: PageLanguage): Html {
  const {noScript, notLoaded, otherWays} = pageWords[language];
  // The links are made from addresses that the configuration has checked, and are escaped.
  const ways = new Html(anyOf(contactWays(contact, language), language));
  const others = contact && html`<p>${otherWays} ${ways}.</p>`;
  return html`<noscript>
      <h2>${noScript.title}</h2>
      <p>${fill(noScript.text, {name})}</p>
      ${others}
    </noscript>
    <div class="late">
      <h2>${notLoaded.title}</h2>
      <p>${notLoaded.text}</p>
      <p><a ${cta ? html`href="" target="_self"` : html`href=""`}>${notLoaded.tryAgain}</a></p>
      ${others}
    </div>`;
}

/** The links keep the rest of the query, because the campaign of the visit is in it. */
const otherLanguages = (language: PageLanguage, query: Query) =>
  pageLanguages
    .filter((tag) => tag !== language)
    .map((tag) => {
      const parameters = new URLSearchParams(pairsOf(query));
      parameters.set('lang', tag);
      return html`<a href="?${parameters.toString()}" lang="${tag}" hreflang="${tag}"
        >${pageWords[tag].language}</a
      >`;
    });

/** The page for an address that no partner has, or for a network that tried too many of them. */
export function noticePage(language: PageLanguage, notice: 'notFound' | 'tooMany'): Html {
  const {title, text} = pageWords[language][notice];
  const head = html`<title>${title}</title>
    <link rel="icon" href="${icon()}" />
    <link rel="stylesheet" href="${assets.styles(undefined)}" />`;
  const body = html`<main>
    <div class="notice">
      <h1>${title}</h1>
      <p>${text}</p>
    </div>
  </main>`;
  return pageOf({language, theme: 'auto', framed: false}, head, body);
}
