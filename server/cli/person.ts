/**
 * Finds the leads of a person by e-mail address or telephone number. Both are sealed, and the database has no digest of
 * them, so all leads that the filter selects are read, the newest first.
 */
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {InvalidArgumentError, Option, type Command} from 'commander';
import {referenceOf} from '../../contract/reference.ts';
import {mailboxOf} from '../leads/confirmation-digests.ts';
import {comparableEmail} from '../leads/idempotency.ts';
import {emailSchema, phoneSchema} from '../leads/lead-schema.ts';
import type {FullLead, LeadFilter} from '../leads/lead-filter.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {isErased} from '../store/rows.ts';
import {counted, leadsBar, type Run} from './output.ts';

/** As operators typed them, in the form in which they are compared. */
export type Person = {email?: string | undefined; phone?: string | undefined};

export const personOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--email <address>',
        'only leads with this e-mail address, in any capitals; reads all leads',
      ).argParser(readEmail),
    )
    .addOption(
      new Option(
        '--phone <number>',
        'only leads with this telephone number, however it is written; reads all leads',
      ).argParser(readPhone),
    );

function readEmail(text: string): string {
  const {data} = emailSchema.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError('It must be an e-mail address.');
  return comparableEmail(data);
}

function readPhone(text: string): string {
  const {data} = phoneSchema.safeParse(text);
  if (data === undefined)
    throw new InvalidArgumentError('It must be a US number, or one that begins with + and a country code.');
  return data.e164;
}

/** Leads of one query, each of which is opened. */
const pageLeads = 1_000;
/** References that a sentence names, at most. */
const maxNamed = 20;

const referencesOf = (ids: readonly string[]) =>
  ids.slice(0, maxNamed).map(referenceOf).join(', ') + (ids.length > maxNamed ? ' …' : '');

/**
 * Reads the leads of the filter until `limit` of them are those of the person, or until the operator stops it (Ctrl+C). Says
 * which leads may be of the person, too.
 * @returns what was found, and whether the operator stopped it
 */
export async function leadsOfPerson(
  {stderr, say, onInterrupt}: Run,
  store: BesideStore,
  filter: LeadFilter,
  {email, phone}: Person,
  limit = Infinity,
): Promise<{found: FullLead[]; isStopped: boolean}> {
  const found: FullLead[] = [];
  const unreadable: string[] = [];
  const sameMailbox: string[] = [];
  let leadsRead = 0;
  const stop = new AbortController();
  const release = onInterrupt?.(() => stop.abort());
  const total = await store.countLeads(filter);
  const bar = stderr.isTTY ? await leadsBar(stderr, total) : undefined;
  try {
    for (let after: string | undefined; found.length < limit && !stop.signal.aborted;) {
      const page = await store.listLeads(filter, {limit: pageLeads, after});
      for (const lead of page) {
        if (found.length === limit) break;
        leadsRead += 1;
        if ('unreadable' in lead) unreadable.push(lead.id);
        else if (!isErased(lead)) {
          // In a damaged row, both may be missing.
          const fields: {email?: string; phone?: {e164: string}} = lead.lead;
          const hasPhone = phone === undefined || fields.phone?.e164 === phone;
          if (!hasPhone) continue;
          if (email === undefined || comparableEmail(fields.email ?? '') === email) found.push(lead);
          else if (mailboxOf(fields.email ?? '') === mailboxOf(email)) sameMailbox.push(lead.id);
        }
      }
      bar?.update(leadsRead);
      after = page.at(-1)?.id;
      if (page.length < pageLeads) break;
      // SQLite answers without a turn of the event loop, in which signals are handled.
      await endOfTurn();
    }
  } finally {
    bar?.stop();
    release?.();
  }
  const isStopped = stop.signal.aborted;
  if (isStopped)
    say(`Stopped after ${leadsRead.toLocaleString('en-US')} of ${counted(total, 'lead')}, the newest ones.`);
  if (sameMailbox.length > 0)
    say(
      `Not among them, but probably of the same mailbox, with another spelling of the address: ${referencesOf(sameMailbox)}.`,
    );
  if (unreadable.length > 0)
    say(
      `${counted(unreadable.length, 'lead')} could not be read and may be of this person, too: ${referencesOf(unreadable)}.`,
    );
  return {found, isStopped};
}
