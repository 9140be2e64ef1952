/** What the element needs to know about contact data that is filled in, before the file that fills it in is loaded. */
import type {ContactFieldName} from '../../contract/fields.ts';
import {keep, recall} from '../page/session.ts';

export type Contact = {readonly [Name in ContactFieldName]?: string};

/** The element's properties that say from where the form may fill in contact data. */
export type ContactSources = {
  readonly partner: string;
  readonly draft: boolean;
  readonly prefill: object | undefined;
  readonly prefillFromUrl: boolean;
};

/** The name in the session storage under which the draft of a partner's form is kept. */
export const draftName = (partner: string) => `lead-prequal-draft:${partner}`;

export const forgetDraft = (partner: string) => keep(draftName(partner));

/** Whether there may be contact data to fill in. */
export const mayKnowContact = ({partner, draft, prefill, prefillFromUrl}: ContactSources): boolean =>
  Boolean(prefill || (prefillFromUrl && location.search) || (draft && recall(draftName(partner))));
