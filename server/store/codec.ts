/** The one place where a lead's personal data becomes a column and comes back, so that it can be encrypted. */
import type {Lead} from '../../contract/lead-schema.ts';

export type LeadColumns = {cid: string; lead_type: string; lead: string};

export function encodeLead({cid, lead_type, ...personal}: Lead): LeadColumns {
  return {cid, lead_type, lead: JSON.stringify(personal)};
}

export function decodeLead({cid, lead_type, lead}: LeadColumns): Lead {
  return {cid, lead_type, ...(JSON.parse(lead) as object)} as Lead;
}

/** What is kept beside a lead: the consent, and how the visitor came. */
export const encodeRecord = (record: object): string => JSON.stringify(record);
