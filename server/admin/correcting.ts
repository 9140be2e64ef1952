/** Corrects a lead as the form does: a new lead replaces it, the destinations are told, and the consent is carried over. */
import {randomUUIDv7} from 'node:crypto';
import {isDeepStrictEqual} from 'node:util';
import type {FormFieldName} from '../../contract/fields.ts';
import type {FieldError} from '../../contract/problems.ts';
import {referenceOf} from '../../contract/reference.ts';
import type {Config} from '../config/config.ts';
import {addressOf} from '../config/destinations.ts';
import type {Question} from '../config/questions.ts';
import {usualTimings as timings} from '../config/timings.ts';
import {calculatedAnswer} from '../leads/calculated-answer.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import {fieldErrors, parseFormLead, type Lead} from '../leads/lead-schema.ts';
import {createLeadService, type Deliverer} from '../leads/lead-service.ts';
import type {DeliveryRow} from '../leads/deliveries.ts';
import {comparableText} from '../leads/idempotency.ts';
import {readOwnAnswers, type OwnAnswer} from '../leads/own-answers.ts';
import type {DeliveryDesk, DeliveryReader, LeadPort, ReadStore} from '../leads/ports.ts';
import type {PrivacyRequestStore} from '../leads/privacy-requests.ts';
import type {RevocationStore} from '../leads/revocation.ts';
import type {Consent} from '../leads/stored-lead.ts';
import {readContext} from '../leads/visitor-submission.ts';
import {isErased} from '../store/rows.ts';
import {Refusal, type With} from './admin.ts';
import {dropDeliveries, storedOf} from './deliveries.ts';
import {detailsOf} from './lead-details.ts';
import {leadOf, unreadableText} from './lead-names.ts';
import {endRequests} from './privacy-requests.ts';
import {routeFor} from './routing.ts';

/**
 * The new values, as typed. A missing field stays as it is, and an empty text removes an optional field. `answers`: to the
 * partner's own questions, by their names
 */
export type Corrected = {[Name in FormFieldName]?: string | undefined} & {
  answers?: Readonly<Record<string, string>> | undefined;
};

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

/** Only stores the deliveries. A running server makes them. */
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

const refusedFor = (errors: readonly Pick<FieldError, 'field' | 'message'>[]) =>
  new Refusal(
    `Nothing was corrected: ${errors.map(({field, message}) => `${field} ${message}`).join(', ')}.`,
  );

/** @throws Refusal that names the question, if the form would refuse the answer or does not ask */
function correctAnswers(
  before: readonly OwnAnswer[],
  given: Readonly<Record<string, string>>,
  questions: readonly Question[],
): OwnAnswer[] {
  const names = questions.map(({name}) => name);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  const message = `is not asked, but ${names.join(', ') || 'nothing'}`;
  if (unknown.length > 0) throw refusedFor(unknown.map((field) => ({field, message})));
  const asked = questions.filter(({name}) => Object.hasOwn(given, name));
  const {answers, errors} = readOwnAnswers(asked, given);
  const missing = answers.filter(({value}) => value === null);
  const wrong = [...errors, ...missing.map(({name}) => ({field: name, message: 'is required'}))];
  if (wrong.length > 0) throw refusedFor(wrong);
  const isNew = ({name}: OwnAnswer) => before.every((each) => each.name !== name);
  const corrected = before.flatMap((each) =>
    Object.hasOwn(given, each.name) ? answers.filter(({name}) => name === each.name) : each,
  );
  return [...corrected, ...answers.filter(isNew)];
}

/** @throws Refusal that names the field that is wrong */
function correct(
  record: FullLead,
  {answers: given = {}, ...corrected}: Corrected,
  questions: readonly Question[],
): Lead {
  const details = detailsOf(record);
  if ('unreadable' in details) throw new Refusal(unreadableText(details));
  const body: Record<string, unknown> = {...details.lead, cid: record.lead.cid};
  for (const [name, value] of Object.entries(corrected)) {
    if (value === '') delete body[name];
    else if (value !== undefined) body[name] = value;
  }
  const answers = correctAnswers(record.lead.answers ?? [], given, questions);
  if (answers.length > 0) body['answers'] = answers;
  else delete body['answers'];
  const {data, error} = parseFormLead(body);
  if (data) return data;
  throw refusedFor(fieldErrors(error, body));
}

/** The copy has no signed statement: the statement contains the number and the address with which the consent was given. */
function consentFor({phone}: Lead, {id, lead, consent}: FullLead): Consent | undefined {
  if (!consent) return undefined;
  const isOther = phone.e164 !== lead.phone.e164;
  return {...consent, evidence: undefined, givenWith: consent.givenWith ?? (isOther ? id : undefined)};
}

/** The held deliveries of a lead, and whether one of them is held because a bot may have sent the lead. */
export async function heldOf({store}: With<DeliveryReader>, lead: string) {
  const rows = await storedOf({store}, lead, ['held']);
  return {rows, isSuspect: rows.some(({reason}) => reason === 'suspect')};
}

/** The names of the fields in which two leads differ. @throws Refusal if there are none */
function changedFields(before: Lead, after: Lead): string[] {
  const [one, other] = [before, after].map((lead) => JSON.parse(comparableText(lead)) as Partial<Lead>);
  const names = Object.keys({...one, ...other}) as (keyof Lead)[];
  const changed = names.filter((name) => !isDeepStrictEqual(one?.[name], other?.[name]));
  if (changed.length === 0) throw new Refusal('Nothing was corrected: the lead says all of this already.');
  return changed;
}

/**
 * If a lead is held because a bot may have sent it, so is its correction. Held deliveries of the old lead are dropped.
 * @returns the references of both leads; `told`: destinations that get the correction; `stopped` and `suspect`: those for which
 * it is held, because its number said stop or because of the bot; `dropped`: those for which the old lead was held
 * @throws Refusal as `readCorrectable`, and if a field is wrong, or if no field changes
 */
export async function correctLead(
  admin: With<
    ReadStore & LeadPort & DeliveryDesk & RevocationStore & PrivacyRequestStore,
    'config' | 'noteAccess'
  >,
  named: string,
  given: Corrected,
) {
  const {store, config, noteAccess} = admin;
  const record = await readCorrectable({store}, named);
  const {partner, attribution, context, suspect} = record;
  const {policy, partners} = config;
  const settings = partners.find(({key}) => key === partner);
  const lead = correct(record, given, settings?.questions ?? []);
  const corrected = changedFields(record.lead, lead).join(', ');
  await noteAccess({lead: record.id, corrected}, [record.id]);
  const held = await heldOf({store}, record.id);
  const service = createLeadService({
    ...{store, timings, dispatcher: toOutbox(config), emit: () => undefined},
    calculate: (calculated) => calculatedAnswer(calculated, policy),
  });
  const submitted = await service.submit({
    ...{lead, partner, ...routeFor(config, record), supersedes: record.id},
    language: record.routing?.language,
    consent: consentFor(lead, record),
    attribution: attribution ?? undefined,
    ...{suspect: suspect ?? undefined, hold: held.isSuspect},
    ...(context && {...(settings && readContext(settings, {context})), context}),
    // If two operators correct the lead at the same time, one of them is refused.
    idempotency: [{owner: 'corrections', digest: record.id, fingerprint: randomUUIDv7()}],
  });
  if (submitted.outcome !== 'created') throw new Refusal('Somebody has corrected it just now: look again.');
  const {id} = submitted.stored;
  const each = held.rows.map(({destination, content, state}) => ({
    ...{lead: record.id, destination, content, state},
  }));
  if (each.length > 0) await dropDeliveries(admin, {filter: {lead: record.id}, each});
  const rows = await storedOf({store}, id, [undefined]);
  const namesOf = (isOne: (row: DeliveryRow) => boolean) =>
    rows.filter(isOne).map(({destination}) => destination);
  const stopped = namesOf(({reason}) => reason === 'suppressed');
  if (stopped.length === 0) await endRequests(admin, {lead: record.id, kind: 'correct', answer: 'corrected'});
  return {
    ...{reference: referenceOf(record.id), corrected_by: referenceOf(id)},
    told: namesOf(({state}) => state !== 'held'),
    stopped,
    suspect: namesOf(({reason}) => reason === 'suspect'),
    dropped: each.map(({destination}) => destination),
  };
}
