import type {Amounts, Reasons} from '../contract/api.ts';

/**
 * What became of a lead: `done` for good, `pending` until the upstream answers, `refused` by it for ever.
 * `amounts` is null for a standard lead, `policyVersion` where an upstream did the sums.
 */
export type Answer =
  | {status: 'done'; amounts: Amounts | null; reasons: Reasons; policyVersion: string | null}
  | {status: 'pending'}
  | {status: 'refused'};

export type FinalAnswer = Exclude<Answer, {status: 'pending'}>;
