/** Made-up replies to the requests that the form would send to a server. */
import {
  amountParts,
  totalAmount,
  type AmountPart,
  type Explanation,
  type Prequalification,
  type Reasons,
} from '../../contract/amounts.ts';
import {paths} from '../../contract/api.ts';
import type {ConsentText, EmbedAnswer, EmbedConfig, EmbedSubmission} from '../../contract/embed.ts';
import {problemTypePrefix} from '../../contract/problems.ts';
import {tableOf} from '../../contract/table-of.ts';

/** Sample amounts. All parts have one, so that a sample has every colour of the bar. */
const samples: Record<AmountPart, number> = {
  rollover_amount: 120_000,
  sba_qualified_amount: 560_000,
  unsecured_amount: 150_000,
  portfolio_loan_qualified_amount: 60_000,
};

/** As the default policy of the server explains the sample amounts. A part without an explanation needs none. */
const samplesExplained: Explanation['parts'] = {
  rollover_amount: {method: 'whole_balance'},
  sba_qualified_amount: {method: 'down_payment', percent: 20},
  portfolio_loan_qualified_amount: {method: 'percentage', percent: 60},
};

/** Why an amount is zero in a sample without amounts. */
const samplesOfReasons: Reasons = {
  rollover_amount: 'below_minimum',
  sba_qualified_amount: 'credit_score',
  unsecured_amount: 'credit_score',
  portfolio_loan_qualified_amount: 'nothing_to_borrow_against',
};

/** What it would take in a sample without amounts. */
const samplesOfRequirements: Explanation['parts'] = {
  rollover_amount: {minimum_funds: 50_000},
  sba_qualified_amount: {minimum_score: 680, minimum_funds: 32_143},
  unsecured_amount: {minimum_score: 620},
  portfolio_loan_qualified_amount: {minimum_funds: 100_000},
};

type SampleResult = {amounts: Record<AmountPart, number>; reasons: Reasons; explanation: Explanation};

const found: SampleResult = {
  amounts: samples,
  reasons: {unsecured_amount: 'assumes_no_bankruptcy'},
  explanation: {rounding_increment: 1_000, parts: samplesExplained},
};
const foundNothing: SampleResult = {
  amounts: tableOf(amountParts, () => 0),
  reasons: samplesOfReasons,
  explanation: {rounding_increment: 1_000, parts: samplesOfRequirements},
};

type SampleConsent = Omit<ConsentText, 'required'>;

const configWith = (consent: SampleConsent): EmbedConfig => ({
  lead_types: ['standard', 'prequalification'],
  minimums: {},
  consent: {...consent, required: true},
  colors: {},
  challenge: null,
});

/** @param state the value of the attribute `sandbox`, which says what happens to the lead */
function answerTo(lead: Record<string, unknown>, state: string): EmbedAnswer {
  const status = state === 'pending' || state === 'refused' ? state : 'done';
  // After a reload, the request that reads the result again does not contain the lead.
  const {first_name = 'Maria'} = lead as {first_name?: string};
  const {amounts, reasons, explanation} = state === 'none' ? foundNothing : found;
  const total = amountParts.reduce((sum, part) => sum + amounts[part], 0);
  const prequalification: Prequalification = {first_name, ...amounts, [totalAmount]: total};
  const shown = status === 'done' && lead['lead_type'] !== 'standard';
  return {
    // Its reference is `SAMP-1E00`.
    id: '00000000-0000-7000-8000-00caa960b800',
    token: 'sample',
    status,
    prequalification: shown ? prequalification : null,
    reasons: shown ? reasons : {},
    ...(shown && {explanation}),
  };
}

export function reply(
  {pathname, searchParams}: URL,
  init: RequestInit | undefined,
  consent: SampleConsent,
): {status: number; body: unknown} {
  if (pathname === paths.embedConfig) return {status: 200, body: configWith(consent)};
  const [, state = ''] = (searchParams.get('partner') ?? '').split(':');
  if (state === 'failed') return {status: 503, body: {type: `${problemTypePrefix}store-unavailable`}};
  const {lead} = JSON.parse((init?.body as string | undefined) ?? '{"lead":{}}') as EmbedSubmission;
  return {status: 200, body: answerTo(lead, state)};
}
