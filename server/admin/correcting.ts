/** Corrects a lead as the form does: another one takes its place, whoever gets such leads is told, and the consent stays. */
import {randomUUIDv7} from 'node:crypto';
import type {FormFieldName} from '../../contract/fields.ts';
import {referenceOf} from '../../contract/reference.ts';
import type {Config} from '../config/config.ts';
import {addressOf} from '../config/destinations.ts';
import {usualTimings as timings} from '../config/timings.ts';
import {calculatedAnswer} from '../leads/calculated-answer.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import {expectation, parseFormLead, type Lead} from '../leads/lead-schema.ts';
import {createLeadService, type Deliverer} from '../leads/lead-service.ts';
import type {LeadPort, ReadStore} from '../leads/ports.ts';
import type {PrivacyRequestStore} from '../leads/privacy-requests.ts';
import type {Consent} from '../leads/stored-lead.ts';
import {readContext} from '../leads/visitor-submission.ts';
import {isErased} from '../store/rows.ts';
import {Refusal, type With} from './admin.ts';
import {detailsOf} from './lead-details.ts';
import {leadOf, unreadableText} from './lead-names.ts';
import {routeFor} from './routing.ts';

/** As typed. What is not given stays, and an empty text takes away what may be missing. */
export type Corrected = {[Name in FormFieldName]?: string | undefined};

/** @throws Refusal if the lead is erased, stopped, corrected or not readable */
export async function readCorrectable({store}: With<ReadStore>, named: string): Promise<FullLead> {
  const id = await leadOf({store}, named);
  const record = (await store.readLead(id))?.lead;
  if (!record) throw new Refusal(`There is no lead ${named}.`, 'unknown');
  if (isErased(record)) throw new Refusal(`${referenceOf(id)} is erased.`);
  if ('unreadable' in record) throw new Refusal(unreadableText(record));
  if (record.revoked || record.isSuppressed)
    throw new Refusal('Somebody with its number said stop, so nobody may be told of it any more.');
  const later = (await store.corrections([id])).get(id);
  if (later !== undefined)
    throw new Refusal(`${referenceOf(id)} was corrected before: correct ${referenceOf(later)}.`);
  return record;
}

/** For the servers to take. */
const toOutbox = ({destinations}: Config): Deliverer => ({
  contentFor: (name) => (destinations.get(name)?.type === 'lead-api' ? 'lead' : 'created'),
  addressOf(name) {
    const settings = destinations.get(name);
    return settings ? addressOf(settings) : null;
  },
  reserve: () => false,
  abandon: () => undefined,
  deliver: () => Promise.resolve({status: 'pending'}),
  close: () => Promise.resolve(),
});

/** @throws Refusal that names the field that is wrong */
function correct(record: FullLead, corrected: Corrected): Lead {
  const details = detailsOf(record);
  if ('unreadable' in details) throw new Refusal(unreadableText(details));
  const body: Record<string, unknown> = {...details.lead, cid: record.lead.cid};
  for (const [name, value] of Object.entries(corrected)) {
    if (value === '') delete body[name];
    else if (value !== undefined) body[name] = value;
  }
  const {data, error} = parseFormLead(body);
  if (data) return data;
  const field = String(error.issues[0]?.path[0] ?? '');
  throw new Refusal(`Nothing was corrected: ${field} ${expectation(field)}.`);
}

/** The signed statement of a consent has the number and the address with which it was given, so the copy has none. */
function consentFor({phone}: Lead, {id, lead, consent}: FullLead): Consent | undefined {
  if (!consent) return undefined;
  const isOther = phone.e164 !== lead.phone.e164;
  return {...consent, evidence: undefined, givenWith: consent.givenWith ?? (isOther ? id : undefined)};
}

/**
 * @returns the references of the lead and of the one that takes its place, and which destinations are told
 * @throws Refusal as `readCorrectable`, and if a field is wrong
 */
export async function correctLead(
  {
    store,
    config,
    noteAccess,
  }: With<ReadStore & LeadPort & Pick<PrivacyRequestStore, 'endRequest'>, 'config' | 'noteAccess'>,
  named: string,
  given: Corrected,
): Promise<{reference: string; corrected_by: string; told: string[]}> {
  const record = await readCorrectable({store}, named);
  const lead = correct(record, given);
  const {partner, attribution, context} = record;
  const fields = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : name));
  await noteAccess({lead: record.id, corrected: fields.join(' ')}, [record.id]);
  const {policy, partners} = config;
  const settings = partners.find(({key}) => key === partner);
  const service = createLeadService({
    ...{store, timings, dispatcher: toOutbox(config), emit: () => undefined},
    calculate: (calculated) => calculatedAnswer(calculated, policy),
  });
  const submitted = await service.submit({
    ...{lead, partner, ...routeFor(config, record), supersedes: record.id},
    language: record.routing?.language,
    consent: consentFor(lead, record),
    attribution: attribution ?? undefined,
    ...(context && {...(settings && readContext(settings, {context})), context}),
    // Of two operators who correct it at the same time, one is refused.
    idempotency: [{owner: 'corrections', digest: record.id, fingerprint: randomUUIDv7()}],
  });
  if (submitted.outcome !== 'created') throw new Refusal('Somebody has corrected it just now: look again.');
  const {id} = submitted.stored;
  await store.endRequest(record.id, 'correct');
  const told = (await store.listDeliveries(1_000, {lead: id})).map(({destination}) => destination);
  return {reference: referenceOf(record.id), corrected_by: referenceOf(id), told};
}
