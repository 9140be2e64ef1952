/** `lead-prequal leads erase`: shows what would go with leads, and erases them. */
import {existsSync, readdirSync} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import {Command} from 'commander';
import {referenceOf} from '../../contract/reference.ts';
import type {Config} from '../config/config.ts';
import type {ErasableLead} from '../leads/erasure.ts';
import type {ListedLead} from '../leads/lead-filter.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {consentEnd, retentionOf} from '../leads/retention.ts';
import type {Tombstone} from '../leads/stored-lead.ts';
import {consentOf} from '../destinations/webhook/event.ts';
import {appendErasures, readErasures, type Erasure} from '../store/erasures-file.ts';
import {isErased, whyUnreadable} from '../store/rows.ts';
import {leadOf} from './lead-names.ts';
import {
  counted,
  Failure,
  isoTime,
  jsonOption,
  lasting,
  localDay,
  localTime,
  printable,
  type Run,
} from './output.ts';
import {leadsOfPerson, personOptions, type Person} from './person.ts';
import {purge} from './purge.ts';
import {changingStore} from './with-store.ts';

type Options = Person & {all?: boolean; yes?: boolean; again?: boolean; json?: boolean};

/** What is to be typed before anything is erased. */
const confirmationWord = 'erase';

const consentRule = '16 CFR 310.5 asks for five years of records of consents, with name and telephone number';

export const toldAgain =
  'Webhooks, chat rooms and mailboxes that had these leads may be told of the erasure a second time: the id of that news is the same';

const help = `
Shows what would go and to whom it went, then asks for the word "${confirmationWord}". Duplicates of a lead and its corrections go with
it. The consent stays with name and telephone number as long as KEEP_CONSENT_YEARS, or keep_consent_years of the partner,
says (${consentRule}), unless there is --all. What is
kept of an erased lead can be erased later: name the lead by its id or reference, with --all.

  lead-prequal leads erase K7QM-2XHD
  lead-prequal leads erase --email jane@example.com --all
  lead-prequal leads erase --again          after a restore of PostgreSQL

Exit status: 0 erased; 1 not erased, or not out of the files yet; 2 the command line is wrong, or nobody can be asked.`;

export function eraseCommand(run: Run): Command {
  const command = personOptions(new Command('erase'))
    .description('erase what is personal of leads, and tell those who had them')
    .argument('[leads...]', 'the ids or the references of the leads')
    .option('--all', 'the consents that are kept, too')
    .option('--again', 'instead: what ERASURES_FILE lists, as after a restore')
    .option('--yes', 'do not ask, for programs')
    .addOption(jsonOption())
    .addHelpText('after', help);
  return command.action((names: string[], options: Options) => {
    const {email, phone, again, yes} = options;
    const isPerson = email !== undefined || phone !== undefined;
    if ([names.length > 0, isPerson, again === true].filter(Boolean).length !== 1)
      return command.error('error: name leads, or a person by --email or --phone, or say --again');
    if (!yes && !run.ask)
      return command.error('error: there is no terminal to ask on: add --yes to erase without a question');
    return changingStore(run, async (store, config) => {
      if (again) return eraseAgain(run, store, config, options);
      const ids = isPerson ? await idsOf(run, store, options) : await idsNamed(store, names);
      if (ids) await erase(run, store, config, ids, options);
    });
  });
}

async function idsNamed(store: BesideStore, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const id = await leadOf(store, name);
    if (!(await store.readLead(id))) throw new Failure(`There is no lead ${name}.`);
    ids.push(id);
  }
  return ids;
}

async function idsOf(run: Run, store: BesideStore, person: Person): Promise<string[] | undefined> {
  const {found, isStopped} = await leadsOfPerson(run, store, {}, person);
  if (!isStopped && found.length > 0) return found.map(({id}) => id);
  run.fail(isStopped ? 'Nothing was erased.' : 'No lead of this person can be read.');
  return undefined;
}

/** A lead that would be erased, and what is known of it. */
type Planned = ErasableLead & {
  lead: ListedLead | undefined;
  /** Until when its consent stays. Undefined if none stays. */
  consentUntil: number | undefined;
};

async function plan(
  store: BesideStore,
  config: Config,
  ids: readonly string[],
  all: boolean,
): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const erasable of await store.erasable(ids)) {
    const lead = (await store.readLead(erasable.id))?.lead;
    const end = endOfConsent(config, erasable, lead);
    planned.push({...erasable, lead, consentUntil: all || end <= Date.now() ? undefined : end});
  }
  return planned;
}

/** @returns 0 if there is no consent */
function endOfConsent(config: Config, {hasConsent, partner, createdAt}: ErasableLead, lead?: ListedLead) {
  const consent = lead && 'consent' in lead ? lead.consent : undefined;
  return hasConsent ? consentEnd(config, {partner, givenAt: consent?.givenAt ?? createdAt}) : 0;
}

/**
 * What is shown of an erased lead: when it was erased, and the consent that is kept, so that an operator can prove it.
 */
export async function shownErased(
  store: BesideStore,
  config: Config,
  {id, createdAt, partner, erasedAt}: Tombstone,
) {
  const [erasable] = (await store.erasable([id])).filter((lead) => lead.id === id);
  const end = erasable ? endOfConsent(config, erasable) : 0;
  return {
    id,
    reference: referenceOf(id),
    created_at: isoTime(createdAt),
    partner,
    erased_at: isoTime(erasedAt),
    consent_kept_until: end > 0 ? isoTime(end) : null,
    kept: await keptOf(store, id),
  };
}

async function keptOf(store: BesideStore, id: string) {
  try {
    const kept = await store.keptConsent(id);
    if (!kept) return null;
    const {first_name, last_name, phone, consent} = kept;
    return {first_name, last_name, phone: phone.typed, phone_e164: phone.e164, consent: consentOf(consent)};
  } catch (error) {
    return {unreadable: whyUnreadable(error)};
  }
}

/** Whether erasing changes anything of the lead. */
const changesAnything = ({erasedAt, hasConsent, consentUntil}: Planned) =>
  erasedAt === null || (hasConsent && consentUntil === undefined);

async function erase(
  run: Run,
  store: BesideStore,
  config: Config,
  ids: readonly string[],
  {all = false, yes = false, json = false}: Options,
) {
  const {say, fail} = run;
  const planned = await plan(store, config, ids, all);
  for (const lead of planned) for (const line of linesOf(lead, !yes)) say(line);
  const toErase = planned.filter(changesAnything);
  for (const line of consentWords(planned, all)) say(line);
  if (toErase.length > 0) {
    if (!(await isConfirmed(run, counted(toErase.length, 'lead'), yes))) return fail('Nothing was erased.');
    if (config.erasuresFile === undefined)
      say('There is no ERASURES_FILE: after a restore of an older backup, these leads are back.');
    await store.useKeys();
    const {keepConsent} = retentionOf(config);
    const at = Date.now();
    writeDown(
      config,
      toErase.map(({id}) => ({id, at, all})),
    );
    for (const {id} of toErase) await store.erase(id, at, all ? () => false : keepConsent);
  }
  const isPurged = await purge(run, store, erasing(planned.map(({id}) => referenceOf(id)).join(' ')));
  await printErased(run, planned, isPurged, json);
  sayWhatRemains(run, config);
}

function writeDown({erasuresFile}: Config, erasures: readonly Erasure[]) {
  if (erasuresFile === undefined) return;
  try {
    appendErasures(erasuresFile, erasures);
  } catch (error) {
    throw new Failure(
      `Nothing was erased, because the file of erasures cannot be written: ${(error as Error).message}`,
    );
  }
}

async function isConfirmed({ask}: Run, what: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  return (await ask?.(`To erase ${what} for ever, type ${confirmationWord}: `))?.trim() === confirmationWord;
}

const nameOf = (lead: ListedLead | undefined) =>
  lead && 'lead' in lead ? `, ${printable(`${lead.lead.first_name} ${lead.lead.last_name}`)}` : '';

const whyIncluded = {
  named: '',
  duplicate: 'belongs to a lead that goes: one is a duplicate of the other',
  correction: 'belongs to a lead that goes: one corrects the other',
} as const satisfies Record<ErasableLead['because'], string>;

/** @param isNamed false where the words may end in the log of a program */
function linesOf(planned: Planned, isNamed: boolean): string[] {
  const {
    id,
    createdAt,
    partner,
    because,
    lead,
    erasedAt,
    hasConsent,
    consentUntil,
    told,
    remoteIds,
    leasedUntil,
  } = planned;
  const whole =
    lead && 'unreadable' in lead
      ? `everything but ids, times and partner. It cannot be read (${lead.unreadable}), so no consent can be kept`
      : 'name, e-mail, telephone, answers, amounts, notes, hidden fields, where the visitor came from';
  const consent = hasConsent ? 'the kept consent, with name and telephone number' : 'nothing more';
  const left = leasedUntil - Date.now();
  const fields: readonly (readonly [name: string, value: string])[] = [
    ['belongs', whyIncluded[because]],
    ['goes', erasedAt === null ? whole : changesAnything(planned) ? consent : ''],
    [
      'stays',
      consentUntil === undefined
        ? ''
        : `the consent, with name and telephone number, until ${localDay(consentUntil)}`,
    ],
    ['will be told', erasedAt === null ? told.join(', ') : ''],
    ...(erasedAt === null ? remoteIds : []).map(
      ({destination, remoteId}) =>
        [
          'cannot be told',
          `${destination}, which has it ${remoteId === null ? 'perhaps, without an id that is known' : `as ${remoteId}`}: ask whoever runs it`,
        ] as const,
    ),
    [
      'under way',
      left > 0
        ? `a process may be sending it for up to ${lasting(left + 999)}; the others are told after that`
        : '',
    ],
  ];
  const erased = erasedAt === null ? '' : `, erased ${localTime(erasedAt)}`;
  return [
    `${referenceOf(id)} (${id}), received ${localTime(createdAt)}, ${printable(partner ?? 'of a caller')}${isNamed ? nameOf(lead) : ''}${erased}`,
    ...fields
      .filter(([, value]) => value)
      .map(([name, value]) => `  ${name.padEnd(14)}  ${printable(value)}`),
  ];
}

/** Which consents go or stay, and why. */
function consentWords(planned: readonly Planned[], all: boolean): string[] {
  const withConsent = planned.filter(({hasConsent}) => hasConsent);
  if (withConsent.length === 0) return [];
  if (all)
    return [`${counted(withConsent.length, 'consent')} of these go, too (--all), although ${consentRule}.`];
  const kept = withConsent.filter(({consentUntil}) => consentUntil !== undefined);
  return kept.length > 0
    ? [
        `${counted(kept.length, 'consent')} of these stay (KEEP_CONSENT_YEARS): ${consentRule}. --all erases them, too.`,
      ]
    : ['The time for which consents are kept is over, so they go, too.'];
}

/** Words for the wait until nothing of the leads is in the files. */
const erasing = (which: string) => ({
  what: 'What was erased cannot be read any more.',
  again: `leads erase ${which}`,
});

async function printErased(run: Run, planned: readonly Planned[], isPurged: boolean, json: boolean) {
  if (!isPurged) run.status = 1;
  for (const lead of planned) {
    const {id, because, told, remoteIds, consentUntil, erasedAt} = lead;
    const reference = referenceOf(id);
    if (json)
      await run.print({
        id,
        reference,
        because,
        was_erased_at: isoTime(erasedAt),
        consent_kept_until: isoTime(consentUntil ?? null),
        told: erasedAt === null ? told : [],
        remote_ids: remoteIds.map(({destination, remoteId}) => ({destination, remote_id: remoteId})),
        out_of_files: isPurged,
      });
    else if (isPurged)
      await run.write(`${reference} (${id}) ${changesAnything(lead) ? 'erased' : 'was erased before'}\n`);
  }
}

function sayWhatRemains({say}: Run, {databaseUrl, databasePath}: Config) {
  if (databaseUrl)
    return say(
      'On PostgreSQL, the old rows stay in its files, its log and its backups until they are overwritten. What was sealed cannot be read any more once its data key is destroyed (docs/privacy.md).',
    );
  const path = resolve(databasePath);
  const prefix = `${basename(path)}.before-restore-`;
  const older = existsSync(dirname(path))
    ? readdirSync(dirname(path)).filter((name) => name.startsWith(prefix))
    : [];
  if (older.length > 0)
    say(
      `Older copies beside the database still hold these leads, if they are older than the copies: ${older.map((name) => join(dirname(path), name)).join(', ')}. Delete those that you do not need.`,
    );
  say('Backups hold what was in the database when they were made (docs/privacy.md).');
}

/** Ids of one query. */
const sliceSize = 200;

async function eraseAgain(
  run: Run,
  store: BesideStore,
  config: Config,
  {yes = false, json = false}: Options,
) {
  const {say, fail} = run;
  const {erasuresFile: path} = config;
  if (path === undefined) return fail('ERASURES_FILE names no file.');
  if (!existsSync(path)) return fail(`There is no file of erasures at ${path}.`);
  const {erasures, unread} = readErasures(path);
  if (unread > 0) fail(`${counted(unread, 'line')} of ${path} could not be read.`);
  const toErase: Erasure[] = [];
  let back = 0;
  for (let index = 0; index < erasures.length; index += sliceSize) {
    const slice = erasures.slice(index, index + sliceSize);
    const records = await store.findRecords(slice.map(({id}) => id));
    for (const erasure of slice) {
      const record = records.get(erasure.id);
      if (!record) continue;
      if (!isErased(record)) back += 1;
      if (!isErased(record) || erasure.all) toErase.push(erasure);
    }
  }
  say(`${counted(back, 'lead')} of ${path} are back.`);
  if (back > 0) say(`${toldAgain}.`);
  let erased = 0;
  if (toErase.length > 0) {
    if (back > 0 && !(await isConfirmed(run, counted(back, 'lead'), yes))) return fail('Nothing was erased.');
    await store.useKeys();
    const {keepConsent} = retentionOf(config);
    for (const {id, at, all} of toErase)
      if (await store.erase(id, at, all ? () => false : keepConsent)) erased += 1;
  }
  const isPurged = await purge(run, store, erasing('--again'));
  if (!isPurged) run.status = 1;
  if (json) await run.print({erased, out_of_files: isPurged});
  else if (isPurged) await run.write(`${counted(erased, 'lead')} erased again\n`);
  sayWhatRemains(run, config);
}
