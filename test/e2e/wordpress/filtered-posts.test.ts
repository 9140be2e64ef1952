/**
 * WordPress filters what authors write, and the plugin changes it afterwards. So the plugin must make no HTML of what the
 * filter took for text. The plugin 1.5.0 did, so the first test shows that these tests see it.
 */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import {isDeepStrictEqual} from 'node:util';
import {defaultTreeAdapter as tree, parse, type DefaultTreeAdapterTypes as Tree} from 'parse5';
import type {Browser, Page} from 'playwright-core';
import {zipWordPressPlugin} from '../../../build/wordpress.ts';
import {classicFile, wordpressPlugin} from '../../../contract/api.ts';
import {reservedHeights} from '../../../form/reserved-heights.ts';
import {launchChromium} from '../../support/launch-chromium.ts';
import {openFor, suiteOwner, type Owner} from '../../support/opened.ts';
import fc from '../../support/properties.ts';
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

const phpText = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

/** What posts are made of here: tags and comments in halves, quotes, shortcodes, and what must not become HTML. */
const shortcodes = [
  ...['[lead_prequal]', '[/lead_prequal]', '[lead_prequal /]', '[lead_prequal layout="single"]'],
  ...["[lead_prequal order='contact-first']", '[lead_prequal a=/?]', '[lead_prequal ">"]'],
  '[lead_prequal <b>]',
];
const halves = [
  ...['[lead_prequal', '[lead_prequal ', '[/lead_prequal', '[[lead_prequal]]', '[', ']', '[gallery title="'],
  ...['"', "'", '>', '<', '=', ' ', '\n\n', '\\', '/', '--', '-->', ']]>', 'x', 'words', '&quot;', '&#39;'],
  ...['&lt;b onclick=ran=1&gt;', '&#91;lead_prequal&#93;', '&#x3c;', '\0', 'é', '`', '{', '"}'],
  ...['script:ran=1"', ' tabindex=1 autofocus onfocus=ran=1 ', '" onfocus="ran=1', "' onfocus='ran=1"],
];
const elements = [
  ...['<code>', '</code>', '<p>', '</p>', '<b>', '</b>', '<i title=', "<i title='", '<i title="'],
  ...['<i title="> ', '<i a"b c="', '<a href="java', "<a href='", '<a href="/x">', '</a>'],
  ...['<img src=x alt="', '<br/>', '</i>', '<!--', '<!-- wp:paragraph {"a":"', '<!-- wp:shortcode -->'],
  ...['<!-- /wp:shortcode -->', '<!--more-->', '<![CDATA[', '<script>', '</script>', '<style>'],
  ...['<textarea>', '</textarea>', '<svg>', '<table><tr><td>', '</table>', '<button>'],
  ...['<details open ontoggle=ran=1>', pinnedLink('1.0.0'), pinnedLink('1.5.0')],
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
  attrs.every(
    ({name, value}) =>
      /^data-prequal-(version|integrity|height)$/.test(name) || (name === 'href' && value === applyAddress),
  );

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
  // The plugin gives a link of 1.0.0 the newest version, wherever it stands.
  visit(parse(`<!doctype html><body>${html.replaceAll('version="1.0.0"', 'version="1.5.0"')}`));
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
  let faultySite: WordPress;

  before(async () => {
    const database = await openFor(owner, startDatabase());
    const start = (plugin: string) =>
      openFor(owner, startWordPress(database, {theme: 'twentytwentyone', plugin}));
    [site, faultySite] = await Promise.all([start(current), start(join(faulty, wordpressPlugin))]);
    browser = await launchChromium();
    owner.after(() => browser.close());
    const list = {
      version: '1.5.0',
      integrity: integrity[classicFile],
      heights: reservedHeights,
      advisories: {'1.0.0': {security: 'A fault.'}},
    };
    const setUp = `
      activate_plugin('lead-prequal/lead-prequal.php');
      update_option('lead_prequal', ['server' => '${server}', 'partner' => 'acme']);
      set_transient('lead_prequal_versions', ['list' => json_decode('${JSON.stringify(list)}', true)]);`;
    await Promise.all([site.php(setUp), faultySite.php(setUp)]);
  });

  async function windowOf(owner: Owner, user?: string): Promise<Page> {
    const context = await browser.newContext();
    owner.after(() => context.close());
    // Nothing but this machine is asked.
    await context.route(/^https?:\/\/(?!localhost)/, (route) => route.abort());
    if (user !== undefined) await context.addCookies(await faultySite.cookies(user));
    return context.newPage();
  }

  /** An author saves a post by the form of the administration, and by the REST API. @returns their ids */
  async function save(owner: Owner, content: string): Promise<number[]> {
    const page = await windowOf(owner, 'author');
    await page.goto(`${faultySite.url}/wp-admin/post-new.php`);
    const fields = await page
      .locator('.metabox-base-form')
      .evaluate((form: HTMLFormElement) => Object.fromEntries(new FormData(form)) as Record<string, string>);
    const form = {...fields, action: 'editpost', post_title: 'By form', post_status: 'publish', content};
    await page.request.post(`${faultySite.url}/wp-admin/post.php`, {form});
    const byRest = await page.evaluate(async (content) => {
      const {apiFetch} = (window as unknown as {wp: {apiFetch: (request: object) => Promise<{id: number}>}})
        .wp;
      const data = {title: 'By REST', status: 'publish', content};
      return (await apiFetch({path: '/wp/v2/posts', method: 'POST', data})).id;
    }, content);
    return [Number(fields['post_ID']), byRest];
  }

  /** Whether something of a post runs when it is opened, or when its elements get the focus. */
  async function runs(owner: Owner, id: number, user?: string): Promise<boolean> {
    const page = await windowOf(owner, user);
    await page.goto(`${faultySite.url}/?p=${id}`);
    await page.locator('article code').first().waitFor({state: 'attached'});
    return page.evaluate(async () => {
      // The browser gives the focus to what has "autofocus" before the second frame.
      for (let frame = 0; frame < 2; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
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
    await page.goto(`${faultySite.url}/wp-admin/plugin-install.php?tab=upload`);
    await page.locator('input[type=file]').setInputFiles(zip);
    await page.getByRole('button', {name: 'Install Now'}).click();
    await page
      .getByRole('link', {name: /Replace current with uploaded|Replace installed with uploaded/})
      .click();
    await page.getByText('Plugin updated successfully.').waitFor();
  }

  /** What WordPress makes of texts of a user, and the plugin of that; then without the shortcodes, if the plugin can do it. */
  async function pinned(texts: readonly string[], user: string, where = site) {
    const [given, made] = [join(folder.path, 'given.json'), join(folder.path, 'made.json')];
    writeFileSync(given, JSON.stringify(texts));
    await where.php(
      `$made = [];
      foreach (json_decode(file_get_contents('${given}')) as $text) {
        $filtered = apply_filters('content_save_pre', wp_slash($text));
        $data = ['post_type' => 'post', 'post_content' => $filtered];
        $saved = wp_unslash(apply_filters('wp_insert_post_data', $data, $data, $data, false)['post_content']);
        $left = function_exists('LeadPrequal\\without_shortcodes') ? LeadPrequal\\without_shortcodes($saved) : $saved;
        $made[] = [wp_unslash($filtered), $saved, $left];
      }
      file_put_contents('${made}', json_encode($made, JSON_INVALID_UTF8_SUBSTITUTE));
`,
      user,
    );
    return JSON.parse(readFileSync(made, 'utf8')) as [filtered: string, saved: string, left: string][];
  }

  test('an author stores a script with the plugin 1.5.0, and none with the one that replaces it', async (t) => {
    const ids = await save(t, post);
    assert.deepEqual(await whereItRuns(t, ids), [true, true, true, true]);
    const nestings = await pinned(fc.sample(nesting, {numRuns: 1_000}), 'author', faultySite);
    assert.ok(
      nestings.some(([filtered, saved]) => !isDeepStrictEqual(elementsOf(saved), elementsOf(filtered))),
      'The nestings of the next test do not show the fault.',
    );
    await replacePlugin(t, current);
    const [, query = ''] = /```sql\n(.*?);\n```/s.exec(readFileSync('docs/wordpress.md', 'utf8')) ?? [];
    const found = await faultySite.php<{ID: string; post_type: string}[]>(
      `wp_insert_post(wp_slash(['post_title' => 'x', 'post_content' => '<p>[lead_prequal]</p>']));
      return $GLOBALS['wpdb']->get_results(${phpText(query)});`,
    );
    const posts = found.filter(({post_type}) => post_type === 'post');
    assert.deepEqual(
      posts.map(({ID}) => Number(ID)).toSorted(),
      ids.toSorted(),
      'The query of the guide finds other posts.',
    );
    assert.deepEqual(await whereItRuns(t, await save(t, post)), [false, false, false, false]);
  });

  for (const user of ['author', 'editor'])
    test(`no nesting of 20,000 has an element after the plugin that it had not before, as ${user}`, async () => {
      const texts = fc.sample(nesting, {numRuns: 20_000});
      const made = await pinned(texts, user);
      let changed = 0;
      for (const [index, [filtered, saved, left]] of made.entries()) {
        const before = elementsOf(filtered);
        const added = [saved, left]
          .flatMap((html) => elementsOf(html))
          .filter((element) => !before.includes(element));
        assert.deepEqual(added, [], texts[index]);
        if (saved !== filtered) changed++;
        // Of what only an administrator may write, browsers repeat some in odd places, such as a link in a link.
        if (user === 'author') assert.deepEqual(elementsOf(saved), before, texts[index]);
      }
      assert.ok(changed > 1_000, `only ${changed} posts were changed`);
    });

  /** What the plugin makes of a text that an administrator saves as a post of a type. */
  const savedAs = (content: string, type = 'post', first = '') =>
    site.php<string>(
      `${first} $data = ['post_type' => '${type}', 'post_parent' => $parent ?? 0, 'post_content' => wp_slash(${phpText(content)})];
      return wp_unslash(apply_filters('wp_insert_post_data', $data, $data, $data, false)['post_content']);`,
    );
  /** With the links of the plugin as {their words}. */
  const short = (content: string) =>
    content.replace(/<a href="[^"]*" data-prequal-version="1\.5\.0"[^>]*>(.*?)<\/a>/gs, '{$1}');
  const link = '{Open the form on its own page}';
  const filled = `[lead_prequal]${link}[/lead_prequal]`;

  const cases: Record<string, [before: string, after: string]> = {
    'each shortcode in text gets a link, also one above a pinned one': [
      `[lead_prequal]\n<p>a [lead_prequal layout="single"] b</p>\n[lead_prequal]${pinnedLink('1.5.0')}c</a>[/lead_prequal]`,
      `${filled}\n<p>a [lead_prequal layout="single"]${link}[/lead_prequal] b</p>\n[lead_prequal]{c}[/lead_prequal]`,
    ],
    'words stay as they are': [
      `[lead_prequal] "Apply" & 'more'> [/lead_prequal]`,
      `[lead_prequal]{"Apply" & 'more'>}[/lead_prequal]`,
    ],
    'a shortcode that closes itself holds no words': [
      '[lead_prequal /]x[/lead_prequal]',
      `${filled}x[/lead_prequal]`,
    ],
    'what is in brackets is no shortcode': [
      '[[lead_prequal]] [gallery title="[lead_prequal]"] [lead_prequal-x] [lead_prequal',
      '[[lead_prequal]] [gallery title="[lead_prequal]"] [lead_prequal-x] [lead_prequal',
    ],
    'elements within a shortcode keep it as it is': [
      '[lead_prequal]<b>Apply</b>[/lead_prequal] [lead_prequal]',
      `[lead_prequal]<b>Apply</b>[/lead_prequal] ${filled}`,
    ],
    'attributes, comments and links keep a shortcode as it is': [
      '<i title="[lead_prequal]"><!-- [lead_prequal] --><a href="/x">[lead_prequal]</a></i><!--more-->[lead_prequal]',
      `<i title="[lead_prequal]"><!-- [lead_prequal] --><a href="/x">[lead_prequal]</a></i><!--more-->${filled}`,
    ],
    'a script with a shortcode keeps the post as it is': [
      '<script>var a = "[lead_prequal]";</script>[lead_prequal]',
      '<script>var a = "[lead_prequal]";</script>[lead_prequal]',
    ],
  };
  for (const [what, [before, after]] of Object.entries(cases))
    test(`${what}, whatever its author may write`, async () => {
      assert.equal(short(await savedAs(before)), after);
    });

  test('no JSON, no styles and no settings of other plugins are changed, only HTML of people', async () => {
    const html = '<p>[lead_prequal]</p>';
    const json = '{"a":"[lead_prequal]"}';
    const registered = "register_post_type('settings', ['supports' => ['title']]);";
    const revisionOf = (type: string) =>
      `$parent = wp_insert_post(['post_type' => '${type}', 'post_title' => 'x']);`;
    const saved = [
      await savedAs(html, 'page'),
      await savedAs(html, 'attachment'),
      await savedAs(html, 'revision', revisionOf('page')),
      await savedAs(html, 'custom_css'),
      await savedAs(json, 'customize_changeset'),
      await savedAs(json, 'wp_global_styles'),
      await savedAs(html, 'settings', registered),
      await savedAs(html, 'revision', registered + revisionOf('settings')),
    ];
    const pinned = `<p>${filled}</p>`;
    assert.deepEqual(saved.map(short), [pinned, pinned, pinned, html, json, json, html, html]);
  });

  test('a post of an author that WordPress was told not to filter stays as it is', async () => {
    const content = '<iframe src="https://video.example"></iframe>[lead_prequal]';
    const saved = await site.php(
      `kses_remove_filters();
      return get_post(wp_insert_post(['post_title' => 'x', 'post_content' => '${content}']))->post_content;`,
      'author',
    );
    assert.equal(saved, content);
  });

  test('the newest version is written over an old one, and nothing else changes', async () => {
    const old = `[lead_prequal]<a title="1.0.0" ${pinnedLink('1.0.0').slice(3)}1.0.0</a>[/lead_prequal]`;
    const text = `${post}[lead_prequal]${old}<i title='[lead_prequal]'>[/lead_prequal]`;
    const renewed = await site.php<string>(`return LeadPrequal\\renew_pins(${phpText(text)});`);
    assert.equal(renewed, text.replace('version="1.0.0"', 'version="1.5.0"'));
  });

  const bounds = [
    '[lead_prequal',
    '[lead_prequal]',
    '[lead_prequal]x[/lead_prequal]',
    '<b>[lead_prequal]',
    '[/lead_prequal]',
    '[a [lead_prequal',
  ];
  for (const text of bounds)
    test(`20,000 times ${text} is left alone, in a time that grows with the text`, async () => {
      const [same, ratio] = await site.php<[same: boolean, ratio: number]>(
        `$timed = function (int $times) use (&$same) {
          $content = str_repeat('${text}', $times);
          // The time of the processor, which other programs of this machine do not lengthen.
          $spent = fn() => getrusage()['ru_utime.tv_sec'] * 1e6 + getrusage()['ru_utime.tv_usec'];
          $start = $spent();
          $same = LeadPrequal\\pin_all($content) === $content;
          LeadPrequal\\without_shortcodes($content);
          return $spent() - $start;
        };
        $fastest = fn(int $times) => min($timed($times), $timed($times), $timed($times));
        // Times of less than a few milliseconds are not exact.
        $ratio = $fastest(100000) / ($fastest(20000) + 3000);
        return [$same, $ratio];`,
      );
      assert.ok(same);
      assert.ok(ratio < 15, `${ratio}`);
    });

  test('a text on which PHP gives up is never emptied', async () => {
    const text = `<p class="a">${'words '.repeat(100)}</p>[lead_prequal]${pinnedLink('1.0.0')}x</a>[/lead_prequal]`;
    const made = await site.php<string[]>(
      `ini_set('pcre.jit', '0');
      ini_set('pcre.backtrack_limit', '5');
      $text = ${phpText(text)};
      if (wp_html_split($text) && LeadPrequal\\elements($text) !== null) throw new Exception('PHP does not give up.');
      return [LeadPrequal\\pin_all($text), LeadPrequal\\pin_filtered($text), LeadPrequal\\renew_pins($text), LeadPrequal\\without_shortcodes($text)];`,
      'author',
    );
    // The link may have got the newest version.
    const texts = made.map((each) => each.replace('version="1.5.0"', 'version="1.0.0"'));
    assert.deepEqual(texts, [text, text, text, text]);
  });

  test('an odd answer of the server is no error in the administration', async () => {
    const odd: unknown[] = [['a'], {a: 1}, 1.5, 1, true, null, '1.0.0"', ''];
    const lists = odd.flatMap((value) => [
      {
        newest: value,
        versions: [{version: value, security: value, integrity: value}],
        plugins: [{version: value}],
        heights: value,
      },
      {
        newest: '1.5.0',
        versions: [
          value,
          {version: value},
          {version: '1.5.0', integrity: {[classicFile]: integrity[classicFile]}},
        ],
        plugins: value,
        heights: reservedHeights,
      },
    ]);
    const problems = odd.map((type) => ({type}));
    const answers = (given: unknown[]) =>
      `json_decode(${phpText(JSON.stringify(given.map((each) => JSON.stringify(each))))})`;
    const [read, troubles] = await site.php<[({advisories: object} | null)[], (string | null)[]]>(
      `$answer = fn($body) => ['response' => ['code' => 200], 'body' => $body];
      $problem = '';
      add_filter('pre_http_request', function () use (&$problem, $answer) { return $answer($problem); });
      $troubles = [];
      foreach (${answers([...odd, ...problems])} as $problem) $troubles[] = LeadPrequal\\trouble();
      return [array_map(fn($body) => LeadPrequal\\read_versions($answer($body)), ${answers([...odd, ...lists])}), $troubles];`,
    );
    assert.deepEqual(
      read.map((list) => list?.advisories),
      [...odd, ...lists].map((list) => (lists.indexOf(list as never) % 2 === 1 ? [] : undefined)),
    );
    assert.deepEqual([...new Set(troubles)], [null]);
  });

  test('a fault of the plugin itself is shown to those who can replace it', async () => {
    const noticeFor = (user: string, version: string) =>
      site.php<string>(
        `$list = json_encode(['newest' => '1.5.0', 'heights' => LeadPrequal\\versions()['heights'],
          'versions' => [['version' => '1.5.0', 'integrity' => ['${classicFile}' => '${integrity[classicFile]}']]],
          'plugins' => [['version' => '${version}', 'security' => 'A <b>fault</b>.']]]);
        $read = LeadPrequal\\read_versions(['response' => ['code' => 200], 'body' => $list]);
        add_filter('pre_transient_lead_prequal_versions', fn() => ['list' => $read]);
        ob_start();
        do_action('admin_notices');
        return ob_get_clean();`,
        user,
      );
    const notice = await noticeFor('admin', '99.0.0');
    assert.match(notice, /Version 99\.0\.0 of the plugin Lead Prequal has a security fault: A fault\.</);
    assert.match(notice, /href="https:\/\/leads\.example\.com\/embed\/v1\/lead-prequal-wordpress\.zip"/);
    assert.doesNotMatch(await noticeFor('admin', '98.0.0'), /security fault/);
    assert.doesNotMatch(await noticeFor('author', '99.0.0'), /security fault/);
  });

  test('the plugin taken away takes brackets out of text alone, and makes no link run', async () => {
    const trap = '<a href="java[lead_prequal a=/?]script:window.ran=1">x</a>';
    const content = `${trap}<p>[lead_prequal layout="single"]${pinnedLink('1.5.0')}Apply</a>[/lead_prequal] and [lead_prequal]</p>`;
    const left = await site.php(
      `$id = wp_insert_post(wp_slash(['post_title' => 'x', 'post_content' => ${phpText(content)}]));
      wp_set_current_user(get_user_by('login', 'admin')->ID);
      deactivate_plugins('lead-prequal/lead-prequal.php');
      uninstall_plugin('lead-prequal/lead-prequal.php');
      return get_post($id)->post_content;`,
      'author',
    );
    assert.equal(short(left as string), `${trap}<p>{Apply} and ${link}</p>`);
  });

  test('PHP has nothing to complain about', () => {
    assert.deepEqual(site.complaints(), []);
  });
});
