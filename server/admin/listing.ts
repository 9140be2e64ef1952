/** Lists leads for the pages: page by page, and of one person. For operators who may not see personal data, no lead is decrypted. */
import type {FigureStore} from '../leads/figures.ts';
import type {LeadFilter, LeadPage} from '../leads/lead-filter.ts';
import {firstIdAt} from '../leads/lead-ids.ts';
import type {KnownLead, LeadView} from '../leads/lead-view.ts';
import type {Person} from '../leads/persons.ts';
import {finish, idsOf, type With, type Reading} from './admin.ts';
import {viewsOf} from './lead-view.ts';
import {searchNames} from './name-search.ts';
import {leadsOfPerson} from './persons.ts';

/**
 * - `after`: where the next page begins. Undefined at the end
 * - `lookedTo`: the time at which the search stopped because it took too long, so that there may be fewer rows than the limit
 */
type Listed = {rows: LeadView[]; after: string | undefined; lookedTo: number | undefined};

/** How many leads one query reads if a filter may skip most of them: from the index, or if each must be decrypted. */
const [sliceLeads, sliceDecrypted] = [20_000, 1_000];
/** Milliseconds after which a search for a person stops. */
const searchTime = 1_500;

/** `milliseconds`: how long to search if a filter may skip most leads. */
type Paging = {limit: number; after?: string | undefined; milliseconds?: number};

/** The newest first. */
export async function listPage(admin: Reading, filter: LeadFilter, how: Paging & {seesPersons: boolean}) {
  const {store, noteAccess} = admin;
  const {page, ...ends} = await readSlices(admin, filter, how, (part, slice) =>
    how.seesPersons ? store.listLeads(part, slice) : store.listOutlines(part, slice),
  );
  if (how.seesPersons) await noteAccess(filter, idsOf(page));
  return {rows: await viewsOf(admin, page), ...ends};
}

/** Whether no index serves the filter, so that many leads may be read to find a few. */
const canMiss = ({partner, status, campaign, context, answers, outcome, actor}: LeadFilter) =>
  [partner, status, campaign, context, answers, outcome, actor].some((value) => value !== undefined);

async function readSlices(
  {store}: With<FigureStore>,
  filter: LeadFilter,
  {limit, after, milliseconds = 50}: Paging,
  read: (filter: LeadFilter, page: LeadPage) => Promise<readonly KnownLead[]>,
): Promise<{page: KnownLead[]} & Pick<Listed, 'after' | 'lookedTo'>> {
  const begun = performance.now();
  const page: KnownLead[] = [];
  const ended = (lookedTo?: number) => ({
    page: page.slice(0, limit),
    // One row more than a page was read, to know whether there is a next page.
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
    const sliceEnd = await store.sliceEnd(before, filter.answers ? sliceDecrypted : sliceLeads);
    const since = Math.max(filter.since ?? 0, sliceEnd ?? 0);
    const asked = {limit: limit + 1 - page.length, after: before};
    page.push(...(await read({...filter, since}, asked)));
    if (page.length > limit || sliceEnd === undefined || sliceEnd <= (filter.since ?? 0)) return ended();
    if (performance.now() - begun >= milliseconds) return ended(sliceEnd);
    before = firstIdAt(sliceEnd);
  }
}

/**
 * Leads of a person, the newest first, then those that may be of the person: with another spelling of the address, or unreadable.
 * @returns `more`: how many leads were not searched, because that takes too long
 */
export async function personPage(
  admin: Reading,
  filter: LeadFilter,
  person: Person,
  {limit}: {limit: number},
): Promise<{rows: LeadView[]; more: number}> {
  const searching = {...admin, signal: AbortSignal.timeout(searchTime)};
  const job = leadsOfPerson(searching, filter, person, limit);
  const {found, kept, unreadable, sameMailbox, total, looked} = await finish(job);
  const maybe = [...(await admin.store.findRecords([...sameMailbox, ...unreadable])).values()];
  const leads = [...found, ...kept, ...maybe].slice(0, limit);
  return {rows: await viewsOf(admin, leads), more: found.length < limit ? Math.max(0, total - looked) : 0};
}

/** Leads of people whose names begin with these words, the newest first. @returns `lookedTo`: as in `NamesFound` */
export async function namePage(admin: Reading, filter: LeadFilter, name: string, {limit}: {limit: number}) {
  const {found, ...looked} = await searchNames(admin, filter, name, limit);
  return {rows: await viewsOf(admin, found), ...looked};
}
