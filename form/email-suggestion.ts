/** A slip of the finger in the domain of an e-mail address, and what was meant by it. */

/** Names of five letters and more: between shorter ones a single letter is too little to tell them apart by. */
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

/** Endings that do not exist. */
const endings = [
  [/\.(con|cmo|ocm|c?omm|coom|comn|cpm|xom|vom)$/, '.com'],
  [/\.(nte|ent|met|nett)$/, '.net'],
  [/\.(ogr|rog|orgg|prg)$/, '.org'],
] as const;

/** @returns the address that was probably meant, or `undefined` for one that looks right */
export function emailSuggestion(typed: string): string | undefined {
  const [, person, at] = /^(.+@)([^@]+)$/.exec(typed.trim()) ?? [];
  if (!person || !at) return undefined;
  const domain = at.toLowerCase();
  const ended = endings.reduce((text, [slip, ending]) => text.replace(slip, ending), domain);
  const meant = domains.includes(ended) ? ended : (domains.find((known) => isSlipOf(ended, known)) ?? ended);
  return meant === domain ? undefined : person + meant;
}

/** One letter too many, too few, another or two swapped; but the first one is right: `ymail.com` exists. */
function isSlipOf(a: string, b: string) {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const rest = (text: string, letters: number) => text.slice(same + letters);
  return (
    same > 0 &&
    (rest(a, 1) === rest(b, 0) ||
      rest(a, 0) === rest(b, 1) ||
      rest(a, 1) === rest(b, 1) ||
      (a[same] === b[same + 1] && a[same + 1] === b[same] && rest(a, 2) === rest(b, 2)))
  );
}
