/** By what a visitor's browser can read the result of the lead it sent: nothing of the lead itself. */
import type {LeadType} from '../../contract/fields.ts';
import {receiptName} from '../page/receipt-name.ts';
import type {Place, Store} from './types.ts';

export type Receipt = {readonly id: string; readonly token: string; readonly leadType: LeadType};

export function recallReceipt(place: Place, {recall}: Store): Receipt | undefined {
  const receipt = recall(receiptName(place)) as Partial<Receipt> | null | undefined;
  const {id, token} = receipt ?? {};
  return typeof id === 'string' && typeof token === 'string' ? (receipt as Receipt) : undefined;
}

export const keepReceipt = (place: Place, receipt: Receipt | undefined, {keep}: Store) =>
  keep(receiptName(place), receipt);
