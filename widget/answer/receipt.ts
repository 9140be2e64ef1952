/** By what a visitor's browser can read the result of the lead it sent: nothing of the lead itself. */
import type {LeadType} from '../../contract/fields.ts';
import {receiptName} from '../receipt.ts';
import {recall, remember} from './storage.ts';
import {toJson} from './to-json.ts';
import type {Place} from './types.ts';

export type Receipt = {readonly id: string; readonly token: string; readonly leadType: LeadType};

export function recallReceipt(place: Place): Receipt | undefined {
  try {
    const receipt = JSON.parse(recall(receiptName(place)) ?? '{}') as Receipt;
    return typeof receipt.id === 'string' && typeof receipt.token === 'string' ? receipt : undefined;
  } catch {
    return undefined;
  }
}

export const keepReceipt = (place: Place, receipt: Receipt | undefined) =>
  remember(receiptName(place), receipt && toJson(receipt));
