/** The table of operations, for pages, timeline and docs. A command loads only its own group, because loading all takes longer. */
import {audit} from './audit.ts';
import {consents} from './consents.ts';
import {deliveries} from './deliveries.ts';
import {destinations} from './destinations.ts';
import {evidence} from './evidence.ts';
import type {Fields} from './fields.ts';
import {keys} from './keys.ts';
import {leads} from './leads.ts';
import {isChanging, type AnyChanging, type Group, type OnLead, type OnList, type Row} from './operation.ts';
import {operators} from './operators.ts';
import {partners} from './partners.ts';
import {routes} from './routes.ts';
import {versions} from './versions.ts';

export const groups: readonly Group[] = [
  leads,
  consents,
  deliveries,
  destinations,
  operators,
  partners,
  audit,
  keys,
  evidence,
  routes,
  versions,
];
const rows = groups.flatMap((group) => group.rows);
const byWords = new Map(rows.map((row) => [row.words, row]));
export const rowOf = (words: string): Row | undefined => byWords.get(words);

const changing = rows.filter(isChanging);
export type OfLead = AnyChanging & {onLead: OnLead<Fields>};
/** The operations with a button on a lead's page, in the order of the buttons. */
export const ofLead: readonly OfLead[] = [
  'deliveries retry',
  'deliveries release',
  'consent allow',
  'deliveries drop',
  'consent revoke',
  'leads requests add',
  'leads correct',
  'leads keep',
  'leads erase',
].flatMap((words) =>
  changing.filter((row): row is OfLead => row.words === words && row.onLead !== undefined),
);
export type OfList = AnyChanging & {onList: OnList<Fields>};
/** The operations with a button on a line of a list. */
export const ofLists = changing.filter((row): row is OfList => row.onList !== undefined);
