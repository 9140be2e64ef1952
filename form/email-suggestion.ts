/** Finds a mistake in an e-mail address, mostly a mistyped domain, and the address that was probably meant. */
import {normalized} from '../contract/normalized.ts';
import {readEmail} from './email.ts';

/**
 * Common domains, at which nobody has an accent in an address. Names of fewer than five letters are left out, because
 * short names of other existing domains differ from them in a single letter.
 */
const domains = [
  'gmail.com',
  'yahoo.com',
  'hotmail.com',
  'outlook.com',
  'icloud.com',
  'protonmail.com',
  'comcast.net',
  'verizon.net',
  'sbcglobal.net',
  'bellsouth.net',
];

/** Common domains with such short names, of which only the ending may be mistyped. */
const shortDomains = ['aol.com', 'msn.com', 'live.com', 'att.net', 'cox.net'];

/** Mistyped endings, which do not exist, and the right ones. */
const endings = [
  [/\.(c|cim|c0m|con|cmo|ocm|c?omm|coom|comn|cpm|xom|vom)$/, '.com'],
  [/\.(nte|ent|met|nett)$/, '.net'],
  [/\.(ogr|rog|orgg|prg)$/, '.org'],
] as const;

/** Nobody has a mailbox at these names in other countries, unlike at `yahoo.es`. */
const onlyCom = /^(gmail|icloud)\.(?:com?\.)?[a-z]{2,3}$/;
/** A name with a part of its ending, with another common one, or with a number, which no domain ends with. */
const nameAndEnding = /^([^.]+)(?:\.(?:c?o?m?|ne?t?|org|\d+))?$/;
/** What stands before the `@` and behind it. The `@` may be typed twice, or the domain with it. */
const personAndDomain = /^([^@]+)@+(?:([^@]+)@+(?=\2$))?([^@]+)$/i;
/** The letters as they stand on the keyboard, row by row. */
const keys = 'qwertyuiop asdfghjkl zxcvbnm';

/** @returns the address that was probably meant, or `undefined` for one that looks right */
export function emailSuggestion(typed: string): string | undefined {
  const address = readEmail(typed) ?? typed.trim();
  const [, person, , at] = personAndDomain.exec(address) ?? [];
  if (!person || !at) return undefined;
  const domain = at.toLowerCase();
  const ended = endings
    .reduce((text, [typo, ending]) => text.replace(typo, ending), domain)
    .replace(onlyCom, '$1.com');
  const [, name = ''] = nameAndEnding.exec(ended) ?? [];
  const guesses = [ended, `${name}.com`, `${name}.net`];
  const meant =
    guesses.find((guess) => domains.includes(guess) || shortDomains.includes(guess)) ??
    domains.find((known) => guesses.some((guess) => isTypoOf(guess, known))) ??
    ended;
  const plain = domains.includes(meant) ? normalized(person, 'NFD').replace(/\p{M}/gu, '') : person;
  const suggestion = readEmail(`${plain}@${meant}`);
  return suggestion?.toLowerCase() === address.toLowerCase() ? undefined : suggestion;
}

/**
 * Whether `a` is `b` with a letter too many, a letter too few, a wrong letter, or two letters swapped. The first letter
 * must be right, or be the key beside it, because `ymail.com` exists.
 */
function isTypoOf(a: string, b: string) {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const rest = (text: string, letters: number) => text.slice(same + letters);
  if (same === 0)
    return Math.abs(keys.indexOf(a.charAt(0)) - keys.indexOf(b.charAt(0))) === 1 && rest(a, 1) === rest(b, 1);
  return (
    rest(a, 1) === rest(b, 0) ||
    rest(a, 0) === rest(b, 1) ||
    rest(a, 1) === rest(b, 1) ||
    (a[same] === b[same + 1] && a[same + 1] === b[same] && rest(a, 2) === rest(b, 2))
  );
}
