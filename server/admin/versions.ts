/** Lists the versions of the form, the pages that request them, and the advisories about them. */
import {z} from 'zod';
import {tableOf} from '../../contract/table-of.ts';
import type {ListedVersion, ListedVersions} from '../../contract/versions.ts';
import type {Config} from '../config/config.ts';
import {dayLength} from '../config/timings.ts';
import {
  hasForm,
  listVersions,
  movingVersions,
  readAllVersions,
  type EmbedVersion,
} from '../versions/embed-versions.ts';
import {requestsKept, startOfDay, type VersionUse, type RequestStore} from '../versions/request-counts.ts';
import {count, refuseFor, type With} from './admin.ts';
import {utcDay} from './words.ts';

/** The maximum number of days whose requests are counted. */
export const maxDays = requestsKept / dayLength;

const day = z.string().describe('In UTC, such as 2026-11-22, because requests are counted by days in UTC');

const listed = {
  released: z.boolean().exactOptional(),
  integrity: z.record(z.string(), z.string()).exactOptional(),
  ...tableOf(['withdrawn', 'security', 'fixed_in'], () => z.string().exactOptional()),
} satisfies Record<Exclude<keyof ListedVersion, 'version'>, z.ZodType>;

/**
 * A version, and the pages that requested it within the days.
 * - `kind`: `moving` for `v1` and `v2`, which serve another version; `gone` for a version that the server no longer has
 * - `serves`: for `v1`, the version that it serves now
 * - `origins`: the origins of these pages, the most frequent first. `partners`: keys of the partners that list the origin
 * - a release or a build also has its fields of `/embed/versions.json` (contract/versions.ts)
 */
export const versionRow = z.object({
  ...listed,
  version: z.string(),
  kind: z.enum(['release', 'build', 'moving', 'gone']),
  serves: z.string().nullable(),
  newest: z.boolean(),
  requests: count,
  last_asked: day.nullable(),
  origins: z.array(
    z.object({origin: z.string(), requests: count, last_asked: day, partners: z.array(z.string())}),
  ),
});
export type VersionRow = z.infer<typeof versionRow>;

/**
 * All versions, including withdrawn ones and releases that only have the WordPress plugin.
 * @throws Refusal that says why they cannot be read
 */
export function configuredVersions(config: Config): EmbedVersion[] {
  try {
    return readAllVersions(config);
  } catch (error) {
    refuseFor(error);
  }
}

/** The highest number first. `notes`: sentences about versions with an advisory, and which partners to write to. */
export async function listVersionUse(
  {store, config}: With<RequestStore, 'config'>,
  {days}: {days: number},
): Promise<{rows: VersionRow[]; notes: string[]}> {
  const use = await store.versionUse(startOfDay(Date.now()) - (days - 1) * dayLength);
  const versions = configuredVersions(config);
  const listed = listVersions(versions);
  const moving = movingVersions(versions);
  const known = [...listed.versions.map(({version}) => version), ...moving.keys()];
  const gone = new Set(use.map(({version}) => version).filter((version) => !known.includes(version)));
  const rowOf = (version: string, kind: VersionRow['kind'], more: Partial<ListedVersion> = {}) => ({
    ...more,
    version,
    kind,
    serves: moving.get(version)?.find(hasForm)?.name ?? null,
    newest: version === listed.newest,
    ...useOf(use, version, config),
  });
  const rows = [
    ...listed.versions.map((each) => rowOf(each.version, each.released ? 'release' : 'build', each)),
    ...[...moving.keys()].map((name) => rowOf(name, 'moving')),
    ...[...gone].map((version) => rowOf(version, 'gone')),
  ];
  return {rows, notes: [...rows.flatMap(notesOf), ...pluginNotes(listed)]};
}

function useOf(use: readonly VersionUse[], version: string, {partners}: Config) {
  const own = use.filter((each) => each.version === version);
  const lastDay = Math.max(...own.map((each) => each.lastDay));
  const origins = own
    .filter(({requests}) => requests > 0)
    .toSorted((one, other) => other.requests - one.requests)
    .map((each) => ({
      origin: each.origin,
      requests: each.requests,
      last_asked: utcDay(each.lastDay),
      partners: partners.filter(({origins}) => origins.includes(each.origin)).map(({key}) => key),
    }));
  return {
    requests: origins.reduce((sum, {requests}) => sum + requests, 0),
    last_asked: own.length > 0 ? utcDay(lastDay) : null,
    origins,
  };
}

export const partnersOf = ({origins}: VersionRow) => [...new Set(origins.flatMap(({partners}) => partners))];

/** Sentences for the advisories of a version: one if it is withdrawn, one if it has a security fault. */
function advisoryNotes({version, ...row}: Omit<ListedVersion, 'released' | 'integrity'>): string[] {
  const {withdrawn, security, fixed_in} = row;
  const fixed = fixed_in ? ` ${fixed_in} is the first version without the fault.` : '';
  return [
    ...(withdrawn ? [`${version} is withdrawn: ${withdrawn}`] : []),
    ...(security ? [`${version} has a security fault: ${security}${fixed}`] : []),
  ];
}

/** The advisories about the WordPress plugin. They name no partners, because it is not known which pages use the plugin. */
const pluginNotes = ({plugins = []}: ListedVersions): string[] =>
  plugins.flatMap((plugin) =>
    advisoryNotes({...plugin, version: `The plugin for WordPress ${plugin.version}`}),
  );

/** The advisories of a version, and which partners to write to. */
function notesOf(row: VersionRow): string[] {
  const known = advisoryNotes(row);
  if (known.length === 0) return [];
  const {version} = row;
  const partners = partnersOf(row);
  return [
    ...known,
    partners.length > 0
      ? `Pages of these partners ask for ${version}; write to them: ${partners.join(', ')}.`
      : `No page of a partner asked for ${version} in these days.`,
  ];
}
