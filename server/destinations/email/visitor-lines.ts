/** What the messages with `details: contact` say of a visitor, for the person who calls. */
import {formOnlyFields, formOnlyNames} from '../../../contract/extra-fields.ts';
import {afterTouch, firstScreen} from '../../../form/words/en.ts';
import {serverWords} from '../../../form/words/server/en.ts';
import type {Contact} from '../../leads/deliveries.ts';
import {oneLine} from '../../leads/hidden-characters.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';
import {callAnswerWords, callReasonWords, mayCall, type MayCall} from '../../leads/may-call.ts';
import {plain, type Block, type Fact, type Line, type Span, type Tone} from './message.ts';
import {shownPhone, theirAddress, theirName, theirPhone, theirWords} from './their-words.ts';
import {dollars, time} from './wording.ts';

type Lead = LeadRecord['lead'];

/** Of the notes: characters of a line, and lines. */
const [longestLine, maxLines] = [2_000, 30];

const {labels} = afterTouch;
const languageNames = new Intl.DisplayNames(['en'], {type: 'language'});

/** What was chosen. A newer server, which has the same database during an update, may have stored another choice. */
const inWords = (words: Readonly<Record<string, string>>, chosen: string) =>
  words[chosen] ?? theirWords(chosen, 40);

/** When to call, and in which language. */
function callHints({lead, consent}: LeadRecord): string[] {
  const [language] = consent?.textLanguage?.split('-') ?? [];
  const choices = formOnlyNames.flatMap((name) => {
    const chosen = lead[name];
    return chosen ? [inWords(formOnlyFields[name].inMails, chosen)] : [];
  });
  return language ? [...choices, `in ${languageNames.of(language)}`] : choices;
}

/** Whom to call, at which number, when, and in which language. */
export const contactLine = (record: LeadRecord): readonly Span[] => [
  {bold: theirName(record.lead)},
  ', ',
  ...theirPhone(record.lead.phone),
  ...callHints(record).map((words) => `, ${words}`),
];

const capitalized = (words: string) => words.replace(/^./, (first) => first.toUpperCase());

/** Who said stop, for a subject and for a line, where nothing dials the number. */
export const stopped = (contact: Contact): string => `${theirName(contact)}, ${shownPhone(contact.phone)}`;

/**
 * Whether the lead may be called when it came. A message is read later, so it names days and the time there, not "now".
 * @param isHeld whether an operator must decide first
 */
export function callingOf(
  {lead, consent, createdAt, mailboxStoppedAt}: LeadRecord,
  isHeld: boolean,
): MayCall {
  return mayCall({lead, consent, isHeld, addressStoppedAt: mailboxStoppedAt}, createdAt);
}

/** What whoever calls must know first. The first line is in bold. */
export function callNotice(call: MayCall): {notice: Line[]; tone: Tone} {
  const {answer, there, isPresumed} = call;
  const hours = call.hours && `${call.hours}${isPresumed ? ', by the area code' : ''}.`;
  if (answer === 'yes')
    return {notice: [[{bold: `May be called ${hours}`}], `It came at ${there}.`], tone: 'good'};
  if (answer === 'not_now')
    return {
      notice: [[{bold: `Not now: it came at ${there}.`}], capitalized(`${hours}`)],
      tone: 'warn',
    };
  return {
    notice: [[{bold: `${callAnswerWords[answer]}: ${callReasonWords(call)}.`}]],
    tone: answer === 'no' ? 'bad' : 'warn',
  };
}

/** Who it is, when to call, in which language, whether that is allowed, and how to do it. */
export function personBlocks(record: LeadRecord, call: MayCall): Block[] {
  const {lead} = record;
  const hints = callHints(record);
  const dial = [...theirPhone(lead.phone)]
    .map((span) => (typeof span === 'string' ? span : plain([span])))
    .join('');
  const {e164} = lead.phone;
  const text = {label: 'Text', href: `sms:${e164}`, text: `Text ${shownPhone(lead.phone)}`};
  const mayDial = call.answer !== 'no' && call.answer !== 'not_yet';
  return [
    {person: theirName(lead), below: hints.length > 0 ? capitalized(hints.join(', ')) : undefined},
    // What a bot may have sent has a notice of its own above the name.
    ...(call.reason === 'may_be_bot' ? [] : [callNotice(call)]),
    mayDial
      ? {
          buttons: [
            {
              ...{label: `Call ${dial}`, href: `tel:${e164}`, text: `Call ${dial}`},
              isMain: call.answer === 'yes',
            },
            ...(lead.call_time === 'text_first' ? [text] : []),
          ],
        }
      : [dial],
    [theirAddress(lead.email)].map((address) => [address]),
  ];
}

/** What the visitor has answered. */
export const answerBlocks = ({lead}: LeadRecord): Block[] => [
  {
    facts: [
      ...financeFacts(lead),
      [labels.time_frame, lead.time_frame && inWords(serverWords.asked.time_frame, lead.time_frame)],
      [labels.state, lead.state],
    ],
  },
  ...notesBlocks(lead),
];

function financeFacts(lead: Lead): Fact[] {
  if (lead.lead_type === 'standard') return [];
  const {credit_score: score, bankruptcy} = lead;
  const wasBankrupt = bankruptcy === undefined ? 'not stated' : bankruptcy ? 'yes' : 'no';
  return [
    [labels.credit_score, inWords(firstScreen.options.credit_score, score)],
    [labels.bankruptcy, wasBankrupt],
    [labels.retirement, dollars(lead.retirement)],
    [labels.cash, dollars(lead.cash)],
    [labels.investments, dollars(lead.investments)],
  ];
}

function notesBlocks({notes}: Lead): Block[] {
  const lines = (notes ?? '')
    .split('\n')
    .map((line) => theirWords(line, longestLine))
    .filter(Boolean);
  if (lines.length === 0) return [];
  const more = lines.length > maxLines ? ['…'] : [];
  return [[`${labels.notes}, in the visitor's words:`], {quoted: [...lines.slice(0, maxLines), ...more]}];
}

export function consentLine({consent}: LeadRecord): string | undefined {
  if (!consent) return undefined;
  const ticked = consent.agreed === null ? '' : consent.agreed ? ', box ticked' : ', box not ticked';
  return `Consent: text ${oneLine(consent.textVersion, 40)}${ticked}, ${time(consent.givenAt)}`;
}

/** What a correction changed, with what was there before. */
export function changedLine({lead: before}: LeadRecord, {lead: now}: LeadRecord): string | undefined {
  const [was, is] = [valuesOf(before), valuesOf(now)];
  const changed = Object.entries(labels).filter(([name]) => was.get(name) !== is.get(name));
  return changed.length === 0
    ? undefined
    : `Changed: ${changed.map(([name, label]) => `${label} (was ${was.get(name) ?? 'nothing'})`).join(', ')}`;
}

/** By the names of fields, in words. */
const valuesOf = ({phone, ...lead}: Lead): ReadonlyMap<string, string> =>
  new Map([
    ['phone', shownPhone(phone)],
    ...Object.entries(lead).map(([name, value]): [string, string] => {
      if (typeof value === 'boolean') return [name, value ? 'yes' : 'no'];
      return [name, typeof value === 'number' ? dollars(value) : theirWords(value ?? '', 80)];
    }),
  ]);
