/** What runs on a machine when the packages are installed: only what package.json names. */
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';

const root = join(import.meta.dirname, '../..');
const read = <Content>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Content;

type Locked = {hasInstallScript?: true; resolved?: string; link?: true};
const {packages} = read<{packages: Record<string, Locked>}>('package-lock.json');

suite('the packages that npm ci installs', () => {
  test('the packages that npm ci installs run a script only when package.json allows or forbids it by name', () => {
    const {allowScripts} = read<{allowScripts: Record<string, boolean>}>('package.json');
    const withScript = Object.entries(packages).filter(([, {hasInstallScript}]) => hasInstallScript);
    const names = withScript.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13));
    assert.ok(names.length > 0);
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(allowScripts, name)),
      [],
    );
  });
  test('the packages that npm ci installs report no install to anybody: what swagger-ui-dist would do it with is an empty package of ours', () => {
    const scarf = Object.entries(packages).filter(([path]) => path.endsWith('node_modules/@scarf/scarf'));
    assert.deepEqual(scarf, [['node_modules/@scarf/scarf', {resolved: 'build/no-analytics', link: true}]]);
    const stand = read<Record<string, unknown>>('build/no-analytics/package.json');
    assert.ok(!('scripts' in stand) && !('bin' in stand) && !('dependencies' in stand));
    assert.ok(!existsSync(join(root, 'build/no-analytics/report.js')));
  });
});
