/** What both APIs do with a body before the lead desk sees it, and with what the desk says of the key. */
import type {Request} from 'express';
import {limits} from '../../contract/api.ts';
import {fieldErrors, parseLead, type Lead} from '../../contract/lead-schema.ts';
import type {LeadDesk, Submission} from '../lead-desk.ts';
import type {Accepted, IdempotencyKey, StoredLead} from '../store/lead-store.ts';
import type {Tokens} from '../tokens.ts';
import {ProblemError} from './problem-replies.ts';

const {min, max} = limits.idempotencyKeyCharacters;
const keyPattern = new RegExp(`^[\\x21-\\x7e]{${min},${max}}$`);

/** @throws ProblemError `invalid-lead` that names each wrong field */
export function readLead(body: unknown): Lead {
  const result = parseLead(body);
  if (result.success) return result.data;
  const errors = fieldErrors(result.error, body);
  const names = errors.map(({field}) => field || 'the body').join(', ');
  throw new ProblemError('invalid-lead', `Check ${names}.`, {errors});
}

/** What makes two leads the same one: one number written two ways is one number. */
export const fingerprintOf = (lead: Lead) =>
  JSON.stringify({...lead, phone: lead.phone.e164, email: lead.email.toLowerCase()});

const keyReused = () => new ProblemError('idempotency-key-reused', 'Take a new key for another lead.');

/**
 * Its digests, as many as there are token keys.
 * @param owner whose key it is: two owners may use the same one
 * @param content what a repeated request has in common with the first
 */
export function readIdempotencyKey(
  request: Request,
  tokens: Tokens,
  owner: string,
  content: string,
): IdempotencyKey[] | undefined {
  const key = request.get('Idempotency-Key');
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) {
    const detail = `Idempotency-Key takes ${min} to ${max} visible ASCII characters.`;
    throw new ProblemError('idempotency-key-invalid', detail);
  }
  const fingerprints = tokens.digests(content);
  return tokens.digests(key).map((digest, index) => ({owner, digest, fingerprint: fingerprints[index]!}));
}

/** The lead that the key stands for already. @throws ProblemError when that is another lead */
export async function replayLead(
  desk: LeadDesk,
  digests: readonly IdempotencyKey[],
): Promise<StoredLead | undefined> {
  const used = await desk.replay(digests);
  if (used === 'key-reused') throw keyReused();
  return used;
}

/** The stored lead, `created` or the same again. @throws ProblemError when the key stands for another lead or is still being written */
export async function takeLead(
  desk: LeadDesk,
  submission: Submission,
): Promise<Extract<Accepted, {stored: StoredLead}>> {
  const accepted = await desk.take(submission);
  if ('stored' in accepted) return accepted;
  if (accepted.outcome === 'key-reused') {
    throw keyReused();
  }
  if (accepted.outcome === 'proof-spent') {
    throw new ProblemError('proof-needed', 'Fetch the configuration and solve its challenge.');
  }
  throw new ProblemError('idempotency-key-in-progress', 'Send it again with the same key.', {
    headers: {'Retry-After': '1'},
  });
}
