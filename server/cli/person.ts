/** The options that name a person by e-mail address or telephone number, and what a search for the person prints. */
import {InvalidArgumentError, type Command} from 'commander';
import {referenceOf} from '../../contract/reference.ts';
import {finish, type Admin} from '../admin/admin.ts';
import {leadsOfPerson, type Person} from '../admin/persons.ts';
import {counted} from '../admin/words.ts';
import {comparableEmail} from '../leads/idempotency.ts';
import {emailSchema, phoneSchema} from '../leads/lead-schema.ts';
import type {FullLead, LeadFilter} from '../leads/lead-filter.ts';
import {leadsBar, type Run} from './output.ts';

export const personOptions = (command: Command): Command =>
  command
    .option(
      '--email <address>',
      'only leads with this e-mail address, in any capitals; reads all leads',
      readEmail,
    )
    .option(
      '--phone <number>',
      'only leads with this telephone number, however it is written; reads all leads',
      readPhone,
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

/** References that a sentence names, at most. */
const maxNamed = 20;

const referencesOf = (ids: readonly string[]) =>
  ids.slice(0, maxNamed).map(referenceOf).join(', ') + (ids.length > maxNamed ? ' …' : '');

/** Searches until it is done, or until the operator stops it (Ctrl+C). Says which leads may be of the person, too. */
export async function findPerson(
  {stderr, say, onInterrupt}: Run,
  admin: Admin,
  filter: LeadFilter,
  {limit, ...person}: Person & {limit?: number},
): Promise<{found: FullLead[]; isStopped: boolean}> {
  const stop = new AbortController();
  const release = onInterrupt?.(() => stop.abort());
  let bar: Awaited<ReturnType<typeof leadsBar>> | undefined;
  const search = leadsOfPerson(admin, filter, person, {limit, signal: stop.signal});
  const {found, unreadable, sameMailbox, looked, total} = await finish(search, async (so) => {
    if (stderr.isTTY) bar ??= await leadsBar(stderr, so.total);
    bar?.update(so.looked);
  }).finally(() => {
    bar?.stop();
    release?.();
  });
  const isStopped = stop.signal.aborted;
  if (isStopped)
    say(`Stopped after ${looked.toLocaleString('en-US')} of ${counted(total, 'lead')}, the newest ones.`);
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
