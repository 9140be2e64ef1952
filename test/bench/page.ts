/**
 * `npm run bench -- page`, after `npm run build`: measures how much the form slows down a simple partner page on a slow phone, compared with the same
 * page without it and with a plain HTML form, and how fast it reacts to keys and clicks. docs/scale.md has a part
 * of it. With `--load` it does not fill in the form.
 */
import {cpus} from 'node:os';
import {resolve} from 'node:path';
import {chromium} from 'playwright-core';
import {newestVersion, readVersions} from '../../server/versions/embed-versions.ts';
import {findChromium} from '../support/find-browsers.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {servePartnerPages} from './page-server.ts';
import {formPageNames, pairedLayouts, report, type Loads, type Measured} from './page-report.ts';
import {fillIn, visit, type FilledIn, type Loaded} from './page-visit.ts';

const runs = Number(process.env['BENCH_RUNS'] ?? 5);
const fillsIn = !process.argv.includes('--load');

const folder = makeTemporaryFolder();
const partner = await servePartnerPages();
const embedFolder = resolve('dist/embed');
const service = await startService(
  serviceSettings(folder.path, {
    partners: [{key: 'acme', origins: [partner.origin]}],
    proof_of_work: Number(process.env['PROOF_OF_WORK'] ?? 200),
  }),
  folder.path,
);
/** Without releases, so that the newest version is the build. */
const build = newestVersion(readVersions({embedFolder, releasesFolder: 'no releases'}));
const release = newestVersion(readVersions({embedFolder: 'no builds', releasesFolder: 'releases'}));
if (!build || !release) throw new Error('The form is not built: run "npm run build" first');
partner.embed(service.url, build, 'widget');
partner.embed(service.url, release, 'released');
const browser = await chromium.launch(await findChromium());
const addressOf = (name: string) => `${partner.origin}/${name}`;

const pages = ['alone', 'plain', ...formPageNames] as const;
const loads = Object.fromEntries(pages.map((name) => [name, [] as Loaded[]])) as Loads;
const ways: FilledIn[] = [];
const pairs: Measured['pairs'] = pairedLayouts.map((layout) => ({layout, now: [], before: []}));

// The first visits do not count, because a browser that has just started is slower.
await (await visit(browser, addressOf('alone'), 'h1')).leave();
await (await visit(browser, addressOf('widget'), 'input')).leave();
for (let run = 0; run < runs; run += 1) {
  for (const name of pages) {
    const shows = name === 'alone' ? 'h1' : 'input';
    const {page, devtools, loaded, leave} = await visit(browser, addressOf(name), shows);
    loads[name].push(loaded);
    if (name === 'widget' && fillsIn) ways.push(await fillIn(page, devtools));
    await leave();
  }
  for (const {layout, now, before} of pairs) {
    const sides = [
      {name: `widget${layout}`, times: now},
      {name: `released${layout}`, times: before},
    ];
    // In turn, because the machine may do other work at the same time.
    for (const {name, times} of run % 2 ? sides.reverse() : sides) {
      const {loaded, leave} = await visit(browser, addressOf(name), 'input');
      times.push(loaded.shownAt);
      await leave();
    }
  }
}
const version = browser.version();
await browser.close();
await service.end('SIGTERM');
partner.close();
folder.remove();

console.log(
  report({
    circumstances: `Chromium ${version} on ${cpus().length} × ${cpus()[0]!.model.trim()}, medians of ${runs} visits`,
    loads,
    release: release.name,
    pairs,
    ways,
  }),
);
