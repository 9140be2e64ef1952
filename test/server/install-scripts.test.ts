/** What runs on a machine when the packages are installed: only what package.json names. */
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';

const root = join(import.meta.dirname, '../..');
const read = <Content>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Content;

type Locked = {hasInstallScript?: true; resolved?: string; link?: true};
const packagesIn = (folder: string) =>
  read<{packages: Record<string, Locked>}>(`${folder}/package-lock.json`).packages;

/** Each has packages of its own, and npm installs those of all but the first only where they are needed. */
const folders = ['.', 'test/clients/generated', 'test/frameworks', 'test/support/packaged-chromium'];

suite('the packages that npm ci installs', () => {
  test('packages run a script at their install only if package.json allows or forbids it by name', () => {
    const scripts = folders.flatMap((folder) => {
      const {allowScripts = {}} = read<{allowScripts?: Record<string, boolean>}>(`${folder}/package.json`);
      const withScript = Object.entries(packagesIn(folder)).filter(([, locked]) => locked.hasInstallScript);
      const names = withScript.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13));
      return names.map((name) => ({folder, name, isNamed: Object.hasOwn(allowScripts, name)}));
    });
    assert.ok(scripts.length > 0);
    assert.deepEqual(
      scripts.filter(({isNamed}) => !isNamed),
      [],
    );
  });
  test('swagger-ui-dist reports no install, because an empty package of ours replaces its script', () => {
    const scarf = Object.entries(packagesIn('.')).filter(([path]) =>
      path.endsWith('node_modules/@scarf/scarf'),
    );
    assert.deepEqual(scarf, [['node_modules/@scarf/scarf', {resolved: 'build/no-analytics', link: true}]]);
    const stand = read<Record<string, unknown>>('build/no-analytics/package.json');
    assert.ok(!('scripts' in stand) && !('bin' in stand) && !('dependencies' in stand));
    assert.ok(!existsSync(join(root, 'build/no-analytics/report.js')));
  });
});
