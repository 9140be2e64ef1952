/** `lead-prequal consent`: what somebody agreed to, word for word, and who has the lead. */
import {Command, Option} from 'commander';
import {z} from 'zod';
import {finish, Refusal, type Admin} from '../admin/admin.ts';
import {
  consentFilter,
  consentRow,
  listConsents,
  showConsent,
  shownConsent,
  type ConsentRow,
  type ShownConsent,
} from '../admin/consents.ts';
import {leadOf} from '../admin/lead-names.ts';
import {printable} from '../admin/visible.ts';
import {counted, timeZone} from '../admin/words.ts';
import {referenceOf} from '../../contract/reference.ts';
import {jsonOption, limitOption, sinceOption, untilOption} from './options.ts';
import {leadsBar, lineColumns, minuteOrNone, orMore, printRows, printTable, type Field} from './output.ts';
import type {Json, Run} from './output.ts';
import {readableText} from '../leads/consent-record.ts';
import type {Person} from '../leads/persons.ts';
import {findPerson, readNamed} from './person.ts';
import {suppressionRow} from '../admin/stops.ts';
import {afterwardsLines, allowCommand, printSuppressions, revokeCommand} from './revoke.ts';
import {readingStore} from './with-store.ts';

const examples = `
Examples:
  lead-prequal consent show K7QM-2XHD                       what the person agreed to, and who has the lead
  lead-prequal consent show "(415) 555-0132"                the same of each lead with this number
  echo jane@example.com | lead-prequal consent show -       the same by e-mail, seen in no list of processes
  lead-prequal consent show K7QM-2XHD > record.txt          the same, to print
  lead-prequal consent list --text acme/en/2                who agreed to the English text 2 of acme
  lead-prequal consent revoke "(415) 555-0132"              this person says stop: nothing goes out any more
  lead-prequal consent list --revoked                       who said so, and what is held since
  lead-prequal consent allow K7QM-2XHD --reason "…"         sends one lead of them all the same`;

export function consentCommand(run: Run): Command {
  const consent = new Command('consent')
    .description(
      'show what somebody agreed to, and who has the lead, also of erased leads whose consent is kept; take it back',
    )
    .addHelpText('after', examples);
  consent
    .command('show')
    .description('show the record of a consent, with its words, and who got the lead')
    .argument(
      '<who>',
      'a reference, the id of a lead, a phone number or an e-mail address; - reads it from standard input',
    )
    .addOption(
      new Option(
        '--signed',
        'print the signed statements alone, one a line (docs/consent.md says how to verify them)',
      ).conflicts(['json']),
    )
    .addOption(jsonOption(shownConsent))
    .action((who: string, options: ShowOptions) =>
      readingStore(run, (admin) => show(run, admin, who, options)),
    );
  consent
    .command('list')
    .description('list consents, the newest first, without personal data; reads all leads that are selected')
    .option('--text <name>', 'only those to this text, such as acme/en/2')
    .addOption(
      new Option('--revoked', 'instead: whose numbers are held, because they took a consent back').conflicts([
        'text',
        'since',
        'until',
      ]),
    )
    .addOption(sinceOption('leads'))
    .addOption(untilOption('leads'))
    .addOption(limitOption('consents'))
    .addOption(jsonOption(z.union([consentRow, suppressionRow])))
    .action((options: ListOptions) => readingStore(run, (admin) => list(run, admin, options)));
  return consent.addCommand(revokeCommand(run)).addCommand(allowCommand(run));
}

type ShowOptions = Json & {signed?: boolean};
type ListOptions = Json & {revoked?: boolean; text?: string; since?: number; until?: number; limit: number};

async function show(run: Run, admin: Admin, who: string, {json, signed}: ShowOptions) {
  const named = await readNamed(run, who);
  const ids = typeof named === 'string' ? [await leadOf(admin, named)] : await idsOf(run, admin, named);
  const records: ShownConsent[] = [];
  for (const id of ids) records.push(await showConsent(admin, id));
  for (const [index, record] of records.entries()) {
    if (signed) await printStatement(run, record);
    else if (json) await run.print(record);
    else {
      if (index > 0) await run.write('\n');
      await printRecord(run, record);
    }
  }
}

async function printStatement({writeUnchanged, fail}: Run, {statement, reference}: ShownConsent) {
  if (statement === null)
    return fail(`There is no statement about ${reference}: docs/consent.md says what one needs.`);
  return writeUnchanged(`${statement}\n`);
}

/** The leads of a person, the newest first, also those that were erased and whose consent is kept. */
async function idsOf(run: Run, admin: Admin, person: Person): Promise<string[]> {
  const {found, kept} = await findPerson(run, admin, {}, person);
  const ids = [...found, ...kept]
    .map(({id}) => id)
    .toSorted()
    .toReversed();
  if (ids.length === 0)
    throw new Refusal('There is no lead of this person, and no consent is kept.', 'unknown');
  return ids;
}

const yesOrNo = (value: boolean | null | undefined, none: string) =>
  value === undefined ? '' : value === null ? none : value ? 'yes' : 'no';

/** What a record says, for people. Times are in UTC, as regulators and other systems have them. */
function linesOf({observed, reported, text, person, ...of}: ShownConsent): Field[] {
  const {words = null, language} = text ?? {};
  const readable = readableText({words, language}, {...observed, ...reported});
  const lines: Field[] = [
    ['Reference', `${of.reference} (${of.lead})`],
    ['Partner', of.partner ?? 'none: a caller of /json/leads'],
    ['Name', person ? `${person.first_name} ${person.last_name}` : ''],
    ['Phone', person ? [...new Set([person.phone, person.phone_e164])].join(', ') : ''],
    ['Email', person?.email ?? ''],
    ['Received', utc(of.received_at)],
    ['Erased', utc(of.erased_at)],
    ['Consent kept until', utc(of.kept_until)],
    ...afterwardsLines(of, utc),
    ['Consent', text ? '' : 'none: no text was agreed to, or its record was erased'],
    ['Text', text ? `${text.words ?? 'its words were not kept'}` : ''],
    ['In plain words', readable.text === words ? '' : (readable.text ?? '')],
    ...readable.said.map((sentence): Field => ['On the screen', sentence]),
    ['Text named', text ? [text.version, text.language].filter(Boolean).join(', ') : ''],
    ['SHA-256', text?.sha256 ?? ''],
    ['Beside the text', reported?.slot_text ?? ''],
    ['Given', utc(reported?.given_at ?? observed?.received_at ?? null)],
    ['Box ticked', reported ? yesOrNo(reported.agreed, 'the text has no box') : ''],
    ['Button', observed?.script ? (reported?.button ?? '') : ''],
    ['Text unchanged', yesOrNo(reported?.verbatim, '')],
    ['Whole text in view', yesOrNo(reported?.in_view, '')],
    ['Window', reported?.window_width === undefined ? '' : `${reported.window_width} pixels wide`],
    ['Form', reported?.form_version ?? (observed?.script ? 'without a script' : '')],
    ['Page', reported?.page ?? ''],
    ['Origin', observed?.origin ?? ''],
    // eslint-disable-next-line no-restricted-properties -- These are addresses of a stored consent, not of a request.
    ['Address', observed?.ip ?? reported?.ip ?? ''],
    ['Browser', observed?.user_agent ?? ''],
    ['Certificate', reported?.certificate_url ?? ''],
  ];
  return lines.filter(([, value]) => value !== '');
}

/** What of a record the server did not see itself. */
const claimed = (record: ShownConsent) =>
  record.observed?.source
    ? 'A caller brought this consent: the server saw when it came, and the rest is what the caller says.'
    : 'The server saw the time, the address, the origin and the browser’s name. The rest is what the browser said.';

const utc = (at: string | null) => at?.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') ?? '';

const receiversHead = ['destination', 'content', 'state', 'where', 'when'];

async function printRecord(run: Run, record: ShownConsent) {
  await run.printFields(linesOf(record), lineColumns);
  if (record.text) run.say(claimed(record));
  if (record.receivers.length === 0) return run.say('Nobody else has this lead.');
  await run.write('\n');
  const receivers = record.receivers.map(({destination, content, state, place, at}) => [
    ...[destination, content, state, place ?? '', utc(at)],
  ]);
  await printTable(run, receiversHead, receivers, undefined, lineColumns);
}

const listHead = ['reference', 'given', 'text', 'box', 'lead'];
const rowOf = ({reference, given_at, text, agreed, erased_at}: ConsentRow) => [
  ...[reference, minuteOrNone(given_at), printable(text), yesOrNo(agreed, 'none')],
  erased_at === null ? '' : `erased ${minuteOrNone(erased_at)}`,
];

async function list(run: Run, admin: Admin, options: ListOptions) {
  const {text, since, until, limit, json} = options;
  if (options.revoked) return printSuppressions(run, admin, options);
  const filter = consentFilter({since, until}, text);
  const job = listConsents(admin, filter, limit, text);
  const bar = run.stderr.isTTY ? await leadsBar(run.stderr, await admin.store.countLeads(filter)) : undefined;
  const {rows, unreadable} = await finish(job, ({looked}) => bar?.update(looked)).finally(() => bar?.stop());
  const many = await printRows(run, {json, columns: lineColumns}, [rows], listHead, rowOf);
  run.say(`${counted(many, 'consent')}${orMore(limit - many)}; times are those of ${timeZone()}`);
  if (unreadable.length > 0)
    run.say(
      `${counted(unreadable.length, 'lead')} could not be read: ${unreadable.map(referenceOf).join(', ')}.`,
    );
}
