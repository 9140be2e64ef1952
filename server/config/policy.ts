/**
 * The figures of the calculator, as the file of the business may give them. The server does not start with a policy that
 * would give a better credit score a lower amount.
 */
import {z} from 'zod';
import {creditScores} from '../../contract/fields.ts';
import type {Policy} from '../../calculator/policy.ts';
import {schemaOf} from './schema-of.ts';

const dollars = z.int().min(0).max(1_000_000_000);
const byScore = <Value extends z.ZodType>(value: Value) => z.partialRecord(z.enum(creditScores), value);
const source = z.string().optional().describe('Where the figures come from. The server ignores it.');

export const policySchema = schemaOf<Policy>()(
  z
    .strictObject({
      version: z.string().min(1).max(64).describe('A name of your own. It is stored with every result.'),
      bankruptcy_not_stated: z
        .boolean()
        .describe('Whether a lead that does not tell counts as one with a bankruptcy.'),
      display_rounding_increment: z
        .int()
        .min(1)
        .max(100_000)
        .default(1_000)
        .describe('People read amounts rounded down to a multiple of this.'),
      rollover: z
        .strictObject({
          minimum: dollars.describe('With less than this in retirement accounts, nothing is rolled over.'),
          source,
        })
        .describe('Retirement accounts.'),
      sba: z
        .strictObject({
          minimum: dollars.describe('A smaller loan is none.'),
          maximum: dollars.describe('The largest loan.'),
          down_payment_percent: byScore(z.int().min(1).max(100)).describe(
            'How much of a project is own capital, by credit score. A score that is not listed gets no loan.',
          ),
          source,
        })
        .describe('SBA loans.'),
      unsecured: z
        .strictObject({
          amount: byScore(dollars).describe('By credit score. A score that is not listed gets none.'),
          source,
        })
        .describe('Unsecured credit.'),
      portfolio_loan: z
        .strictObject({
          minimum: dollars.default(0).describe('With fewer investments than this, there is no loan.'),
          percent_of_investments: z
            .int()
            .min(0)
            .max(100)
            .describe('The loan, as a share of the investments.'),
          source,
        })
        .describe('Loans on investments.'),
    })
    .superRefine((policy, context) => {
      const {down_payment_percent, minimum, maximum} = policy.sba;
      if (minimum > maximum) {
        context.addIssue({code: 'custom', path: ['sba', 'minimum'], message: 'is more than sba.maximum'});
      }
      refuseRising(
        context,
        ['sba', 'down_payment_percent'],
        (score) => -(down_payment_percent[score] ?? 101),
      );
      refuseRising(context, ['unsecured', 'amount'], (score) => policy.unsecured.amount[score] ?? 0);
    }),
);

/** Adds an issue for each credit score that would get more than the next better score. */
function refuseRising(
  context: z.RefinementCtx,
  path: string[],
  worth: (score: (typeof creditScores)[number]) => number,
) {
  for (const [index, score] of creditScores.entries()) {
    const better = creditScores[index - 1];
    if (better && worth(score) > worth(better)) {
      context.addIssue({code: 'custom', path: [...path, score], message: `is better than for ${better}`});
    }
  }
}
