/** What a page can do with one lead: the rows of the table that have a button there, planned first. */
import {referenceOf} from '../../../contract/reference.ts';
import type {ReadStore} from '../../leads/ports.ts';
import {isErased} from '../../store/rows.ts';
import {Refusal, type Admin, type With} from '../admin.ts';
import {storedOf} from '../deliveries.ts';
import {leadOf} from '../lead-names.ts';
import {opened} from '../lead-view.ts';
import {isAskedToStop} from '../stops.ts';
import {inputOf, planned, verbOf, type Planned} from './operation.ts';
import {ofLead, type OfLead} from './table.ts';

/** A lead, as its buttons see it. `readable`: if it can be read. @param destination the only one that is concerned */
async function readChangeable({store}: With<ReadStore>, lead: string, destination?: string) {
  const record = (await store.findRecords([lead])).get(lead);
  if (!record) throw new Refusal(`There is no lead ${lead}.`, 'unknown');
  const open = (await storedOf({store}, lead, [undefined])).filter(
    (each) => destination === undefined || each.destination === destination,
  );
  const known = opened(record);
  const readable = 'lead' in known ? known : undefined;
  const isAsked = readable !== undefined && (await isAskedToStop({store}, readable));
  return {open, readable, state: {...record, isAsked, erasedAt: isErased(record) ? record.erasedAt : null}};
}

/** What can be done with a lead now. */
export async function possibleChanges(admin: With<ReadStore>, lead: string): Promise<OfLead[]> {
  const {open, state} = await readChangeable(admin, lead);
  return ofLead.filter(({onLead}) => onLead.isPossible(open, state));
}

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
  const {destination} = carried;
  const lead = await leadOf(admin, named);
  await admin.noteAccess({lead, plan: 'shown', destination});
  const {open, readable, state} = await readChangeable(admin, lead, destination);
  if (!row.onLead.isPossible(open, state)) throw new Refusal(row.onLead.cannot);
  const person = readable ? `${readable.lead.first_name} ${readable.lead.last_name}` : null;
  const plan = await planned(row, admin, inputOf(row, row.onLead.input(lead, carried), false));
  return {...plan, lead, reference: referenceOf(lead), person};
}
