/** Sample deliveries of news, as the courier hands them to webhooks and e-mails. */
import type {DeliveryRequest} from '../../server/destinations/destination.ts';
import type {DeliveryContent} from '../../server/leads/deliveries.ts';
import type {LeadRecord} from '../../server/leads/stored-lead.ts';
import {asLead, doneAnswer, prequalificationBody} from './sample-leads.ts';

/** Its reference is K7QM-2XHD. */
export const sampleId = '01934b2c-0000-7000-8000-0099ef41762d';
/** Friday. */
export const sampleTime = Date.UTC(2026, 10, 20, 17, 45, 12);

export const sampleRecord = (changes: Partial<LeadRecord> = {}): LeadRecord => ({
  id: sampleId,
  createdAt: sampleTime,
  lead: asLead(prequalificationBody),
  partner: 'acme',
  answer: doneAnswer,
  isAnsweredLater: false,
  consent: null,
  attribution: null,
  context: null,
  suspect: null,
  supersedes: null,
  duplicateOf: null,
  ...changes,
});

export function newsRequest(
  changes: Partial<LeadRecord> = {},
  content: DeliveryContent = 'created',
  happenedAt = sampleTime,
): DeliveryRequest {
  return {
    lead: sampleRecord(changes),
    content,
    happenedAt,
    remoteId: null,
    attempts: 0,
    recipients: null,
    decide: () => Promise.reject(new Error('News needs no decision')),
    onTaken: () => Promise.reject(new Error('News has no id at its destination')),
  };
}
