/** Words that the e-mails share: how they write amounts, times, references and what came from outside. */
import {amountParts, totalAmount, type AmountPart, type Amounts} from '../../../contract/amounts.ts';
import {cutTo} from '../../../contract/fields.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {controls, unseen} from '../../leads/hidden-characters.ts';
import type {Answer, LeadRecord} from '../../leads/stored-lead.ts';

/** An e-mail before it is sent. All of it is plain text. */
export type Email = {
  subject: string;
  text: string;
  /** The name of the e-mail in its Message-ID. The same news has the same name in every attempt. */
  id: string;
  /** The name of an earlier e-mail to which this one belongs, so that a mail client shows them together. */
  follows: string | undefined;
};

/**
 * One line of a text that was typed or came with a link. Line breaks could start a header of the e-mail or feign a line
 * of ours, as many spaces could, after which a mail program wraps the line. A long text could hide the rest.
 * @param max characters
 */
export const oneLine = (text: string, max: number): string =>
  cutTo(text.replace(unseen, '').replace(controls, ' ').replace(/\s+/g, ' ').trim(), max);

export const dollars = (amount: number) => `$${amount.toLocaleString('en-US')}`;

/** Such as `Fri 2026-11-20 17:45 UTC`. Day and month cannot be confused in it, as they could in 11/10/2026. */
export function time(at: number): string {
  const date = new Date(at);
  return `${date.toUTCString().slice(0, 3)} ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Who sent the lead. Callers of `/json/leads` have no partner. */
export const senderOf = ({partner}: Pick<LeadRecord, 'partner'>) =>
  partner === null ? 'a caller of /json/leads' : oneLine(partner, 64);

/** The amount or the words that stand for the answer. A standard lead has no amounts, so it has none unless refused. */
export function outcome({lead}: LeadRecord, answer: Answer | null): string | undefined {
  if (answer?.status === 'refused') return 'refused';
  if (answer === null || lead.lead_type === 'standard') return undefined;
  if (answer.status === 'pending') return 'amounts to follow';
  return answer.amounts === null ? undefined : dollars(answer.amounts[totalAmount]);
}

const partLabels: Record<AmountPart, string> = {
  rollover_amount: 'Retirement rollover',
  sba_qualified_amount: 'SBA loan',
  unsecured_amount: 'Unsecured loan',
  portfolio_loan_qualified_amount: 'Portfolio loan',
};

/** The total and its parts, a line each. */
export const amountLines = (amounts: Amounts): string[] => [
  `Total: ${dollars(amounts[totalAmount])}`,
  ...amountParts.flatMap((part) => {
    const amount = amounts[part];
    return amount === undefined ? [] : [`${partLabels[part]}: ${dollars(amount)}`];
  }),
];

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

/** The earlier lead that this lead repeats or corrects. */
export const earlierLead = ({duplicateOf, supersedes}: LeadRecord): string | null =>
  duplicateOf ?? supersedes;

/** `the same as K7QM-2XHD` or `replaces K7QM-2XHD`; undefined if the lead has nothing to do with an earlier one. */
export function relation({duplicateOf, supersedes}: LeadRecord): string | undefined {
  if (duplicateOf !== null) return `the same as ${referenceOf(duplicateOf)}`;
  return supersedes === null ? undefined : `replaces ${referenceOf(supersedes)}`;
}

/** What the receivers of the news that a lead was erased are to do. */
export const howToFollowErasure = 'Delete all that you have of it, also earlier messages about it.';

export const howToShow = (reference: string) => `lead-prequal leads show ${reference}`;
export const howToRelease = (id: string) => `lead-prequal deliveries retry --id ${id}`;
export const howToDrop = (id: string) => `lead-prequal deliveries drop --id ${id}`;

/** Puts an empty line between the blocks, and leaves out empty blocks. */
export const blocks = (...all: readonly (readonly (string | undefined)[])[]): string =>
  all
    .map((lines) => lines.filter((line) => line !== undefined).join('\n'))
    .filter((block) => block !== '')
    .join('\n\n')
    .concat('\n');
