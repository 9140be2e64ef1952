/** The queries that revoke consents, and hold later leads with the same numbers, for both databases. */
import {isSameToken} from '../leads/keyed-digests.ts';
import {
  suppressionKinds,
  type RevocationStore,
  type StopEvent,
  type Suppressing,
} from '../leads/revocation.ts';
import type {Context} from './context.ts';
import {insertRow, isThere, statement, type Statement} from './database.ts';
import {announceTo, isNotForReceivers, lockDeliveries} from './erasure-queries.ts';

/**
 * SQL that is true for a delivery that an operator may make due. It is false for a lead whose consent was revoked or that is held
 * because of its number, because such a lead must not be sent.
 */
export const mayBeSent = `
  (content = 'outcome' OR NOT ${isNotForReceivers('deliveries')} OR NOT EXISTS (SELECT 1 FROM leads
    WHERE leads.id = lead_id AND (revoked_at IS NOT NULL OR suppressed_at IS NOT NULL)))`;

/** If the number itself has said stop, a question by another person changes nothing: `asked_at` and `decided_at` stay NULL. */
const suppressText = `
  INSERT INTO suppressed (digest, scope, since, kind, asked_at) VALUES ($1, $2, $3, $4, CAST($5 AS BIGINT))
  ON CONFLICT (digest, scope) DO UPDATE SET decided_at = NULL, reason = NULL,
    since = CASE WHEN suppressed.decided_at IS NULL AND (suppressed.asked_at IS NULL OR excluded.asked_at IS NOT NULL)
      THEN suppressed.since ELSE excluded.since END,
    asked_at = CASE WHEN suppressed.kind = 'mailbox' THEN COALESCE(suppressed.asked_at, excluded.asked_at)
      WHEN suppressed.decided_at IS NULL AND (suppressed.asked_at IS NULL OR excluded.asked_at IS NOT NULL)
      THEN suppressed.asked_at ELSE excluded.asked_at END`;
function suppressing({scopes, since, asks = false, byMailbox = false, ...digests}: Suppressing): Statement[] {
  const asked = {number: asks, both: false, mailbox: byMailbox};
  return scopes.flatMap((scope) =>
    suppressionKinds.flatMap((kind) =>
      digests[kind].map((digest) =>
        statement(suppressText, digest, scope, since, kind, asked[kind] ? since : null),
      ),
    ),
  );
}

const noteText = `${insertRow('stops')} ON CONFLICT (id) DO NOTHING`;
const noting = (events: readonly StopEvent[]): Statement[] =>
  events.map(({id, kind, digest, scope, lead, askedAt, enteredAt, way, reason}) =>
    statement(noteText, id, kind, digest, scope, lead, askedAt, enteredAt, way, reason),
  );

const stopEventColumns =
  'id, kind, digest, scope, lead_id AS lead, asked_at AS "askedAt", entered_at AS "enteredAt", way, reason';

/** Drops the deliveries of a lead. Keeps their leases, because a process may be sending them. What became of the lead is still told. */
const endDeliveries = `
  UPDATE deliveries SET state = 'dropped', settled_at = $1
  WHERE lead_id = $2 AND settled_at IS NULL AND content <> 'outcome' AND ${isNotForReceivers('deliveries')}`;
/** SQL that is true for a lead whose consent was already revoked for this scope or a wider one. @param scope SQL for the scope */
const isRevoked = (scope: string) => `revoked_at IS NOT NULL AND revoked_for IN ('all', ${scope})`;
const revokeText = `
  UPDATE leads SET revoked_at = $1, revoked_for = $2, status = CASE status WHEN 'pending' THEN 'refused' ELSE status END
  WHERE id = $3 AND NOT (${isRevoked('$2')}) RETURNING id`;
/** A repeated lead must not be merged into one that is no longer sent. */
const forgetSame = 'DELETE FROM same_leads WHERE lead_id = $1';

export const revocationQueries = (context: Context): RevocationStore => {
  const {read, readOne, write, persons, jsonList} = context;
  return {
    async digestsOfPeople(people) {
      // A read-only store cannot make a key, and needs none: without a key, nothing has a digest.
      const {digestsOf} = (await persons.find()) ?? (await persons.make());
      return people.map(({addressDigest: address, ...person}) => ({
        ...digestsOf(person),
        ...(address !== undefined && {address}),
      }));
    },

    async suppress(wanted, events) {
      await write(statement(context.lockTable('suppressed')), ...suppressing(wanted), ...noting(events));
    },

    async noteStops(events) {
      if (events.length > 0) await write(...noting(events));
    },

    stopEvents({digests = [], leads = [], ids = []}) {
      const text = `
        SELECT ${stopEventColumns} FROM stops
        WHERE digest IN ${jsonList('$1')} OR lead_id IN ${jsonList('$2')} OR id IN ${jsonList('$3')}
        ORDER BY entered_at, id`;
      const lists = [digests, leads, ids].map((each) => JSON.stringify(each));
      return read(statement(text, ...lists));
    },

    stopsAsked(since, until) {
      const text = `
        SELECT ${stopEventColumns} FROM stops WHERE kind <> 'allow' AND asked_at >= $1 AND asked_at < $2
        ORDER BY asked_at DESC, id`;
      return read(statement(text, since, until));
    },

    async hold(ids) {
      const hold = `
        UPDATE deliveries SET state = 'held', last_error = NULL, reason = 'suppressed'
        WHERE lead_id IN ${jsonList('$1')} AND state = 'waiting' AND leased_until <= $2
          AND ${isNotForReceivers('deliveries')} AND content NOT IN ('confirmation', 'outcome')`;
      const mark = `UPDATE leads SET suppressed_at = created_at WHERE id IN ${jsonList('$1')} AND suppressed_at IS NULL`;
      const some = JSON.stringify(ids);
      await write(statement(hold, some, Date.now()), statement(mark, some));
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

    suppressions(digests) {
      const some = digests === undefined ? '' : `WHERE digest IN ${jsonList('$1')}`;
      const text = `
        SELECT digest, scope, COALESCE(kind, 'number') AS kind, since, decided_at AS "decidedAt", reason,
          CASE WHEN decided_at IS NULL THEN asked_at ELSE (SELECT MAX(entered_at) FROM stops WHERE stops.kind = 'ask'
            AND stops.digest = suppressed.digest AND stops.scope = suppressed.scope AND entered_at > decided_at) END AS "askedAt"
        FROM suppressed ${some} ORDER BY since DESC`;
      const values = digests === undefined ? [] : [JSON.stringify(digests)];
      return read(statement(text, ...values));
    },

    async allow(digests, scopes, now, reason, events) {
      const text = `
        UPDATE suppressed SET decided_at = $1, reason = $2, asked_at = NULL
        WHERE digest IN ${jsonList('$3')} AND scope IN ${jsonList('$4')}`;
      await write(
        statement(context.lockTable('suppressed')),
        statement(text, now, reason, JSON.stringify(digests), JSON.stringify(scopes)),
        ...noting(events),
      );
    },

    async heldLeads() {
      const isOpen = isThere('deliveries WHERE lead_id = leads.id AND settled_at IS NULL');
      const text = `SELECT id FROM leads WHERE suppressed_at IS NOT NULL AND ${isOpen} = 1 ORDER BY id`;
      return (await read(statement(text))).map(({id}) => String(id));
    },

    async release(id, now) {
      const text = `
        UPDATE deliveries SET state = 'waiting', next_attempt_at = $1, happened_at = $1, reason = NULL
        WHERE lead_id = $2 AND settled_at IS NULL AND state = 'held' AND reason = 'suppressed'`;
      const allowText = `
        UPDATE leads SET suppressed_at = NULL WHERE id = $1 AND suppressed_at IS NOT NULL RETURNING id`;
      const [, allowed = []] = await write(statement(text, now, id), statement(allowText, id));
      return allowed.length > 0;
    },

    revokeToken: async (id) => (await persons.make()).tokenOf(id),

    isRevokeToken: async (id, token) => isSameToken((await persons.make()).tokenOf(id), token),

    async erasuresKnown() {
      const text = `
        SELECT COALESCE(MAX(known_until), 0) AS at FROM erasures_file
        UNION ALL SELECT COALESCE(MAX(seen_at), 0) FROM processes`;
      const [written = 0, seen = 0] = (await read(statement(text))).map(({at}) => Number(at));
      // Each server repeats what the file lists before its first report, so all lines before a report are known, too.
      return {until: Math.max(written, seen), wasWritten: written > 0};
    },

    async noteErasuresUntil(at) {
      const text = `
        INSERT INTO erasures_file (id, known_until) VALUES (1, $1) ON CONFLICT (id) DO UPDATE
        SET known_until = CASE WHEN erasures_file.known_until < $1 THEN excluded.known_until ELSE erasures_file.known_until END`;
      await write(statement(text, at));
    },
  };
};
