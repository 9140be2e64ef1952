/** The e-mail that reports one piece of news of one lead. */
import type {EmailSettings} from '../../config/destinations.ts';
import {formOnlyFields, formOnlyNames} from '../../../contract/extra-fields.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {afterTouch} from '../../../form/words/en.ts';
import type {Answer, LeadRecord, Tombstone} from '../../leads/stored-lead.ts';
import type {DeliveryRequest, RecordRequest} from '../destination.ts';
import {newsOf, type News} from '../news.ts';
import {theirAddress, theirPhone, theirWords} from './their-words.ts';
import {
  amountLines,
  blocks,
  earlierLead,
  howToDrop,
  howToFollowErasure,
  howToRelease,
  howToShow,
  outcome,
  relation,
  senderOf,
  suspicionOf,
  time,
  type Email,
} from './wording.ts';

/** The maximum length, in characters, of what visitors typed or what came with a link. */
const [longestName, longestValue] = [160, 80];

/**
 * @param details whether the e-mail names the visitor. Without that it holds no personal data
 * @param follower what the answer will come in. Chat rooms get the same words
 */
export function leadEmail(
  request: DeliveryRequest,
  details: EmailSettings['details'],
  follower = 'another e-mail',
): Email {
  const news = newsOf(request);
  if (request.content === 'erased') return erasedEmail(news, request.lead);
  const {lead: record, content, happenedAt} = request;
  const {answer, reference} = news;
  const isLate = content === 'answered' || content === 'refused';
  const earlier = isLate ? record.id : earlierLead(record);
  const {subject, opening} = headline(request);
  return {
    subject,
    text: blocks(
      [opening],
      [
        `Reference: ${reference}`,
        `From: ${senderOf(record)}`,
        `Received: ${time(record.createdAt)}`,
        content === 'answered' ? `Answered: ${time(happenedAt)}` : undefined,
        content === 'refused' ? `Refused: ${time(happenedAt)}` : undefined,
        `Type: ${record.lead.lead_type === 'standard' ? 'standard, without amounts' : 'pre-qualification'}`,
        relationLine(record),
        suspicionOf(record) === undefined ? undefined : `May be from a bot: ${suspicionOf(record)}`,
      ],
      totalLines(record, answer, follower),
      details === 'contact' ? contactLines(record) : [],
      campaignLines(record),
      content === 'held' ? heldLines(record.id) : [],
      ['To see all of it, on the server:', howToShow(reference)],
    ),
    id: news.id,
    follows: earlier === null ? undefined : firstEmail(earlier),
  };
}

/** It has no link and no command, because the server shows nothing of an erased lead. */
const erasedEmail = ({id, at, reference}: News, lead: Tombstone): Email => ({
  subject: `Lead ${reference} from ${senderOf(lead)} was erased: delete what you have of it`,
  text: blocks(
    [`This lead was erased. ${howToFollowErasure}`],
    [
      `Reference: ${reference}`,
      `From: ${senderOf(lead)}`,
      `Received: ${time(lead.createdAt)}`,
      `Erased: ${time(at)}`,
    ],
  ),
  id,
  follows: firstEmail(lead.id),
});

/** The name of the first e-mail about a lead. */
const firstEmail = (lead: string) => `evt_created_${lead}`;

/** The subject, and a sentence for what a subject cannot say. */
function headline(request: RecordRequest): {subject: string; opening?: string} {
  const {lead: record, content} = request;
  const {answer, reference} = newsOf(request);
  const [sender, related] = [senderOf(record), relation(record)];
  const outcomeOf = outcome(record, answer);
  const ending = outcomeOf === undefined ? '' : `: ${outcomeOf}`;
  switch (content) {
    case 'held':
      return {
        subject: `Held for you: lead ${reference} from ${sender}, may be from a bot`,
        opening: 'A bot may have sent this lead. It is sent to nobody until you decide.',
      };
    case 'refused':
      return {
        subject: `Lead ${reference} was refused`,
        opening: 'This lead was refused, so it gets no amounts.',
      };
    case 'answered':
      return {subject: `Lead ${reference} was answered${ending}`};
    case 'created':
    case 'lead':
    case 'confirmation':
      if (record.duplicateOf !== null)
        return {
          subject: `Again: lead ${reference} from ${sender} (${related})`,
          opening: 'The same lead came again, with the same fields.',
        };
      if (record.supersedes !== null)
        return {
          subject: `Corrected: lead ${reference} from ${sender} (${related})${ending}`,
          opening: 'A visitor corrected an earlier lead.',
        };
      return {subject: `New lead ${reference} from ${sender}${ending}`};
  }
}

function totalLines({lead}: LeadRecord, answer: Answer | null, follower: string): string[] {
  if (answer?.status === 'done') return answer.amounts === null ? [] : amountLines(answer.amounts);
  if (answer?.status !== 'pending' || lead.lead_type === 'standard') return [];
  return [`Total: to follow in ${follower}`];
}

function relationLine({duplicateOf, supersedes}: LeadRecord): string | undefined {
  if (duplicateOf !== null) return `The same as: ${referenceOf(duplicateOf)}, which gets the answer`;
  return supersedes === null ? undefined : `Replaces: ${referenceOf(supersedes)}`;
}

function contactLines({lead}: LeadRecord): string[] {
  const {typed, e164} = lead.phone;
  return [
    "In the visitor's words:",
    `Name: ${theirWords(`${lead.first_name} ${lead.last_name}`, longestName)}`,
    `Phone: ${theirPhone(typed, longestValue)}`,
    // Phones make a link of it, which dials the country code, too.
    `Call: tel:${e164}`,
    ...formOnlyLines(lead),
    `E-mail: ${theirAddress(lead.email)}`,
  ];
}

const formOnlyLines = (lead: LeadRecord['lead']): string[] =>
  formOnlyNames.flatMap((name) => {
    const inMails: Readonly<Record<string, string>> = formOnlyFields[name].inMails;
    const chosen = lead[name];
    return chosen
      ? [`${afterTouch.labels[name]}: ${inMails[chosen] ?? theirWords(chosen, longestValue)}`]
      : [];
  });

/**
 * The lines that name the campaign. Click ids and addresses of pages are left out, because they can identify a visitor.
 */
const campaignLines = ({attribution}: LeadRecord): string[] => {
  const line = (label: string, value: string | undefined) =>
    value === undefined ? undefined : `${label}: ${theirWords(value, longestValue)}`;
  const lines = [
    line('Source', attribution?.utm_source),
    line('Medium', attribution?.utm_medium),
    line('Campaign', attribution?.utm_campaign),
  ].filter((each) => each !== undefined);
  return lines.length === 0 ? [] : ['In the words of the link that brought the visitor:', ...lines];
};

const heldLines = (id: string): string[] => [
  'If a person sent it, send it on:',
  howToRelease(id),
  'If a bot sent it, drop it:',
  howToDrop(id),
];
