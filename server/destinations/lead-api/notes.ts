/**
 * The notes of a lead as an upstream gets them. They also say what the specification has no fields for: what only the form
 * asks for, such as when to call, where the lead came from, and the consent.
 */
import {attributionKeys} from '../../../contract/embed.ts';
import {callerQuestions} from '../../../contract/questions.ts';
import {characters, cutTo} from '../../../contract/fields.ts';
import {lineBreak} from '../../leads/hidden-characters.ts';
import {formAnswers} from '../../leads/own-answers.ts';
import type {Consent, LeadRecord} from '../../leads/stored-lead.ts';

const maxLength = callerQuestions.notes.max;
/**
 * This many of the characters are reserved for what the visitor or the caller wrote, even if the link that brought the
 * visitor has long values.
 */
const forTheirs = maxLength / 2;

/**
 * Our lines come first, such as `call_time: morning`, one for each value. A line for which there is no room is left out. What
 * the visitor wrote stands below, each line behind `> `, so that none looks like one of ours, and is cut at the end.
 * The notes of a caller stay as they are, because a server wrote them, below the lines of the consent if it brought one.
 * @param isAttributionSaid whether the upstream hears what the form reports: the attribution, and the consent
 * @returns undefined if there is nothing to say
 */
export function notesOf(
  {lead, partner, consent, attribution}: Pick<LeadRecord, 'lead' | 'partner' | 'consent' | 'attribution'>,
  isAttributionSaid: boolean,
): string | undefined {
  const {notes} = lead;
  const said = isAttributionSaid ? attribution : null;
  const ours = [
    ...(consent && (isAttributionSaid || consent.source) ? consentLines(partner, consent) : []),
    ['opt_out_signal', attribution?.opt_out_signal] as const,
    ...formAnswers(lead).map(({name, value}) => [name, value] as const),
    ...(lead.answers ?? []).map(({name, text}) => [name, text ?? undefined] as const),
    ...attributionKeys.map((key) => [key, said?.[key]] as const),
  ].filter(([, value]) => value !== undefined);
  if (ours.length === 0 && (partner === null || !notes)) return notes;
  const theirs =
    partner === null || !notes ? (notes ?? '') : ['The visitor wrote:', ...quoted(notes)].join('\n');
  const room = maxLength - Math.min(characters(theirs), forTheirs);
  let text = '';
  for (const [key, value = ''] of ours) {
    const line = `${key}: ${oneSpace(value)}\n`;
    if (characters(text + line) <= room) text += line;
  }
  return cutTo(`${text}${theirs}`.trimEnd(), maxLength) || undefined;
}

/** The certificate comes first, because buyers of leads claim it: there is always room for it if it is not very long. */
function consentLines(
  partner: string | null,
  {certificateUrl, givenAt, givenWith, textLanguage, textVersion}: Consent,
) {
  const text = [partner, textLanguage, textVersion].filter(Boolean).join('/');
  return [
    ['certificate_url', certificateUrl],
    [
      'consent',
      `${new Date(givenAt).toISOString()}, ${text}${givenWith ? ', to calls of another number' : ''}`,
    ],
  ] as const;
}

/**
 * Replaces many spaces by one. Otherwise a program would wrap the line after them, and the rest would look like a
 * separate line.
 */
const oneSpace = (text: string) => text.replace(/\s+/g, ' ');
const quoted = (notes: string) => notes.split(lineBreak).map((line) => `> ${oneSpace(line)}`.trimEnd());
