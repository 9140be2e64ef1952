/** The queries that take consents back, and hold later leads of those who did, for both databases. */
import {timingSafeEqual} from 'node:crypto';
import {suppressedNumber} from '../leads/deliveries.ts';
import type {RevocationStore} from '../leads/revocation.ts';
import type {RowOf} from './columns.ts';
import {isThere, statement} from './database.ts';
import {announceTo, isNotForReceivers, lockDeliveries} from './erasure-queries.ts';
import type {Context} from './unreadable-leads.ts';

/**
 * SQL that is true for a delivery that an operator may make due: nothing goes out of a lead whose consent was taken back, or
 * that is held because of its number.
 */
export const mayBeSent = `
  (NOT ${isNotForReceivers('deliveries')} OR NOT EXISTS (SELECT 1 FROM leads
    WHERE leads.id = lead_id AND (revoked_at IS NOT NULL OR suppressed_at IS NOT NULL)))`;

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

    async suppressions(digests) {
      const some = digests === undefined ? '' : `WHERE digest IN ${jsonList('$1')}`;
      const text = `SELECT digest, scope, since, decided_at, reason FROM suppressed ${some} ORDER BY since DESC`;
      const values = digests === undefined ? [] : [JSON.stringify(digests)];
      const rows = (await read(statement(text, ...values))) as RowOf<'suppressed'>[];
      return rows.map(({decided_at: decidedAt, ...row}) => ({...row, decidedAt}));
    },

    async allow(digest, reason, now) {
      const text = `
        UPDATE suppressed SET decided_at = $1, reason = $2 WHERE digest = $3 AND decided_at IS NULL RETURNING scope`;
      const [rows = []] = await write(statement(text, now, reason, digest));
      return rows.length > 0;
    },

    async heldLeads() {
      const isOpen = isThere('deliveries WHERE lead_id = leads.id AND settled_at IS NULL');
      const text = `SELECT id FROM leads WHERE suppressed_at IS NOT NULL AND ${isOpen} = 1 ORDER BY id`;
      return (await read(statement(text))).map(({id}) => String(id));
    },

    async release(id, now) {
      const text = `
        UPDATE deliveries SET state = 'waiting', next_attempt_at = $1, happened_at = $1, last_error = NULL
        WHERE lead_id = $2 AND settled_at IS NULL AND state = 'held' AND last_error = '${suppressedNumber}'`;
      const allowText = `
        UPDATE leads SET suppressed_at = NULL WHERE id = $1 AND suppressed_at IS NOT NULL RETURNING id`;
      const [, allowed = []] = await write(statement(text, now, id), statement(allowText, id));
      return allowed.length > 0;
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

    async erasureRequests(lead) {
      const one = lead === undefined ? '' : 'WHERE lead_id = $1';
      const text = `SELECT lead_id, requested_at FROM erasure_requests ${one} ORDER BY requested_at`;
      const rows = await read(statement(text, ...(lead === undefined ? [] : [lead])));
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
