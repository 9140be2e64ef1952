/** `lead-prequal leads erase`: shows what would go with leads, and erases them. */
import {resolve} from 'node:path';
import {Command} from 'commander';
import {
  endErasureRequest,
  eraseLeads,
  erasedLead,
  erasureRequest,
  listErasureRequests,
  planErasure,
  type ErasurePlan,
  type PlannedLead,
} from '../admin/erasing.ts';
import type {Admin} from '../admin/admin.ts';
import {erasureFields} from '../admin/erasure-words.ts';
import type {Person} from '../leads/persons.ts';
import {counted, localTime} from '../admin/words.ts';
import {printable} from '../admin/visible.ts';
import type {Config} from '../config/config.ts';
import {jsonOption} from './options.ts';
import {minuteOrNone, printRows, type Json, type Run} from './output.ts';
import {findPerson, personOptions} from './person.ts';
import {finishPurging} from './purge.ts';
import {changingStore, readingStore} from './with-store.ts';
import {filesAside} from '../store/sqlite/files.ts';

type Options = Person & {all?: boolean; yes?: boolean} & Json;

/** What is to be typed before anything is erased. */
const confirmationWord = 'erase';

const consentRule = '16 CFR 310.5 asks for five years of records of consents, with name and telephone number';

const help = `
Shows what would go and to whom it went, then asks for the word "${confirmationWord}". Duplicates of a lead and its corrections go with
it. The consent stays with name and telephone number as long as keep_consent_years says (${consentRule}), unless there is --all. What is
kept of an erased lead can be erased later: name the lead by its id or reference, with --all.

  lead-prequal leads erase K7QM-2XHD
  lead-prequal leads erase --email jane@example.com --all

Exit status: 0 erased; 1 not erased, or not out of the files yet; 2 the command line is wrong, or nobody can be asked.`;

export function eraseCommand(run: Run): Command {
  const command = personOptions(new Command('erase'), run)
    .description('erase what is personal of leads, and tell those who had them')
    .argument('[leads...]', 'the ids or the references of the leads')
    .option('--all', 'the consents that are kept, too')
    .option('--yes', 'do not ask, for programs')
    .addOption(jsonOption(erasedLead))
    .addHelpText('after', help);
  return command.action((names: string[], options: Options) => {
    const {email, phone, yes} = options;
    const isPerson = email !== undefined || phone !== undefined;
    if (names.length > 0 === isPerson)
      return command.error('error: name leads, or a person by --email or --phone');
    if (!yes && !run.ask)
      return command.error('error: there is no terminal to ask on: add --yes to erase without a question');
    return changingStore(run, async (admin) => {
      const leads = isPerson ? await idsOf(run, admin, options) : names;
      if (leads) await erase(run, admin, leads, options);
    });
  });
}

async function idsOf(run: Run, admin: Admin, {email, phone, all}: Options): Promise<string[] | undefined> {
  const {found, kept, isStopped} = await findPerson(run, admin, {}, {email, phone});
  const leads = [...found, ...(all ? kept : [])];
  if (!isStopped && leads.length > 0) return leads.map(({id}) => id);
  const why =
    kept.length > 0 ? 'Only a consent is kept: --all erases it.' : 'No lead of this person can be read.';
  run.fail(isStopped ? 'Nothing was erased.' : why);
  return undefined;
}

async function erase(
  run: Run,
  admin: Admin,
  leads: string[],
  {all = false, yes = false, json = false}: Options,
) {
  const {say, fail} = run;
  const plan = await planErasure(admin, {leads, all});
  for (const lead of plan.leads) for (const line of linesOf(lead, !yes)) say(line);
  for (const line of consentWords(plan)) say(line);
  if (plan.ids.length > 0) {
    if (!(await isConfirmed(run, counted(plan.ids.length, 'lead'), yes))) return fail('Nothing was erased.');
    if (admin.config.erasuresFile === undefined)
      say('There is no erasures_file: after a restore of an older backup, these leads are back.');
  }
  const words = erasing(plan.leads.map(({reference}) => reference).join(' '));
  const job = eraseLeads(admin, {leads, all, confirm: plan.confirm});
  const {out_of_files, ...erased} = await finishPurging(run, words, job);
  for (const lead of erased.leads)
    if (json) await run.print(erasedLead.parse({...lead, out_of_files}));
    else if (out_of_files)
      await run.write(`${lead.reference} (${lead.id}) ${lead.changes ? 'erased' : 'was erased before'}\n`);
  sayWhatRemains(run, admin.config);
}

export async function isConfirmed({ask}: Run, what: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  return (await ask?.(`To erase ${what} for ever, type ${confirmationWord}: `))?.trim() === confirmationWord;
}

/** Words for the wait until nothing of the leads is in the files. */
const erasing = (which: string) => ({
  what: 'What was erased cannot be read any more.',
  again: `leads erase ${which}`,
});

const local = (time: string | null) => localTime(Date.parse(time ?? ''));

/** @param isNamed false where the words may end in the log of a program */
function linesOf(lead: PlannedLead, isNamed: boolean): string[] {
  const {id, reference, was_erased_at} = lead;
  const named = isNamed && lead.name !== null ? `, ${printable(lead.name)}` : '';
  const erased = was_erased_at === null ? '' : `, erased ${local(was_erased_at)}`;
  return [
    `${reference} (${id}), received ${local(lead.created_at)}, ${printable(lead.partner ?? 'of a caller')}${named}${erased}`,
    ...erasureFields(lead, ', or send the event of --json').map(
      ([name, value]) => `  ${name.padEnd(14)}  ${printable(value)}`,
    ),
  ];
}

/** Which consents go or stay, and why. */
function consentWords({leads, all}: ErasurePlan): string[] {
  const withConsent = leads.filter(({has_consent}) => has_consent);
  if (withConsent.length === 0) return [];
  if (all)
    return [`${counted(withConsent.length, 'consent')} of these go, too (--all), although ${consentRule}.`];
  const kept = withConsent.filter(({consent_kept_until}) => consent_kept_until !== null);
  return kept.length > 0
    ? [
        `${counted(kept.length, 'consent')} of these stay (keep_consent_years): ${consentRule}. --all erases them, too.`,
      ]
    : ['The time for which consents are kept is over, so they go, too.'];
}

function sayWhatRemains({say}: Run, {databaseUrl, databasePath}: Config) {
  if (databaseUrl)
    return say(
      'On PostgreSQL, the old rows stay in its files, its log and its backups until they are overwritten. What was sealed cannot be read any more once its data key is destroyed (docs/privacy.md).',
    );
  const older = filesAside(resolve(databasePath));
  if (older.length > 0)
    say(
      `Older copies beside the database still hold these leads, if they are older than the copies: ${older.join(', ')}. Delete those that you do not need.`,
    );
  say('Backups hold what was in the database when they were made (docs/privacy.md).');
}

export const requestsCommand = (run: Run): Command =>
  new Command('requests')
    .description('list who asked by a link to be erased, the oldest first, or end a request without erasing')
    .option('--end <lead>', 'end the request of this lead, with a reason')
    .option('--reason <text>', 'why it is not followed, which is kept')
    .addOption(jsonOption(erasureRequest))
    .addHelpText('after', '\n"lead-prequal leads erase" ends a request by following it.')
    .action(function (this: Command, {end, reason, json}: Json & {end?: string; reason?: string}) {
      if (end === undefined) return readingStore(run, (admin) => listRequests(run, admin, json));
      if (!reason) return this.error('error: --end needs a --reason');
      return changingStore(run, async (admin) => {
        await endErasureRequest(admin, {lead: end, reason});
        await run.write(`The request to erase ${end} has ended\n`);
      });
    });

async function listRequests(run: Run, admin: Admin, json = false) {
  const rows = await listErasureRequests(admin);
  const head = ['lead', 'partner', 'asked', 'days'];
  await printRows(run, {json}, [rows], head, ({reference, partner, requested_at, days}) => [
    ...[reference, partner ?? '-', minuteOrNone(requested_at), days],
  ]);
  run.say(counted(rows.length, 'request'));
}
