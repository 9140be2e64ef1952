/**
 * Lit's files go into the form as they are. Each only gets an import of the globals that it uses, which are then those of
 * widget/page/lit-globals.ts instead of the page's.
 */
import {resolve} from 'node:path';
import type {Plugin} from 'vite';

const bindings = JSON.stringify(resolve('widget/page/lit-globals.ts'));
const names = ['document', 'globalThis', 'litPropertyMetadata', 'Symbol'];

export const giveLitItsGlobals: Plugin = {
  name: 'give-lit-its-globals',
  transform(code, id) {
    if (!/\/node_modules\/(lit|lit-html|lit-element|@lit\/reactive-element)\//.test(id)) return null;
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
    if (used.length === 0) return null;
    // At the end of the file, where it moves no position that the source map tells: imports run first anyway.
    return {code: `${code}\nimport {${used.join(', ')}} from ${bindings};\n`, map: null};
  },
};
