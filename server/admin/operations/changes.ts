/** What a page can do with one lead: the rows of the table that have a button there, planned first. */
import {referenceOf} from '../../../contract/reference.ts';
import {isErased} from '../../store/rows.ts';
import {Refusal, type Admin} from '../admin.ts';
import {storedOf} from '../deliveries.ts';
import {leadOf} from '../lead-names.ts';
import {stopsOf} from '../stops.ts';
import type {LeadState, OpenDelivery} from './deliveries-of-lead.ts';
import {inputOf, planned, verbOf, type Planned} from './operation.ts';
import {ofLead, type OfLead} from './table.ts';

/** What can be done now. @param open the deliveries of the lead that have not ended */
export const possibleChanges = (open: readonly OpenDelivery[], state: LeadState): OfLead[] =>
  ofLead.filter(({onLead}) => onLead.isPossible(open, state));

export const changeNamed = (verb: string | undefined): OfLead | undefined =>
  ofLead.find((row) => verbOf(row) === verb);

/** `person`: the name, if it is known. */
type ChangePlan = Planned & {lead: string; reference: string; person: string | null};

/** @param carried `destination`: the only one that is concerned. @throws Refusal if it cannot be done now */
export async function planChange(
  admin: Admin,
  row: OfLead,
  named: string,
  carried: Readonly<Record<string, string>> = {},
): Promise<ChangePlan> {
  const {store, noteAccess} = admin;
  const {destination} = carried;
  const lead = await leadOf(admin, named);
  await noteAccess({lead, plan: 'shown', destination});
  const record = (await store.findRecords([lead])).get(lead);
  if (!record) throw new Refusal(`There is no lead ${named}.`, 'unknown');
  const open = (await storedOf(admin, lead, [undefined])).filter(
    (each) => destination === undefined || each.destination === destination,
  );
  const readable = 'lead' in record ? record : undefined;
  const stop = readable && (await stopsOf(admin, [readable])).get(lead);
  const isAsked = stop?.why === 'asked';
  const state = {...record, isAsked, erasedAt: isErased(record) ? record.erasedAt : null};
  if (!row.onLead.isPossible(open, state)) throw new Refusal(row.onLead.cannot);
  const person = readable ? `${readable.lead.first_name} ${readable.lead.last_name}` : null;
  const plan = await planned(row, admin, inputOf(row, row.onLead.input(lead, carried), false));
  return {...plan, lead, reference: referenceOf(lead), person};
}
