/** `lead-prequal partners list` and `snippet`, and the snippet that the server prints at its start. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {readConfig, releasesFolder} from '../../../server/config/config.ts';
import {platformNames, platforms, type Block} from '../../../server/snippets/platforms.ts';
import {snippetForTerminal} from '../../../server/snippets/terminal.ts';
import {readVersions} from '../../../server/versions/embed-versions.ts';
import {assertFails, linesOf, runCommand} from '../../support/operator.ts';
import {writeConfig, type FileFields} from '../../support/config-file.ts';
import {serviceSettings, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin, otherOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

/** The releases that a server has without a build, the newest first. */
const releases = readVersions({releasesFolder, embedFolder: join(releasesFolder, 'none')}).map(
  ({name}) => name,
);
const [release] = releases;

/** The settings of a server with two partners. */
function environmentOf(t: TestContext, fields: FileFields = {}) {
  const folder = temporaryFolder(t);
  const settings = serviceSettings(folder);
  const contact = {origins: [otherOrigin], lead_types: ['standard'], context_fields: ['brand', 'store']};
  const partners = [
    {name: 'Acme Funding', origins: [listedOrigin, otherOrigin]},
    {key: 'contact', cid: '2001', ...contact},
  ];
  const CONFIG_FILE = writeConfig(folder, partners, {}, fields);
  return {
    folder,
    environment: {...settings, PUBLIC_URL: 'https://leads.example.com', CONFIG_FILE},
  };
}

type Json = {partner: string; warning?: string; steps: string[]; blocks: Block[]};

/** Runs `partners snippet` with these words after it. */
const snippetOf = (environment: Record<string, string>, ...words: string[]) =>
  runCommand(environment, 'partners', 'snippet', ...words);

suite('lead-prequal partners snippet', () => {
  test('the code alone goes to standard output, and what to do with it to standard error', async (t) => {
    const {environment} = environmentOf(t);
    const {code, stdout, stderr} = await snippetOf(environment, 'acme');
    assert.equal(code, 0);
    const [, src, rest = ''] = /^<script type="module" src="([^"]+)"([^]*)$/.exec(stdout) ?? [];
    assert.equal(src, `https://leads.example.com/embed/${release}/lead-prequal-form.js`);
    assert.match(
      rest,
      /^ integrity="sha384-[^"]+" crossorigin><\/script>\n<style>[^<]+<\/style>\n<lead-prequal-form partner="acme" draft style="[^"]+">\n.*\n<\/lead-prequal-form>\n$/,
    );
    assert.match(stderr, /^Your own HTML:\n1\. Paste this/);
    assert.doesNotMatch(stderr, /is a build/);
  });

  test('the code of a build, where there is no release, comes with a warning', async (t) => {
    const {environment} = environmentOf(t, {withdrawn_versions: releases});
    const {embedFolder} = readConfig(environment);
    const [build] = readVersions({embedFolder, releasesFolder: join(releasesFolder, 'none')});
    const {stdout, stderr} = await snippetOf(environment, 'acme');
    assert.ok(build, 'The form is not built: run "npm run build" first');
    assert.ok(stdout.includes(`embed/${build.name}/lead-prequal-form.js?build=`), stdout);
    assert.ok(stderr.includes(`${build.name} is a build`), stderr);
  });

  test('each host has code of its own, and JSON has the same texts', async (t) => {
    const {environment} = environmentOf(t);
    await Promise.all(
      platformNames.map(async (host) => {
        const forPeople = await snippetOf(environment, 'acme', '--host', host);
        const forPrograms = await snippetOf(environment, 'acme', '--host', host, '--json');
        const [{steps, blocks, ...others} = assert.fail()] = linesOf<Json>(forPrograms);
        assert.deepEqual(others, {partner: 'acme', host, name: platforms[host].name, version: release});
        assert.equal(forPeople.stdout, `${blocks.map(({code}) => code).join('\n\n')}\n`);
        for (const text of [...steps, ...blocks.map(({title}) => `\n${title}:\n`)])
          assert.ok(forPeople.stderr.includes(text), text);
      }),
    );
  });

  test('attributes, looks and the version can be chosen as on the page', async (t) => {
    const {environment} = environmentOf(t);
    const options = '--look night --layout single --lang es --history --draft off --accent #123456 --newest';
    const {stdout} = await snippetOf(environment, 'acme', ...options.split(' '));
    assert.match(
      stdout,
      /<lead-prequal-form partner="acme" layout="single" theme="dark" lang="es" history style=/,
    );
    assert.match(stdout, /--prequal-accent: #123456; --prequal-background: #111726/);
    const major = release?.split('.', 1)[0];
    assert.ok(
      stdout.includes(`src="https://leads.example.com/embed/v${major}/lead-prequal-form.js" crossorigin>`),
      stdout,
    );
  });

  test('a snippet keeps drafts by itself, and with the option of earlier versions', async (t) => {
    const {environment} = environmentOf(t);
    for (const option of [[], ['--draft'], ['--draft', 'on']]) {
      const {stdout} = await snippetOf(environment, 'acme', ...option);
      assert.match(stdout, /<lead-prequal-form partner="acme"[^>]* draft style=/);
    }
  });

  test('code that sends leads to another server comes with a warning', async (t) => {
    const {environment} = environmentOf(t);
    const words = ['acme', '--endpoint', 'https://other.example'];
    const warning =
      'Leads from this snippet go to https://other.example and not to this server. Paste it only if you know that server.';
    const {stdout, stderr} = await snippetOf(environment, ...words);
    assert.ok(stderr.startsWith(`Warning: ${warning}\n\nYour own HTML:`), stderr);
    assert.match(stdout, /^<script/);
    const [json] = linesOf<Json>(await snippetOf(environment, ...words, '--json'));
    assert.equal(json?.warning, warning);
  });

  test('a snippet takes hidden fields by the option that "leads" has, and refuses others', async (t) => {
    const {environment} = environmentOf(t);
    const contact = (...words: string[]) => snippetOf(environment, 'contact', ...words);
    const {stdout} = await contact('--context', 'store=7 "a"', '--context', 'brand=north');
    assert.match(stdout, / draft context-brand="north" context-store="7 &quot;a&quot;" style=/);
    const frame = await contact('--host', 'frame', '--context', 'brand=north');
    assert.match(frame.stdout, /src="https:\/\/leads\.example\.com\/apply\/contact\?context-brand=north"/);
    assertFails(
      await contact('--context', 'bran=north', '--context', 'store={{7}}'),
      /^--context bran is not one of contact's context_fields \(brand, store\)\.\n--context store must have none of the signs/,
    );
    const none = await snippetOf(environment, 'acme', '--context', 'brand=north');
    assertFails(none, /^--context brand is not one of acme's context_fields \(none\)\./);
  });

  test('wrong values are named by their options, all at once', async (t) => {
    const {environment} = environmentOf(t);
    const options = '--layout columns --radius 12 --lead-type prequalification'.split(' ');
    const ran = await snippetOf(environment, 'contact', ...options);
    assertFails(ran, /^--layout/);
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      '--layout must be one of steps, single.',
      '--lead-type must be standard: this partner takes no other leads.',
      '--radius must be a length such as 12px.',
    ]);
  });

  test('an unknown partner is named with those that there are', async (t) => {
    const {environment} = environmentOf(t);
    const says = /^There is no partner "acne"\. The partners are: acme, contact\n$/;
    assertFails(await snippetOf(environment, 'acne'), says);
  });
});

test('partners are listed with their origins and the address of their page', async (t) => {
  const {environment} = environmentOf(t);
  const page = 'https://leads.example.com/apply';
  assert.deepEqual(linesOf(await runCommand(environment, 'partners', 'list', '--json')), [
    {partner: 'acme', name: 'Acme Funding', origins: [listedOrigin, otherOrigin], page: `${page}/acme`},
    {partner: 'contact', name: 'contact', origins: [otherOrigin], page: `${page}/contact`},
  ]);
  const table = await runCommand(environment, 'partners', 'list');
  assert.match(table.stdout, /^partner +name +origins +page\nacme +Acme Funding +https:/);
});

suite('the snippet that the server prints at its start', () => {
  const wordsOf = {
    on: 'https://leads.example.com/embed/snippets?partner=acme',
    off: 'lead-prequal partners snippet acme --host wordpress',
  };
  const printed = (environment: Record<string, string>) => {
    const config = readConfig(environment);
    return snippetForTerminal(config, readVersions(config));
  };

  for (const page of ['on', 'off'] as const) {
    test(`it is that of the first partner, with the page of snippets ${page}`, async (t) => {
      const {environment} = environmentOf(t, {snippets_page: page === 'on'});
      const {stdout} = await snippetOf(environment, 'acme');
      const text = printed(environment);
      assert.ok(text.includes('\nTo put the form of Acme Funding on a page'), text);
      assert.ok(text.includes(`\n\n${stdout}`), text);
      assert.ok(text.trimEnd().endsWith(wordsOf[page]), text);
    });
  }

  test('it goes to standard error as it is, so that it can be pasted', async (t) => {
    const {environment, folder} = environmentOf(t);
    const service = await startService(environment, folder);
    t.after(() => service.end('SIGKILL'));
    await until(() => service.lines.some((line) => line.endsWith(wordsOf.on)));
    const lines = service.lines.filter((line) => !line.startsWith('{')).join('\n');
    assert.ok(lines.includes(printed(environment).trimEnd()), lines);
  });
});
