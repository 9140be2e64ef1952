/** The input fields that select leads for lists, counts and exports. */
import {leadStatuses} from '../../../contract/embed.ts';
import {endOfId} from '../../../contract/reference.ts';
import type {Config} from '../../config/config.ts';
import type {LeadFilter} from '../../leads/lead-filter.ts';
import {outcomes} from '../../leads/outcomes.ts';
import {Refusal, type Admin} from '../admin.ts';
import * as field from './fields.ts';
import type {Input} from './fields.ts';

/** Given as the partner, it selects leads of `/json/leads`, which have no partner. */
const withoutPartner = '-';

const reference = field.parsedBy((text) => {
  const idEnd = endOfId(text);
  if (idEnd === undefined) throw new Error('It must be a reference such as K7QM-2XHD.');
  return idEnd;
});

export const selection = {
  partner: field.option('key', 'only leads of this partner, or - for leads of /json/leads'),
  state: field.choice('state', leadStatuses, 'only leads whose answer is final, still to come, or a refusal'),
  campaign: field.option('name', 'only leads with this utm_campaign'),
  context: field.context(
    'only leads with this value of a hidden field that is a filter (context_fields); may be given several times',
  ),
  outcome: field.choice(
    'outcome',
    [...outcomes, 'none'],
    'only leads with this newest outcome of a call, or with none',
  ),
  answer: field.pairs(
    'a question',
    'revenue=over-50k',
    "only leads with this choice at a partner's own question; may be given several times, and opens the leads, which takes longer",
  ),
  reference: {
    schema: reference.optional(),
    what: 'only leads with this reference, such as K7QM-2XHD',
    value: 'reference',
  },
  since: field.since('leads'),
  until: field.until('leads'),
};
export type Selection = Input<typeof selection>;

export const wrongTimes = ({since = 0, until = Infinity}: Pick<Selection, 'since' | 'until'>) =>
  until <= since ? '--until must be later than --since' : undefined;

/** @throws Refusal for an answer in words */
export function filterOf(
  {config}: Pick<Admin, 'config'>,
  {partner, state, reference, answer, ...others}: Selection,
): LeadFilter {
  for (const name of Object.keys(answer ?? {})) {
    const named = config.partners.flatMap(({questions}) => questions.filter((each) => each.name === name));
    if (named.length > 0 && named.every(({choices}) => !choices))
      throw new Refusal(`${name} is answered in words, and --answer takes choices only.`);
  }
  return {
    ...others,
    answers: answer,
    partner: partner === withoutPartner ? null : partner,
    status: state,
    endOfId: reference,
  };
}

/**
 * Warns of names that the configuration lacks, because they may be misspelt. This is not an error: leads may have been stored
 * while the configuration had the name.
 */
export function unknownNames(
  {partners}: Config,
  {partner = withoutPartner, context = {}, answer = {}}: Selection,
) {
  const isFilter = (name: string) =>
    partners.some(({contextFields}) => contextFields.some((each) => each.filter && each.name === name));
  const choices = partners.flatMap(({questions}) =>
    questions.flatMap(({name, choices = []}) => choices.map(({value}) => `${name}=${value}`)),
  );
  return [
    partner !== withoutPartner &&
      !partners.some(({key}) => key === partner) &&
      `There is no partner ${partner}.`,
    ...Object.keys(context)
      .filter((name) => !isFilter(name))
      .map((name) => `No partner has ${name} as a filter: see its context_fields.`),
    ...Object.entries(answer)
      .map((pair) => pair.join('='))
      .filter((choice) => !choices.includes(choice))
      .map(
        (choice) =>
          `No partner's question has ${choice}. There are: ${[...new Set(choices)].join(', ') || 'none'}.`,
      ),
  ].filter((note) => note !== false);
}
