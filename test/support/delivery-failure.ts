import assert from 'node:assert/strict';
import {DeliveryError} from '../../server/destinations/destination.ts';

/** The error of a delivery that must fail. */
export async function failureOf(delivery: Promise<unknown>): Promise<DeliveryError> {
  const outcome = await delivery.catch((error: unknown) => error);
  assert.ok(outcome instanceof DeliveryError, `It did not fail, but ended with ${JSON.stringify(outcome)}`);
  return outcome;
}
