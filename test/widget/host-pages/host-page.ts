/** A partner's page in a frame, with the built form from the service on it. */
import {fixtureCleanup, fixture, html} from '@open-wc/testing';
import type {Service} from '../../support/host-pages.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {until} from '../../support/until.ts';
import {fillAll, send, text} from '../../support/browser/visitor.ts';

const asked = await fetch('/host-pages/service');
if (!asked.ok) throw new Error(await asked.text());
export const service = (await asked.json()) as Service;

/** As the page sees itself. */
export type HostPage = Window & typeof globalThis & {trouble: string[]};

/** What partners paste, with what people without JavaScript see. */
export const element = '<lead-prequal-form partner="acme"><p id="fallback">Call us</p></lead-prequal-form>';

/** The script tag of another version, which is pinned all the same. */
export const scriptOf = (version: string) => service.script.replace(/embed\/[^/]+/, `embed/${version}`);

/** The script under an address that a content management system made of it. */
export const scriptAgain = service.script.replace('.js"', '.js?ver=6.4"');

/** A script of the host's own. */
export const hostScript = (code: string) => `<script nonce="host">{${code}}</script>`;

/** The first script on every page: notes whatever goes wrong on it. */
const watch = hostScript(`
  const note = (...words) => trouble.push(words.join(' '));
  window.trouble = [];
  console.error = console.warn = note;
  addEventListener('error', ({message}) => note(message));
  addEventListener('unhandledrejection', ({reason}) => note('unhandled', reason));
  document.addEventListener('securitypolicyviolation', ({violatedDirective, blockedURI}) => {
    note(violatedDirective, blockedURI);
  });
`);

/** As a tag manager does, when everything else is there. */
export function addScript({document}: HostPage) {
  document.head.append(document.createRange().createContextualFragment(service.script));
}

/**
 * @param content what follows the watching script; the head and the body begin where HTML lets them
 * @param headers of the page
 */
export async function openPage(content: string, headers: Record<string, string> = {}): Promise<HostPage> {
  // The visitor of this page was on no other before.
  sessionStorage.clear();
  const page = `<!doctype html><html lang="en"><title>Host page</title>${watch}${content}`;
  const query = new URLSearchParams({html: page, headers: JSON.stringify(headers)});
  const frame = document.createElement('iframe');
  frame.width = '800';
  frame.height = '1200';
  frame.src = `/host-page?${query}`;
  const loaded = new Promise((resolve) => (frame.onload = resolve));
  await fixture(html`<div>${frame}</div>`);
  await loaded;
  return frame.contentWindow as HostPage;
}

export const closePages = fixtureCleanup;

/** The form, rendered. */
export async function rendered(form: Element | null | undefined): Promise<LeadPrequalForm> {
  const found = form as LeadPrequalForm;
  await until(() => Boolean(found.shadowRoot?.querySelector('form')), undefined, 'the form shows its fields');
  return found;
}

export const formOn = ({document}: HostPage) => rendered(document.querySelector('lead-prequal-form'));

/** What people see of the children between the tags. */
export const showsFallback = ({document}: HostPage) =>
  document.getElementById('fallback')!.getBoundingClientRect().height > 0;

/** What the calculator finds for what `fillAll` types. */
export const total = '$950,000';

/** Fills in everything, sends it, and sees the amounts. */
export async function reachResult(form: LeadPrequalForm) {
  await fillAll(form);
  const {type, detail} = await send(form);
  if (!text(form).includes(total)) throw new Error(`${type} ${JSON.stringify(detail)}: ${text(form)}`);
}

/** The partners in whose name leads are sent from now on, each when the promise settles. */
export function sendersOn(page: HostPage, held?: Promise<void>) {
  const senders: (string | null)[] = [];
  const fetch = page.fetch.bind(page);
  page.fetch = async (input, init) => {
    if (init?.method === 'POST') {
      senders.push(new URL(input as string).searchParams.get('partner'));
      await held;
    }
    return fetch(input, init);
  };
  return senders;
}
