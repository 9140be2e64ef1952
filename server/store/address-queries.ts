/** The queries about the addresses of destinations, for both databases. */
import type {AddressUse} from '../leads/deliveries.ts';
import type {DeliveryDesk, OutboxPort} from '../leads/ports.ts';
import {statement, type Database} from './database.ts';

const noteText = `
  INSERT INTO destination_addresses AS known (destination, address, place, first_used, last_used)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (destination, address) DO UPDATE SET place = excluded.place,
    first_used = CASE known.first_used WHEN 0 THEN excluded.first_used ELSE known.first_used END,
    last_used = CASE WHEN known.last_used < excluded.last_used THEN excluded.last_used ELSE known.last_used END`;
const usesText = `
  SELECT destination, address, place, first_used AS "firstUsed", last_used AS "lastUsed"
  FROM destination_addresses ORDER BY destination, last_used DESC, address`;

const keyOf = ({destination, address}: AddressUse) => `${destination} ${address}`;

export const addressQueries = ({
  read,
  write,
}: Database): Pick<OutboxPort, 'noteAddresses'> & Pick<DeliveryDesk, 'addressUses'> => ({
  async noteAddresses(uses) {
    // Processes that write the same rows at the same time lock them in the same order.
    const sorted = uses.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    await write(
      ...sorted.map(({destination, address, place, firstUsed, lastUsed}) =>
        statement(noteText, destination, address, place, firstUsed, lastUsed),
      ),
    );
  },
  addressUses: async () => (await read(statement(usesText))) as AddressUse[],
});
