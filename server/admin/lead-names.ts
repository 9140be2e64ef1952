/** Finds the lead that an operator names by its id, or by the reference that the visitor and the e-mails quote. */
import {endOfId, referenceOf} from '../../contract/reference.ts';
import {plainText} from '../../form/plain-text.ts';
import type {UnreadableLead, LeadReader} from '../leads/lead-filter.ts';
import {isLeadId} from '../leads/lead-ids.ts';
import {idsOf, Refusal, type With} from './admin.ts';

/** The maximum number of leads with the same reference that a message names. */
const maxNamed = 10;

/** The id of the lead. @throws Refusal if no lead or several leads have this name */
export async function leadOf({store}: With<LeadReader>, named: string): Promise<string> {
  if (isLeadId(named.toLowerCase())) return named.toLowerCase();
  // A reference copied from an e-mail or a document may contain another kind of dash.
  const idEnding = endOfId(plainText(named));
  const leads = idEnding === undefined ? [] : await store.listLeads({endOfId: idEnding}, {limit: maxNamed});
  const [lead, another] = leads;
  if (lead && !another) return lead.id;
  if (!lead) {
    const none = idEnding === undefined ? 'Nothing was found for this.' : `There is no lead ${named}.`;
    const how = 'A lead is found by its reference, such as K7QM-2XHD, or by its id.';
    throw new Refusal(`${none} ${how}`, 'unknown');
  }
  const several = `Several leads have the reference ${named}; name one by its id:`;
  throw new Refusal(several, 'conflict', idsOf(leads));
}

/** The lead with this name, as far as it can be read. @throws Refusal as `leadOf`, or if there is no such lead */
export async function recordOf({store}: With<LeadReader>, named: string) {
  const id = await leadOf({store}, named);
  const record = (await store.findRecords([id])).get(id);
  if (record) return record;
  throw new Refusal(`There is no lead ${named}.`, 'unknown');
}

export const unreadableText = ({id, unreadable}: UnreadableLead): string =>
  `Lead ${referenceOf(id)} (${id}) cannot be read: ${unreadable}.`;
