/** The query that decides whether a confirmation may be sent to a visitor, for both databases. */
import {dayLength} from '../config/timings.ts';
import {confirmationLifetime, type ConfirmationDecision} from '../leads/deliveries.ts';
import type {OutboxPort} from '../leads/ports.ts';
import {statement, type Database} from './database.ts';

const hour = 3_600_000;

/**
 * How long a row is kept after its lead was stored, in milliseconds. The decision comes within `confirmationLifetime`, and is
 * counted for a day after that.
 */
export const confirmationsKept = dayLength + confirmationLifetime;

/** The columns of `ConfirmationRequest.networks`. */
const networks = ['network', 'network_56', 'network_48'] as const;

/** SQL that counts the confirmations granted since $4 to the same network or to the same partner. */
const granted = (column: (typeof networks)[number] | 'partner') => `
  (SELECT COUNT(*) FROM confirmations AS other
    WHERE other.${column} = confirmations.${column} AND other.decision = 'granted' AND other.decided_at > $4)`;

export function confirmationQueries({
  write,
  oneByOne,
  jsonList,
}: Database): Pick<OutboxPort, 'decideConfirmation'> {
  const decideText = `
    UPDATE confirmations SET decided_at = $1, decision = CASE
      WHEN EXISTS (SELECT 1 FROM confirmations AS other
        WHERE other.address IN ${jsonList('$2')} AND other.decision = 'granted' AND other.decided_at > $3)
        THEN 'address'
      WHEN ${networks.map((column, index) => `${granted(column)} >= $${8 + index}`).join(' OR ')}
        THEN 'network'
      WHEN ${granted('partner')} >= CAST($5 AS BIGINT) - CASE
        WHEN ${granted('network')} + ${granted('network_48')} > 0 THEN CAST($6 AS BIGINT) ELSE 0 END
        THEN 'partner'
      ELSE 'granted' END
    WHERE lead_id = $7 AND decision IS NULL`;
  return {
    async decideConfirmation(lead, now, addresses, {ofNetworks, ofPartner, kept}) {
      const [dayAgo, hourAgo] = [now - dayLength, now - hour];
      const values = [now, JSON.stringify(addresses), dayAgo, hourAgo, ofPartner, kept, lead];
      const [, , rows = []] = await write(
        // One decision at a time: on PostgreSQL, a transaction does not see what another one has granted but not committed.
        statement(oneByOne('confirmations')),
        statement(decideText, ...values, ...ofNetworks),
        statement('SELECT decision, language FROM confirmations WHERE lead_id = $1', lead),
      );
      const [row] = rows as {decision: ConfirmationDecision; language: string}[];
      return row;
    },
  };
}
