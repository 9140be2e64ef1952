/** The confirmations that visitors get by e-mail, as the file has them (`confirm`). */
import {z} from 'zod';
import {displayName, name} from './values.ts';

export const confirmSchema = z.strictObject({
  via: name.describe('The destination of kind `email` whose mail server sends them.'),
  from_name: displayName.optional().describe('Who they are from. The name of the partner without it.'),
  amounts: z.boolean().default(false).describe('Whether they say the amounts.'),
  per_hour: z.int().min(1).max(10_000).default(60).describe('How many may be sent within an hour.'),
});

/** What the confirmations of one partner say, and how many there may be. */
export type ConfirmationSettings = {
  /** Who they are from, which is also what they call the partner. */
  name: string;
  amounts: boolean;
  perHour: number;
  /** How visitors reach the partner. */
  contact: {phone?: string | undefined; email?: string | undefined};
  /** What happens next, by language. */
  nextStep: Readonly<Record<string, string>> | undefined;
  /** Amounts of the calculator are rounded down to a multiple of this, as in the form. */
  rounding: number;
};

/** The settings of the destination that sends confirmations: there is one for each `via`. */
export type ConfirmationsSettings = {
  type: 'confirmation';
  smtpUrl: string;
  from: string;
  /** Who gets the e-mail of `lead-prequal destinations test`. */
  testedBy: readonly string[];
  isOn: boolean;
  tokenKeys: readonly [string, ...string[]];
  /** By the key of the partner. */
  partners: ReadonlyMap<string, ConfirmationSettings>;
};

/** No destination of the file has a slash in its name. */
export const confirmedBy = ({via}: {via: string}): string => `${via}/confirm`;

/** Of the settings of a destination: its kind. */
type Kind = {type: string};
/** What the confirmations take of the settings of the destination that `via` names. */
type MailServer = Pick<ConfirmationsSettings, 'smtpUrl' | 'from'> & Kind & {to: readonly string[]};

type Confirming = {
  key: string;
  name: string;
  contact?: ConfirmationSettings['contact'] | undefined;
  nextStep?: ConfirmationSettings['nextStep'];
  confirm?: z.output<typeof confirmSchema> | undefined;
};

/** A sentence about what is wrong with `via`. Undefined if nothing is. */
export function viaFault({confirm}: Confirming, destinations: ReadonlyMap<string, Kind>): string | undefined {
  if (!confirm) return undefined;
  const type = destinations.get(confirm.via)?.type;
  if (type === undefined) return `confirm.via: ${confirm.via} is not among the destinations`;
  return type === 'email'
    ? undefined
    : `confirm.via: ${confirm.via} is no email, so it cannot write to visitors`;
}

/** The destinations that send the confirmations of all partners. */
export function confirmationsOf(
  partners: readonly Confirming[],
  destinations: ReadonlyMap<string, Kind>,
  {isOn, tokenKeys, rounding}: Pick<ConfirmationsSettings, 'isOn' | 'tokenKeys'> & {rounding: number},
): Map<string, ConfirmationsSettings> {
  const confirming = partners.flatMap(({key, name, contact = {}, nextStep, confirm}) => {
    if (!confirm) return [];
    const {via, from_name: fromName = name, amounts, per_hour: perHour} = confirm;
    const settings = {name: fromName, contact, amounts, perHour, nextStep, rounding};
    return [{via, key, settings}];
  });
  const made = new Map<string, ConfirmationsSettings>();
  for (const [via, ofVia] of Map.groupBy(confirming, ({via}) => via)) {
    const {smtpUrl, from, to} = destinations.get(via) as MailServer;
    made.set(confirmedBy({via}), {
      type: 'confirmation',
      smtpUrl,
      from,
      testedBy: to,
      isOn,
      tokenKeys,
      partners: new Map(ofVia.map(({key, settings}) => [key, settings])),
    });
  }
  return made;
}
