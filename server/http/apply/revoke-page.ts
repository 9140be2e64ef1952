/**
 * The page behind the link with which a visitor says stop, or asks to be erased. Mail programs and scanners open links, so
 * only a button does something, and a second press does nothing more.
 */
import {fill} from '../../../form/words/fill.ts';
import {serverWords, type FormLanguage} from '../../../form/words/languages.ts';
import {referenceOf} from '../../../contract/reference.ts';
import type {Admin} from '../../admin/admin.ts';
import {noting} from '../../admin/audit.ts';
import {revokeConsent} from '../../admin/revocations.ts';
import {html, type Html} from '../../html/html.ts';
import {readLink} from '../../leads/revocation.ts';
import {isErased} from '../../store/rows.ts';
import {noticePage, type Page} from './apply-page.ts';

/** @param body what was sent, of the button that was pressed. No form without one */
export type RevokePage = (
  link: string,
  language: FormLanguage,
  body: unknown,
) => Promise<{status: number; page: Page}>;

export function createRevokePage({store, config}: Omit<Admin, 'look'>): RevokePage {
  return async (link, language, body) => {
    const words = serverWords[language].revoke;
    const [id, token] = readLink(link);
    const isOurs = await store.isRevokeToken(id, token);
    const find = async () => (isOurs ? (await store.findRecords([id])).get(id) : undefined);
    const pressed = body instanceof URLSearchParams ? body.get('ask') : undefined;
    const lead = await find();
    if (!lead) return {status: 404, page: noticePage(language, words.notFound, config.partners[0])};
    const look = noting(store, {actor: 'visitor', action: `link: ${pressed}`});
    if (pressed === 'stop' && !lead.revoked) {
      // The commit has stopped it. What a process holds is over soon, and nobody waits for that here.
      const job = revokeConsent({store, config, look}, {who: id, partner: lead.partner});
      for await (const so of job) if ('underWayUntil' in so) break;
    }
    if (pressed === 'erase' && !isErased(lead)) {
      await look({lead: id});
      await store.requestErasure(id, Date.now());
    }
    const now = (await find()) ?? lead;
    const request = (await store.erasureRequests()).find((one) => one.lead === id);
    const partner = config.partners.find(({key}) => key === lead.partner) ?? {
      name: new URL(config.publicUrl).hostname,
    };
    const dayOf = (at: number) =>
      new Date(at).toLocaleDateString(language, {dateStyle: 'long', timeZone: 'UTC'});
    const said = (text: string, at: number) => html`<p role="status">${fill(text, {day: dayOf(at)})}</p>`;
    const about = fill(words.about, {
      ...{name: partner.name, reference: referenceOf(id), day: dayOf(lead.createdAt)},
    });
    const more: Html = html`${
      now.revoked ? said(words.stopped, now.revoked.at) : button('stop', words.stop, words.stopWords)
    }
    ${
      isErased(now)
        ? said(words.erased, now.erasedAt)
        : request
          ? said(words.requested, request.requestedAt)
          : button('erase', words.erase, words.eraseWords)
    }`;
    return {status: 200, page: noticePage(language, {title: words.title, text: about}, partner, more)};
  };
}

const button = (name: string, label: string, words: string) =>
  html`<form method="post">
    <button name="ask" value="${name}">${label}</button>
    <p>${words}</p>
  </form>`;
