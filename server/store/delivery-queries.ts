/**
 * The queries that claim, postpone and end deliveries, for both databases.
 *
 * Before a process works on a delivery, it takes a lease. A lease is identified by the time at which it ends, which is
 * different for each lease of a delivery. Only the process with the lease may postpone the delivery or mark it as
 * refused; the same query from another process changes nothing. But any process may report that the destination has the
 * lead, however late, and the first report counts. A report ends the lease of its own process, and no other.
 *
 * If a lease ends without a report, its process has died or lost the database, and may have sent the lead. So no commit
 * is needed right before a lead is sent: the lease itself records that it may be sent. `isUnderWay` reads that.
 */
import type {FormFieldName} from '../../contract/fields.ts';
import {createBatcher} from './batcher.ts';
import {noAnswer} from './personal-data.ts';
import {answerColumns, isErased, toAnswerRow} from './rows.ts';
import {boundColumns, replyPart, type Bound, type Sealer} from './sealing.ts';
import {isThere, list, statement, type Database, type Statement} from './database.ts';
import {tables, type RowOf} from './columns.ts';
import type {
  BreakEnd,
  Delivered,
  DeliveryContent,
  DeliveryKey,
  DueDelivery,
  PausedDestination,
  Recipients,
  Settlement,
  UnusedLease,
} from '../leads/deliveries.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {LeadReader} from '../leads/lead-filter.ts';
import type {LeadPort, OutboxPort, PausePort} from '../leads/ports.ts';
import type {FinalAnswer, LeadRecord, Tombstone} from '../leads/stored-lead.ts';

type DeliveryQueries = Omit<OutboxPort, 'decideConfirmation' | 'countOutbox'> & PausePort;

type ClaimedRow = Pick<
  RowOf<'deliveries'>,
  | 'lead_id'
  | 'content'
  | 'state'
  | 'attempts'
  | 'ambiguous_counted'
  | 'remote_id'
  | 'happened_at'
  | 'failing_since'
  | 'recipients'
  | 'address'
>;

/** Milliseconds until a lead that cannot be read is tried again. An operator may have to give back a key. */
const unreadableWait = 900_000;

const valueColumns = answerColumns.filter((column) => column !== 'status');
/** The values stay out of the row of a lead that is sealed: they are sealed, too. */
const assignments = list([
  'status = $1',
  ...valueColumns.map((column, index) => {
    const value = `CAST($${index + 2} AS ${tables.leads.columns[column].type === 'integer' ? 'BIGINT' : 'TEXT'})`;
    return `${column} = CASE lead WHEN '' THEN ${column} ELSE ${value} END`;
  }),
]);

/** SQL that is true if a lead may get its answer, because its delivery is now in `state` and gives the answer. */
const mayBeAnswered = (state: Settlement['state'], condition: string, id: string, destination: string) => `
  id = ${id} AND ${condition} AND erased_at IS NULL AND EXISTS (SELECT 1 FROM deliveries
    WHERE lead_id = leads.id AND destination = ${destination} AND gives_answer = 1 AND state = '${state}')`;
const [idParameter, destinationParameter] = [`$${answerColumns.length + 1}`, `$${answerColumns.length + 2}`];
/** SQL that stores the answer in the row of the lead, and returns a row if it did. */
const answerInRow = (state: Settlement['state'], condition: string) => `
  UPDATE leads SET ${assignments} WHERE ${mayBeAnswered(state, condition, idParameter, destinationParameter)}
  RETURNING id`;
/** SQL that stores the sealed answer, unless the row takes it in clear (`$1` is 0 and the lead is in clear). */
const sealAnswer = (state: Settlement['state'], condition: string, forUpdate: string) => `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT id, 'answer', CAST($1 AS BIGINT), $2 FROM leads
  WHERE (lead = '' OR CAST($1 AS BIGINT) <> 0) AND ${mayBeAnswered(state, condition, '$3', '$4')} ${forUpdate}
  ON CONFLICT (lead_id, part) DO UPDATE SET data_key = excluded.data_key, blob = excluded.blob`;
const announceText = `
  INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous, ambiguous_counted,
    next_attempt_at, leased_until, happened_at, address)
  SELECT lead_id, destination, $1, 0, CASE state WHEN 'held' THEN 'held' ELSE 'waiting' END, 0, 0, 0,
    CAST($2 AS BIGINT), 0, CAST($2 AS BIGINT), address
  FROM deliveries AS told
  WHERE lead_id >= $3 AND lead_id <= $4 AND content IN ('created', 'held') AND state <> 'dropped'
    AND EXISTS (SELECT 1 FROM leads WHERE leads.id = told.lead_id AND status = $5 AND erased_at IS NULL)
    AND EXISTS (SELECT 1 FROM deliveries AS answering
      WHERE answering.lead_id = told.lead_id AND answering.gives_answer = 1)
  ON CONFLICT (lead_id, destination, content) DO NOTHING`;

/**
 * The statement that must follow each statement that may have given leads their final answer. It stores a delivery of
 * this answer for each destination that was told of the lead. If the delivery that told of the lead is held, this one is
 * held, too. Nothing is stored for leads whose answer was announced before, or came from the calculator.
 * @param from the id of the first lead, and `to` that of the last
 */
export function announce(now: number, from: string, to: string, status: FinalAnswer['status']): Statement {
  const content: DeliveryContent = status === 'done' ? 'answered' : 'refused';
  return statement(announceText, content, now, from, to, status);
}

/** When a delivery with this outcome may change the answer of its lead. */
const changesAnswer = {delivered: "status <> 'done'", refused: "status = 'pending'"} as const;

const endDelivered = `
  UPDATE deliveries SET state = 'delivered', attempts = attempts + 1, last_error = NULL, failing_since = NULL,
    settled_at = $1, recipients = COALESCE($2, recipients),
    leased_until = CASE leased_until WHEN CAST($3 AS BIGINT) THEN 0 ELSE leased_until END
  WHERE lead_id = $4 AND destination = $5 AND content = $6 AND state <> 'delivered' RETURNING lead_id`;
const endRefused = `
  UPDATE deliveries SET state = 'refused', attempts = attempts + 1, leased_until = 0, last_error = $1
  WHERE lead_id = $2 AND destination = $3 AND content = $4 AND leased_until = $5 AND settled_at IS NULL
  RETURNING lead_id`;
const endUnsent = `
  UPDATE deliveries SET state = $1, leased_until = 0, last_error = $2, settled_at = $3
  WHERE lead_id = $4 AND destination = $5 AND content = $6 AND leased_until = $7 AND settled_at IS NULL
  RETURNING lead_id`;
const endLease = `
  UPDATE deliveries SET leased_until = 0
  WHERE lead_id = $1 AND destination = $2 AND content = $3 AND leased_until = $4`;

/**
 * SQL that is 1 while a process may be sending the lead or news of it, and 0 otherwise. Every lease that has not ended
 * counts, whichever process has it. The news that a lead was erased must wait for 0, because nobody may get the lead
 * after that news.
 */
const isUnderWay = (lead: string, now: string) =>
  isThere(`deliveries AS sent
    WHERE sent.lead_id = ${lead} AND sent.content <> 'erased' AND sent.leased_until > ${now}`);

/**
 * The SQL of `claimDue`. `lost` is 1 if a lease of the delivery ended without a report and no remote id is stored, so
 * that it is unknown whether the destination has the lead. After $1 such attempts, the delivery is held.
 */
const claim = (skipLocked: string) => `
  WITH due AS MATERIALIZED (
    SELECT due_id, due_content, lost,
      CASE WHEN lost = 1 AND sends + 1 >= CAST($1 AS BIGINT) THEN 'held' ELSE 'waiting' END AS state_now FROM (
      SELECT lead_id AS due_id, content AS due_content, ambiguous_counted AS sends,
        CASE WHEN leased_until > 0 AND leads.id IS NOT NULL AND remote_id IS NULL THEN 1 ELSE 0 END AS lost
      FROM deliveries LEFT JOIN leads ON leads.id = lead_id
      WHERE destination = $2 AND state = 'waiting' AND next_attempt_at <= $3
        AND CASE content WHEN 'erased' THEN ${isUnderWay('deliveries.lead_id', '$3')} ELSE 0 END = 0
      ORDER BY next_attempt_at LIMIT $4 ${skipLocked}) AS found)
  UPDATE deliveries SET
    state = state_now,
    next_attempt_at = CAST($5 AS BIGINT),
    leased_until = CASE state_now WHEN 'held' THEN 0 ELSE CAST($6 AS BIGINT) END,
    attempts = attempts + lost,
    ambiguous = ambiguous + lost,
    ambiguous_counted = ambiguous_counted + lost,
    last_error = CASE lost WHEN 1 THEN 'The process that claimed this delivery ended, and may have sent the lead' ELSE last_error END
  FROM due WHERE lead_id = due_id AND content = due_content AND destination = $2
  RETURNING lead_id, content, state, attempts, ambiguous_counted, remote_id, happened_at, failing_since, recipients,
    address`;

/**
 * Follows a statement that has locked the delivery, so that nobody can erase the lead in between.
 */
const sealReplyText = `
  INSERT INTO sealed (lead_id, part, data_key, blob)
  SELECT lead_id, $1, CAST($2 AS BIGINT), $3 FROM deliveries
  WHERE lead_id = $4 AND destination = $5 AND content = $6 AND settled_at IS NULL
  ON CONFLICT (lead_id, part) DO UPDATE SET data_key = excluded.data_key, blob = excluded.blob`;

const selectBound = `SELECT ${boundColumns} FROM leads WHERE id = $1`;

const asJson = (recipients: Recipients | null | undefined) =>
  recipients ? JSON.stringify(recipients) : null;
/** Null if the text is damaged, too: then all recipients count as those that do not have it. */
export function toRecipients(stored: string | null): Recipients | null {
  try {
    return stored === null ? null : (JSON.parse(stored) as Recipients);
  } catch {
    return null;
  }
}

/** Looks the next destination up in the index each time, instead of reading all deliveries that wait. */
const waitingDestinations = `
  WITH RECURSIVE found(destination) AS (
    SELECT MIN(destination) FROM deliveries WHERE state = 'waiting'
    UNION ALL
    SELECT (SELECT MIN(destination) FROM deliveries WHERE state = 'waiting' AND destination > found.destination)
    FROM found WHERE destination IS NOT NULL)
  SELECT destination FROM found WHERE destination IS NOT NULL`;

/** The statements that end leases which this process has not used. */
function endUnused(
  destination: string,
  now: number,
  unused: readonly UnusedLease[],
  jsonList: Database['jsonList'],
): Statement[] {
  const set = `
    UPDATE deliveries SET leased_until = 0, next_attempt_at = $1
    WHERE destination = $2 AND state = 'waiting' AND leased_until > 0`;
  const times = (parameter: string) => `(SELECT CAST(value AS BIGINT) FROM ${jsonList(parameter)} AS listed)`;
  const ofLeads = unused.flatMap((lease) => ('lead' in lease ? [lease] : []));
  const ofClaims = unused.flatMap((lease) => ('dueAgain' in lease ? [lease] : []));
  const statements: Statement[] = [];
  if (ofLeads.length > 0) {
    const text = `${set} AND lead_id IN ${jsonList('$3')} AND leased_until IN ${times('$4')}`;
    const leads = JSON.stringify(ofLeads.map(({lead}) => lead));
    const ends = JSON.stringify(ofLeads.map(({leaseEnd}) => String(leaseEnd)));
    statements.push(statement(text, now, destination, leads, ends));
  }
  for (const {leaseEnd, dueAgain} of ofClaims) {
    const text = `${set} AND next_attempt_at = $3 AND leased_until = $4`;
    statements.push(statement(text, now, destination, dueAgain, leaseEnd));
  }
  return statements;
}

/** Undefined for what is not sent any more, because the lead was erased. */
function whatItTakes(content: DeliveryContent, record: LeadRecord | Tombstone): Delivered | undefined {
  if (!isErased(record)) return content === 'erased' ? undefined : {lead: record, content};
  return content === 'erased' ? {lead: record, content} : undefined;
}

const refusedAnswer = (fields: readonly FormFieldName[] | undefined): FinalAnswer =>
  fields ? {status: 'refused', fields} : {status: 'refused'};

export function deliveryQueries(
  {read, readOne, write, skipLocked, forUpdate, jsonList}: Database,
  sealer: Sealer,
  {find, findRecords}: Pick<LeadPort & LeadReader, 'find' | 'findRecords'>,
): DeliveryQueries {
  const claimText = claim(skipLocked);
  const dueText = `
    SELECT value FROM ${jsonList('$1')} AS listed
    WHERE ${isThere("deliveries WHERE destination = listed.value AND state = 'waiting' AND next_attempt_at <= $2")} = 1`;
  const looks = createBatcher<string, boolean>(async (destinations) => {
    const rows = await read(statement(dueText, JSON.stringify(destinations), Date.now()));
    const due = new Set(rows.map(({value}) => value));
    return destinations.map((destination) => ({result: due.has(destination)}));
  });

  /** Undefined if an operator has deleted the lead by hand. */
  const findBound = async (lead: string) =>
    (await readOne(statement(selectBound, lead))) as Bound | undefined;

  function sealReply(lead: Bound, destination: string, content: DeliveryContent, excerpt: string) {
    const part = replyPart({destination, content});
    const {data_key, blob} = sealer.of(lead).seal(excerpt, part);
    return statement(sealReplyText, part, data_key, blob, lead.id, destination, content);
  }

  /**
   * Stores a report. One that changes nothing, because its delivery has ended meanwhile, still ends the lease under which
   * it was attempted.
   */
  async function report(
    {lead, destination, content}: DeliveryKey,
    leaseEnd: number,
    change: Statement,
    ...others: Statement[]
  ) {
    const [changed = [], ...results] = await write(change, ...others);
    if (changed.length === 0) await write(statement(endLease, lead, destination, content, leaseEnd));
    return results;
  }

  /** The statements that give a lead its answer. The last one returns a row if they did. */
  function giveAnswer(
    answer: FinalAnswer,
    state: keyof typeof changesAnswer,
    lead: Bound,
    destination: string,
  ) {
    const {status, ...values} = toAnswerRow(answer);
    const {data_key, blob} = sealer.of(lead).seal(JSON.stringify(values), 'answer');
    const shown = data_key === 0 ? values : noAnswer;
    const condition = changesAnswer[state];
    return [
      statement(sealAnswer(state, condition, forUpdate('leads')), data_key, blob, lead.id, destination),
      statement(
        answerInRow(state, condition),
        status,
        ...valueColumns.map((column) => shown[column]),
        lead.id,
        destination,
      ),
    ];
  }

  return {
    async recordRemoteId({lead, destination, content}, remoteId) {
      const text = `
        UPDATE deliveries SET remote_id = $1
        WHERE lead_id = $2 AND destination = $3 AND content = $4 AND remote_id IS NULL`;
      await write(statement(text, remoteId, lead, destination, content));
    },

    async settle(key, leaseEnd, settlement) {
      const {lead, destination, content} = key;
      const now = Date.now();
      if (settlement.state === 'dropped' || settlement.state === 'skipped') {
        const {state, reason} = settlement;
        const end = statement(endUnsent, state, reason, now, lead, destination, content, leaseEnd);
        await report(key, leaseEnd, end);
        return undefined;
      }
      const isRefused = settlement.state === 'refused';
      const end = isRefused
        ? statement(endRefused, settlement.reason, lead, destination, content, leaseEnd)
        : statement(endDelivered, now, asJson(settlement.recipients), leaseEnd, lead, destination, content);
      const answer = isRefused ? refusedAnswer(settlement.fields) : settlement.answer;
      const answering = content === 'lead' && answer !== null ? await findBound(lead) : undefined;
      if (!answering || answer === null) {
        await report(key, leaseEnd, end);
        return undefined;
      }
      const [, answered = []] = await report(
        key,
        leaseEnd,
        end,
        ...giveAnswer(answer, isRefused ? 'refused' : 'delivered', answering, destination),
        announce(now, lead, lead, answer.status),
      );
      if (answered.length > 0) return answer;
      // The delivery has ended, whether the lead can be opened now or not.
      const current = await find(lead).catch((error: unknown) => {
        if (error instanceof LeadUnreadable) return undefined;
        throw error;
      });
      return current?.answer;
    },

    hasDue: looks.add,

    async claimDue(destination, {now, leaseEnd, dueAgain = leaseEnd, limit, maxSends, unused = []}) {
      const results = await write(
        ...endUnused(destination, now, unused, jsonList),
        statement(claimText, maxSends, destination, now, limit, dueAgain, leaseEnd),
      );
      const rows = (results.at(-1) ?? []) as ClaimedRow[];
      const claimed = rows.filter(({state}) => state !== 'held');
      const held = rows.filter(({state}) => state === 'held').map(({lead_id}) => lead_id);
      const records = await findRecords([...new Set(claimed.map(({lead_id}) => lead_id))]);
      const due: DueDelivery[] = [];
      const unreadable: string[] = [];
      for (const {lead_id: id, content, attempts, ambiguous_counted, remote_id, ...others} of claimed) {
        const record = records.get(id);
        const taken = record && !('unreadable' in record) ? whatItTakes(content, record) : undefined;
        if (taken) {
          due.push({
            ...taken,
            destination,
            happenedAt: others.happened_at,
            failingSince: others.failing_since,
            remoteId: remote_id,
            attempts,
            ambiguousCounted: ambiguous_counted,
            recipients: toRecipients(others.recipients),
            address: others.address,
            leaseEnd,
          });
        } else if (!record) {
          // An operator deleted the lead by hand, so its delivery is deleted here.
          const text = `
            DELETE FROM deliveries
            WHERE lead_id = $1 AND destination = $2 AND content = $3 AND leased_until = $4`;
          await write(statement(text, id, destination, content, leaseEnd));
        } else if ('unreadable' in record) {
          unreadable.push(id);
          const text = `
            UPDATE deliveries SET next_attempt_at = $1, leased_until = 0, last_error = $2
            WHERE lead_id = $3 AND destination = $4 AND content = $5 AND leased_until = $6`;
          await write(
            statement(text, now + unreadableWait, record.unreadable, id, destination, content, leaseEnd),
          );
        } else {
          // The lead was erased after the delivery was stored, or an operator retried a delivery of an erased lead.
          await write(statement(endUnsent, 'dropped', null, now, id, destination, content, leaseEnd));
        }
      }
      return {due, held, unreadable};
    },

    async postpone(key, leaseEnd, postponed) {
      const {lead, destination, content} = key;
      const {until, error, tried, ambiguous, isCounted, state, recipients} = postponed;
      // A reply may name the person, of whom nothing is stored any more.
      const excerpt = content === 'erased' ? null : postponed.excerpt;
      const text = `
        UPDATE deliveries SET next_attempt_at = $1, leased_until = 0, last_error = $2,
          attempts = attempts + $3, ambiguous = ambiguous + $4, ambiguous_counted = ambiguous_counted + $5, state = $6,
          failing_since = COALESCE(failing_since, CAST($7 AS BIGINT)),
          last_reply = CASE CAST($8 AS BIGINT) WHEN 0 THEN last_reply ELSE $9 END,
          recipients = COALESCE($10, recipients)
        WHERE lead_id = $11 AND destination = $12 AND content = $13 AND leased_until = $14 AND settled_at IS NULL
        RETURNING lead_id`;
      const counts = [tried, ambiguous, isCounted].map(Number);
      const failingSince = tried ? Date.now() : null;
      const isSealed = excerpt !== null && sealer.writesWith !== 0;
      const inClear = excerpt === null || isSealed ? null : JSON.stringify({excerpt});
      const reply = [Number(excerpt !== null), inClear];
      const values = [until, error, ...counts, state, failingSince, ...reply, asJson(recipients)];
      const postpone = statement(text, ...values, lead, destination, content, leaseEnd);
      const replying = isSealed ? await findBound(lead) : undefined;
      const sealed = isSealed && replying ? [sealReply(replying, destination, content, excerpt)] : [];
      await report(key, leaseEnd, postpone, ...sealed);
    },

    async waitingDestinations() {
      const rows = await read(statement(waitingDestinations));
      return rows.map(({destination}) => String(destination));
    },

    async recallDeliveries(destination, {now, latest, endedLeases}) {
      const late = "state = 'waiting' AND next_attempt_at >";
      const text = `
        UPDATE deliveries SET next_attempt_at = $1 WHERE destination = $2 AND ${late} $3
          AND (leased_until = 0 OR leased_until IN (SELECT CAST(value AS BIGINT) FROM ${jsonList('$4')} AS listed))`;
      await write(statement(text, now, destination, latest, JSON.stringify(endedLeases.map(String))));
      const leases = `
        SELECT DISTINCT leased_until FROM deliveries
        WHERE destination = $1 AND ${late} $2 AND leased_until > 0 LIMIT 1000`;
      const rows = await read(statement(leases, destination, latest));
      return rows.map(({leased_until}) => Number(leased_until));
    },

    async pausedDestinations() {
      const text = `
        SELECT destination, paused_at AS "pausedAt", reason FROM paused_destinations ORDER BY destination`;
      return (await read(statement(text))) as PausedDestination[];
    },

    async pauseDestination({destination, pausedAt, reason}) {
      const text = `
        INSERT INTO paused_destinations (destination, paused_at, reason) VALUES ($1, $2, $3)
        ON CONFLICT (destination) DO NOTHING`;
      await write(statement(text, destination, pausedAt, reason));
    },

    async breakEnds() {
      const text = 'SELECT destination, ended_at AS "endedAt" FROM break_ends';
      return (await read(statement(text))) as BreakEnd[];
    },
  };
}

/** The statement that makes all processes end the break of a destination. */
export const endBreak = (destination: string, now: number) =>
  statement(
    `INSERT INTO break_ends (destination, ended_at) VALUES ($1, $2)
      ON CONFLICT (destination) DO UPDATE SET ended_at = excluded.ended_at`,
    destination,
    now,
  );
