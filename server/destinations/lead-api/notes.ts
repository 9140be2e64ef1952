/**
 * The notes of a lead as an upstream gets them. They also say what the specification has no fields for: what only the form
 * asks for, such as when to call, and where the lead came from.
 */
import {attributionKeys, type Attribution} from '../../../contract/embed.ts';
import {extraFields, formOnlyNames} from '../../../contract/extra-fields.ts';
import {characters, cutTo} from '../../../contract/fields.ts';
import {lineBreak} from '../../leads/hidden-characters.ts';
import type {LeadRecord} from '../../leads/stored-lead.ts';

const maxLength = extraFields.notes.max;
/**
 * This many of the characters are reserved for what the visitor wrote, even if the link that brought the visitor has
 * long values.
 */
const forTheVisitor = maxLength / 2;

/**
 * Our lines come first, such as `call_time: morning`, one for each value. A line for which there is no room is left out. What
 * the visitor wrote stands below, each line behind `> `, so that none looks like one of ours, and is cut at the end.
 * The notes of a caller stay as they are, because a server wrote them.
 * @param attribution null if it must not be said
 * @returns undefined if there is nothing to say
 */
export function notesOf(
  {lead, partner}: Pick<LeadRecord, 'lead' | 'partner'>,
  attribution: Attribution | null,
): string | undefined {
  const {notes} = lead;
  const isSaid = notes || attribution || formOnlyNames.some((name) => lead[name]);
  if (partner === null || !isSaid) return notes;
  const theirs = notes ? ['The visitor wrote:', ...quoted(notes)].join('\n') : '';
  const room = maxLength - Math.min(characters(theirs), forTheVisitor);
  let text = '';
  for (const [key, value] of [
    ...formOnlyNames.map((name) => [name, lead[name]] as const),
    ...attributionKeys.map((key) => [key, attribution?.[key]] as const),
  ]) {
    const line = value === undefined ? '' : `${key}: ${oneSpace(value)}\n`;
    if (characters(text + line) <= room) text += line;
  }
  return cutTo(`${text}${theirs}`.trimEnd(), maxLength) || undefined;
}

/**
 * Replaces many spaces by one. Otherwise a program would wrap the line after them, and the rest would look like a
 * separate line.
 */
const oneSpace = (text: string) => text.replace(/\s+/g, ' ');
const quoted = (notes: string) => notes.split(lineBreak).map((line) => `> ${oneSpace(line)}`.trimEnd());
