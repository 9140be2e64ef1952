/** What an answer says to the visitor, in sentences: which title and text, and why each amount is what it is. */
import {amountParts, totalAmount, type AmountPart, type Prequalification} from '../../contract/amounts.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import {formatMoney} from '../format-money.ts';
import {fundsBehind} from '../funds-behind.ts';
import {roundMinimum} from '../say-minimum.ts';
import {fill} from './fill.ts';
import {lookUp} from './look-up.ts';
import type {Words} from './words.ts';

/** The answer to a lead. */
export type Result = {
  readonly answer: EmbedAnswer;
  readonly leadType: LeadType | undefined;
  /** The answer is pending, and the form no longer asks the server for it. */
  readonly late: boolean;
};

/** The answer with its exact amounts. Reasons are undefined if an older server leaves them out. */
export type Explained = Pick<EmbedAnswer, 'prequalification' | 'explanation'> &
  Partial<Pick<EmbedAnswer, 'reasons'>>;

export type AnswerState = 'thanks' | 'pending' | 'late' | 'refused' | 'refusedContact';

/** The state of an answer without amounts, which is also the name of its texts. */
export function stateOf({answer: {status}, leadType, late}: Result): AnswerState {
  const isStandard = leadType === 'standard';
  // A standard lead has no amounts, so it is never shown as pending.
  if (status === 'pending' && !isStandard) return late ? 'late' : 'pending';
  if (status !== 'refused') return 'thanks';
  return isStandard ? 'refusedContact' : 'refused';
}

/** The icons of the states, as paths: a tick, the hands of a clock, an exclamation mark. */
export const stateIcons: Readonly<Record<AnswerState, string>> = {
  thanks: 'm6.5 12.5 4 4 7.5-8.5',
  pending: 'M12 6.5V12l3.5 2.5',
  late: 'M12 6.5V12l3.5 2.5',
  refused: 'M12 6.5v7M12 17v.5',
  refusedContact: 'M12 6.5v7M12 17v.5',
};

/** The fields that a refusal names. A newer server may name some that this form does not have. */
export const refusedFields = ({labels}: Words, {status, refused_fields: fields = []}: EmbedAnswer) =>
  status === 'refused' ? fields.filter((name) => Object.hasOwn(labels, name)) : [];

/** What the visitor reads in the place of amounts. */
export function explainState(words: Words, result: Result): string {
  const fields = refusedFields(words, result.answer).map((name) => words.labels[name]);
  return fields.length > 0
    ? fill(words.refusedFields, {fields: fields.join(', ')})
    : words[stateOf(result)].text;
}

export const greeting = (words: Words, {first_name: name, total_qualified_amount: total}: Prequalification) =>
  fill(total > 0 ? words.upTo : words.nothing, {name});

/** What happens next, where the partner does not say it. */
export const usualNext = (words: Words, amounts: Prequalification | null) =>
  amounts ? (amounts[totalAmount] > 0 ? words.weContact : words.weContactAnyway) : undefined;

/**
 * What leads on from an answer. Below amounts it is one step: the partner's link, or else the number. Where the form found
 * nothing, a person may find another way, so the number comes first. Who gets amounts later is called.
 *
 * @param link that of the partner
 * @param contact the number and the address of the partner
 */
export function waysOn<Way>(
  {status, prequalification}: Pick<EmbedAnswer, 'status' | 'prequalification'>,
  link: Way | undefined,
  contact: readonly Way[],
): readonly Way[] {
  const links = link ? [link] : [];
  if (status === 'refused' || prequalification?.[totalAmount] === 0) return [...contact, ...links];
  return link || !prequalification ? links : contact.slice(0, 1);
}

/**
 * The parts of the total, sorted by what can be said of them: the amounts above zero, the zeros without an explanation,
 * and the zeros for which it is known what they would take. An upstream may not know all parts.
 * @param amounts as they are shown
 */
export function sortParts(words: Words, amounts: Prequalification, explained: Explained) {
  const zeros = amountParts
    .filter((part) => amounts[part] === 0)
    .map((part) => ({part, needed: requirement(words, part, explained)}));
  return {
    available: amountParts.filter((part) => amounts[part]),
    zeros: zeros.filter(({needed}) => !needed),
    locked: zeros.filter(({needed}) => needed),
  };
}

/** Says what an amount above zero is, how it was calculated, and what it assumes. */
export function arithmetic(words: Words, part: AmountPart, explained: Explained): string {
  const {prequalification: exact, reasons, explanation} = explained;
  const figures = explanation?.parts[part] ?? {};
  const {method, percent = 0} = figures;
  const calculation = fill(lookUp(words.methods, method) ?? '', {
    percent,
    rest: 100 - percent,
    funds: formatMoney(fundsBehind(figures, exact?.[part] ?? 0) ?? 0, words.locale),
  });
  const assumption = reasons?.[part] === 'assumes_no_bankruptcy' ? words.reasons.assumes_no_bankruptcy : '';
  return `${words.about[part]} ${calculation} ${assumption}`;
}

/** Says what it would take for an amount of zero. Undefined if that is not known, as for the amounts of an upstream. */
function requirement(words: Words, part: AmountPart, {reasons, explanation}: Explained): string | undefined {
  const {minimum_score: score, minimum_funds: minimum} = explanation?.parts[part] ?? {};
  const needs = words.needs[part];
  const known = [
    score ? fill(words.reasons.from_score, {score}) : '',
    minimum
      ? fill(words.reasons.below_minimum, {
          minimum: formatMoney(roundMinimum(minimum), words.locale),
          needs,
        })
      : '',
  ].filter(Boolean);
  if (known.length > 0) return known.join(' ');
  const reason = reasons?.[part];
  // A newer server may give reasons that these words do not know.
  const why = lookUp(words.reasons, reason === 'below_minimum' ? 'below_some_minimum' : reason);
  return why && fill(why, {needs});
}
