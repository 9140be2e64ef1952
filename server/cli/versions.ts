/** `lead-prequal versions`: which versions of the form there are, and whose pages still ask for which. */
import {Command, InvalidArgumentError, Option} from 'commander';
import {elementName} from '../../contract/api.ts';
import type {ListedVersion, ListedVersions} from '../../contract/versions.ts';
import type {Config} from '../config/config.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {hasForm, listVersions, movingVersions, type EmbedVersion} from '../versions/embed-versions.ts';
import {
  dayLength,
  movingVersion,
  requestsKept,
  startOfDay,
  type VersionUse,
} from '../versions/request-counts.ts';
import {configuredVersions} from './configured.ts';
import {counted, jsonOption, printable, type Run} from './output.ts';
import {readingStore} from './with-store.ts';

const maxDays = requestsKept / dayLength;

const help = `
A browser keeps the files of an exact version for a year, so the requests of a day are those of the browsers that loaded
it for the first time, and fewer than the visits. Pages whose origin no partner lists are "other", the server's own
pages (such as apply pages) are "own", and pages that tell no origin are "unknown".

Examples:
  lead-prequal versions list                 which versions there are, and who asked for them in the last 30 days
  lead-prequal versions list --days 7        who asked for them in the last 7 days
  lead-prequal versions list --json          the same for programs, with the hashes of all first files`;

type Options = {days: number; json?: boolean};

export function versionsCommand(run: Run): Command {
  const versions = new Command('versions')
    .description('list the versions of the form, and whose pages ask for them')
    .addHelpText('after', help);

  versions
    .command('list')
    .description('list all versions, the highest number first, and the pages that ask for them')
    .addOption(
      new Option('--days <number>', `count the requests of so many days, ${maxDays} at most`)
        .default(30)
        .argParser(readDays),
    )
    .addOption(jsonOption())
    .action(({days, json}: Options) =>
      readingStore(run, (store, config) => list(run, store, config, days, json)),
    );

  return versions;
}

function readDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= maxDays) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxDays}.`);
}

/** `partners` are the keys of the partners that list the origin. */
type Origin = {origin: string; requests: number; last_asked: string; partners: string[]};

/**
 * A version as programs read it. `kind` is `moving` for `v1`, which serves another version, and `gone` for a version
 * that the server no longer has. The origins are those that asked within the days.
 */
type Line = Partial<ListedVersion> & {
  version: string;
  kind: 'release' | 'build' | 'moving' | 'gone';
  serves: string | null;
  newest: boolean;
  requests: number;
  last_asked: string | null;
  origins: Origin[];
};

/** Days are counted in UTC, so they are shown in UTC. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export async function list(run: Run, store: BesideStore, config: Config, days: number, json = false) {
  const since = startOfDay(Date.now()) - (days - 1) * dayLength;
  const use = await store.versionUse(since);
  const versions = configuredVersions(config);
  const lines = linesOf(config, versions, use);
  if (json) for (const line of lines) await run.print(line);
  else await show(run, lines, days, pluginNotes(listVersions(versions)));
}

function linesOf(config: Config, versions: readonly EmbedVersion[], use: readonly VersionUse[]): Line[] {
  const {newest, versions: listed} = listVersions(versions);
  const serves = movingVersions(versions).find(hasForm)?.name ?? null;
  const known = [...listed.map(({version}) => version), movingVersion];
  const gone = new Set(use.map(({version}) => version).filter((version) => !known.includes(version)));
  const lineOf = (version: string, kind: Line['kind'], more: Partial<Line> = {}): Line => ({
    ...more,
    version,
    kind,
    serves: kind === 'moving' ? serves : null,
    newest: version === newest,
    ...useOf(use, version, config),
  });
  return [
    ...listed.map((each) => lineOf(each.version, each.released ? 'release' : 'build', each)),
    lineOf(movingVersion, 'moving'),
    ...[...gone].map((version) => lineOf(version, 'gone')),
  ];
}

function useOf(use: readonly VersionUse[], version: string, {partners}: Config) {
  const own = use.filter((each) => each.version === version);
  const lastDay = Math.max(...own.map((each) => each.lastDay));
  const origins: Origin[] = own
    .filter(({requests}) => requests > 0)
    .toSorted((one, other) => other.requests - one.requests)
    .map((each) => ({
      origin: each.origin,
      requests: each.requests,
      last_asked: dayOf(each.lastDay),
      partners: partners.filter(({origins}) => origins.includes(each.origin)).map(({key}) => key),
    }));
  return {
    requests: origins.reduce((sum, {requests}) => sum + requests, 0),
    last_asked: own.length > 0 ? dayOf(lastDay) : null,
    origins,
  };
}

const partnersOf = ({origins}: Line) => [...new Set(origins.flatMap(({partners}) => partners))];

const kinds: Readonly<Record<Line['kind'], string>> = {
  release: 'release',
  build: 'build',
  moving: 'moves',
  gone: 'not here any more',
};

function stateOf({kind, serves, newest, withdrawn, security}: Line): string {
  const words = [
    serves === null ? kinds[kind] : `is now ${serves}`,
    newest ? 'newest' : '',
    withdrawn ? 'WITHDRAWN' : '',
    security ? 'SECURITY FAULT' : '',
  ];
  return words.filter(Boolean).join(', ');
}

async function show({printTable, say}: Run, lines: readonly Line[], days: number, more: readonly string[]) {
  await printTable(
    ['version', 'state', 'requests', 'last asked', 'partners', 'origins', `integrity of ${elementName}.js`],
    lines.map((line) => [
      line.version,
      stateOf(line),
      line.requests,
      line.last_asked ?? '',
      partnersOf(line).join(' '),
      line.origins.map(({origin, requests}) => `${origin} (${requests})`).join(' '),
      line.integrity?.[`${elementName}.js`] ?? '',
    ]),
  );
  say(`Requests of the last ${counted(days, 'day')}, in UTC.`);
  for (const note of [...lines.flatMap(notesOf), ...more]) say(printable(note));
}

/** What the advisories say of a version: one sentence if it is withdrawn, one if it has a security fault. */
function advisoryNotes({
  version,
  withdrawn,
  security,
  fixed_in,
}: Pick<ListedVersion, 'version' | 'withdrawn' | 'security' | 'fixed_in'>): string[] {
  const fixed = fixed_in ? ` ${fixed_in} is the first version without the fault.` : '';
  return [
    ...(withdrawn ? [`${version} is withdrawn: ${withdrawn}`] : []),
    ...(security ? [`${version} has a security fault: ${security}${fixed}`] : []),
  ];
}

/**
 * The advisories about the plugin for WordPress. They name no partners, because it is not known which pages have the
 * plugin.
 */
const pluginNotes = ({plugins = []}: ListedVersions): string[] =>
  plugins.flatMap((plugin) =>
    advisoryNotes({...plugin, version: `The plugin for WordPress ${plugin.version}`}),
  );

/** What an operator should know of a version with an advisory, and whom to write to. */
function notesOf(line: Line): string[] {
  const known = advisoryNotes(line);
  if (known.length === 0) return [];
  const {version} = line;
  const partners = partnersOf(line);
  return [
    ...known,
    partners.length > 0
      ? `Pages of these partners ask for ${version}; write to them: ${partners.join(', ')}.`
      : `No page of a partner asked for ${version} in these days.`,
  ];
}
