/** The queries that take consents back, and hold later leads of those who did, for both databases. */
import {timingSafeEqual} from 'node:crypto';
import {suppressedNumber} from '../leads/deliveries.ts';
import type {RevocationStore} from '../leads/revocation.ts';
import type {RowOf} from './columns.ts';
import {statement} from './database.ts';
import {announceTo, isNotForReceivers, lockDeliveries} from './erasure-queries.ts';
import type {Context} from './unreadable-leads.ts';

/** With the condition of the index that has them. */
const isHeld = `settled_at IS NULL AND state <> 'waiting' AND state = 'held' AND last_error = '${suppressedNumber}'`;

/**
 * SQL that is true for a delivery that an operator may make due: nothing goes out of a lead whose consent was taken back, nor
 * what was held because of its number, also if it was dropped since. `release` makes due what is allowed.
 */
export const mayBeSent = `
  (NOT ${isNotForReceivers('deliveries')}
    OR NOT EXISTS (SELECT 1 FROM leads WHERE leads.id = lead_id AND revoked_at IS NOT NULL))
  AND COALESCE(last_error, '') <> '${suppressedNumber}'`;

const suppressText = `
  INSERT INTO suppressed (digest, scope, since) VALUES ($1, $2, $3)
  ON CONFLICT (digest, scope) DO UPDATE SET decided_at = NULL, reason = NULL,
    since = CASE WHEN suppressed.decided_at IS NULL THEN suppressed.since ELSE excluded.since END`;

/** Keeps the leases, because a process may be sending them. */
const endDeliveries = `
  UPDATE deliveries SET state = 'dropped', settled_at = $1
  WHERE lead_id = $2 AND settled_at IS NULL AND ${isNotForReceivers('deliveries')}`;
/** SQL that is true for a lead whose consent was taken back for as many as now, or for more. @param scope SQL for that */
const isRevoked = (scope: string) => `revoked_at IS NOT NULL AND revoked_for IN ('all', ${scope})`;
const revokeText = `
  UPDATE leads SET revoked_at = $1, revoked_for = $2, status = CASE status WHEN 'pending' THEN 'refused' ELSE status END
  WHERE id = $3 AND NOT (${isRevoked('$2')}) RETURNING id`;
/** A lead that comes again must not be merged into one that is sent no more. */
const forgetSame = 'DELETE FROM same_leads WHERE lead_id = $1';

const selectSuppressed =
  'SELECT digest, scope, since, decided_at, reason FROM suppressed ORDER BY since DESC';

export const revocationQueries = (context: Context): RevocationStore => {
  const {read, readOne, write, persons, jsonList} = context;
  const digestsOf = async (phones: readonly string[]) => {
    const {digestsOf: make} = await persons.make();
    return phones.flatMap((phone) => make({phone}).phone ?? []).toSorted();
  };
  return {
    numberDigests: digestsOf,

    async suppress(digests, scope, now) {
      await write(
        statement(context.lockTable('suppressed')),
        ...digests.map((digest) => statement(suppressText, digest, scope, now)),
      );
    },

    async revoke(id, {now, scope, present}) {
      const results = await write(
        lockDeliveries(context, id),
        announceTo(context, 'revoked', isRevoked(`'${scope}'`), {id, now, present}),
        statement(endDeliveries, now, id),
        statement(revokeText, now, scope, id),
        statement(forgetSame, id),
      );
      return results[3]?.length === 1;
    },

    async underWayUntil(ids) {
      const text = `
        SELECT COALESCE(MAX(leased_until), 0) AS latest FROM deliveries
        WHERE lead_id IN ${jsonList('$1')} AND ${isNotForReceivers('deliveries')}`;
      const row = await readOne(statement(text, JSON.stringify(ids)));
      return Number(row?.['latest']);
    },

    async suppressions() {
      const rows = (await read(statement(selectSuppressed))) as RowOf<'suppressed'>[];
      return rows.map(({decided_at: decidedAt, ...row}) => ({...row, decidedAt}));
    },

    async allow(phone, reason, now) {
      const [digest = ''] = await digestsOf([phone]);
      const text = `
        UPDATE suppressed SET decided_at = $1, reason = $2 WHERE digest = $3 AND decided_at IS NULL RETURNING scope`;
      const [rows = []] = await write(statement(text, now, reason, digest));
      return rows.length > 0;
    },

    async heldLeads() {
      const rows = await read(statement(`SELECT DISTINCT lead_id FROM deliveries WHERE ${isHeld}`));
      return rows.map(({lead_id}) => String(lead_id));
    },

    async release(id, now) {
      const text = `
        UPDATE deliveries SET state = 'waiting', next_attempt_at = $1, happened_at = $1, last_error = NULL
        WHERE lead_id = $2 AND ${isHeld} RETURNING destination`;
      const [rows = []] = await write(statement(text, now, id));
      return rows.length;
    },

    revokeToken: async (id) => (await persons.make()).tokenOf(id),

    async isRevokeToken(id, token) {
      const [own, given] = [(await persons.make()).tokenOf(id), token].map((text) => Buffer.from(text));
      return own!.length === given!.length && timingSafeEqual(own!, given!);
    },

    async requestErasure(id, now) {
      const text = `
        INSERT INTO erasure_requests (lead_id, requested_at) SELECT id, CAST($1 AS BIGINT) FROM leads WHERE id = $2
        ON CONFLICT (lead_id) DO NOTHING`;
      await write(statement(text, now, id));
    },

    async erasureRequests() {
      const rows = await read(
        statement('SELECT lead_id, requested_at FROM erasure_requests ORDER BY requested_at'),
      );
      return rows.map(({lead_id, requested_at}) => ({
        lead: String(lead_id),
        requestedAt: Number(requested_at),
      }));
    },

    async endErasureRequest(id) {
      const text = 'DELETE FROM erasure_requests WHERE lead_id = $1 RETURNING lead_id';
      const [rows = []] = await write(statement(text, id));
      return rows.length > 0;
    },
  };
};
