/** Makes the rows of a new lead, for both databases. */
import {hashOfText} from '../leads/consent-texts.ts';
import type {ConfirmationRequest, NewDelivery} from '../leads/deliveries.ts';
import type {LeadEntry} from '../leads/new-lead.ts';
import {digestOfBoth, type BlindIndexes} from '../leads/persons.ts';
import {everybody, holdersOf} from '../leads/revocation.ts';
import type {RememberedText} from '../leads/stored-lead.ts';
import type {NewRowOf, RowOf} from './columns.ts';
import {nothingInClear, type PersonalData} from './personal-data.ts';
import {circumstancesOf, rowOfLead, toAnswerRow} from './rows.ts';
import type {Bound, Part, Encryptor} from './encryption.ts';

/** A part that is encrypted just before its row is inserted. */
export type ToEncrypt = {lead_id: string; part: Part; text: string};

/** The tables in which a new lead may have rows. `leads` comes first, because the other rows reference it. */
export const newTables = [
  'leads',
  'sealed',
  'deliveries',
  'context_values',
  'consent_texts',
  'consent_words',
  'idempotency_keys',
  'same_leads',
  'spent_proofs',
  'confirmations',
  'person_digests',
  'open_routes',
] as const;

/**
 * The rows of a new lead, by table. They are stored in one commit. They are plain data, so that they can be sent to a
 * thread or converted to JSON.
 */
export type NewRows = {
  [Name in Exclude<(typeof newTables)[number], 'leads' | 'sealed'>]: readonly NewRowOf<Name>[];
} & {
  leads: readonly [NewRowOf<'leads'> & Bound];
  sealed: readonly ToEncrypt[];
  /** With these, `selectSuppressed` finds the stops that hold the lead: digests of its sender, and for whom the stops are. */
  senders: readonly {
    lead_id: string;
    number: string;
    both: string;
    mailbox: string;
    own: string;
    wider: string;
  }[];
};

/** Columns of deliveries that are held because of the lead's number. */
export const held = {state: 'held', leased_until: 0, reason: 'suppressed'} as const;
/**
 * SQL for the suppressions of a sender, whose columns are those of `NewRows.senders`. A suppressed mailbox alone does not hold a
 * lead: the person who calls is told of that stop. If the number is suppressed, too, the confirmation is also held. Strangers who
 * enter a stopped number with another mailbox get the usual confirmation, and so do not learn of the stop.
 */
export const selectSuppressed = (
  column: (name: 'number' | 'both' | 'mailbox' | 'own' | 'wider') => string,
) => `
  SELECT CASE kind WHEN 'mailbox' THEN 1 ELSE 0 END AS is_mailbox, CASE kind WHEN 'mailbox' THEN asked_at END AS asked_at
  FROM suppressed
  WHERE suppressed.digest IN (${column('number')}, ${column('both')}, ${column('mailbox')})
    AND suppressed.scope IN (${column('own')}, ${column('wider')}, '${everybody}') AND suppressed.decided_at IS NULL`;
/** Whether a delivery is held with its lead. @param isMailbox whether the lead's mailbox is suppressed, too */
export const isHeldWith = (
  {state, content}: Pick<RowOf<'deliveries'>, 'state' | 'content'>,
  isMailbox: boolean,
) => state === 'waiting' && (isMailbox || content !== 'confirmation');

/**
 * - `storedWords`: consent texts that the store already has
 * - `digests`: digests of the person, if they cannot be written later
 * - `sender`: digests of the sender. Undefined if they cannot be made, so that the lead is held. Null if the lead is not sent anywhere
 */
type Storing = {
  storedWords: ReadonlySet<string>;
  digests: readonly string[];
  sender: BlindIndexes | null | undefined;
};

export function toNewRows(entry: LeadEntry, {storedWords, digests, sender}: Storing): NewRows {
  const {id, createdAt, partner, idempotency = [], leadDigests = [], deliveries = []} = entry;
  const {openRoutes = [], routing} = entry;
  const {proof, consentText, contextFilters = {}, confirmation} = entry;
  const ofLead = {lead_id: id, created_at: createdAt};
  const {cid, lead_type, ...fields} = entry.lead;
  const {status, ...values} = toAnswerRow(entry.answer);
  const {consent, attribution, context} = circumstancesOf(entry);
  const personal: PersonalData = {
    lead: fields,
    answer: values,
    consent,
    attribution,
    context,
    ...(routing && {routing}),
  };
  const neverEncrypted = {...rowOfLead(entry), cid, lead_type, status};
  return {
    leads: [{...neverEncrypted, ...nothingInClear, suppressed_at: sender === undefined ? createdAt : null}],
    sealed: [{lead_id: id, part: 'lead', text: JSON.stringify(personal)}],
    senders: sender ? [toSender(entry, sender)] : [],
    deliveries: deliveries.map((delivery) => ({
      ...rowOfDelivery(entry, delivery),
      ...(sender === undefined && delivery.state === 'waiting' && held),
    })),
    context_values: Object.entries(contextFilters).map(([name, value]) => ({name, value, lead_id: id})),
    consent_texts: consentText ? [toTextRow(consentText)] : [],
    consent_words: [...new Set(consentText?.words)]
      .filter((words) => !storedWords.has(words))
      .map((words) => ({text_hash: hashOfText(words), words})),
    idempotency_keys: idempotency.map((key) => ({...key, ...ofLead})),
    same_leads: partner === null ? [] : leadDigests.map((digest) => ({partner, digest, ...ofLead})),
    spent_proofs: proof ? [{nonce: proof.nonce, expires_at: proof.expiresAt}] : [],
    confirmations: confirmation ? [{...toConfirmationRow(confirmation), ...ofLead}] : [],
    person_digests: digests.map((digest) => ({digest, lead_id: id})),
    open_routes: openRoutes.map(({address = null, ...route}) => ({...route, address, lead_id: id})),
  };
}

function toSender({id, partner, lead: {cid}}: LeadEntry, digests: BlindIndexes) {
  const {phone: number = '', address: mailbox = ''} = digests;
  const [own, wider] = holdersOf({partner, cid});
  return {lead_id: id, number, both: digestOfBoth(digests) ?? '', mailbox, own, wider};
}

const rowOfDelivery = (
  {id, createdAt}: LeadEntry,
  {destination, content, givesAnswer, state, address, nextAttemptAt, leaseEnd}: NewDelivery,
): NewRowOf<'deliveries'> => ({
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
  happened_at: createdAt,
  address: address ?? null,
  reason: state === 'held' ? 'suspect' : null,
});

function toConfirmationRow({networks, ...others}: ConfirmationRequest) {
  const [network = '', network_56 = null, network_48 = null] = networks;
  return {...others, network, network_56, network_48};
}

/** The rows with their parts encrypted. Encryption happens just before the insert. */
export function encryptRows(
  rows: NewRows,
  encryptor: Encryptor,
): Omit<NewRows, 'sealed'> & {sealed: RowOf<'sealed'>[]} {
  const {encrypt} = encryptor.of(rows.leads[0]);
  return {
    ...rows,
    sealed: rows.sealed.map(({lead_id, part, text}) => ({lead_id, part, ...encrypt(text, part)})),
  };
}

/** Rows from before 1.4 have no language. They cannot be confused with newer rows, because a partner's key has no slash. */
const toTextRow = ({partner, language, version, textHash}: RememberedText): RowOf<'consent_texts'> => ({
  partner: language === undefined ? partner : `${partner}/${language}`,
  version,
  text_hash: textHash,
});
