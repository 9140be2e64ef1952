/** What a lead pre-qualifies for: the amounts, the reasons behind them, and how they were calculated. */

/** The parts of the total that the specification names in 2.3. */
const specifiedParts = [
  'rollover_amount',
  'sba_qualified_amount',
  'unsecured_amount',
  'portfolio_loan_qualified_amount',
] as const;
export const totalAmount = 'total_qualified_amount';

/**
 * The amounts that the specification names in 2.3: all that `GET /json/leads/:id` gives, and all that an upstream has
 * to give. Responses have them in this order, and so has the table of leads.
 */
export const specifiedAmounts = [...specifiedParts, totalAmount] as const;
export type SpecifiedAmount = (typeof specifiedAmounts)[number];

/**
 * The parts of the total, in the order in which they are shown. A part that only our own calculator knows is added here,
 * and not to those that the specification names.
 */
export const amountParts = [...specifiedParts] as const;
export type AmountPart = (typeof amountParts)[number];

/** All amounts that a lead may have. */
export const amountNames = [...amountParts, totalAmount] as const;

/**
 * Whole US dollars, never negative. A part that the specification does not name is missing where an upstream
 * calculated the amounts: the upstream does not know it, and 0 would say that the lead does not qualify for it.
 */
export type Amounts = Record<SpecifiedAmount, number> & {
  [Part in Exclude<AmountPart, SpecifiedAmount>]?: number;
};

/** The answer to `GET /json/leads/:id`: the six fields of the specification, 2.3, and nothing else. */
export type SpecifiedPrequalification = {first_name: string} & Pick<Amounts, SpecifiedAmount>;

/** What the form shows: all amounts that are known. */
export type Prequalification = {first_name: string} & Amounts;

/**
 * Why a part is zero, or which assumption it rests on.
 * - `below_minimum`: the computed amount is less than the smallest amount of this kind
 * - `credit_score`, `bankruptcy`: the lead's credit score or bankruptcy rules the amount out
 * - `nothing_to_borrow_against`: the lead has no funds of the kind that would secure the amount
 * - `assumes_no_bankruptcy`: the lead does not say whether there was a bankruptcy; the amount assumes that there was
 *   none
 */
export const reasons = [
  'below_minimum',
  'credit_score',
  'bankruptcy',
  'nothing_to_borrow_against',
  'assumes_no_bankruptcy',
] as const;
export type Reason = (typeof reasons)[number];
export type Reasons = Partial<Record<AmountPart, Reason>>;

/**
 * How a part above zero was calculated.
 * - `whole_balance`: all retirement funds of the lead
 * - `down_payment`: a loan for a project, whose down payment is `percent` of it and comes from the lead's own funds
 * - `maximum`: the largest loan of this kind
 * - `percentage`: `percent` of the lead's own funds
 */
export const methods = ['whole_balance', 'down_payment', 'maximum', 'percentage'] as const;
export type Method = (typeof methods)[number];

/**
 * The figures behind a part. They come from the policy. The server never sends what the visitor owns: the form calculates it
 * from the amount (`form/funds-behind.ts`).
 */
export type PartExplanation = {
  /** Only for a part above zero. A part without one follows from the credit score alone. */
  method?: Method;
  /** A whole number. */
  percent?: number;
  /** For a part of zero: the lowest credit score with which it could be more. Absent if the lead's is high enough. */
  minimum_score?: number;
  /** For a part of zero: the least dollars of one's own with which it could be more. Absent if the lead has enough. */
  minimum_funds?: number;
};

/** How our own calculator came to the amounts. There is none for the amounts of an upstream. */
export type Explanation = {
  /** The form shows each amount rounded down to a multiple of these dollars. */
  rounding_increment: number;
  parts: Partial<Record<AmountPart, PartExplanation>>;
};
