/** Shows what somebody agreed to, word for word, and who received the lead. Also works for erased leads whose consent is kept. */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import type {Config} from '../config/config.ts';
import {consentRecord, toConsentRecord} from '../leads/consent-record.ts';
import type {KeptConsent, ErasureReader} from '../leads/erasure.ts';
import {saltedDigests, statementOf, type EvidenceKey, type EvidenceStore} from '../leads/evidence.ts';
import type {FullLead, LeadFilter, ListedLead, UnreadableLead, LeadReader} from '../leads/lead-filter.ts';
import type {KnownPerson} from '../leads/persons.ts';
import type {ReadStore} from '../leads/ports.ts';
import {consentEnd} from '../leads/retention.ts';
import type {Consent, Tombstone} from '../leads/stored-lead.ts';
import {isErased, whyUnreadable} from '../store/rows.ts';
import {idsOf, isoTime, pagesOf, Refusal, time, type Job, type With, type Reading} from './admin.ts';
import {noteListAccess} from './audit.ts';
import {receiver, receiversOf} from './deliveries.ts';
import type {Exported, Exporting} from './exporting.ts';
import {unreadableText} from './lead-names.ts';
import {personRow, toPersonRow, type Search} from './persons.ts';
import {afterwards, afterwardsOf, noneAfterwards, type Afterwards} from './stops.ts';
import {toJson} from './visible.ts';

const {text, observed, reported} = consentRecord.shape;

/**
 * - `text`, `observed`, `reported`: null if there is no consent, or if it was erased
 * - `person`: null if nothing about the person is kept
 * - `kept_until`: for an erased lead, until when its consent is kept
 */
export const shownConsent = consentRecord.extend({
  received_at: time.nullable(),
  erased_at: time.nullable(),
  kept_until: time.nullable(),
  person: personRow.extend({email: z.string().exactOptional()}).nullable(),
  text: text.nullable(),
  observed: observed.nullable(),
  reported: reported.nullable(),
  ...afterwards.shape,
  receivers: z.array(receiver),
  statement: z
    .string()
    .nullable()
    .describe('The record, signed. Null if there was no key at that time, or if it is lost.'),
  salt: z.string().nullable().describe('Of the digests in the statement.'),
});
export type ShownConsent = z.infer<typeof shownConsent>;

/** A lead, or what is left of an erased one. */
type Holder = {
  lead: FullLead | Tombstone;
  person: (Omit<KeptConsent, 'consent'> & {email?: string}) | undefined;
  consent: Consent | undefined;
};

/** The leads of a page. Erased ones come with the consent and the contact data that are kept. */
async function holdersOf({store}: With<ErasureReader>, page: readonly ListedLead[]) {
  const kept = await store.keptConsents(idsOf(page.filter(isErased)));
  return page.map((lead): Holder | UnreadableLead => {
    if ('unreadable' in lead) return lead;
    if (!isErased(lead)) return {lead, person: lead.lead, consent: lead.consent ?? undefined};
    const person = kept.get(lead.id);
    if (person instanceof Error) return {id: lead.id, unreadable: whyUnreadable(person)};
    return {lead, person, consent: person?.consent};
  });
}

/** A record without the receivers and the signed statement. */
type Recorded = Omit<ShownConsent, 'receivers' | 'statement' | 'salt'>;

/** The texts of these consents, by their hashes. */
const archiveOf = ({store}: With<LeadReader>, holders: readonly Holder[]) =>
  store.consentWords([...new Set(holders.flatMap(({consent}) => consent?.textHash ?? []))]);

function toRecord(
  config: Config,
  {lead, person, consent}: Holder,
  archive: ReadonlyMap<string, string>,
  became: ReadonlyMap<string, Afterwards>,
): Recorded {
  const {id, partner, createdAt} = lead;
  const keptUntil =
    consent && isErased(lead) ? consentEnd(config, {partner, givenAt: createdAt}) || null : null;
  return {
    lead: id,
    reference: referenceOf(id),
    partner,
    received_at: isoTime(createdAt),
    erased_at: isoTime(isErased(lead) ? lead.erasedAt : null),
    kept_until: isoTime(keptUntil),
    person: person
      ? {...toPersonRow(person), ...(person.email !== undefined && {email: person.email})}
      : null,
    ...(consent
      ? toConsentRecord(lead, consent, archive.get(consent.textHash))
      : {text: null, observed: null, reported: null}),
    ...(became.get(id) ?? noneAfterwards),
  };
}

function afterwardsOfHolders(admin: With<ReadStore>, holders: readonly Holder[]) {
  const people = new Map<string, KnownPerson>();
  for (const {lead, person} of holders) {
    if (!person) continue;
    const {phone, email, addressDigest} = person;
    people.set(lead.id, {phone: phone.e164, email, addressDigest});
  }
  const leads = holders.map(({lead}) => lead);
  return afterwardsOf(admin, leads, people);
}

/** @throws Refusal if there is no such lead, or if it cannot be read */
export async function showConsent(
  admin: With<ReadStore & EvidenceStore, 'config' | 'noteAccess'>,
  id: string,
): Promise<ShownConsent> {
  const found = await admin.store.readLead(id);
  if (!found) throw new Refusal(`There is no lead ${id}.`, 'unknown');
  await admin.noteAccess({lead: id});
  const [holder] = await holdersOf(admin, [found.lead]);
  if (!holder) throw new Error('A page of one lead has none');
  if ('unreadable' in holder) throw new Refusal(unreadableText(holder));
  const archive = await archiveOf(admin, [holder]);
  return {
    ...toRecord(admin.config, holder, archive, await afterwardsOfHolders(admin, [holder])),
    receivers: await receiversOf(admin, id),
    statement: signedRecord(holder, archive, (await admin.store.evidenceKeys()).keys) ?? null,
    salt: holder.consent?.evidence?.salt ?? null,
  };
}

function signedRecord(
  {lead, person, consent}: Holder,
  archive: ReadonlyMap<string, string>,
  keys: readonly EvidenceKey[],
): string | undefined {
  const salt = consent?.evidence?.salt;
  if (!consent || salt === undefined) return undefined;
  const digests = isErased(lead) ? person?.digests : saltedDigests(salt, lead.lead);
  const stated = digests && {lead, consent, digests, words: archive.get(consent.textHash)};
  return stated && statementOf(stated, keys);
}

/**
 * Exports the consents of the selected leads, also of erased ones, the oldest first, each as a line of JSON.
 * @returns `leads`: the number of exported consents; `erased`: the number of erased leads whose consent was not kept
 */
export async function* exportConsents(admin: Reading, filter: LeadFilter): Job<Exporting, Exported> {
  const done = {leads: 0, erased: 0, unreadable: 0, unlisted: []};
  let looked = 0;
  const atStart = await noteListAccess(admin, filter);
  for await (const leads of pagesOf((page) => admin.store.readLeads(atStart, page))) {
    const holders: Holder[] = [];
    for (const holder of await holdersOf(admin, leads)) {
      looked += 1;
      if ('unreadable' in holder) {
        done.unreadable += 1;
        yield {unreadable: holder, looked};
      } else if (holder.consent) holders.push(holder);
      else if (isErased(holder.lead)) done.erased += 1;
    }
    const archive = await archiveOf(admin, holders);
    const became = await afterwardsOfHolders(admin, holders);
    const records = holders.map((holder) => toRecord(admin.config, holder, archive, became));
    done.leads += records.length;
    yield {text: records.map((record) => `${toJson(record)}\n`).join(''), looked};
  }
  return done;
}

/** A text as operators name it: `acme/en/2`, or `acme/2` for one without a language. Callers' texts begin with `-`. */
const nameOfText = (partner: string | null, {textLanguage, textVersion}: Consent) =>
  [partner ?? '-', textLanguage, textVersion].filter((part) => part !== undefined).join('/');

/** A consent without personal data. `text` has the form of the option `--text`. */
export const consentRow = z.object({
  lead: z.string(),
  reference: z.string(),
  given_at: time.nullable(),
  text: z.string(),
  agreed: z.boolean().nullable(),
  erased_at: time.nullable(),
});
export type ConsentRow = z.infer<typeof consentRow>;

/**
 * The newest first, until `limit` are found. Takes long, because it decrypts every selected lead.
 * @param text only consents to this text
 */
export async function* listConsents(
  admin: With<LeadReader & ErasureReader, 'noteAccess' | 'signal'>,
  filter: LeadFilter,
  limit: number,
  text: string | undefined,
): Job<Search, {rows: ConsentRow[]; unreadable: string[]}> {
  const total = await admin.store.countLeads(filter);
  const unreadable: string[] = [];
  const rows: ConsentRow[] = [];
  let looked = 0;
  for await (const leads of pagesOf((page) => admin.store.listLeads(filter, page))) {
    for (const holder of await holdersOf(admin, leads)) {
      if (rows.length === limit) break;
      looked += 1;
      if ('unreadable' in holder) unreadable.push(holder.id);
      else if (holder.consent) {
        const row = toConsentRow(holder.lead, holder.consent);
        if (text === undefined || row.text === text) rows.push(row);
      }
    }
    yield {looked, total, unprepared: 0};
    if (rows.length === limit || admin.signal?.aborted) break;
  }
  const ids = rows.map(({lead}) => lead);
  await admin.noteAccess({...filter, text}, ids);
  return {rows, unreadable};
}

/** Narrows the filter to the partner whose text it is. */
export const consentFilter = (filter: LeadFilter, text: string | undefined): LeadFilter => {
  const partner = text?.split('/')[0];
  return partner === undefined ? filter : {...filter, partner: partner === '-' ? null : partner};
};

const toConsentRow = (lead: FullLead | Tombstone, consent: Consent): ConsentRow => ({
  lead: lead.id,
  reference: referenceOf(lead.id),
  given_at: isoTime(consent.givenAt),
  text: nameOfText(lead.partner, consent),
  agreed: consent.agreed,
  erased_at: isoTime(isErased(lead) ? lead.erasedAt : null),
});
