/** Contact data that the page knows before the visitor types: from its URL, and from the property `prefill`. */
import {contactNames} from '../../form/pages.ts';
import {readFields} from '../../form/read-fields.ts';
import type {Contact, ContactSources} from './contact-sources.ts';

/** The contact data that is known. `prefill` replaces the page's URL. */
export function knownContact({prefill, prefillFromUrl}: ContactSources): Contact {
  return acceptable({...(prefillFromUrl && fromUrl()), ...prefill});
}

/**
 * In a query, a plus that is not encoded is a space, and many links do not encode it. In an e-mail address, and before a
 * telephone number, only a plus can have been meant.
 */
function fromUrl() {
  const query: Contact = Object.fromEntries(new URLSearchParams(location.search));
  const {email = '', phone = ''} = query;
  return {...query, email: email.trim().replaceAll(' ', '+'), phone: phone.replace(/^ /, '+')};
}

/** The contact fields of the source that the form would accept from a visitor. Everything else is left out. */
const acceptable = (source: object) => readFields(contactNames, source).lead as Contact;
