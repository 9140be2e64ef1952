/** Origins of pages that may embed the form, as the configuration writes them. */
import {parse} from 'tldts';
import {z} from 'zod';

/**
 * The part of `https://*.example.com` behind the star, if strangers can get a name directly below it, as below
 * `com`, `co.uk` or `github.io`. A page of any of them could embed the form.
 */
function sharedSuffix(origin: string): string | undefined {
  if (!origin.includes('//*.')) return undefined;
  // Without the dot of a fully qualified name, which browsers keep.
  const name = new URL(origin.replace('//*.', '//')).hostname.replace(/\.$/, '');
  const {publicSuffix, isIcann, isPrivate} = parse(name, {allowPrivateDomains: true});
  // A last label that no registry sells, such as `localhost` or an intranet's `corp`, has one owner.
  return (isIcann || isPrivate) && publicSuffix === name ? name : undefined;
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
