/** Which versions are withdrawn or have a security fault, and what the server makes of that. */
import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {wordpressPlugin} from '../../../contract/api.ts';
import {reservedHeights} from '../../../form/reserved-heights.ts';
import {releasesFolder} from '../../../server/config/config.ts';
import {
  isWithdrawn,
  listVersions,
  movingVersions,
  readAllVersions,
  readVersions,
} from '../../../server/versions/embed-versions.ts';
import {newestScript} from '../../../server/snippets/newest-script.ts';
import {makeEmbedVersion, sha384} from '../../support/embed-folder.ts';
import {columnOf} from '../../support/rows.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const plugin = wordpressPlugin;
const publicUrl = 'https://leads.example.com';
const [module, classic] = ['lead-prequal-form.js', 'lead-prequal-form.classic.js'];

/** Releases 1.0.0, 1.1.0 and 1.2.0, and a build 1.3.0. */
function useVersions(t: TestContext, advisories?: object | string) {
  const folder = temporaryFolder(t);
  const folders = {embedFolder: join(folder, 'embed'), releasesFolder: join(folder, 'releases')};
  mkdirSync(folders.releasesFolder);
  makeEmbedVersion(folders.releasesFolder, '1.0.0', {[module]: '1.0.0'});
  for (const version of ['1.1.0', '1.2.0']) {
    makeEmbedVersion(folders.releasesFolder, version, {[module]: version, [classic]: version, 'a.js': 'a'});
  }
  makeEmbedVersion(folders.embedFolder, '1.3.0', {[module]: '1.3.0'});
  if (advisories !== undefined) {
    const text = typeof advisories === 'string' ? advisories : JSON.stringify(advisories);
    writeFileSync(join(folders.releasesFolder, 'advisories.json'), text);
  }
  return folders;
}

suite('the advisories', () => {
  test('of this repository are valid', () => {
    const versions = readVersions({releasesFolder, embedFolder: join(releasesFolder, 'none')});
    assert.ok(versions.length > 0);
  });

  test('the list of versions has the advisories, with the hashes of the files that pages name', (t) => {
    const folders = useVersions(t, {
      '1.0.0': {security: 'A page could read the draft.', fixed_in: '1.1.0'},
      '1.1.0': {withdrawn: 'It could not send leads.'},
    });
    assert.deepEqual(listVersions(readVersions(folders)), {
      newest: '1.2.0',
      versions: [
        {version: '1.3.0', released: false, integrity: {[module]: sha384('1.3.0')}},
        {
          version: '1.2.0',
          released: true,
          integrity: {[module]: sha384('1.2.0'), [classic]: sha384('1.2.0')},
        },
        {
          version: '1.1.0',
          released: true,
          integrity: {[module]: sha384('1.1.0'), [classic]: sha384('1.1.0')},
          withdrawn: 'It could not send leads.',
        },
        {
          version: '1.0.0',
          released: true,
          integrity: {[module]: sha384('1.0.0')},
          security: 'A page could read the draft.',
          fixed_in: '1.1.0',
        },
      ],
      heights: reservedHeights,
    });
  });

  test('a fault of the plugin for WordPress alone is none of the form that came with it', (t) => {
    const folders = useVersions(t, {
      '1.2.0': {plugin: {security: 'An author could store a script.', fixed_in: '1.2.1'}},
      '1.2.1': {plugin: {security: 'Still.'}},
    });
    makeEmbedVersion(folders.releasesFolder, '1.2.0', {[module]: '1.2.0', [plugin]: '1.2.0'});
    makeEmbedVersion(join(folders.releasesFolder, 'wordpress'), '1.2.1', {[plugin]: '1.2.1'});
    assert.deepEqual(columnOf(readVersions(folders), 'name'), ['1.3.0', '1.2.0', '1.1.0', '1.0.0']);
    const {newest, versions, plugins} = listVersions(readAllVersions(folders));
    assert.equal(newest, '1.2.0');
    assert.deepEqual(
      versions.map(({version, security}) => [version, security]),
      ['1.3.0', '1.2.0', '1.1.0', '1.0.0'].map((version) => [version, undefined]),
    );
    assert.deepEqual(plugins, [
      {version: '1.2.1', released: true, integrity: sha384('1.2.1'), security: 'Still.'},
      {
        version: '1.2.0',
        released: true,
        integrity: sha384('1.2.0'),
        security: 'An author could store a script.',
        fixed_in: '1.2.1',
      },
    ]);
  });

  const refused: Record<string, [advisories: object | string, words: RegExp]> = {
    'are not JSON': ['{', /advisories\.json:1:2: is not valid JSON: close brace expected$/],
    'have an unknown field': [{'1.0.0': {reason: 'x'}}, /1\.0\.0.*unknown field: reason/],
    'say nothing of a version': [{'1.0.0': {fixed_in: '1.1.0'}}, /1\.0\.0: must have withdrawn or security/],
    'have an empty reason': [{'1.0.0': {withdrawn: ''}}, /1\.0\.0\.withdrawn: must have a length/],
    'have a reason of two lines': [
      {'1.0.0': {withdrawn: 'x\u2028alert(1)'}},
      /1\.0\.0\.withdrawn: must be one line of text/,
    ],
    'name no exact version': [{'1.0': {withdrawn: 'x'}}, /1\.0: is not an exact version such as 1\.0\.0/],
    'name no version of Semantic Versioning': [
      {'1.0.0-beta..1': {withdrawn: 'x'}},
      /1\.0\.0-beta\.\.1: is not an exact version such as 1\.0\.0/,
    ],
    'name an unknown version': [
      {'1.0.9': {withdrawn: 'x'}},
      /names 1\.0\.9, which this server does not have/,
    ],
    'name a plugin that the version does not have': [
      {'1.2.0': {plugin: {security: 'x'}}},
      /names 1\.2\.0, which this server does not have/,
    ],
    'name an unknown version with the correction': [
      {'1.0.0': {security: 'x', fixed_in: '1.0.9'}},
      /names 1\.0\.9, which this server does not have/,
    ],
  };
  for (const [what, [advisories, words]] of Object.entries(refused)) {
    test(`stop the start in words when they ${what}`, (t) => {
      const folders = useVersions(t, advisories);
      assert.throws(() => readVersions(folders), words);
    });
  }
});

test('an incomplete manifest stops the start with its place', (t) => {
  const folders = useVersions(t);
  const path = join(folders.embedFolder, '1.3.0/manifest.json');
  for (const [text, says] of [
    ['{"version": "1.3.0",\n', '2:1: is not valid JSON: property name expected'],
    ['{"version": "1.3.0"}', '1:1: integrity: is missing'],
  ] as const) {
    writeFileSync(path, text);
    assert.throws(() => readVersions(folders), {message: `${path}:${says}`});
  }
});

suite('a withdrawn version', () => {
  test('is skipped by the script tag, by v1 and by the version to pin', (t) => {
    const folders = {...useVersions(t), withdrawnVersions: ['1.3.0', '1.2.0']};
    const versions = readVersions(folders);
    assert.deepEqual(columnOf(versions.filter(isWithdrawn), 'name'), ['1.3.0', '1.2.0']);
    assert.deepEqual(columnOf(movingVersions(versions).get('v1') ?? [], 'name'), ['1.1.0', '1.0.0']);
    assert.equal(listVersions(versions).newest, '1.1.0');
    assert.match(newestScript({...folders, publicUrl}).script, /\/embed\/1\.1\.0\//);
  });

  test('keeps the reason of its advisory when the operator withdraws it, too', (t) => {
    const advisory = {withdrawn: 'It could not send leads.', security: 'x'};
    const folders = useVersions(t, {'1.1.0': advisory});
    const versions = readVersions({...folders, withdrawnVersions: ['1.1.0', '1.0.0']});
    assert.deepEqual(versions[2]?.advisory, advisory);
    assert.match(versions[3]?.advisory.withdrawn ?? '', /^The operator of this server has withdrawn/);
  });

  test('that the server does not have stops the start in words', (t) => {
    const folders = {...useVersions(t), withdrawnVersions: ['1.0.0', '1.0.1']};
    assert.throws(
      () => readVersions(folders),
      /withdrawn_versions names 1\.0\.1, which this server does not have\. It has 1\.3\.0, 1\.2\.0, 1\.1\.0, 1\.0\.0\./,
    );
  });

  test('stops the start in words when no other version is left', (t) => {
    const withdrawn = {withdrawn: 'x'};
    const folders = useVersions(t, {'1.0.0': withdrawn, '1.1.0': withdrawn});
    assert.throws(
      () => readVersions({...folders, withdrawnVersions: ['1.2.0', '1.3.0']}),
      /All versions of the form are withdrawn: 1\.3\.0, 1\.2\.0, 1\.1\.0, 1\.0\.0\./,
    );
  });
});
