/**
 * Lit's files go into the form unchanged, except that each gets an import of the globals that it uses. So Lit uses the
 * globals of widget/page/lit-globals.ts instead of those of the page.
 */
import {resolve} from 'node:path';
import type {Plugin} from 'vite';

const bindings = JSON.stringify(resolve('widget/page/lit-globals.ts'));
const names = ['document', 'Document', 'globalThis', 'litPropertyMetadata', 'Symbol', 'Promise'];

export const giveLitItsGlobals: Plugin = {
  name: 'give-lit-its-globals',
  transform(code, id) {
    if (!/\/node_modules\/(lit|lit-html|lit-element|@lit\/reactive-element)\//.test(id)) return null;
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
    if (used.length === 0) return null;
    // Imports run first wherever they are in a file.
    return {code: `${code}\nimport {${used.join(', ')}} from ${bindings};\n`, map: null};
  },
};
