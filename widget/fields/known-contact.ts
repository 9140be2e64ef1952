/** Contact data that the form fills in before the visitor types. It never fills in amounts. */
import type {ContactFieldName} from '../../contract/fields.ts';
import {contactNames} from '../../form/pages.ts';
import {readFields} from '../../form/read-fields.ts';
import {keep, recall} from '../page/session.ts';

export type Contact = {readonly [Name in ContactFieldName]?: string};

/** The element's properties that say from where the form may fill in contact data. */
export type ContactSources = {
  readonly partner: string;
  readonly draft: boolean;
  readonly prefill: object | undefined;
  readonly prefillFromUrl: boolean;
};

/** The contact fields of the source that the form would accept from a visitor. Everything else is left out. */
const acceptable = (source: object) => readFields(contactNames, source).lead as Contact;

/** Milliseconds. */
const draftLifetime = 30 * 60_000;

const storageName = (partner: string) => `lead-prequal-draft:${partner}`;

export const keepDraft = (partner: string, values: object) =>
  keep(storageName(partner), {at: Date.now(), ...acceptable(values)});

export const forgetDraft = (partner: string) => keep(storageName(partner));

function readDraft(partner: string): object | undefined {
  const draft = recall(storageName(partner)) as {at: number} | undefined;
  if (draft && Date.now() - draft.at < draftLifetime) return draft;
  forgetDraft(partner);
  return undefined;
}

/**
 * Whether there may be contact data to fill in. If so, the first file loads the touched form before the first touch.
 */
export const mayKnowContact = (form: ContactSources): boolean =>
  Boolean(
    form.prefill ||
    (form.prefillFromUrl && location.search) ||
    (form.draft && recall(storageName(form.partner))),
  );

/**
 * Contact data from the page's URL, from the property `prefill`, and from the draft. Later ones replace earlier ones.
 */
export const knownContact = (form: ContactSources) =>
  acceptable({
    ...(form.prefillFromUrl && Object.fromEntries(new URLSearchParams(location.search))),
    ...form.prefill,
    ...(form.draft && readDraft(form.partner)),
  });
