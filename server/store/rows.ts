/** Converts between leads and their rows, for both databases. */
import {amountNames, totalAmount, type Amounts, type Reasons} from '../../contract/amounts.ts';
import type {FormFieldName} from '../../contract/fields.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {Lead} from '../leads/lead-schema.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import type {LeadEntry} from '../leads/new-lead.ts';
import type {Answer, Circumstances, LeadIdentity, LeadRecord, RevocationScope} from '../leads/stored-lead.ts';
import type {RememberedText, Tombstone} from '../leads/stored-lead.ts';
import type {RowOf} from './columns.ts';
import {list} from './database.ts';
import {inClearOf, type AnswerValues, type PersonalData} from './personal-data.ts';
import {DecryptionError, type Part, type EncryptedText, type Encryptor} from './encryption.ts';

const answerColumns = ['status', ...amountNames, 'reasons', 'policy_version'] as const;

type LeadRow = RowOf<'leads'>;
type AnswerRow = Pick<LeadRow, 'status'> & AnswerValues;

export function toRememberedText(row: RowOf<'consent_texts'>): RememberedText {
  const [partner = row.partner, language] = row.partner.split('/');
  return {partner, language, version: row.version, textHash: row.text_hash};
}

export function toAnswerRow(answer: Answer): AnswerRow {
  const done = answer.status === 'done' ? answer : undefined;
  const amounts = done?.amounts;
  return {
    status: answer.status,
    ...tableOf(amountNames, (name) => amounts?.[name] ?? null),
    reasons: JSON.stringify(answer.status === 'refused' ? refusal(answer.fields) : (done?.reasons ?? {})),
    policy_version: done?.policyVersion ?? null,
    ...(done?.policyHash !== undefined && {policy_hash: done.policyHash}),
  };
}

/** The fields that made an upstream refuse the lead, if they are known. They are stored in the column of the reasons. */
const refusal = (fields: readonly FormFieldName[] | undefined) => (fields ? {fields} : {});

/** The row of a new lead, without personal data. */
export const rowOfLead = ({id, createdAt, partner, attribution, suspect, supersedes}: LeadEntry) => ({
  id,
  created_at: createdAt,
  partner,
  suspect: suspect ?? null,
  supersedes: supersedes ?? null,
  utm_source: attribution?.utm_source ?? null,
  utm_medium: attribution?.utm_medium ?? null,
  utm_campaign: attribution?.utm_campaign ?? null,
});

export const circumstancesOf = (entry: LeadEntry): Circumstances => ({
  consent: entry.consent ?? null,
  attribution: entry.attribution ?? null,
  context: entry.context ?? null,
  suspect: entry.suspect ?? null,
  supersedes: entry.supersedes ?? null,
});

/** The lead as it will be read after its commit. */
export function recordOf(entry: LeadEntry, duplicateOf: string | null): LeadRecord {
  const {id, createdAt, lead, partner, answer} = entry;
  const isAnsweredLater = answer.status === 'pending' && duplicateOf === null;
  const stored = {id, createdAt, lead, partner, answer, isAnsweredLater, duplicateOf};
  return {...stored, ...circumstancesOf(entry), ...(entry.routing && {routing: entry.routing})};
}

const columnsOfLead = [
  'id',
  'created_at',
  'cid',
  'partner',
  'lead_type',
  'clear_lead',
  'suspect',
  'supersedes',
  'duplicate_of',
  'attribution',
  'context',
  'utm_campaign',
  'erased_at',
  'revoked_at',
  'revoked_for',
  'suppressed_at',
  'mailbox_stopped_at',
  ...answerColumns,
] as const;

/** The columns that are read for a lead: those of its row, its unencrypted consent, and its encrypted parts. */
export type ReadRow = Pick<LeadRow, (typeof columnsOfLead)[number]> & {
  consent: string | null;
  whole_key: number | null;
  whole_blob: Uint8Array | null;
  later_key: number | null;
  later_blob: Uint8Array | null;
};

/** The columns of a `ReadRow`, from the table `leads` and `joinPersonal`. */
export const readColumns = list([
  ...columnsOfLead.map((column) => `leads.${column}`),
  'consent',
  'whole.data_key AS whole_key',
  'whole.blob AS whole_blob',
  'later.data_key AS later_key',
  'later.blob AS later_blob',
]);
const joinPart = (name: string, part: Part) =>
  `LEFT JOIN sealed AS ${name} ON ${name}.lead_id = leads.id AND ${name}.part = '${part}'`;
/** SQL to append to the table `leads` for reading whole leads. */
export const joinPersonal = `
  LEFT JOIN consents ON consents.lead_id = leads.id ${joinPart('whole', 'lead')} ${joinPart('later', 'answer')}`;

/** A lead's row with the consent that was kept when the lead was erased; its columns; and the joins that bring them. */
export type KeptRow = ReadRow & {kept_key: number | null; kept_blob: Uint8Array | null};
export const keptColumns = `${readColumns}, kept.data_key AS kept_key, kept.blob AS kept_blob`;
export const joinKept = `${joinPersonal} ${joinPart('kept', 'consent')}`;

/**
 * @throws DecryptionError when something cannot be decrypted, or when an erased lead still has encrypted data. Other errors when
 * the row is damaged; their messages may quote personal data
 */
export function toLead(row: ReadRow, encryptor: Encryptor): FullLead | Tombstone {
  const {cid, lead_type, erased_at: erasedAt} = row;
  const identity = identityOf(row);
  if (erasedAt !== null) {
    if (row.whole_blob || row.later_blob)
      throw new DecryptionError('It was erased, and yet there is encrypted data of it');
    return {...identity, cid, erasedAt};
  }
  const {lead, answer, consent, attribution, context, routing} = personalDataOf(row, encryptor);
  return {
    ...identity,
    lead: {cid, lead_type, ...lead} as Lead,
    answer: toAnswer({...answer, status: row.status}),
    consent,
    attribution,
    context,
    suspect: row.suspect,
    ...(routing && {routing}),
  };
}

export const identityOf = (row: ReadRow): LeadIdentity => ({
  id: row.id,
  createdAt: row.created_at,
  partner: row.partner,
  duplicateOf: row.duplicate_of,
  supersedes: row.supersedes,
  ...(row.revoked_at !== null && {
    revoked: {at: row.revoked_at, scope: row.revoked_for as RevocationScope},
  }),
  ...(row.suppressed_at !== null && {isSuppressed: true}),
  ...(row.mailbox_stopped_at !== null && {mailboxStoppedAt: row.mailbox_stopped_at}),
});

export const isErased = (lead: object): lead is Tombstone => 'erasedAt' in lead;

/** @throws as `toLead` */
export function personalDataOf(row: ReadRow, encryptor: Encryptor): PersonalData {
  const whole = encryptedOf(row.whole_key, row.whole_blob);
  const later = encryptedOf(row.later_key, row.later_blob);
  const {decrypt} = encryptor.of(row);
  const personal = whole
    ? (JSON.parse(decrypt(whole, 'lead')) as PersonalData)
    : inClearOf(row, (text) => decrypt({data_key: 0, blob: Buffer.from(text)}, 'lead'));
  return later ? {...personal, answer: JSON.parse(decrypt(later, 'answer')) as AnswerValues} : personal;
}

export const encryptedOf = (data_key: number | null, blob: Uint8Array | null): EncryptedText | undefined =>
  data_key === null || blob === null ? undefined : {data_key, blob};

/** The reason for which a lead cannot be read, in words. Other errors may quote personal data, so their messages are left out. */
export const whyUnreadable = (error: unknown) =>
  error instanceof DecryptionError ? error.message : 'What the database holds of it cannot be decoded';

function toAnswer(row: AnswerRow): Answer {
  if (row.status === 'pending') return {status: 'pending'};
  if (row.status === 'refused')
    return {status: 'refused', ...(JSON.parse(row.reasons) as ReturnType<typeof refusal>)};
  // An upstream may give only some of the amounts. The other amounts are left out, because 0 would say that the lead
  // does not qualify.
  const known = amountNames.filter((column) => row[column] !== null);
  const amounts = Object.fromEntries(known.map((column) => [column, row[column]])) as Amounts;
  return {
    status: row.status,
    amounts: row[totalAmount] === null ? null : amounts,
    reasons: JSON.parse(row.reasons) as Reasons,
    policyVersion: row.policy_version,
    ...(row.policy_hash !== undefined && {policyHash: row.policy_hash}),
  };
}
