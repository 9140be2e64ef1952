/** All that operators can do, for pages, timeline and docs. A command loads its group alone, because all of them take longer to load. */
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
/** Those with a button on the page of a lead, in their order. */
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
/** Those with a button on a line of another page. */
export const ofLists = changing.filter((row): row is OfList => row.onList !== undefined);
