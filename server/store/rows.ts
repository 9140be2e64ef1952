/** Converts leads to rows and back, for both databases. */
import {amountNames, totalAmount, type Amounts, type Reasons} from '../../contract/amounts.ts';
import type {Context} from '../../contract/embed.ts';
import type {FormFieldName} from '../../contract/fields.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {Lead} from '../leads/lead-schema.ts';
import type {LeadEntry} from '../leads/lead-store.ts';
import type {Answer, Consent, LeadRecord, RememberedText, StoredLead} from '../leads/stored-lead.ts';
import type {Codec} from './codec.ts';
import type {RowOf} from './columns.ts';

export const answerColumns = ['status', ...amountNames, 'reasons', 'policy_version'] as const;

type LeadRow = RowOf<'leads'>;
export type AnswerRow = Pick<LeadRow, (typeof answerColumns)[number]>;

/**
 * The rows of a new lead, by table. They are stored in one commit. They are plain data, so that they can be sent to a
 * thread or converted to JSON.
 */
export type NewRows = {
  leads: readonly [LeadRow];
  deliveries: readonly RowOf<'deliveries'>[];
  consents: readonly RowOf<'consents'>[];
  context_values: readonly RowOf<'context_values'>[];
  consent_texts: readonly RowOf<'consent_texts'>[];
  idempotency_keys: readonly RowOf<'idempotency_keys'>[];
  same_leads: readonly RowOf<'same_leads'>[];
  spent_proofs: readonly RowOf<'spent_proofs'>[];
  confirmations: readonly RowOf<'confirmations'>[];
};

/** The lead comes first, because the other rows reference it. */
export const newTables = [
  'leads',
  'deliveries',
  'consents',
  'context_values',
  'consent_texts',
  'idempotency_keys',
  'same_leads',
  'spent_proofs',
  'confirmations',
] as const satisfies readonly (keyof NewRows)[];

export function toNewRows(entry: LeadEntry, codec: Codec): NewRows {
  const {
    id,
    createdAt,
    lead,
    partner,
    answer,
    idempotency = [],
    leadDigests = [],
    deliveries = [],
    proof,
    consent,
    consentText,
  } = entry;
  const {attribution, context, contextFilters = {}, suspect, supersedes, confirmation} = entry;
  const {cid, lead_type, ...personal} = lead;
  const ofLead = {lead_id: id, created_at: createdAt};
  return {
    leads: [
      {
        id,
        created_at: createdAt,
        cid,
        partner,
        lead_type,
        lead: codec.encode(personal, id),
        suspect: suspect ?? null,
        supersedes: supersedes ?? null,
        duplicate_of: null,
        ...toAnswerRow(answer),
        attribution: attribution ? codec.encode(attribution, id) : null,
        utm_source: attribution?.utm_source ?? null,
        utm_medium: attribution?.utm_medium ?? null,
        utm_campaign: attribution?.utm_campaign ?? null,
        context: context ? codec.encode(context, id) : null,
      },
    ],
    deliveries: deliveries.map(
      ({destination, content, givesAnswer, state, address, nextAttemptAt, leaseEnd}) => ({
        lead_id: id,
        destination,
        content,
        gives_answer: Number(givesAnswer),
        state,
        attempts: 0,
        ambiguous: 0,
        ambiguous_counted: 0,
        next_attempt_at: nextAttemptAt,
        leased_until: leaseEnd ?? 0,
        last_error: null,
        remote_id: null,
        settled_at: null,
        happened_at: createdAt,
        failing_since: null,
        last_reply: null,
        recipients: null,
        address: address ?? null,
      }),
    ),
    consents: consent ? [{lead_id: id, consent: codec.encode(consent, id)}] : [],
    context_values: Object.entries(contextFilters).map(([name, value]) => ({name, value, lead_id: id})),
    consent_texts: consentText ? [toTextRow(consentText)] : [],
    idempotency_keys: idempotency.map((key) => ({...key, ...ofLead})),
    same_leads: partner === null ? [] : leadDigests.map((digest) => ({partner, digest, ...ofLead})),
    spent_proofs: proof ? [{nonce: proof.nonce, expires_at: proof.expiresAt}] : [],
    confirmations: confirmation ? [{...confirmation, ...ofLead, decision: null, decided_at: null}] : [],
  };
}

/** No name of a partner has a slash, so the rows of before 1.4 are those of texts without a language. */
const toTextRow = ({partner, language, version, textHash}: RememberedText): RowOf<'consent_texts'> => ({
  partner: language === undefined ? partner : `${partner}/${language}`,
  version,
  text_hash: textHash,
});

export function toRememberedText({
  partner: name,
  version,
  text_hash,
}: RowOf<'consent_texts'>): RememberedText {
  const [partner = name, language] = name.split('/');
  return {partner, language, version, textHash: text_hash};
}

export function toAnswerRow(answer: Answer): AnswerRow {
  const done = answer.status === 'done' ? answer : undefined;
  const amounts = done?.amounts;
  return {
    status: answer.status,
    ...tableOf(amountNames, (name) => amounts?.[name] ?? null),
    reasons: JSON.stringify(answer.status === 'refused' ? refusal(answer.fields) : (done?.reasons ?? {})),
    policy_version: done?.policyVersion ?? null,
  };
}

/** Why a lead was refused, as far as it is known, in the same column as the reasons of amounts. */
const refusal = (fields: readonly FormFieldName[] | undefined) => (fields ? {fields} : {});

/** The columns of a `StoredLead`. */
export const storedColumns = [
  'id',
  'created_at',
  'cid',
  'partner',
  'lead_type',
  'lead',
  'duplicate_of',
  ...answerColumns,
] as const;
export type StoredRow = Pick<LeadRow, (typeof storedColumns)[number]>;

export function toStoredLead(row: StoredRow, codec: Codec): StoredLead {
  const {id, cid, lead_type, partner} = row;
  return {
    id,
    createdAt: row.created_at,
    partner,
    lead: {cid, lead_type, ...codec.decode(row.lead, id)} as Lead,
    answer: toAnswer(row),
  };
}

/** The columns of a `LeadRecord` that are in the table `leads`. */
export const recordColumns = [...storedColumns, 'attribution', 'context', 'suspect', 'supersedes'] as const;
export type RecordRow = Pick<LeadRow, (typeof recordColumns)[number]> & {
  consent: string | null;
  is_answered_later: number;
};

export function toLeadRecord(row: RecordRow, codec: Codec): LeadRecord {
  const decode = (text: string | null) => (text === null ? null : codec.decode(text, row.id));
  return {
    ...toStoredLead(row, codec),
    isAnsweredLater: row.is_answered_later === 1,
    consent: decode(row.consent) as Consent | null,
    attribution: decode(row.attribution),
    context: decode(row.context) as Context | null,
    suspect: row.suspect,
    supersedes: row.supersedes,
    duplicateOf: row.duplicate_of,
  };
}

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
  };
}
