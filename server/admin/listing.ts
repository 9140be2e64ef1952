/**
 * Lists of leads for people: page by page, of a person, and what state each lead is in. Nothing of a lead is opened for those who
 * see no persons.
 */
import type {Amounts} from '../../contract/amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {firstScreen} from '../../form/words/en.ts';
import {lookUp} from '../../form/words/look-up.ts';
import type {DeliveryState} from '../leads/deliveries.ts';
import type {OpenDelivery} from '../leads/figures.ts';
import {oneLine} from '../leads/hidden-characters.ts';
import type {LeadFilter, LeadOutline, LeadPage, ListedLead} from '../leads/lead-filter.ts';
import {createdAtOf, firstIdAt} from '../leads/lead-ids.ts';
import {mayCall, type MayCall} from '../leads/may-call.ts';
import type {Person} from '../leads/persons.ts';
import {finish, idsOf, type Admin} from './admin.ts';
import {amountsForPeople, detailsOf, type LeadDetails} from './lead-details.ts';
import {besidesOf, callFactsOf} from './lead-view.ts';
import {leadsOfPerson} from './persons.ts';

/** How a lead is, in a word or three. `held` needs an operator, `no` will not come by itself. */
export type RowState = {kind: 'ok' | 'wait' | 'held' | 'no' | 'gone'; words: string};

/**
 * Times are milliseconds since 1970.
 * - `campaign`: such as `google, cpc, spring`
 * - `unreadable`: why the lead cannot be opened
 * - `person`: null if it is not known, or may not be seen. The amounts are those that the visitor saw
 * - `call`: whether it may be called now; null for those who see no persons
 */
export type ListedRow = {
  id: string;
  reference: string;
  createdAt: number;
  partner: string | null;
  campaign: string | null;
  state: RowState;
  erasedAt: number | null;
  unreadable: string | null;
  call: MayCall | null;
  person: {
    name: string;
    phone: string;
    amounts: Amounts | null;
    credit: string | null;
    pending: boolean;
  } | null;
};

/**
 * - `after`: for the next page. Undefined at the end
 * - `lookedTo`: it stopped looking at this time, because it took too long, so there may be fewer rows than the limit
 */
export type Listed = {rows: ListedRow[]; after: string | undefined; lookedTo: number | undefined};

type Row = ListedLead | LeadOutline;
const isOutline = (row: Row): row is LeadOutline => 'revokedAt' in row;

/** Leads of the index of one read, where a filter can miss. */
const sliceLeads = 20_000;
/** Milliseconds after which a search for a person stops. */
const searchTime = 1_500;

/** The newest first. @param how `milliseconds`: how long to look for leads that a filter misses */
export async function listPage(
  admin: Admin,
  filter: LeadFilter,
  how: {limit: number; after?: string | undefined; seesPersons: boolean; milliseconds?: number},
): Promise<Listed> {
  const {store, look} = admin;
  const {page, ...ends} = await readSlices(admin, filter, how, (part, of) =>
    how.seesPersons ? store.listLeads(part, of) : store.listOutlines(part, of),
  );
  if (how.seesPersons) await look(filter, idsOf(page));
  return {rows: await rowsOf(admin, page), ...ends};
}

/** A filter of these finds its leads by no index, so that it may read all of them for a few. */
const canMiss = ({partner, status, campaign, context}: LeadFilter) =>
  [partner, status, campaign, context].some((value) => value !== undefined);

async function readSlices(
  {store}: Admin,
  filter: LeadFilter,
  {limit, after, milliseconds = 50}: {limit: number; after?: string | undefined; milliseconds?: number},
  read: (filter: LeadFilter, page: LeadPage) => Promise<readonly Row[]>,
): Promise<{page: Row[]} & Pick<Listed, 'after' | 'lookedTo'>> {
  const begun = performance.now();
  const page: Row[] = [];
  const ended = (lookedTo?: number) => ({
    page: page.slice(0, limit),
    // One more than the page was read, to know whether there is a next one.
    after:
      page.length > limit ? page[limit - 1]?.id : lookedTo === undefined ? undefined : firstIdAt(lookedTo),
    lookedTo: page.length > limit ? undefined : lookedTo,
  });
  if (!canMiss(filter)) {
    page.push(...(await read(filter, {limit: limit + 1, after})));
    return ended();
  }
  const first = filter.until === undefined ? undefined : firstIdAt(filter.until);
  for (let before = after ?? first; ;) {
    const end = await store.sliceEnd(before, sliceLeads);
    const since = Math.max(filter.since ?? 0, end ?? 0);
    const of = {limit: limit + 1 - page.length, after: before};
    page.push(...(await read({...filter, since}, of)));
    if (page.length > limit || end === undefined || end <= (filter.since ?? 0)) return ended();
    if (performance.now() - begun >= milliseconds) return ended(end);
    before = firstIdAt(end);
  }
}

/**
 * Leads of a person, the newest first, and those that may be of the person: with another spelling of the address, or unreadable.
 * @returns `more`: leads that were not looked at, because that takes long
 */
export async function personPage(
  admin: Admin,
  filter: LeadFilter,
  person: Person,
  {limit}: {limit: number},
): Promise<{rows: ListedRow[]; more: number}> {
  const searching = {...admin, signal: AbortSignal.timeout(searchTime)};
  const job = leadsOfPerson(searching, filter, person, limit);
  const {found, kept, unreadable, sameMailbox, total, looked} = await finish(job);
  const maybe = [...(await admin.store.findRecords([...sameMailbox, ...unreadable])).values()];
  const leads = [...found, ...kept, ...maybe].slice(0, limit);
  return {rows: await rowsOf(admin, leads), more: found.length < limit ? Math.max(0, total - looked) : 0};
}

async function rowsOf({store, config}: Admin, leads: readonly Row[]): Promise<ListedRow[]> {
  const besides = await besidesOf({store}, idsOf(leads));
  const {open, corrections} = besides;
  const opened = leads.filter((lead): lead is ListedLead => !isOutline(lead));
  const facts = await callFactsOf({store}, opened, besides);
  const now = Date.now();
  return leads.map((lead) => {
    const known = facts.get(lead.id);
    const so = {isStopped: known?.stop?.why === 'stopped', isCorrected: corrections.has(lead.id)};
    const state = (one: Row) => stateOf(one, open.get(lead.id) ?? [], so);
    return {...toRow(lead, state, config), call: known ? mayCall(known, now) : null};
  });
}

function toRow(lead: Row, state: (lead: Row) => RowState, config: Admin['config']): Omit<ListedRow, 'call'> {
  const details = 'lead' in lead ? detailsOf(lead) : undefined;
  const damaged = 'unreadable' in lead ? lead : details && 'unreadable' in details ? details : undefined;
  const known = 'unreadable' in lead ? {createdAt: createdAtOf(lead.id), partner: null} : lead;
  return {
    ...{id: lead.id, reference: referenceOf(lead.id), createdAt: known.createdAt, partner: known.partner},
    campaign: campaignOf(lead),
    state: state(damaged ?? lead),
    erasedAt: 'erasedAt' in lead ? lead.erasedAt : null,
    unreadable: damaged?.unreadable ?? null,
    person: details && !('unreadable' in details) ? personOf(details, config) : null,
  };
}

function campaignOf(lead: Row): string | null {
  if ('campaign' in lead) return lead.campaign === null ? null : oneLine(lead.campaign, 60);
  const {utm_source, utm_medium, utm_campaign} = ('lead' in lead && lead.attribution) || {};
  const parts = [utm_source, utm_medium, utm_campaign].filter((part) => part !== undefined);
  return parts.length === 0 ? null : oneLine(parts.join(', '), 60);
}

function personOf(details: LeadDetails, config: Admin['config']): ListedRow['person'] {
  const {first_name, last_name, phone, credit_score, lead_type} = details.lead;
  return {
    name: oneLine(`${first_name} ${last_name}`, 80),
    phone: oneLine(phone, 40),
    amounts: amountsForPeople(details, config) ?? null,
    credit: lookUp(firstScreen.options.credit_score, credit_score) ?? null,
    pending: details.answer?.status === 'pending' && lead_type !== 'standard',
  };
}

/**
 * What needs somebody comes first.
 * @param open the deliveries of the lead that have not ended
 * @param so `isStopped`: somebody with its number said stop, as `callFactsOf` says
 */
export function stateOf(
  lead: Row,
  open: readonly (Pick<OpenDelivery, 'destination' | 'content' | 'reason'> & {state: DeliveryState})[],
  so: {isStopped?: boolean; isCorrected: boolean},
): RowState {
  if ('unreadable' in lead) return {kind: 'no', words: 'cannot be read'};
  if ('erasedAt' in lead && lead.erasedAt !== null) return {kind: 'gone', words: 'erased'};
  if (isOutline(lead) ? lead.revokedAt !== null : lead.revoked) return {kind: 'no', words: 'said stop'};
  const isStopped = so.isStopped || (isOutline(lead) ? lead.suppressedAt !== null : lead.isSuppressed);
  const held = open.find(({state}) => state === 'held');
  if (held) return {kind: 'held', words: `held: ${isStopped ? 'said stop before' : whyHeld(held)}`};
  if (isStopped) return {kind: 'no', words: 'said stop before'};
  const stopped = open.find(({state}) => state === 'refused' || state === 'failed');
  if (stopped)
    return {
      kind: 'no',
      words: `${stopped.destination}: ${stopped.state === 'failed' ? 'given up' : 'refused'}`,
    };
  // A confirmation is for the visitor, and no operator needs to wait for it.
  const waiting = open.filter(({content}) => content !== 'confirmation').map(({destination}) => destination);
  const [destination, ...others] = new Set(waiting);
  if (destination !== undefined)
    return {kind: 'wait', words: others.length > 0 ? `${others.length + 1} wait` : `${destination} waits`};
  if (so.isCorrected) return {kind: 'gone', words: 'corrected'};
  const status = 'answer' in lead ? lead.answer.status : 'status' in lead ? lead.status : 'done';
  if (status === 'refused') return {kind: 'no', words: 'refused'};
  return status === 'pending' ? {kind: 'wait', words: 'pending'} : {kind: 'ok', words: 'done'};
}

function whyHeld({destination, reason}: Pick<OpenDelivery, 'destination' | 'reason'>): string {
  if (reason === 'suspect') return 'bot?';
  if (reason === 'suppressed') return 'said stop before';
  return reason === 'elsewhere' ? `${destination} moved` : `${destination} may have it`;
}
