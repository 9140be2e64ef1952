/** Everything that is stored about a lead, with the field names of events, and with the `cid`, which events lack. */
import {z} from 'zod';
import {toEventData} from '../destinations/webhook/event.ts';
import {leadEventSchema} from '../leads/lead-event.ts';
import type {FullLead, UnreadableLead} from '../leads/lead-filter.ts';
import {revocationScopes} from '../leads/stored-lead.ts';

/** `revoked_at`, `revoked_for`: missing unless the consent was revoked. */
export const leadDetails = leadEventSchema.shape.data.extend({
  cid: z.string(),
  revoked_at: z.string().exactOptional(),
  revoked_for: z.enum(revocationScopes).exactOptional(),
});
export type LeadDetails = z.infer<typeof leadDetails>;

export function detailsOf(lead: FullLead | UnreadableLead): LeadDetails | UnreadableLead {
  if ('unreadable' in lead) return lead;
  const {id} = lead;
  try {
    const {revoked} = lead;
    const data = {
      ...toEventData(lead, lead.answer),
      cid: lead.lead.cid,
      ...(revoked && {revoked_at: new Date(revoked.at).toISOString(), revoked_for: revoked.scope}),
    };
    const damaged = leadDetails.shape.lead
      .safeParse(data.lead)
      .error?.issues.find(({code}) => code === 'invalid_type');
    return damaged ? {id, unreadable: `its field ${damaged.path.join('.')} is missing or damaged`} : data;
  } catch {
    return {id, unreadable: 'it lacks a part that every lead has, or a time in it is no time'};
  }
}
