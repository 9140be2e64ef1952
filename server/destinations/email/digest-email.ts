/** The e-mail that reports all news since the last one: a few lines for each lead, newest last. */
import {createHash} from 'node:crypto';
import type {EmailSettings} from '../../config/destinations.ts';
import {totalAmount, type Amounts} from '../../../contract/amounts.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {shownAmountsOf} from '../../leads/calculated-answer.ts';
import {isForReceivers, type DeliveryContent, type ForReceivers} from '../../leads/deliveries.ts';
import type {LeadIdentity, LeadRecord} from '../../leads/stored-lead.ts';
import {withRecord, type DeliveryRequest} from '../destination.ts';
import {newsOf, type News} from '../news.ts';
import type {Block, Line} from './message.ts';
import {theirName} from './their-words.ts';
import {callingOf, callNotice, contactLine, stopped} from './visitor-lines.ts';
import {
  correction,
  dollars,
  emailOf,
  howToFollow,
  isRepeat,
  openLine,
  outcome,
  pageOf,
  senderOf,
  time,
  scopeLine,
  suspicionOf,
  type Email,
} from './wording.ts';

type Settings = Pick<EmailSettings, 'details' | 'rounding' | 'leadPages' | 'partnerNames'>;
type Kind = 'new' | 'repeat' | 'later';
/** `amounts`: as people read them. */
type Item = {record: LeadRecord; news: News; amounts: Amounts | null; kind: Kind; now: number};
type ReceiverItem = {record: LeadIdentity; news: News; kind: ForReceivers; who: string | undefined};

/** @param requests at least one, in any order */
export function digestEmail(requests: readonly DeliveryRequest[], settings: Settings): Email {
  const all = itemsOf(requests, settings);
  const items = all.filter((item): item is Item => 'amounts' in item);
  const [erased, revoked] = [ofKind(all, 'erased'), ofKind(all, 'revoked')];
  const repeats = items.filter(({kind}) => kind === 'repeat');
  const hasContact = settings.details === 'contact';
  const open = ({record, kind}: Item | ReceiverItem) =>
    kind === 'erased' ? undefined : openLine(pageOf(record, settings));
  const list = (kind: Kind, title: string): Block[] => {
    const groups = items
      .filter((item) => item.kind === kind)
      .map((item) => [
        ...linesOf(item, items, settings),
        open(item),
        ...repeats.filter(({record}) => record.duplicateOf === item.record.id).map(repeatLine),
      ]);
    return groups.length === 0 ? [] : [{title}, ...(settings.details === 'none' ? [groups.flat()] : groups)];
  };
  const shown = new Set(items.filter((item) => !repeats.includes(item)).map(({record}) => record.id));
  const ofEarlier = repeats.filter(({record}) => !shown.has(record.duplicateOf ?? ''));
  const nameOf = ({record}: Item) => (hasContact ? `, ${theirName(record.lead)}` : '');
  return emailOf(
    subjectOf(items, erased, revoked),
    [
      ...list('new', 'New leads'),
      ...list('later', 'Answered or refused now'),
      ...(ofEarlier.length === 0 ? [] : [{title: 'Repeats of leads in earlier e-mails'}]),
      ofEarlier.flatMap((item) => [repeatLine(item) + nameOf(item), open(item)]),
      ...toldTo(revoked, 'Consent taken back', 'taken back', howToFollow.revoked, open, settings),
      ...toldTo(erased, 'Erased', 'erased', howToFollow.erased, open, settings),
    ],
    digestId(requests),
  );
}

/**
 * One item for each lead, in the order in which they came. If a lead came and was answered since the last digest, it is
 * a new lead with its answer. Of a lead that was erased since, or whose consent was taken back, nothing else is reported.
 */
function itemsOf(
  requests: readonly DeliveryRequest[],
  {rounding, details}: Settings,
): (Item | ReceiverItem)[] {
  const byLead = Map.groupBy(requests, ({lead}) => lead.id);
  const items = [...byLead.values()].map((group): Item | ReceiverItem => {
    const last = group.filter(isForReceivers).toSorted((one) => (one.content === 'erased' ? -1 : 1))[0];
    if (last) {
      const contact = last.content === 'revoked' && details === 'contact' ? last.contact : undefined;
      return {record: last.lead, news: newsOf(last), kind: last.content, who: contact && stopped(contact)};
    }
    const records = group.map(withRecord);
    const find = (...contents: DeliveryContent[]) => records.find(({content}) => contents.includes(content));
    const [created, later] = [find('created'), find('answered', 'refused')];
    const request = later ?? created;
    if (!request) throw new Error('A digest reports only news');
    const news = newsOf(request);
    const kind = !created ? 'later' : isRepeat(created) ? 'repeat' : 'new';
    return {
      record: request.lead,
      news,
      amounts: shownAmountsOf(news.answer, rounding),
      kind,
      now: request.now,
    };
  });
  return items.toSorted((one, other) => one.record.createdAt - other.record.createdAt);
}

const ofKind = (items: readonly (Item | ReceiverItem)[], wanted: ForReceivers) =>
  items.filter((item): item is ReceiverItem => item.kind === wanted);

/** What only those hear who had the lead. */
const toldTo = (
  items: readonly ReceiverItem[],
  title: string,
  word: string,
  what: string,
  open: (item: ReceiverItem) => Line | undefined,
  settings: Settings,
): Block[] =>
  items.length === 0
    ? []
    : [
        {title},
        [
          what,
          ...items.flatMap((item) => [
            item.who === undefined ? undefined : [{bold: item.who}],
            [...identity(item, settings), `${word} ${time(item.news.at)}`, scopeLine(item.record)]
              .filter(Boolean)
              .join(', '),
            open(item),
          ]),
        ],
      ];

/** Such as `12 new leads, $4,130,000; 3 answered; 1 refused; 1 to stop; 1 erased; 2 repeats`. */
function subjectOf(
  items: readonly Item[],
  erased: readonly ReceiverItem[],
  revoked: readonly ReceiverItem[],
): string {
  const [{who} = {who: undefined}] = revoked;
  if (who !== undefined && revoked.length + erased.length + items.length === 1) return `Stop: ${who}`;
  const ofKind = (wanted: Kind) => items.filter(({kind}) => kind === wanted);
  const [news, repeats, later] = [ofKind('new'), ofKind('repeat'), ofKind('later')];
  const refused = later.filter(({news: {answer}}) => answer?.status === 'refused');
  const answered = later.filter((item) => !refused.includes(item));
  const parts: [items: readonly unknown[], before: string, after: string][] = [
    [news, 'new ', totalOf(news)],
    [answered, '', ` answered${totalOf(answered)}`],
    [refused, '', ' refused'],
    [revoked, '', ' to stop'],
    [erased, '', ' erased'],
    [repeats, '', repeats.length === 1 ? ' repeat' : ' repeats'],
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

/** Counts a corrected lead once, in its new form. */
function totalOf(items: readonly Item[]): string {
  const replaced = new Set(items.map(({record}) => record.supersedes));
  const totals = items.flatMap(({record, amounts}) =>
    amounts && !replaced.has(record.id) ? [amounts[totalAmount]] : [],
  );
  return totals.length === 0 ? '' : `, ${dollars(totals.reduce((sum, total) => sum + total, 0))}`;
}

/** The visitor, where that is allowed, then reference, outcome, partner, time, and the lead that it corrects. */
function linesOf(
  {record, news, amounts, now}: Item,
  items: readonly Item[],
  settings: Settings,
): (Line | undefined)[] {
  const standard = record.lead.lead_type === 'standard' ? 'standard' : undefined;
  const [reference, ...rest] = identity({record, news}, settings);
  const correctedBy = items.find((other) => other.record.supersedes === record.id)?.record.id;
  const call = callingOf(record, now, {correctedBy});
  const suspicion = suspicionOf(record);
  const total = outcome(record, news.answer, amounts) ?? standard;
  return [
    ...(settings.details === 'contact'
      ? [contactLine(record, call), ...callNotice(record, call).notice]
      : []),
    suspicion && `May be a bot: ${suspicion}`,
    [reference, total, ...rest, correction(record)].filter(Boolean).join(', '),
  ];
}

const repeatLine = ({record, news}: Item): string =>
  `${news.reference}, the same as ${referenceOf(record.duplicateOf ?? record.id)}, ${time(record.createdAt)}`;

const identity = ({record, news}: Pick<Item | ReceiverItem, 'record' | 'news'>, settings: Settings) => [
  news.reference,
  record.partner === null ? '/json/leads' : senderOf(record, settings),
  time(record.createdAt),
];

/** The id says which news the e-mail reports. The order of the news does not change it. */
function digestId(requests: readonly DeliveryRequest[]): string {
  const ids = requests.map((request) => newsOf(request).id).toSorted();
  return `digest_${createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 32)}`;
}
