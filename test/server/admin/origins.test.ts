/** `lead-prequal config check --origin`: which origins may use the form of a partner. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {originFault} from '../../../server/admin/partners.ts';
import {readConfig} from '../../../server/config/config.ts';
import {readPartners} from '../../../server/config/partners.ts';
import {assertFails, runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';

const useSettings = (t: TestContext, further: Record<string, string> = {}) => ({
  ...serviceSettings(temporaryFolder(t)),
  ...{PUBLIC_URL: 'https://leads.example.com', PORT: '0'},
  ...further,
});
/** Runs `config check` about pages of partners. */
const check = (settings: Record<string, string>, ...words: string[]) =>
  runCommand(settings, 'config', 'check', ...words);

/** What is wrong with an origin of the first partner. */
function faultOf(origin: string, settings: Record<string, string>) {
  const config = readConfig(settings);
  return originFault(origin, config.partners[0], config);
}

function usePartnersFile(t: TestContext) {
  const path = join(temporaryFolder(t), 'partners.json');
  const write = (origins: string) =>
    writeFileSync(path, `{"partners": [{"key": "acme", "cid": "1001",\n${origins}\n}]}`);
  write('"origins": ["https://www.acme.example", "https://*.acme.example"]');
  return {path, write, settings: useSettings(t, {PARTNERS_FILE: path})};
}

suite('lead-prequal config check --origin', () => {
  test('a listed origin may use the form', async (t) => {
    const {code, stdout} = await check(useSettings(t), '--partner', 'acme', '--origin', listedOrigin);
    assert.equal(code, 0);
    assert.ok(stdout.endsWith(`✓ Pages of ${listedOrigin} may use the form of "acme".\n`), stdout);
  });

  test('of a configuration that is wrong, only its faults are listed', async (t) => {
    const settings = useSettings(t, {PORT: 'none'});
    const words = ['--partner', 'acme', '--origin', listedOrigin];
    const {code, stdout, stderr} = await check(settings, ...words);
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(stdout, /^✗ PORT .+\n$/);
  });

  test('an origin that a wildcard covers may use the form, and so may that of the server', (t) => {
    const {settings} = usePartnersFile(t);
    for (const origin of ['https://shop.acme.example', 'https://leads.example.com'])
      assert.equal(faultOf(origin, settings), undefined);
  });

  test('the line that lists an origin in the partners file is printed, and makes it accepted', async (t) => {
    const {path, write, settings} = usePartnersFile(t);
    const words = ['--partner', 'acme', '--origin', 'https://new.example'];
    const {code, stdout} = await check(settings, ...words);
    const line = '"origins": ["https://www.acme.example", "https://*.acme.example", "https://new.example"]';
    assert.equal(code, 1);
    assert.ok(
      stdout.endsWith(`✗ https://new.example is not among the origins of "acme". \
Replace "origins" of "acme" in ${path} by this line, and run "lead-prequal reload":
  ${line}
`),
      stdout,
    );
    write(line);
    assert.equal(readPartners(path).content.partners[0].origins.length, 3);
    assert.equal(faultOf('https://new.example', settings), undefined);
  });

  test('the setting that lists an origin is named where there is no partners file', (t) => {
    const settings = useSettings(t);
    const listing = `EMBED_ORIGINS=${listedOrigin},https://new.example`;
    assert.ok(faultOf('https://new.example', settings)?.endsWith(`and restart the server:\n  ${listing}`));
    const changed = {...settings, EMBED_ORIGINS: `${listedOrigin},https://new.example`};
    assert.equal(faultOf('https://new.example', changed), undefined);
  });

  test('the origin null could be any page: the apply page is named instead', (t) => {
    assert.match(faultOf('null', useSettings(t)) ?? '', /https:\/\/leads\.example\.com\/apply\/acme/);
  });

  for (const [given, meant] of [
    ['https://www.acme.example/funding', 'https://www.acme.example'],
    ['https://www.acme.example/', 'https://www.acme.example'],
    ['https://WWW.acme.example', 'https://www.acme.example'],
    ['https://*.acme.example', 'https://www.acme.example'],
    ['www.acme.example', 'https://www.example.com'],
    ['file:///home/page.html', 'https://www.example.com'],
    ['', 'https://www.example.com'],
  ] as const) {
    test(`"${given}" is not the origin of a page, and ${meant} is named`, (t) => {
      const fault = faultOf(given, useSettings(t)) ?? '';
      assert.match(fault, /is not the origin of a page/);
      assert.ok(fault.endsWith(` such as ${meant}.`), fault);
    });
  }

  test('an unknown partner is named with those that there are', async (t) => {
    const words = ['--partner', 'acne', '--origin', listedOrigin];
    const {code, stderr} = await check(useSettings(t), ...words);
    assert.equal(code, 1);
    assert.match(stderr, /no partner "acne".*acme/);
  });

  test('one of --partner and --origin without the other is refused', async (t) => {
    assertFails(await check(useSettings(t), '--origin', listedOrigin), /--partner and --origin go together/);
  });
});
