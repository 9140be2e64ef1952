/** The answer that our own calculator gives to a lead, and how it came to it. */
import type {Amounts, Explanation} from '../../contract/amounts.ts';
import {calculate} from '../../calculator/calculator.ts';
import {explain} from '../../calculator/explanation.ts';
import type {Policy} from '../../calculator/policy.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {nameInArchive} from './archive.ts';
import type {Lead} from './lead-schema.ts';
import type {Answer, DoneAnswer} from './stored-lead.ts';

/** The answer to a lead that no upstream answers. A standard lead has no amounts. */
export function calculatedAnswer(lead: Lead, policy: Policy): DoneAnswer {
  if (lead.lead_type === 'standard') {
    return {status: 'done', amounts: null, reasons: {}, policyVersion: null};
  }
  return {
    status: 'done',
    ...calculate(lead, policy),
    policyVersion: policy.version,
    policyHash: nameInArchive(policy),
  };
}

/**
 * The amounts as people read them: as the form shows them, which rounds only what the calculator has computed.
 * @param rounding_increment of the policy that gave the amounts, or of the one in force
 */
export function shownAmountsOf(answer: Answer | null, rounding_increment: number): Amounts | null {
  if (answer?.status !== 'done' || !answer.amounts) return null;
  if (answer.policyVersion === null) return answer.amounts;
  return shownAmounts({prequalification: answer.amounts, explanation: {rounding_increment}});
}

/**
 * @returns nothing if the amounts are not what this policy gives: an upstream gave them, or the policy has changed since
 *   they were calculated. Nothing is then known about how they were calculated.
 */
export function explainedAnswer(
  lead: Lead,
  {amounts, reasons, policyVersion}: DoneAnswer,
  policy: Policy,
): Explanation | undefined {
  if (lead.lead_type === 'standard' || !amounts || policyVersion !== policy.version) return undefined;
  // Somebody may have changed a figure of the policy without changing its version: `explain` finds that out.
  return explain(lead, {amounts, reasons}, policy);
}
