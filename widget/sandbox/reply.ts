/** What a server would say, made up. */
import type {Prequalification, Reasons} from '../../contract/amounts.ts';
import {paths} from '../../contract/api.ts';
import type {EmbedAnswer, EmbedConfig, EmbedSubmission} from '../../contract/embed.ts';
import {problemTypePrefix} from '../../contract/problems.ts';

/** Every colour of the bar, and every kind of sentence. */
const amounts = {
  rollover_amount: 120_000,
  sba_qualified_amount: 560_000,
  unsecured_amount: 150_000,
  portfolio_loan_qualified_amount: 30_000,
  total_qualified_amount: 860_000,
};
const reasons: Reasons = {unsecured_amount: 'assumes_no_bankruptcy'};

const noAmounts: typeof amounts = {
  rollover_amount: 0,
  sba_qualified_amount: 0,
  unsecured_amount: 0,
  portfolio_loan_qualified_amount: 0,
  total_qualified_amount: 0,
};
const noAmountsBecause: Reasons = {
  rollover_amount: 'below_minimum',
  sba_qualified_amount: 'below_minimum',
  unsecured_amount: 'credit_score',
  portfolio_loan_qualified_amount: 'nothing_to_borrow_against',
};

const configWith = (consent: string): EmbedConfig => ({
  lead_types: ['standard', 'prequalification'],
  minimums: {rollover_amount: 50_000, sba_qualified_amount: 75_000},
  consent: {text: consent, version: 'sample', required: true},
  colors: {},
  challenge: null,
});

/** @param state the value of the attribute: how the lead fares */
function answerTo(lead: Record<string, unknown>, state: string): EmbedAnswer {
  const status = state === 'pending' || state === 'refused' ? state : 'done';
  // A result that is read again after a reload no longer knows who sent the lead.
  const {first_name = 'Maria'} = lead as {first_name?: string};
  const prequalification: Prequalification = {first_name, ...(state === 'none' ? noAmounts : amounts)};
  const shown = status === 'done' && lead['lead_type'] !== 'standard';
  return {
    id: '00000000-0000-7000-8000-000000000000',
    token: 'sample',
    status,
    prequalification: shown ? prequalification : null,
    reasons: shown ? (state === 'none' ? noAmountsBecause : reasons) : {},
  };
}

export function reply(
  {pathname, searchParams}: URL,
  init: RequestInit | undefined,
  consent: string,
): {status: number; body: unknown} {
  if (pathname === paths.embedConfig) return {status: 200, body: configWith(consent)};
  const [, state = ''] = (searchParams.get('partner') ?? '').split(':');
  if (state === 'failed') return {status: 503, body: {type: `${problemTypePrefix}store-unavailable`}};
  const {lead} = JSON.parse((init?.body as string | undefined) ?? '{"lead":{}}') as EmbedSubmission;
  return {status: 200, body: answerTo(lead, state)};
}
