/** Words that the e-mails share: how they write amounts, times, references and what came from outside. */
import {amountParts, totalAmount, type Amounts} from '../../../contract/amounts.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {afterTouch} from '../../../form/words/en.ts';
import type {Delivered} from '../../leads/deliveries.ts';
import {oneLine} from '../../leads/hidden-characters.ts';
import type {Answer, LeadIdentity, LeadRecord} from '../../leads/stored-lead.ts';
import {NeverTried} from '../breaker.ts';
import {mailPage, toHtml, toText, type Block, type Line} from './message.ts';

/** An e-mail before it is sent. */
export type Email = {
  subject: string;
  /** The address of the visitor, where whoever answers the e-mail is to write to it. */
  replyTo?: string;
  text: string;
  html: string;
  /** The name of the e-mail in its Message-ID. The same news has the same name in every attempt. */
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

/** The news that a lead came again is not sent alone: people had the same lead within the last day, and would call twice. */
export const toldBefore = () => new NeverTried('It repeats a lead of the last day', 'skipped');
export const isRepeat = ({lead, content}: Delivered): boolean =>
  content === 'created' && lead.duplicateOf !== null;

export const dollars = (amount: number) => `$${amount.toLocaleString('en-US')}`;

/** Such as `Fri 2026-11-20 17:45 UTC`. Day and month cannot be confused in it, as they could in 11/10/2026. */
export function time(at: number): string {
  const date = new Date(at);
  return `${date.toUTCString().slice(0, 3)} ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The name of the partner that sent the lead, or its key if it has left. Callers of `/json/leads` have no partner. */
export const senderOf = (
  {partner}: Pick<LeadRecord, 'partner'>,
  {partnerNames = {}}: {partnerNames?: Readonly<Record<string, string>>} = {},
): string => (partner === null ? 'a caller of /json/leads' : oneLine(partnerNames[partner] ?? partner, 64));

/**
 * The total or the words that stand for the answer. A standard lead has no amounts, so it has none unless refused.
 * @param amounts as people read them
 */
export function outcome(
  {lead}: LeadRecord,
  answer: Answer | null,
  amounts: Amounts | null,
): string | undefined {
  if (answer?.status === 'refused') return 'refused';
  if (amounts) return dollars(amounts[totalAmount]);
  return answer?.status === 'pending' && lead.lead_type !== 'standard' ? 'amounts to follow' : undefined;
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

const suspicions: Readonly<Record<string, string>> = {
  trap: 'a field that people do not see was filled in',
  fast: 'it was sent faster than people type',
  'no-script': 'it was sent without JavaScript, so no proof of work was asked for',
};

/** Why a bot may have sent the lead, in words; undefined if nothing speaks for it. */
export function suspicionOf({suspect}: Pick<LeadRecord, 'suspect'>): string | undefined {
  if (suspect === null) return undefined;
  return suspect
    .split(' ')
    .map((word) => suspicions[word] ?? oneLine(word, 40))
    .join(', ');
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

/** For whom a consent was taken back, if that is more than the partner of the lead. */
export const scopeLine = ({revoked}: Pick<LeadIdentity, 'revoked'>) =>
  revoked?.scope === 'all' ? 'This goes for everybody, and not only for this partner.' : undefined;
