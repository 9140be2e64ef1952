/** What the element needs to know about answers that are filled in, before the file that fills them in is loaded. */
import type {ContactFieldName} from '../../contract/fields.ts';
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

export const forgetDraft = (partner: string) => keep(draftName(partner));

/** Whether there may be a draft to fill in. `rest` reads it, and removes it if it is too old. */
export const hasDraft = ({draft, partner}: Pick<ContactSources, 'draft' | 'partner'>): boolean =>
  draft && Boolean(recall(draftName(partner)));
