/** Reads from the store what `viewOf` (leads/lead-view.ts) needs. */
import {z} from 'zod';
import type {Policy} from '../../calculator/policy.ts';
import {referenceOf} from '../../contract/reference.ts';
import type {FullLead, LeadReader, UnreadableLead} from '../leads/lead-filter.ts';
import {viewOf, type KnownLead, type LeadView} from '../leads/lead-view.ts';
import {mayCallSchema, type MayCall, type Stop} from '../leads/may-call.ts';
import {newestOf} from '../leads/outcomes.ts';
import type {ReadStore} from '../leads/ports.ts';
import {idsOf, isoTime, time, type With} from './admin.ts';
import {detailsOf} from './lead-details.ts';
import {stopsOf} from './stops.ts';

/** Turns a lead whose row is damaged into an unreadable one. */
export function opened<Lead extends KnownLead>(lead: Lead): Lead | UnreadableLead {
  const details = 'lead' in lead ? detailsOf(lead) : lead;
  if (!('unreadable' in details)) return lead;
  return {...details, ...('createdAt' in lead && {createdAt: lead.createdAt, partner: lead.partner})};
}

const hashOf = (lead: KnownLead) =>
  'answer' in lead && lead.answer.status === 'done' ? lead.answer.policyHash : undefined;

/** @returns a lookup of the policy by which a lead was calculated. For leads from before 2.0 or of an upstream, the present policy */
export async function policiesOf(
  {store, config}: With<LeadReader, 'config'>,
  leads: readonly FullLead[],
): Promise<(lead: KnownLead) => Policy> {
  const hashes = [...new Set(leads.flatMap((lead) => hashOf(lead) ?? []))];
  const archive = hashes.length > 0 ? await store.consentWords(hashes) : new Map<string, string>();
  return (lead) => {
    const archived = archive.get(hashOf(lead) ?? '');
    return archived === undefined ? config.policy : (JSON.parse(archived) as Policy);
  };
}

/** The present views of the leads, in the order of the leads. */
export async function viewsOf(
  {store, config}: With<ReadStore, 'config'>,
  leads: readonly KnownLead[],
): Promise<LeadView[]> {
  const ids = idsOf(leads);
  const open = Map.groupBy(await store.openDeliveriesOf(ids), ({lead}) => lead);
  const corrections = await store.corrections(ids);
  const said = await store.outcomesOf(ids);
  const known = leads.map(opened);
  const readable = known.filter((lead): lead is FullLead => 'lead' in lead);
  const stops = await stopsOf({store}, readable);
  // For unreadable leads, the stop is read from the unencrypted columns.
  const damaged = idsOf(known.filter((lead) => 'unreadable' in lead));
  const records = damaged.length > 0 ? await store.findRecords(damaged) : new Map<string, never>();
  const stopOf = (lead: KnownLead): Stop | undefined => {
    const revoked = records.get(lead.id)?.revoked;
    if (revoked) return {why: 'stopped', at: revoked.at};
    const stop = stops.get(lead.id);
    // A lead that is held because of its number counts as stopped, even if the time of the stop is no longer known.
    return stop?.why === 'unknown' && 'isSuppressed' in lead && lead.isSuppressed
      ? {...stop, why: 'stopped'}
      : stop;
  };
  const policyOf = await policiesOf({store, config}, readable);
  const now = Date.now();
  return known.map((lead) => {
    const {id} = lead;
    const outcome = newestOf(said.get(id) ?? []);
    const besides = {correctedBy: corrections.get(id), open: open.get(id) ?? [], outcome};
    const {display_rounding_increment: rounding} = policyOf(lead);
    return viewOf(lead, {...besides, stop: stopOf(lead)}, {rounding, now});
  });
}

/** @throws Error without a lead */
export async function viewOne(admin: With<ReadStore, 'config'>, lead: KnownLead): Promise<LeadView> {
  const [view] = await viewsOf(admin, [lead]);
  if (!view) throw new Error('A lead has no view');
  return view;
}

/** `MayCall` for programs. `text`: the answer and the reason, for people. */
export const callRow = mayCallSchema
  .pick({answer: true, reason: true, there: true, hours: true, text: true})
  .extend({
    at: time.nullable(),
    until: time.nullable(),
    presumed: z.boolean(),
    corrected_by: z.string().nullable(),
  });

export const toCallRow = (call: MayCall): z.infer<typeof callRow> =>
  callRow.parse({
    ...call,
    at: isoTime(call.at),
    until: isoTime(call.until),
    presumed: call.isPresumed,
    corrected_by: call.correctedBy === null ? null : referenceOf(call.correctedBy),
  });
