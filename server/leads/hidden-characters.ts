/**
 * Characters that terminals, mail programs and spreadsheets obey or hide instead of showing them. Strangers can write
 * them into their texts. Commands and e-mails decide by these two patterns what they print instead.
 */
import {cutTo} from '../../contract/fields.ts';

/** Where a line ends, in the way of any system. */
export const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Control characters, and separators of lines and paragraphs: they begin lines, move the cursor or change a terminal. */
export const controls = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * Characters that are not visible. Some change the direction of the text around them. Others hide words, such as the
 * tags from U+E0000 on. Halves of characters are included, because they are not text. The two joiners and the variation
 * selectors are not included, because some scripts, names and emoji need them.
 */
export const unseen =
  /[[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]--[\u200c\u200d\p{Variation_Selector}]]+/gv;

/**
 * One line of a text that was typed or came with a link. Line breaks could start a header of an e-mail or feign a line
 * of ours, as many spaces could, after which a mail program wraps the line. A long text could hide the rest.
 * @param max characters
 */
export const oneLine = (text: string, max: number): string =>
  cutTo(text.replace(unseen, '').replace(controls, ' ').replace(/\s+/g, ' ').trim(), max);

const writtenFromTheRight =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/** In isolates, a text that is written from the right does not change the order of what stands beside it, such as a number. */
export const isolated = (text: string): string =>
  writtenFromTheRight.test(text) ? `\u2068${text}\u2069` : text;
