/** A partner's page in a frame, with the built form from the service on it. */
import {fixture, html} from '@open-wc/testing';
import type {Service} from '../../support/partner-pages.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {until} from '../../support/until.ts';
import {fillAll, send, text} from '../../support/browser/visitor.ts';

const asked = await fetch('/partner-pages/service');
if (!asked.ok) throw new Error(await asked.text());
export const service = (await asked.json()) as Service;

/** The window of a partner page. `trouble` lists the errors, warnings and policy violations on it. */
export type PartnerPage = Window & typeof globalThis & {trouble: string[]};

/** The element that partners paste, with content for people without JavaScript. */
export const element = '<lead-prequal-form partner="acme"><p id="fallback">Call us</p></lead-prequal-form>';

/** Both first files, by what a page puts into it. */
export const scripts = {module: service.script, 'classic twin': service.classicScript} as const;

/** The script tag of another version. It has the same hash, because the first file of all versions is the same. */
export const scriptOf = (version: string, script = service.script) =>
  script.replace(/embed\/[^/]+/, `embed/${version}`);

/** The script tag with a query that content management systems append. */
export const scriptAgain = service.script.replace('.js"', '.js?ver=6.4"');

/** A script of the partner page itself. */
export const pageScript = (code: string) => `<script nonce="page">{${code}}</script>`;

/** The first script on every page. It records all errors, warnings and policy violations. */
const watch = pageScript(`
  const note = (...words) => trouble.push(words.join(' '));
  window.trouble = [];
  console.error = console.warn = note;
  addEventListener('error', ({message}) => note(message));
  addEventListener('unhandledrejection', ({reason}) => note('unhandled', reason));
  document.addEventListener('securitypolicyviolation', ({violatedDirective, blockedURI}) => {
    note(violatedDirective, blockedURI);
  });
`);

/** Adds the form's script once the rest of the page has loaded, as a tag manager does. */
export function addScript({document}: PartnerPage) {
  document.head.append(document.createRange().createContextualFragment(service.script));
}

/**
 * @param content the HTML after the recording script, for the head and the body
 * @param headers the headers of the response with the page
 * @param width of its window
 */
export async function openPage(
  content: string,
  headers: Record<string, string> = {},
  width = 800,
): Promise<PartnerPage> {
  // The page belongs to a new visit.
  sessionStorage.clear();
  const page = `<!doctype html><html lang="en"><title>Host page</title>${watch}${content}`;
  const query = new URLSearchParams({html: page, headers: JSON.stringify(headers)});
  const frame = document.createElement('iframe');
  frame.width = String(width);
  frame.style.border = '0';
  frame.height = '1200';
  frame.src = `/partner-page?${query}`;
  const loaded = new Promise((resolve) => (frame.onload = resolve));
  await fixture(html`<div>${frame}</div>`);
  await loaded;
  return frame.contentWindow as PartnerPage;
}

/** Waits until the form is rendered. */
export async function rendered(form: Element | null | undefined): Promise<LeadPrequalForm> {
  const found = form as LeadPrequalForm;
  await until(() => Boolean(found.shadowRoot?.querySelector('form')), 'the form shows its fields');
  return found;
}

export const formOn = ({document}: PartnerPage) => rendered(document.querySelector('lead-prequal-form'));

/** Whether the element's own children can be seen. */
export const showsFallback = ({document}: PartnerPage) =>
  document.getElementById('fallback')!.getBoundingClientRect().height > 0;

/** The total that the calculator finds for the answers that `fillAll` types. */
export const total = '$950,000';

/** Fills in the form and sends the lead. Throws if the amounts do not appear. */
export async function reachResult(form: LeadPrequalForm) {
  await fillAll(form);
  const {type, detail} = await send(form);
  if (!text(form).includes(total)) throw new Error(`${type} ${JSON.stringify(detail)}: ${text(form)}`);
}

/**
 * Records the partner of each lead that the page sends from now on.
 *
 * @param delay a promise that must settle before a lead is sent
 */
export function recordPartners(page: PartnerPage, delay?: Promise<void>) {
  const partners: (string | null)[] = [];
  const fetch = page.fetch.bind(page);
  page.fetch = async (input, init) => {
    if (init?.method === 'POST') {
      partners.push(new URL(input as string).searchParams.get('partner'));
      await delay;
    }
    return fetch(input, init);
  };
  return partners;
}
