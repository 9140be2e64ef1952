/**
 * The figures that the calculator works with. A file that `POLICY_FILE` names replaces all of them. The server does not
 * start with a policy that would give a better credit score a lower amount.
 *
 * Amounts are whole US dollars, percentages whole numbers.
 */
import {z} from 'zod';
import {creditScores} from '../../contract/fields.ts';
import {readJsonFile} from './files.ts';

const dollars = z.int().min(0).max(1_000_000_000);
const byScore = <Value extends z.ZodType>(value: Value) => z.partialRecord(z.enum(creditScores), value);
const source = z.string().optional();

const policySchema = z
  .strictObject({
    /** Stored with every lead whose amounts the calculator computes, so that it is known later by which rules. */
    version: z.string().min(1).max(64),
    /** Whether a bankruptcy is assumed if a lead does not say whether there was one. */
    bankruptcy_not_stated: z.boolean(),
    /**
     * The form shows each amount rounded down to a multiple of these dollars, because an estimate cannot be more exact.
     * Amounts are calculated, stored and given to callers in whole dollars.
     */
    display_rounding_increment: z.int().min(1).max(100_000).default(1_000),
    rollover: z.strictObject({minimum: dollars, source}),
    sba: z.strictObject({
      minimum: dollars,
      maximum: dollars,
      /** The down payment for each credit score. A credit score that is not listed gets no loan. */
      down_payment_percent: byScore(z.int().min(1).max(100)),
      source,
    }),
    unsecured: z.strictObject({amount: byScore(dollars), source}),
    portfolio_loan: z.strictObject({percent_of_investments: z.int().min(0).max(100), source}),
  })
  .superRefine((policy, context) => {
    const {down_payment_percent, minimum, maximum} = policy.sba;
    if (minimum > maximum) {
      context.addIssue({code: 'custom', path: ['sba', 'minimum'], message: 'is more than sba.maximum'});
    }
    refuseRising(context, ['sba', 'down_payment_percent'], (score) => -(down_payment_percent[score] ?? 101));
    refuseRising(context, ['unsecured', 'amount'], (score) => policy.unsecured.amount[score] ?? 0);
  });

export type Policy = z.output<typeof policySchema>;

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

export const defaultPolicy: Policy = {
  version: '2026-11',
  bankruptcy_not_stated: false,
  display_rounding_increment: 1_000,
  rollover: {
    minimum: 50_000,
    source:
      'Providers of rollovers as business start-ups ask for at least about $50,000 and let the whole balance be used.',
  },
  sba: {
    minimum: 75_000,
    maximum: 5_000_000,
    down_payment_percent: {'Above 720': 20, '680 - 720': 30},
    source:
      'SBA 7(a): at most $5 million. Lenders ask a start-up for 20 to 30 % down and a score of 680 or more. A provider publishes $75K to $5M.',
  },
  unsecured: {
    amount: {'Above 720': 150_000, '680 - 720': 75_000, '620 - 679': 25_000},
    source: 'A provider publishes $25K to $150K, by credit.',
  },
  portfolio_loan: {
    percent_of_investments: 60,
    source: 'Securities-backed loans: 60 to 80 % of the balance.',
  },
};

/** @throws Error that names the place of every wrong field */
export const readPolicy = (path: string): Policy => readJsonFile(path, policySchema).content;
