/** The queries for who looked at personal data, for both databases. */
import type {AuditEntry, AuditStore} from '../leads/audit.ts';
import {firstIdAt} from '../leads/lead-ids.ts';
import type {RowOf} from './columns.ts';
import {insertText, statement, type Database} from './database.ts';

const insert = insertText('audit', () => 'VALUES ($1, $2, $3, $4, $5, $6, $7)');
const noteText = `${insert} ON CONFLICT (id) DO UPDATE
  SET filter = excluded.filter, leads = excluded.leads, ids = excluded.ids`;
const addText = `${insert} ON CONFLICT (id) DO UPDATE SET leads = audit.leads + excluded.leads`;

// Ids begin with the time, so the primary key finds the entries of a time.
const listText = 'SELECT * FROM audit WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3';

const storing = (text: string, {id, at, actor, action, filter, leads, ids}: AuditEntry) =>
  statement(text, id, at, actor, action, JSON.stringify(filter), leads, JSON.stringify(ids));

export const auditQueries = ({read, write, writeAside = write}: Database): AuditStore => ({
  noteLook: async (entry) => void (await writeAside(storing(noteText, entry))),
  async addReads(counts) {
    // Processes that add to the same rows at the same time lock them in the same order.
    const sorted = counts.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await write(...sorted.map((entry) => storing(addText, entry)));
  },
  async auditEntries({since = 0, until = Infinity}, {limit, after = firstIdAt(until)}) {
    const rows = await read(statement(listText, firstIdAt(since), after, limit));
    return (rows as RowOf<'audit'>[]).map(({filter, ids, ...row}) => ({
      ...row,
      filter: JSON.parse(filter) as AuditEntry['filter'],
      ids: JSON.parse(ids) as string[],
    }));
  },
});
