import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createContext, Script} from 'node:vm';
import {before, suite, test} from 'node:test';
import {build, type Plugin, type Rolldown} from 'vite';
import {classicFile, moduleFile} from '../../contract/api.ts';
import {embed} from '../../vite.config.ts';

suite('the built form', () => {
  /** The code of Lit's files as the bundler gets it, by path. */
  const lit = new Map<string, string>();
  /** Scripts by name. */
  const files = new Map<string, string>();

  before(async () => {
    const recordLit: Plugin = {
      name: 'record-lit',
      moduleParsed({id, code}) {
        if (/\/node_modules\/(@lit|lit)/.test(id)) lit.set(id, code ?? '');
      },
    };
    const results = await build({
      ...embed,
      plugins: [...embed.plugins, recordLit],
      build: {...embed.build, write: false},
    });
    const [{output}] = results as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
    for (const file of output)
      files.set(file.fileName, String(file.type === 'chunk' ? file.code : file.source));
  });

  const scripts = () => [...files].filter(([name]) => name.endsWith('.js'));

  test("the form contains Lit's files as they are, each with one import added at its end", () => {
    assert.ok(lit.size >= 5, 'Lit has a file for each of its parts');
    for (const [path, code] of lit) {
      const original = readFileSync(path, 'utf8');
      assert.equal(code.slice(0, original.length), original, path);
      assert.match(
        code.slice(original.length),
        /^(\nimport \{[\w, ]+\} from ".*\/lit-globals\.ts";\n)?$/,
        path,
      );
    }
  });

  test('later files use the Lit of the first file, be it the module or its classic twin', () => {
    const withLit = scripts().filter(([, code]) => code.includes('$lit$'));
    assert.deepEqual(withLit.map(([name]) => name).sort(), [classicFile, moduleFile]);
  });

  for (const first of [moduleFile, classicFile])
    test(`${first} pins every later file`, () => {
      const code = files.get(first) ?? '';
      const pinned = [...code.matchAll(/"\.\/([\w-]+\.js)","sha256-[\w+/]{43}="/g)].map(([, name]) => name);
      const later = scripts()
        .map(([name]) => name)
        .filter((name) => name !== moduleFile && name !== classicFile);
      assert.deepEqual(pinned.sort(), later.sort());
    });

  test('the classic twin is a plain script without import and export, and declares no global', () => {
    const code = files.get(classicFile) ?? '';
    assert.doesNotThrow(() => new Script(code));
    const page = createContext({Object, Proxy, Reflect});
    const before = new Script('Object.getOwnPropertyNames(globalThis).sort()');
    const names = before.runInContext(page) as string[];
    assert.throws(() => new Script(code).runInContext(page), 'there is no document');
    assert.deepEqual(before.runInContext(page), names);
  });
});
