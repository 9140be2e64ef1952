/** What docs/embedding.md tells readers to run, run as it stands there. Its snippet is made from the code. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {after, suite, test} from 'node:test';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';

const guide = readFileSync('docs/embedding.md', 'utf8');
const commands = [...guide.matchAll(/^npx lead-prequal (.+)$/gm)].map(([, words = '']) => words.split(' '));

suite('the guide for the person who runs a website', () => {
  const folder = makeTemporaryFolder();
  after(() => folder.remove());
  const settings = {
    ...serviceSettings(folder.path, {partners: [{key: 'acme', origins: ['https://www.acme.example']}]}),
    PUBLIC_URL: 'https://leads.example.com',
  };

  test('the commands in the guide print a snippet, and find that the origin of the site is listed', async () => {
    const printed = new Map<string, string>();
    for (const words of commands) {
      const {code, stdout, stderr} = await runCommand(settings, ...words);
      assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
      printed.set(words.slice(0, 2).join(' '), stdout);
    }
    assert.deepEqual([...printed.keys()], ['partners snippet', 'config check']);
    assert.match(printed.get('partners snippet') ?? '', /<lead-prequal-form/);
    assert.match(printed.get('config check') ?? '', /^✓ Pages of https:.* may use the form of "acme"\.$/m);
  });

  test('the React snippet compiles in TypeScript with the declaration of the guide', async () => {
    const [, declaration = ''] = /`(declare module 'react' [^`]+)`/.exec(guide) ?? [];
    const {stdout} = await runCommand(settings, 'partners', 'snippet', 'acme', '--host', 'react');
    const [component = ''] = /^export const [^]*?^\);$/m.exec(stdout) ?? [];
    assert.match(component, /<lead-prequal-form/);
    const file = join(folder.path, 'funding-form.tsx');
    writeFileSync(file, `${declaration}\n${component}`);
    symlinkSync(resolve('node_modules'), join(folder.path, 'node_modules'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'];
    const target = ['--jsx', 'react-jsx', '--module', 'esnext', '--moduleResolution', 'bundler'];
    execFileSync(resolve('node_modules/.bin/tsc'), [...options, ...target, file], {stdio: 'inherit'});
  });
});
