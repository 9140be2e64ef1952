/**
 * A receipt lets the browser read the result of a lead that it has sent. It is kept until the tab is closed, so that
 * the result is shown again after a reload. It contains no answers of the visitor.
 */
import type {LeadType} from '../../contract/fields.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {keep, recall} from '../page/session.ts';
import {isObject} from './exchange.ts';

export type Receipt = {
  readonly id: string;
  readonly token: string;
  readonly leadType: LeadType;
  /** The server that gave it. Forms before 2.0 do not keep it. */
  readonly origin?: string;
};

const nameOf = ({partner, leadType}: Pick<Endpoint, 'partner' | 'leadType'>) =>
  `lead-prequal:${partner}:${leadType}`;

/** Whether there is a stored receipt. The first file of the form only needs to know that; `rest` reads the receipt. */
export const hasReceipt = (endpoint: Pick<Endpoint, 'partner' | 'leadType'>): boolean =>
  Boolean(recall(nameOf(endpoint)));

/** Forms of two servers may stand on one page, with the same partner key. Neither server must get the token of the other. */
export function recallReceipt(endpoint: Pick<Endpoint, 'partner' | 'leadType' | 'origin'>) {
  const kept = recall(nameOf(endpoint));
  return isReceipt(kept) && (kept.origin ?? endpoint.origin) === endpoint.origin ? kept : undefined;
}

/** Checks the stored value, because other scripts on the page can have changed it. */
const isReceipt = (kept: unknown): kept is Receipt =>
  isObject(kept) && typeof kept['id'] === 'string' && typeof kept['token'] === 'string';

/** Keeps a receipt. Without one, the receipt that was kept is deleted. */
export const keepReceipt = (endpoint: Endpoint, receipt?: Receipt) =>
  keep(nameOf(endpoint), receipt && {...receipt, origin: endpoint.origin});
