/** The types of the events that tell destinations of leads, and which of them a destination may leave out. */

export const leadEventTypes = ['lead.created', 'lead.answered'] as const;
export type LeadEventType = (typeof leadEventTypes)[number];

/**
 * Which types a destination gets only if its `events` list them, and which it always gets. A receiver must follow an
 * erasure or a revoked consent whatever it has chosen, so the types of such news are `always`.
 */
export const leadEventChoice: Record<LeadEventType, 'chosen' | 'always'> = {
  'lead.created': 'chosen',
  'lead.answered': 'chosen',
};
