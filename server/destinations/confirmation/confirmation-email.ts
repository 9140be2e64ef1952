/**
 * What the confirmation to a visitor says. Anybody can type the address of a stranger into a form, so nothing that was
 * typed is in it but a first name that can hardly be anything else.
 */
import {amountParts, totalAmount, type Amounts} from '../../../contract/amounts.ts';
import {normalized} from '../../../contract/normalized.ts';
import {toE164} from '../../../contract/phone.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {tableOf} from '../../../contract/table-of.ts';
import {fill} from '../../../form/words/fill.ts';
import {formWords} from '../../../form/words/form-words.ts';
import {formLanguageOf, formLanguages, serverWords} from '../../../form/words/languages.ts';
import {contentFor, withoutName} from '../../../form/words/partner-text.ts';
import type {ConfirmationSettings} from '../../config/confirmations.ts';
import {html, type Html} from '../../html/html.ts';
import {shownAmountsOf} from '../../leads/calculated-answer.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';
import {heading, mailPage, toHtml, toText, type Block, type Span} from '../email/message.ts';
import {dollars} from '../email/wording.ts';

export type ConfirmationEmail = {
  subject: string;
  text: string;
  html: string;
  /** The address of the partner, which an answer of the visitor reaches. */
  replyTo?: string;
  headers?: Record<string, string>;
};

/**
 * One or two words of Latin letters. A longer name, or one with letters that look like a full stop or a slash, could be
 * a sentence or a web address with which somebody writes to strangers through us.
 */
const plainName =
  /^(?=.{1,40}$)\p{Script=Latin}[\p{Script=Latin}\p{M}]*(?:[ '’-]\p{Script=Latin}[\p{Script=Latin}\p{M}]*)?$/u;

/** The first name, if it can be in the e-mail. */
export const greetedName = (typed: string): string | undefined => {
  const name = normalized(typed, 'NFC');
  return plainName.test(name) ? name : undefined;
};

const wordsOf = tableOf(formLanguages, (tag) => ({...formWords[tag], ...serverWords[tag].confirmation, tag}));

/** @param language of the form, such as `es-US`. Pages may have others than ours; these get English */
const wordsFor = (language: string) => wordsOf[formLanguageOf(language)];

/**
 * @param language of the form, such as `es-US`
 * @param more `isTest`: whether operators get it, to see what visitors read. `link`: where the visitor says stop
 */
export function confirmationEmail(
  record: LeadRecord,
  language: string,
  {name: company, contact, amounts: showsAmounts, nextStep, rounding}: ConfirmationSettings,
  {isTest = false, link: revokeLink}: {isTest?: boolean; link?: string | undefined} = {},
): ConfirmationEmail {
  const words = wordsFor(language);
  // The page behind the link speaks the language of the e-mail, whatever the browser prefers.
  const link = revokeLink && `${revokeLink}?lang=${words.tag}`;
  const reference = referenceOf(record.id);
  const name = greetedName(record.lead.first_name);
  const amounts = showsAmounts ? shownAmountsOf(record.answer, rounding) : null;
  const ofPartner = contentFor(nextStep, language);
  // The phone number was typed, too. The form says it like this where it does not know the number.
  const nextWords = ofPartner?.content ?? (amounts ? words.weContact : words.weContactAnyway);
  const next = fill(name === undefined ? withoutName(nextWords) : nextWords, {
    phone: wordsFor(ofPartner?.lang ?? language).yourNumber,
    reference,
    first_name: name ?? '',
  });
  const subject = (isTest ? words.testSubject : '') + fill(words.subject, {company, reference});
  const opening: Block[] = [
    isTest ? [words.test] : [],
    [name === undefined ? words.hello : fill(words.helloName, {name})],
    [fill(words.received, {company})],
    [fill(words.reference, {reference})],
  ];
  const rows = amounts ? rowsOf(words, amounts) : [];
  const reach = reachOf(contact);
  const reachTitle = fill(words.reach, {company});
  const closing: Block[] = [
    link === undefined ? [] : [words.stop, [{link, href: link}]],
    [fill(words.notYou, {company})],
    [words.automatic],
  ];
  return {
    subject,
    ...(contact.email !== undefined && {replyTo: contact.email}),
    // With both headers, mail programs show a button that stops by one click (RFC 8058).
    ...(link && {
      headers: {'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click'},
    }),
    text: toText([
      ...opening,
      ...(amounts
        ? [[words.estimate, ...rows.map(([label, amount]) => `${label}: ${amount}`)], [words.disclaimer]]
        : []),
      [words.whatNext, next],
      reach.length > 0 ? [reachTitle, reach] : [],
      ...closing,
    ]),
    html: mailPage(words.tag, subject, [
      ...toHtml(opening),
      ...(amounts
        ? [heading(words.estimate), tableOfRows(rows), paragraph(words.disclaimer, 14, words.tag)]
        : []),
      heading(words.whatNext),
      paragraph(next, 16, ofPartner ? (ofPartner.lang ?? '') : words.tag),
      ...(reach.length > 0 ? [heading(reachTitle), ...toHtml([[reach]])] : []),
      html`<hr style="margin:24px 0 16px;border:0;border-top:1px solid #8886" />
        <div style="font-size:14px">${toHtml(closing)}</div>`,
    ]),
  };
}

/** The total, and its parts. As in the form, amounts of zero have no row. */
const rowsOf = (words: ReturnType<typeof wordsFor>, amounts: Amounts): (readonly [string, string])[] => [
  [words.total, dollars(amounts[totalAmount])],
  ...amountParts.flatMap((part) => {
    const amount = amounts[part];
    return amount ? [[words.names[part], dollars(amount)] as const] : [];
  }),
];

/** The only links but for that to say stop. They come from the configuration. */
const reachOf = ({phone, email}: ConfirmationSettings['contact']): Span[] => [
  ...(phone === undefined ? [] : [{link: phone, href: `tel:${toE164(phone)}`}]),
  ...(phone === undefined || email === undefined ? [] : [', ']),
  ...(email === undefined ? [] : [{link: email, href: `mailto:${email}`}]),
];

/** @param lang empty if it is not known */
const paragraph = (text: string, pixels: number, lang: string): Html =>
  html`<p lang="${lang}" style="margin:0 0 16px;font-size:${pixels}px">${text}</p> `;

const tableOfRows = (rows: ReturnType<typeof rowsOf>): Html =>
  html`<table style="border-collapse:collapse;width:100%;margin:0 0 8px">
    ${rows.map(([label, amount], index) => {
      const weight = index === 0 ? 'bold' : 'normal';
      return html`<tr>
        <th scope="row" style="padding:4px 16px 4px 0;text-align:left;font-weight:${weight}">${label}</th>
        <td style="padding:4px 0;text-align:right;white-space:nowrap;font-weight:${weight}">${amount}</td>
      </tr> `;
    })}
  </table> `;
