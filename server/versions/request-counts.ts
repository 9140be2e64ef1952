/**
 * Counts which versions of the form pages ask for, so that an operator knows whom to write to, and on how many pages a
 * partner's form was shown or begun. Nothing about a visitor is kept: a count has a day, a version, and an origin that a
 * partner lists.
 *
 * A browser keeps the files of an exact version for a year. So the count of a day is that of the browsers that loaded
 * the version for the first time, and fewer than the visits. Any count shows that pages still use the version.
 */
import {isCovered} from '../config/origins.ts';
import type {Partner} from '../config/partners.ts';
import {dayLength} from '../config/timings.ts';

/** `day` is when the day began in UTC, in milliseconds since 1970. */
export type DailyCount<Counted> = Counted & {day: number; requests: number};
export type RequestCount = DailyCount<{version: string; origin: string}>;

/**
 * What is known of a page view when its form asks for the configuration: the visitor has touched the form (`began`), or not
 * yet (`shown`). Forms before 2.0 do not say it, and count as `shown`.
 */
export const viewStages = ['shown', 'began'] as const;
export type ViewStage = (typeof viewStages)[number];
/** `version`: `unknown` if the form does not name it, `other` if the server does not have it. */
export type ViewCount = DailyCount<{partner: string; origin: string; version: string; stage: ViewStage}>;
/** How many page views a partner had on a day. */
export type ViewDay = {day: number; partner: string; stage: ViewStage; times: number};

/** How much the pages of an origin use a version. `lastDay` is the last day on which they asked for it. */
export type VersionUse = {version: string; origin: string; requests: number; lastDay: number};

export type RequestStore = {
  /** Adds the numbers to those that are stored. */
  addRequests(counts: readonly RequestCount[]): Promise<void>;
  /** @param since only requests from this time on are counted in `requests` */
  versionUse(since: number): Promise<VersionUse[]>;
  /** As `addRequests`. */
  addViews(counts: readonly ViewCount[]): Promise<void>;
  /** The days since a time, without those that have no view. */
  viewDays(since: number): Promise<ViewDay[]>;
};

export type RequestCounter = {
  /**
   * Counts one request. It never waits for the store.
   * @param origin the `Origin` header
   * @param site the `Sec-Fetch-Site` header, by which the server's own pages are known
   * @returns the origin under which the request was counted
   */
  count: (version: string, origin: string | undefined, site?: string) => string;
  /** Counts a page view, as `count` does. @param version undefined if the form does not name it */
  countView: (
    view: {partner: Partner; stage: ViewStage; version: string | undefined},
    origin: string | undefined,
    site?: string,
  ) => void;
  /** Stores what was counted so far. Later requests are not counted. */
  stop(): Promise<void>;
};

/** Milliseconds for which counts are kept. */
export const requestsKept = 90 * dayLength;

export const startOfDay = (time: number): number => time - (time % dayLength);

/**
 * The names for origins that no partner lists, and for requests without an origin. If such origins were counted by
 * name, anybody could fill the table. Scripts without the attribute `crossorigin` and those in opaque frames have no
 * origin. The server's own pages (apply pages, previews of snippets) are known by what browsers say of the site.
 */
export const unlisted = {other: 'other', own: 'own', unknown: 'unknown'} as const;

/**
 * Counts by day in memory, and stores the counts later.
 * @param add adds the numbers to those that are stored
 * @param interval milliseconds between two times at which the counts are stored
 */
export function startDailyCounts<Counted extends Readonly<Record<string, string>>>(
  add: (counts: DailyCount<Counted>[]) => Promise<void>,
  interval: number,
) {
  let counts = new Map<string, DailyCount<Counted>>();
  let writing = Promise.resolve();
  let stopped: Promise<void> | undefined;

  function write(): Promise<void> {
    const batch = [...counts.values()];
    counts = new Map();
    // During an outage of the store, the counts are lost. Leads matter more, and the log has the outage already.
    if (batch.length > 0) writing = writing.then(() => add(batch)).catch(() => undefined);
    return writing;
  }
  const timer = setInterval(() => void write(), interval).unref();

  return {
    count(counted: Counted): void {
      if (stopped) return;
      const day = startOfDay(Date.now());
      const key = JSON.stringify([day, counted]);
      const count = counts.get(key) ?? {...counted, day, requests: 0};
      count.requests += 1;
      counts.set(key, count);
    },
    stop() {
      clearInterval(timer);
      return (stopped ??= write());
    },
  };
}

/**
 * @param partners the present partners. An origin that a wildcard of a partner covers is counted as this wildcard
 * @param interval milliseconds between two times at which the counts are stored
 */
export function startCountingRequests(
  store: RequestStore,
  partners: () => readonly Partner[],
  interval: number,
): RequestCounter {
  const counts = startDailyCounts<{version: string; origin: string}>(
    (added) => store.addRequests(added),
    interval,
  );

  const views = startDailyCounts<Omit<ViewCount, 'day' | 'requests'>>(
    (added) => store.addViews(added),
    interval,
  );

  function nameOf(among: readonly Partner[], origin: string | undefined, site: string | undefined): string {
    if (origin !== undefined) {
      const listed = among.flatMap(({origins}) => origins);
      if (listed.includes(origin)) return origin;
      const wildcard = listed.find((allowed) => isCovered(origin, allowed));
      if (wildcard !== undefined) return wildcard;
    }
    if (site === 'same-origin') return unlisted.own;
    return origin === undefined || origin === 'null' ? unlisted.unknown : unlisted.other;
  }

  return {
    count(version, origin, site) {
      const name = nameOf(partners(), origin, site);
      counts.count({version, origin: name});
      return name;
    },
    countView({partner, stage, version = unlisted.unknown}, origin, site) {
      views.count({partner: partner.key, origin: nameOf([partner], origin, site), version, stage});
    },
    stop: async () => void (await Promise.all([counts.stop(), views.stop()])),
  };
}
