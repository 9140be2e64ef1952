/** The part of the store that keeps who took a consent back. A lead whose consent was taken back goes nowhere any more. */

/** For whom a consent was taken back: for the partner of the lead, or for all. */
export const revocationScopes = ['partner', 'all'] as const;
export type RevocationScope = (typeof revocationScopes)[number];
