/** Plans that found something once. They are played before all others, and mutants name the one that finds them. */
import type {Operation, Plan, Sender, To} from './plan.ts';

/** What may be undefined may be left out. */
type Written<Each> = Each extends unknown
  ? Partial<Each> & {[Name in keyof Each as undefined extends Each[Name] ? never : Name]: Each[Name]}
  : never;

const usual = {
  processes: 1,
  onLostReply: 'send',
  skew: 0,
  eventsGivenUpAfter: 3 * 24 * 3_600_000,
  readsAreSlow: false,
} as const;
const plan = (own: Partial<Plan> & Pick<Plan, 'seed'>, operations: readonly Written<Operation>[]): Plan => ({
  ...usual,
  ...own,
  operations: operations as readonly Operation[],
});

/** A lead that comes to the first process, with the number of its content as its key, and asks for amounts. */
const submit = (at: number, content: number, sender: Sender, own: Partial<To<'submit'>> = {}): Operation => ({
  at,
  do: 'submit',
  process: 0,
  key: content,
  content,
  sender,
  isHeld: false,
  isStandard: false,
  ...own,
});

/** @param make gets numbers from 1 on */
const times = <Item>(count: number, make: (nth: number) => Item) =>
  Array.from({length: count}, (_, index) => make(index + 1));

export const keptPlans = {
  'answered-while-it-is-encrypted-anew': plan({seed: 21, processes: 2, keys: 'changed'}, [
    {at: 1_000, do: 'mood', destination: 'lender', mood: 'refusing', lasts: 9_000},
    ...times(3, (nth) => submit(2_000, nth, 'acme', {process: 1})),
    {at: 5_000, do: 'next keys', patience: 0, lasts: 100},
    {at: 7_000, do: 'next keys', patience: 0, lasts: 100},
    {at: 9_000, do: 'next keys', patience: 0, lasts: 15_000},
    {at: 12_000, do: 'rotate', process: 0},
    ...times(9, (nth) => ({at: 12_000 + 300 * nth, do: 'retry', content: 1 + (nth % 3)}) as const),
  ]),
  'blamed-for-the-store': plan({seed: 1, faultsEnd: 60_000}, [
    {at: 500, do: 'mood', destination: 'lender', mood: 'slow', lasts: 7_500},
    {at: 8_100, do: 'mood', destination: 'lender', mood: 'silent', lasts: 10_000},
    {at: 4_000, do: 'fail store', process: 0, fault: 'fails', lasts: 1_500, when: {moment: 'reply', nth: 4}},
    ...times(8, (nth) => submit(5_000 + nth, nth, 'a caller')),
  ]),
  'callers-are-allowed': plan({seed: 1}, [
    submit(1_000, 2, 'a caller'),
    {at: 9_000, do: 'press', content: 2, process: 0, times: 1},
    submit(12_000, 6, 'a caller'),
    {at: 15_000, do: 'allow', content: 2, by: 'phone', process: 0, partner: null},
    submit(20_000, 10, 'a caller'),
  ]),
  'claim-without-reply': plan({seed: 106, onLostReply: 'hold'}, [
    submit(1_000, 0, 'a caller'),
    {at: 1_000, do: 'fail store', process: 0, fault: 'forgets', lasts: 1_004},
  ]),
  'clocks-apart': plan({seed: 13, processes: 2}, [
    {at: 1_000, do: 'set clock', process: 1, by: 30_000},
    {at: 1_350, do: 'mood', destination: 'lender', mood: 'slow', lasts: 600},
    submit(1_400, 0, 'a caller'),
  ]),
  'copy-with-the-same-file': plan({seed: 1}, [
    ...times(13, (nth) => submit(1_000 + 100 * nth, nth, 'acme')),
    ...times(13, (nth) => submit(2_300 + 100 * nth, nth, 'globex')),
    ...times(13, (nth) => submit(3_600 + 100 * nth, nth, 'a caller')),
    {at: 20_000, do: 'erase in a copy'},
    {at: 30_000, do: 'restart', process: 0, patience: 8_000, lasts: 500},
    submit(40_000, 12, 'acme', {key: 50}),
  ]),
  'crash-at-each-attempt': plan({seed: 1, faultsEnd: 400_000}, [
    ...times(12, (nth) => {
      const when = {moment: 'arrival', nth} as const;
      return {at: 3_000, do: 'kill', process: 0, lasts: 1_000, when} as const;
    }),
    submit(4_000, 0, 'a caller'),
  ]),
  'dropped-while-its-number-is-held': plan({seed: 0}, [
    {at: 1_000, do: 'revoke', content: 1, by: 'phone', process: 0},
    submit(11_000, 1, 'acme'),
    {at: 24_000, do: 'drop', content: 1, stops: false},
    {at: 26_000, do: 'retry', content: 1, state: 'dropped'},
  ]),
  'duplicate-of-what-is-erased': plan({seed: 0}, [
    submit(1_000, 1, 'acme'),
    {at: 4_500, do: 'erase', content: 1, all: false, process: 0},
    submit(5_600, 1, 'acme', {key: 2}),
  ]),
  'erased-while-it-is-sent': plan({seed: 0}, [
    {at: 500, do: 'mood', destination: 'crm', mood: 'silent', lasts: 12_000},
    {at: 500, do: 'mood', destination: 'lender', mood: 'slow', lasts: 12_000},
    submit(1_000, 1, 'acme'),
    {at: 4_500, do: 'erase', content: 1, all: false, process: 0},
  ]),
  'erased-while-the-store-is-away': plan({seed: 0, processes: 2}, [
    {at: 500, do: 'mood', destination: 'lender', mood: 'slow', lasts: 1_500},
    submit(1_000, 1, 'acme'),
    {at: 1_500, do: 'fail store', process: 0, fault: 'fails', lasts: 24_000},
    {at: 7_000, do: 'erase', content: 1, all: false, process: 1},
  ]),
  'late-report-of-another': plan({seed: 0, processes: 2}, [
    {at: 500, do: 'mood', destination: 'crm', mood: 'slow', lasts: 1_500},
    submit(1_000, 1, 'globex'),
    {at: 1_300, do: 'fail store', process: 0, fault: 'fails', lasts: 20_500},
    {at: 15_000, do: 'mood', destination: 'crm', mood: 'silent', lasts: 8_000},
    {at: 24_000, do: 'erase', content: 1, all: false, process: 1},
  ]),
  'lead-without-reply': plan({seed: 2, onLostReply: 'hold'}, [
    {
      at: 500,
      do: 'fail store',
      process: 0,
      fault: 'forgets',
      lasts: 13_993,
      when: {moment: 'commit', nth: 3},
    },
    submit(14_501, 0, 'a caller'),
  ]),
  'link-after-a-decision': plan({seed: 1}, [
    submit(1_000, 1, 'acme'),
    {at: 5_000, do: 'press', content: 1, process: 0, times: 1},
    {at: 20_000, do: 'allow', content: 1, by: 'phone', process: 0},
    {at: 30_000, do: 'press', content: 1, process: 0, times: 1},
    submit(40_000, 5, 'acme'),
  ]),
  'links-of-several-clients': plan({seed: 1}, [
    submit(1_000, 1, 'acme'),
    submit(1_500, 9, 'acme'),
    submit(2_000, 2, 'a caller'),
    {at: 8_000, do: 'press', content: 1, process: 0, times: 2},
    {at: 9_000, do: 'press', content: 2, process: 0, times: 1},
    {at: 12_000, do: 'press', content: 1, process: 0, times: 1},
    submit(40_000, 5, 'a caller'),
    submit(41_000, 6, 'another caller'),
    submit(42_000, 9, 'globex', {key: 0}),
  ]),
  'paused-in-the-queue': plan({seed: 3}, [
    {at: 4_000, do: 'mood', destination: 'lender', mood: 'very slow', lasts: 40_000},
    ...times(4, (nth) => submit(5_000, nth, 'a caller', {isStandard: true})),
    ...times(3, (nth) => submit(6_000, 4 + nth, 'a caller', {isStandard: true})),
    {at: 6_100, do: 'pause', destination: 'lender'},
  ]),
  'pressed-again-after-an-outage': plan({seed: 1}, [
    {at: 500, do: 'mood', destination: 'crm', mood: 'down', lasts: 30_000},
    submit(1_000, 1, 'acme'),
    {at: 7_999, do: 'fail store', process: 0, fault: 'fails', lasts: 3_000, when: {moment: 'commit', nth: 3}},
    {at: 8_000, do: 'press', content: 1, process: 0, times: 1},
    {at: 14_000, do: 'press', content: 1, process: 0, times: 1},
  ]),
  'refused-while-its-number-is-held': plan({seed: 0}, [
    {at: 1_000, do: 'revoke', content: 1, by: 'phone', process: 0},
    submit(11_000, 1, 'acme'),
    {at: 24_000, do: 'drop', destination: 'lender', content: 1, stops: false},
    {at: 26_000, do: 'retry', content: 1},
  ]),
  'reloaded-in-the-queue': plan({seed: 1}, [
    {at: 4_000, do: 'mood', destination: 'other', mood: 'very slow', lasts: 40_000},
    ...times(3, (nth) => submit(5_000, nth, 'globex', {isStandard: true})),
    ...times(2, (nth) => submit(6_000, 3 + nth, 'globex', {isStandard: true})),
    {at: 6_100, do: 'reload', process: 0, configuration: 'other elsewhere'},
  ]),
  'reply-to-an-erasure': plan({seed: 0, keys: 'one'}, [
    submit(1_000, 1, 'acme'),
    {at: 4_500, do: 'mood', destination: 'crm', mood: 'refusing', lasts: 30_000},
    {at: 4_500, do: 'erase', content: 1, all: false, process: 0},
  ]),
  'restored-after-a-stop': plan({seed: 1}, [
    submit(1_000, 1, 'acme'),
    submit(1_500, 3, 'acme'),
    submit(1_600, 2, 'globex'),
    {at: 15_000, do: 'revoke', content: 1, by: 'phone', process: 0},
    {at: 15_000, do: 'erase', content: 3, all: true, process: 0},
    {at: 16_000, do: 'press', content: 2, process: 0, times: 1},
    {at: 30_000, do: 'restore', part: 0.3, lasts: 500},
    submit(32_000, 5, 'acme'),
    submit(33_000, 6, 'globex'),
    {at: 36_000, do: 'read', content: 3},
  ]),
  'resumed-after-an-erasure': plan({seed: 0}, [
    {at: 500, do: 'mood', destination: 'crm', mood: 'silent', lasts: 12_000},
    {at: 500, do: 'mood', destination: 'lender', mood: 'very slow', lasts: 12_000},
    submit(1_000, 1, 'acme'),
    {at: 4_500, do: 'erase', content: 1, all: false, process: 0},
    {at: 7_000, do: 'resume', destination: 'crm'},
  ]),
  'stop-is-dropped-with-other-events': plan({seed: 1, eventsGivenUpAfter: 20_000}, [
    submit(1_000, 1, 'acme'),
    {at: 4_000, do: 'mood', destination: 'crm', mood: 'down', lasts: 60_000},
    {at: 5_000, do: 'revoke', content: 1, by: 'phone', process: 0},
    {at: 20_000, do: 'drop', content: 1, stops: false},
  ]),
  'stop-is-not-taken-for-long': plan({seed: 1, eventsGivenUpAfter: 20_000}, [
    submit(1_000, 1, 'acme'),
    {at: 4_000, do: 'mood', destination: 'crm', mood: 'down', lasts: 200_000},
    {at: 5_000, do: 'revoke', content: 1, by: 'phone', process: 0},
  ]),
  'taken-back-for-all-while-it-is-told': plan({seed: 2}, [
    submit(1_000, 1, 'acme'),
    {at: 4_000, do: 'mood', destination: 'crm', mood: 'very slow', lasts: 25_000},
    {at: 5_000, do: 'revoke', content: 1, by: 'phone', process: 0, partner: 'acme'},
    {at: 12_500, do: 'revoke', content: 1, by: 'phone', process: 0},
  ]),
  'two-answers': plan({seed: 2, processes: 2}, [
    {at: 1_000, do: 'freeze', process: 0, lasts: 25_000, when: {moment: 'reply', nth: 1}},
    submit(2_000, 0, 'a caller'),
  ]),
  'unused-lease-without-room': plan({seed: 276, processes: 2, onLostReply: 'hold'}, [
    {at: 1_013, do: 'fail store', process: 1, fault: 'forgets', lasts: 24_558},
    submit(3_760, 1, 'globex', {process: 1, isStandard: true}),
    submit(8_385, 4, 'globex', {process: 1}),
    submit(17_864, 11, 'a caller', {process: 1}),
  ]),
} satisfies Record<string, Plan>;
