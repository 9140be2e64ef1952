/** Requests to a destination that gets news of leads, as the courier makes them. */
import {sampleRecord} from '../../server/destinations/sample.ts';
import type {RecordRequest} from '../../server/destinations/destination.ts';
import type {LeadRecord} from '../../server/leads/stored-lead.ts';

/** The news that a lead was stored, in its first attempt. */
export function newsRequest(
  changes: Partial<RecordRequest> = {},
  record: Partial<LeadRecord> = {},
): RecordRequest {
  const lead = {...sampleRecord(), ...record};
  return {
    lead,
    content: 'created',
    happenedAt: lead.createdAt,
    remoteId: null,
    attempts: 0,
    recipients: null,
    decide: () => Promise.reject(new Error('News needs no decision')),
    onTaken: () => Promise.reject(new Error('A webhook gives no id to a lead')),
    ...changes,
  };
}
