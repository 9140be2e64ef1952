/**
 * The figures that the calculator works with. The server reads them from its policy, and gives them to the forms of
 * partners that show a total before the contact data is asked for.
 *
 * Amounts are whole US dollars, percentages whole numbers.
 */
import type {CreditScore} from './fields.ts';

type ByScore = Partial<Record<CreditScore, number>>;

export type PolicyFigures = {
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
  };
  sba: {
    /** The smallest loan. If it would be smaller, there is none. */
    minimum: number;
    /** The largest loan. */
    maximum: number;
    /** The down payment for each credit score. A credit score that is not listed gets no loan. */
    down_payment_percent: ByScore;
  };
  unsecured: {
    /** The loan for each credit score. A credit score that is not listed gets none. */
    amount: ByScore;
  };
  portfolio_loan: {
    /** The least investments that are taken as security. */
    minimum: number;
    /** The loan as a share of the investments. */
    percent_of_investments: number;
  };
};
