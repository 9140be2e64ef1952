/** What the messages with `details: contact` say of a visitor, for the person who calls. */
import {financialFields} from '../../../contract/fields.ts';
import {firstScreen} from '../../../form/words/en.ts';
import {lookUp} from '../../../form/words/look-up.ts';
import {maxAnswer} from '../../config/questions.ts';
import type {Contact} from '../../leads/deliveries.ts';
import {answerText, choiceText, formAnswers} from '../../leads/own-answers.ts';
import {fieldLabels as labels} from '../../leads/lead-words.ts';
import type {LeadView} from '../../leads/lead-view.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';
import type {Block, Fact} from './message.ts';
import {shownPhone, theirAddress, theirName, theirPhone, theirWords} from './their-words.ts';
import {dollars, time} from './wording.ts';

type Lead = LeadRecord['lead'];
type Prequalification = Extract<Lead, {lead_type: 'prequalification'}>;

/** Of the notes: characters of a line, and lines. */
const [longestLine, maxLines] = [2_000, 30];

/** When to call, and in which language. */
function callHints({lead}: LeadRecord, {consent}: LeadView): string[] {
  const choices = formAnswers(lead).map(({text}) => theirWords(text, 80));
  return consent?.language ? [...choices, `in ${consent.language}`] : choices;
}

/** Whom to call, at which number, when, and in which language. */
export const contactLine = (record: LeadRecord, view: LeadView): string =>
  [theirName(record.lead), theirPhone(record.lead.phone), ...callHints(record, view)].join(', ');

const capitalized = (words: string) => words.replace(/^./, (first) => first.toUpperCase());

/** Who said stop, for a subject and for a line, where nothing dials the number. */
export const stopped = (contact: Contact): string => `${theirName(contact)}, ${shownPhone(contact.phone)}`;

/**
 * What whoever calls must know first. The first line is in bold. A message is read later, so it names days and the time there, and
 * not "now".
 */
export function callNotice({call, came}: LeadView): Block {
  if (!call) return [];
  const {answer, isPresumed} = call;
  const isLater = came !== call.there;
  const hours = call.hours && `${call.hours}${isPresumed ? ', by the area code' : ''}.`;
  if (answer === 'yes')
    return {notice: [[{bold: `May be called ${hours}`}], `It came at ${came}.`], tone: 'good'};
  if (answer === 'not_now')
    return {
      notice: [
        [
          {
            bold: isLater
              ? `Not now: it was ${call.there} when this was sent.`
              : `Not now: it came at ${came}.`,
          },
        ],
        capitalized(`${hours}`),
      ],
      tone: 'warn',
    };
  return {notice: [[{bold: `${call.text}.`}]], tone: answer === 'no' ? 'bad' : 'warn'};
}

/** Who it is, when to call, in which language, whether that is allowed, and how to do it. */
export function personBlocks(record: LeadRecord, view: LeadView): Block[] {
  const {lead} = record;
  const hints = callHints(record, view);
  const {e164} = lead.phone;
  const dial = theirPhone(lead.phone);
  const label = `Call ${dial}`;
  const isMain = view.call?.answer === 'yes' && view.suspicion === null;
  const call = {label, href: `tel:${e164}`, text: label, isMain};
  const text = {label: 'Text', href: `sms:${e164}`, text: `Text ${shownPhone(lead.phone)}`};
  return [
    {person: theirName(lead), below: hints.length > 0 ? capitalized(hints.join(', ')) : undefined},
    callNotice(view),
    view.call?.mayDial ? {buttons: lead.call_time === 'text_first' ? [call, text] : [call]} : [dial],
    [[theirAddress(lead.email)]],
  ];
}

/** What the visitor has answered. */
export const answerBlocks = ({lead}: LeadRecord): Block[] => [
  {
    facts: [
      ...financeFacts(lead),
      [labels.time_frame, lead.time_frame && theirWords(choiceText('time_frame', lead.time_frame), 80)],
      [labels.state, lead.state],
      ...ownFacts(lead),
    ],
  },
  ...notesBlocks(lead),
];

/** The words of the file, and what a visitor typed. */
const ownFacts = ({answers = []}: Lead): Fact[] =>
  answers.map((answer) => [theirWords(answer.label, 120), theirWords(answerText(answer), maxAnswer)]);

const financialNames = Object.keys(financialFields) as (keyof typeof financialFields)[];

/** What a message says of each field. It is typed so that the compiler asks for a new field, too. */
const financeTexts: Record<keyof typeof financialFields, (lead: Prequalification) => Fact[1]> = {
  credit_score: ({credit_score: score}) =>
    lookUp(firstScreen.options.credit_score, score) ?? theirWords(score, 40),
  bankruptcy: ({bankruptcy}) => (bankruptcy === undefined ? 'not stated' : bankruptcy ? 'yes' : 'no'),
  retirement: ({retirement}) => dollars(retirement),
  cash: ({cash}) => dollars(cash),
  investments: ({investments}) => dollars(investments),
};

function financeFacts(lead: Lead): Fact[] {
  if (lead.lead_type === 'standard') return [];
  return financialNames.map((name) => [labels[name], financeTexts[name](lead)]);
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

export const consentLine = ({consent}: LeadView): string | undefined =>
  consent?.at == null ? undefined : `Consent: ${consent.text}, text ${consent.version}, ${time(consent.at)}`;

const askedBesides = (lead: Lead) => [...formAnswers(lead), ...(lead.answers ?? [])];
const answerTo = (lead: Lead, asked: string) => askedBesides(lead).find(({name}) => name === asked);

/** What a correction changed, with what was there before. */
export function changedLine({lead: before}: LeadRecord, {lead: now}: LeadRecord): string | undefined {
  const valueOf = (lead: Lead, name: string) => new Map<string, unknown>(Object.entries(lead)).get(name);
  const changed = Object.entries(labels).filter(
    ([name]) => JSON.stringify(valueOf(before, name)) !== JSON.stringify(valueOf(now, name)),
  );
  const was = ([name, label]: [string, string]) =>
    `${label} (was ${wasWords(name, before, valueOf(before, name))})`;
  const own = [...askedBesides(before), ...askedBesides(now)]
    .filter(({name}, index, all) => all.findLastIndex((each) => each.name === name) === index)
    .map(({name, label}) => ({label, was: answerTo(before, name), is: answerTo(now, name)}))
    .filter((each) => each.was?.value !== each.is?.value)
    .map(
      (each) => `${theirWords(each.label, 120)} (was ${theirWords(each.was?.text ?? '', 80) || 'nothing'})`,
    );
  const all = [...changed.map(was), ...own];
  return all.length === 0 ? undefined : `Changed: ${all.join(', ')}`;
}

/** The former number may be that of somebody else, so nothing dials it. */
function wasWords(name: string, {phone}: Lead, value: unknown): string {
  if (name === 'phone') return theirWords(theirPhone(phone), 40);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return dollars(value);
  return (typeof value === 'string' && theirWords(value, 80)) || 'nothing';
}
