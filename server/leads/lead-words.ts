/**
 * The words in which people read of a lead: each fact has the same ones in mails, chat rooms, spreadsheets, pages and commands.
 * Whoever calls reads "said stop". Commands, the log and the code say that a consent was revoked.
 */
import type {OptOutSignal} from '../../contract/embed.ts';
import {callerQuestionNames, questionOf} from '../../contract/questions.ts';
import {referenceOf} from '../../contract/reference.ts';
import {tableOf} from '../../contract/table-of.ts';
import {afterTouch} from '../../form/words/en.ts';
import {oneLine} from './hidden-characters.ts';
import type {Consent} from './stored-lead.ts';

/** The fields that a lead of any sender can have. Those of forms alone have their labels in `formAnswers`. */
export const fieldLabels = {
  ...afterTouch.labels,
  ...tableOf(callerQuestionNames, (name) => questionOf(name).label.en),
};

/** Whether it may be called. */
export const callAnswerWords = {
  no: 'Do not call',
  not_yet: 'Do not call yet',
  other_lead: 'Call about another lead',
  not_known: 'Not known whether you may call',
  not_now: 'Not now',
  yes: 'May be called',
} as const;
export type CallAnswer = keyof typeof callAnswerWords;

type CallFacts = {
  there: string | null;
  hours: string | null;
  isPresumed: boolean;
  correctedBy: string | null;
};
/** Why, for a sentence or a cell. */
const reasonWords = {
  stopped: () => 'somebody with this number said stop',
  erased: () => 'it was erased',
  not_agreed: () => 'the box was not ticked',
  may_be_bot: () => 'a bot may have sent it, and nobody has decided',
  stop_undecided: () => 'somebody with another address asked to stop this number',
  corrected: ({correctedBy}) => `it was corrected by ${referenceOf(correctedBy ?? '')}`,
  unreadable: () => 'it cannot be read',
  stop_unknown: () => 'it cannot be found out whether somebody with this number said stop',
  address_stopped: () => 'somebody with this e-mail address said stop for another number',
  no_consent: () => 'no consent is stored',
  consent_for_other_number: () => 'the consent names another number',
  no_time_zone: () => 'nothing says in which time zone the phone is',
  outside_hours: ({there, hours}) => `it is ${there}; ${hours}`,
  within_hours: ({hours}) => hours ?? '',
} as const satisfies Record<string, (call: CallFacts) => string>;
export type CallReason = keyof typeof reasonWords;

export const callReasonWords = (call: CallFacts & {reason: CallReason}): string => {
  const words = reasonWords[call.reason](call);
  return call.hours !== null && call.isPresumed ? `${words} (by the area code)` : words;
};

/**
 * How far a lead has come, in a word or three, and of which kind that is: `held` needs an operator, `no` will not come by itself.
 * `$` stands for the destination, or for how many there are. What needs somebody comes first.
 */
export const states = {
  unreadable: ['no', 'cannot be read'],
  erased: ['gone', 'erased'],
  revoked: ['no', 'said stop'],
  held_stopped: ['held', 'held: said stop before'],
  held_bot: ['held', 'held: bot?'],
  held_moved: ['held', 'held: $ moved'],
  held_unclear: ['held', 'held: $ may have it'],
  stopped: ['no', 'said stop before'],
  given_up: ['no', '$: given up'],
  not_taken: ['no', '$: refused'],
  waiting: ['wait', '$ waits'],
  several_waiting: ['wait', '$ wait'],
  corrected: ['gone', 'corrected'],
  refused: ['no', 'refused'],
  pending: ['wait', 'pending'],
  done: ['ok', 'done'],
} as const;
export type StateReason = keyof typeof states;

/** In place of amounts: in a word or two, and in a sentence. */
export const resultWords = {
  none: ['none', 'A standard lead, without amounts.'],
  to_follow: ['to follow', 'The amounts are to follow.'],
  refused: ['refused', 'This lead was refused, so it gets no amounts.'],
} as const;

export const noConsent = 'No consent is stored';
/** How somebody agreed. */
export function agreedWords({
  agreed,
  source,
  givenWith,
}: Pick<Consent, 'agreed' | 'source' | 'givenWith'>): string {
  const boxless = source ? 'Agreed' : 'Saw the words, which have no box, and pressed the button';
  const how = agreed === null ? boxless : agreed ? 'Ticked the box' : 'Saw the words, ticked no box';
  const said = source ? `${how}, says the caller who sent the lead` : how;
  return givenWith === undefined ? said : `${said}, with another number, which was corrected`;
}

const suspicions: Readonly<Record<string, string>> = {
  trap: 'a field that people do not see was filled in',
  fast: 'it was sent faster than people type',
  'no-script': 'it was sent without JavaScript, so no proof of work was asked for',
};

/** Why a bot may have sent the lead; null if nothing speaks for it. */
export const suspicionWords = (suspect: string | null): string | null =>
  suspect &&
  suspect
    .split(' ')
    .map((word) => suspicions[word] ?? oneLine(word, 40))
    .join(', ');

export const signalWords: Readonly<Record<OptOutSignal, string>> = {
  gpc: 'do not sell or share the data (Global Privacy Control)',
};

const languageNames = new Intl.DisplayNames(['en'], {type: 'language'});
/** In English, such as `Spanish`. A tag that no browser knows stays as it is. */
export function languageWords(tag: string): string {
  try {
    return languageNames.of(tag) ?? tag;
  } catch {
    return oneLine(tag, 40);
  }
}

/** Who sent a lead: the name of its partner, or the key of one that has left, or a caller. */
export const senderWords = (partner: string | null, names: Readonly<Record<string, string>> = {}): string =>
  partner === null ? 'a caller of the API' : oneLine(names[partner] ?? partner, 64);
