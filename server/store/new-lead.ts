/**
 * The parts of storing a new lead that both databases share: which earlier rows they look up, and what these rows mean
 * for the lead. The idempotency key is checked first, then the proof of work, then whether the same lead was sent
 * before.
 */
import {limits} from '../../contract/api.ts';
import {isSameLead} from '../leads/idempotency.ts';
import {StoreUnavailable} from '../leads/store-errors.ts';
import type {LeadPort} from '../leads/ports.ts';
import type {DeliveryContent} from '../leads/deliveries.ts';
import type {PersonIndex} from './person-queries.ts';
import {statement, type Statement} from './database.ts';
import {isHeldWith, toNewRows, type NewRows} from './new-rows.ts';
import {recordOf} from './rows.ts';

/** Milliseconds for which an idempotency key is remembered, and for which the same lead counts as a duplicate. */
export const keyLifetime = limits.idempotencyKeyHours * 3_600_000;

/**
 * SQL that is true if a lead still exists, and so does the lead that it was merged into, if any. An operator may have deleted
 * either by hand. Then another lead may use the same idempotency key and digest.
 * @param id the column that holds the id of the lead
 */
export const leadExists = (id: string) => `
  EXISTS (SELECT 1 FROM leads AS named WHERE named.id = ${id} AND (named.duplicate_of IS NULL
    OR EXISTS (SELECT 1 FROM leads AS original WHERE original.id = named.duplicate_of)))`;

/** Replaces the fingerprint of an idempotency key when its lead is erased. Such a key never expires. */
export const erasedFingerprint = '';

/** SQL that is true if an idempotency key is still remembered. @param since SQL for the time after which keys are remembered */
export const isRemembered = (table: string, since: string) => `
  (${table}.created_at > ${since} OR ${table}.fingerprint = '${erasedFingerprint}')
  AND ${leadExists(`${table}.lead_id`)}`;

const keyText = `
  SELECT fingerprint, lead_id AS lead FROM idempotency_keys
  WHERE owner = $1 AND digest = $2 AND ${isRemembered('idempotency_keys', '$3')}`;
const sameLeadText = `
  SELECT lead_id AS lead FROM same_leads
  WHERE partner = $1 AND digest = $2 AND created_at > $3 AND ${leadExists('lead_id')}`;

/** Selects the lead that was stored with an idempotency key, unless the key has expired. */
export const selectKey = (owner: string, digest: string, now: number): Statement =>
  statement(keyText, owner, digest, now - keyLifetime);

/**
 * Selects the first lead with a digest, unless the digest has expired. Later leads with the digest are its duplicates.
 */
export const selectSameLead = (partner: string | null, digest: string, now: number): Statement =>
  statement(sameLeadText, partner, digest, now - keyLifetime);

/** A row that `selectKey` finds. */
export type KnownKey = {fingerprint: string; lead: string};

/** What was stored earlier and matters for a new lead. */
export type Known = {
  /** The lead that was stored with the same idempotency key, and the digest of that key. */
  key?: (KnownKey & {digest: string}) | undefined;
  isProofSpent?: boolean | undefined;
  /** The id of the lead that the new one duplicates. */
  original?: string | undefined;
};

/**
 * The outcome of storing a lead. `duplicateOf`: the id of the lead into which it was merged. `isSuppressed`: its deliveries are
 * held because of its number. With `isMailbox`, so is its confirmation (`isHeldWith`). `lead`: the id of the earlier lead with
 * the same idempotency key.
 */
export type Written =
  | {
      outcome: 'created';
      duplicateOf: string | null;
      isSuppressed?: boolean;
      isMailbox?: boolean;
      mailboxStoppedAt?: number | null;
    }
  | {outcome: 'replayed'; lead: string}
  | {outcome: 'key-reused' | 'key-in-progress' | 'proof-spent' | 'erased'};

/** Decides what to do with a new lead. The outcome `created` means that the caller must still insert the rows. */
export function decide({idempotency_keys: own}: NewRows, {key, isProofSpent, original}: Known): Written {
  if (key?.fingerprint === erasedFingerprint) return {outcome: 'erased'};
  if (key) {
    return own.some(({digest, fingerprint}) => digest === key.digest && fingerprint === key.fingerprint)
      ? {outcome: 'replayed', lead: key.lead}
      : {outcome: 'key-reused'};
  }
  if (isProofSpent) return {outcome: 'proof-spent'};
  return {outcome: 'created', duplicateOf: original ?? null};
}

/**
 * The deliveries of a duplicate: only events. It is not sent to a `lead-api` again, and its visitor already has a confirmation.
 */
const deliveriesOfDuplicate = <Delivery extends {content: DeliveryContent}>(
  deliveries: readonly Delivery[],
) => deliveries.filter(({content}) => content !== 'lead' && content !== 'confirmation');

/** The rows to insert. For a duplicate, these have no digest, so that no lead is merged into it. */
export function rowsOf(rows: NewRows, duplicateOf: string | null): NewRows {
  if (duplicateOf === null) return rows;
  const [lead] = rows.leads;
  return {
    ...rows,
    leads: [{...lead, duplicate_of: duplicateOf}],
    deliveries: deliveriesOfDuplicate(rows.deliveries),
    same_leads: [],
    // A duplicate has the amounts of the earlier lead, which is routed by them.
    open_routes: [],
    confirmations: [],
  };
}

/**
 * The maximum number of attempts to store a lead. An attempt fails if the earlier lead with its key is deleted just after it was found.
 */
const maxWrites = 3;

/**
 * Makes the function that stores a lead, and reads the earlier lead if the idempotency key was used before.
 * @param write stores the lead, or finds the id of the earlier lead, which `find` then reads
 */
export function acceptsLeads(
  write: (rows: NewRows) => Promise<Written>,
  {find, ofLateLead, ofSender}: Pick<LeadPort, 'find'> & Pick<PersonIndex, 'ofLateLead' | 'ofSender'>,
): LeadPort['accept'] {
  /** Consent texts that this process has already stored, so that not every lead sends its text to the database. */
  const storedWords = new Set<string>();

  /** @throws StoreUnavailable when the earlier lead was deleted `maxWrites` times just after it was found */
  return async (entry) => {
    // Without deliveries, there is nothing to hold.
    const {phone, email} = entry.lead;
    const sender = entry.deliveries?.length ? await ofSender({phone: phone.e164, email}) : null;
    const digests = ofLateLead(entry);
    const rows = toNewRows(entry, {storedWords, digests, sender});
    let written = await write(rows);
    for (let writes = 1; written.outcome === 'replayed'; writes += 1) {
      const stored = await find(written.lead);
      if (stored)
        return isSameLead(entry.lead, stored.lead) ? {outcome: 'replayed', stored} : {outcome: 'key-reused'};
      if (writes === maxWrites)
        throw new StoreUnavailable('the lead that was stored with this idempotency key cannot be found');
      written = await write(rows);
    }
    if (written.outcome !== 'created') return {outcome: written.outcome};
    for (const words of entry.consentText?.words ?? []) storedWords.add(words);
    const {duplicateOf, mailboxStoppedAt} = written;
    const {deliveries = []} = entry;
    const isSuppressed = written.isSuppressed === true || sender === undefined;
    const isMailbox = written.isMailbox === true || sender === undefined;
    const made = duplicateOf === null ? deliveries : deliveriesOfDuplicate(deliveries);
    const leased = made.filter(
      (one) => one.leaseEnd !== undefined && !(isSuppressed && isHeldWith(one, isMailbox)),
    );
    const stored = {...recordOf(entry, duplicateOf), ...(mailboxStoppedAt && {mailboxStoppedAt})};
    return {outcome: 'created', stored, leased, isSuppressed};
  };
}
