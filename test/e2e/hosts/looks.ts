/**
 * `npm run look -- <folder>`: takes pictures of the form on the pages of five partners, on a phone and on a desktop,
 * light and dark, in each of its states. No test can tell whether the form is beautiful, so look at them.
 */
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {chromium} from 'playwright-core';
import {findChromium} from '../../support/find-browsers.ts';
import {hostPages, schemes} from './pages.ts';
import {serveHosts} from './server.ts';
import {walk, widths} from './way.ts';

const [folder, ...wanted] = process.argv.slice(2);
if (!folder) throw new Error('Say where the pictures go: npm run look -- <folder> [pages]');
mkdirSync(folder, {recursive: true});

const server = await serveHosts();
const browser = await chromium.launch(await findChromium());
for (const [name, {missing}] of Object.entries(hostPages)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (missing) {
    console.warn(`No pictures of ${name}. ${missing}.`);
    continue;
  }
  for (const scheme of schemes) {
    for (const width of widths) {
      const page = await browser.newPage({
        viewport: {width, height: 800},
        colorScheme: scheme,
        reducedMotion: 'reduce',
      });
      const take = (state: string) =>
        page.screenshot({path: join(folder, `${name}-${scheme}-${width}-${state}.png`), fullPage: true});
      await page.goto(server.addressOf(name, scheme));
      await walk(page, async (state) => void (await take(state)));
      await page.goto(server.addressOf(name, scheme, 'single'));
      await page.getByLabel('Investments').waitFor();
      await take('6-single');
      await page.close();
    }
  }
}
await browser.close();
server.close();
console.log(`The pictures are in ${folder}`);
