/**
 * The plugin on real WordPress sites, from the upload of its zip to the day on which it is taken away. The server of the
 * first tests has one release of the form; the server of the later ones has withdrawn it, and has what was built.
 */
import assert from 'node:assert/strict';
import {cpSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import type {Browser, Page} from 'playwright-core';
import {classicFile, wordpressPlugin} from '../../../contract/api.ts';
import {reservedHeights} from '../../../form/reserved-heights.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {launchChromium} from '../../support/launch-chromium.ts';
import {freePort} from '../../support/free-port.ts';
import {openFor, suiteOwner, type Owner} from '../../support/opened.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {startTestServer, type TestServer} from '../../support/test-server.ts';
import {walk} from '../partner-pages/way.ts';
import {startDatabase, startWordPress, withoutWordPress, type WordPress} from './site.ts';
import {leadsOf} from '../../support/encrypted-rows.ts';

const {version: built} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
const zip = join('dist/embed', built, wordpressPlugin);
const released = '1.4.0';
const {integrity} = JSON.parse(readFileSync(join('releases', released, 'manifest.json'), 'utf8')) as {
  integrity: Record<string, string>;
};

const phpList = (texts: readonly string[]) => `[${texts.map(phpText).join(', ')}]`;
const phpText = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

suite('the plugin for WordPress', {concurrency: 1, skip: withoutWordPress}, () => {
  const owner = suiteOwner();
  const folder = makeTemporaryFolder();
  owner.after(() => folder.remove());
  let browser: Browser;
  let site: WordPress;
  let network: WordPress;
  let server: TestServer;

  /** On the same port and with the same leads. */
  async function serve(port: number, withdrawnVersions: string[] = []) {
    const consent = {text: 'I agree to be called about my estimate.', version: '2026-11', required: true};
    const starting = startTestServer({
      port,
      publicUrl: `http://localhost:${port}`,
      releasesFolder: join(folder.path, 'releases'),
      withdrawnVersions,
      databasePath: join(folder.path, 'leads.sqlite'),
      partners: [
        onePartner({
          key: 'acme',
          origins: [site.url, network.url],
          cid: '1001',
          consent,
          colors: {accent: '#0b7a5a'},
        }),
        onePartner({key: 'other', origins: ['https://www.other.example'], cid: '2001', consent}),
      ],
    });
    return openFor(owner, starting);
  }

  before(async () => {
    cpSync(join('releases', released), join(folder.path, 'releases', released), {recursive: true});
    const database = await openFor(owner, startDatabase());
    [site, network] = await Promise.all([
      openFor(owner, startWordPress(database, {theme: 'twentytwentythree', plugin: zip})),
      openFor(owner, startWordPress(database, {theme: 'twentytwentyone', network: true, plugin: zip})),
    ]);
    browser = await launchChromium();
    owner.after(() => browser.close());
    server = await serve(await freePort());
    const settings = `update_option('lead_prequal', ['server' => '${server.config.publicUrl}', 'partner' => 'acme']);`;
    await site.php(
      `activate_plugin('lead-prequal/lead-prequal.php'); get_role('editor')->remove_cap('unfiltered_html'); ${settings}`,
    );
    await network.php(`activate_plugin('lead-prequal/lead-prequal.php', '', true);`);
    await network.php(`${settings} switch_to_blog(2); ${settings}`);
  });

  /** A browser window of a user of the site, or of a visitor. */
  async function windowOf(owner: Owner, user?: string): Promise<Page> {
    const context = await browser.newContext();
    owner.after(() => context.close());
    // Nothing but this machine is asked.
    await context.route(/^https?:\/\/(?!localhost)/, (route) => route.abort());
    if (user !== undefined) await context.addCookies(await site.cookies(user));
    return context.newPage();
  }

  /** Fills in the form on a page, and throws an error unless one lead is stored. */
  async function sendLead(owner: Owner, address: string, email: string) {
    const page = await windowOf(owner);
    const trouble: string[] = [];
    page.on('pageerror', ({message}) => trouble.push(message));
    await page.goto(address);
    await walk(page, undefined, email);
    assert.deepEqual(trouble, []);
    const leads = leadsOf(server.config.databasePath, email);
    assert.deepEqual(
      leads.map(({partner, status}) => ({partner, status})),
      [{partner: 'acme', status: 'done'}],
    );
  }

  const htmlOf = async (address: string) => {
    const [, body = ''] = (await (await fetch(address)).text()).split('<main');
    return body;
  };
  const contentOf = (id: number, where = site) => where.php<string>(`return get_post(${id})->post_content;`);

  /** As the editor saves it. */
  const block = () => `<!-- wp:lead-prequal/form -->
<p class="wp-block-lead-prequal-form"><a href="${server.config.publicUrl}/apply/acme" data-prequal-version="${released}" data-prequal-integrity="${integrity[classicFile]}" data-prequal-height="${reservedHeights.steps}">Open the form on its own page</a></p>
<!-- /wp:lead-prequal/form -->`;

  /** @returns the id of a new post, which WordPress filters as that of this user */
  const addPost = (content: string, user = 'author', where = site, first = '') =>
    where.php<number>(
      `${first} return wp_insert_post(wp_slash(['post_title' => 'Funding', 'post_status' => 'publish', 'post_content' => ${phpText(content)}]));`,
      user,
    );
  const addressOf = (id: number, where = site) => `${where.url}/?p=${id}`;

  test('an administrator uploads the zip, and the settings say what is wrong until all is right', async (t) => {
    await site.php(
      "deactivate_plugins('lead-prequal/lead-prequal.php'); delete_plugins(['lead-prequal/lead-prequal.php']);",
    );
    const page = await windowOf(t, 'admin');
    await page.goto(`${site.url}/wp-admin/plugin-install.php?tab=upload`);
    await page.locator('input[type=file]').setInputFiles(zip);
    await page.getByRole('button', {name: 'Install Now'}).click();
    await page.getByRole('link', {name: 'Activate Plugin'}).click();
    await page
      .getByRole('row', {name: /Lead Prequal/})
      .getByRole('link', {name: 'Settings'})
      .click();
    const save = async (address: string, partner: string, answer: string) => {
      await page.getByLabel('Address of the lead server').fill(address);
      await page.getByLabel('Your partner key').fill(partner);
      await page.getByRole('button', {name: 'Save Changes'}).click();
      await page.getByText(answer).waitFor();
    };
    await save(site.url, 'acme', `No lead server answers at ${site.url}`);
    await save(server.config.publicUrl, 'acmee', 'The server does not know this partner key.');
    await save(server.config.publicUrl, 'other', `to put ${site.url} on your list`);
    await save(
      `${server.config.publicUrl}/`,
      'acme',
      `Everything is ready. New forms get version ${released}.`,
    );
  });

  test('an author puts the form into a post with the block, and the lead of a visitor arrives', async (t) => {
    const page = await windowOf(t, 'author');
    await page.goto(`${site.url}/wp-admin/post-new.php`);
    await page.getByRole('textbox', {name: 'Add title'}).fill('Funding');
    await page.getByRole('button', {name: 'Toggle block inserter'}).click();
    await page.getByRole('searchbox').first().fill('funding');
    await page.getByRole('option', {name: 'Funding form'}).click();
    const sample = page.frameLocator('iframe[title="Funding form"]');
    await sample.getByText('Nothing you type is sent').waitFor();
    await page.getByRole('button', {name: 'Publish', exact: true}).click();
    await page.getByLabel('Editor publish').getByRole('button', {name: 'Publish', exact: true}).click();
    await page.getByText('is now live').first().waitFor();

    const [post = 0] = await site.php<number[]>(
      "return get_posts(['numberposts' => 1, 'fields' => 'ids', 'author_name' => 'author']);",
    );
    assert.equal(await contentOf(post), block());
    const html = await htmlOf(addressOf(post));
    assert.match(html, /<script data-cfasync="false" .*async src=".*classic\.js" integrity="sha384-/);
    await sendLead(t, addressOf(post), 'block@example.com');
  });

  test('an editor without unfiltered_html changes the post, and the form stays as it is', async (t) => {
    const post = await addPost(block());
    const page = await windowOf(t, 'editor');
    await page.goto(`${site.url}/wp-admin/post.php?post=${post}&action=edit`);
    await page.frameLocator('iframe[title="Funding form"]').getByText('Nothing you type is sent').waitFor();
    await page.locator('.editor-post-title__input').fill('How much funding?');
    await page.getByRole('button', {name: 'Update', exact: true}).click();
    await page.getByText('Post updated.').first().waitFor();
    assert.equal(await contentOf(post), block());
  });

  test('the block shows its sample also in an editor that stands in a frame', async (t) => {
    const page = await windowOf(t, 'admin');
    await page.goto(`${site.url}/wp-admin/site-editor.php`);
    const canvas = page.frameLocator('iframe[name="editor-canvas"]');
    await canvas.getByText('Mindblown').waitFor();
    await page.evaluate(() => {
      const {blocks, data} = (window as unknown as {wp: Wp}).wp;
      data.dispatch('core/block-editor').insertBlocks(blocks.createBlock('lead-prequal/form'), 0);
    });
    await canvas.frameLocator('iframe[title="Funding form"]').getByText('Nothing you type is sent').waitFor();
  });

  test('an author writes the shortcode, in a classic theme of a network, and a lead arrives', async (t) => {
    const text = 'First paragraph.\n\n[lead_prequal layout="single" order="wrong"]\n\nLast paragraph.';
    const onePage = await addPost(text, 'author', network);
    const saved = await contentOf(onePage, network);
    assert.match(saved, /^First paragraph\.\n\n\[lead_prequal layout="single" order="wrong"\]<a href=/);
    const html = await htmlOf(addressOf(onePage, network));
    assert.match(html, /<p>First paragraph\.<\/p>\s*<div class="wp-block-lead-prequal-form">/);
    assert.match(
      html,
      /partner="acme" layout="single" draft="" style="display: block; min-height: clamp\(97em/,
    );
    const steps = await addPost('[lead_prequal]', 'author', network);
    await sendLead(t, addressOf(steps, network), 'shortcode@example.com');
  });

  test('an editor, whose HTML a network filters, places the block, and a lead arrives', async (t) => {
    assert.equal(await network.php<boolean>("return current_user_can('unfiltered_html');", 'editor'), false);
    const id = await addPost(block(), 'editor', network, 'switch_to_blog(2);');
    await sendLead(t, `${network.url}/second/?p=${id}`, 'network@example.com');
  });

  test('what is no pin is never printed, whatever an author writes', async () => {
    const hash = `sha384-${'a'.repeat(64)}`;
    const link = (version: string, integrity: string, height: string) =>
      `[lead_prequal]<a href="https://a.example" data-prequal-version="${version}" data-prequal-integrity="${integrity}" data-prequal-height="${height}">Apply</a>[/lead_prequal]`;
    const [right = '', ...others] = await site.php<string[]>(
      `return array_map('do_shortcode', ${phpList([
        link('1.4.0', hash, '28em'),
        link('1.4.0/../..', hash, '28em'),
        link('1.4.0', `${hash} sha384-b`, '28em'),
        link('1.4.0', hash, '28em; background: url(https://a.example)'),
        link('1.4.0', hash, '28em&quot; onclick=&quot;alert(1)'),
      ])});`,
    );
    assert.match(
      right,
      /min-height: 28em; --prequal-partner-accent: #0b7a5a">.*<script .*\/embed\/1\.4\.0\//,
    );
    const onlyLink = `<p><a href="${server.config.publicUrl}/apply/acme">Apply</a></p>`;
    assert.deepEqual(others, [onlyLink, onlyLink, onlyLink, onlyLink]);
  });

  test('a page is made without a question to the server', async () => {
    const html = await site.php<string>(`
      delete_transient('lead_prequal_versions');
      add_filter('pre_http_request', function () { throw new Exception('The server was asked.'); });
      add_filter('privacy_policy_url', fn() => 'https://www.acme.example/privacy');
      return apply_filters('the_content', ${phpText(block())});
    `);
    assert.match(
      html,
      /<lead-prequal-form partner="acme" draft="" privacy-href="https:\/\/www\.acme\.example\/privacy"/,
    );
  });

  test('an answer that is not that of a lead server counts as none', async () => {
    const list = JSON.parse(await (await server.fetch('/embed/versions.json')).text()) as {
      versions: {integrity: Record<string, string>}[];
    };
    const [first] = list.versions;
    const classic = 'lead-prequal-form.classic.js';
    const answers = [
      list,
      null,
      [],
      'text',
      {...list, newest: '1.4.0"><script>'},
      {...list, newest: null},
      {...list, versions: 'none'},
      {...list, versions: [{...first, integrity: {[classic]: 'sha384-short'}}]},
      {...list, heights: {steps: '1em'}},
      {...list, heights: {steps: '1em', 'contact-first': '1em', standard: '1em', single: '1em"'}},
    ].map((answer) => JSON.stringify(answer));
    const [read, ...others] = await site.php<({version: string} | null)[]>(
      `$read = fn($body) => LeadPrequal\\read_versions(['response' => ['code' => 200], 'body' => $body]);
      return array_map($read, ${phpList(answers)});`,
    );
    assert.equal(read?.version, released);
    assert.deepEqual(
      others,
      others.map(() => null),
    );
  });

  test('outside of a developer’s machine, the settings take https alone', async () => {
    const saved = await site.php(
      `add_filter('option_lead_prequal', fn() => ['server' => 'https://old.example', 'partner' => 'old']);
      return array_map('LeadPrequal\\read_settings', [
        ['server' => 'https://leads.example.com/ ', 'partner' => ' acme '],
        ['server' => 'javascript:alert(1)', 'partner' => 'a"b'],
        ['server' => 'http://leads.example.com', 'partner' => 'acme'],
        ['server' => ['https://a.example'], 'partner' => null],
      ]);`,
      'admin',
      'production',
    );
    assert.deepEqual(saved, [
      {server: 'https://leads.example.com', partner: 'acme'},
      {server: 'https://old.example', partner: 'old'},
      {server: 'https://old.example', partner: 'acme'},
      {server: '', partner: ''},
    ]);
  });

  test('the notice of a security fault names the posts that its reader may edit, and is text', async () => {
    const [byAuthor, byEditor] = [await addPost(block()), await addPost(block(), 'editor')];
    const noticeFor = (user: string) =>
      site.php<string>(
        `$list = ['advisories' => ['${released}' => ['security' => 'A <b>fault</b>.']]] + LeadPrequal\\versions();
        add_filter('pre_transient_lead_prequal_versions', fn() => ['list' => $list]);
        ob_start();
        do_action('admin_notices');
        return ob_get_clean();`,
        user,
      );
    const linkTo = (id: number) => `post.php?post=${id}&#038;action=edit`;
    const notice = await noticeFor('author');
    assert.match(notice, /has a security fault: A &lt;b&gt;fault&lt;\/b&gt;\.</);
    assert.ok(notice.includes(linkTo(byAuthor)));
    assert.ok(!notice.includes(linkTo(byEditor)));
    assert.ok((await noticeFor('admin')).includes(linkTo(byEditor)));
  });

  test('a site in any Spanish gets the words in Spanish', async () => {
    const setLanguage = (tag: string) =>
      // WordPress sets only languages of which it has a pack itself.
      site.php(
        `$GLOBALS['wpdb']->replace($GLOBALS['wpdb']->options, ['option_name' => 'WPLANG', 'option_value' => '${tag}']);`,
      );
    await setLanguage('es_MX');
    const words = await site.php(
      "return [__('Settings', 'lead-prequal'), WP_Block_Type_Registry::get_instance()->get_registered('lead-prequal/form')->title];",
    );
    await setLanguage('');
    assert.deepEqual(words, ['Ajustes', 'Formulario de financiamiento']);
  });

  test('withdrawing a version shows a notice, whose button brings the newest one to all posts', async (t) => {
    const post = await addPost(block());
    const {port} = server;
    await server.close();
    cpSync(join('dist/embed', built), join(folder.path, 'releases', built), {recursive: true});
    server = await serve(port, [released]);
    await site.php("delete_transient('lead_prequal_versions');");

    const byAuthor = await windowOf(t, 'author');
    await byAuthor.goto(`${site.url}/wp-admin/post.php?post=${post}&action=edit`);
    await byAuthor.getByText('has withdrawn this version').first().waitFor();

    const forged = await byAuthor.request.post(`${site.url}/wp-admin/admin-post.php`, {
      form: {action: 'lead_prequal_renew'},
    });
    assert.equal(forged.status(), 403);
    assert.equal(await contentOf(post), block());

    const page = await windowOf(t, 'admin');
    await page.goto(`${site.url}/wp-admin/`);
    const notice = page.locator('.notice-error', {
      hasText: `Version ${released} of the funding form is withdrawn`,
    });
    await notice.getByRole('link', {name: 'Funding'}).first().waitFor();
    await notice.getByRole('button', {name: `Use version ${built} there`}).click();
    await page.waitForURL(`${site.url}/wp-admin/`);
    assert.equal(await notice.count(), 0);
    assert.match(await contentOf(post), new RegExp(`data-prequal-version="${built.replaceAll('.', '\\.')}"`));
    await sendLead(t, addressOf(post), 'renewed@example.com');
  });

  test('the plugin taken away leaves a link in place of the form', async () => {
    const link = `<a href="${server.config.publicUrl}/apply/acme"[^>]*>Open the form on its own page</a>`;
    const post = await addPost(block());
    const withShortcode = await addPost('[lead_prequal layout="single"]', 'author', network);
    await site.php("deactivate_plugins('lead-prequal/lead-prequal.php');");
    const html = await htmlOf(addressOf(post));
    assert.match(html, new RegExp(`<p class="wp-block-lead-prequal-form">${link}</p>`));
    assert.doesNotMatch(html, /<lead-prequal-form/);

    await network.php("deactivate_plugins('lead-prequal/lead-prequal.php', false, true);");
    const address = addressOf(withShortcode, network);
    assert.match(await htmlOf(address), new RegExp(`\\[lead_prequal [^\\]]*\\]${link}\\[/lead_prequal\\]`));
    await network.php("uninstall_plugin('lead-prequal/lead-prequal.php');");
    assert.match(await htmlOf(address), new RegExp(`<p>${link}</p>`));
    assert.doesNotMatch(await htmlOf(address), /lead_prequal/);
    const left = await network.php(`
      global $wpdb;
      return array_map(fn($site) => switch_to_blog($site) ? $wpdb->get_col("SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%lead_prequal%' UNION SELECT meta_key FROM $wpdb->postmeta WHERE meta_key LIKE '%lead_prequal%'") : [], [1, 2]);
    `);
    assert.deepEqual(left, [[], []]);
  });

  test('PHP has nothing to complain about', () => {
    assert.deepEqual([site.complaints(), network.complaints()], [[], []]);
  });
});

/** What the site editor's page has of WordPress's scripts. */
type Wp = {
  blocks: {createBlock(name: string): unknown};
  data: {dispatch(store: string): {insertBlocks(block: unknown, index: number): void}};
};
