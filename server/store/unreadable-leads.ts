/**
 * Decrypts rows of leads, and notes in the store which could not be decrypted, by any process. `lead-prequal status` lists those
 * of the last day.
 */
import {dayLength} from '../config/timings.ts';
import {isSameLead} from '../leads/idempotency.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {FullLead, UnreadableLead} from '../leads/lead-filter.ts';
import type {Context} from './context.ts';
import {statement, type Database} from './database.ts';
import {
  joinKept,
  keptColumns,
  encryptedOf,
  toLead,
  whyUnreadable,
  type KeptRow,
  type ReadRow,
} from './rows.ts';
import type {Encryptor} from './encryption.ts';

/** How long a note is kept, in milliseconds. */
export const notesKept = dayLength;
/** Milliseconds after which this process notes the same lead again, and the number of leads that it remembers for that. */
const [noteAgain, maxRemembered] = [600_000, 10_000];
/** The maximum number of leads noted as unreadable that are read once more, the latest first. */
const maxNoted = 100;

/**
 * A duplicate has the answer of its original. The answer in its own row is used if the original was deleted by hand or erased, or
 * cannot be decrypted. It is also used if the original is another lead, because somebody with write access to the database may
 * have put in that id.
 */
export const answerOf = (lead: FullLead, original: ReturnType<LeadOpener['open']> | undefined) =>
  original && 'answer' in original && isSameLead(lead.lead, original.lead) ? original.answer : lead.answer;

function attempt(row: ReadRow, encryptor: Encryptor) {
  try {
    return toLead(row, encryptor);
  } catch (error) {
    const {id, cid, partner, created_at: createdAt} = row;
    return new LeadUnreadable({id, cid, partner, createdAt}, whyUnreadable(error));
  }
}

export type LeadOpener = Omit<ReturnType<typeof createOpener>, 'noted'>;

export function createOpener({write, writeAside = write, jsonList}: Database, encryptor: Encryptor) {
  const noteText = `
    INSERT INTO unreadable_leads (lead_id, met_at)
    SELECT id, CAST($1 AS BIGINT) FROM leads WHERE id IN ${jsonList('$2')} ORDER BY id
    ON CONFLICT (lead_id) DO UPDATE SET met_at = excluded.met_at`;
  const notedAt = new Map<string, number>();
  let met: string[] = [];
  let noting = Promise.resolve();

  /** Writes one note for all leads since the last note, because one read may find many. */
  async function noteMet() {
    const ids = met;
    met = [];
    if (ids.length === 0) return;
    await writeAside(statement(noteText, Date.now(), JSON.stringify(ids))).catch(() => {
      for (const id of ids) notedAt.delete(id);
    });
  }

  function note(id: string) {
    const now = performance.now();
    if (now - (notedAt.get(id) ?? -Infinity) < noteAgain) return;
    if (notedAt.size >= maxRemembered) notedAt.clear();
    notedAt.set(id, now);
    met.push(id);
    noting = noting.then(noteMet);
  }

  return {
    /** Notes that a part of a lead cannot be decrypted. It returns at once; closing the store waits until this is written (`noted`). */
    note,
    noted: () => noting,
    /** The lead in a row, or why it cannot be decrypted. */
    open(row: ReadRow) {
      const lead = attempt(row, encryptor);
      if (lead instanceof LeadUnreadable) note(row.id);
      return lead;
    },
  };
}

// CROSS JOIN, because SQLite then reads the tables in this order. In the other order, it would read all leads.
const selectNoted = `
  SELECT ${keptColumns} FROM unreadable_leads CROSS JOIN leads ${joinKept}
  WHERE leads.id = unreadable_leads.lead_id AND met_at >= $1 ORDER BY met_at DESC, leads.id LIMIT ${maxNoted}`;

/** Why a part of the lead cannot be decrypted: its row, or the kept consent of an erased lead. */
function whyNot({kept_key, kept_blob, ...row}: KeptRow, encryptor: Encryptor) {
  const lead = attempt(row, encryptor);
  if (lead instanceof LeadUnreadable) return lead.reason;
  const kept = encryptedOf(kept_key, kept_blob);
  try {
    if (kept) encryptor.of(row).decrypt(kept, 'consent');
    return undefined;
  } catch (error) {
    return `What is kept of its consent: ${whyUnreadable(error)}`;
  }
}

export async function unreadableLeads({read, encryptor}: Context, now: number): Promise<UnreadableLead[]> {
  const rows = await read<KeptRow>(statement(selectNoted, now - notesKept));
  return rows.flatMap((row) => {
    const unreadable = whyNot(row, encryptor);
    return unreadable === undefined ? [] : [{id: row.id, unreadable}];
  });
}
