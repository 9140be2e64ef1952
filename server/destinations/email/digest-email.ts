/** The e-mail that reports all news since the last one: a list with a line for each lead, newest last. */
import {createHash} from 'node:crypto';
import type {EmailSettings} from '../../config/destinations.ts';
import {totalAmount} from '../../../contract/amounts.ts';
import type {DeliveryContent} from '../../leads/deliveries.ts';
import type {LeadRecord, Tombstone} from '../../leads/stored-lead.ts';
import {withRecord, type DeliveryRequest} from '../destination.ts';
import {newsOf, type News} from '../news.ts';
import {theirAddress, theirWords} from './their-words.ts';
import {
  blocks,
  dollars,
  howToDrop,
  howToFollowErasure,
  howToRelease,
  howToShow,
  outcome,
  relation,
  senderOf,
  time,
  type Email,
} from './wording.ts';

type Item = {record: LeadRecord; news: News; kind: 'new' | 'later' | 'held'};
type ErasedItem = {record: Tombstone; news: News; kind: 'erased'};

/** Characters. Longer names of visitors are cut. */
const longestName = 80;
/** Held leads whose commands are spelt out. */
const maxHeld = 10;

/** @param requests at least one, in any order */
export function digestEmail(requests: readonly DeliveryRequest[], details: EmailSettings['details']): Email {
  const all = itemsOf(requests);
  const items = all.filter((item) => item.kind !== 'erased');
  const erased = all.filter((item) => item.kind === 'erased');
  const ofKind = (wanted: Item['kind']) => items.filter(({kind}) => kind === wanted);
  const [news, later, held] = [ofKind('new'), ofKind('later'), ofKind('held')];
  const list = (title: string, of: readonly Item[]) =>
    of.length === 0 ? [] : [title, ...table(of, details)];
  const [example] = [...news, ...later, ...held];
  return {
    subject: subjectOf(news, later, held, erased),
    text: blocks(
      list('New leads:', news),
      list('Answered or refused now:', later),
      list('Held for you, because a bot may have sent them:', held),
      ...heldBlocks(held),
      erased.length === 0 ? [] : [`Erased. ${howToFollowErasure}`, ...erasedTable(erased)],
      example ? ['To see all of a lead, on the server:', howToShow(example.news.reference)] : [],
    ),
    id: digestId(requests),
    follows: undefined,
  };
}

/**
 * One item for each lead, in the order in which they came. If a lead came and was answered since the last digest, it is
 * a new lead with its answer. If a lead was held and has been released since, nobody has to decide about it any more. Of a
 * lead that was erased since, nothing else is reported.
 */
function itemsOf(requests: readonly DeliveryRequest[]): (Item | ErasedItem)[] {
  const byLead = Map.groupBy(requests, ({lead}) => lead.id);
  const items = [...byLead.values()].map((group): Item | ErasedItem => {
    const erased = group.find((request) => request.content === 'erased');
    if (erased) return {record: erased.lead, news: newsOf(erased), kind: 'erased'};
    const records = group.map(withRecord);
    const find = (...contents: DeliveryContent[]) => records.find(({content}) => contents.includes(content));
    const [created, later] = [find('created'), find('answered', 'refused')];
    const request = later ?? created ?? find('held');
    if (!request) throw new Error('A digest reports only news');
    const kind = created ? 'new' : later ? 'later' : 'held';
    return {record: request.lead, news: newsOf(request), kind};
  });
  return items.toSorted((one, other) => one.record.createdAt - other.record.createdAt);
}

/** Such as `12 new leads, total $4,130,000; 3 answered; 1 refused; 2 held for you; 1 erased`. */
function subjectOf(
  news: readonly Item[],
  later: readonly Item[],
  held: readonly Item[],
  erased: readonly ErasedItem[],
): string {
  const refused = later.filter(({news: {answer}}) => answer?.status === 'refused');
  const answered = later.filter((item) => !refused.includes(item));
  const parts: [items: readonly unknown[], before: string, after: string][] = [
    [news, 'new ', totalOf(news)],
    [answered, '', ` answered${totalOf(answered)}`],
    [refused, '', ' refused'],
    [held, '', ' held for you'],
    [erased, '', ' erased'],
  ];
  return (
    parts
      .filter(([{length}]) => length > 0)
      // Only the first part says that it counts leads.
      .map(([{length}, before, after], index) => {
        const noun = length === 1 ? 'lead' : 'leads';
        return index === 0 ? `${length} ${before}${noun}${after}` : `${length}${after}`;
      })
      .join('; ')
  );
}

/** Counts no visitor twice: a repeated lead has no amounts of its own, and a corrected lead counts in its new form. */
function totalOf(items: readonly Item[]): string {
  const replaced = new Set(items.map(({record}) => record.supersedes));
  const totals = items.flatMap(({record, news: {answer}}) =>
    answer?.status === 'done' && answer.amounts !== null && !replaced.has(record.id)
      ? [answer.amounts[totalAmount]]
      : [],
  );
  return totals.length === 0 ? '' : `, total ${dollars(totals.reduce((sum, total) => sum + total, 0))}`;
}

/** Columns: reference, time, partner, outcome, relation to another lead, and the visitor where that is allowed. */
function table(items: readonly Item[], details: EmailSettings['details']): string[] {
  const rows = items.map(({record, news}) => [
    ...beginning({record, news}),
    outcome(record, news.answer) ?? (record.lead.lead_type === 'standard' ? 'standard' : ''),
    relation(record) ?? '',
  ]);
  // Amounts stand at the right of their column, so that their digits are in line.
  const lines = aligned(rows, 3);
  return items.flatMap(({record}, index) => [
    lines[index] ?? '',
    ...(details === 'contact' ? [`  In the visitor's words: ${contact(record)}`] : []),
  ]);
}

const erasedTable = (items: readonly ErasedItem[]): string[] =>
  aligned(items.map((item) => [...beginning(item), `erased ${time(item.news.at)}`]));

/** The first columns: reference, time, partner. */
const beginning = ({record, news}: Pick<Item | ErasedItem, 'record' | 'news'>) => [
  news.reference,
  time(record.createdAt),
  record.partner === null ? '/json/leads' : senderOf(record),
];

/** @param right the column whose cells stand at its right */
function aligned(rows: readonly (readonly string[])[], right?: number): string[] {
  const width = (column: number) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0);
  const widths = rows[0]?.map((_cell, column) => width(column)) ?? [];
  const padded = (cell: string, column: number) =>
    column === right ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}

/** How to release each held lead, or to drop it. If there are many, how to list the others. */
const heldBlocks = (held: readonly Item[]): string[][] => [
  ...held
    .slice(0, maxHeld)
    .map(({record, news}) => [
      `To send ${news.reference} on, or to drop it:`,
      howToRelease(record.id),
      howToDrop(record.id),
    ]),
  held.length > maxHeld ? ['To see all that are held:', 'lead-prequal deliveries list --state held'] : [],
];

const contact = ({lead}: LeadRecord) =>
  [
    theirWords(`${lead.first_name} ${lead.last_name}`, longestName),
    `tel:${lead.phone.e164}`,
    theirAddress(lead.email),
  ].join(', ');

/** The id says which news the e-mail reports. The order of the news does not change it. */
function digestId(requests: readonly DeliveryRequest[]): string {
  const ids = requests.map((request) => newsOf(request).id).toSorted();
  return `digest_${createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 32)}`;
}
