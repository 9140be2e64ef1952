/** What somebody agreed to, word for word, and who got the lead: also of erased leads whose consent is kept. */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {formLanguages} from '../../form/words/languages.ts';
import {consentRecord, toConsentRecord} from '../leads/consent-record.ts';
import type {KeptConsent} from '../leads/erasure.ts';
import type {FullLead, LeadFilter, ListedLead} from '../leads/lead-filter.ts';
import {consentEnd} from '../leads/retention.ts';
import type {Consent, Tombstone} from '../leads/stored-lead.ts';
import {isErased, whyUnreadable} from '../store/rows.ts';
import {isoTime, Refusal, time, type Admin, type Job} from './admin.ts';
import {receiver, receiversOf} from './deliveries.ts';
import {unreadableText} from './lead-names.ts';

const {text, observed, reported} = consentRecord.shape;

/**
 * - `text`, `observed`, `reported`: null without a consent, or if it was erased
 * - `person`: null if nothing of the person is kept
 * - `kept_until`: of an erased lead, how long the consent stays
 */
export const shownConsent = consentRecord.extend({
  received_at: time.nullable(),
  erased_at: time.nullable(),
  kept_until: time.nullable(),
  person: z
    .object({
      first_name: z.string(),
      last_name: z.string(),
      phone: z.string(),
      phone_e164: z.string(),
      email: z.string().exactOptional(),
    })
    .nullable(),
  text: text.nullable(),
  observed: observed.nullable(),
  reported: reported.nullable(),
  receivers: z.array(receiver),
});
export type ShownConsent = z.infer<typeof shownConsent>;

/** A lead, or what is left of an erased one. */
type Holder = {
  lead: FullLead | Tombstone;
  person: (Omit<KeptConsent, 'consent'> & {email?: string}) | undefined;
  consent: Consent | undefined;
};

/** @throws Refusal if it cannot be read */
async function holderOf({store}: Admin, lead: ListedLead): Promise<Holder> {
  if ('unreadable' in lead) throw new Refusal(unreadableText(lead));
  if (!isErased(lead)) return {lead, person: lead.lead, consent: lead.consent ?? undefined};
  const kept = await store.keptConsent(lead.id).catch((error: unknown) => {
    throw new Refusal(unreadableText({id: lead.id, unreadable: whyUnreadable(error)}));
  });
  return {lead, person: kept, consent: kept?.consent};
}

/** @throws Refusal if there is no such lead, or if it cannot be read */
export async function showConsent(admin: Admin, id: string): Promise<ShownConsent> {
  const {store, config} = admin;
  const found = await store.readLead(id);
  if (!found) throw new Refusal(`There is no lead ${id}.`, 'unknown');
  const {lead, person, consent} = await holderOf(admin, found.lead);
  const words = consent && (await store.consentWords([consent.textHash])).get(consent.textHash);
  const {partner, createdAt} = lead;
  const erasedAt = isErased(lead) ? lead.erasedAt : null;
  return {
    lead: id,
    reference: referenceOf(id),
    partner,
    received_at: isoTime(createdAt),
    erased_at: isoTime(erasedAt),
    kept_until:
      erasedAt !== null && consent ? isoTime(consentEnd(config, {partner, givenAt: consent.givenAt})) : null,
    person: person
      ? {
          first_name: person.first_name,
          last_name: person.last_name,
          phone: person.phone.typed,
          phone_e164: person.phone.e164,
          ...(person.email !== undefined && {email: person.email}),
        }
      : null,
    ...(consent ? toConsentRecord(lead, consent, words) : {text: null, observed: null, reported: null}),
    receivers: await receiversOf(admin, id),
  };
}

/** A text of a partner as operators name it: `acme/en/2`, or `acme/2` for one without a language. */
export type TextName = {partner: string; language: string | undefined; version: string};

export function readTextName(name: string): TextName | undefined {
  const [, partner, language, version] =
    new RegExp(`^([^/]+)/(?:(${formLanguages.join('|')})/)?(.+)$`, 's').exec(name) ?? [];
  return partner === undefined || version === undefined ? undefined : {partner, language, version};
}

export const nameOfText = (
  partner: string | null,
  {textLanguage, textVersion}: Pick<Consent, 'textLanguage' | 'textVersion'>,
) => [partner ?? '-', textLanguage, textVersion].filter((part) => part !== undefined).join('/');

/** Without personal data. `text` is as `--text` takes it. */
export const consentRow = z.object({
  lead: z.string(),
  reference: z.string(),
  given_at: time.nullable(),
  text: z.string(),
  agreed: z.boolean().nullable(),
  erased_at: time.nullable(),
});
export type ConsentRow = z.infer<typeof consentRow>;

/** Leads of one query, each of which is opened. */
const pageLeads = 1_000;

/**
 * The newest first, until `limit` are found. Every lead that the filter selects is opened, so this takes long.
 * @param isNamed which texts are listed
 */
export async function* listConsents(
  admin: Admin,
  filter: LeadFilter,
  limit: number,
  isNamed: (consent: Consent) => boolean,
): Job<{looked: number; rows: ConsentRow[]}, {unreadable: string[]}> {
  const unreadable: string[] = [];
  let [looked, left] = [0, limit];
  for (let after: string | undefined; left > 0;) {
    const page = await admin.store.listLeads(filter, {limit: pageLeads, after});
    const rows: ConsentRow[] = [];
    for (const listed of page) {
      if (rows.length === left) break;
      looked += 1;
      const holder = await holderOf(admin, listed).catch(() => undefined);
      if (!holder) unreadable.push(listed.id);
      else if (holder.consent && isNamed(holder.consent))
        rows.push(toConsentRow(holder.lead, holder.consent));
    }
    left -= rows.length;
    yield {looked, rows};
    after = page.at(-1)?.id;
    if (page.length < pageLeads) break;
  }
  return {unreadable};
}

const toConsentRow = (lead: FullLead | Tombstone, consent: Consent): ConsentRow => ({
  lead: lead.id,
  reference: referenceOf(lead.id),
  given_at: isoTime(consent.givenAt),
  text: nameOfText(lead.partner, consent),
  agreed: consent.agreed,
  erased_at: isoTime(isErased(lead) ? lead.erasedAt : null),
});
