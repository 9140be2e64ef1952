/** Adds to the notes of a lead where it came from, because the specification has no fields for that. */
import {attributionKeys, type Attribution} from '../../../contract/embed.ts';
import {characters, extraFields} from '../../../contract/fields.ts';

/**
 * @returns the notes with a line such as `utm_source: google` for each value. A line that would make the notes too long
 *   is left out. Undefined if there is nothing to say
 */
export function withAttribution(
  notes: string | undefined,
  attribution: Attribution | null,
): string | undefined {
  let text = notes ?? '';
  for (const key of attributionKeys) {
    const value = attribution?.[key];
    const line = `${text && '\n'}${key}: ${value ?? ''}`;
    if (value !== undefined && characters(text + line) <= extraFields.notes.max) text += line;
  }
  return text || undefined;
}
