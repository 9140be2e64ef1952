/** Where leads go: `answer_from` and `send_to`, of a partner and of a caller. */
import {z} from 'zod';
import {callerQuestions} from '../../contract/questions.ts';
import {creditScores, financialFields, leadTypes} from '../../contract/fields.ts';
import {fieldName} from './context-fields.ts';
import {calculatorName, type DestinationSettings} from './destinations.ts';
import {name, nonEmpty, receiverName} from './values.ts';

const anyOf = <Value extends z.ZodType>(value: Value, what: string) =>
  nonEmpty(value, `must name at least one ${what}`, `must be a list of ${what}s`);
const maxTotal = 5 * financialFields.cash.max;

/** All conditions must hold; of a list, one value. What a lead does not say is none of them. */
const when = z
  .strictObject({
    state: anyOf(z.enum(callerQuestions.state.choices, 'must be a US state, such as TX'), 'state')
      .optional()
      .describe('As the visitor gives it, never as the number says.'),
    total_at_least: z.int().min(1).max(maxTotal).optional().describe('In whole dollars.'),
    credit_score: anyOf(z.enum(creditScores), 'credit score').optional().describe('As the visitor chose it.'),
    lead_type: anyOf(z.enum(leadTypes), 'lead type').optional().describe('`standard` or `prequalification`.'),
    language: anyOf(z.string().regex(/^[a-z]{2,3}$/, 'must be a language such as es'), 'language')
      .optional()
      .describe('Of the form, or of the consent that a caller brings.'),
    context: z
      .record(fieldName, anyOf(z.string().min(1).max(200), 'value'))
      .optional()
      .describe('Hidden fields.'),
    answers: z
      .record(z.string(), anyOf(z.string().min(1).max(200), 'value'))
      .optional()
      .describe("The partner's own questions: values of choices."),
  })
  .refine((given) => Object.keys(given).length > 0, 'must name a condition, such as {"state": ["TX"]}');
export type When = z.output<typeof when>;

const rule = z
  .strictObject({
    to: receiverName.describe('The name of the destination.'),
    when: when.optional().describe('The leads that it gets.'),
    otherwise: z.literal(true).optional().describe('It gets the leads of which no `when` is true.'),
  })
  .refine((given) => (given.when === undefined) !== (given.otherwise === undefined), {
    error: 'must have "when", or "otherwise": true',
  });
/** An entry of `send_to`. One without `when` and `otherwise`, a name, gets each lead. */
export type Rule = z.output<typeof rule>;

/**
 * Where leads go: the destination that answers them (undefined: the calculator), and those that receive each of them. `rules`:
 * all entries, if some of them do not get each lead
 */
export type Route = {answerFrom: string | undefined; sendTo: readonly string[]; rules?: readonly Rule[]};

const asRule = (entry: string | Rule): Rule => (typeof entry === 'string' ? {to: entry} : entry);
const getsAll = ({when, otherwise}: Rule) => when === undefined && otherwise === undefined;

/** The fields of a route. */
export const routeFields = {
  answer_from: name
    .optional()
    .describe('What answers the leads: a destination of kind `lead-api`, or `calculator`, as without it.'),
  send_to: z
    .array(z.union([receiverName, rule]))
    .refine(
      (entries) => new Set(entries.map((each) => asRule(each).to)).size === entries.length,
      'must not name a destination twice',
    )
    .refine(
      (entries) => {
        const rules = entries.map(asRule);
        return rules.every(({otherwise}) => !otherwise) || rules.some(({when}) => when);
      },
      {error: 'has "otherwise" without any "when"'},
    )
    .optional()
    .describe(
      'The destinations that only receive the leads, or are told of them: names, or `{"to": …, "when": …}` for some of the leads.',
    ),
};

export function toRoute({
  answer_from: answerFrom,
  send_to = [],
}: {
  answer_from?: string | undefined;
  send_to?: readonly (string | Rule)[] | undefined;
}): Route {
  const rules = send_to.map(asRule);
  return {
    answerFrom: answerFrom === calculatorName ? undefined : answerFrom,
    sendTo: rules.filter(getsAll).map(({to}) => to),
    ...(rules.every(getsAll) ? {} : {rules}),
  };
}

/** All destinations that a lead may go to besides the one that answers it, in the order of the file. */
export const receiversOf = ({sendTo, rules}: Omit<Route, 'answerFrom'>): readonly string[] =>
  rules?.map(({to}) => to) ?? sendTo;

/** What is wrong with the names in a route, and in which field. */
export function routeFaults(
  {answerFrom, ...route}: Route,
  destinations: ReadonlyMap<string, DestinationSettings>,
): {path: PropertyKey[]; fault: string}[] {
  const faults: {path: PropertyKey[]; fault: string}[] = [];
  const add = (path: [string, ...PropertyKey[]], fault: string) =>
    faults.push({path, fault: `${path[0]}: ${fault}`});
  if (answerFrom !== undefined) {
    const type = destinations.get(answerFrom)?.type;
    if (!type) add(['answer_from'], `${answerFrom} is not among the destinations`);
    else if (type !== 'lead-api')
      add(['answer_from'], `${answerFrom} is no lead-api, so it cannot answer leads`);
  }
  for (const [index, to] of receiversOf(route).entries()) {
    if (!destinations.has(to)) add(['send_to', index], `${to} is not among the destinations`);
    if (to === answerFrom) add(['send_to', index], `${to} gets the leads already, because it answers them`);
  }
  return faults;
}
