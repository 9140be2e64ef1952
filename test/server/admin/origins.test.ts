/** `lead-prequal config check --origin`: which origins may use the form of a partner. */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {suite, test, type TestContext} from 'node:test';
import {originFault} from '../../../server/admin/partners.ts';
import {readConfig} from '../../../server/config/config.ts';
import {writeConfig} from '../../support/config-file.ts';
import {assertFails, runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';

const useSettings = (t: TestContext) => ({
  ...serviceSettings(temporaryFolder(t)),
  ...{PUBLIC_URL: 'https://leads.example.com', PORT: '0'},
});
/** Runs `config check` about pages of partners. */
const check = (settings: Record<string, string>, ...words: string[]) =>
  runCommand(settings, 'config', 'check', ...words);

/** What is wrong with an origin of the first partner. */
function faultOf(origin: string, settings: Record<string, string>) {
  const config = readConfig(settings);
  return originFault(origin, config.partners[0], config);
}

suite('lead-prequal config check --origin', () => {
  test('a listed origin may use the form', async (t) => {
    const {code, stdout} = await check(useSettings(t), '--partner', 'acme', '--origin', listedOrigin);
    assert.equal(code, 0);
    assert.ok(stdout.endsWith(`✓ Pages of ${listedOrigin} may use the form of "acme".\n`), stdout);
  });

  test('of a configuration that is wrong, only its faults are listed', async (t) => {
    const settings = {...useSettings(t), PORT: 'none'};
    const words = ['--partner', 'acme', '--origin', listedOrigin];
    const {code, stdout, stderr} = await check(settings, ...words);
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(stdout, /^✗ PORT .+\n$/);
  });

  test('an origin that a wildcard covers may use the form, and so may that of the server', (t) => {
    const settings = useSettings(t);
    const CONFIG_FILE = writeConfig(temporaryFolder(t), [{origins: ['https://*.acme.example']}]);
    for (const origin of ['https://shop.acme.example', 'https://leads.example.com'])
      assert.equal(faultOf(origin, {...settings, CONFIG_FILE}), undefined);
  });

  test('the line that lists an origin in the file is printed, and makes it accepted', async (t) => {
    const settings = useSettings(t);
    const {CONFIG_FILE: path = ''} = settings as Record<string, string>;
    const {code, stdout} = await check(settings, '--partner', 'acme', '--origin', 'https://new.example');
    const line = `"origins": ["${listedOrigin}", "https://new.example"]`;
    assert.equal(code, 1);
    assert.ok(
      stdout.endsWith(`✗ https://new.example is not among the origins of "acme". \
Replace "origins" of "acme" in ${path} by this line, and run "lead-prequal reload":
  ${line}
`),
      stdout,
    );
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"origins":\[.*?\]/, line));
    assert.equal(readConfig(settings).partners[0].origins.length, 2);
    assert.equal(faultOf('https://new.example', settings), undefined);
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

  test('one of --partner and --origin without the other is refused', async (t) => {
    assertFails(await check(useSettings(t), '--origin', listedOrigin), /--partner and --origin go together/);
  });
});
