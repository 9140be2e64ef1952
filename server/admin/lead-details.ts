/** Everything that is stored about a lead, in the words of events, which do not have the `cid`. */
import {toEventData} from '../destinations/webhook/event.ts';
import {leadEventSchema} from '../leads/lead-event.ts';
import type {FullLead, UnreadableLead} from '../leads/lead-filter.ts';

export type LeadDetails = ReturnType<typeof toEventData> & {cid: string};

const leadShape = leadEventSchema.shape.data.shape.lead;

export function detailsOf(lead: FullLead | UnreadableLead): LeadDetails | UnreadableLead {
  if ('unreadable' in lead) return lead;
  const {id} = lead;
  try {
    const data = {...toEventData(lead, lead.answer), cid: lead.lead.cid};
    const damaged = leadShape.safeParse(data.lead).error?.issues.find(({code}) => code === 'invalid_type');
    return damaged ? {id, unreadable: `its field ${damaged.path.join('.')} is missing or damaged`} : data;
  } catch {
    return {id, unreadable: 'it lacks a part that every lead has, or a time in it is no time'};
  }
}
