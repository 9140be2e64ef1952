/**
 * WordPress filters what authors write, and the plugin changes it afterwards. So the plugin must make no HTML of what the
 * filter took for text. The release 1.5.0 of the plugin did; the last test shows that it would see it.
 */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import fc from 'fast-check';
import {defaultTreeAdapter as tree, parse, type DefaultTreeAdapterTypes as Tree} from 'parse5';
import {chromium, type Browser, type Page} from 'playwright-core';
import {zipWordPressPlugin} from '../../../build/wordpress.ts';
import {classicFile, wordpressPlugin} from '../../../contract/api.ts';
import {reservedHeights} from '../../../form/reserved-heights.ts';
import {findChromium} from '../../support/find-browsers.ts';
import {openFor, suiteOwner, type Owner} from '../../support/opened.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {startDatabase, startWordPress, withoutWordPress, type WordPress} from './site.ts';

const faulty = 'releases/1.5.0';
const {integrity} = JSON.parse(readFileSync(join(faulty, 'manifest.json'), 'utf8')) as {
  integrity: Record<string, string>;
};
const server = 'https://leads.example.com';
const applyAddress = `${server}/apply/acme`;
const pinnedLink = (version: string) =>
  `<a href="${applyAddress}" data-prequal-version="${version}" data-prequal-integrity="${integrity[classicFile]}" data-prequal-height="28em">`;

/** What posts are made of here: tags and comments in halves, quotes, shortcodes, and what must not become HTML. */
const shortcodes = [
  ...['[lead_prequal]', '[/lead_prequal]', '[lead_prequal /]', '[lead_prequal layout="single"]'],
  ...["[lead_prequal order='contact-first']", '[lead_prequal a=/?]', '[lead_prequal ">"]', '[lead_prequal <b>]'],
];
const halves = [
  ...['[lead_prequal', '[lead_prequal ', '[/lead_prequal', '[[lead_prequal]]', '[', ']', '[gallery title="'],
  ...['"', "'", '>', '<', '=', ' ', '\n\n', '\\', '/', '--', '-->', ']]>', 'x', 'words', '&quot;', '&#39;'],
  ...['&lt;b onclick=ran=1&gt;', '&#91;lead_prequal&#93;', '&#x3c;', '\0', 'é', '`', '{', '"}'],
  ...['script:ran=1"', " tabindex=1 autofocus onfocus=ran=1 ", '" onfocus="ran=1', "' onfocus='ran=1"],
];
const elements = [
  ...['<code>', '</code>', '<p>', '</p>', '<b>', '</b>', '<i title=', "<i title='", '<i title="', '<i title="> '],
  ...['<i a"b c="', '<a href="java', "<a href='", '<a href="/x">', '</a>', '<img src=x alt="', '<br/>', '</i>'],
  ...['<!--', '<!-- wp:paragraph {"a":"', '<!-- wp:shortcode -->', '<!-- /wp:shortcode -->', '<!--more-->'],
  ...['<![CDATA[', '<script>', '</script>', '<style>', '<textarea>', '</textarea>', '<svg>', '<table><tr><td>'],
  ...['</table>', '<button>', '<details open ontoggle=ran=1>', pinnedLink('1.0.0'), pinnedLink('1.5.0')],
];
const nesting = fc
  .array(
    fc.oneof(
      {weight: 4, arbitrary: fc.constantFrom(...shortcodes)},
      {weight: 5, arbitrary: fc.constantFrom(...halves)},
      {weight: 4, arbitrary: fc.constantFrom(...elements)},
    ),
    {minLength: 2, maxLength: 14},
  )
  .map((pieces) => pieces.join(''));

/** A link as the plugin makes it. */
const isPin = ({tagName, attrs}: Tree.Element) =>
  tagName === 'a' &&
  attrs.some(({name}) => name.startsWith('data-prequal-')) &&
  attrs.every(({name, value}) => /^data-prequal-(version|integrity|height)$/.test(name) || (name === 'href' && value === applyAddress));

/** The elements of a text and its comments, but for the links of the plugin, as an HTML parser finds them. */
function elementsOf(html: string): string[] {
  const found: string[] = [];
  const visit = (node: Tree.Node) => {
    if (tree.isCommentNode(node)) found.push(`<!--${node.data}-->`);
    if (tree.isElementNode(node) && !isPin(node))
      found.push(`<${node.tagName} ${node.attrs.map(({name, value}) => `${name}="${value}"`).join(' ')}>`);
    if ('content' in node) visit(node.content);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(`<!doctype html><body>${html}`));
  return found;
}

const post = `<code><i title='[lead_prequal]'>x[/lead_prequal]' tabindex=1 autofocus onfocus=window.ran=1 ></code>`;

suite('posts that WordPress has filtered', {concurrency: 1, skip: withoutWordPress}, () => {
  const owner = suiteOwner();
  const folder = makeTemporaryFolder();
  owner.after(() => folder.remove());
  const current = join(folder.path, wordpressPlugin);
  writeFileSync(current, zipWordPressPlugin('99.0.0'));
  let browser: Browser;
  let site: WordPress;

  before(async () => {
    const database = await openFor(owner, startDatabase());
    const options = {theme: 'twentytwentyone', plugin: join(faulty, wordpressPlugin)} as const;
    site = await openFor(owner, startWordPress(database, options));
    browser = await chromium.launch(await findChromium());
    owner.after(() => browser.close());
    const list = {version: '1.5.0', integrity: integrity[classicFile], heights: reservedHeights, advisories: {'1.0.0': {security: 'A fault.'}}};
    await site.php(`
      activate_plugin('lead-prequal/lead-prequal.php');
      update_option('lead_prequal', ['server' => '${server}', 'partner' => 'acme']);
      set_transient('lead_prequal_versions', ['list' => json_decode('${JSON.stringify(list)}', true)]);`);
  });

  async function windowOf(owner: Owner, user?: string): Promise<Page> {
    const context = await browser.newContext();
    owner.after(() => context.close());
    // Nothing but this machine is asked.
    await context.route(/^https?:\/\/(?!localhost)/, (route) => route.abort());
    if (user !== undefined) await context.addCookies(await site.cookies(user));
    return context.newPage();
  }

  /** An author saves a post by the form of the administration, and by the REST API. @returns their ids */
  async function save(owner: Owner, content: string): Promise<number[]> {
    const page = await windowOf(owner, 'author');
    await page.goto(`${site.url}/wp-admin/post-new.php`);
    const fields = await page
      .locator('.metabox-base-form')
      .evaluate((form: HTMLFormElement) => Object.fromEntries(new FormData(form)) as Record<string, string>);
    const form = {...fields, action: 'editpost', post_title: 'By form', post_status: 'publish', content};
    await page.request.post(`${site.url}/wp-admin/post.php`, {form});
    const byRest = await page.evaluate(async (content) => {
      const {apiFetch} = (window as unknown as {wp: {apiFetch(request: object): Promise<{id: number}>}}).wp;
      const data = {title: 'By REST', status: 'publish', content};
      return (await apiFetch({path: '/wp/v2/posts', method: 'POST', data})).id;
    }, content);
    return [Number(fields['post_ID']), byRest];
  }

  /** Whether something of a post runs when it is opened, or when its elements get the focus. */
  async function runs(owner: Owner, id: number, user?: string): Promise<boolean> {
    const page = await windowOf(owner, user);
    await page.goto(`${site.url}/?p=${id}`);
    await page.locator('article code').first().waitFor({state: 'attached'});
    return page.evaluate(async () => {
      // The browser gives the focus to what has "autofocus" before the second frame.
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      for (const element of document.querySelectorAll<HTMLElement>('article *')) element.focus();
      return 'ran' in window;
    });
  }
  const whereItRuns = async (owner: Owner, ids: readonly number[]) => {
    const opened = ids.flatMap((id) => [runs(owner, id), runs(owner, id, 'admin')]);
    return Promise.all(opened);
  };

  async function replacePlugin(owner: Owner, zip: string) {
    const page = await windowOf(owner, 'admin');
    await page.goto(`${site.url}/wp-admin/plugin-install.php?tab=upload`);
    await page.locator('input[type=file]').setInputFiles(zip);
    await page.getByRole('button', {name: 'Install Now'}).click();
    await page.getByRole('link', {name: /Replace current with uploaded|Replace installed with uploaded/}).click();
    await page.getByText('Plugin updated successfully.').waitFor();
  }

  /** What WordPress makes of texts of a user, and the plugin of that; then without the shortcodes, if the plugin can do it. */
  async function pinned(texts: readonly string[], user: string) {
    const [given, made] = [join(folder.path, 'given.json'), join(folder.path, 'made.json')];
    writeFileSync(given, JSON.stringify(texts));
    const time = await site.php<number>(
      `$made = [];
      $start = microtime(true);
      foreach (json_decode(file_get_contents('${given}')) as $text) {
        $filtered = apply_filters('content_save_pre', wp_slash($text));
        $data = ['post_type' => 'post', 'post_content' => $filtered];
        $saved = wp_unslash(apply_filters('wp_insert_post_data', $data, $data, $data, false)['post_content']);
        $left = function_exists('LeadPrequal\\without_shortcodes') ? LeadPrequal\\without_shortcodes($saved) : $saved;
        $made[] = [wp_unslash($filtered), $saved, $left];
      }
      file_put_contents('${made}', json_encode($made, JSON_INVALID_UTF8_SUBSTITUTE));
      return microtime(true) - $start;`,
      user,
    );
    console.log(user, texts.length, time);
    return JSON.parse(readFileSync(made, 'utf8')) as [filtered: string, saved: string, left: string][];
  }

  test('an author stores a script with the plugin 1.5.0, which visitors and administrators run', async (t) => {
    const ids = await save(t, post);
    assert.deepEqual(await whereItRuns(t, ids), [true, true, true, true]);
    const texts = fc.sample(nesting, {numRuns: 2_000, seed: 1});
    const made = await pinned(texts, 'author');
    const changed = made.filter(([filtered, saved]) => String(elementsOf(filtered)) !== String(elementsOf(saved)));
    console.log('changed', changed.length);
    assert.ok(changed.length > 10);
  });

  test('an administrator replaces the plugin, and the same post runs nothing', async (t) => {
    await replacePlugin(t, current);
    const ids = await save(t, post);
    assert.deepEqual(await whereItRuns(t, ids), [false, false, false, false]);
  });

  for (const user of ['author', 'editor'])
    test(`no nesting of 20,000 has an element after the plugin that it had not before, as ${user}`, async () => {
      const texts = fc.sample(nesting, {numRuns: 20_000});
      const made = await pinned(texts, user);
      let changed = 0;
      for (const [index, [filtered, saved, left]] of made.entries()) {
        if (saved !== filtered) {
          changed++;
          assert.deepEqual(elementsOf(saved), elementsOf(filtered), texts[index]);
        }
        if (left !== saved) assert.deepEqual(elementsOf(left), elementsOf(saved), texts[index]);
      }
      console.log(user, changed);
      assert.ok(changed > 1000);
    });
});
