/** Groups the digits of an amount while it is typed. */
import {groupDigits} from './format-money.ts';

/** What the visitor has just done to a text: `inputType`, `data` and `isComposing` as in the browser's `InputEvent`. */
export type Edit = {
  readonly before: string;
  readonly after: string;
  /** How many characters of `after` stand before the caret. */
  readonly caret: number;
  readonly inputType: string;
  readonly data: string | null;
  readonly isComposing: boolean;
};

/**
 * Digits and the commas between them, and no more of them than an amount can have. A paste may be very long, and the
 * time of grouping grows with the square of the length.
 */
const digitsAndCommas = /^[\d,]{0,20}$/;

const digitsOf = (text: string) => text.replace(/,/g, '');

/**
 * Groups digits that are typed one by one, and after something was deleted. The caret stays between the same two digits.
 * A deletion that takes only a comma takes the next digit with it, or else the comma would come back at once.
 *
 * What the visitor types besides digits, such as `50k`, `50.5` or a comma, stays as it is until the field is left: it is
 * not finished, and a comma may separate decimals. What is pasted, undone or being composed stays as it is, too.
 *
 * @returns what the input should show, or `undefined` if its text is to stay as it is
 */
export function groupAsTyped(edit: Edit): {text: string; caret: number} | undefined {
  const {before, after, caret, inputType, data} = edit;
  const isDeletion = inputType.startsWith('delete');
  const isTyped = isDeletion || (inputType === 'insertText' && /^\d+$/.test(data ?? ''));
  // The visitor has typed a comma before, which groups of three digits do not have.
  const hasOtherCommas = before.includes(',') && groupDigits(digitsOf(before)) !== before;
  if (!isTyped || edit.isComposing || !digitsAndCommas.test(after) || hasOtherCommas) return undefined;

  let left = digitsOf(after.slice(0, caret));
  let right = digitsOf(after.slice(caret));
  if (isDeletion && left + right === digitsOf(before)) {
    if (inputType === 'deleteContentForward') right = right.slice(1);
    else left = left.slice(0, -1);
  }
  const text = groupDigits(left + right);
  const commasToTheRight = Math.floor(right.length / 3);
  return {text, caret: Math.max(0, text.length - right.length - commasToTheRight)};
}
