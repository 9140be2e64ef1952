/** The queries about privacy requests, and about leads that are kept for a lawsuit, for both databases. */
import type {LegalHold, PrivacyRequestStore} from '../leads/privacy-requests.ts';
import type {Context} from './context.ts';
import {statement, upsertRow, type Database} from './database.ts';
import {linkText} from './erasure-queries.ts';

const selectHolds = `
  SELECT lead_id AS lead, kept_until AS until, reason, entered_at AS "enteredAt"
  FROM legal_holds WHERE kept_until > $1 ORDER BY kept_until, lead_id`;

/** Implements `PrivacyRequestReader.keptLeads`. */
export async function keptLeads(
  {read, jsonList}: Pick<Database, 'read' | 'jsonList'>,
  now: number,
): Promise<ReadonlyMap<string, LegalHold>> {
  const holds = await read<LegalHold>(statement(selectHolds, now));
  const kept = new Map(holds.map((hold) => [hold.lead, hold]));
  for (let added = [...kept.keys()]; added.length > 0;) {
    const links = await read<{id: string; via: string}>(
      statement(linkText(jsonList('$1')), JSON.stringify(added)),
    );
    added = [];
    for (const {id, via} of links) {
      const hold = kept.get(via);
      if (!hold || hold.until <= (kept.get(id)?.until ?? 0)) continue;
      kept.set(id, hold);
      added.push(id);
    }
  }
  return kept;
}

export const privacyRequestQueries = (context: Context): PrivacyRequestStore => ({
  requests({lead, isEnded} = {}) {
    const conditions = [
      ...(lead === undefined ? [] : ['lead_id = $1']),
      ...(isEnded === undefined ? [] : [`ended_at IS ${isEnded ? 'NOT ' : ''}NULL`]),
    ];
    const text = `
      SELECT lead_id AS lead, kind, asked_at AS "askedAt", entered_at AS "enteredAt", way, ended_at AS "endedAt", answer
      FROM privacy_requests ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY asked_at, lead_id, kind`;
    return context.read(statement(text, ...(lead === undefined ? [] : [lead])));
  },

  async putRequest({lead, kind, askedAt, enteredAt, way, endedAt, answer}) {
    const text = upsertRow('privacy_requests', 'asked_at', 'ended_at', 'answer');
    await context.write(statement(text, lead, kind, askedAt, enteredAt, way, endedAt, answer));
  },

  legalHolds: (now) => context.read(statement(selectHolds, now)),

  keptLeads: (now) => keptLeads(context, now),

  async keepForLaw({lead, until, reason, enteredAt}) {
    const text = upsertRow('legal_holds', 'kept_until', 'reason', 'entered_at');
    await context.write(statement(text, lead, until, reason, enteredAt));
  },
});
