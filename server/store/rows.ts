/** A lead as a row of either database, and back. Both have the same tables with the same column names. */
import {amountParts, limits, totalAmount, type Amounts, type Reasons} from '../../contract/api.ts';
import type {Answer} from '../answer.ts';
import {decodeLead, encodeLead, encodeRecord, type LeadColumns} from './codec.ts';
import {StoreUnavailable, type Accepted, type LeadEntry, type StoredLead} from './lead-store.ts';

const amountColumns = [...amountParts, totalAmount] as const;
export const answerColumns = ['status', ...amountColumns, 'reasons', 'policy_version'] as const;
export const leadColumns = [
  'id',
  'created_at',
  'cid',
  'partner',
  'lead_type',
  'lead',
  'suspect',
  'supersedes',
  'attribution',
  ...answerColumns,
] as const;

/** Milliseconds for which an idempotency key is remembered, and for which the same lead again is a duplicate. */
export const keyLifetime = limits.idempotencyKeyHours * 3_600_000;

export type Value = string | number | null;

/**
 * Whether a lead is there to answer with: an operator may have deleted it by hand, or the one that it was merged
 * into. A key or a digest of a lead that is gone is free.
 * @param id the column that names the lead
 */
export const isThere = (id: string) => `
  EXISTS (SELECT 1 FROM leads AS named WHERE named.id = ${id} AND (named.duplicate_of IS NULL
    OR EXISTS (SELECT 1 FROM leads AS original WHERE original.id = named.duplicate_of)))`;

type AnswerRow = Record<(typeof answerColumns)[number], Value>;

/** One new lead with all that goes into the same commit: flat, so that it can cross to a thread or into JSON. */
export type AcceptRow = Record<(typeof leadColumns)[number], Value> & {
  id: string;
  created_at: number;
  key_owner: string | null;
  key_digest: string | null;
  key_fingerprint: string | null;
  same_lead: string | null;
  upstream: string | null;
  delivery_state: string | null;
  next_attempt_at: number | null;
  leased_until: number | null;
  proof_nonce: string | null;
  proof_expires_at: number | null;
  consent: string | null;
};

/** What became of it: `duplicateOf` names the lead that is delivered in its stead, `lead` the one to answer with. */
export type Written =
  | {outcome: 'created'; duplicateOf: string | null}
  | {outcome: 'replayed'; lead: string}
  | {outcome: 'key-reused' | 'key-in-progress' | 'proof-spent'};

/** As read: with the answer of the lead that is delivered in its stead, where there is one. */
export type LeadRow = LeadColumns &
  Record<(typeof amountColumns)[number], number | null> & {
    id: string;
    created_at: number;
    partner: string | null;
    status: Answer['status'];
    reasons: string;
    policy_version: string | null;
    upstream_id: string | null;
  };

/** Times that a lead is written where the one to answer with is deleted right after it was found. */
const mostWrites = 3;

/** @throws StoreUnavailable when the lead to answer with is gone each time it was found */
export async function toAccepted(
  entry: LeadEntry,
  write: () => Promise<Written>,
  find: (id: string) => Promise<StoredLead | undefined>,
): Promise<Accepted> {
  let written = await write();
  for (let writes = 1; written.outcome === 'replayed'; writes += 1) {
    const stored = await find(written.lead);
    if (stored) return {outcome: 'replayed', stored, deliver: false};
    if (writes === mostWrites) throw new StoreUnavailable('the lead of a key cannot be found');
    written = await write();
  }
  if (written.outcome !== 'created') return {outcome: written.outcome};
  const {id, createdAt, lead, partner, answer} = entry;
  const stored = {id, createdAt, lead, partner, answer, upstreamId: null};
  const deliver = entry.delivery?.leaseEnd !== undefined && written.duplicateOf === null;
  return {outcome: 'created', stored, deliver};
}

export function toAnswerRow(answer: Answer): AnswerRow {
  const done = answer.status === 'done' ? answer : undefined;
  const amounts = amountColumns.map((column) => [column, done?.amounts?.[column] ?? null]);
  return {
    status: answer.status,
    ...(Object.fromEntries(amounts) as Record<(typeof amountColumns)[number], number | null>),
    reasons: JSON.stringify(done?.reasons ?? {}),
    policy_version: done?.policyVersion ?? null,
  };
}

export function toAcceptRow(entry: LeadEntry): AcceptRow {
  const {id, createdAt, partner, lead, answer, idempotency, delivery, proof, consent} = entry;
  return {
    id,
    created_at: createdAt,
    partner,
    ...encodeLead(lead),
    suspect: entry.suspect ?? null,
    supersedes: entry.supersedes ?? null,
    attribution: entry.attribution ? encodeRecord(entry.attribution) : null,
    ...toAnswerRow(answer),
    key_owner: idempotency?.owner ?? null,
    key_digest: idempotency?.digest ?? null,
    key_fingerprint: idempotency?.fingerprint ?? null,
    same_lead: entry.sameLead ?? null,
    upstream: delivery?.upstream ?? null,
    delivery_state: delivery?.state ?? null,
    next_attempt_at: delivery?.nextAttemptAt ?? null,
    leased_until: delivery?.leaseEnd ?? 0,
    proof_nonce: proof?.nonce ?? null,
    proof_expires_at: proof?.expiresAt ?? null,
    consent: consent ? encodeRecord(consent) : null,
  };
}

export function toStoredLead(row: LeadRow): StoredLead {
  return {
    id: row.id,
    createdAt: row.created_at,
    partner: row.partner,
    lead: decodeLead(row),
    answer: toAnswer(row),
    upstreamId: row.upstream_id,
  };
}

function toAnswer(row: LeadRow): Answer {
  if (row.status !== 'done') return {status: row.status};
  const amounts = Object.fromEntries(amountColumns.map((column) => [column, row[column]])) as Amounts;
  return {
    status: row.status,
    amounts: row[totalAmount] === null ? null : amounts,
    reasons: JSON.parse(row.reasons) as Reasons,
    policyVersion: row.policy_version,
  };
}
