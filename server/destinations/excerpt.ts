/** The first characters of a reply that operators can read with `lead-prequal deliveries show`. */

/** Characters. */
const longest = 200;

/** One line, without control characters: they could move the cursor of the operator's terminal, or change its title. */
export const excerptOf = (reply: string): string =>
  Array.from(reply.replace(/[\p{C}\s]+/gu, ' ').trim())
    .slice(0, longest)
    .join('');
