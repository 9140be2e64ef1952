/** The queries about the audit, which lists who looked at personal data or changed it, for both databases. */
import {maxIds, type AuditEntry, type AuditStore} from '../leads/audit.ts';
import {firstIdAt} from '../leads/lead-ids.ts';
import type {RowOf} from './columns.ts';
import {insertRow, statement, upsertRow, type Database} from './database.ts';

const noteText = upsertRow('audit', 'filter', 'leads', 'ids');
const addText = `${insertRow('audit')} ON CONFLICT (id) DO UPDATE SET leads = audit.leads + excluded.leads`;
// Ids begin with the time, so the primary key finds the entries of a time span.
const listText = (condition: string) =>
  `SELECT * FROM audit WHERE id >= $1 AND id < $2 AND LOWER(actor) LIKE LOWER($3)${condition} ORDER BY id DESC LIMIT $4`;
/** Leaves out entries with more leads than ids, which are those of long lists. The first condition is that of the index `audit_lead`. */
const ofLead = (more: string) => `
  AND id IN (SELECT id FROM audit WHERE leads = 1 AND ids = $5 UNION ALL SELECT id FROM audit_leads WHERE lead_id = $6)
  AND leads <= ${maxIds}${more}`;
const noList = " AND (leads = 1 OR action NOT LIKE '% list')";

/** Each text of the JSON list is the id of a lead, of 36 characters, followed by the id of an entry. */
const pairs = (jsonList: Database['jsonList']) =>
  `SELECT substr(value, 1, 36), substr(value, 37) FROM ${jsonList('$1')} AS listed`;
const toPairs = ({id, ids}: {id: string; ids: readonly string[]}) => ids.map((lead) => lead + id);

/** The maximum number of entries that one statement deletes. */
const deleteBatch = 100;

/** Deletes the oldest entries from before a time, and returns how many. */
export async function deleteAuditEntries({read, write, jsonList}: Database, before: number): Promise<number> {
  const text = `SELECT id, ids FROM audit WHERE id < $1 ORDER BY id LIMIT ${deleteBatch}`;
  const rows = await read<Pick<RowOf<'audit'>, 'id' | 'ids'>>(statement(text, firstIdAt(before)));
  const last = rows.at(-1);
  if (!last) return 0;
  const gone = rows.flatMap(({id, ids}) => toPairs({id, ids: JSON.parse(ids) as string[]}));
  await write(
    statement(`DELETE FROM audit_leads WHERE (lead_id, id) IN (${pairs(jsonList)})`, JSON.stringify(gone)),
    statement('DELETE FROM audit WHERE id <= $1', last.id),
  );
  return rows.length;
}

export const auditQueries = ({read, write, writeAside = write, jsonList}: Database): AuditStore => ({
  async addAuditEntry({id, at, actor, action, filter, leads, ids}) {
    const values = [id, Date.parse(at), actor, action, JSON.stringify(filter), leads, JSON.stringify(ids)];
    const text = `INSERT INTO audit_leads (lead_id, id) ${pairs(jsonList)} WHERE value <> '' ON CONFLICT (lead_id, id) DO NOTHING`;
    const isNamed = ids.length > 1 && leads <= maxIds;
    await writeAside(
      statement(noteText, ...values),
      ...(isNamed ? [statement(text, JSON.stringify(toPairs({id, ids})))] : []),
    );
  },
  async addReads(counts) {
    const rows = counts.map(({day, user, requests}) => {
      const who = [`${firstIdAt(day)} ${user}`, day, `caller ${user}`];
      return [...who, 'GET /json/leads/:id', '{}', requests, '[]'];
    });
    // Sorted: processes that add to the same rows lock them in the same order, and so cannot deadlock.
    await write(...rows.sort().map((values) => statement(addText, ...values)));
  },
  async auditEntries({since = 0, until = Infinity, after, who = '', lead, isListed = true}, limit) {
    const values = [firstIdAt(since), after ?? firstIdAt(until), `%${who}%`, limit];
    const rows = await read<RowOf<'audit'>>(
      lead === undefined
        ? statement(listText(''), ...values)
        : statement(listText(ofLead(isListed ? '' : noList)), ...values, JSON.stringify([lead]), lead),
    );
    return rows.map((row) => ({
      ...row,
      at: new Date(row.at).toISOString(),
      filter: JSON.parse(row.filter) as AuditEntry['filter'],
      ids: JSON.parse(row.ids) as string[],
    }));
  },
});
