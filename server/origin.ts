/** Origins of pages that may embed the form, as the configuration writes them. */
import {getDomain} from 'tldts';
import {z} from 'zod';

/** No registry sells names below these; they lead to the machine itself or its network, for development. */
const ownNames = new Set(['localhost', 'local', 'test', 'internal']);

/**
 * The part of `https://*.example.com` behind the star, if strangers can get a name directly below it, as below
 * `com`, `co.uk` or `github.io`. A page of any of them could embed the form.
 */
function sharedSuffix(origin: string): string | undefined {
  if (!origin.includes('//*.')) return undefined;
  // Without the dot of a fully qualified name, which browsers keep.
  const name = new URL(origin.replace('//*.', '//')).hostname.replace(/\.$/, '');
  if (ownNames.has(name)) return undefined;
  return getDomain(name, {allowPrivateDomains: true}) === null ? name : undefined;
}

/** Exact, or with one wildcard for one label: `https://*.example.com`. */
export const origin = z
  .string()
  .refine(
    (text) =>
      URL.parse(text.replace('//*.', '//any.'))?.origin === text.replace('//*.', '//any.') &&
      URL.canParse(text.replace('//*.', '//')) &&
      !text.replace('//*.', '').includes('*'),
    {
      error:
        'must be an origin such as https://www.example.com, without a path; a * may only be its first label',
      abort: true,
    },
  )
  .refine((text) => sharedSuffix(text) === undefined, {
    error: ({input}) =>
      `must have its * below a domain of one owner, such as https://*.example.com: anybody can get a name below ${sharedSuffix(String(input))}`,
  });
