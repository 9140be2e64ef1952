/** Recording what came of a call. */
import {z} from 'zod';
import {parseMoney} from '../../../form/money.ts';
import {longestNote, outcomes} from '../../leads/outcomes.ts';
import {outcomeText, recorded, recordOutcome} from '../outcomes.ts';
import * as field from './fields.ts';
import {changes, saidIn} from './operation.ts';
import {revoke} from './revocations.ts';

const wrongAmount = 'It must be whole US dollars, such as 150000.';

export const note = changes({
  words: 'leads note',
  what: 'record what came of a call, with a note',
  help: `The newest outcome stands. Webhooks whose "events" list lead.outcome are told of each, without the note.`,
  roles: ['agent', 'admin'],
  past: 'recorded what became of {it}',
  fields: {
    lead: field.argument('the id or the reference of the lead'),
    outcome: field.choice('outcome', outcomes, 'what came of the call'),
    amount: {
      schema: z
        .string()
        .transform(parseMoney)
        .pipe(z.int(wrongAmount).min(1, wrongAmount).max(9_999_999_999, wrongAmount))
        .optional(),
      what: 'with the outcome funded: how much, in whole US dollars',
      value: 'dollars',
    },
    text: {
      schema: z
        .string()
        .transform((text) => text.replaceAll('\r\n', '\n'))
        .pipe(z.string().max(longestNote, `It must have at most ${longestNote} characters.`))
        .optional(),
      what: `a note of at most ${longestNote} characters, for those who call`,
      value: 'text',
      asks: 'The note',
    },
    stop: field.flag('stop calls to the number as well, as "consent revoke" does'),
    undo: field.flag('take back what you recorded last, with its note'),
    id: {
      schema: z
        .string()
        .regex(/^[\w-]{1,64}$/, 'It must be a word of at most 64 letters, digits, - and _.')
        .optional(),
      what: 'a word of your own: a repeat with the same one records nothing again',
      value: 'word',
    },
  },
  wrong({outcome, amount, text = '', stop, undo}) {
    if (undo)
      return [outcome, amount, text || undefined, stop].every((each) => each === undefined)
        ? undefined
        : '--undo stands alone';
    if (amount !== undefined && outcome !== 'funded') return '--amount needs --outcome funded';
    return outcome === undefined && text.trim() === ''
      ? 'say what came of it: --outcome, --text, or both'
      : undefined;
  },
  run: (admin, input) => recordOutcome(admin, input),
  line: recorded,
  said({reference, outcome, amount, stopped}, input, admin) {
    const {said = [], ...others} = stopped ? saidIn(revoke.said(stopped, input, admin)) : {};
    return {
      said: [`${reference}: ${outcome === null ? 'no outcome' : outcomeText({outcome, amount})}`, ...said],
      ...others,
    };
  },
});
