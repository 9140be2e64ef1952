/**
 * Whose leads a history has: a number gives a person, whose name and e-mail nobody else has. Several have the same telephone
 * number, so that leads come with one whose consent was revoked by somebody else.
 */
import type {Consent} from '../../server/leads/stored-lead.ts';
import {asLead, prequalificationBody, standardBody} from '../support/sample-leads.ts';
import {beginning} from './clock.ts';

/** How many telephone numbers there are. */
const numbers = 4;
/** Texts by which the person is found in a file. */
export const personalOf = (content: number) => ({
  name: `Visitor-${content}-Jane`,
  email: `person-${content}@example.com`,
  phone: `20255501${String(content % numbers).padStart(2, '0')}`,
});
/** In E.164. */
export const phoneOf = (content: number) => `+1${personalOf(content).phone}`;
export const personOf = (content: number) => ({
  phone: phoneOf(content),
  mailbox: personalOf(content).email,
});

/** @param isStandard whether the lead asks for no amounts. @param cid its client */
export function leadOf(content: number, isStandard: boolean, cid: string) {
  const {name: first_name, email, phone} = personalOf(content);
  const body = isStandard ? standardBody : {...prequalificationBody, cash: content};
  return asLead({...body, cid, first_name, email, phone});
}

/** Its browser stands for what only the consent holds of the visitor. */
export const consentOf = (content: number): Consent => ({
  textVersion: '1',
  textHash: 'a'.repeat(64),
  agreed: true,
  givenAt: beginning,
  origin: 'https://acme.example',
  page: 'https://acme.example/',
  ip: '192.0.2.1',
  userAgent: `Browser of ${personalOf(content).name}`,
});
