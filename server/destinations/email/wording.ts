/** Words that the e-mails share: how they write amounts, times, references and what came from outside. */
import {amountParts, totalAmount, type Amounts} from '../../../contract/amounts.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {afterTouch} from '../../../form/words/en.ts';
import type {Delivered} from '../../leads/deliveries.ts';
import type {LeadView} from '../../leads/lead-view.ts';
import {resultWords} from '../../leads/lead-words.ts';
import type {LeadIdentity, LeadRecord} from '../../leads/stored-lead.ts';
import {NeverTried} from '../breaker.ts';
import {mailPage, toHtml, toText, type Block, type Line} from './message.ts';

/** An e-mail before it is sent. */
export type Email = {
  subject: string;
  /** The address of the visitor, where whoever answers the e-mail is to write to it. */
  replyTo?: string;
  text: string;
  html: string;
  /** The name of the e-mail in its Message-ID. The same event has the same name in every attempt. */
  id: string;
  /** The name of an earlier e-mail to which this one belongs, so that a mail client shows them together. */
  follows: string | undefined;
};

export const emailOf = (subject: string, blocks: readonly Block[], id: string, follows?: string): Email => ({
  subject,
  text: toText(blocks),
  html: mailPage('en', subject, toHtml(blocks)),
  id,
  follows,
});

/** The event of a lead that came again is not sent alone: people had the same lead within the last day, and would call twice. */
export const toldBefore = () => new NeverTried('It repeats a lead of the last day', 'skipped');
export const isRepeat = ({lead, content}: Delivered): boolean =>
  content === 'created' && lead.duplicateOf !== null;

export const dollars = (amount: number) => `$${amount.toLocaleString('en-US')}`;

/** Such as `Fri 2026-11-20 17:45 UTC`. Day and month cannot be confused in it, as they could in 11/10/2026. */
export function time(at: number): string {
  const date = new Date(at);
  return `${date.toUTCString().slice(0, 3)} ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The total, or the words in its place. A standard lead has none unless refused. */
export function outcome({amounts, result}: LeadView): string | undefined {
  if (amounts) return dollars(amounts[totalAmount]);
  if (result === 'to_follow') return `amounts ${resultWords.to_follow[0]}`;
  return result === 'refused' ? resultWords.refused[0] : undefined;
}

/** The total and its parts in one line. Parts of zero are left out, and the amount of a sole part, which is the total. */
export function amountLine(amounts: Amounts): Line {
  const parts = amountParts.filter((part) => amounts[part]);
  const words = parts.map((part) => {
    const amount = parts.length > 1 ? ` ${dollars(amounts[part] ?? 0)}` : '';
    return afterTouch.names[part].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()) + amount;
  });
  return [{bold: dollars(amounts[totalAmount])}, parts.length > 0 ? `: ${words.join(', ')}` : ''];
}

/** `replaces K7QM-2XHD`; undefined if the lead corrects no earlier one. */
export const correction = ({supersedes}: LeadRecord): string | undefined =>
  supersedes === null ? undefined : `replaces ${referenceOf(supersedes)}`;

/** The operators' page about a lead; undefined with `details: none`, and without `ADMIN_URL`. */
export const pageOf = ({id}: Pick<LeadIdentity, 'id'>, {leadPages}: {leadPages?: string}) =>
  leadPages === undefined ? undefined : leadPages + id;
export const openWords = 'Open the lead';
export const openBlock = (page: string | undefined): Block =>
  page === undefined ? [] : {buttons: [{label: openWords, href: page, text: `${openWords}: ${page}`}]};

/** For whom a consent was revoked, if that is more than the partner of the lead. */
export const scopeLine = ({revoked}: Pick<LeadIdentity, 'revoked'>) =>
  revoked?.scope === 'all' ? 'This goes for everybody, and not only for this partner.' : undefined;
