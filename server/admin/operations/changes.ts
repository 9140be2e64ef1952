/** What pages can do with leads: the operations with a button on a lead's page. Each is planned before it is done. */
import {hash} from 'node:crypto';
import {referenceOf} from '../../../contract/reference.ts';
import type {ReadStore} from '../../leads/ports.ts';
import {isErased} from '../../store/rows.ts';
import {Refusal, type Admin, type With} from '../admin.ts';
import {storedOf} from '../deliveries.ts';
import {leadOf, recordOf} from '../lead-names.ts';
import {opened} from '../lead-view.ts';
import {isAskedToStop} from '../stops.ts';
import {counted} from '../words.ts';
import {
  changedMeanwhile,
  done,
  inputOf,
  planned,
  saidIn,
  verbOf,
  type Given,
  type Planned,
  type Report,
} from './operation.ts';
import {ofLead, type OfLead} from './table.ts';

/** What decides which buttons a lead has. `readable`: the lead, if it can be read. @param destination limits this to one destination */
async function readChangeable({store}: With<ReadStore>, lead: string, destination?: string) {
  const record = await recordOf({store}, lead);
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

/** `person`: the name of the person, or null if it is not known. */
type ChangePlan = Planned & {lead: string; reference: string; person: string | null};

/** @param carried `destination` limits the change to one destination. @throws Refusal if it is not possible now */
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

/** The changes that are possible for several leads at once. */
export const ofMany = ofLead.filter(({onLead}) => onLead.ofMany);
/** The maximum number of leads that are changed at once. */
export const mostAtOnce = 200;

/**
 * - `digest`: of all plans together
 * - `leads`: `does` is what happens to each. `questions`: what the operator is asked. `left`: for how many leads the change is not possible
 */
type PlanOfMany = {
  plans: readonly (Planned & {input: Given})[];
  digest: string;
  leads: readonly {reference: string; person: string | null; does: string}[];
  questions: readonly string[];
  left: number;
};

/** @throws Refusal if the change is possible for none of the leads */
export async function planMany(admin: Admin, row: OfLead, named: readonly string[]): Promise<PlanOfMany> {
  const people = new Map<string, string | null>();
  for (const lead of named) {
    await admin.noteAccess({lead, plan: 'shown'});
    const {open, readable, state} = await readChangeable(admin, lead);
    const person = readable ? `${readable.lead.first_name} ${readable.lead.last_name}` : null;
    if (row.onLead.isPossible(open, state)) people.set(lead, person);
  }
  if (people.size === 0) throw new Refusal(row.onLead.cannot);
  const plans: (Planned & {input: Given})[] = [];
  for (const given of row.onLead.ofMany?.([...people.keys()]) ?? []) {
    const input = inputOf(row, given, true);
    plans.push({...(await planned(row, admin, input)), input});
  }
  const lines = plans.flatMap(({plan}) => plan.does);
  const leads = [...people].map(([lead, person], index) => {
    const reference = referenceOf(lead);
    // A plan for several leads has a line for each, in its own order, and more lines for their duplicates and corrections.
    const own = lines.find((line) => typeof line === 'object' && line.reference === reference);
    const sentences = plans[index]?.plan.does.filter((line) => typeof line === 'string') ?? [];
    const does = typeof own === 'object' ? own.fields[0]?.join(': ') : sentences.join(' ');
    return {reference, person, does: does ?? ''};
  });
  const digest = hash('sha256', JSON.stringify(plans.map((each) => each.digest)), 'base64url');
  const questions = plans.flatMap(({plan}) => plan.question ?? []);
  return {plans, digest, leads, questions, left: named.length - people.size};
}

/** Changes one lead after the other. @param agreed the digest that the operator saw. @throws Refusal if the plan has changed since */
export async function doMany(
  admin: Admin,
  row: OfLead,
  {plans, digest, leads}: PlanOfMany,
  agreed: string,
  report: Report,
): Promise<{said: string; fails: readonly string[]}> {
  if (agreed !== digest) throw changedMeanwhile();
  const fails: string[] = [];
  for (const {input, ...plan} of plans)
    fails.push(
      ...saidIn(row.said(await done(row, admin, input, plan, plan.digest, report), input, admin)).fails,
    );
  const said = `Done for ${counted(leads.length - fails.length, 'lead')}`;
  if (fails.length === 0) return {said, fails};
  // Each reason once: two hundred sentences would be too long for the address that says them.
  return {said, fails: [`${said}, and not for ${counted(fails.length, 'lead')}:`, ...new Set(fails)]};
}
