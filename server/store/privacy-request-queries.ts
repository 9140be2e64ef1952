/** The queries of what people asked for, and of leads that a lawsuit keeps, for both databases. */
import type {LegalHold, PrivacyRequestStore} from '../leads/privacy-requests.ts';
import type {Context} from './context.ts';
import {statement} from './database.ts';

export const privacyRequestQueries = ({read, write, jsonList}: Context): PrivacyRequestStore => ({
  requests(lead) {
    const one = lead === undefined ? '' : 'WHERE lead_id = $1';
    const text = `
      SELECT lead_id AS lead, kind, asked_at AS "askedAt", entered_at AS "enteredAt", way
      FROM privacy_requests ${one} ORDER BY asked_at, lead_id, kind`;
    return read(statement(text, ...(lead === undefined ? [] : [lead])));
  },

  async addRequest({lead, kind, askedAt, enteredAt, way}) {
    const text = `
      INSERT INTO privacy_requests (lead_id, kind, asked_at, entered_at, way)
      SELECT id, '${kind}', CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS TEXT) FROM leads WHERE id = $4
      ON CONFLICT (lead_id, kind) DO NOTHING RETURNING lead_id`;
    const [rows = []] = await write(statement(text, askedAt, enteredAt, way, lead));
    return rows.length > 0;
  },

  async endRequest(lead, kind) {
    const text = 'DELETE FROM privacy_requests WHERE lead_id = $1 AND kind = $2 RETURNING lead_id';
    const [rows = []] = await write(statement(text, lead, kind));
    return rows.length > 0;
  },

  async legalHolds(leads, now) {
    const text = `
      SELECT lead_id AS lead, kept_until AS until, reason, entered_at AS "enteredAt"
      FROM legal_holds WHERE lead_id IN ${jsonList('$1')} AND kept_until > $2`;
    const holds = await read<LegalHold>(statement(text, JSON.stringify(leads), now));
    return new Map(holds.map((hold) => [hold.lead, hold]));
  },

  async keepForLaw({lead, until, reason, enteredAt}) {
    const text = `
      INSERT INTO legal_holds (lead_id, kept_until, reason, entered_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (lead_id) DO UPDATE SET kept_until = excluded.kept_until, reason = excluded.reason,
        entered_at = excluded.entered_at`;
    await write(statement(text, lead, until, reason, enteredAt));
  },
});
