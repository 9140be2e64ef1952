/**
 * `npm run bench:page`: measures how much the form slows down a simple host page on a slow phone, compared with the same
 * page without it and with a plain HTML form, and how fast it reacts to keys and clicks. Writes docs/page-benchmark.md.
 */
import {writeFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {resolve} from 'node:path';
import {chromium} from 'playwright-core';
import {format, resolveConfig} from 'prettier';
import {table} from '../../build/docs/markdown.ts';
import {releasesFolder} from '../../server/config/config.ts';
import {newestSnippet} from '../../server/http/embed/embed-versions.ts';
import {findChromium} from '../support/find-browsers.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {serveHostPages} from './page-host.ts';
import {fillIn, slow, visit, type FilledIn, type Loaded, type LongTask} from './page-visit.ts';

const runs = Number(process.env['BENCH_RUNS'] ?? 5);
const longestTaskMs = 50;
const longestInteractionMs = 100;
/** Compared with the page alone, one round trip and the transfer of the file. */
const firstFieldFactor = 1.15;

const middle = (figures: readonly number[]) =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;
const ms = (figure: number) => `${Math.round(figure)} ms`;
const verdict = (good: boolean) => (good ? 'ok' : '**not met**');
const longest = (tasks: readonly LongTask[]) => Math.max(0, ...tasks.map(({duration}) => duration));
const names = (addresses: readonly string[]) =>
  addresses.map((address) => new URL(address).pathname.split('/').pop()).join(', ') || 'none';

const folder = makeTemporaryFolder();
const host = await serveHostPages();
const embedFolder = resolve('dist/embed');
const service = await startService(
  {
    ...serviceSettings(folder.path),
    EMBED_ORIGINS: host.origin,
    EMBED_FOLDER: embedFolder,
    PROOF_OF_WORK: process.env['PROOF_OF_WORK'] ?? '200',
  },
  folder.path,
);
const {script} = newestSnippet({embedFolder, releasesFolder, publicUrl: service.url});
host.embed(script, 'acme');
const browser = await chromium.launch(await findChromium());

const pages = ['alone', 'plain', 'widget', 'widget-es'] as const;
const loads: Record<(typeof pages)[number], Loaded[]> = {alone: [], plain: [], widget: [], 'widget-es': []};
const ways: FilledIn[] = [];
// The first visit does not count, because a browser that has just started is slower.
await (await visit(browser, `${host.origin}/alone`, 'h1')).leave();
for (let run = 0; run < runs; run += 1) {
  for (const name of pages) {
    const {page, devtools, loaded, leave} = await visit(
      browser,
      `${host.origin}/${name}`,
      name === 'alone' ? 'h1' : 'input',
    );
    loads[name].push(loaded);
    if (name === 'widget') ways.push(await fillIn(page, devtools));
    await leave();
  }
}
const version = browser.version();
await browser.close();
await service.end('SIGTERM');
host.close();
folder.remove();

function loading() {
  const of = (name: (typeof pages)[number], figure: (loaded: Loaded) => number) =>
    middle(loads[name].map(figure));
  const shownAt = ({shownAt}: Loaded) => shownAt;
  const transferMs = (of('widget', ({transferred}) => transferred) / slow.bytesPerSecond) * 1_000;
  const allowed = firstFieldFactor * (of('alone', shownAt) + slow.latencyMs + transferMs);
  const tasks = ({longTasks}: Loaded) => longTasks.length;
  const tasksBeside = Math.max(of('alone', tasks), of('plain', tasks));
  const requests = loads.widget.at(-1)!.requests;
  const requestsEs = loads['widget-es'].at(-1)!.requests;
  const shiftIn = (name: (typeof pages)[number]) => of(name, ({shift}) => shift);
  const shift = Math.max(shiftIn('widget'), shiftIn('widget-es'));
  const row = (
    what: string,
    figures: (name: (typeof pages)[number]) => string,
    target: string,
    good: boolean,
  ) => [what, figures('alone'), figures('plain'), figures('widget'), target, verdict(good)];
  return table(
    ['', 'Page alone', 'Plain HTML form', 'With the form', 'Target', ''],
    [
      row(
        'Layout shift',
        (name) => (name === 'widget' ? shift : shiftIn(name)).toFixed(3),
        '0.000',
        shift < 0.0005,
      ),
      row(
        'Long tasks',
        (name) => `${of(name, tasks)} (longest ${ms(of(name, ({longTasks}) => longest(longTasks)))})`,
        `at most ${tasksBeside}`,
        of('widget', tasks) <= tasksBeside,
      ),
      row(
        'Heading, or first field, on screen',
        (name) => ms(of(name, shownAt)),
        `at most ${ms(allowed)}`,
        of('widget', shownAt) <= allowed,
      ),
      row(
        'Requests before a touch',
        (name) => names(loads[name].at(-1)!.requests),
        'the script',
        requests.length === 1,
      ),
      [
        'The same, Spanish page',
        '',
        '',
        names(requestsEs),
        'the script and its language',
        verdict(requestsEs.length <= 2),
      ],
    ],
  );
}

function answering() {
  const rows = ways[0]!.parts.map(({name}, index) => {
    const within = ({parts}: FilledIn, start: number) =>
      start >= parts[index]!.start && start < (parts[index + 1]?.start ?? Infinity);
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

function proof() {
  const solved = ways.filter(({proofReadyAt}) => proofReadyAt !== undefined);
  if (solved.length === 0) return 'No proof of work was solved.';
  const before = middle(solved.map(({thirdStepAt, proofReadyAt = NaN}) => thirdStepAt - proofReadyAt));
  const tasks = middle(
    solved.map(({longTasks, parts, proofReadyAt = NaN}) =>
      longest(longTasks.filter(({start}) => start > parts[1]!.start && start < proofReadyAt)),
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

const report = `# Page benchmark

Written by \`npm run bench:page\` with Chromium ${version} on ${cpus().length} × ${cpus()[0]!.model.trim()}: a processor slowed down ${slow.cpu} times, ${(slow.bytesPerSecond * 8) / 1e6} Mbit/s, ${slow.latencyMs} ms latency, medians of ${runs} runs.

## Loading

A plain host page by itself, with a plain HTML form of the same fields, and with the two lines of the README. The first field may take ${firstFieldFactor} times as long as the page alone, one round trip and the transfer of the file.

${loading()}

## Every key and click

The whole way at a fast typist's timings, one key every tenth of a second, through real input events.

${answering()}

${proof()}
`;
const file = 'docs/page-benchmark.md';
const formatted = await format(report, {...(await resolveConfig(file)), parser: 'markdown'});
writeFileSync(file, formatted);
console.log(formatted);
