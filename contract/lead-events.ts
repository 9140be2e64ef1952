/** The types of the events that tell destinations of leads, and which of them a destination may leave out. */

export const leadEventTypes = [
  'lead.created',
  'lead.answered',
  'lead.erased',
  'consent.revoked',
  'lead.outcome',
] as const;
export type LeadEventType = (typeof leadEventTypes)[number];

/**
 * Which types a destination gets unless its `events` leave them out, and which it always gets. A receiver must follow an
 * erasure or a revoked consent whatever it has chosen, so the types of such events are `always`. A webhook gets what is
 * `asked` only if its `events` list it.
 */
export const leadEventChoice = {
  'lead.created': 'chosen',
  'lead.answered': 'chosen',
  'lead.erased': 'always',
  'consent.revoked': 'always',
  'lead.outcome': 'asked',
} as const satisfies Record<LeadEventType, 'chosen' | 'always' | 'asked'>;

/** The types that each `events` may list. That of a webhook may list `lead.outcome`, too. */
export type ChosenEventType = {
  [Type in LeadEventType]: (typeof leadEventChoice)[Type] extends 'chosen' ? Type : never;
}[LeadEventType];
const canBeChosen = (type: LeadEventType): type is ChosenEventType => leadEventChoice[type] === 'chosen';
export const chosenEventTypes: readonly ChosenEventType[] = leadEventTypes.filter(canBeChosen);
