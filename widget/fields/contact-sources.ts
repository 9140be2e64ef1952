/** What the element needs to know about answers that are filled in, before the file that fills them in is loaded. */
import type {ContactFieldName} from '../../contract/fields.ts';
import {draftLifetime} from '../../contract/embed.ts';
import {keep, recall} from '../page/session.ts';

export type Contact = {readonly [Name in ContactFieldName]?: string};

/** The element's properties that say from where the form may fill in contact data. A draft has all answers. */
export type ContactSources = {
  readonly partner: string;
  readonly draft: boolean;
  readonly prefill: object | undefined;
  readonly prefillFromUrl: boolean;
};

/** The name in the session storage under which the draft of a partner's form is kept. */
export const draftName = (partner: string) => `lead-prequal-draft:${partner}`;

/** The stored draft, unless it is too old. Other scripts of the page can have replaced it by anything. */
export function recallDraft(partner: string): Readonly<Record<string, unknown>> | undefined {
  const draft = recall(draftName(partner)) as ({at: number} & Record<string, unknown>) | null | undefined;
  // A draft of the future comes from another script, or from before the clock was set.
  return draft && Math.abs(Date.now() - draft.at) < draftLifetime ? draft : undefined;
}

/**
 * Keeps an answer of the first step that was chosen before `rest` has arrived, which keeps all answers from then on. What
 * another form of the partner has kept meanwhile stays.
 */
export const keepEarly = (partner: string, {name, value}: HTMLInputElement) =>
  keep(draftName(partner), {...recallDraft(partner), [name]: value, step: 'credit', at: Date.now()});

export const forgetDraft = (partner: string) => keep(draftName(partner));

/** Whether there may be a draft to fill in. `rest` reads it, and removes it if it is too old. */
export const hasDraft = ({draft, partner}: Pick<ContactSources, 'draft' | 'partner'>): boolean =>
  draft && Boolean(recall(draftName(partner)));
