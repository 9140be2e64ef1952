/**
 * What the confirmation to a visitor says. Anybody can type the address of a stranger into a form, so nothing that was
 * typed is in it but a first name that can hardly be anything else.
 */
import {amountParts, totalAmount} from '../../../contract/amounts.ts';
import {normalized} from '../../../contract/normalized.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {tableOf} from '../../../contract/table-of.ts';
import {shownAmounts} from '../../../form/shown-amounts.ts';
import {fill} from '../../../form/words/fill.ts';
import {formWords} from '../../../form/words/form-words.ts';
import {formLanguageOf, formLanguages, serverWords} from '../../../form/words/languages.ts';
import {contentFor, withoutName} from '../../../form/words/partner-text.ts';
import type {ConfirmationSettings} from '../../config/confirmations.ts';
import {html, type Html} from '../../html/html.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';
import {blocks, dollars} from '../email/wording.ts';

export type ConfirmationEmail = {subject: string; text: string; html: string};

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
 * @param isTest whether operators get it, to see what visitors read
 */
export function confirmationEmail(
  record: LeadRecord,
  language: string,
  {name: company, amounts: showsAmounts, nextStep, rounding}: ConfirmationSettings,
  isTest = false,
): ConfirmationEmail {
  const words = wordsFor(language);
  const reference = referenceOf(record.id);
  const name = greetedName(record.lead.first_name);
  const amounts = showsAmounts ? amountsOf(record, rounding) : null;
  const ofPartner = contentFor(nextStep, language);
  // The phone number was typed, too. The form says it like this where it does not know the number.
  const nextWords = ofPartner?.content ?? (amounts ? words.weContact : words.weContactAnyway);
  const next = fill(name === undefined ? withoutName(nextWords) : nextWords, {
    phone: wordsFor(ofPartner?.lang ?? language).yourNumber,
    reference,
    first_name: name ?? '',
  });
  const lines = amounts && {
    total: [words.total, dollars(amounts[totalAmount])] as const,
    parts: amountParts.flatMap((part) => {
      const amount = amounts[part];
      // As in the form, amounts of zero have no row.
      return amount ? [[words.names[part], dollars(amount)] as const] : [];
    }),
  };
  const parts: Parts = {
    lang: words.tag,
    subject: (isTest ? words.testSubject : '') + fill(words.subject, {reference}),
    opening: [
      ...(isTest ? [words.test] : []),
      name === undefined ? words.hello : fill(words.helloName, {name}),
      fill(words.received, {company}),
      fill(words.reference, {reference}),
    ],
    estimate: lines && {title: words.estimate, rows: [lines.total, ...lines.parts], note: words.disclaimer},
    next: {title: words.whatNext, text: next, lang: ofPartner ? ofPartner.lang : words.tag},
    closing: [fill(words.notYou, {company}), words.automatic],
  };
  return {subject: parts.subject, text: toText(parts), html: toHtml(parts).text};
}

function amountsOf({answer}: LeadRecord, rounding: number) {
  if (answer.status !== 'done' || !answer.amounts) return null;
  // As the form shows them, which rounds only what the calculator has computed.
  const explanation = answer.policyVersion === null ? undefined : {rounding_increment: rounding, parts: {}};
  return shownAmounts({
    prequalification: {first_name: '', ...answer.amounts},
    ...(explanation && {explanation}),
  });
}

type Parts = {
  lang: string;
  subject: string;
  opening: readonly string[];
  /** `lang` is undefined if the language is not known. */
  next: {title: string; text: string; lang: string | undefined};
  estimate: {title: string; rows: readonly (readonly [label: string, amount: string])[]; note: string} | null;
  closing: readonly string[];
};

const toText = ({opening, next, estimate, closing}: Parts): string =>
  blocks(
    ...opening.map((line) => [line]),
    estimate ? [estimate.title, ...estimate.rows.map(([label, amount]) => `${label}: ${amount}`)] : [],
    estimate ? [estimate.note] : [],
    [next.title, next.text],
    ...closing.map((line) => [line]),
  );

/**
 * It has no pictures, no links and no colours of its own, except for those that a mail program cannot choose in dark
 * mode.
 */
const toHtml = ({lang, subject, opening, next, estimate, closing}: Parts): Html =>
  html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${subject}</title>
        <style>
          :root {
            color-scheme: light dark;
          }
        </style>
      </head>
      <body
        style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif"
      >
        <div style="max-width:560px;margin:0 auto">
          ${opening.map((line) => html`<p style="margin:0 0 16px">${line}</p> `)}
          ${estimate ? estimateOf(estimate) : undefined}
          <h2 style="margin:24px 0 4px;font-size:18px;line-height:1.3">${next.title}</h2>
          <p lang="${next.lang ?? ''}" style="margin:0 0 16px">${next.text}</p>
          <hr style="margin:24px 0 16px;border:0;border-top:1px solid #8886" />
          ${closing.map((line) => html`<p style="margin:0 0 12px;font-size:14px">${line}</p> `)}
        </div>
      </body>
    </html> `;

const estimateOf = ({title, rows, note}: NonNullable<Parts['estimate']>): Html =>
  html`<h2 style="margin:24px 0 4px;font-size:18px;line-height:1.3">${title}</h2>
    <table style="border-collapse:collapse;width:100%;margin:0 0 8px">
      ${rows.map(([label, amount], index) => {
        const weight = index === 0 ? 'bold' : 'normal';
        return html`<tr>
          <th scope="row" style="padding:4px 16px 4px 0;text-align:left;font-weight:${weight}">${label}</th>
          <td style="padding:4px 0;text-align:right;white-space:nowrap;font-weight:${weight}">${amount}</td>
        </tr> `;
      })}
    </table>
    <p style="margin:0 0 16px;font-size:14px">${note}</p> `;
