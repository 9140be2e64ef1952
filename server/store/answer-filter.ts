/** Selects leads by their answers. Answers are stored encrypted, so all leads that the rest of the filter finds are decrypted. */
import {setImmediate as endOfTurn} from 'node:timers/promises';
import type {FullLead, LeadCount, LeadFilter, LeadReader, ListedLead} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import {addUp, type LeadQueries} from './lead-queries.ts';
import {isErased} from './rows.ts';

/** Leads that are read at once. */
const pageSize = 200;

type ReadPage = LeadReader['listLeads'];

const isFound = (wanted: Readonly<Record<string, string>>, lead: ListedLead): lead is FullLead =>
  'lead' in lead &&
  !isErased(lead) &&
  Object.entries(wanted).every(([name, value]) =>
    lead.lead.answers?.some((each) => each.name === name && each.value === value),
  );

/** The page has as many leads as were asked for, unless there are no more. */
const selecting =
  (read: ReadPage): ReadPage =>
  async ({answers, ...filter}, {limit, after}) => {
    if (!answers) return read(filter, {limit, after});
    const found: FullLead[] = [];
    for (let last = after; ;) {
      const page = await read(filter, {limit: pageSize, after: last});
      found.push(...page.filter((lead) => isFound(answers, lead)));
      if (found.length >= limit || page.length < pageSize) return found.slice(0, limit);
      last = page.at(-1)?.id;
      // SQLite answers without a turn of the event loop, in which signals are handled.
      await endOfTurn();
    }
  };

/** Lets a reader of leads select by answers, too. */
export function withAnswers(reader: LeadQueries): Omit<LeadReader, 'findRecords' | 'unreadableLeads'> {
  const listLeads = selecting(reader.listLeads);
  async function* idsOf(filter: LeadFilter) {
    for (let after: string | undefined; ;) {
      const ids = (await listLeads(filter, {limit: pageSize, after})).map(({id}) => id);
      if (ids.length > 0) yield ids;
      if (ids.length < pageSize) return;
      after = ids.at(-1);
    }
  }
  return {
    ...reader,
    listLeads,
    readLeads: selecting(reader.readLeads),

    async countLeads(filter) {
      if (!filter.answers) return reader.countLeads(filter);
      let count = 0;
      for await (const ids of idsOf(filter)) count += ids.length;
      return count;
    },

    async countLeadsBy(filter, groups, startOfDay) {
      if (!filter.answers) return reader.countLeadsBy(filter, groups, startOfDay);
      const counts: LeadCount[] = [];
      for await (const ids of idsOf(filter)) {
        const [since, until] = [createdAtOf(ids.at(-1) ?? ''), createdAtOf(ids[0] ?? '') + 1];
        counts.push(...(await reader.countLeadsBy({ids, since, until}, groups, startOfDay)));
      }
      return addUp(counts);
    },
  };
}
