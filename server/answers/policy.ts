/**
 * The figures the calculator works with, as data. `POLICY_FILE` replaces them whole; the same schema checks
 * both, so a policy in which a better score earns less cannot start the service.
 *
 * Amounts are whole US dollars, percentages whole numbers.
 */
import {readFileSync} from 'node:fs';
import {z} from 'zod';
import {creditScores} from '../../contract/fields.ts';

const dollars = z.int().min(0).max(1_000_000_000);
const byScore = <Value extends z.ZodType>(value: Value) => z.partialRecord(z.enum(creditScores), value);
const source = z.string().optional();

const policySchema = z
  .strictObject({
    /** Stored with every result, so that an amount can be traced to the rules that gave it. */
    version: z.string().min(1).max(64),
    /** What a bankruptcy counts as when the lead does not say. */
    bankruptcy_not_stated: z.boolean(),
    rollover: z.strictObject({minimum: dollars, source}),
    sba: z.strictObject({
      minimum: dollars,
      maximum: dollars,
      /** A score that is not listed gets no loan. */
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

/** A better score never earns less: going down the scores, the worth may not rise. */
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

/** @throws Error that names every wrong field of the file. */
export function readPolicy(file: string): Policy {
  const text = readFileSync(file, 'utf8');
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error('is not valid JSON');
  }
  const result = policySchema.safeParse(data);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({path, message}) => `${path.join('.') || 'the policy'}: ${message}`);
  throw new Error(wrong.join('; '));
}
