/**
 * The figures of the calculator, as the file of the business may give them. The server does not start with a policy that would give a better credit score a lower
 * amount. What the figures mean is said in calculator/policy.ts.
 */
import {z} from 'zod';
import {creditScores} from '../../contract/fields.ts';
import type {Policy} from '../../calculator/policy.ts';
import {schemaOf} from './schema-of.ts';

const dollars = z.int().min(0).max(1_000_000_000);
const byScore = <Value extends z.ZodType>(value: Value) => z.partialRecord(z.enum(creditScores), value);
const source = z.string().optional();

export const policySchema = schemaOf<Policy>()(
  z
    .strictObject({
      version: z.string().min(1).max(64),
      bankruptcy_not_stated: z.boolean(),
      display_rounding_increment: z.int().min(1).max(100_000).default(1_000),
      rollover: z.strictObject({minimum: dollars, source}),
      sba: z.strictObject({
        minimum: dollars,
        maximum: dollars,
        down_payment_percent: byScore(z.int().min(1).max(100)),
        source,
      }),
      unsecured: z.strictObject({amount: byScore(dollars), source}),
      portfolio_loan: z.strictObject({
        minimum: dollars.default(0),
        percent_of_investments: z.int().min(0).max(100),
        source,
      }),
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
