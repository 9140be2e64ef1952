/** `lead-prequal consent revoke` and `consent allow`, and the list of those who took a consent back. */
import {Command, InvalidArgumentError, Option} from 'commander';
import {finish, Refusal, type Admin} from '../admin/admin.ts';
import {allowance, allowConsent, revocation, revokeConsent, type Revoked} from '../admin/revocations.ts';
import {listSuppressions, type Afterwards, type StopRow, type SuppressionRow} from '../admin/stops.ts';
import {printable} from '../admin/visible.ts';
import {counted, placed, timeZone} from '../admin/words.ts';
import {referenceOf} from '../../contract/reference.ts';
import {allCallers, everybody, linkWays} from '../leads/revocation.ts';
import {jsonOption, readTime} from './options.ts';
import {lineColumns, minuteOrNone, orMore, printRows, type Field, type Json, type Run} from './output.ts';
import {readNamed} from './person.ts';
import {changingStore} from './with-store.ts';

const who =
  'a reference, the id of a lead, a phone number or an e-mail address; - reads it from standard input';

/** What is to be typed before a consent is taken back. */
const confirmationWord = 'revoke';

const revokeHelp = `
All leads with the telephone number go nowhere any more: what waits is dropped, those who had them are told (consent.revoked),
and later leads with the number are held until "consent allow". When the command ends, no process sends anything of them.
An e-mail address or a lead stands for the numbers of its leads.

Exit status: 0 taken back; 1 not, or not of all that may be meant; 2 the command line is wrong, or nobody can be asked.`;

export function revokeCommand(run: Run): Command {
  const command = new Command('revoke')
    .description('take a consent back: stop all that goes out, and hold later leads with the number')
    .argument('<who>', who)
    .option('--partner <key>', 'only for this partner, or - for the callers; without it, for all')
    .addOption(
      new Option('--asked <day>', 'when the person asked, if that was earlier, such as 2026-11-20').argParser(
        readTime,
      ),
    )
    .addOption(
      new Option('--via <way>', 'how the person asked, such as phone, letter or e-mail').argParser(readWay),
    )
    .option('--yes', 'do not ask, for programs')
    .addOption(jsonOption(revocation))
    .addHelpText('after', revokeHelp);
  return command.action((argument: string, options: RevokeOptions) => {
    if (!options.yes && !run.ask)
      return command.error('error: there is no terminal to ask on: add --yes to revoke without a question');
    return changingStore(run, (admin) => revoke(run, admin, argument, options));
  });
}

/** Characters. */
const longestWay = 40;
function readWay(text: string): string {
  const way = text.trim();
  if (way === '' || way.length > longestWay || linkWays.some((each) => each === way))
    throw new InvalidArgumentError(
      `It must be a word or some, of at most ${longestWay} characters, and not ${linkWays.join(' or ')}, which visitors press.`,
    );
  return way;
}

type RevokeOptions = Json & {partner?: string; asked?: number; via?: string; yes?: boolean};

async function revoke(run: Run, admin: Admin, argument: string, options: RevokeOptions) {
  const {partner, asked, via: way, yes, json} = options;
  const who = await readNamed(run, argument);
  const forWhom = partner === undefined ? 'for everybody' : `for ${whom(partner)} alone`;
  let isSaid = false;
  const job = revokeConsent(admin, {who, partner: partner === '-' ? null : partner, asked, way});
  const done = await finish(job, async (so) => {
    if ('concerns' in so) {
      const leads = [counted(so.concerns.length, 'lead'), so.concerns.join(', ')].filter(Boolean).join(': ');
      run.say(`This concerns ${leads}, and later leads with ${counted(so.numbers, 'number')}.`);
      if (so.others.length > 0)
        run.say(
          `Among them, ${so.others.join(', ')} ${so.others.length === 1 ? 'has' : 'have'} the same number and another address, and so may be of somebody else. To stop them alone or leave them out, name a number or a lead instead.`,
        );
      const question = `To take this consent back ${forWhom}, type ${confirmationWord}: `;
      if (!yes && (await run.ask?.(question))?.trim() !== confirmationWord)
        throw new Refusal('Nothing was changed.');
    } else if ('underWayUntil' in so && !isSaid) {
      isSaid = true;
      run.say('A process may be sending something of it right now: waiting until that is over.');
    }
  });
  if (json) await run.print(done);
  else await printRevoked(run, done);
  const {unread} = done;
  if (unread.length > 0)
    run.fail(
      `${counted(unread.length, 'lead')} cannot be read, and may be of this person, too: ${unread.map(referenceOf).join(', ')}. Later leads with their numbers are not held.`,
    );
}

/** For whom something was said. */
const whom = (scope: string): string => {
  if (scope === everybody || scope === 'all') return 'everybody';
  if (scope === allCallers) return 'the callers';
  const [, cid] = scope.split(`${allCallers}:`);
  return printable(cid === undefined ? scope : `the callers of client ${decodeURIComponent(cid)}`);
};

async function printRevoked(run: Run, {scope, numbers, leads}: Revoked) {
  for (const {reference, id, changes, told, former, remote_ids} of leads) {
    await run.write(`${reference} (${id}) ${changes ? 'taken back' : 'was taken back before'}\n`);
    if (told.length > 0) run.say(`  will be told: ${told.join(', ')}`);
    for (const {destination, remote_id} of remote_ids)
      run.say(`  cannot be told: ${destination}, which has it as ${remote_id ?? 'an id that is not known'}`);
    for (const one of former) run.say(`  cannot be told: formerly ${printable(placed(one))}`);
  }
  run.say(
    `${counted(leads.length, 'lead')}, for ${whom(scope)}. Later leads with ${numbers === 1 ? 'the number' : `the ${numbers} numbers`} are held: "lead-prequal consent list --revoked".`,
  );
}

const allowHelp = `
A lead that is held goes out as if it had come now. A phone number lets all that is held because of it go, and later leads,
too. A consent that was given since does not do that by itself: "consent list --revoked" shows it.`;

export const allowCommand = (run: Run): Command =>
  new Command('allow')
    .description('send a lead that is held because of its number, or let a number go again')
    .argument('<who>', 'a reference, the id of a lead, or a phone number; - reads it from standard input')
    .addOption(new Option('--reason <text>', 'why, which is kept').makeOptionMandatory())
    .option(
      '--partner <key>',
      'of a number: only for this partner, or - for the callers; without it, for all',
    )
    .addOption(jsonOption(allowance))
    .addHelpText('after', allowHelp)
    .action((argument: string, {reason, partner, json}: Json & {reason: string; partner?: string}) =>
      changingStore(run, async (admin) => {
        const who = await readNamed(run, argument);
        const done = await allowConsent(admin, {who, reason, partner: partner === '-' ? null : partner});
        if (json) return run.print(done);
        for (const reference of done.released) await run.write(`${reference} is sent now\n`);
        run.say(`${counted(done.released.length, 'lead')} released`);
      }),
    );

const head = ['for', 'since', 'lead', 'partner', 'state', 'consent given', 'allowed'];

/** A row for each lead of a number, because nothing else says whose the number is. */
const rowsOf = ({scope, since, asked_at, decided_at, reason, leads}: SuppressionRow) => {
  const allowed = decided_at === null ? '' : `${minuteOrNone(decided_at)} ${reason}`;
  const state = ({held, revoked_at}: SuppressionRow['leads'][number]) =>
    held ? 'held' : revoked_at !== null ? 'taken back' : asked_at === null ? '' : 'decide';
  const ofNumber = [scope === everybody ? 'all' : whom(scope), minuteOrNone(since)];
  if (leads.length === 0) return [[...ofNumber, 'none', '', '', '', allowed]];
  return leads.map((lead, index) => [
    ...(index === 0 ? ofNumber : ['', '']),
    ...[lead.reference, lead.partner ?? '-', state(lead), minuteOrNone(lead.consented_at)],
    index === 0 ? allowed : '',
  ]);
};

export async function printSuppressions(run: Run, admin: Admin, {limit, json}: Json & {limit: number}) {
  const rows = await listSuppressions(admin, limit);
  if (json) for (const row of rows) await run.print(row);
  else await printRows(run, {columns: lineColumns}, [rows.flatMap(rowsOf)], head, (cells) => cells);
  run.say(
    `${counted(rows.length, 'number')}${orMore(limit - rows.length)}; times are those of ${timeZone()}`,
  );
}

const said = {stop: 'said stop', ask: 'asked, by somebody with another address', allow: 'let go'} as const;

/** What became of a consent, in lines. @param at writes a time */
export function afterwardsLines(
  {taken_back: back, stops, told}: Afterwards,
  at: (time: string | null) => string,
): Field[] {
  const wayOf = ({way}: {way: string | null}) => (way === null ? '' : `, by ${printable(way)}`);
  const lateEntry = (row: Pick<StopRow, 'asked_at' | 'entered_at'>) =>
    row.entered_at === null || row.entered_at === row.asked_at ? '' : `, entered ${at(row.entered_at)}`;
  const lineOf = (row: StopRow): string =>
    [
      `${at(row.asked_at)} ${said[row.what]} for ${whom(row.for)}${wayOf(row)}${lateEntry(row)}`,
      row.reference === null ? '' : `, at ${row.reference}`,
      row.reason === null ? '' : `: ${printable(row.reason)}`,
    ].join('');
  const tellOf = ({destination, place, content, state, at: when}: Afterwards['told'][number]) =>
    `${printable(placed({destination, place}))} of the ${content === 'erased' ? 'erasure' : 'stop'}: ${when === null ? state : `${state} ${at(when)}`}`;
  return [
    [
      'Taken back',
      back
        ? `${at(back.asked_at)}, for ${back.for === 'all' ? 'everybody' : 'the partner'}${wayOf(back)}${lateEntry(back)}`
        : '',
    ],
    ...stops.map((row, index): Field => [index === 0 ? 'The number' : '', lineOf(row)]),
    ...told.map((row, index): Field => [index === 0 ? 'Told' : '', tellOf(row)]),
  ];
}
