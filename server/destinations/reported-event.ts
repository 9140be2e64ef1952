/**
 * The event that a delivery reports to a webhook, a chat room or a mailbox. It is the same in every attempt and in every
 * process, so that a receiver can drop repeats by its id.
 */
import {referenceOf} from '../../contract/reference.ts';
import {leadEventChoice, type LeadEventType} from '../../contract/lead-events.ts';
import {
  isForReceivers,
  type Delivered,
  type DeliveryContent,
  type ForReceivers,
} from '../leads/deliveries.ts';
import type {Answer, LeadRecord} from '../leads/stored-lead.ts';

type EventContent = Exclude<DeliveryContent, 'lead' | 'confirmation' | 'held'>;

/** The type of the event that each content is. */
export const eventTypes = {
  created: 'lead.created',
  answered: 'lead.answered',
  refused: 'lead.answered',
  erased: 'lead.erased',
  revoked: 'consent.revoked',
  outcome: 'lead.outcome',
} as const satisfies Record<EventContent, string>;

const isEvent = (content: DeliveryContent): content is EventContent => Object.hasOwn(eventTypes, content);

/**
 * Whether a destination that has chosen these types of events gets the content. Leads and confirmations are not events, so
 * they are always sent.
 * @param events undefined if the destination gets everything for which nobody has to ask
 */
export function isChosen(content: DeliveryContent, events: readonly LeadEventType[] | undefined): boolean {
  if (!isEvent(content)) return true;
  const type = eventTypes[content];
  const choice = leadEventChoice[type];
  return events === undefined || choice === 'always' ? choice !== 'asked' : events.includes(type);
}

export type ReportedEvent = {
  /** Identifies the event: it is the same in every attempt and for every destination. */
  id: string;
  type: (typeof eventTypes)[EventContent];
  /** When it happened, in milliseconds since 1970. */
  at: number;
  reference: string;
  /**
   * The answer of the lead when it happened. Null for a duplicate, whose answer is that of the other lead, and for what only
   * those hear who had the lead.
   */
  answer: Answer | null;
};

/** @throws Error when the delivery takes the lead itself to a destination */
export function reportedEvent(delivered: Delivered & {happenedAt: number}): ReportedEvent {
  const {lead, content, happenedAt} = delivered;
  if (!isEvent(content)) throw new Error('This delivery holds no event');
  // A consent may be revoked for the partner first, and then for all. No two outcomes of a lead have the same time.
  const which =
    content === 'revoked' ? `${lead.revoked.scope}_` : content === 'outcome' ? `${happenedAt}_` : '';
  return {
    id: `evt_${content}_${which}${lead.id}`,
    type: eventTypes[content],
    at: happenedAt,
    reference: referenceOf(lead.id),
    answer: isForReceivers(delivered) ? null : answerOf(delivered.lead, delivered.content),
  };
}

function answerOf(lead: LeadRecord, content: Exclude<DeliveryContent, ForReceivers>): Answer | null {
  if (lead.duplicateOf !== null) return null;
  if (content === 'refused') return {status: 'refused'};
  if (content !== 'answered' && lead.isAnsweredLater) return {status: 'pending'};
  return lead.answer;
}
