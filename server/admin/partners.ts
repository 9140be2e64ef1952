/** Lists the partners, and checks whether the pages of an origin may use a partner's form. */
import {z} from 'zod';
import {paths} from '../../contract/api.ts';
import type {Config} from '../config/config.ts';
import {origin as originSchema} from '../config/origins.ts';
import {allowsOrigin, type Partner} from '../config/partners.ts';
import {Refusal} from './admin.ts';

/** `page`: the address of the apply page */
export const partnerRow = z.object({
  partner: z.string(),
  name: z.string(),
  origins: z.array(z.string()),
  page: z.string(),
});

export const listPartners = ({partners, publicUrl}: Config): z.infer<typeof partnerRow>[] =>
  partners.map(({key, name, origins}) => ({
    partner: key,
    name,
    origins: [...origins],
    page: `${publicUrl}${paths.apply}/${key}`,
  }));

/** @throws Refusal if no partner has this key. The message lists all keys, which an operator may see */
export function partnerNamed(key: string, {partners}: Config): Partner {
  const found = partners.find((partner) => partner.key === key);
  if (found) return found;
  const keys = partners.map((partner) => partner.key).join(', ');
  throw new Refusal(`There is no partner "${key}". The partners are: ${keys}`, 'unknown');
}

/**
 * @returns why pages of this origin cannot use the form and what to do about it, such as the line to write into the
 * configuration. Undefined if they can use it
 */
export function originFault(origin: string, partner: Partner, config: Config): string | undefined {
  const {key} = partner;
  if (origin === 'null')
    return (
      'The origin "null" could be any page: it is that of a sandboxed frame, and of a page that was opened as a file. ' +
      `Add allow-same-origin to the sandbox of the frame, open the page from a web server, or link to ${config.publicUrl}${paths.apply}/${key}.`
    );
  // A wildcard may be listed, but no page has it as its origin.
  if (origin.includes('*') || !originSchema.safeParse(origin).success) {
    const meant = URL.parse(origin.replace('*', 'www'))?.origin ?? 'null';
    const example = meant === 'null' ? 'https://www.example.com' : meant;
    return `"${origin}" is not the origin of a page. Give scheme and host without a path, such as ${example}.`;
  }
  if (allowsOrigin(partner, origin) || origin === new URL(config.publicUrl).origin) return undefined;
  return `${origin} is not among the origins of "${key}". ${howToList([...partner.origins, origin], partner, config)}`;
}

function howToList(origins: readonly string[], {key}: Partner, {configFile}: Config): string {
  const line = `"origins": [${origins.map((each) => JSON.stringify(each)).join(', ')}]`;
  return `Replace "origins" of "${key}" in ${configFile} by this line, and run "lead-prequal reload":\n  ${line}`;
}
