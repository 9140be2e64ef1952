/** The queries that erase leads, and that find which leads to erase, for both databases. */
import {saltedDigests} from '../leads/evidence.ts';
import type {ErasableLead, ErasureStore, KeepConsent, KeptConsent} from '../leads/erasure.ts';
import {onlyForReceivers, type DeliveryContent, type DeliveryRow} from '../leads/deliveries.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {Context} from './context.ts';
import {statement, type Database, type Statement} from './database.ts';
import {erasedFingerprint} from './new-lead.ts';
import {
  digestsOfKept,
  digestsOfLead,
  forgetDigests,
  lockDigests,
  storedDigests,
  type Index,
} from './person-queries.ts';
import {emptiedColumns} from './personal-data.ts';
import {identityOf, isErased, joinPersonal, readColumns, type ReadRow} from './rows.ts';
import {isOneOf} from './schema.ts';
import {boundColumns, type Bound, type EncryptedText} from './encryption.ts';

/** SQL that is true if the destination has received something of the delivery, or may have. */
export const mayHaveArrived = (table: string) =>
  `(${table}.state = 'delivered' OR ${table}.attempts > 0 OR ${table}.leased_until > 0)`;
/** SQL that is true for deliveries that contain data of the lead, and not only news about an erasure or a stop. */
export const isNotForReceivers = (table: string) => `NOT ${isOneOf(`${table}.content`, onlyForReceivers)}`;
/** SQL that is true for events with data of the lead. Their destinations can be told of an erasure or a stop. */
const isEvent = (table: string) =>
  `(${isNotForReceivers(table)} AND ${table}.content NOT IN ('lead', 'confirmation'))`;

/**
 * Locks the deliveries of the lead, so that other transactions which change them are waited for. One of these may store the event
 * of an answer, which only later statements see.
 */
export const lockDeliveries = ({forUpdate}: Database, id: string): Statement =>
  statement(
    `SELECT destination FROM deliveries WHERE lead_id = $1 ORDER BY destination, content ${forUpdate('deliveries')}`,
    id,
  );
/**
 * Ends the deliveries in the outbox. They keep their leases, because a process may be sending them. Deliveries that have ended
 * keep their state. Data that may be personal is removed from all of them.
 */
const endDeliveries = `
  UPDATE deliveries SET state = CASE WHEN settled_at IS NULL THEN 'dropped' ELSE state END,
    settled_at = COALESCE(settled_at, CAST($1 AS BIGINT)), last_error = NULL, reason = NULL,
    last_reply = NULL, recipients = NULL
  WHERE lead_id = $2 AND ${isNotForReceivers('deliveries')}`;
/**
 * Stores events for destinations that got an event of the lead, at the address that got the last one. If a list of present
 * addresses is given, others are skipped. They are due when the last lease ends. A command may change that time, so the claim
 * checks the leases, too. An earlier event is replaced: a consent may be revoked for the partner first, and then for all.
 * @param unless SQL that is true for a lead whose destinations need not be told again
 */
const announceText = (content: DeliveryContent, unless: string, jsonList: Context['jsonList']) => `
  INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous, ambiguous_counted,
    next_attempt_at, leased_until, happened_at, address)
  SELECT had.lead_id, had.destination, '${content}', 0, 'waiting', 0, 0, 0, MAX(last.leased_until), 0,
    CAST($1 AS BIGINT), had.address
  FROM deliveries AS had JOIN deliveries AS last ON last.lead_id = had.lead_id
  WHERE had.lead_id = $2 AND had.content = (SELECT content FROM deliveries AS newest
      WHERE newest.lead_id = had.lead_id AND newest.destination = had.destination AND ${isEvent('newest')}
        AND ${mayHaveArrived('newest')} ORDER BY COALESCE(settled_at, happened_at) DESC LIMIT 1)
    AND (CAST($3 AS TEXT) IS NULL OR had.destination || ' ' || COALESCE(had.address, '') IN ${jsonList('$3')})
    AND EXISTS (SELECT 1 FROM leads WHERE id = had.lead_id AND NOT (${unless}))
  GROUP BY had.lead_id, had.destination, had.address
  ON CONFLICT (lead_id, destination, content) DO UPDATE SET state = 'waiting', settled_at = NULL,
    leased_until = 0, attempts = 0, failing_since = NULL, last_error = NULL, reason = NULL, recipients = NULL,
    next_attempt_at = excluded.next_attempt_at, happened_at = excluded.happened_at, address = excluded.address`;
/** @param present as in `ErasureStore.erase` */
export const announceTo = (
  {jsonList}: Pick<Database, 'jsonList'>,
  content: 'erased' | 'revoked',
  unless: string,
  {id, now, present}: {id: string; now: number; present: readonly string[] | undefined},
): Statement =>
  statement(announceText(content, unless, jsonList), now, id, present ? JSON.stringify(present) : null);
const emptyRow = `
  UPDATE leads SET ${emptiedColumns}, status = CASE status WHEN 'pending' THEN 'refused' ELSE status END,
    erased_at = CAST($1 AS BIGINT)
  WHERE id = $2 AND erased_at IS NULL RETURNING id`;
const deleteRelated = [
  'consents',
  'context_values',
  'same_leads',
  'confirmations',
  'open_routes',
  'outcomes',
].map((table) => `DELETE FROM ${table} WHERE lead_id = $1`);
/** A request to know stays open, because the person must still be told that the lead was erased. */
const endRequests = `
  UPDATE privacy_requests SET ended_at = $1, answer = 'erased'
  WHERE lead_id = $2 AND kind <> 'know' AND ended_at IS NULL`;
const keepKey = `UPDATE idempotency_keys SET fingerprint = '${erasedFingerprint}' WHERE lead_id = $1`;
/** Does not delete a kept consent, which exists if another process has just erased the lead. */
const forgetEncrypted = `DELETE FROM sealed WHERE lead_id = $1 AND part <> 'consent'`;
const forgetText = `DELETE FROM sealed WHERE lead_id = $1 AND part = 'consent' RETURNING lead_id`;
/**
 * Stores the kept consent only if this transaction erased the lead. If another process has just erased the lead, it may have
 * erased the consent on purpose.
 */
const keepConsentText = `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT id, 'consent', CAST($1 AS BIGINT), $2 FROM leads WHERE id = $3 AND erased_at = CAST($4 AS BIGINT)
  ON CONFLICT (lead_id, part) DO NOTHING`;

const truth = (sql: string) => `CASE WHEN ${sql} THEN 1 ELSE 0 END`;
const keepsConsent = truth(
  `EXISTS (SELECT 1 FROM sealed AS kept WHERE kept.lead_id = leads.id AND kept.part = 'consent')`,
);
export const selectRows = (where: string) => `
  SELECT ${readColumns}, ${keepsConsent} AS keeps_consent FROM leads ${joinPersonal} WHERE ${where}`;
const selectOne = selectRows('leads.id = $1');
type NamedRow = ReadRow & {keeps_consent: number};

const selectDeliveries = `
  SELECT lead_id AS lead, destination, content, remote_id AS "remoteId", leased_until AS "leasedUntil",
    ${truth(mayHaveArrived('deliveries'))} AS "mayHaveArrived", ${truth(isEvent('deliveries'))} AS "isEvent"
  FROM deliveries WHERE lead_id IN`;
type NamedDelivery = Pick<DeliveryRow, 'lead' | 'destination' | 'content' | 'remoteId' | 'leasedUntil'> & {
  mayHaveArrived: number;
  isEvent: number;
};
const selectDuplicates = `SELECT id FROM leads WHERE duplicate_of = $1 AND erased_at IS NULL`;
const selectConsents = (ids: string) => `
  SELECT data_key, blob, ${boundColumns} FROM sealed JOIN leads ON leads.id = lead_id
  WHERE lead_id IN ${ids} AND part = 'consent'`;

/** SQL for the leads that are linked to leads of a list: their ids, the kind of link, and the lead in the list. */
export const linkText = (ids: string) => `
  SELECT id, 'duplicate' AS because, duplicate_of AS via FROM leads WHERE duplicate_of IN ${ids}
  UNION SELECT duplicate_of, 'duplicate', id FROM leads WHERE id IN ${ids} AND duplicate_of IS NOT NULL
  UNION SELECT id, 'correction', supersedes FROM leads WHERE supersedes IN ${ids}
  UNION SELECT supersedes, 'correction', id FROM leads WHERE id IN ${ids} AND supersedes IS NOT NULL`;

type Related = Pick<ErasableLead, 'id' | 'because'>;
/** The ids of leads that belong together: duplicates and their originals, leads and their corrections. */
async function related({read, jsonList}: Database, ids: readonly string[]) {
  const found = new Map<string, Related['because']>();
  const namedText = `SELECT id, 'named' AS because FROM leads WHERE id IN ${jsonList('$1')}`;
  let added = await read<Related>(statement(namedText, JSON.stringify(ids)));
  while (added.length > 0) {
    for (const {id, because} of added) if (!found.has(id)) found.set(id, because);
    const newIds = JSON.stringify(added.map(({id}) => id));
    const links = await read<Related>(statement(linkText(jsonList('$1')), newIds));
    added = links.filter(({id}) => !found.has(id));
  }
  return found;
}

/** Undefined if the lead was erased or cannot be read. An unreadable lead can still be erased. */
function readable({opener}: Context, row: ReadRow) {
  const lead = opener.open(row);
  return lead instanceof LeadUnreadable || isErased(lead) ? undefined : lead;
}

/** Reads all leads in two statements, because one lead may have thousands of duplicates or corrections. */
async function describe(
  context: Context,
  found: ReadonlyMap<string, Related['because']>,
): Promise<ErasableLead[]> {
  const {read, jsonList} = context;
  const [ids, listed] = [JSON.stringify([...found.keys()]), jsonList('$1')];
  const rows = await read<NamedRow>(
    statement(`${selectRows(`leads.id IN ${listed}`)} ORDER BY leads.id`, ids),
  );
  const ofLeads = await read<NamedDelivery>(
    statement(`${selectDeliveries} ${listed} ORDER BY destination, content`, ids),
  );
  const byLead = Map.groupBy(ofLeads, ({lead}) => lead);
  return rows.map((row) => {
    const deliveries = byLead.get(row.id) ?? [];
    const arrived = deliveries.filter(({mayHaveArrived}) => mayHaveArrived === 1);
    const told = arrived.filter(({isEvent}) => isEvent === 1).map(({destination}) => destination);
    const taken = arrived.filter(({content}) => content === 'lead');
    return {
      ...identityOf(row),
      cid: row.cid,
      erasedAt: row.erased_at,
      because: found.get(row.id) ?? 'named',
      hasConsent: readable(context, row)?.consent ? true : row.keeps_consent === 1,
      told: [...new Set(told)],
      remoteIds: taken.map(({destination, remoteId}) => ({destination, remoteId})),
      leasedUntil: Math.max(0, ...deliveries.map(({leasedUntil}) => leasedUntil)),
    };
  });
}

/** The kept consents of erased leads, by id of the lead. */
export async function keptConsents(
  {read, encryptor, opener, jsonList}: Context,
  ids: readonly string[],
): Promise<Map<string, KeptConsent | Error>> {
  const select = statement(selectConsents(jsonList('$1')), JSON.stringify(ids));
  const rows = ids.length > 0 ? await read<EncryptedText & Bound>(select) : [];
  const openRow = (row: EncryptedText & Bound) => {
    try {
      return JSON.parse(encryptor.of(row).decrypt(row, 'consent')) as KeptConsent;
    } catch (error) {
      opener.note(row.id);
      return error as Error;
    }
  };
  return new Map(rows.map((row) => [row.id, openRow(row)]));
}

/** The statements that delete kept consents, with their digests, after `lockDigests`. */
export async function forgetConsents(context: Context, ids: readonly string[]): Promise<Statement[]> {
  const [kept, index] = [await keptConsents(context, ids), await context.persons.find()];
  return ids.flatMap((id) => {
    const consent = kept.get(id);
    const digests =
      consent && index && !(consent instanceof Error) ? digestsOfKept(index, consent) : undefined;
    return [statement(forgetText, id), ...(consent ? [forgetDigests(context, id, digests)] : [])];
  });
}

/** When leads are erased, and which consents are kept. `index`: makes the digests of a lead. Undefined if their key cannot be decrypted. */
export type Erasing = {now: number; keepConsent: KeepConsent; index: Index | undefined};
/** `tells`: whether destinations that got an event of the lead are told of the erasure. `present`: as in `ErasureStore.erase`. */
type Telling = {tells?: boolean; present?: readonly string[] | undefined};

/**
 * The statements that erase a lead. They must follow `lockDigests`.
 * @param lead undefined if it cannot be read. Then no consent can be kept
 */
export function eraseStatements(
  context: Context,
  row: ReadRow,
  lead: FullLead | undefined,
  {now, keepConsent, index, tells = false, present}: Erasing & Telling,
): Statement[] {
  const {id, partner} = row;
  const digests = lead && index && digestsOfLead(index, lead.lead);
  const statements: Statement[] = [
    // All transactions change deliveries before leads. In another order, two transactions could deadlock.
    ...(tells ? [announceTo(context, 'erased', 'erased_at IS NOT NULL', {id, now, present})] : []),
    statement(endDeliveries, now, id),
    statement(emptyRow, now, id),
    ...deleteRelated.map((text) => statement(text, id)),
    statement(endRequests, now, id),
    statement(keepKey, id),
    statement(forgetEncrypted, id),
  ];
  // A corrected lead only has a copy of its consent. The consent is kept with the lead with which it was given.
  const isGiven = lead?.consent?.givenWith === undefined;
  if (lead?.consent && isGiven && keepConsent({partner, givenAt: row.created_at}, now)) {
    const {first_name, last_name, phone} = lead.lead;
    const {consent} = lead;
    const kept: KeptConsent = {
      first_name,
      last_name,
      phone,
      consent,
      emailDigest: digests?.email,
      addressDigest: digests?.address,
      ...(consent.evidence && {digests: saltedDigests(consent.evidence.salt, lead.lead)}),
    };
    const {data_key, blob} = context.encryptor.of(row).encrypt(JSON.stringify(kept), 'consent');
    statements.push(statement(keepConsentText, data_key, blob, id, now));
  }
  return [...statements, forgetDigests(context, id, digests && storedDigests(digests))];
}

async function erase(
  context: Context,
  id: string,
  erasing: Omit<Erasing & Telling, 'index'>,
): Promise<boolean> {
  const {read, readOne, write, persons} = context;
  const {now, keepConsent} = erasing;
  const row = await readOne<NamedRow>(statement(selectOne, id));
  if (!row) return false;
  if (row.erased_at === null) {
    const lead = readable(context, row);
    // An erasure must succeed even if the key of the digests cannot be decrypted.
    const index = await persons.make().catch(() => undefined);
    await write(
      lockDigests(context),
      lockDeliveries(context, id),
      ...eraseStatements(context, row, lead, {...erasing, index, tells: true}),
    );
    // Also erases a duplicate that was stored since the leads were selected: its answer was that of this lead, and is gone now.
    for (const {id: later} of await read(statement(selectDuplicates, id)))
      await erase(context, String(later), erasing);
    return true;
  }
  const {partner, created_at: givenAt} = row;
  if (row.keeps_consent === 0 || keepConsent({partner, givenAt}, now)) return false;
  await write(lockDigests(context), ...(await forgetConsents(context, [id])));
  return true;
}

export function erasureQueries(context: Context): Omit<ErasureStore, 'applyRetention'> {
  return {
    erasable: async (ids) => describe(context, await related(context, ids)),

    erase: (id, now, keepConsent, present) => erase(context, id, {now, keepConsent, present}),

    keptConsents: (ids) => keptConsents(context, ids),
  };
}
