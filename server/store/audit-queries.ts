/** The queries for who looked at personal data, for both databases. */
import type {AuditEntry, AuditStore} from '../leads/audit.ts';
import {firstIdAt} from '../leads/lead-ids.ts';
import type {RowOf} from './columns.ts';
import {insertText, statement, type Database} from './database.ts';

const insert = `${insertText('audit', () => 'VALUES ($1, $2, $3, $4, $5, $6, $7)')} ON CONFLICT (id) DO UPDATE SET`;
const noteText = `${insert} filter = excluded.filter, leads = excluded.leads, ids = excluded.ids`;
const addText = `${insert} leads = audit.leads + excluded.leads`;
// Ids begin with the time, so the primary key finds the entries of a time.
const listText = (condition: string) =>
  `SELECT * FROM audit WHERE id >= $1 AND id < $2 AND LOWER(actor) LIKE LOWER($3)${condition} ORDER BY id DESC LIMIT $4`;
// As the condition of the index for it.
const ofLead = ' AND leads = 1 AND ids = $5';

export const auditQueries = ({read, write, writeAside = write}: Database): AuditStore => ({
  async noteLook({id, at, actor, action, filter, leads, ids}) {
    const values = [id, Date.parse(at), actor, action, JSON.stringify(filter), leads, JSON.stringify(ids)];
    await writeAside(statement(noteText, ...values));
  },
  async addReads(counts) {
    const rows = counts.map(({day, user, requests}) => {
      const who = [`${firstIdAt(day)} ${user}`, day, `caller ${user}`];
      return [...who, 'GET /json/leads/:id', '{}', requests, '[]'];
    });
    // Processes that add to the same rows at the same time lock them in the same order.
    await write(...rows.sort().map((values) => statement(addText, ...values)));
  },
  async auditEntries({since = 0, until = Infinity, who = '', lead}, limit) {
    const values = [firstIdAt(since), firstIdAt(until), `%${who}%`, limit];
    const rows = await read(
      lead === undefined
        ? statement(listText(''), ...values)
        : statement(listText(ofLead), ...values, JSON.stringify([lead])),
    );
    return (rows as RowOf<'audit'>[]).map(({at, filter, ids, ...row}) => ({
      ...{...row, at: new Date(at).toISOString()},
      ...{filter: JSON.parse(filter) as AuditEntry['filter'], ids: JSON.parse(ids) as string[]},
    }));
  },
});
