/** The tables of the page benchmark, from what was measured. */
import {table} from '../../build/docs/markdown.ts';
import {slow, type FilledIn, type Loaded, type LongTask} from './page-visit.ts';

const longestTaskMs = 50;
const longestInteractionMs = 100;
/** The time of the first field may be this times the page alone, the round trips and the transfer of the files. */
const firstFieldFactor = 1.1;

const middle = (figures: readonly number[]) =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? NaN;
const ms = (figure: number) => `${Math.round(figure)} ms`;
const verdict = (good: boolean) => (good ? 'ok' : '**not met**');
const longest = (tasks: readonly LongTask[]) => Math.max(0, ...tasks.map(({duration}) => duration));
const isNone = (shift: number) => shift < 0.0005;
const names = (addresses: readonly string[]) =>
  addresses.map((address) => new URL(address).pathname.split('/').pop()).join(', ') || 'none';

/**
 * The pages with the form: how many files must be loaded one after the other before the first field is shown, and how
 * many requests there may be before the first touch.
 */
export const formPages = {
  widget: {title: '`steps`', filesInARow: 1, requests: 1},
  'widget-es': {title: '`steps`, Spanish', filesInARow: 2, requests: 2},
  // The others begin with text fields, which come with the rest of the form, for which the snippet asks beside the script.
  // One screen needs the configuration, too.
  'widget-contact': {title: '`steps`, contact data first', filesInARow: 1, requests: 2},
  'widget-standard': {title: '`standard`', filesInARow: 1, requests: 3},
  'widget-single': {title: '`single`', filesInARow: 1, requests: 3},
  'widget-single-contact': {title: '`single`, contact data first', filesInARow: 1, requests: 3},
} as const;
export type FormPage = keyof typeof formPages;
export const formPageNames = Object.keys(formPages) as FormPage[];
export type Loads = Record<'alone' | 'plain' | FormPage, Loaded[]>;

/** Pages on which the form is compared with the newest release: what their names end with. */
export const pairedLayouts = ['', '-contact', '-single', '-standard', '-es'] as const;
const pairTitles = {
  '': '`steps`',
  '-contact': '`steps`, contact data first',
  '-single': '`single`',
  '-standard': '`standard`',
  '-es': '`steps`, Spanish',
};
/** The milliseconds until the first field is painted, visit by visit. */
type Pair = {layout: (typeof pairedLayouts)[number]; now: number[]; before: number[]};

/** The default layout may not be slower, but for the noise of the machine. The others may wait for a second file. */
const pairFactors = {'': 1.02, '-contact': 1.25, '-single': 1.25, '-standard': 1.25, '-es': 1.25};

const comparison = (pairs: readonly Pair[]) =>
  table(
    ['Layout', 'Release', 'Now', 'Factor', 'At most', ''],
    pairs.map(({layout, now, before}) => {
      const factor = middle(now) / middle(before);
      const most = pairFactors[layout];
      return [
        pairTitles[layout],
        ms(middle(before)),
        ms(middle(now)),
        factor.toFixed(2),
        most.toFixed(2),
        verdict(factor <= most),
      ];
    }),
  );

type Figure = (loaded: Loaded) => number;
const shownAt: Figure = ({shownAt}) => shownAt;
const shift: Figure = ({shift}) => shift;
const countTasks: Figure = ({longTasks}) => longTasks.length;
const longestTask: Figure = ({longTasks}) => longest(longTasks);
const transfer: Figure = ({transferred}) => (transferred / slow.bytesPerSecond) * 1_000;

function firstField(loads: Loads): string {
  const alone = middle(loads.alone.map(shownAt));
  const rows = formPageNames.map((name) => {
    const {title, filesInARow} = formPages[name];
    const transferMs = middle(loads[name].map(transfer));
    const sum = alone + filesInARow * slow.latencyMs + transferMs;
    const shown = middle(loads[name].map(shownAt));
    const roundTrips = `${filesInARow} × ${slow.latencyMs} ms`;
    const allowed = firstFieldFactor * sum;
    return [
      title,
      ms(alone),
      roundTrips,
      ms(transferMs),
      ms(allowed),
      ms(shown),
      (shown / sum).toFixed(2),
      verdict(shown <= allowed),
    ];
  });
  return table(
    ['Layout', 'Page alone', 'Round trips', 'Transfer', 'At most', 'First field', 'Factor', ''],
    rows,
  );
}

function shiftsAndTasks(loads: Loads): string {
  const of = (name: keyof Loads, figure: Figure) => middle(loads[name].map(figure));
  const tasksWithoutForm = Math.max(of('alone', countTasks), of('plain', countTasks));
  const tasks = (name: keyof Loads) => `${of(name, countTasks)} (longest ${ms(of(name, longestTask))})`;
  const requested = (name: keyof Loads) => loads[name].at(-1)?.requests ?? [];
  const others = (['alone', 'plain'] as const).map((name) => [
    name === 'alone' ? 'page alone' : 'plain HTML form',
    of(name, shift).toFixed(3),
    tasks(name),
    names(requested(name)),
    '',
  ]);
  const ours = formPageNames.map((name) => {
    const {title, requests} = formPages[name];
    const good =
      isNone(of(name, shift)) &&
      of(name, countTasks) <= tasksWithoutForm &&
      requested(name).length <= requests;
    return [
      title,
      of(name, shift).toFixed(3),
      tasks(name),
      `${names(requested(name))} (at most ${requests})`,
      verdict(good),
    ];
  });
  return table(['Page', 'Layout shift', 'Long tasks', 'Requests before a touch', ''], [...others, ...ours]);
}

function interactions(ways: readonly FilledIn[]): string {
  const rows = (ways[0]?.parts ?? []).map(({name}, index) => {
    const within = ({parts}: FilledIn, start: number) =>
      start >= (parts[index]?.start ?? NaN) && start < (parts[index + 1]?.start ?? Infinity);
    const worst = middle(
      ways.map((way) => longest(way.interactions.filter(({start}) => within(way, start)))),
    );
    const task = middle(ways.map((way) => longest(way.longTasks.filter(({start}) => within(way, start)))));
    return [
      name,
      worst < 16 ? 'under 16 ms' : ms(worst),
      ms(longestInteractionMs),
      verdict(worst <= longestInteractionMs),
      task ? ms(task) : 'none',
    ];
  });
  return table(
    ['Part of the way', 'Slowest key or click, to the next paint', 'Target', '', 'Longest task'],
    rows,
  );
}

/** One visit in which something moves is one too many, so the largest shift counts. */
function shiftOnTheWay(ways: readonly FilledIn[]): string {
  const largest = Math.max(...ways.map(({shift}) => shift));
  return `Largest layout shift, from the arrival to the end: ${largest.toFixed(3)}, ${verdict(isNone(largest))}.`;
}

function proof(ways: readonly FilledIn[]): string {
  const solved = ways.filter(({proofReadyAt}) => proofReadyAt !== undefined);
  if (solved.length === 0) return 'No proof of work was solved.';
  const before = middle(solved.map(({thirdStepAt, proofReadyAt = NaN}) => thirdStepAt - proofReadyAt));
  const tasks = middle(
    solved.map(({longTasks, parts, proofReadyAt = NaN}) =>
      longest(longTasks.filter(({start}) => start > (parts[1]?.start ?? NaN) && start < proofReadyAt)),
    ),
  );
  return table(
    ['Proof of work', '', 'Target', ''],
    [
      ['Ready before the third step shows, by', ms(before), 'more than 0 ms', verdict(before > 0)],
      [
        'Longest task while it is solved, after the first touch',
        tasks ? ms(tasks) : `none over ${longestTaskMs} ms`,
        `none over ${longestTaskMs} ms`,
        verdict(tasks <= longestTaskMs),
      ],
    ],
  );
}

export type Measured = {
  /** The browser, the machine and the number of visits. */
  circumstances: string;
  loads: Loads;
  /** The newest release. */
  release: string;
  pairs: readonly Pair[];
  ways: readonly FilledIn[];
};

export const report = ({circumstances, loads, release, pairs, ways}: Measured) => `# Page benchmark

Measured with ${circumstances}: a processor slowed down ${slow.cpu} times, ${(slow.bytesPerSecond * 8) / 1e6} Mbit/s, ${slow.latencyMs} ms latency.

A plain partner page by itself, with a plain HTML form of the same fields, and with the snippet of the documentation.

## The first field on screen

The first field may take ${firstFieldFactor.toFixed(2)} × (the page alone, until its heading is on screen + one round trip for each file that must be loaded one after the other + the transfer of all scripts that arrive before the field). \`steps\` needs one file, the script. Where text fields are on the first screen, the snippet loads the file for them beside the script. A Spanish page needs its words: two files in a row. The plain HTML form is on screen after ${ms(middle(loads.plain.map(shownAt)))}.

${firstField(loads)}

Compared with release ${release}, visited in turn:

${comparison(pairs)}

## The rest of the page

The layout shift must be 0.000, and there may be as many long tasks as on the pages without our form.

${shiftsAndTasks(loads)}

${
  ways.length > 0
    ? `## Every key and click

The whole way in \`steps\` at a fast typist's pace, one key every tenth of a second, through real input events.

${interactions(ways)}

${shiftOnTheWay(ways)}

${proof(ways)}`
    : ''
}
`;
