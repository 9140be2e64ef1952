/** `lead-prequal versions`: which versions of the form there are, and whose pages still ask for which. */
import {Command, InvalidArgumentError} from 'commander';
import {elementName} from '../../contract/api.ts';
import type {Admin} from '../admin/admin.ts';
import {listVersionUse, maxDays, partnersOf, versionRow, type VersionRow} from '../admin/versions.ts';
import {counted} from '../admin/words.ts';
import {printable} from '../admin/visible.ts';
import {jsonOption} from './options.ts';
import {printRows, type Json, type Run} from './output.ts';
import {readingStore} from './with-store.ts';

const help = `
A browser keeps the files of an exact version for a year, so the requests of a day are those of the browsers that loaded
it for the first time, and fewer than the visits. Pages whose origin no partner lists are "other", the server's own
pages (such as apply pages) are "own", and pages that tell no origin are "unknown".

Examples:
  lead-prequal versions list                 which versions there are, and who asked for them in the last 30 days
  lead-prequal versions list --days 7        who asked for them in the last 7 days
  lead-prequal versions list --json          the same for programs, with the hashes of all first files`;

export function versionsCommand(run: Run): Command {
  const versions = new Command('versions')
    .description('list the versions of the form, and whose pages ask for them')
    .addHelpText('after', help);

  versions
    .command('list')
    .description('list all versions, the highest number first, and the pages that ask for them')
    .option('--days <number>', `count the requests of so many days, ${maxDays} at most`, readDays, 30)
    .addOption(jsonOption(versionRow))
    .action(({days, ...json}: {days: number} & Json) =>
      readingStore(run, (admin) => list(run, admin, days, json)),
    );

  return versions;
}

function readDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= maxDays) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxDays}.`);
}

const script = `${elementName}.js`;
const head = [
  ...['version', 'state', 'requests', 'last asked', 'partners', 'origins'],
  `integrity of ${script}`,
];

export async function list(run: Run, admin: Admin, days: number, json: Json) {
  const {say} = run;
  const {rows, notes} = await listVersionUse(admin, {days});
  await printRows(run, json, [rows], head, (row) => [
    row.version,
    stateOf(row),
    row.requests,
    row.last_asked ?? '',
    partnersOf(row).join(' '),
    row.origins.map(({origin, requests}) => `${origin} (${requests})`).join(' '),
    row.integrity?.[script] ?? '',
  ]);
  if (json.json) return;
  say(`Requests of the last ${counted(days, 'day')}, in UTC.`);
  for (const note of notes) say(printable(note));
}

const kinds: Readonly<Record<VersionRow['kind'], string>> = {
  release: 'release',
  build: 'build',
  moving: 'moves',
  gone: 'not here any more',
};

function stateOf({kind, serves, newest, withdrawn, security}: VersionRow): string {
  const words = [
    serves === null ? kinds[kind] : `is now ${serves}`,
    newest ? 'newest' : '',
    withdrawn ? 'WITHDRAWN' : '',
    security ? 'SECURITY FAULT' : '',
  ];
  return words.filter(Boolean).join(', ');
}
