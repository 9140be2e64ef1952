/**
 * Which destinations of `send_to` get a lead. It is decided once, when the lead is stored, by a pure function, so that no later
 * configuration moves a lead. Only what depends on amounts that an upstream has yet to give stays open: that is stored with
 * the lead, and decided with its answer (`announce` in store/settlement-queries.ts).
 */
import {totalAmount} from '../../contract/amounts.ts';
import type {Context} from '../../contract/embed.ts';
import type {Rule, When} from '../config/routes.ts';
import type {Lead} from './lead-schema.ts';
import type {Answer} from './stored-lead.ts';

/** `language`: of the form, or of the consent that a caller brought. */
export type RoutedFacts = {
  lead: Lead;
  answer: Answer;
  language?: string | undefined;
  context?: Context | null | undefined;
};

/** Null without amounts, undefined while they are not known. */
function totalOf(answer: Answer): number | null | undefined {
  if (answer.status === 'pending') return undefined;
  return (answer.status === 'done' && answer.amounts?.[totalAmount]) || null;
}

const conditions: {
  [Name in keyof When]-?: (wanted: NonNullable<When[Name]>, facts: RoutedFacts) => boolean | undefined;
} = {
  state: (states, {lead: {state}}) => states.some((each) => each === state),
  total_at_least(least, {answer}) {
    const total = totalOf(answer);
    return total === undefined ? undefined : total !== null && total >= least;
  },
  credit_score: (scores, {lead}) =>
    lead.lead_type === 'prequalification' && scores.includes(lead.credit_score),
  lead_type: (types, {lead}) => types.includes(lead.lead_type),
  language: (languages, {language}) => languages.includes(language?.split('-')[0] ?? ''),
  context: (wanted, {context}) =>
    Object.entries(wanted).every(([name, values]) => values.includes(context?.[name] ?? '')),
  answers: (wanted, {lead: {answers = []}}) =>
    Object.entries(wanted).every(([name, values]) =>
      answers.some((each) => each.name === name && values.includes(each.value ?? '')),
    ),
};
type ConditionName = keyof When;

/** Whether each condition holds. Undefined: it depends on amounts that are not known yet. */
export const checked = (when: When, facts: RoutedFacts): [ConditionName, boolean | undefined][] =>
  (Object.keys(when) as ConditionName[]).map((name) => {
    const holds = conditions[name] as (wanted: unknown, facts: RoutedFacts) => boolean | undefined;
    return [name, holds(when[name], facts)];
  });

/** `least`: the total from which on the destination gets the lead. Null: if no other one gets it by its rule. */
export type Open = {to: string; least: number | null};

/** Of those that do not get each lead. @returns `open`: what the amounts will decide */
export function routed(rules: readonly Rule[], facts: RoutedFacts): {taken: string[]; open: Open[]} {
  const taken: string[] = [];
  const open: Open[] = [];
  for (const {to, when} of rules) {
    if (!when) continue;
    const holds = checked(when, facts).map(([, is]) => is);
    if (holds.includes(false)) continue;
    if (holds.includes(undefined)) open.push({to, least: when.total_at_least ?? null});
    else taken.push(to);
  }
  if (taken.length > 0) return {taken, open};
  const others = rules.filter(({otherwise}) => otherwise).map(({to}) => to);
  return open.length === 0
    ? {taken: others, open}
    : {taken, open: [...open, ...others.map((to) => ({to, least: null}))]};
}
