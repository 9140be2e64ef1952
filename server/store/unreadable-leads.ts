/**
 * Opens the rows of leads, and notes in the store which of them could not be opened by any process. `lead-prequal
 * status` names those of the last day.
 */
import {dayLength} from '../config/timings.ts';
import {isSameLead} from '../leads/idempotency.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {FullLead, UnreadableLead} from '../leads/lead-filter.ts';
import type {Context, LeadOpener} from './context.ts';
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

/** Milliseconds for which a note is kept. */
export const notesKept = dayLength;
/** Milliseconds after which this process notes the same lead again, and how many leads it remembers for that. */
const [noteAgain, maxRemembered] = [600_000, 10_000];
/** Leads that are looked at again, the latest first. */
const maxNoted = 100;

/**
 * The answer of a duplicate is that of its original. The duplicate keeps what stands in its own row if an operator has
 * deleted the original, if that was erased or cannot be opened, or if it is another lead: somebody who can write to the
 * database may have named that one.
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

/** @returns also `noted`, which resolves when all notes are written */
export function createOpener(
  {write, writeAside = write, jsonList}: Database,
  encryptor: Encryptor,
): LeadOpener & {noted: () => Promise<void>} {
  const noteText = `
    INSERT INTO unreadable_leads (lead_id, met_at)
    SELECT id, CAST($1 AS BIGINT) FROM leads WHERE id IN ${jsonList('$2')} ORDER BY id
    ON CONFLICT (lead_id) DO UPDATE SET met_at = excluded.met_at`;
  const notedAt = new Map<string, number>();
  let met: string[] = [];
  let noting = Promise.resolve();

  /** Writes one note for all leads that were met since the last one: a read may meet many. */
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
    note,
    noted: () => noting,
    open(row) {
      const lead = attempt(row, encryptor);
      if (lead instanceof LeadUnreadable) note(row.id);
      return lead;
    },
  };
}

// SQLite reads the tables of a CROSS JOIN in their order. In another one, it would read all leads.
const selectNoted = `
  SELECT ${keptColumns} FROM unreadable_leads CROSS JOIN leads ${joinKept}
  WHERE leads.id = unreadable_leads.lead_id AND met_at >= $1 ORDER BY met_at DESC, leads.id LIMIT ${maxNoted}`;

/** Why something of the lead cannot be opened: its row, or the consent that is kept of an erased one. */
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
