/**
 * Lets the visitor's browser read the result of the lead that it sent. It is kept until the tab is closed, so that the
 * result is shown again after a reload. It holds nothing of the lead itself.
 */
import type {LeadType} from '../../contract/fields.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {keep, recall} from '../page/session.ts';

export type Receipt = {readonly id: string; readonly token: string; readonly leadType: LeadType};

const nameOf = ({partner, leadType}: Pick<Endpoint, 'partner' | 'leadType'>) =>
  `lead-prequal:${partner}:${leadType}`;

export function recallReceipt(endpoint: Pick<Endpoint, 'partner' | 'leadType'>): Receipt | undefined {
  const receipt = recall(nameOf(endpoint)) as Partial<Receipt> | null | undefined;
  const {id, token} = receipt ?? {};
  // Other scripts on the page can have changed it.
  return typeof id === 'string' && typeof token === 'string' ? (receipt as Receipt) : undefined;
}

/** Without a receipt, what was kept is forgotten. */
export const keepReceipt = (endpoint: Endpoint, receipt?: Receipt) => keep(nameOf(endpoint), receipt);
