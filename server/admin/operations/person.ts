/** Parts of operations that search for a person: the input fields, the search, and the remarks about its result. */
import {z} from 'zod';
import {referenceOf} from '../../../contract/reference.ts';
import type {LeadFilter} from '../../leads/lead-filter.ts';
import type {Person} from '../../leads/persons.ts';
import {personOf, phoneOf} from '../../leads/read-contact.ts';
import {consentEnd} from '../../leads/retention.ts';
import type {Admin, Job} from '../admin.ts';
import {leadsOfPerson, type Found, type Search} from '../persons.ts';
import {counted, localDay} from '../words.ts';
import {parsedBy, type Field} from './fields.ts';

const fromInput = '- reads it from standard input';

export const who: Field<z.ZodString> & {argument: true} = {
  schema: z.string(),
  argument: true,
  what: `a reference, the id of a lead, a phone number or an e-mail address; ${fromInput}`,
  asks: 'Reference, phone or e-mail',
};

/** The address is kept as typed: `searchPerson` normalises it. */
const email = z.string().refine((text) => personOf(text) !== undefined, 'It must be an e-mail address.');
const phone = parsedBy((text) => {
  const number = phoneOf(text)?.e164;
  if (number === undefined)
    throw new Error('It must be a US number, or one that begins with + and a country code.');
  return number;
});

export const personFields = {
  email: {
    schema: email.optional(),
    value: 'address',
    asks: 'The e-mail address',
    what: `only leads with this e-mail address, in any capitals; ${fromInput}`,
  },
  phone: {
    schema: phone.optional(),
    value: 'number',
    asks: 'The telephone number',
    what: `only leads with this telephone number, however it is written; ${fromInput}`,
  },
};
/** The values of `personFields`. */
type Named = {email?: string | undefined; phone?: string | undefined};
export const isPerson = ({email, phone}: Named): boolean => email !== undefined || phone !== undefined;

export const searchPerson = (
  admin: Admin,
  filter: LeadFilter,
  {email, phone}: Named,
  limit?: number,
): Job<Search, Found> => {
  const person: Person = {...(email !== undefined && personOf(email)), ...(phone !== undefined && {phone})};
  return leadsOfPerson(admin, filter, person, limit);
};

/** The maximum number of references in a sentence. */
const maxNamed = 20;
export const referencesOf = (ids: readonly string[]) =>
  ids.slice(0, maxNamed).map(referenceOf).join(', ') + (ids.length > maxNamed ? ' …' : '');

/** A remark about leads that are not meant. False without any. */
export const sameMailboxWords = (ids: readonly string[]) =>
  ids.length > 0 &&
  `Not among them, but probably of the same mailbox, with another spelling of the address: ${referencesOf(ids)}.`;

/** Remarks about leads that may also be of the person, and about kept consents. */
export function notesOf({config, signal}: Admin, {kept, unreadable, sameMailbox, looked, total}: Found) {
  const keptWords = kept.map(({id, partner, createdAt}) => {
    const lastDay = localDay(consentEnd(config, {partner, givenAt: createdAt}));
    const reference = referenceOf(id);
    return `Erased, but its consent is kept until ${lastDay}: ${reference}; lead-prequal consent show ${reference} shows it.`;
  });
  return [
    signal?.aborted === true &&
      `Stopped after ${looked.toLocaleString('en-US')} of ${counted(total, 'lead')}, the newest ones.`,
    sameMailboxWords(sameMailbox),
    unreadable.length > 0 &&
      `${counted(unreadable.length, 'lead')} could not be read and may be of this person, too: ${referencesOf(unreadable)}.`,
    ...keptWords,
  ].filter((note) => note !== false);
}
