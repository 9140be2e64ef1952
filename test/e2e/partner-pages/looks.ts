/**
 * `node test/e2e/partner-pages/looks.ts <folder>`: takes pictures of the form on the pages of five partners, on a phone and on a desktop,
 * light and dark, in each of its states. No test can tell whether the form is beautiful, so look at them.
 */
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {launchChromium} from '../../support/launch-chromium.ts';
import {partnerPages, schemes} from './pages.ts';
import {servePartnerPages} from './server.ts';
import {walk, widths} from './way.ts';

const [folder, ...wanted] = process.argv.slice(2);
if (!folder) throw new Error('Say where the pictures go: looks.ts <folder> [pages]');
mkdirSync(folder, {recursive: true});

const server = await servePartnerPages();
const browser = await launchChromium();
for (const [name, {missing}] of Object.entries(partnerPages)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (missing) {
    console.warn(`No pictures of ${name}. ${missing}.`);
    continue;
  }
  for (const scheme of schemes) {
    for (const width of widths) {
      // Each way is a visitor of its own, because a tab that has a result shows it again.
      const visitor = async (layout: 'steps' | 'single') => {
        const page = await browser.newPage({
          viewport: {width, height: 800},
          colorScheme: scheme,
          reducedMotion: 'reduce',
        });
        await page.goto(server.addressOf(name, scheme, layout));
        const take = async (state: string) => {
          const path = join(folder, `${name}-${scheme}-${width}-${state}.png`);
          await page.screenshot({path, fullPage: true});
        };
        return {page, take};
      };
      const {page, take} = await visitor('steps');
      await walk(page, take);
      await page.close();

      const single = await visitor('single');
      // The button is shown once the consent text stands above it.
      await single.page.getByRole('button', {name: 'See my estimate'}).waitFor();
      await single.take('7-single');
      await single.page.close();
    }
  }
}
await browser.close();
server.close();
console.log(`The pictures are in ${folder}`);
