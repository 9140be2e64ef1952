/**
 * The e-mail that reports one piece of news of one lead. With `details: contact` it is for the person who calls the
 * visitor: whom, where and when to call come first, then the money, then the rest.
 */
import type {Amounts} from '../../../contract/amounts.ts';
import {referenceOf} from '../../../contract/reference.ts';
import type {ChatSettings, EmailSettings} from '../../config/destinations.ts';
import {shownAmountsOf} from '../../leads/calculated-answer.ts';
import {
  isForReceivers,
  type Contact,
  type DeliveryContent,
  type ForReceivers,
} from '../../leads/deliveries.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';
import type {DeliveryRequest, RecordRequest} from '../destination.ts';
import {newsOf, type News} from '../news.ts';
import {plain, type Block, type Line} from './message.ts';
import {shownPhone, theirAddress, theirName, theirWords} from './their-words.ts';
import {answerBlocks, consentLine, contactLine, stopped, timeLine} from './visitor-lines.ts';
import {
  amountLine,
  correction,
  emailOf,
  howToFollow,
  scopeLine,
  openLine,
  outcome,
  pageOf,
  senderOf,
  suspicionOf,
  time,
  type Email,
} from './wording.ts';

/** The maximum length, in characters, of what came with a link. */
const longestCampaign = 240;

/**
 * @param settings without `details: contact` the e-mail holds no personal data. A chat room gets the same words. Its
 *   messages have no subject apart from their text, so the line that names the visitor stands there, and `chat` adds the
 *   link to the page of the lead itself
 */
export function leadEmail(
  request: DeliveryRequest,
  settings: Pick<EmailSettings | ChatSettings, 'type' | 'details' | 'rounding' | 'leadPages'>,
): Email {
  const {type, details, rounding} = settings;
  const isChat = type === 'chat';
  const news = newsOf(request);
  const isLate = lateWords[request.content] !== undefined;
  const earlier = isLate ? request.lead.id : request.lead.supersedes;
  const follows = earlier === null ? undefined : `evt_created_${earlier}`;
  const facts = factLines(request, news);
  const hasPage = !isChat && request.content !== 'erased';
  const open = [hasPage ? openLine(pageOf(request.lead, settings)) : undefined];
  if (isForReceivers(request)) {
    const who =
      request.content === 'revoked' && details === 'contact' && !isChat ? request.contact : undefined;
    const [subject, what] = forReceivers[request.content];
    const words = who
      ? `Stop: ${stopped(who)}`
      : `Lead ${news.reference} from ${senderOf(request.lead)}${subject}`;
    const lines = [who ? strike : what, scopeLine(request.lead)];
    return emailOf(words, [...stopBlocks(who), lines, open, facts], news.id, follows);
  }
  const {lead: record} = request;
  const amounts = shownAmountsOf(news.answer, rounding);
  const total = outcome(record, news.answer, amounts);
  const contact = details === 'contact' ? contactLine(record) : undefined;
  const isHeld = request.content === 'held';
  const blocks: Block[] = [
    isHeld ? [heldLine(record, news)] : [],
    contact ? [isChat ? undefined : contact, isHeld ? undefined : timeLine(record)] : [],
    [answerLine(record, news, amounts)],
    ...(contact ? answerBlocks(record) : []),
    open,
    [contact && consentLine(record), contact && optOutLine(record), campaignLine(record), ...facts],
    details === 'none' ? ['The operator of the lead server finds the visitor by the reference.'] : [],
  ];
  const subject = contact
    ? subjectBefore(request) + (isChat ? plain(contact) : subjectOf(record, total))
    : bareSubject(request, details === 'link', total);
  return emailOf(subject, blocks, news.id, follows);
}

const strike = 'Strike the number from every list, sheet and dialer now.';
/** For a mailbox that knows whom it is about: nobody strikes a reference from a call list. */
const stopBlocks = (who: Contact | undefined): Block[] =>
  who
    ? [
        [[{bold: 'Do not call or text this person any more.'}]],
        [[{bold: theirName(who)}], [{bold: shownPhone(who.phone)}], [theirAddress(who.email)]],
      ]
    : [];

/** What happened after the lead was reported. Such news follows the first e-mail about the lead. */
const lateWords: {[Content in DeliveryContent]?: string} = {
  answered: 'Answered',
  refused: 'Refused',
  erased: 'Erased',
  revoked: 'Taken back',
};

/** What the subject says after the lead, and what to do. */
const forReceivers: Record<ForReceivers, [subject: string, what: string]> = {
  erased: [' was erased: delete what you have of it', `This lead was erased. ${howToFollow.erased}`],
  revoked: [': stop calls and messages', `The visitor took the consent back. ${howToFollow.revoked}`],
};

/** Such as `Ana Silva, $862,000 (acme)`. */
const subjectOf = (record: LeadRecord, total: string | undefined): string =>
  `${[theirName(record.lead), total].filter(Boolean).join(', ')} (${senderOf(record)})`;

/** Stands before the name of the visitor if the news is another than that of a new lead. */
function subjectBefore({lead, content}: RecordRequest): string {
  if (content === 'held') return 'Held, may be from a bot: ';
  if (content === 'answered') return 'Answered: ';
  return lead.supersedes === null ? '' : 'Corrected: ';
}

/** A subject without personal data. @param hasSender whether it names the partner also if an earlier message has done so */
function bareSubject({lead: record, content}: RecordRequest, hasSender: boolean, total: string | undefined) {
  const reference = referenceOf(record.id);
  const [sender, corrects] = [senderOf(record), correction(record)];
  const lead = `Lead ${reference}${hasSender ? ` from ${sender}` : ''}`;
  const ending = total === undefined ? '' : `: ${total}`;
  if (content === 'held') return `Held for you: lead ${reference} from ${sender}, may be from a bot`;
  if (content === 'refused') return `${lead} was refused`;
  if (content === 'answered') return `${lead} was answered${ending}`;
  return corrects === undefined
    ? `New lead ${reference} from ${sender}${ending}`
    : `Corrected: lead ${reference} from ${sender} (${corrects})${ending}`;
}

const heldLine = (record: LeadRecord, {reference}: News): string =>
  `A bot may have sent this lead: ${suspicionOf(record)}. Do not call yet: the operator of the lead server sends it on or drops it, by the reference ${reference}.`;

function answerLine({lead}: LeadRecord, {answer}: News, amounts: Amounts | null): Line | undefined {
  if (amounts) return amountLine(amounts);
  if (answer?.status === 'refused') return 'This lead was refused, so it gets no amounts.';
  const isPending = answer?.status === 'pending' && lead.lead_type !== 'standard';
  return isPending ? 'The amounts are to follow.' : undefined;
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

const optOutLine = ({attribution}: LeadRecord): string | undefined =>
  attribution?.opt_out_signal && 'Opt-out signal: do not sell or share (Global Privacy Control)';

function factLines(delivered: DeliveryRequest, {reference, at}: News): (string | undefined)[] {
  const {lead, content} = delivered;
  const lines = [`Reference: ${reference}`, `From: ${senderOf(lead)}`, `Received: ${time(lead.createdAt)}`];
  const late = lateWords[content];
  if (late !== undefined) lines.push(`${late}: ${time(at)}`);
  if (isForReceivers(delivered)) return lines;
  return [
    ...lines,
    delivered.lead.lead.lead_type === 'standard' ? 'Type: standard, without amounts' : undefined,
    lead.supersedes === null ? undefined : `Replaces: ${referenceOf(lead.supersedes)}`,
    delivered.lead.suspect === null || content === 'held'
      ? undefined
      : `May be from a bot: ${suspicionOf(delivered.lead)}`,
  ];
}
