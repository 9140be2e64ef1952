/** Explains the amounts of a lead, as its visitor read them, with the policy that was in force then. */
import {z} from 'zod';
import type {Policy} from '../../calculator/policy.ts';
import {amountParts} from '../../contract/amounts.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {formWords} from '../../form/words/form-words.ts';
import {arithmetic, sortParts} from '../../form/words/say-answer.ts';
import {explainedAnswer} from '../leads/calculated-answer.ts';
import type {FullLead, LeadReader} from '../leads/lead-filter.ts';
import type {With} from './admin.ts';
import {policiesOf} from './lead-view.ts';

const words = formWords.en;

/** `policy`: the figures, with their sources. `amount`: whole dollars, as the visitor saw it. */
export const why = z.object({
  policy: z.custom<Policy>(),
  parts: z.array(z.object({part: z.enum(amountParts), amount: z.number(), text: z.string()})),
});
export type Why = z.infer<typeof why>;

/** @returns null if the lead has no amounts, if an upstream calculated them, or if their policy is no longer known */
export async function whyOf(admin: With<LeadReader, 'config'>, full: FullLead): Promise<Why | null> {
  const {lead, answer} = full;
  if (answer.status !== 'done' || !answer.amounts) return null;
  const policy = (await policiesOf(admin, [full]))(full);
  const explanation = explainedAnswer(lead, answer, policy);
  if (!explanation) return null;
  const {reasons} = answer;
  const prequalification = {first_name: lead.first_name, ...answer.amounts};
  const explained = {prequalification, explanation, reasons};
  const amounts = shownAmounts(explained) ?? prequalification;
  const {zeros, locked} = sortParts(words, amounts, explained);
  const needs = new Map([...zeros, ...locked].map(({part, needed}) => [part, needed]));
  const textOf = (part: (typeof amountParts)[number]) =>
    needs.has(part) ? (needs.get(part) ?? words.reasons.unknown) : arithmetic(words, part, explained).trim();
  return {policy, parts: amountParts.map((part) => ({part, amount: amounts[part], text: textOf(part)}))};
}
