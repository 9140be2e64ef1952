/** What forms with the attribute `draft` keep in the session storage, for the partner of the tests. */
export const draftName = 'lead-prequal-draft:acme';

export const keepDraft = (draft: object) =>
  sessionStorage.setItem(draftName, JSON.stringify({at: Date.now(), ...draft}));

export const keptDraft = () =>
  JSON.parse(sessionStorage.getItem(draftName) ?? 'null') as Record<string, unknown> | null;

/** The names of the drafts of all partners. */
export const drafts = () => Object.keys(sessionStorage).filter((key) => key.includes('draft'));
