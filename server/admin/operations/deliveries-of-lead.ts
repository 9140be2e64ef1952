/** Of what it depends whether something can be done with the deliveries of a lead. */
import {isForReceivers, type DeliveryRow} from '../../leads/deliveries.ts';
import type {LeadIdentity} from '../../leads/stored-lead.ts';

/** Of a delivery that has not ended. */
export type OpenDelivery = Pick<DeliveryRow, 'destination' | 'content' | 'state' | 'reason' | 'ambiguous'>;

/** `isAsked`: somebody with another address asked to stop its number, and nobody has decided about that. */
export type LeadState = Pick<LeadIdentity, 'revoked' | 'isSuppressed'> & {
  erasedAt: number | null;
  isAsked: boolean;
};

/** It goes nowhere before its address is decided about. */
const isElsewhere = ({reason}: OpenDelivery) => reason === 'elsewhere' || reason === 'former';
/** It can be sent on by a decision about the lead alone. */
export const isReleasable = (row: OpenDelivery): boolean => row.state === 'held' && !isElsewhere(row);
export const isDue = (row: OpenDelivery): boolean => row.state !== 'held' && !isElsewhere(row);
export const isDroppable = (row: OpenDelivery): boolean => !isForReceivers(row);
