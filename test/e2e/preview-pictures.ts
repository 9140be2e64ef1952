/**
 * `node test/e2e/preview-pictures.ts`: takes the pictures that chats, mail programs and social networks show beside a link to
 * `/apply/:partner`, one for each language, with the real form. They are part of the repository. Take them again after a
 * change of the form's first screen, and look at them.
 */
import {resolve} from 'node:path';
import {formLanguages, serverWords, type FormLanguage} from '../../form/words/languages.ts';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {startTestServer} from '../support/test-server.ts';

/** What all programs accept, and show whole. */
const size = {width: 1200, height: 630};

const picture = (language: FormLanguage, script: string) => `<!doctype html>
  <html lang="${language}">
    <style>
      body {
        background: linear-gradient(115deg, #f3f5f7 45%, #dfe9f4); color: #171a21; display: grid; font: 16px/1.4 system-ui, sans-serif;
        grid-template-columns: 530px 500px; height: ${size.height}px; justify-content: space-between; margin: 0;
        overflow: hidden; padding: 0 48px 0 72px;
      }
      header { align-self: center }
      h1 { color: #0b57a4; font-size: 60px; letter-spacing: -0.025em; line-height: 1.1; margin: 0 0 24px; text-wrap: balance }
      p { color: #545c69; font-size: 25px; margin: 0; text-wrap: pretty }
      svg { border-radius: 7px; display: block; height: 14px; margin-block-end: 36px; width: 260px }
      lead-prequal-form { border-radius: 12px; box-shadow: 0 24px 60px rgb(11 40 80 / 22%); display: block; font-size: 16px; height: max-content; margin-block-start: 56px }
    </style>
    <header>
      <svg viewBox="0 0 100 5" preserveAspectRatio="none">
        <path fill="#12336f" d="M0 0h38v5H0z" /><path fill="#cf8300" d="M38 0h30v5H38z" />
        <path fill="#006259" d="M68 0h20v5H68z" /><path fill="#925fbe" d="M88 0h12v5H88z" />
      </svg>
      <h1>${serverWords[language].page.title.prequalification}</h1>
      <p>${serverWords[language].page.intro.prequalification}</p>
    </header>
    <lead-prequal-form></lead-prequal-form>
    ${script}
  </html>`;

const server = await startTestServer({embedFolder: resolve('dist/embed')});
const {script} = newestScript({...server.config, publicUrl: server.url});
const browser = await launchChromium();
for (const language of formLanguages) {
  const page = await browser.newPage({viewport: size, colorScheme: 'light'});
  await page.route(`${server.url}/picture`, (route) =>
    route.fulfill({contentType: 'text/html; charset=utf-8', body: picture(language, script)}),
  );
  await page.goto(`${server.url}/picture`);
  await page.locator('lead-prequal-form').getByRole('button').first().waitFor();
  const path = `server/http/apply/preview-${language}.png`;
  await page.screenshot({path});
  console.log(path);
}
await browser.close();
await server.close();
