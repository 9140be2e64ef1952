/**
 * Contact data that is known before the visitor types: from the page's URL, from the property `prefill`, and from the
 * draft, which keeps what the visitor typed before. Amounts are neither filled in nor kept.
 */
import {contactNames} from '../../form/pages.ts';
import {readFields, type Values} from '../../form/read-fields.ts';
import {keep, recall} from '../page/session.ts';
import {draftName, forgetDraft, type Contact, type ContactSources} from './contact-sources.ts';

/** Milliseconds. */
const draftLifetime = 30 * 60_000;

/** The contact data that is known. The draft replaces `prefill`, and `prefill` replaces the page's URL. */
export function knownContact({draft, partner, prefill, prefillFromUrl}: ContactSources): Contact {
  const fromPage = {
    ...(prefillFromUrl && Object.fromEntries(new URLSearchParams(location.search))),
    ...prefill,
  };
  return {...acceptable(fromPage), ...(draft && readDraft(partner))};
}

/** The contact fields of the source that the form would accept from a visitor. Everything else is left out. */
const acceptable = (source: object) => readFields(contactNames, source).lead as Contact;

/** The contact fields that hold a text. Other scripts on the page can put anything into a draft. */
const contactTexts = (source: Readonly<Record<string, unknown>>): Contact =>
  Object.fromEntries(
    contactNames.flatMap((name) => {
      const text = source[name];
      return typeof text === 'string' && text ? [[name, text]] : [];
    }),
  );

/** Keeps the contact fields as they are, also what is not acceptable yet, such as half a phone number. */
export function keepDraft(partner: string, values: Values) {
  const contact = contactTexts(values);
  const isEmpty = Object.keys(contact).length === 0;
  keep(draftName(partner), isEmpty ? undefined : {...contact, at: Date.now()});
}

function readDraft(partner: string): Contact | undefined {
  const draft = recall(draftName(partner)) as {at: number} | undefined;
  if (draft && Date.now() - draft.at < draftLifetime) return contactTexts({...draft});
  forgetDraft(partner);
  return undefined;
}
