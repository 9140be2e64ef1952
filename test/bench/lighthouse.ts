/** `npm run bench:lighthouse`: runs Lighthouse on the landing page and on the apply page, as on a phone. It downloads Lighthouse first. */
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {table} from '../../build/docs/markdown.ts';
import {startDemo} from '../e2e/demo.ts';
import {findChromium} from '../support/find-browsers.ts';

type Audit = {title: string; score: number | null; displayValue?: string};
type Category = {title: string; score: number; auditRefs: {id: string; weight: number}[]};
type Report = {audits: Record<string, Audit>; categories: Record<string, Category>};

const runs = Number(process.env['BENCH_RUNS'] ?? 3);
const {executablePath, args, env} = await findChromium();
const run = promisify(execFile);

async function measure(url: string, categories: string): Promise<Report> {
  const flags = [
    '--output=json',
    '--quiet',
    `--only-categories=${categories}`,
    `--chrome-flags=--headless=new ${args.join(' ')}`,
  ];
  const {stdout} = await run('npx', ['--yes', 'lighthouse@13.5.0', url, ...flags], {
    env: {...process.env, ...env, CHROME_PATH: executablePath},
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Report;
}

const demo = await startDemo();
const usual = 'performance,accessibility,best-practices';
/** The pages, and the audits that they do not pass by choice: search engines are not to list an apply page. */
const pages = [
  {title: 'Landing page, mobile', url: demo.page, categories: usual, chosen: [] as string[]},
  {title: 'Apply page, mobile', url: demo.apply, categories: `${usual},seo`, chosen: ['is-crawlable']},
].map((page) => ({...page, reports: [] as Report[]}));
for (let index = 0; index < runs; index += 1)
  for (const {url, categories, reports} of pages) reports.push(await measure(url, categories));
await demo.stop();

const middle = (figures: readonly number[]) =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;

for (const {title, reports, chosen} of pages) {
  /** The audits that were not perfect in any of the runs. */
  const faults = (name: string) =>
    new Set(
      reports.flatMap(({audits, categories}) =>
        categories[name]!.auditRefs.filter(({id, weight}) => weight > 0 && (audits[id]?.score ?? 1) < 1).map(
          ({id}) => ({id, text: `${audits[id]!.title} ${audits[id]!.displayValue ?? ''}`.trim()}),
        ),
      ),
    );
  const rows = Object.entries(reports[0]!.categories).map(([name, category]) => {
    const score = Math.round(middle(reports.map(({categories}) => categories[name]!.score)) * 100);
    const found = [...faults(name)];
    const isMet = score === 100 || (found.length > 0 && found.every(({id}) => chosen.includes(id)));
    const texts = new Set(found.map(({text}) => text));
    return [category.title, score, 100, isMet ? 'ok' : '**not met**', [...texts].join('; ')];
  });
  console.log(table([title, 'Score', 'Target', '', 'What is in the way'], rows));
}
