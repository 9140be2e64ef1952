/** Contact data that is known before the visitor types. Amounts never are. */
import type {ContactFieldName} from '../../contract/fields.ts';
import {contactNames} from '../../form/pages.ts';
import {readFields} from '../../form/read-fields.ts';
import {keep, recall} from '../page/session.ts';

export type Contact = {readonly [Name in ContactFieldName]?: string};

/** The element's properties that say where contact data is known from. */
export type ContactSources = {
  readonly partner: string;
  readonly draft: boolean;
  readonly prefill: object | undefined;
  readonly prefillFromUrl: boolean;
};

/** What the form would accept from a visitor. Anything else in the source is left out. */
const acceptable = (source: object) => readFields(contactNames, source).lead as Contact;

/** Milliseconds. */
const draftLifetime = 30 * 60_000;

const draftOf = (partner: string) => `lead-prequal-draft:${partner}`;

export const keepDraft = (partner: string, values: object) =>
  keep(draftOf(partner), {at: Date.now(), ...acceptable(values)});

export const forgetDraft = (partner: string) => keep(draftOf(partner));

function readDraft(partner: string): object | undefined {
  const draft = recall(draftOf(partner)) as {at: number} | undefined;
  if (draft && Date.now() - draft.at < draftLifetime) return draft;
  forgetDraft(partner);
  return undefined;
}

/** Whether there may be something to fill in. The first file asks, and loads this one only then. */
export const mayKnowContact = (form: ContactSources): boolean =>
  Boolean(
    form.prefill || (form.prefillFromUrl && location.search) || (form.draft && recall(draftOf(form.partner))),
  );

/** From the page's address, from its script, and from what was typed before a reload. Each beats the one before. */
export const knownContact = (form: ContactSources) =>
  acceptable({
    ...(form.prefillFromUrl && Object.fromEntries(new URLSearchParams(location.search))),
    ...form.prefill,
    ...(form.draft && readDraft(form.partner)),
  });
