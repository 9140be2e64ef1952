/** The apply page of a partner: the form alone, for e-mails, QR codes and frames. */
import {paths} from '../../../contract/api.ts';
import {contextPrefix, contextValue} from '../../../contract/embed.ts';
import {orders, type Order} from '../../../form/pages.ts';
import {fill} from '../../../form/words/fill.ts';
import {formWords} from '../../../form/words/form-words.ts';
import {formLanguages, serverWords, type FormLanguage} from '../../../form/words/languages.ts';
import {contentFor} from '../../../form/words/partner-text.ts';
import type {Partner} from '../../config/partners.ts';
import {html, Html, htmlPage} from '../../html/html.ts';
import {anyOf, contactLinks, contactWays} from '../../snippets/fallback.ts';
import {pairsOf, type Query} from '../query.ts';
import {assets, stylesWith} from './page-assets.ts';

/** `auto` follows the visitor's device. */
export const colorSchemes = ['auto', 'light', 'dark'] as const;
export type ColorScheme = (typeof colorSchemes)[number];

/** The script of the form. Undefined on a server without any version of the form. */
export type FormScript = {src: string; integrity: string} | undefined;

export type Visit = {
  language: FormLanguage;
  theme: ColorScheme;
  order: Order;
  /** The page is shown in a frame of another page. */
  framed: boolean;
  /** The page may be shown in a frame, as far as the browser says, so it needs the script that tells its height. */
  mayBeFramed: boolean;
  /** There is an element, and the browser knows the styles that show the first step alone until it takes its place. */
  awaitsElement: boolean;
  /** The parameters of the address, and the same as text. */
  query: Query;
  queryText: string;
};

/** The bar of the four amounts, in the partner's colour. It is in the page, so that no request is needed for it. */
function icon(accent = '#0b57a4'): string {
  const image = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
    <rect width="16" height="16" rx="4" fill="${accent}" />
    <path d="M3 13V9h2v4zm4 0V6h2v7zm4 0V3h2v10z" fill="#fff" />
  </svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image.text)}`;
}

/** What is the partner's own on a page. */
type Looks = Partial<Pick<Partner, 'logo' | 'colors'>>;

/** Beside the name in words, so it says nothing of its own. */
const logoOf = ({logo}: Looks) => logo !== undefined && html`<img class="logo" src="${logo}" alt="" />`;

/**
 * A page, and the hash of its styles, which its policy names.
 * @param head further elements of the head
 */
function pageOf(
  {language, theme, framed}: Pick<Visit, 'language' | 'theme' | 'framed'>,
  head: Html,
  body: Html,
  {logo, colors}: Looks,
): Page {
  const {element, hash} = stylesWith(colors?.accent);
  const page = htmlPage(
    html`lang="${language}" ${framed && html`data-framed`}`,
    html`<meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}" />
      <meta name="robots" content="noindex" />
      ${element} ${head}`,
    body,
  );
  return {html: page, stylesHash: hash, logo};
}

export type Page = {html: Html; stylesHash: string; logo?: string | undefined};

type Preview = {partner: Partner; language: FormLanguage; title: string; intro: string; publicUrl: string};

/** What programs show of a link to the page: chats, mail programs and social networks read these tags. */
function linkPreview({partner, language, title, intro, publicUrl}: Preview): Html {
  const picture = assets.pictures[language];
  const tags = {
    'og:type': 'website',
    'og:site_name': partner.name,
    'og:title': title,
    'og:description': intro,
    'og:url': `${publicUrl}${paths.apply}/${partner.key}`,
    'og:locale': serverWords[language].page.locale,
    // The picture asks how much funding the visitor can get, which a partner for contact data alone does not answer.
    ...(picture !== undefined &&
      takesPrequalification(partner) && {
        'og:image': publicUrl + picture,
        'og:image:type': 'image/png',
        'og:image:width': '1200',
        'og:image:height': '630',
        'og:image:alt': serverWords[language].page.picture,
        'twitter:card': 'summary_large_image',
      }),
  };
  return html`<meta name="description" content="${intro}" />
    ${Object.entries(tags).map(([name, value]) => html`<meta property="${name}" content="${value}" />`)}`;
}

const takesPrequalification = ({leadTypes}: Partner) => leadTypes.includes('prequalification');

/** What stands in the card: the form, or the answer. */
export type Card = {
  markup: Html;
  /** The visitor has errors to correct. */
  hasErrors: boolean;
  /** With the form's script, the element takes the place of the markup. */
  becomesElement: boolean;
};

export const leadTypeOf = (partner: Partner) =>
  takesPrequalification(partner) ? 'prequalification' : 'standard';

export function applyPage(
  partner: Partner,
  visit: Visit,
  card: Card,
  publicUrl: string,
  script: FormScript,
): Page {
  const {key, name, privacyHref, origins, colors, cta, trustLine} = partner;
  const {language, framed, mayBeFramed, query, order} = visit;
  const words = serverWords[language].page;
  const leadType = leadTypeOf(partner);
  const title = `${words.title[leadType]} – ${name}`;
  const intro = words.intro[leadType];
  const hidden = contextOf(partner, query);
  const trust = contentFor(trustLine, language);
  const scripted = card.becomesElement ? script : undefined;

  // The page's own script comes first, so that it does not miss the first event of the form.
  // The partner's link below the result leaves the frame: its page may be too large for it, or forbid to be framed.
  const head = html`<title>${card.hasErrors && `${formWords[language].summary} – `}${title}</title
    >${framed && cta && html`<base target="_blank" />`}
    ${linkPreview({partner, language, title, intro, publicUrl})}
    <link rel="icon" href="${icon(colors?.accent)}" />
    ${
      (scripted || mayBeFramed) &&
      html`<script
        defer
        src="${assets.pageScript}"
        data-origins="${mayBeFramed && origins.join(' ')}"
      ></script>`
    }
    ${scripted && html`<script type="module" src="${scripted.src}" integrity="${scripted.integrity}"></script>`}`;
  // In a frame, the browser's Back belongs to the page around it.
  const attributes = html`partner="${key}" ${leadType === 'standard' && html`lead-type="standard"`}
  ${order !== orders[0] && html`order="${order}"`} ${privacyHref && html`privacy-href="${privacyHref}"`}
  ${trust && html`trust-line="${trust.content}"`} draft ${!framed && html`history`}${hidden}`;
  // Where a file of the form does not arrive, it takes them from its own children, which show the number alone.
  const reach = contactLinks({email: partner.contact?.email}).map(
    ({href, text}) => html`<a hidden href="${href}">${text}</a>`,
  );
  const content = html`<div class="prequal"><div class="card">${card.markup}</div></div>`;
  const body = html`<main>
      <header>
        ${logoOf(partner)}
        <h1>${name}</h1>
        <p>${intro}</p>
      </header>
      ${
        card.becomesElement
          ? html`<lead-prequal-form ${attributes}>${content}${reach}</lead-prequal-form>`
          : html`<div class="result">${content}</div>`
      }
    </main>
    <footer>
      <span>${name}</span>
      ${privacyHref && html`<a href="${privacyHref}">${words.privacy}</a>`} ${otherLanguages(language, query)}
    </footer>`;
  return pageOf(visit, head, body, partner);
}

/**
 * The hidden fields that the address of the page sets, such as `?context-brand=north`. Names that the partner does not list
 * are ignored.
 */
export const contextIn = ({contextFields}: Partner, query: Query): [name: string, value: string][] =>
  contextFields.flatMap(({name}): [string, string][] => {
    const given = query[contextPrefix + name];
    const value = typeof given === 'string' ? given.trim() : '';
    return contextValue.test(value) ? [[name, value]] : [];
  });

/** They are attributes of the form. */
const contextOf = (partner: Partner, query: Query): Html[] =>
  contextIn(partner, query).map(([name, value]) => html` ${contextPrefix}${name}="${value}"`);

/** The links keep the rest of the query, because the campaign of the visit is in it. */
const otherLanguages = (language: FormLanguage, query: Query) =>
  formLanguages
    .filter((tag) => tag !== language)
    .map((tag) => {
      const parameters = new URLSearchParams(pairsOf(query));
      parameters.set('lang', tag);
      return html`<a href="?${parameters.toString()}" lang="${tag}" hreflang="${tag}"
        >${serverWords[tag].page.language}</a
      >`;
    });

export type Notice = {title: string; text: string};

/** A sentence with links, if there is any way to reach the partner. */
export function reachMarkup(language: FormLanguage, {name, contact}: Pick<Partner, 'name' | 'contact'>) {
  // The links are made from addresses that the configuration has checked, and are escaped.
  const ways = new Html(anyOf(contactWays(contact, language), language));
  const [before, after] = fill(serverWords[language].page.reach, {name}).split('{ways}');
  return contact && html`<p>${before}${ways}${after}</p>`;
}

/** A page that says what went wrong or what was done, and how else to reach the partner. @param more below the text */
export function noticePage(
  language: FormLanguage,
  {title, text}: Notice,
  partner: Pick<Partner, 'name' | 'contact'> & Looks,
  more?: Html,
): Page {
  const head = html`<title>${title}</title> <link rel="icon" href="${icon(partner.colors?.accent)}" />`;
  const body = html`<main>
    <div class="notice">
      ${logoOf(partner)}
      <h1>${title}</h1>
      <p>${text}</p>
      ${more} ${reachMarkup(language, partner)}
    </div>
  </main>`;
  return pageOf({language, theme: 'auto', framed: false}, head, body, partner);
}
