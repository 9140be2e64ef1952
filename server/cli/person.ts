/** The options that name a person by e-mail address or telephone number, and what a search for the person prints. */
import {InvalidArgumentError, type Command} from 'commander';
import {referenceOf} from '../../contract/reference.ts';
import {finish, Refusal, type Admin} from '../admin/admin.ts';
import {leadsOfPerson, namedBy, type Found} from '../admin/persons.ts';
import type {Person} from '../leads/persons.ts';
import {counted, localDay} from '../admin/words.ts';
import {personOf, phoneOf} from '../leads/read-contact.ts';
import type {LeadFilter} from '../leads/lead-filter.ts';
import {consentEnd} from '../leads/retention.ts';
import {leadsBar, type Run} from './output.ts';

/** Stands for a line of standard input, so that the address or the number is in no list of processes and in no history. */
const fromInput = '-';

const words = {email: 'e-mail address', phone: 'telephone number'} as const;
/** An address stays as it was typed until it is looked for. */
const readers = {
  email: (text: string) => {
    if (!personOf(text)) throw new InvalidArgumentError('It must be an e-mail address.');
    return text;
  },
  phone: (text: string) => {
    const phone = phoneOf(text)?.e164;
    if (phone !== undefined) return phone;
    throw new InvalidArgumentError('It must be a US number, or one that begins with + and a country code.');
  },
} as const;

/** Adds `--email` and `--phone`. With the value `-`, the command line asks for them, or reads standard input. */
export const personOptions = (command: Command, run: Run): Command =>
  command
    .option(
      '--email <address>',
      'only leads with this e-mail address, in any capitals; - reads it from standard input',
      unlessFromInput(readers.email),
    )
    .option(
      '--phone <number>',
      'only leads with this telephone number, however it is written; - reads it from standard input',
      unlessFromInput(readers.phone),
    )
    .hook('preAction', async (command) => {
      const named = (['email', 'phone'] as const).filter(
        (name) => command.opts<Person>()[name] === fromInput,
      );
      if (named.length > 1)
        command.error('error: only one of --email and --phone can be read from standard input');
      for (const name of named) command.setOptionValue(name, await readFromInput(command, run, name));
    });

const unlessFromInput = (read: (text: string) => string) => (text: string) =>
  text === fromInput ? text : read(text);

async function readFromInput(
  command: Command,
  {ask, readLine}: Run,
  name: 'email' | 'phone',
): Promise<string> {
  const line = await (ask ? ask(`The ${words[name]}: `) : readLine?.());
  if (!line?.trim()) return command.error(`error: --${name} - found no ${words[name]} on standard input`);
  try {
    return readers[name](line);
  } catch (error) {
    return command.error(`error: what --${name} - read is not one. ${(error as Error).message}`);
  }
}

/**
 * Who or what an argument names: a person, or the id or reference of a lead as it is. `-` asks for it, or reads standard input.
 * @throws Refusal if it is an address or a number that nobody can have
 */
export async function readNamed({ask, readLine}: Run, argument: string): Promise<string | Person> {
  const asked = async () => (ask ? ask('Reference, phone or e-mail: ') : readLine?.());
  const text = ((argument === fromInput ? await asked() : argument) ?? '').trim();
  if (text === '') throw new Refusal('Standard input names no lead and nobody.', 'unknown');
  return namedBy(text);
}

/** So many leads to read take longer than anybody expects. */
const manyLeads = 10_000;

/** References that a sentence names, at most. */
const maxNamed = 20;

const referencesOf = (ids: readonly string[]) =>
  ids.slice(0, maxNamed).map(referenceOf).join(', ') + (ids.length > maxNamed ? ' …' : '');

/**
 * Searches until it is done, or until the operator stops it (Ctrl+C). Says which leads may be of the person, too, and which
 * consents are kept.
 */
export async function findPerson(
  {stderr, say, onInterrupt}: Run,
  admin: Admin,
  filter: LeadFilter,
  {limit, ...person}: Person & {limit?: number},
): Promise<Pick<Found, 'found' | 'kept'> & {isStopped: boolean}> {
  const stop = new AbortController();
  const release = onInterrupt?.(() => stop.abort());
  let bar: Awaited<ReturnType<typeof leadsBar>> | undefined;
  let isFirst = true;
  const who = {...person, ...personOf(person.email ?? '')};
  const search = leadsOfPerson(admin, filter, who, {limit, signal: stop.signal});
  const {found, kept, unreadable, sameMailbox, looked, total} = await finish(search, async (so) => {
    if (isFirst && so.unprepared >= manyLeads)
      say(
        `This takes long, because ${counted(so.unprepared, 'lead')} cannot be found by person yet and must be read. After an update, the server prepares them within minutes.`,
      );
    isFirst = false;
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
  for (const {id, partner, createdAt} of kept) {
    const reference = referenceOf(id);
    const end = localDay(consentEnd(admin.config, {partner, givenAt: createdAt}));
    say(
      `Erased, but its consent is kept until ${end}: ${reference}; lead-prequal consent show ${reference} shows it.`,
    );
  }
  return {found, kept, isStopped};
}
