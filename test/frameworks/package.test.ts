/** The npm package as its users take it: packed, compiled against, and loaded on a server. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {after, before, suite, test} from 'node:test';
import {Ajv} from 'ajv';
import type {CustomElementDeclaration, Package, Reference} from 'custom-elements-manifest';
import {publint} from 'publint';
import {formatMessage} from 'publint/utils';
import {languages} from '../../form/words/languages.ts';
import {laterFiles} from '../../widget/loading/later-files.ts';

const readJsonFile = <Content>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as Content;
const folder = 'dist/npm';

/** Below this folder, so that the frameworks are found from there, and their types. */
const app = join(import.meta.dirname, 'dist/package');

const runInApp = (options: readonly string[]) =>
  execFileSync(process.execPath, ['--input-type=module', ...options], {cwd: app, encoding: 'utf8'});

suite('the npm package', () => {
  before(() => {
    rmSync(app, {recursive: true, force: true});
    cpSync('test/e2e/package', app, {recursive: true});
    cpSync(folder, join(app, 'node_modules/lead-prequal'), {recursive: true});
  });
  after(() => rmSync(app, {recursive: true}));

  test('holds the form, the files it loads later, types, and what editors read, and nothing else', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', './dist/npm'], {encoding: 'utf8'});
    const [{files}] = JSON.parse(packed) as [{files: {path: string}[]}];
    const names = files.map(({path}) => path);
    const needed = [
      ...['lead-prequal-form', 'define'].flatMap((name) => [`${name}.js`, `${name}.d.ts`]),
      ...['server.js', 'react.d.ts', 'vue.d.ts', 'svelte.d.ts'],
      ...['custom-elements.json', 'web-types.json'],
      ...['vscode.css-custom-data.json', 'vscode.html-custom-data.json'],
      ...['LICENSE', 'README.md', 'package.json'],
    ];
    for (const name of needed) assert.ok(names.includes(name), `${name} is missing`);
    const later = Object.keys({...laterFiles, ...languages});
    for (const name of later)
      assert.ok(
        names.some((file) => file.startsWith(`${name}-`)),
        name,
      );
    // Everything else is a file that one of these loads.
    const code = names
      .filter((name) => /\.(js|ts)$/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    const unused = names.filter(
      (name) => !needed.includes(name) && !code.includes(name.replace('.d.ts', '.js')),
    );
    assert.deepEqual(unused, []);
    for (const name of names.filter((name) => name.endsWith('.json'))) {
      assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /default: undefined/, name);
    }
  });

  test('has nothing that publint suggests to change', async () => {
    const {messages, pkg} = await publint({pkgDir: folder, level: 'suggestion', strict: true});
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
  });

  test('its reference has no link to a page that is not in the package', () => {
    const links = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\]\(([^)#]*)/g);
    for (const [, address = ''] of links) assert.match(address, /^$|^https:/);
  });

  for (const conditions of [[], ['worker'], ['workerd', 'worker', 'browser'], ['edge-light', 'worker']]) {
    test(`is only a tag for a server with the conditions "${conditions.join(' ')}"`, () => {
      const flags = conditions.map((condition) => `--conditions=${condition}`);
      const program = `
        import {LeadPrequalForm} from 'lead-prequal';
        import {define} from 'lead-prequal/define';
        console.log(LeadPrequalForm, define());`;
      assert.equal(runInApp([...flags, '--eval', program]), 'undefined undefined\n');
    });
  }

  suite('the custom-elements manifest of the npm package', () => {
    const manifest = readJsonFile<Package>(join(folder, 'custom-elements.json'));
    const [script, ...otherModules] = manifest.modules;
    const declaration = script?.declarations?.[0] as CustomElementDeclaration & {tagName: string};
    const {slots = [], cssParts = [], events = [], members = []} = declaration;

    test('is valid by its schema', () => {
      const schema = createRequire(import.meta.url)('custom-elements-manifest') as object;
      const ajv = new Ajv({strict: false}).addSchema(schema, 'manifest');
      for (const [part, content] of [
        ['manifest#', manifest],
        // As a class, any declaration would be valid.
        ['manifest#/definitions/CustomElementDeclaration', declaration],
      ] as const) {
        const validate = ajv.getSchema(part)!;
        assert.ok(validate(content), ajv.errorsText(validate.errors));
      }
    });
    test('names files that are in it', () => {
      const {exports, customElements} = readJsonFile<{
        exports: Record<string, Record<string, string>>;
        customElements: string;
      }>(join(folder, 'package.json'));
      assert.deepEqual([manifest, otherModules], [readJsonFile(join(folder, customElements)), []]);
      // Another path would be no module that an app can import.
      assert.equal(`./${script?.path}`, exports['.']?.['browser']);
      const named = JSON.stringify(manifest).matchAll(/"(?:path|module|readme)":"([^"]*)"/g);
      for (const [, path = ''] of named) assert.ok(path && existsSync(join(folder, path)), path);
    });
    test('says which module exports the class and defines the tag', () => {
      const of: Reference = {name: 'LeadPrequalForm', module: script!.path};
      assert.deepEqual(script?.exports, [
        {kind: 'js', name: 'LeadPrequalForm', declaration: of},
        {kind: 'custom-element-definition', name: 'lead-prequal-form', declaration: of},
      ]);
      assert.partialDeepStrictEqual(declaration, {name: 'LeadPrequalForm', tagName: 'lead-prequal-form'});
      assert.match(readFileSync(join(folder, script.path), 'utf8'), /export ?\{[^}]*\bas LeadPrequalForm\b/);
    });
    test('describes the element where Storybook and editors look', () => {
      assert.ok(declaration.summary && declaration.description === declaration.summary);
    });
    test('tells a slot from the part of the same name', () => {
      // Storybook lists them under their names alone, and so shows only the part.
      const shared = slots.filter(({name}) => cssParts.some((part) => part.name === name));
      assert.ok(shared.length > 0);
      for (const {name, description: ofSlot = ''} of shared) {
        const {description: ofPart = ''} = cssParts.find((part) => part.name === name) ?? {};
        assert.match(ofSlot, new RegExp(`\\(The part "${name}" is .+\\)$`));
        assert.match(ofPart, new RegExp(`\\(The slot "${name}" is .+\\)$`));
      }
    });
    test('has the types that TypeScript finds in the package', () => {
      const rows = [
        ...events.map(({name, type}) => [`HTMLElementEventMap['${name}']`, type.text]),
        ...members.flatMap((member) =>
          member.kind === 'field' && !member.static
            ? [[`LeadPrequalForm['${member.name}']`, member.type?.text ?? 'nothing']]
            : [],
        ),
      ];
      assert.ok(rows.length > events.length && events.length > 0);
      const names = [...new Set(rows.flatMap(([, text = '']) => text.match(/\b[A-Z]\w+/g) ?? []))];
      const own = names.filter((name) => !['CustomEvent', 'Record'].includes(name));
      const check = `import type {LeadPrequalForm, ${own.join(', ')}} from 'lead-prequal';
type Same<One, Other> =
  (<Any>() => Any extends One ? 1 : 2) extends (<Any>() => Any extends Other ? 1 : 2) ? true : false;
export const same: [${rows.map(([found, text]) => `Same<${found}, ${text}>`).join(',\n  ')}] = [${rows.map(() => 'true').join(', ')}];\n`;
      writeFileSync(join(app, 'manifest.ts'), check);
      execFileSync('npx', ['tsc', '-p', app], {stdio: 'inherit'});
    });
  });

  // Node needs the whole name of each file that the types import. What came before knows no `exports` of a package.
  for (const [resolution, compiler, options] of [
    ['bundlers find', 'tsc', []],
    ['Node finds', 'tsc', ['--module', 'node20', '--moduleResolution', 'node16']],
    ['TypeScript before 5 found', 'tsc6', ['--moduleResolution', 'node10', '--ignoreDeprecations', '6.0']],
  ] as const)
    test(`types the element for TypeScript, React, Vue and Svelte where ${resolution} packages`, () => {
      execFileSync('npx', [compiler, '-p', app, ...options], {stdio: 'inherit'});
    });
});
