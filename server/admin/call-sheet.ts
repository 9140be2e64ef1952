/** One lead for the person who calls: whom to call, whether, when and about how much, and what has happened so far. */
import type {AuditStore} from '../leads/audit.ts';
import {readableText} from '../leads/consent-record.ts';
import type {FullLead, LeadReader} from '../leads/lead-filter.ts';
import type {LeadView} from '../leads/lead-view.ts';
import type {OutcomeEntry} from '../leads/outcomes.ts';
import type {ReadStore} from '../leads/ports.ts';
import {isErased} from '../store/rows.ts';
import {Refusal, type With} from './admin.ts';
import {possibleChanges} from './operations/changes.ts';
import {verbOf} from './operations/operation.ts';
import {storedOf} from './deliveries.ts';
import {showErased, type ShownErased} from './erasing.ts';
import {leadOf} from './lead-names.ts';
import {viewOne} from './lead-view.ts';
import {routesOf, type RouteRow} from './routing.ts';
import {afterwardsOfOne} from './stops.ts';
import {timelineOf, type TimelineEvent} from './timeline.ts';
import {visible} from './visible.ts';
import {whyOf, type Why} from './why.ts';

/**
 * - `erased`: what is left of an erased lead. Null for operators who may not see personal data
 * - `words`: the text that somebody agreed to, as the server gave it to the form; null if it was not kept. `said`: what the
 *   browser reports about it
 * - `why`: why the lead has these amounts. Null if that is not known
 * - `routes`: which routing rules chose its destinations
 * - `outcomes`: what came of calls, the oldest first
 * - `changes`: the commands that are possible now, by their last words. Empty for operators who may not use them
 */
export type CallSheet = {
  view: LeadView;
  erased: ShownErased | null;
  words: string | null;
  said: string[];
  why: Why | null;
  routes: RouteRow[];
  timeline: TimelineEvent[];
  outcomes: readonly OutcomeEntry[];
  changes: string[];
};

/** @param named the id or the reference. @throws Refusal if there is no such lead */
export async function readCallSheet(
  admin: With<ReadStore & AuditStore, 'config' | 'noteAccess'>,
  named: string,
  {seesPersons}: {seesPersons: boolean},
): Promise<CallSheet> {
  const {store, noteAccess} = admin;
  const id = await leadOf(admin, named);
  const [outline] = await store.listOutlines({id}, {limit: 1});
  if (!outline) throw new Refusal(`There is no lead ${named}.`, 'unknown');
  if (seesPersons) await noteAccess({lead: id});
  const open = await storedOf(admin, id, [undefined]);
  const {lead, ...others} = (seesPersons && (await store.readLead(id))) || {};
  const view = await viewOne(admin, lead ?? outline);
  const full = view.record ?? undefined;
  const known = full ?? (lead && isErased(lead) ? lead : undefined);
  const became = known && (await afterwardsOfOne(admin, known));
  const revoked = lead && 'revoked' in lead ? lead.revoked : undefined;
  const outcomes = (await store.outcomesOf([id])).get(id) ?? [];
  const facts = {
    outcomes,
    outline,
    open,
    full,
    amounts: view.amounts,
    ...others,
    revoked,
    stops: became?.stops,
  };
  return {
    view,
    erased: lead && isErased(lead) ? await showErased(admin, lead) : null,
    ...(await agreedTo(admin, full)),
    why: full ? await whyOf(admin, full) : null,
    routes: full?.routing ? (await routesOf(admin, full)).rows : [],
    outcomes: seesPersons ? outcomes : [],
    timeline: await timelineOf(admin, facts, seesPersons),
    changes: seesPersons ? (await possibleChanges(admin, id)).map(verbOf) : [],
  };
}

async function agreedTo(
  {store}: With<LeadReader>,
  lead: FullLead | undefined,
): Promise<Pick<CallSheet, 'words' | 'said'>> {
  if (!lead?.consent) return {words: null, said: []};
  const {textHash, textLanguage: language, script, form, words} = lead.consent;
  const archived = words ?? (await store.consentWords([textHash])).get(textHash) ?? null;
  const {text, said} = readableText({words: archived, language}, {script, ...form});
  return {words: text === null ? null : visible(text), said};
}
