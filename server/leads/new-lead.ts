/** A new lead on its way into the store. */
import type {Context} from '../../contract/embed.ts';
import type {Rule} from '../config/routes.ts';
import type {ConfirmationRequest, NewDelivery, OpenRoute} from './deliveries.ts';
import type {IdempotencyKey} from './idempotency.ts';
import type {Circumstances, LeadRecord, RememberedText, Routing, StoredLead} from './stored-lead.ts';

type KnownCircumstances = {[Name in keyof Circumstances]?: NonNullable<Circumstances[Name]> | undefined};

/** A lead as intake makes it: what was sent, and what was decided about it. All of it is stored in one commit. */
export type NewLead = Pick<StoredLead, 'lead' | 'partner'> &
  KnownCircumstances & {
    /** The destination that answers the lead. Without one, the calculator does. */
    answerFrom?: string | undefined;
    /** Further destinations, which only receive the lead. */
    sendTo?: readonly string[] | undefined;
    /** Which of them get the lead by its answers, beside those of `sendTo`. */
    rules?: readonly Rule[] | undefined;
    /** That of the form, or of the consent that a caller brought. */
    language?: string | undefined;
    /** The destination that confirms the lead to its visitor, if there is a `confirmation`. */
    confirmBy?: string | undefined;
    /** If true, the lead is stored, but not delivered until an operator decides. */
    hold?: boolean | undefined;

    /** One for each token key. All are stored, so that a process that has only one of the token keys finds the lead. */
    idempotency?: readonly IdempotencyKey[] | undefined;
    /**
     * Digests of the fields, one for each token key. If the partner sent a lead with one of them within the last day, this
     * lead is a duplicate.
     */
    leadDigests?: readonly string[] | undefined;
    /** The proof of work that came with the lead. Its nonce is stored, so that it cannot be used for another lead. */
    proof?: {nonce: string; expiresAt: number} | undefined;
    /**
     * The text to which the visitor consented. The store remembers the first text of each version, and its words: as
     * configured, and as the form got it.
     */
    consentText?: (RememberedText & {words: readonly string[]}) | undefined;
    /** The hidden fields by which operators find the lead. */
    contextFilters?: Context | undefined;
    /** Given if a confirmation is among the deliveries. */
    confirmation?: ConfirmationRequest | undefined;
  };

/** A new lead that the service has given an id, its first answer, and its deliveries. */
export type LeadEntry = NewLead &
  StoredLead & {
    deliveries?: readonly NewDelivery[] | undefined;
    /** The deliveries that its amounts will decide about. */
    openRoutes?: readonly OpenRoute[] | undefined;
    routing?: Routing | undefined;
  };

/**
 * What `accept` did. All outcomes but `created` store nothing.
 * - `created`: the lead is committed, perhaps as a duplicate
 * - `replayed`: the same lead was stored with this key before; `stored` is that lead as it is now
 * - `key-reused`: another lead was stored with this key before
 * - `key-in-progress`: another process has been using the key for 5 s
 * - `proof-spent`: the proof was used for another lead
 * - `erased`: the lead that was stored with this key was erased
 *
 * `leased` are the deliveries of which this process has the lease, so that it must begin them now. `isSuppressed`: all are
 * held, because somebody with this number revoked a consent.
 */
export type Accepted =
  | {outcome: 'created'; stored: LeadRecord; leased: readonly NewDelivery[]; isSuppressed: boolean}
  | {outcome: 'replayed'; stored: StoredLead}
  | {outcome: 'key-reused' | 'key-in-progress' | 'proof-spent' | 'erased'};
