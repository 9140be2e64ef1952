/** The queries by which processes are asked to reload, and report the configuration that they use, for both databases. */
import {dayLength} from '../config/timings.ts';
import type {ProcessReport, ReloadStore} from '../reload/reloads.ts';
import type {RowOf} from './columns.ts';
import {statement, upsertRow, type Database} from './database.ts';

const reportText = upsertRow('processes', 'seen_at', 'report');
const askText = upsertRow('reload_requests', 'request');

export function processQueries({read, write}: Database): ReloadStore {
  return {
    async reloadRequest() {
      const [row] = await read(statement('SELECT request FROM reload_requests'));
      return row && String(row['request']);
    },

    async askForReload(request) {
      // Deletes reports of processes that were killed.
      await write(statement('DELETE FROM processes WHERE seen_at < $1', Date.now() - dayLength));
      await write(statement(askText, 1, request));
    },

    async report({id, seenAt, ...report}) {
      await write(statement(reportText, id, seenAt, JSON.stringify(report)));
    },

    async forgetProcess(id) {
      await write(statement('DELETE FROM processes WHERE id = $1', id));
    },

    async processes(since) {
      const text = 'SELECT id, seen_at, report FROM processes WHERE seen_at >= $1 ORDER BY id';
      const rows = await read<RowOf<'processes'>>(statement(text, since));
      return rows
        .map(({id, seen_at: seenAt, report}) => ({...JSON.parse(report), id, seenAt}) as ProcessReport)
        .toSorted((one, other) => one.name.localeCompare(other.name));
    },
  };
}
