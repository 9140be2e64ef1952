/** The playground under its own strict policy: four looks, and a snippet that says what is shown. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {useDemo} from './demo.ts';

const run = useDemo();

test('the demo loads the form from an address that changes with every build, because browsers keep files of a version for a year', async () => {
  const page = await run.browser.newPage();
  await page.goto(run.demo.page);
  await page.getByLabel('First name').waitFor();
  const {src, integrity} = await page
    .locator('script[type=module]')
    .evaluate(({src, integrity}: HTMLScriptElement) => ({src, integrity}));
  assert.equal(new URL(src).searchParams.get('build'), integrity.slice('sha384-'.length).slice(0, 12));
  await page.close();
});

suite('the playground', () => {
  test('the playground shows each look on the form, and writes the snippet for it', async () => {
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
