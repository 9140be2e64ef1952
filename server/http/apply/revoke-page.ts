/**
 * The page behind the link with which a visitor says stop, or asks to be erased. Mail programs and scanners open links, so
 * only a button does something, or a POST with the words by which mail providers say stop for their users (RFC 8058).
 */
import {fill} from '../../../form/words/fill.ts';
import {serverWords, type FormLanguage} from '../../../form/words/languages.ts';
import {referenceOf} from '../../../contract/reference.ts';
import type {Config} from '../../config/config.ts';
import {html, type Html} from '../../html/html.ts';
import type {LinkDesk} from '../../leads/revocation.ts';
import {noticePage, type Page} from './apply-page.ts';

/**
 * @param link the end of the address
 * @param body the fields that were sent; no form for a page that is only looked at
 */
export type RevokePage = (
  link: string,
  language: FormLanguage,
  body: unknown,
) => Promise<{status: number; page: Page}>;

export const createRevokePage =
  (desk: LinkDesk, {partners, publicUrl}: Pick<Config, 'partners' | 'publicUrl'>): RevokePage =>
  async (link, language, body) => {
    const words = serverWords[language].revoke;
    const lead = await desk.find(link);
    if (!lead) return {status: 404, page: noticePage(language, words.notFound, partners[0])};
    const sent = body instanceof URLSearchParams ? body : new URLSearchParams();
    const pressed = sent.get('ask');
    const isOneClick = sent.get('List-Unsubscribe')?.trim() === 'One-Click';
    const stops = (pressed === 'stop' || isOneClick) && lead.revokedAt === undefined;
    const erases = pressed === 'erase' && (lead.erasedAt ?? lead.requestedAt) === undefined;
    if (stops) await desk.stop(lead, isOneClick ? 'unsubscribe' : 'link');
    if (erases) await desk.requestErasure(lead);
    const {id, createdAt, revokedAt, isNumberKnown, requestedAt, erasedAt} =
      ((stops || erases) && (await desk.find(link))) || lead;
    const partner = partners.find(({key}) => key === lead.partner) ?? {name: new URL(publicUrl).hostname};
    const day = (at: number) =>
      new Date(at).toLocaleDateString(language, {dateStyle: 'long', timeZone: 'UTC'});
    const {name} = partner;
    const said = (text: string, at: number, more = '') =>
      html`<p role="status">${fill(text, {name, day: day(at)})} ${more}</p>`;
    const erasing =
      erasedAt !== undefined
        ? said(words.erased, erasedAt)
        : requestedAt !== undefined
          ? said(words.requested, requestedAt)
          : button('erase', words.erase, words.eraseWords);
    const more = html`${
      revokedAt === undefined
        ? button('stop', words.stop, fill(words.stopWords, {name}))
        : said(words.stopped, revokedAt, isNumberKnown ? '' : words.numberUnknown)
    }
    ${erasing}`;
    const text = fill(words.about, {name, reference: referenceOf(id), day: day(createdAt)});
    return {status: 200, page: noticePage(language, {title: words.title, text}, partner, more)};
  };

const button = (name: string, label: string, words: string): Html =>
  html`<form method="post">
    <button name="ask" value="${name}">${label}</button>
    <p>${words}</p>
  </form>`;
