/**
 * `npm run bench:apply`: when the first field of an apply page is painted on a slow phone, beside a plain HTML form of the
 * same fields on the same network: as it is, and with its scripts kept away, as for a visitor without JavaScript.
 */
import {resolve} from 'node:path';
import {chromium, type Page} from 'playwright-core';
import {table} from '../../build/docs/markdown.ts';
import {findChromium} from '../support/find-browsers.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {servePartnerPages} from './page-server.ts';
import {visit} from './page-visit.ts';

const runs = Number(process.env['BENCH_RUNS'] ?? 9);
/** The time may be this times that of the plain form. */
const most = 1.1;

const folder = makeTemporaryFolder();
const partner = await servePartnerPages();
const service = await startService(
  {...serviceSettings(folder.path), EMBED_FOLDER: resolve('dist/embed'), EMBED_NAME: 'Acme Funding'},
  folder.path,
);
const browser = await chromium.launch(await findChromium());
/** By the browser itself, because playwright would hold up every request of the page. */
async function withoutScripts(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setBlockedURLs', {urls: ['*.js*']});
}
const apply = `${service.url}/apply/acme`;
const pages = [
  {title: 'plain HTML form', url: `${partner.origin}/plain`},
  {title: 'apply page', url: apply},
  {title: 'apply page, its scripts kept away', url: apply, prepare: withoutScripts},
  {title: 'apply page, contact data first', url: `${apply}?order=contact-first`},
].map((page) => ({...page, times: [] as number[], shifts: [] as number[]}));

// The first visit does not count, because a browser that has just started is slower.
await (await visit(browser, apply, 'input')).leave();
for (let run = 0; run < runs; run += 1) {
  for (const {url, prepare, times, shifts} of run % 2 ? pages.toReversed() : pages) {
    const {loaded, leave} = await visit(browser, url, ':is(input:not([type=hidden]), select)', prepare);
    times.push(loaded.shownAt);
    shifts.push(loaded.shift);
    await leave();
  }
}
await browser.close();
await service.end('SIGTERM');
partner.close();
folder.remove();

const middle = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? NaN;
const plain = middle(pages[0]?.times ?? []);
const rows = pages.map(({title, times, shifts}) => {
  const factor = middle(times) / plain;
  const shift = Math.max(...shifts);
  const verdict = factor <= most && shift < 0.0005 ? 'ok' : '**not met**';
  return [
    title,
    `${Math.round(middle(times))} ms`,
    factor.toFixed(2),
    most.toFixed(2),
    shift.toFixed(3),
    verdict,
  ];
});
console.log(table(['Page', 'First field', 'Factor', 'At most', 'Largest shift', ''], rows));
