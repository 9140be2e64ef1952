/**
 * The queries with which a process reports how an attempt ended, for both databases. Either the delivery ends, and may give its
 * lead the answer, or it becomes due again later. claim-queries.ts says which reports count.
 */
import {totalAmount} from '../../contract/amounts.ts';
import type {FormFieldName} from '../../contract/fields.ts';
import {tableOf} from '../../contract/table-of.ts';
import {
  onlyForReceivers,
  type DeliveryContent,
  type DeliveryKey,
  type Postponed,
  type Recipients,
  type Settlement,
} from '../leads/deliveries.ts';
import type {LeadPort, OutboxPort} from '../leads/ports.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {FinalAnswer} from '../leads/stored-lead.ts';
import type {Context} from './context.ts';
import {statement, type Statement} from './database.ts';
import {toAnswerRow} from './rows.ts';
import {tellNext} from './outcome-queries.ts';
import {boundColumns, replyPart, type Bound, type Encryptor} from './encryption.ts';

/** SQL that is true if a lead may get its answer: this destination answers it, and the delivery is now in `state`. */
const mayBeAnswered = (state: Settlement['state'], condition: string, id: string, destination: string) => `
  id = ${id} AND ${condition} AND erased_at IS NULL AND EXISTS (SELECT 1 FROM deliveries
    WHERE lead_id = leads.id AND destination = ${destination} AND gives_answer = 1 AND state = '${state}')`;
/** SQL that stores the status of the answer, and returns a row if it changed something. */
const statusInRow = (state: Settlement['state'], condition: string) => `
  UPDATE leads SET status = $1 WHERE ${mayBeAnswered(state, condition, '$2', '$3')} RETURNING id`;
/** SQL that stores the rest of the answer, encrypted. */
const insertAnswer = (state: Settlement['state'], condition: string, forUpdate: string) => `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT id, 'answer', CAST($1 AS BIGINT), $2 FROM leads
  WHERE ${mayBeAnswered(state, condition, '$3', '$4')} ${forUpdate}
  ON CONFLICT (lead_id, part) DO UPDATE SET data_key = excluded.data_key, blob = excluded.blob`;
const announceText = `
  INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous, ambiguous_counted,
    next_attempt_at, leased_until, happened_at, address, last_error, reason)
  SELECT lead_id, destination, $1, 0, CASE state WHEN 'held' THEN 'held' ELSE 'waiting' END, 0, 0, 0,
    CAST($2 AS BIGINT), 0, CAST($2 AS BIGINT), address,
    CASE state WHEN 'held' THEN last_error END, CASE state WHEN 'held' THEN reason END
  FROM deliveries AS told
  WHERE lead_id >= $3 AND lead_id <= $4 AND content IN ('created', 'held') AND state <> 'dropped'
    AND EXISTS (SELECT 1 FROM leads WHERE leads.id = told.lead_id AND status = $5 AND erased_at IS NULL AND revoked_at IS NULL)
    AND EXISTS (SELECT 1 FROM deliveries AS answering
      WHERE answering.lead_id = told.lead_id AND answering.gives_answer = 1)
  ON CONFLICT (lead_id, destination, content) DO NOTHING`;

/**
 * Stores deliveries for destinations that depended on the amounts: those whose `least` the total reaches, or if there are none,
 * those without `least`. If a delivery of the lead is held because of a bot or because of its number, these are held, too.
 */
const routeText = `
  INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous, ambiguous_counted,
    next_attempt_at, leased_until, happened_at, address, reason)
  SELECT lead_id, destination, content, 0, CASE WHEN held_for IS NULL THEN 'waiting' ELSE 'held' END, 0, 0, 0,
    CAST($1 AS BIGINT), 0, CAST($1 AS BIGINT), address, held_for
  FROM (SELECT lead_id, destination, content, address, least,
      (SELECT MAX(least) FROM open_routes AS other
        WHERE other.lead_id = open_routes.lead_id AND other.least <= CAST($2 AS BIGINT)) AS taken,
      (SELECT MAX(reason) FROM deliveries AS told
        WHERE told.lead_id = open_routes.lead_id AND told.state = 'held'
          AND told.reason IN ('suspect', 'suppressed')) AS held_for
    FROM open_routes WHERE lead_id >= $3 AND lead_id <= $4) AS opened
  WHERE (least <= CAST($2 AS BIGINT) OR (least IS NULL AND taken IS NULL))
    AND EXISTS (SELECT 1 FROM leads
      WHERE id = opened.lead_id AND status = $5 AND erased_at IS NULL AND revoked_at IS NULL)
  ON CONFLICT (lead_id, destination, content) DO NOTHING`;
const closeRoutes = `
  DELETE FROM open_routes WHERE lead_id >= $1 AND lead_id <= $2
    AND EXISTS (SELECT 1 FROM leads WHERE id = open_routes.lead_id AND status = $3)`;

/**
 * The statements that must follow each statement that may have given leads their final answer. They store a delivery of this
 * answer for each destination that was told of the lead, and deliveries of the lead for those that depended on the amounts. If
 * the delivery that told of the lead is held, the others are held, too, for the same reason. Nothing is stored for leads whose
 * answer was announced before, or came from the calculator.
 * @param from the id of the first lead; `to`: that of the last
 * @param total of the amounts of the lead. Without it, there are no amounts
 */
export function announce(
  now: number,
  from: string,
  to: string,
  status: FinalAnswer['status'],
  total = -1,
): Statement[] {
  const content: DeliveryContent = status === 'done' ? 'answered' : 'refused';
  return [
    statement(announceText, content, now, from, to, status),
    statement(routeText, now, total, from, to, status),
    statement(closeRoutes, from, to, status),
  ];
}

/** The status that a lead must have so that a delivery with this outcome may change its answer, as SQL. */
const changesAnswer = {delivered: "status <> 'done'", refused: "status = 'pending'"} as const;

/** A report about a revocation counts only with its own lease: the same row may by now announce a later, wider revocation,
 * or the next outcome. */
const endDelivered = `
  UPDATE deliveries SET state = 'delivered', attempts = attempts + 1, last_error = NULL, reason = NULL,
    failing_since = NULL, settled_at = $1, recipients = COALESCE($2, recipients),
    leased_until = CASE leased_until WHEN CAST($3 AS BIGINT) THEN 0 ELSE leased_until END
  WHERE lead_id = $4 AND destination = $5 AND content = $6 AND state <> 'delivered'
    AND (content NOT IN ('revoked', 'outcome') OR leased_until = CAST($3 AS BIGINT))
  RETURNING lead_id`;
const endRefused = `
  UPDATE deliveries SET state = 'refused', attempts = attempts + 1, leased_until = 0, last_error = $1,
    reason = NULL
  WHERE lead_id = $2 AND destination = $3 AND content = $4 AND leased_until = $5 AND settled_at IS NULL
  RETURNING lead_id`;
export const endUnsent = `
  UPDATE deliveries SET state = $1, leased_until = 0, last_error = $2, reason = $3, settled_at = $4
  WHERE lead_id = $5 AND destination = $6 AND content = $7 AND leased_until = $8 AND settled_at IS NULL
  RETURNING lead_id`;
const endLease = `
  UPDATE deliveries SET leased_until = 0
  WHERE lead_id = $1 AND destination = $2 AND content = $3 AND leased_until = $4`;

/** An event `held` of a server before 1.8 becomes the event `created` (run-delivery.ts). */
const postponeText = `
  UPDATE deliveries SET content = CASE content WHEN 'held' THEN 'created' ELSE content END,
    next_attempt_at = $1, leased_until = 0, last_error = $2,
    attempts = attempts + $3, ambiguous = ambiguous + $4, ambiguous_counted = ambiguous_counted + $5, state = $6,
    failing_since = COALESCE(failing_since, CAST($7 AS BIGINT)),
    last_reply = CASE CAST($8 AS BIGINT) WHEN 0 THEN last_reply END,
    recipients = COALESCE($9, recipients), reason = $10
  WHERE lead_id = $11 AND destination = $12 AND content = $13 AND leased_until = $14 AND settled_at IS NULL
  RETURNING lead_id`;

/** Must follow a statement that locks the delivery, so that nobody can erase the lead in between. */
const insertReply = `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT lead_id, $1, CAST($2 AS BIGINT), $3 FROM deliveries
  WHERE lead_id = $4 AND destination = $5 AND content = $6 AND settled_at IS NULL
  ON CONFLICT (lead_id, part) DO UPDATE SET data_key = excluded.data_key, blob = excluded.blob`;

const selectBound = `SELECT ${boundColumns} FROM leads WHERE id = $1`;

const asJson = (recipients: Recipients | null | undefined) =>
  recipients ? JSON.stringify(recipients) : null;
/** Null also if the text is damaged. Then the e-mail counts as not sent to any recipient. */
export function toRecipients(stored: string | null): Recipients | null {
  try {
    return stored === null ? null : (JSON.parse(stored) as Recipients);
  } catch {
    return null;
  }
}

const totalOf = (answer: FinalAnswer) =>
  answer.status === 'done' ? answer.amounts?.[totalAmount] : undefined;

const refusedAnswer = (fields: readonly FormFieldName[] | undefined): FinalAnswer =>
  fields ? {status: 'refused', fields} : {status: 'refused'};

/** The SQL that gives a lead its answer, by the outcome of the delivery. */
const answerTextsOf = ({forUpdate}: Context) =>
  tableOf(['delivered', 'refused'], (state) => ({
    insert: insertAnswer(state, changesAnswer[state], forUpdate('leads')),
    inRow: statusInRow(state, changesAnswer[state]),
  }));

type Settling = Context & Pick<LeadPort, 'find'> & {answerTexts: ReturnType<typeof answerTextsOf>};

/** Undefined if an operator has deleted the lead by hand. */
const findBound = async ({readOne}: Settling, lead: string) =>
  await readOne<Bound>(statement(selectBound, lead));

function encryptReply(
  encryptor: Encryptor,
  lead: Bound,
  {destination, content}: DeliveryKey,
  excerpt: string,
) {
  const part = replyPart({destination, content});
  const {data_key, blob} = encryptor.of(lead).encrypt(excerpt, part);
  return statement(insertReply, part, data_key, blob, lead.id, destination, content);
}

/** Stores a report. If the delivery has ended meanwhile, the report changes nothing, but still ends the lease of its attempt. */
async function report(
  {write}: Settling,
  {lead, destination, content}: DeliveryKey,
  leaseEnd: number,
  change: Statement,
  ...others: Statement[]
) {
  const [changed = [], ...results] = await write(change, ...others);
  if (changed.length === 0) await write(statement(endLease, lead, destination, content, leaseEnd));
  return results;
}

/** The statements that give a lead its answer. The last one returns a row if the answer was stored. */
function giveAnswer(
  {encryptor, answerTexts}: Settling,
  answer: FinalAnswer,
  state: keyof typeof changesAnswer,
  lead: Bound,
  destination: string,
) {
  const {status, ...values} = toAnswerRow(answer);
  const {data_key, blob} = encryptor.of(lead).encrypt(JSON.stringify(values), 'answer');
  const {insert, inRow} = answerTexts[state];
  return [
    statement(insert, data_key, blob, lead.id, destination),
    statement(inRow, status, lead.id, destination),
  ];
}

async function settle(context: Settling, key: DeliveryKey, leaseEnd: number, settlement: Settlement) {
  const {lead, destination, content} = key;
  const now = Date.now();
  if (settlement.state === 'dropped' || settlement.state === 'skipped') {
    const {state, reason} = settlement;
    const endDelivery = statement(endUnsent, state, reason, null, now, lead, destination, content, leaseEnd);
    await report(context, key, leaseEnd, endDelivery);
    return undefined;
  }
  const isRefused = settlement.state === 'refused';
  const endDelivery = isRefused
    ? statement(endRefused, settlement.reason, lead, destination, content, leaseEnd)
    : statement(endDelivered, now, asJson(settlement.recipients), leaseEnd, lead, destination, content);
  const answer = isRefused ? refusedAnswer(settlement.fields) : settlement.answer;
  const answering = content === 'lead' && answer !== null ? await findBound(context, lead) : undefined;
  if (!answering || answer === null) {
    const next = content === 'outcome' ? [tellNext(now, lead, destination)] : [];
    await report(context, key, leaseEnd, endDelivery, ...next);
    return undefined;
  }
  const [, answered = []] = await report(
    context,
    key,
    leaseEnd,
    endDelivery,
    ...giveAnswer(context, answer, isRefused ? 'refused' : 'delivered', answering, destination),
    ...announce(now, lead, lead, answer.status, totalOf(answer)),
  );
  if (answered.length > 0) return answer;
  // The report is already stored, so an unreadable lead is no error here.
  const current = await context.find(lead).catch((error: unknown) => {
    if (error instanceof LeadUnreadable) return undefined;
    throw error;
  });
  return current?.answer;
}

async function postpone(context: Settling, key: DeliveryKey, leaseEnd: number, postponed: Postponed) {
  const {encryptor} = context;
  const {lead, destination, content} = key;
  const {until, error, tried, ambiguous, isCounted, state, reason = null, recipients} = postponed;
  // A reply may contain the person's name, and after an erasure nothing personal may be stored.
  const excerpt = onlyForReceivers.includes(content) ? null : postponed.excerpt;
  const counts = [tried, ambiguous, isCounted].map(Number);
  const failingSince = tried ? Date.now() : null;
  const values = [until, error, ...counts, state, failingSince, Number(excerpt !== null), asJson(recipients)];
  const change = statement(postponeText, ...values, reason, lead, destination, content, leaseEnd);
  const replying = excerpt === null ? undefined : await findBound(context, lead);
  const encrypted = excerpt !== null && replying ? [encryptReply(encryptor, replying, key, excerpt)] : [];
  await report(context, key, leaseEnd, change, ...encrypted);
}

export function settlementQueries(
  context: Context & Pick<LeadPort, 'find'>,
): Pick<OutboxPort, 'recordRemoteId' | 'settle' | 'postpone'> {
  const settling = {...context, answerTexts: answerTextsOf(context)};
  return {
    async recordRemoteId({lead, destination, content}, remoteId) {
      const text = `
        UPDATE deliveries SET remote_id = $1
        WHERE lead_id = $2 AND destination = $3 AND content = $4 AND remote_id IS NULL`;
      await context.write(statement(text, remoteId, lead, destination, content));
    },

    settle: (key, leaseEnd, settlement) => settle(settling, key, leaseEnd, settlement),

    postpone: (key, leaseEnd, postponed) => postpone(settling, key, leaseEnd, postponed),
  };
}
