/** Makes texts safe for a terminal, a spreadsheet or a log: without characters that these would obey, or that nobody would see. */
import {controls, lineBreak, unseen} from '../leads/hidden-characters.ts';

/**
 * JSON in which control characters and hidden characters are escapes such as `\u009b`.
 * @param indent spaces, for JSON of several lines
 */
export const toJson = (value: object, indent?: number): string =>
  JSON.stringify(value, undefined, indent)
    .split('\n')
    .map((line) => line.replace(controls, escaped).replace(unseen, escaped))
    .join('\n');

const escaped = (characters: string) =>
  characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/**
 * A text that is safe for a terminal or a spreadsheet. All line breaks become `\n`, and tabs stay. Other control characters and
 * hidden characters become `�`: they could change the terminal, or the text before and after.
 */
export const visible = (text: string): string =>
  text
    .replace(lineBreak, '\n')
    .replace(controls, (some) => some.replace(/[^\t\n]+/g, '�'))
    .replace(unseen, '�');

/**
 * A stranger's text in one line, so that no part of it looks like a line of our own. Several spaces become one, because a
 * terminal would wrap the line after them.
 */
export const printable = (text: string): string => visible(text).replace(/\s+/g, ' ');
