/** Adds to the notes of a lead what the specification has no fields for: when to call, and where the lead came from. */
import {attributionKeys, type Attribution} from '../../../contract/embed.ts';
import {extraFields} from '../../../contract/extra-fields.ts';
import {characters} from '../../../contract/fields.ts';
import type {Lead} from '../../leads/lead-schema.ts';

/**
 * @param attribution null if it must not be said
 * @returns the notes with a line such as `call_time: morning` for each value. A line that would make the notes too long
 *   is left out. Undefined if there is nothing to say
 */
export function withFurther(
  {notes, call_time}: Pick<Lead, 'notes' | 'call_time'>,
  attribution: Attribution | null,
): string | undefined {
  let text = notes ?? '';
  const lines = [
    ['call_time', call_time] as const,
    ...attributionKeys.map((key) => [key, attribution?.[key]] as const),
  ];
  for (const [key, value] of lines) {
    const line = `${text && '\n'}${key}: ${value ?? ''}`;
    if (value !== undefined && characters(text + line) <= extraFields.notes.max) text += line;
  }
  return text || undefined;
}
