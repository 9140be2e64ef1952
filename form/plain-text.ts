import {normalized} from '../contract/normalized.ts';

/**
 * What was typed or pasted, in plain characters, for fields that hold no prose. Documents, chats and foreign keyboards
 * bring full-width letters, digits of other scripts, invisible marks, and spaces and dashes of every kind.
 */
export const plainText = (typed: string) =>
  // Makes an ordinary space of almost every other one.
  normalized(typed, 'NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/ +/g, ' ')
    .replace(/[\p{Pd}−]/gu, '-')
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .trim();
