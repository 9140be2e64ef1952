/** Contact data that the page knows before the visitor types: from its URL, and from the property `prefill`. */
import {contactNames} from '../../form/pages.ts';
import {readFields} from '../../form/read-fields.ts';
import type {Contact, ContactSources} from './contact-sources.ts';

/** The contact data that is known. `prefill` replaces the page's URL. */
export function knownContact({prefill, prefillFromUrl}: ContactSources): Contact {
  const fromPage = {
    ...(prefillFromUrl && Object.fromEntries(new URLSearchParams(location.search))),
    ...prefill,
  };
  return acceptable(fromPage);
}

/** The contact fields of the source that the form would accept from a visitor. Everything else is left out. */
const acceptable = (source: object) => readFields(contactNames, source).lead as Contact;
