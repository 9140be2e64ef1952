/** Whether a lead may be called: one answer for mails, chat rooms, lists, exports, commands and pages. */
import {findPhoneNumbersInText} from 'libphonenumber-js/min';
import {z} from 'zod';
import {hoursAt, hoursWords, placesOf} from './call-hours.ts';
import type {Lead} from './lead-schema.ts';
import {callAnswerWords, callReasonWords, type CallAnswer, type CallReason} from './lead-words.ts';
import type {Consent} from './stored-lead.ts';
import {timeThere} from './time-there.ts';

/** Each reason with its answer, in the order in which they count: the first reason that holds decides. */
const callReasons = {
  stopped: 'no',
  erased: 'no',
  not_agreed: 'no',
  may_be_bot: 'not_yet',
  stop_undecided: 'not_yet',
  corrected: 'other_lead',
  unreadable: 'not_known',
  stop_unknown: 'not_known',
  address_stopped: 'not_known',
  no_consent: 'not_known',
  consent_for_other_number: 'not_known',
  no_time_zone: 'not_known',
  outside_hours: 'not_now',
  within_hours: 'yes',
} as const satisfies Record<CallReason, CallAnswer>;
export const callReasonNames = Object.keys(callReasons) as [CallReason, ...CallReason[]];

/**
 * Why a lead must not be called.
 * - `stopped`: somebody with its number said stop
 * - `asked`: somebody with another address asked to stop the number, and an operator has not decided yet
 * - `unknown`: it cannot be found out
 * - `at`: when that was said, in milliseconds since 1970. Null if it is not known
 */
export const stopSchema = z.object({
  why: z.enum(['stopped', 'asked', 'unknown']),
  at: z.number().nullable(),
});
export type Stop = z.infer<typeof stopSchema>;

/**
 * What is known of a lead that somebody wants to call. Times are milliseconds since 1970.
 * - `stop`: undefined if nobody said so
 * - `addressStoppedAt`: somebody with this e-mail address and another number said stop
 * - `isHeld`: it waits for an operator, because a bot may have sent it
 * - `correctedBy`: the id of the newest lead that corrects this one
 * - `lead`, `consent`: undefined if the lead is erased or cannot be read
 */
export type CallFacts = {
  isErased?: boolean;
  stop?: Stop | undefined;
  addressStoppedAt?: number | undefined;
  isHeld?: boolean | undefined;
  correctedBy?: string | null | undefined;
  lead?: Pick<Lead, 'phone' | 'state'> | undefined;
  consent?: Pick<Consent, 'agreed' | 'words' | 'givenWith'> | null | undefined;
};

/**
 * - `at`: when somebody said stop, or asked for it, if that is the reason
 * - `until`: when the answer changes by itself, because hours begin or end
 * - `there`: what time it is where the phone is, such as `9:08 PM in New York`; null if no zone is known
 * - `hours`: such as `from 8 AM on Sunday in New York`
 * - `isPresumed`: where the phone is, is presumed from its area code
 * - `mayDial`: whether whoever reads of the lead is offered to dial its number
 * - `words`, `why`: the answer and the reason. `text`: both, such as `Do not call: somebody with this number said stop`
 */
export const mayCallSchema = z.object({
  answer: z.enum(Object.keys(callAnswerWords) as [CallAnswer, ...CallAnswer[]]),
  reason: z.enum(callReasonNames),
  at: z.number().nullable(),
  until: z.number().nullable(),
  there: z.string().nullable(),
  hours: z.string().nullable(),
  isPresumed: z.boolean(),
  correctedBy: z.string().nullable(),
  mayDial: z.boolean(),
  words: z.string(),
  why: z.string(),
  text: z.string(),
});
export type MayCall = z.infer<typeof mayCallSchema>;

/** @param now the moment for which the answer holds, in milliseconds since 1970 */
export function mayCall(facts: CallFacts, now: number): MayCall {
  const {stop, lead, consent, correctedBy = null} = facts;
  const places = lead && placesOf(lead);
  const hours = places && hoursAt(places, now);
  const holds: Readonly<Record<CallReason, boolean>> = {
    stopped: stop?.why === 'stopped',
    erased: facts.isErased === true,
    not_agreed: consent?.agreed === false,
    may_be_bot: facts.isHeld === true,
    stop_undecided: stop?.why === 'asked',
    corrected: correctedBy !== null,
    unreadable: lead === undefined,
    stop_unknown: stop?.why === 'unknown',
    address_stopped: facts.addressStoppedAt !== undefined,
    no_consent: !consent,
    consent_for_other_number: lead !== undefined && namesOtherNumber(consent, lead.phone),
    no_time_zone: hours === undefined,
    outside_hours: hours?.isAllowed === false,
    within_hours: true,
  };
  const reason = callReasonNames.find((name) => holds[name]) ?? 'unreadable';
  const answer = callReasons[reason];
  const isOfHours = answer === 'not_now' || answer === 'yes';
  const call = {
    answer,
    reason,
    correctedBy,
    at: saidAt(facts, reason) ?? null,
    until: isOfHours ? (hours?.until ?? null) : null,
    there: (places && timeThere(now, places.zones)) ?? null,
    hours: (isOfHours && places && hoursWords(places, now)) || null,
    isPresumed: places?.isPresumed ?? false,
    mayDial: answer !== 'no' && answer !== 'not_yet',
  };
  const [words, why] = [callAnswerWords[answer], callReasonWords(call)];
  return {...call, words, why, text: `${words}: ${why}`};
}

function saidAt({stop, addressStoppedAt}: CallFacts, reason: CallReason) {
  if (reason === 'address_stopped') return addressStoppedAt;
  return reason === 'stopped' || reason === 'stop_undecided' ? stop?.at : undefined;
}

/** The words that a caller of the API sent may name the number that may be called. Those of a form name none that varies, but an operator may have corrected the number since. */
function namesOtherNumber(consent: CallFacts['consent'], phone: Lead['phone']): boolean {
  if (consent?.givenWith !== undefined) return true;
  const numbers = consent?.words ? numbersIn(consent.words) : [];
  // A toll-free number is that of a company.
  const personal = numbers.filter((number) => !/^\+18(?:00|33|44|55|66|77|88)/.test(number));
  return personal.length > 0 && !numbers.includes(phone.e164);
}

/** By text, because looking for numbers takes up to a third of a second. Many leads of a caller have the same text. */
const knownNumbers = new Map<string, readonly string[]>();
function numbersIn(text: string): readonly string[] {
  const known = knownNumbers.get(text);
  if (known) return known;
  const numbers = findPhoneNumbersInText(text, 'US').map(({number}) => number.number);
  if (knownNumbers.size >= 100) knownNumbers.clear();
  knownNumbers.set(text, numbers);
  return numbers;
}
