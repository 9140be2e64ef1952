/**
 * The policy: the figures of the calculator with their sources. It is plain data, without a schema. With `POLICY_FILE`,
 * server/config/policy.ts reads another policy from that file, which replaces all of this one.
 */
import type {PolicyFigures} from '../contract/policy.ts';

/** Where the figures of a rule come from. */
type Sourced<Rule> = Rule & {source?: string | undefined};

export type Policy = PolicyFigures & {
  /** Stored with every lead whose amounts the calculator computes, so that it is known later which rules gave them. */
  version: string;
  rollover: Sourced<PolicyFigures['rollover']>;
  sba: Sourced<PolicyFigures['sba']>;
  unsecured: Sourced<PolicyFigures['unsecured']>;
  portfolio_loan: Sourced<PolicyFigures['portfolio_loan']>;
};

export const defaultPolicy: Policy = {
  version: '2026-12',
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
    minimum: 100_000,
    percent_of_investments: 60,
    source:
      'Securities-backed loans: 60 to 80 % of the balance. SEC and FINRA, "Securities-Backed Lines of Credit": the securities must mostly be worth $100,000 or more. A bank publishes lines from $100,000, a broker takes $50,000.',
  },
};

/** The figures alone, as the form of a partner gets them. Sources and version are for the operator. */
export const figuresOf = ({
  bankruptcy_not_stated,
  display_rounding_increment,
  rollover: {minimum},
  sba: {minimum: smallest, maximum, down_payment_percent},
  unsecured: {amount},
  portfolio_loan: {minimum: leastInvestments, percent_of_investments},
}: Policy): PolicyFigures => ({
  bankruptcy_not_stated,
  display_rounding_increment,
  rollover: {minimum},
  sba: {minimum: smallest, maximum, down_payment_percent},
  unsecured: {amount},
  portfolio_loan: {minimum: leastInvestments, percent_of_investments},
});
