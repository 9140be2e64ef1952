/** Lists, shows and counts leads. */
import {z} from 'zod';
import {totalAmount} from '../../contract/amounts.ts';
import {leadStatuses} from '../../contract/embed.ts';
import {referenceOf} from '../../contract/reference.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {Config} from '../config/config.ts';
import {shownAmountsOf} from '../leads/calculated-answer.ts';
import {expectsConsent} from '../leads/caller-consent.ts';
import {
  leadGroups,
  type LeadCount,
  type LeadFilter,
  type LeadGroup,
  type ListedLead,
  type LeadReader,
} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {LeadView} from '../leads/lead-view.ts';
import {newestOf, outcomes, type NewestOutcome, type OutcomeReader} from '../leads/outcomes.ts';
import {isErased} from '../store/rows.ts';
import {count, idsOf, isoTime, pagesOf, Refusal, time, type With, type Reading} from './admin.ts';
import {outcomeRow, toOutcomeRows} from './outcomes.ts';
import {noteListAccess} from './audit.ts';
import {showErased, type ShownErased} from './erasing.ts';
import {detailsOf, leadDetails} from './lead-details.ts';
import {leadOf, unreadableText} from './lead-names.ts';
import {callRow, opened, toCallRow, viewOne} from './lead-view.ts';
import {afterwards, afterwardsOfOne} from './stops.ts';
import {whyOf, type Why} from './why.ts';
import {localDay, midnight} from './words.ts';

/**
 * A lead in a list: nothing personal but the total. An erased lead has only ids and times, and an unreadable one its id and the
 * reason. `consent`: who sent the consent; `missing` if there is none, although the partner has a text for it.
 */
const known = {id: z.string(), reference: z.string(), created_at: time.nullable()};
export const leadRow = z.union([
  z.object({...known, unreadable: z.string()}),
  z.object({
    ...known,
    partner: z.string().nullable(),
    duplicate_of: z.string().nullable(),
    erased_at: time.nullable(),
  }),
  z.object({
    ...known,
    partner: z.string().nullable(),
    lead_type: z.string(),
    status: z.enum(leadStatuses),
    total: count.nullable(),
    campaign: z.string().nullable(),
    outcome: z.enum(outcomes).nullable(),
    duplicate_of: z.string().nullable(),
    consent: z.enum(['form', 'caller', 'missing']).nullable(),
  }),
]);
export type LeadRow = z.infer<typeof leadRow>;

/** @param rounding the policy's increment, for totals that people read. Without it, totals are exact, for programs */
export async function toLeadRows(
  {store, config}: With<OutcomeReader, 'config'>,
  leads: readonly ListedLead[],
  rounding?: number,
): Promise<LeadRow[]> {
  const said = await store.outcomesOf(idsOf(leads));
  return leads.map((lead) => toLeadRow(lead, newestOf(said.get(lead.id) ?? []), config, rounding));
}

function toLeadRow(
  read: ListedLead,
  newest: NewestOutcome | undefined,
  {partners}: Config,
  rounding?: number,
): LeadRow {
  const lead = opened(read);
  const {id} = lead;
  const reference = referenceOf(id);
  if ('unreadable' in lead)
    return {id, reference, created_at: isoTime(createdAtOf(id)), unreadable: lead.unreadable};
  const {createdAt, partner, duplicateOf: duplicate_of} = lead;
  const row = {id, reference, created_at: isoTime(createdAt), partner};
  if (isErased(lead)) return {...row, duplicate_of, erased_at: isoTime(lead.erasedAt)};
  const {answer, attribution, consent} = lead;
  const missing = expectsConsent(partners, lead) ? 'missing' : null;
  const exact = answer.status === 'done' ? answer.amounts : null;
  const amounts = rounding === undefined ? exact : shownAmountsOf(answer, rounding);
  return {
    ...row,
    lead_type: lead.lead.lead_type,
    status: answer.status,
    total: amounts?.[totalAmount] ?? null,
    campaign: attribution?.utm_campaign ?? null,
    outcome: newest?.outcome ?? null,
    duplicate_of,
    consent: consent ? (consent.source ?? 'form') : missing,
  };
}

/** The newest first, page by page. @param rounding as for `toLeadRows` */
export async function* listLeads(
  admin: With<LeadReader & OutcomeReader, 'config' | 'noteAccess'>,
  filter: LeadFilter,
  limit: number,
  rounding?: number,
): AsyncGenerator<LeadRow[], void, undefined> {
  const {store} = admin;
  await noteListAccess(admin, filter, limit);
  for await (const leads of pagesOf((page) => store.listLeads(filter, page), {limit}))
    if (leads.length > 0) yield await toLeadRows(admin, leads, rounding);
}

/** `duplicates`: ids of leads that were merged into this one. `superseded_by`: ids of its corrections */
export const shownLead = leadDetails.extend({
  ...afterwards.shape,
  may_call: callRow,
  outcomes: z.array(outcomeRow),
  duplicates: z.array(z.string()),
  superseded_by: z.array(z.string()),
});
export type ShownLead = z.infer<typeof shownLead>;

/**
 * For programs, everything that is stored about a lead, or what is left of an erased one; for people, its view.
 * @throws Refusal if the lead does not exist or cannot be read
 */
export async function showLead(
  admin: Reading,
  named: string,
): Promise<{view: LeadView} & ({lead: ShownLead; why: Why | null} | {erased: ShownErased})> {
  const id = await leadOf(admin, named);
  const found = await admin.store.readLead(id);
  if (!found) throw new Refusal(`There is no lead ${id}.`, 'unknown');
  await admin.noteAccess({lead: id});
  const view = await viewOne(admin, found.lead);
  if (isErased(found.lead)) return {view, erased: await showErased(admin, found.lead)};
  const details = detailsOf(found.lead);
  if (!('lead' in found.lead) || 'unreadable' in details || !view.call)
    throw new Refusal(unreadableText({id, unreadable: String(view.unreadable)}));
  const became = await afterwardsOfOne(admin, found.lead);
  const references = {duplicates: found.duplicates, superseded_by: found.supersededBy};
  const may_call = toCallRow(view.call);
  const outcomes = toOutcomeRows((await admin.store.outcomesOf([id])).get(id) ?? []);
  return {
    view,
    lead: {...details, ...became, may_call, outcomes, ...references},
    why: await whyOf(admin, found.lead),
  };
}

/** One key for each group, in the order of the groups. `day` has the form 2026-11-22, in this machine's time zone. */
export const leadCountRow = z.object({
  ...tableOf(leadGroups, () => z.string().nullable().exactOptional()),
  leads: count,
});
export type LeadCountRow = z.infer<typeof leadCountRow>;

/** Sorted by the groups. Without groups, one row. A count by answers is noted: of one lead, it tells what was answered. */
export async function countLeads(
  admin: With<LeadReader, 'config' | 'noteAccess'>,
  filter: LeadFilter,
  by: readonly LeadGroup[],
): Promise<LeadCountRow[]> {
  const rows = await countRows(admin, filter, by);
  const all = rows.reduce((sum, {leads}) => sum + leads, 0);
  if (filter.answers) await admin.noteAccess(filter, [], all);
  return rows;
}

async function countRows(
  {store, config}: With<LeadReader, 'config'>,
  filter: LeadFilter,
  by: readonly LeadGroup[],
): Promise<LeadCountRow[]> {
  if (by.length === 0) return [{leads: await store.countLeads(filter)}];
  const counts = await store.countLeadsBy(filter, by, midnight);
  const cell: Record<LeadGroup, (row: LeadCount) => string | null> = {
    partner: ({partner}) => partner,
    day: ({day}) => (day === null ? null : localDay(day)),
    state: ({status}) => status,
    campaign: ({campaign}) => campaign,
    outcome: ({outcome}) => outcome,
  };
  const rows: LeadCountRow[] = counts.map((row) => ({
    ...tableOf(by, (group) => cell[group](row)),
    leads: row.leads,
  }));
  if (by.length === 1 && by[0] === 'partner')
    // Partners without leads are listed with 0, because a form that has stopped working shows here.
    for (const {key} of config.partners) {
      const isSelected = filter.partner === undefined || filter.partner === key;
      if (isSelected && !rows.some(({partner}) => partner === key)) rows.push({partner: key, leads: 0});
    }
  const keyOf = (row: LeadCountRow) => by.map((group) => row[group]).join('\0');
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
