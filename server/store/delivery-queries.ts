/**
 * The queries with which operators read deliveries, for both databases. Each is short: during a long read, SQLite cannot reuse
 * its write-ahead log, so that the file grows.
 */
import {
  hasEnded,
  onlyForReceivers,
  reasonWords,
  type DeliveryFilter,
  type DeliveryKey,
  type DeliveryRow,
} from '../leads/deliveries.ts';
import {firstIdAt} from '../leads/lead-ids.ts';
import type {DeliveryReader} from '../leads/ports.ts';
import type {Context} from './context.ts';
import {statement} from './database.ts';
import {isOneOf} from './schema.ts';
import {boundColumns, replyPart, type Bound, type Encryptor} from './encryption.ts';
import {toRecipients} from './settlement-queries.ts';

/** How many deliveries one read of `lastDelivered` examines, and the maximum number of such reads. */
const [deliveriesPerRead, maxReads] = [5_000, 20];

type ReplyRow = Pick<DeliveryKey, 'destination' | 'content'> &
  Bound & {
    /** The unencrypted reply of a version before 2.0. NULL if it is encrypted. */
    last_reply: string | null;
    data_key: number | null;
    blob: Uint8Array | null;
  };

type LastRow = {destination: string; deliveredAt: number | null; first: string};

export type Condition = {sql: string; values: string[]};

/** The SQL condition that selects the rows of a filter. */
export function conditionOf(filter: DeliveryFilter, after?: DeliveryKey): Condition {
  const {lead, destination, content, state, failing, stops, elsewhere, since, until} = filter;
  const values: string[] = [];
  const parameter = (value: string) => `$${values.push(value)}`;
  const parts = [
    rowsIn(state),
    state === undefined ? '' : `state = ${parameter(state)}`,
    lead === undefined ? '' : `lead_id = ${parameter(lead)}`,
    destination === undefined ? '' : `destination = ${parameter(destination)}`,
    content === undefined ? '' : `content = ${parameter(content)}`,
    failing ? 'failing_since IS NOT NULL' : '',
    stops === undefined ? '' : `${stops ? '' : 'NOT '}${isOneOf('content', onlyForReceivers)}`,
    elsewhere === undefined ? '' : `address <> ${parameter(elsewhere)}`,
    since === undefined ? '' : `lead_id >= ${parameter(firstIdAt(since))}`,
    until === undefined ? '' : `lead_id < ${parameter(firstIdAt(until))}`,
    after === undefined
      ? ''
      : `(lead_id, destination, content) > (${parameter(after.lead)}, ${parameter(after.destination)}, ${parameter(after.content)})`,
  ];
  return {sql: parts.filter(Boolean).join(' AND '), values};
}

/** Repeats the condition of the index that has the rows of a state, so that the index is used. */
function rowsIn(state: DeliveryFilter['state']): string {
  if (hasEnded(state)) return 'settled_at IS NOT NULL';
  return state === undefined || state === 'waiting'
    ? 'settled_at IS NULL'
    : "settled_at IS NULL AND state <> 'waiting'";
}

const count = 'SELECT destination, state, COUNT(*) AS deliveries, MIN(lead_id) AS oldest FROM deliveries';
/** Two halves, each of which reads an index in its order. With one condition for both, SQLite would sort all rows first. */
const countText = `
  ${count} WHERE state = 'waiting' GROUP BY destination, state
  UNION ALL
  ${count} WHERE settled_at IS NULL AND state <> 'waiting' GROUP BY destination, state
  ORDER BY destination, state`;
const lastDeliveredText = `
  SELECT destination, MAX(CASE state WHEN 'delivered' THEN settled_at END) AS "deliveredAt",
    MIN(lead_id) AS first
  FROM (SELECT lead_id, destination, state, settled_at FROM deliveries
    WHERE lead_id <= $1 ORDER BY lead_id DESC LIMIT ${deliveriesPerRead}) AS looked
  GROUP BY destination`;

function replyIn(encryptor: Encryptor, row: ReplyRow) {
  const {last_reply, data_key, blob} = row;
  try {
    if (last_reply !== null) return (JSON.parse(last_reply) as {excerpt: string}).excerpt;
    return data_key === null || blob === null
      ? null
      : encryptor.of(row).decrypt({data_key, blob}, replyPart(row));
  } catch {
    return null;
  }
}

async function lastDelivered({readMany}: Context, destinations: readonly string[]) {
  const last = new Map<string, number>();
  let before = firstIdAt(Infinity);
  for (let reads = 0; reads < maxReads && destinations.some((name) => !last.has(name)); reads += 1) {
    const rows = await readMany<LastRow>(statement(lastDeliveredText, before));
    for (const {destination, deliveredAt} of rows)
      if (deliveredAt !== null && !last.has(destination)) last.set(destination, deliveredAt);
    const first = rows.map((row) => row.first).toSorted()[0];
    // All deliveries were looked at.
    if (first === undefined || first === before) break;
    before = first;
  }
  return destinations.flatMap((destination) => {
    const deliveredAt = last.get(destination);
    return deliveredAt === undefined ? [] : [{destination, deliveredAt}];
  });
}

export function deliveryQueries(
  context: Context,
): Omit<DeliveryReader, 'addressUses' | 'pausedDestinations'> {
  const {read, readMany, encryptor} = context;
  return {
    async listDeliveries(limit, filter, after) {
      const {sql, values} = conditionOf(filter, after);
      const text = `
        SELECT lead_id AS lead, destination, content, state, attempts, ambiguous, happened_at AS "happenedAt",
          next_attempt_at AS "nextAttemptAt", leased_until AS "leasedUntil", failing_since AS "failingSince",
          last_error AS "lastError", reason, remote_id AS "remoteId", settled_at AS "settledAt", recipients,
          address, COALESCE(former_addresses, '') AS former
        FROM deliveries WHERE ${sql} ORDER BY lead_id, destination, content LIMIT $${values.length + 1}`;
      type Row = Omit<DeliveryRow, 'recipients' | 'formerAddresses'> & {
        recipients: string | null;
        former: string;
      };
      const rows = await read<Row>(statement(text, ...values, limit));
      return rows.map(({recipients, former, ...row}) => ({
        ...row,
        lastError: row.reason ? reasonWords[row.reason] : row.lastError,
        recipients: toRecipients(recipients),
        formerAddresses: former.split(' ').filter(Boolean),
      }));
    },

    async lastReplies(lead) {
      const text = `
        SELECT destination, content, last_reply, data_key, blob, ${boundColumns}
        FROM deliveries JOIN leads ON leads.id = deliveries.lead_id LEFT JOIN sealed ON sealed.lead_id = deliveries.lead_id
          AND part = 'reply ' || content || ' ' || destination
        WHERE deliveries.lead_id = $1 AND (last_reply IS NOT NULL OR part IS NOT NULL)
        ORDER BY destination, content`;
      const rows = await read<ReplyRow>(statement(text, lead));
      return rows.map((row) => ({
        lead,
        destination: row.destination,
        content: row.content,
        reply: replyIn(encryptor, row),
      }));
    },

    countOutbox: () => readMany(statement(countText)),

    lastDelivered: (destinations) => lastDelivered(context, destinations),
  };
}
