/**
 * The figures that the calculator works with: plain data, without a schema. With `POLICY_FILE`,
 * server/config/policy.ts reads other figures from that file, which replace all of these.
 *
 * Amounts are whole US dollars, percentages whole numbers.
 */
import type {CreditScore} from '../../contract/fields.ts';

type ByScore = Partial<Record<CreditScore, number>>;

/** `source` says where the figures come from. */
export type Policy = {
  /** Stored with every lead whose amounts the calculator computes, so that it is known later which rules gave them. */
  version: string;
  /** Whether a bankruptcy is assumed if a lead does not say whether there was one. */
  bankruptcy_not_stated: boolean;
  /**
   * The form shows each amount rounded down to a multiple of these dollars, because an estimate cannot be more exact.
   * Amounts are calculated, stored and given to callers in whole dollars.
   */
  display_rounding_increment: number;
  rollover: {
    /** The least retirement funds that can be rolled over. */
    minimum: number;
    source?: string | undefined;
  };
  sba: {
    /** The smallest loan. If it would be smaller, there is none. */
    minimum: number;
    /** The largest loan. */
    maximum: number;
    /** The down payment for each credit score. A credit score that is not listed gets no loan. */
    down_payment_percent: ByScore;
    source?: string | undefined;
  };
  unsecured: {
    /** The loan for each credit score. A credit score that is not listed gets none. */
    amount: ByScore;
    source?: string | undefined;
  };
  portfolio_loan: {
    /** The loan as a share of the investments. */
    percent_of_investments: number;
    source?: string | undefined;
  };
};

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
