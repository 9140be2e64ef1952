/** Contact data that is known before the visitor types. Amounts never are. */
import type {ContactFieldName} from '../../contract/fields.ts';
import {parameters} from '../page/parameters.ts';
import {readFields} from '../../form/read-fields.ts';
import {keep, recall} from '../page/session.ts';
import {contactNames} from '../../form/pages.ts';

export type Contact = {readonly [Name in ContactFieldName]?: string};

/** What the form would take from a visitor; anything else the source has is left out. */
const acceptable = (source: object) => readFields(contactNames, source).lead as Contact;

/** Milliseconds. */
const draftLifetime = 30 * 60_000;

const draftOf = (partner: string) => `lead-prequal-draft:${partner}`;

/** Without values, the draft goes. */
export function keepDraft(partner: string, values?: object) {
  keep(draftOf(partner), values && {at: Date.now(), ...acceptable(values)});
}

function readDraft(partner: string): object | undefined {
  const draft = recall(draftOf(partner)) as {at: number} | undefined;
  if (draft && Date.now() - draft.at < draftLifetime) return draft;
  keepDraft(partner);
  return undefined;
}

/** From the page's address, from its script, from what was typed before a reload: each beats the one before. */
export const knownContact = (form: HTMLElement & {partner: string; prefill: object | undefined}) =>
  acceptable({
    ...(form.hasAttribute('prefill-from-url') && parameters()),
    ...form.prefill,
    ...(form.hasAttribute('draft') && readDraft(form.partner)),
  });
