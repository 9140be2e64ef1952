import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {build, type Plugin} from 'vite';
import {embed} from '../../vite.config.ts';

test("the form contains Lit's files as they are, each with one import added at its end", async () => {
  const bundled = new Map<string, string>();
  const recordLit: Plugin = {
    name: 'record-lit',
    moduleParsed({id, code}) {
      if (/\/node_modules\/(@lit|lit)/.test(id)) bundled.set(id, code ?? '');
    },
  };
  await build({...embed, plugins: [...embed.plugins, recordLit], build: {...embed.build, write: false}});
  assert.ok(bundled.size >= 5, 'Lit has a file for each of its parts');
  for (const [id, code] of bundled) {
    const original = readFileSync(id, 'utf8');
    assert.equal(code.slice(0, original.length), original, id);
    assert.match(code.slice(original.length), /^(\nimport \{[\w, ]+\} from ".*\/lit-globals\.ts";\n)?$/, id);
  }
});
