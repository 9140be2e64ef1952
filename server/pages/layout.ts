/** The frame of each page, and the small parts that pages share. */
import {hash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {DateTime} from 'luxon';
import {amountParts, totalAmount, type Amounts} from '../../contract/amounts.ts';
import {formatMoney} from '../../form/format-money.ts';
import {fillClass, fillStyles} from '../../form/styles/amount-colors.ts';
import {lasting} from '../admin/words.ts';
import {html, Html, htmlPage, minified, type HtmlValue} from '../html/html.ts';
import {pageStyles} from '../html/page-styles.ts';
import {seesPersons, type Reply, type Seen, type Visit} from './visit.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** The digest is a part of the address, so that browsers may keep the file for ever. */
function asset(name: string, text: string) {
  const digest = hash('sha256', text, 'base64url').slice(0, 12);
  return {path: `/${name}`, digest, text, address: `/${name}?v=${digest}`};
}
export const styles = asset('pages.css', minified(`${pageStyles}${fillStyles}${read('pages.css')}`));
export const script = asset('pages.js', read('pages.js'));
const icons = new Html(read('icons.svg'));

/** The icon of the browser's tab. It stands in the address itself, so that browsers need no request for it. */
const tabIcon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><path d="M0 0h20v20H0z" fill="#925fbe"/><path d="M0 0h17v20H0z" fill="#006259"/><path d="M0 0h14v20H0z" fill="#cf8300"/><path d="M0 0h8v20H0z" fill="#12336f"/></svg>',
)}`;

/** Title and `inHead` must hold nothing personal: titles stand in the history of the browser. */
export const document = (title: string, body: Html, inHead: Html | false = false): Html =>
  htmlPage(
    html`lang="en"`,
    html`<title>${title}</title>
      <link rel="icon" href="${tabIcon}" />
      <link rel="stylesheet" href="${styles.address}" />
      ${inHead}
      <script type="module" src="${script.address}"></script>`,
    html`${icons}${body}`,
  );

/** A small page without the frame, for who is not signed in, and for errors. */
export const gate = (title: string, content: Html, inHead: Html | false = false): Html =>
  document(
    title,
    html`<main class="gate">
      <p class="brand">${mark}Leads</p>
      ${content}
    </main>`,
    inHead,
  );

const mark = html`<i class="mark" aria-hidden="true"></i>`;

export const icon = (name: string): Html =>
  html`<svg class="i" aria-hidden="true"><use href="#${name}" /></svg>`;

const pages = [
  ['/', 'home', 'Overview'],
  ['/leads', 'people', 'Leads'],
  ['/destinations', 'send', 'Destinations'],
  ['/operators', 'lock', 'People'],
  ['/audit', 'eye', 'Who looked'],
  ['/you', 'key', 'You'],
] as const;
export type Place = (typeof pages)[number][0];
const forAdmins: readonly Place[] = ['/operators', '/audit'];

/** `every`: seconds after which the page asks for itself again while it is open. */
type Frame = {title: string; here: Place; every?: number};

export function page({title, here, every}: Frame, visit: Visit, main: Html): Reply {
  const {seen, query} = visit;
  const shown = pages.filter(([path]) => !forAdmins.includes(path) || seen.role === 'admin');
  const [said, hasFailed] = [visit.decrypt(query['said'] ?? ''), query['failed'] !== undefined];
  const link = ([path, sign, words]: (typeof pages)[number]) =>
    html`<a href="${path}" ${path === here && html`aria-current="page"`}
      >${icon(sign)}<span>${words}</span></a
    >`;
  const whole = document(
    title,
    html`<a class="skip" href="#main">To the content</a>
      <div class="app">
        <nav aria-label="Main">
          <p class="brand">${mark}Leads</p>
          ${shown.map(link)}
          <p class="who"><strong>${seen.name}</strong>${roleWords(seen)}</p>
        </nav>
        <main id="main" ${every !== undefined && html`data-every="${every}"`}>
          <ul class="needs" id="away" hidden>
            <li class="down">
              ${icon('warn')}<strong>No answer from the server of these pages.</strong>
              <p>What you see is from ${clock(seen, visit.now.toMillis())}. It is asked again and again.</p>
            </li>
          </ul>
          ${said !== undefined && html`<p class="said ${hasFailed && 'no'}" role="${hasFailed ? 'alert' : 'status'}">${said}</p>`}${main}
        </main>
      </div>`,
  );
  return {page: whole};
}

const roleWords = (seen: Seen) =>
  `${seen.role} · ${seesPersons(seen) ? 'sees personal data' : 'sees no personal data'}`;

export const search = ({seen}: Pick<Visit, 'seen'>): Html => {
  const [what, short] = seesPersons(seen)
    ? ['Name, phone, e-mail or reference', 'Name, phone or e-mail']
    : ['Reference', 'Reference'];
  return html`<form class="search" method="post" action="/search" role="search">
    ${icon('find')}<input
      name="q"
      type="search"
      autocomplete="off"
      maxlength="254"
      required
      aria-label="${what}"
      placeholder="${short}"
    /><kbd aria-hidden="true">/</kbd><button class="unseen">Search</button>
  </form>`;
};

/** What was just done, or that it has not worked. */
export type Said = string | {failed: string};

/** Bytes of what is said, at most: more of them would make the address longer than that of a page may be. */
const longestSaid = 1_200;

/** The way to a page that says what was just done. The words stand encrypted in its address. */
export function saying({encrypt}: Pick<Visit, 'encrypt'>, path: string, said: Said): {to: string} {
  const words = Buffer.from(typeof said === 'string' ? said : said.failed);
  const begin = new TextDecoder().decode(words.subarray(0, longestSaid), {stream: true});
  const shown = encrypt(`${begin}${words.length > longestSaid ? '…' : ''}`);
  return {to: `${path}?said=${shown}${typeof said === 'string' ? '' : '&failed=1'}`};
}

/** A form that is only a button. */
export const action = (to: string, words: string, fields: Readonly<Record<string, string>> = {}): Html =>
  html`<form method="post" action="${to}">${hidden(fields)}<button class="btn">${words}</button></form>`;

export const hidden = (fields: Readonly<Record<string, string>>): readonly Html[] =>
  Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );

/** A state is a shape and a word. The colour is only the third sign. */
export const state = ({kind, words}: {kind: string; words: string}): Html =>
  html`<span class="st ${kind}">${words}</span>`;

export const empty = (title: string, content: HtmlValue): Html =>
  html`<div class="empty">
    <h2>${title}</h2>
    ${content}
  </div>`;

export const capitalized = (words: string): string => words.replace(/^./, (first) => first.toUpperCase());

export const money = (dollars: number): string => formatMoney(dollars, 'en-US');

/** The parts of the total as a bar. The figures stand beside it as text. */
export function bar(amounts: Amounts | null, kind: 'parts' | 'whole'): Html | false {
  const total = amounts?.[totalAmount] ?? 0;
  if (!amounts || total === 0) return false;
  const width = 1_000;
  const gap = kind === 'whole' ? 3 : 12;
  let x = 0;
  const rects = amountParts.map((part) => {
    const wide = ((amounts[part] ?? 0) / total) * width;
    const rect = html`<rect
      class="${fillClass(part)}"
      x="${Math.round(x)}"
      width="${Math.max(0, Math.round(wide - gap))}"
      height="1"
    />`;
    x += wide;
    return rect;
  });
  return html`<svg class="${kind}" viewBox="0 0 ${width} 1" preserveAspectRatio="none" aria-hidden="true">
    ${rects}
  </svg>`;
}

const timeOf = ({zone}: Pick<Seen, 'zone'>, at: number) => DateTime.fromMillis(at, {zone, locale: 'en-US'});
/** Such as `11:39 AM`, in the time zone of the operator. */
export const clock = (seen: Pick<Seen, 'zone'>, at: number): string =>
  timeOf(seen, at).toLocaleString(DateTime.TIME_SIMPLE).replace('\u202f', ' ');
/** Such as `November 26`, with the year if it is not this one. */
export function date(seen: Pick<Seen, 'zone'>, at: number): string {
  const day = timeOf(seen, at);
  return day.toFormat(day.hasSame(DateTime.now(), 'year') ? 'MMMM d' : 'MMMM d, yyyy');
}
export const isToday = ({seen, now}: Pick<Visit, 'seen' | 'now'>, at: number): boolean =>
  timeOf(seen, at).hasSame(now, 'day');
/** The time, and before it the date unless it is today. */
export function moment(visit: Pick<Visit, 'seen' | 'now'>, at: number): Html {
  const words = `${isToday(visit, at) ? '' : `${date(visit.seen, at)}, `}${clock(visit.seen, at)}`;
  return html`<time datetime="${new Date(at).toISOString()}">${words}</time>`;
}
/** How long ago, such as `4 min`. */
export const since = ({now}: Pick<Visit, 'now'>, at: number): string => lasting(now.toMillis() - at);
export const city = ({zone}: Pick<Seen, 'zone'>): string =>
  (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
