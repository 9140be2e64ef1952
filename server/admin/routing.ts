/** Explains the destinations of a lead: the routing rules when it was stored, and whether each matches. */
import {z} from 'zod';
import {totalAmount} from '../../contract/amounts.ts';
import {formatMoney} from '../../form/format-money.ts';
import {routeOf} from '../config/callers.ts';
import type {Config} from '../config/config.ts';
import type {Route, Rule, When} from '../config/routes.ts';
import {endedStates} from '../leads/deliveries.ts';
import type {FullLead, LeadReader} from '../leads/lead-filter.ts';
import type {DeliveryReader} from '../leads/ports.ts';
import {checked, routed, type RoutedFacts} from '../leads/routing.ts';
import type {With} from './admin.ts';
import {storedOf} from './deliveries.ts';

/** The destinations that the present configuration gives a lead of this partner or client. */
export function routeFor({partners, callers}: Config, {partner, lead: {cid}}: FullLead): Route {
  const caller = callers.find(({cids}) => cids.includes(cid));
  const route = partner === null ? caller && routeOf(caller) : partners.find(({key}) => key === partner);
  return route ?? {answerFrom: undefined, sendTo: []};
}

/** `takes`: whether the destination gets the lead. Null while that depends on amounts that are not known yet */
export const routeRow = z.object({to: z.string(), takes: z.boolean().nullable(), why: z.string()});
export type RouteRow = z.infer<typeof routeRow>;

/**
 * - `areOld`: the rules are those from when the lead was stored, and differ from the present ones
 * - `rows`: one for each destination of `send_to`, and further ones that got the lead
 */
export type Routes = {areOld: boolean; rows: RouteRow[]};

/** The words for the fact that each condition of a rule compares. Amounts are formatted for people. */
const given: {[Name in keyof When]-?: (facts: RoutedFacts) => string} = {
  state: ({lead}) => lead.state ?? 'no state',
  total_at_least({answer}) {
    if (answer.status === 'pending') return 'the total is not known yet';
    const total = answer.status === 'done' ? answer.amounts?.[totalAmount] : undefined;
    return total === undefined ? 'no total' : `total ${formatMoney(total, 'en-US')}`;
  },
  credit_score: ({lead}) =>
    lead.lead_type === 'prequalification' ? `score ${lead.credit_score}` : 'no score',
  lead_type: ({lead}) => lead.lead_type,
  language: ({language}) => (language === undefined ? 'no language' : `language ${language}`),
  context: ({context}) =>
    Object.entries(context ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(', ') || 'no hidden fields',
  answers: ({lead: {answers = []}}) =>
    answers.map(({name, value}) => `${name}=${value ?? 'not asked'}`).join(', ') || 'no answers',
};

/** The words for a condition that does not hold, such as `not TX or OK`. */
function wanted(name: keyof When, when: When): string {
  if (name === 'total_at_least') return `less than ${formatMoney(when.total_at_least ?? 0, 'en-US')}`;
  if (name === 'context' || name === 'answers')
    return Object.entries(when[name] ?? {})
      .map(([field, values]) => `not ${field}=${values.join(' or ')}`)
      .join(', ');
  return `not ${when[name]?.join(' or ')}`;
}

const whyOf = (when: When, facts: RoutedFacts): string =>
  checked(when, facts)
    .map(([name, holds]) => `${given[name](facts)}${holds === false ? `, ${wanted(name, when)}` : ''}`)
    .join('; ');

function rowsOf(rules: readonly Rule[], facts: RoutedFacts): RouteRow[] {
  const {taken, open} = routed(rules, facts);
  const takes = (to: string) => taken.includes(to) || (open.some((each) => each.to === to) ? null : false);
  const others = taken.filter((to) => rules.some((rule) => rule.to === to && rule.when));
  const otherwise = others.length > 0 ? `${others.join(', ')} took it` : 'no other rule takes it';
  return rules.map(({to, when, otherwise: isRest}) => {
    if (when) return {to, takes: takes(to), why: whyOf(when, facts)};
    return isRest ? {to, takes: takes(to), why: otherwise} : {to, takes: true, why: 'it gets each lead'};
  });
}

/** What the rules stored with a lead, or else the present ones, say of it. And the destinations that got it without a rule. */
export async function routesOf(
  {store, config}: With<LeadReader & DeliveryReader, 'config'>,
  full: FullLead,
): Promise<Routes> {
  const {lead, answer, context, consent, routing} = full;
  const {answerFrom, sendTo, ...route} = routeFor(config, full);
  const archived = routing && (await store.consentWords([routing.rules])).get(routing.rules);
  const rules = archived === undefined ? route.rules : (JSON.parse(archived) as readonly Rule[]);
  const language = routing ? routing.language : consent?.textLanguage;
  const rows = rules
    ? rowsOf(rules, {lead, answer, context, language})
    : sendTo.map((to) => ({to, takes: true, why: 'it gets each lead'}));
  const went = (await storedOf({store}, full.id, [undefined, ...endedStates]))
    .filter(({content}) => content === 'lead' || content === 'created')
    .map(({destination: to}) => {
      const why = to === answerFrom ? 'it answers the leads' : 'it was sent there';
      return {to, takes: true, why};
    });
  return {
    areOld: archived !== undefined && archived !== JSON.stringify(route.rules ?? []),
    rows: [...rows, ...went.filter(({to}) => !rows.some((row) => row.takes !== false && row.to === to))],
  };
}
