/**
 * The interface of a destination: it delivers one lead or an event of one, or fails with a `DeliveryError`. Everything else
 * (retries, circuit breaker, outbox) is the same for all kinds of destinations. kinds.ts lists the kinds.
 */
import {
  isForReceivers,
  type ConfirmationLimits,
  type Delivered,
  type DueDelivery,
  type ForReceivers,
  type Recipients,
  type Settlement,
} from '../leads/deliveries.ts';
import type {SignConsent} from '../leads/evidence.ts';
import type {OutboxPort} from '../leads/ports.ts';
import type {RevokeLink} from '../leads/revocation.ts';
import type {LeadRecord} from '../leads/stored-lead.ts';

export type Destination = {
  /**
   * @throws DeliveryError when the attempt failed, so that it must be retried or an operator must decide, and NotTried
   *   when the host could not be looked up because of other hosts
   */
  deliver(request: DeliveryRequest): Promise<Settlement>;
  /**
   * Checks whether the destination works: with a sample that is marked as a test, or with a request that changes nothing.
   * The `note` of the result says what came back.
   * @throws DeliveryError as `deliver` does
   */
  test(): Promise<Settlement>;
  /** Aborts the deliveries in progress. */
  close(): Promise<void>;
};

/** What makes that which is told beside a lead: the statement about its consent, and the link that revokes it. */
export type Added = {sign: SignConsent; revokeLink: RevokeLink};

/**
 * What a destination is given to deliver. `lead`, `content` and `happenedAt` are the same in every attempt, and so is
 * what is sent: `reported-event.ts` says which answer a delivery reports.
 */
export type DeliveryRequest = Delivered &
  Pick<DueDelivery, 'happenedAt' | 'remoteId' | 'attempts' | 'recipients'> & {
    /** Stores the id that the destination gave to the lead, so that no later attempt sends the lead again. */
    onTaken: (remoteId: string) => Promise<void>;
    /** When the attempt begins, in milliseconds since 1970. */
    now: number;
    /**
     * The lead that this one corrects. Undefined if it corrects none, or that one was erased or cannot be read.
     * @throws NotTried when the store cannot say
     */
    corrected: () => Promise<LeadRecord | undefined>;
    /**
     * Decides whether a confirmation may be sent.
     * @throws NotTried when the store cannot say
     */
    decide: (
      addresses: readonly string[],
      limits: ConfirmationLimits,
    ) => ReturnType<OutboxPort['decideConfirmation']>;
  };

/** A request with the lead itself. */
export type RecordRequest = Exclude<DeliveryRequest, {content: ForReceivers}>;

/**
 * For destinations that are told of no erasure and no revocation, because the store makes no such delivery for them.
 * @throws Error when the request names a lead, and has nothing of it
 */
export function withRecord(request: DeliveryRequest): RecordRequest {
  if (isForReceivers(request))
    throw new Error(`This destination is not told that a lead was ${request.content}`);
  return request;
}

/**
 * - `failed`: the destination does not have the lead, or it has the lead but its answer could not be fetched
 * - `misconfigured`: the configured credentials or address are wrong, so that every lead will fail
 * - `ambiguous`: the lead was sent, and it is unknown whether the destination has it
 */
export type DeliveryFault = 'failed' | 'misconfigured' | 'ambiguous';

type ErrorDetails = {
  /** Milliseconds that the destination asked to wait, for example with Retry-After. */
  retryAfter?: number;
  /** True if the failure concerns only this lead, and says nothing about other leads. */
  aboutLead?: boolean;
  /**
   * True if a reply came but does not say clearly what became of the lead. Most likely the destination has the lead.
   */
  unreadable?: boolean;
  /** The first characters of the reply, for operators alone. The message and the log must not hold them. */
  excerpt?: string | undefined;
  /** True if the destination asked never to be called again, so that it is paused until an operator resumes it. */
  isGone?: boolean;
  /** True if the destination says that it will never take this, as with 410 or 550. */
  isForGood?: boolean;
  /** If some recipients of an e-mail have it: which do not have it yet. Only those are tried again. */
  recipients?: Recipients;
};

/** The message must hold nothing of a reply, because a reply may repeat what the visitor typed. */
export class DeliveryError extends Error {
  readonly fault: DeliveryFault;
  readonly retryAfter: number;
  readonly aboutLead: boolean;
  readonly unreadable: boolean;
  readonly excerpt: string | null;
  readonly isGone: boolean;
  readonly isForGood: boolean;
  readonly recipients: Recipients | null;

  constructor(fault: DeliveryFault, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'DeliveryError';
    this.fault = fault;
    this.retryAfter = details.retryAfter ?? 0;
    this.aboutLead = details.aboutLead ?? false;
    this.unreadable = details.unreadable ?? false;
    this.excerpt = details.excerpt ?? null;
    this.isGone = details.isGone ?? false;
    this.isForGood = details.isForGood ?? this.isGone;
    this.recipients = details.recipients ?? null;
  }
}

/** A name for a network error, for messages. For a timeout, `code` is a number, so its `name` is used. */
export function codeOf(error: unknown): string {
  const {code, name} = error as {code?: unknown; name?: string};
  return typeof code === 'string' ? code : (name ?? 'unknown');
}
