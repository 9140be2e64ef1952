/**
 * What the browser does between the arrival of the form's script and the paint of its first field, from traces: the
 * milliseconds of each kind of work, and below them our functions, as a flame of text.
 */
import type {SourceMap} from 'node:module';
import {basename} from 'node:path';

/**
 * What the browser traces for the kinds of work. This costs little, so the times are those of a visit without a trace.
 */
export const workCategories = ['-*', 'blink.user_timing', 'devtools.timeline', 'v8'];
/** What the browser traces for the functions. This makes all scripts slower. */
export const functionCategories = [...workCategories, 'disabled-by-default-v8.cpu_profiler'];

/** Functions with fewer milliseconds are not shown. */
const leastMs = 1;
const packages = 'node_modules/';
/** The name that all functions of Lit get in the flame, because they call each other in many layers. */
const lit = 'Lit';

type CallFrame = {functionName: string; url?: string; lineNumber?: number; columnNumber?: number};
type ProfileNode = {id: number; parent?: number; callFrame: CallFrame};
/** The parts of the browser's trace format that are read here. Times are microseconds. */
type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  args: {
    data?: {
      url?: string;
      requestId?: string;
      startTime?: number;
      isOutermostMainFrame?: boolean;
      documentLoaderURL?: string;
      timeDeltas?: number[];
      cpuProfile?: {nodes?: ProfileNode[]; samples?: number[]};
    };
  };
};

/**
 * The kind of work of each event of the browser's trace. If one event contains another, the time of the inner one
 * counts as the kind of the inner one.
 */
const kinds: Readonly<Record<string, string>> = {
  'v8.compileModule': 'compile the script',
  'v8.evaluateModule': 'evaluate the script',
  RunMicrotasks: 'scripts after that',
  TimerFire: 'scripts after that',
  FunctionCall: 'scripts after that',
  EventDispatch: 'scripts after that',
  EvaluateScript: 'scripts after that',
  UpdateLayoutTree: 'style',
  Layout: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  Layerize: 'paint',
  Commit: 'paint',
  MinorGC: 'garbage collection',
  MajorGC: 'garbage collection',
};
const other = 'anything else, and waiting';

/** A visit whose trace was taken. */
export type Traced = {trace: Buffer; shownAt: number};

type Span = {events: readonly TraceEvent[]; main: readonly TraceEvent[]; start: number; end: number};

/** The events from the arrival of the script to the paint of the first field, and those of them on the main thread. */
function spanOf({trace, shownAt}: Traced, script: string): Span {
  const {traceEvents} = JSON.parse(trace.toString()) as {traceEvents: TraceEvent[]};
  const find = (name: string, matches: (data: NonNullable<TraceEvent['args']['data']>) => unknown) => {
    const found = traceEvents.findLast((event) => event.name === name && matches(event.args.data ?? {}));
    if (!found) throw new Error(`The trace has no ${name} that belongs to the form`);
    return found;
  };
  const sent = find('ResourceSendRequest', ({url}) => url?.endsWith(script));
  const arrived = find('ResourceFinish', ({requestId}) => requestId === sent.args.data?.requestId);
  const navigated = find('navigationStart', (data) => data.isOutermostMainFrame && data.documentLoaderURL);
  const events = traceEvents.filter(({pid}) => pid === sent.pid);
  return {
    events,
    main: events.filter(({tid, ph}) => tid === sent.tid && ph === 'X').sort((a, b) => a.ts - b.ts),
    start: arrived.ts,
    end: navigated.ts + shownAt * 1_000,
  };
}

const add = (sums: Map<string, number>, name: string, figure: number) =>
  sums.set(name, (sums.get(name) ?? 0) + figure);

/** Milliseconds by kind of work, in the order in which each kind first happens. They add up to the whole span. */
export function workIn(traced: Traced, script: string): Map<string, number> {
  const {main, start, end} = spanOf(traced, script);
  const sums = new Map<string, number>();
  let rest = end - start;
  const open: {kind: string; until: number}[] = [];
  for (const {name, ts, dur = 0} of main) {
    const kind = kinds[name];
    const from = Math.max(ts, start);
    const until = Math.min(ts + dur, end);
    if (!kind || until <= from) continue;
    while (open.length > 0 && open.at(-1)!.until <= from) open.pop();
    const outer = open.at(-1);
    if (outer) add(sums, outer.kind, from - until);
    else rest -= until - from;
    add(sums, kind, until - from);
    open.push({kind, until});
  }
  sums.set(other, rest);
  return new Map([...sums].map(([kind, microseconds]) => [kind, microseconds / 1_000]));
}

/** Names of functions before they were minified, from the source maps. Without a map, they keep their short names. */
function createNames(maps: ReadonlyMap<string, SourceMap>) {
  return ({functionName, url = '', lineNumber = 0, columnNumber = 0}: CallFrame): string => {
    const file = basename(url);
    if (!/^[\w-]+\.js$/.test(file)) return functionName || '(nameless)';
    if (lineNumber === 0 && columnNumber === 0) return `(module) ${file}`;
    const map = maps.get(file);
    const entry = map?.findEntry(lineNumber, columnNumber);
    if (!map || !entry || !('originalSource' in entry)) return functionName || '(nameless)';
    const {originalSource, originalLine} = entry;
    const name = 'name' in entry && typeof entry.name === 'string' ? entry.name : functionName;
    const source = originalSource.replace(/^(\.\.\/)+/, '');
    if (source.startsWith(packages)) return `${name} ${source}`;
    const {sources = [], sourcesContent = []} = map.payload;
    const line = sourcesContent[sources.indexOf(originalSource)]?.split('\n')[originalLine] ?? '';
    const [, ownName] = /(?:^|\s)(#?[\w$]+)(?=\s*(?:[:=].*=>|= function|\(|<\w))/.exec(line) ?? [];
    return `${ownName ?? name} ${source}:${originalLine + 1}`;
  };
}

export type Flame = {name: string; total: number; self: number; calls: Map<string, Flame>};
/** The functions by who calls them, and the milliseconds of each function of Lit without those that it calls. */
export type Profile = {flame: Flame; ofLit: Map<string, number>};

const createFlame = (name: string): Flame => ({name, total: 0, self: 0, calls: new Map()});

/** Makes one entry of several functions of Lit in a row, so that the form's own functions can be found. */
const withoutLayers = (path: readonly string[]) =>
  path
    .map((name) => (name.includes(packages) ? lit : name))
    .filter((name, index, names) => name !== lit || names[index - 1] !== lit);

function callIn(flame: Flame, name: string): Flame {
  const call = flame.calls.get(name) ?? createFlame(name);
  flame.calls.set(name, call);
  return call;
}

/**
 * The milliseconds of each function, on average of these visits.
 * @param maps the source maps of the built files, by their names
 */
export function profileOf(
  visits: readonly Traced[],
  script: string,
  maps: ReadonlyMap<string, SourceMap>,
): Profile {
  const nameOf = createNames(maps);
  const ofLit = new Map<string, number>();
  const root = createFlame('all scripts');
  for (const visit of visits) {
    const {events, start, end} = spanOf(visit, script);
    const nodes = new Map<number, ProfileNode>();
    const pathTo = (id: number): string[] => {
      const node = nodes.get(id);
      return node ? [...(node.parent === undefined ? [] : pathTo(node.parent)), nameOf(node.callFrame)] : [];
    };
    let at = events.find(({name}) => name === 'Profile')?.args.data?.startTime ?? NaN;
    for (const {name, args} of events) {
      if (name !== 'ProfileChunk') continue;
      const {cpuProfile, timeDeltas = []} = args.data ?? {};
      for (const node of cpuProfile?.nodes ?? []) nodes.set(node.id, node);
      for (const [index, id] of (cpuProfile?.samples ?? []).entries()) {
        // A sample stands for the time until the next one.
        const from = Math.max((at += timeDeltas[index] ?? 0), start);
        const until = Math.min(at + (timeDeltas[index + 1] ?? 0), end);
        const path = pathTo(id).slice(1);
        if (until <= from || /^\((program|idle)\)$/.test(path[0] ?? '(idle)')) continue;
        const milliseconds = (until - from) / 1_000 / visits.length;
        let flame = root;
        root.total += milliseconds;
        if (path.at(-1)?.includes(packages)) add(ofLit, path.at(-1)!, milliseconds);
        for (const called of withoutLayers(path)) (flame = callIn(flame, called)).total += milliseconds;
        flame.self += milliseconds;
      }
    }
  }
  return {flame: root, ofLit};
}

/** One line for each function: milliseconds with and without the functions that it calls, and indented its name. */
export function drawFlame({flame, ofLit}: Profile): string {
  const figure = (milliseconds: number) => milliseconds.toFixed(1).padStart(7);
  const lines = ({name, total, self, calls}: Flame, depth: number): string[] => [
    `${figure(total)} ${figure(self)}  ${'  '.repeat(depth)}${name}`,
    ...[...calls.values()]
      .filter((call) => call.total >= leastMs)
      .sort((a, b) => b.total - a.total)
      .flatMap((call) => lines(call, depth + 1)),
  ];
  const litLines = [...ofLit]
    .filter(([, self]) => self >= leastMs)
    .sort(([, a], [, b]) => b - a)
    .map(([name, self]) => `${''.padStart(7)} ${figure(self)}  ${name.replace(packages, '')}`);
  const head = `${'total'.padStart(7)} ${'self'.padStart(7)}`;
  return [head, ...lines(flame, 0), '', 'Of Lit:', ...litLines].join('\n');
}
