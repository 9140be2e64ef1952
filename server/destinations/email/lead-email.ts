/**
 * The e-mail that reports one event of one lead. With `details: contact` it is for the person who calls the
 * visitor: whom, where and when to call come first, then the money, then the rest.
 */
import {referenceOf} from '../../../contract/reference.ts';
import type {ChatSettings, EmailSettings} from '../../config/destinations.ts';
import {
  isForReceivers,
  type Contact,
  type DeliveryContent,
  type ForReceivers,
} from '../../leads/deliveries.ts';
import {viewOf, type LeadView} from '../../leads/lead-view.ts';
import {resultWords, senderWords} from '../../leads/lead-words.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';
import type {DeliveryRequest, RecordRequest} from '../destination.ts';
import {reportedEvent, type ReportedEvent} from '../reported-event.ts';
import type {Block, Line} from './message.ts';
import {plainAddress, shownPhone, theirAddress, theirName, theirWords} from './their-words.ts';
import {
  answerBlocks,
  changedLine,
  consentLine,
  contactLine,
  callNotice,
  personBlocks,
  stopped,
} from './visitor-lines.ts';
import {
  amountLine,
  correction,
  emailOf,
  scopeLine,
  openBlock,
  outcome,
  pageOf,
  time,
  type Email,
} from './wording.ts';

/** The maximum length, in characters, of what came with a link, and of an address that e-mails are sent to (RFC 5321). */
const [longestCampaign, longestAddress] = [240, 254];

/** The lead that this one corrects, for a message that says what was changed. */
export const correctedFor = (
  request: DeliveryRequest,
  {details}: Pick<EmailSettings | ChatSettings, 'details'>,
): Promise<LeadRecord | undefined> =>
  details === 'contact' && !isForReceivers(request) ? request.corrected() : Promise.resolve(undefined);

/**
 * @param settings without `details: contact` the e-mail holds no personal data. A chat room gets the same words. Its
 *   messages have no subject apart from their text, so the line that names the visitor stands there, and `chat` adds the
 *   link to the page of the lead itself
 * @param corrected the lead that this one corrects
 */
export function leadEmail(
  request: DeliveryRequest,
  settings: Pick<
    EmailSettings | ChatSettings,
    'type' | 'details' | 'rounding' | 'leadPages' | 'partnerNames'
  >,
  corrected?: LeadRecord,
): Email {
  const {type, details, rounding} = settings;
  const isChat = type === 'chat';
  const event = reportedEvent(request);
  const isLate = lateWords[request.content] !== undefined;
  const earlier = isLate ? request.lead.id : request.lead.supersedes;
  const follows = earlier === null ? undefined : `evt_created_${earlier}`;
  const sender = senderWords(request.lead.partner, settings.partnerNames);
  const facts = factLines(request, event, sender);
  const hasPage = !isChat && request.content !== 'erased';
  const open = openBlock(hasPage ? pageOf(request.lead, settings) : undefined);
  if (isForReceivers(request)) {
    const who =
      request.content === 'revoked' && details === 'contact' && !isChat ? request.contact : undefined;
    const [subject, what] = forReceivers[request.content];
    const words = who ? `Stop: ${stopped(who)}` : `Lead ${event.reference} from ${sender}${subject}`;
    const lines = [who ? strike : what, scopeLine(request.lead)];
    return emailOf(words, [...stopBlocks(who), lines, open, facts], event.id, follows);
  }
  const {lead: record} = request;
  const view = viewOf(record, {answer: event.answer}, {rounding, now: request.now});
  const total = outcome(view);
  const hasContact = details === 'contact';
  const blocks: Block[] = [
    suspicionBlock(view),
    ...(hasContact ? (isChat ? chatBlocks(record, view) : personBlocks(record, view)) : []),
    [answerLine(view)],
    ...(hasContact ? [[corrected && changedLine(corrected, record)], ...answerBlocks(record)] : []),
    open,
    [...(hasContact ? [consentLine(view), optOutLine(view)] : []), campaignLine(view), ...facts],
    details === 'none' ? ['The operator of the lead server finds the visitor by the reference.'] : [],
  ];
  const whom = isChat ? [contactLine(record, view)] : [theirName(record.lead), total];
  const words = [...whom, view.call && subjectOfCall[view.call.answer]].filter(Boolean).join(', ');
  const subject = hasContact
    ? `${subjectBefore(request)}${words}${isChat ? '' : ` (${sender})`}`
    : bareSubject(request, sender, details === 'link', total);
  const email = emailOf(subject, blocks, event.id, follows);
  const {email: address} = record.lead;
  const isUsual = address.length <= longestAddress && plainAddress.test(address);
  // Whoever answers the message writes to the visitor, unless that may be a stranger's address.
  return hasContact && isUsual && record.suspect === null ? {...email, replyTo: address} : email;
}

/** A room reads name and number in the first line. */
const chatBlocks = (record: LeadRecord, view: LeadView): Block[] => [
  callNotice(view),
  [[theirAddress(record.lead.email)]],
];

/** What a subject says of the call. */
const subjectOfCall: Readonly<Record<NonNullable<LeadView['call']>['answer'], string>> = {
  no: 'do not call',
  not_yet: '',
  other_lead: 'corrected',
  not_known: 'ask before you call',
  not_now: 'not now',
  yes: '',
};

const strike = 'Strike the number from every list, sheet and dialer now.';
/** For a mailbox that knows whom it is about: nobody strikes a reference from a call list. */
const stopBlocks = (who: Contact | undefined): Block[] =>
  who
    ? [
        {notice: [[{bold: 'Do not call or text this person any more.'}]], tone: 'bad'},
        {person: theirName(who), below: shownPhone(who.phone)},
        [[theirAddress(who.email)]],
      ]
    : [];

/** What happened after the lead was reported. Such an event follows the first e-mail about the lead. */
const lateWords: {[Content in DeliveryContent]?: string} = {
  answered: 'Answered',
  refused: 'Refused',
  erased: 'Erased',
  revoked: 'Said stop',
};

/** What the subject says after the lead, and what to do. */
const forReceivers: Record<ForReceivers, [subject: string, what: string]> = {
  erased: [
    ' was erased: delete what you have of it',
    'This lead was erased. Delete all that you have of it, also earlier messages about it.',
  ],
  revoked: [
    ': stop calls and messages',
    'The visitor said stop. Stop calls and messages to this person now.',
  ],
};

/** Stands before the name of the visitor if the event is another than that of a new lead. */
function subjectBefore({lead, content}: RecordRequest): string {
  const suspect = lead.suspect === null ? '' : 'May be a bot: ';
  if (content === 'answered') return `${suspect}Answered: `;
  return lead.supersedes === null ? suspect : `${suspect}Corrected: `;
}

/** A subject without personal data. @param hasSender whether it names the partner also if an earlier message has done so */
function bareSubject(
  {lead: record, content}: RecordRequest,
  sender: string,
  hasSender: boolean,
  total: string | undefined,
) {
  const reference = referenceOf(record.id);
  const corrects = correction(record);
  const lead = `Lead ${reference}${hasSender ? ` from ${sender}` : ''}`;
  const ending = total === undefined ? '' : `: ${total}`;
  if (content === 'refused') return `${lead} was refused`;
  if (content === 'answered') return `${lead} was answered${ending}`;
  return corrects === undefined
    ? `New lead ${reference} from ${sender}${ending}`
    : `Corrected: lead ${reference} from ${sender} (${corrects})${ending}`;
}

/** Stands first, because whoever calls must know it before. */
const suspicionBlock = ({suspicion: why}: LeadView): Block =>
  why === null
    ? []
    : {notice: [[{bold: 'May be a bot: '}, `${why}.`], 'Look before you call.'], tone: 'warn'};

/** That a standard lead has no amounts stands below. */
function answerLine({amounts, result}: LeadView): Line | undefined {
  if (amounts) return amountLine(amounts);
  return result === null || result === 'none' ? undefined : resultWords[result][1];
}

/**
 * The line that names the campaign. Click ids and addresses of pages are left out, because they can identify a visitor.
 */
const campaignLine = ({campaign}: LeadView): string | undefined =>
  campaign.length === 0
    ? undefined
    : `Campaign, in the words of the link: ${theirWords(campaign.join(' / '), longestCampaign)}`;

const optOutLine = ({optOut}: LeadView): string | undefined =>
  optOut === null ? undefined : `Opt-out signal: ${optOut}`;

function factLines(
  delivered: DeliveryRequest,
  {reference, at}: ReportedEvent,
  sender: string,
): (string | undefined)[] {
  const {lead, content} = delivered;
  const lines = [`Reference: ${reference}`, `From: ${sender}`, `Received: ${time(lead.createdAt)}`];
  const late = lateWords[content];
  if (late !== undefined) lines.push(`${late}: ${time(at)}`);
  if (isForReceivers(delivered)) return lines;
  return [
    ...lines,
    delivered.lead.lead.lead_type === 'standard' ? 'Type: standard, without amounts' : undefined,
    delivered.lead.supersedes === null ? undefined : `Replaces: ${referenceOf(delivered.lead.supersedes)}`,
  ];
}
