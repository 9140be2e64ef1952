/** The playground under its own strict policy: four looks, and a snippet that says what is shown. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {useDemo} from './demo.ts';

const run = useDemo();

suite('the playground', () => {
  test('shows each look on the form, and writes the snippet for it', async () => {
    const page = await run.browser.newPage();
    const trouble: string[] = [];
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(message.text());
    });
    await page.goto(`${run.demo.page}/playground`);
    await page.getByLabel('First name').waitFor();
    const snippet = page.locator('#snippet');
    const accent = () =>
      page.locator('lead-prequal-form .main').evaluate((main) => getComputedStyle(main).backgroundColor);

    const accents = new Set<string>();
    for (const look of ['Bank', 'Warm', 'Night', 'Letter']) {
      await page.getByText(look, {exact: true}).click();
      accents.add(await accent());
      assert.match(
        (await snippet.textContent()) ?? '',
        new RegExp(`theme="${look === 'Night' ? 'dark' : 'light'}"`),
      );
    }
    assert.equal(accents.size, 4);

    await page.getByLabel('Accent').fill('#008000');
    assert.equal(await accent(), 'rgb(0, 128, 0)');
    await page.getByLabel('Layout').selectOption('single');
    await page.getByLabel('Language').selectOption('es');
    await page.getByRole('heading', {name: 'Sobre usted'}).waitFor();
    const written = (await snippet.textContent()) ?? '';
    for (const part of [
      '--prequal-accent: #008000;',
      'layout="single"',
      'lang="es"',
      'integrity="sha384-',
      'min-height',
    ]) {
      assert.ok(written.includes(part), part);
    }

    await page.getByRole('button', {name: 'Copy', exact: true}).click();
    await page.getByText(/^(Copied|Selected)/).waitFor();
    assert.deepEqual(trouble, []);
    await page.close();
  });
});
