/** What the messages with `details: contact` say of a visitor, for the person who calls. */
import {formOnlyFields, formOnlyNames} from '../../../contract/extra-fields.ts';
import {afterTouch, firstScreen} from '../../../form/words/en.ts';
import {serverWords} from '../../../form/words/server/en.ts';
import type {Contact} from '../../leads/deliveries.ts';
import {oneLine} from '../../leads/hidden-characters.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';
import {timeThere, timeZonesOf} from '../../leads/time-there.ts';
import type {Block, Line, Span} from './message.ts';
import {shownPhone, theirAddress, theirName, theirPhone, theirWords} from './their-words.ts';
import {dollars, time} from './wording.ts';

type Lead = LeadRecord['lead'];

/** Of the notes: characters of a line, and lines. */
const [longestLine, maxLines] = [2_000, 30];

const languageNames = new Intl.DisplayNames(['en'], {type: 'language'});

/** What was chosen. A newer server, which has the same database during an update, may have stored another choice. */
const inWords = (words: Readonly<Record<string, string>>, chosen: string) =>
  words[chosen] ?? theirWords(chosen, 40);

/** Whom to call, at which number, when, and in which language. */
export function contactLine({lead, consent}: LeadRecord): readonly Span[] {
  const [language] = consent?.textLanguage?.split('-') ?? [];
  const choices = formOnlyNames.map((name) => {
    const chosen = lead[name];
    return chosen && inWords(formOnlyFields[name].inMails, chosen);
  });
  const rest = [...choices, language && `in ${languageNames.of(language)}`].filter(Boolean);
  return [{bold: theirName(lead)}, ', ', ...theirPhone(lead.phone), ...rest.map((words) => `, ${words}`)];
}

/** Who said stop, for a subject and for a line, where nothing dials the number. */
export const stopped = (contact: Contact): string => `${theirName(contact)}, ${shownPhone(contact.phone)}`;

/** Many states forbid calls at other times. */
export function timeLine({lead, createdAt}: LeadRecord): string | undefined {
  const there = timeThere(createdAt, timeZonesOf(lead));
  return there && `${there} when it came. Call between 8 AM and 8 PM there.`;
}

/** What the visitor has answered, and how to write to the visitor. */
export const answerBlocks = ({lead}: LeadRecord): Block[] => [
  [
    ...financeLines(lead),
    lead.time_frame &&
      `Time frame: ${inWords(serverWords.asked.time_frame, lead.time_frame).replace(/^I/, 'i')}`,
    lead.state && `State: ${lead.state}`,
    ['E-mail: ', theirAddress(lead.email)],
  ],
  ...notesBlocks(lead),
];

function financeLines(lead: Lead): Line[] {
  if (lead.lead_type === 'standard') return [];
  const {credit_score: score, bankruptcy} = lead;
  const wasBankrupt =
    bankruptcy === undefined ? 'bankruptcy not stated' : bankruptcy ? 'bankruptcy' : 'no bankruptcy';
  return [
    `Credit score: ${inWords(firstScreen.options.credit_score, score)}, ${wasBankrupt}`,
    `Funds: retirement ${dollars(lead.retirement)}, cash ${dollars(lead.cash)}, investments ${dollars(lead.investments)}`,
  ];
}

function notesBlocks({notes}: Lead): Block[] {
  const lines = (notes ?? '')
    .split('\n')
    .map((line) => theirWords(line, longestLine))
    .filter(Boolean);
  if (lines.length === 0) return [];
  const more = lines.length > maxLines ? ['…'] : [];
  return [
    [`${afterTouch.labels.notes}, in the visitor's words:`],
    {quoted: [...lines.slice(0, maxLines), ...more]},
  ];
}

export function consentLine({consent}: LeadRecord): string | undefined {
  if (!consent) return undefined;
  const ticked = consent.agreed === null ? '' : consent.agreed ? ', box ticked' : ', box not ticked';
  return `Consent: text ${oneLine(consent.textVersion, 40)}${ticked}, ${time(consent.givenAt)}`;
}
