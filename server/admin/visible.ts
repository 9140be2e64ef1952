/** Texts as a terminal, a spreadsheet or a log may get them: without what these would obey, or nobody would see. */
import {controls, lineBreak, unseen} from '../leads/hidden-characters.ts';

/**
 * JSON whose texts show no control characters and no hidden ones: these are escapes such as `\u009b`.
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
 * A text as a terminal or a spreadsheet may get it. Line breaks of all kinds are `\n`, and tabs stay. Any other control
 * characters and hidden characters are `�`: they could change the terminal, or what is printed before and after.
 */
export const visible = (text: string): string =>
  text
    .replace(lineBreak, '\n')
    .replace(controls, (some) => some.replace(/[^\t\n]+/g, '�'))
    .replace(unseen, '�');

/**
 * The text of a stranger in one line, so that no part of it looks like a line of ours. Many spaces are one, because a
 * terminal would wrap the line after them.
 */
export const printable = (text: string): string => visible(text).replace(/\s+/g, ' ');
