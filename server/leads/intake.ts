/** Reads a lead and its idempotency key, and hands them to the lead service. Both APIs use this. */
import {limits} from '../../contract/api.ts';
import type {FieldError} from '../../contract/problems.ts';
import {fieldErrors, parseLead, type Lead, type parseFormLead} from './lead-schema.ts';
import type {LeadService, Submitted} from './lead-service.ts';
import type {IdempotencyDigests, IdempotencyKey} from './idempotency.ts';
import type {NewLead} from './new-lead.ts';
import type {StoredLead} from './stored-lead.ts';
import {ProblemError, retryAfter} from './problem-error.ts';

const {min, max} = limits.idempotencyKeyCharacters;
const keyPattern = new RegExp(`^[\\x21-\\x7e]{${min},${max}}$`);

/**
 * @param parse which fields the lead may have
 * @param more what is wrong with the rest of the body
 * @throws ProblemError `invalid-lead` that names each wrong field
 */
export function readLead(
  body: unknown,
  parse: typeof parseFormLead = parseLead,
  more: readonly FieldError[] = [],
): Lead {
  const result = parse(body);
  if (result.success && more.length === 0) return result.data;
  const errors = [...(result.success ? [] : fieldErrors(result.error, body)), ...more];
  const names = errors.map(({field}) => field || 'the body').join(', ');
  throw new ProblemError('invalid-lead', `Check ${names}.`, {errors});
}

const erased = () => new ProblemError('lead-erased', 'The lead that was sent with this key was erased.');
const keyReused = () => new ProblemError('idempotency-key-reused', 'Take a new key for another lead.');

/**
 * The digests of an idempotency key; undefined without one.
 * @param key the header `Idempotency-Key`
 * @param owner the caller or partner that the key belongs to; two owners may use the same key
 * @param contentOf identifies the lead. If a later request has the same key and other content, the key counts as reused
 * @throws ProblemError when the key is malformed
 */
export function readIdempotencyKey(
  key: string | undefined,
  digests: IdempotencyDigests,
  owner: string,
  contentOf: () => string,
): IdempotencyKey[] | undefined {
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) {
    const detail = `Idempotency-Key takes ${min} to ${max} visible ASCII characters.`;
    throw new ProblemError('idempotency-key-invalid', detail);
  }
  return digests.ofKey(owner, key, contentOf());
}

/**
 * The lead that was stored with this key before, if any.
 * @throws ProblemError when the key was used for another lead, or for a lead that was erased
 */
export async function replayLead(
  service: LeadService,
  digests: readonly IdempotencyKey[],
  lead: Lead,
): Promise<StoredLead | undefined> {
  const used = await service.replay(digests, lead);
  if (used === 'key-reused') throw keyReused();
  if (used === 'erased') throw erased();
  return used;
}

/**
 * Gives the lead to the lead service, which stores it or finds the one that was stored with the same key.
 * @throws ProblemError when nothing was stored: the key was used for another lead or an erased one, a request with the same key is in
 *   progress, or the proof of work was used before
 */
export async function submitLead(
  service: LeadService,
  lead: NewLead,
): Promise<Extract<Submitted, {stored: StoredLead}>> {
  const accepted = await service.submit(lead);
  if ('stored' in accepted) return accepted;
  if (accepted.outcome === 'key-reused') throw keyReused();
  if (accepted.outcome === 'erased') throw erased();
  if (accepted.outcome === 'proof-spent') {
    throw new ProblemError('proof-needed', 'Fetch the configuration and solve its challenge.');
  }
  throw new ProblemError('idempotency-key-in-progress', 'Send it again with the same key.', retryAfter(1));
}
