/**
 * The e-mail that reports one piece of news of one lead. With `details: contact` it is for the person who calls the
 * visitor: whom, where and when to call come first, then the money, then the rest.
 */
import type {Amounts} from '../../../contract/amounts.ts';
import {referenceOf} from '../../../contract/reference.ts';
import type {ChatSettings, EmailSettings} from '../../config/destinations.ts';
import {shownAmountsOf} from '../../leads/calculated-answer.ts';
import type {LeadRecord, Tombstone} from '../../leads/stored-lead.ts';
import type {DeliveryRequest, RecordRequest} from '../destination.ts';
import {newsOf, type News} from '../news.ts';
import {plain, type Block, type Line} from './message.ts';
import {theirName, theirWords} from './their-words.ts';
import {answerBlocks, consentLine, contactLine, timeLine} from './visitor-lines.ts';
import {
  amountLine,
  correction,
  emailOf,
  howToFollowErasure,
  outcome,
  senderOf,
  suspicionOf,
  time,
  type Email,
} from './wording.ts';

/** The maximum length, in characters, of what came with a link. */
const longestCampaign = 240;

/**
 * @param settings without `details: contact` the e-mail holds no personal data. A chat room gets the same words. Its
 *   messages have no subject apart from their text, so the line that names the visitor stands there
 */
export function leadEmail(
  request: DeliveryRequest,
  {type, details, rounding}: Pick<EmailSettings | ChatSettings, 'type' | 'details' | 'rounding'>,
): Email {
  const news = newsOf(request);
  if (request.content === 'erased') return erasedEmail(news, request.lead);
  const {lead: record, content} = request;
  const amounts = shownAmountsOf(news.answer, rounding);
  const [isChat, hasContact] = [type === 'chat', details === 'contact'];
  const held = content === 'held' ? [heldLine(record, news)] : [];
  const answer = [answerLine(record, news, amounts, isChat ? 'message' : 'e-mail')];
  const rest = [campaignLine(record), ...factLines(request, news)];
  const blocks: Block[] = hasContact
    ? [
        held,
        [isChat ? undefined : contactLine(record), content === 'held' ? undefined : timeLine(record)],
        answer,
        ...answerBlocks(record),
        [consentLine(record), ...rest],
      ]
    : [held, answer, rest, ['The operator of the lead server finds the visitor by the reference.']];
  const isLate = content === 'answered' || content === 'refused';
  const earlier = isLate ? record.id : record.supersedes;
  const subject = hasContact ? subjectFor(request, amounts, isChat) : bareSubject(request, amounts);
  return emailOf(subject, blocks, news.id, earlier === null ? undefined : firstEmail(earlier));
}

/** It says what to do alone, because the server shows nothing of an erased lead. */
const erasedEmail = ({id, at, reference}: News, lead: Tombstone): Email =>
  emailOf(
    `Lead ${reference} from ${senderOf(lead)} was erased: delete what you have of it`,
    [
      [`This lead was erased. ${howToFollowErasure}`],
      [
        `Reference: ${reference}`,
        `From: ${senderOf(lead)}`,
        `Received: ${time(lead.createdAt)}`,
        `Erased: ${time(at)}`,
      ],
    ],
    id,
    firstEmail(lead.id),
  );

/** The name of the first e-mail about a lead. */
const firstEmail = (lead: string) => `evt_created_${lead}`;

/** Such as `Ana Silva, $862,000 (acme)`; in a chat room, how to call the visitor. Before it stands what is not usual. */
function subjectFor(request: RecordRequest, amounts: Amounts | null, isChat: boolean): string {
  const {lead: record, content} = request;
  const {answer} = newsOf(request);
  const words: {[Content in RecordRequest['content']]?: string} = {
    held: 'Held, may be from a bot: ',
    answered: 'Answered: ',
    refused: 'Refused: ',
  };
  const before = words[content] ?? (record.supersedes === null ? '' : 'Corrected: ');
  if (isChat) return before + plain(contactLine(record));
  const after = content === 'refused' ? undefined : outcome(record, answer, amounts);
  return `${before}${[theirName(record.lead), after].filter(Boolean).join(', ')} (${senderOf(record)})`;
}

/** A subject without personal data. */
function bareSubject(request: RecordRequest, amounts: Amounts | null): string {
  const {lead: record, content} = request;
  const {answer, reference} = newsOf(request);
  const [sender, corrects] = [senderOf(record), correction(record)];
  const after = outcome(record, answer, amounts);
  const ending = after === undefined ? '' : `: ${after}`;
  if (content === 'held') return `Held for you: lead ${reference} from ${sender}, may be from a bot`;
  if (content === 'refused') return `Lead ${reference} was refused`;
  if (content === 'answered') return `Lead ${reference} was answered${ending}`;
  return corrects === undefined
    ? `New lead ${reference} from ${sender}${ending}`
    : `Corrected: lead ${reference} from ${sender} (${corrects})${ending}`;
}

const heldLine = (record: LeadRecord, {reference}: News): string =>
  `A bot may have sent this lead: ${suspicionOf(record)}. Do not call yet: the operator of the lead server sends it on or drops it, by the reference ${reference}.`;

function answerLine(
  {lead}: LeadRecord,
  {answer}: News,
  amounts: Amounts | null,
  follower: string,
): Line | undefined {
  if (answer?.status === 'refused') return 'This lead was refused, so it gets no amounts.';
  if (amounts) return amountLine(amounts);
  const isPending = answer?.status === 'pending' && lead.lead_type !== 'standard';
  return isPending ? `Amounts to follow in another ${follower}` : undefined;
}

/**
 * The line that names the campaign. Click ids and addresses of pages are left out, because they can identify a visitor.
 */
function campaignLine({attribution}: LeadRecord): string | undefined {
  const words = [attribution?.utm_source, attribution?.utm_medium, attribution?.utm_campaign].filter(Boolean);
  return words.length === 0
    ? undefined
    : `Campaign, in the words of the link: ${theirWords(words.join(' / '), longestCampaign)}`;
}

const factLines = ({lead: record, content, happenedAt}: RecordRequest, {reference}: News) => [
  `Reference: ${reference}`,
  `From: ${senderOf(record)}`,
  `Received: ${time(record.createdAt)}`,
  content === 'answered' ? `Answered: ${time(happenedAt)}` : undefined,
  content === 'refused' ? `Refused: ${time(happenedAt)}` : undefined,
  record.lead.lead_type === 'standard' ? 'Type: standard, without amounts' : undefined,
  record.supersedes === null ? undefined : `Replaces: ${referenceOf(record.supersedes)}`,
  record.suspect !== null && content !== 'held' ? `May be from a bot: ${suspicionOf(record)}` : undefined,
];
