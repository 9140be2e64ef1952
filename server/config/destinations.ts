/** The kinds of destinations to which leads are sent, and the settings of each. */
import {z} from 'zod';
import {isWithin, readAddress, readRanges} from './addresses.ts';
import {cid, httpUrl} from './values.ts';

/** Returns the value of a setting that holds a credential, such as `CREDENTIALS_LENDER_USER`. */
type ReadCredential = (setting: string) => string;

const credentialsName = z.string().regex(/^[A-Z0-9_]+$/, 'must be the name of credentials, in capitals');

/**
 * The schema of each kind of destination, as the partners file describes it. The file never holds credentials, so the
 * output of a schema is a function that reads them and returns the settings of the destination.
 */
export const destinationKinds = {
  'lead-api': z
    .strictObject({url: httpUrl, cid, credentials: credentialsName})
    .transform(({url, cid, credentials}) => (readCredential: ReadCredential) => ({
      type: 'lead-api' as const,
      url,
      cid,
      user: readCredential(`CREDENTIALS_${credentials}_USER`),
      password: readCredential(`CREDENTIALS_${credentials}_PASSWORD`),
    })),
};

type Kinds = typeof destinationKinds;
/** The settings of one destination. `type` is its kind, a key of `destinationKinds`. */
export type DestinationSettings = ReturnType<z.output<Kinds[keyof Kinds]>>;
/** The settings of a destination of kind `lead-api`: a lead service that has the same API as `/json/leads`. */
export type LeadApiSettings = Extract<DestinationSettings, {type: 'lead-api'}>;

/** The name of the destination that the UPSTREAM_… settings describe. The partners file must not use this name. */
export const defaultDestination = 'default';

/** What happens to a lead whose reply was lost: it is sent again, or held until an operator decides. */
export type OnAmbiguous = 'send' | 'hold';

const privateRanges = readRanges('loopback,linklocal,uniquelocal');

/** Of host names, only `localhost` and names below it are private. Any other name may resolve to a public address. */
function isPrivate(host: string): boolean {
  if (/^(.+\.)?localhost$/.test(host)) return true;
  return isWithin(readAddress(host) ?? '', privateRanges);
}

/** Whether requests to this URL can be read on the network: it is plain HTTP, and the address is not private. */
export function isUnencrypted(url: string): boolean {
  const {protocol, hostname} = new URL(url);
  return protocol === 'http:' && !isPrivate(hostname);
}
