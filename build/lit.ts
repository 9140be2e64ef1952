/**
 * The changes that the build makes to Lit's files. Each is a regular expression for Lit's minified code. The build fails
 * if a new version of Lit does not match.
 */
import {resolve} from 'node:path';
import type {Plugin} from 'vite';

/**
 * - Lit uses our Trusted Types policy. With its own policy `lit-html` it would throw, if another Lit on the page has
 *   created that policy already.
 * - Lit creates nodes through our protected document, because an `<img name="createElement">` on the page would replace
 *   the method of `document`.
 * - Lit's lists of versions and metadata of decorators are removed, because they are globals of the host page.
 * - To save bytes, the build removes hooks for polyfills, development warnings, and features that this form does not use:
 *   directives, decorators, bindings in comments and raw texts, templates in SVG and MathML, and attributes that are
 *   not texts. Because a form that uses one of these would break silently, output.ts refuses to build it.
 */
const edits: readonly (readonly [file: RegExp, from: RegExp, to: string])[] = [
  [
    /\/lit-html\.js$/,
    /^/,
    `import {trusted} from ${JSON.stringify(resolve('widget/page/trusted-types.ts'))};
     import {safeDocument} from ${JSON.stringify(resolve('widget/page/safe-document.ts'))};`,
  ],
  [/\/lit-html\.js$/, /\bl\.(?=create(Comment|Element|TextNode|TreeWalker)\()/g, 'safeDocument.'],
  [/\/lit-html\.js$/, /(?<=creationScope\?\?)l\b/, 'safeDocument'],
  [/\/lit-html\.js$/, /=(\w+)\?\1\.createPolicy\("lit-html",{.*?}\):void 0/, '=trusted'],
  [/\/lit-html\.js$/, /"invalid template strings array"/, ''],
  [/\/lit-html\.js$/, /=\w+\.litHtmlPolyfillSupport;\w+\?\.\(.*?\),\(.*?\.push\("[\d.]+"\)/, '=0'],
  [/\/css-tag\.js$/, /"CSSResult is not constructable\..*?"/, ''],
  [/\/css-tag\.js$/, /"Value passed to 'css' function .*?"\+\w+\+".*?"/, ''],
  [/\/reactive-element\.js$/, /,\w+\?\.\(\{ReactiveElement:\w+\}\),\(.*?\.push\("[\d.]+"\)/, ''],
  [
    /\/reactive-element\.js$/,
    /Symbol\.metadata\?\?=Symbol\("metadata"\),\w+\.litPropertyMetadata\?\?=new WeakMap;/,
    '',
  ],
  [/\/css-tag\.js$/, /\(void 0===\w\.ShadyCSS\|\|\w\.ShadyCSS\.nativeShadow\)&&/, ''],
  [/\/reactive-element\.js$/, /\w=\w\.reactiveElementPolyfillSupport,/, ''],
  [
    /\/reactive-element\.js$/,
    /toAttribute\(\w,\w\)\{switch.*?return \w\},fromAttribute\(\w,\w\)\{.*?return \w\}\}/,
    'toAttribute:text=>text,fromAttribute:text=>text}',
  ],
  [
    /\/lit-html\.js$/,
    /(function \w\(\w,(\w),\w=\w,\w\)\{)if\(\2===\w\)return \2;.*?_\$litDirective\$.*?,\2\}/,
    '$1return $2}',
  ],
  [/\/lit-html\.js$/, /:6===\w\.type&&\(\w=new \w\(\w,this,\w\)\)/, ':0'],
  [/\/lit-html\.js$/, /2===\w\?"<svg>":3===\w\?"<math>":""/, '""'],
  [/\/lit-html\.js$/, /\+\(2===\w\?"<\/svg>":3===\w\?"<\/math>":""\)/, ''],
  [
    /\/lit-html\.js$/,
    /,2===\w\|\|3===\w\)\{const \w=this\.el\.content\.firstChild;.*?childNodes\)\}/,
    ',0);',
  ],
  [/\/lit-html\.js$/, /if\(\w\.test\(\w\.tagName\)\)\{.*?\w\(\)\)\}\}(?=\}else if\(8===)/, ''],
  [/\/lit-html\.js$/, /void 0!==\w\[2\]\?\(\w\.test\(.*?,"g"\)\),(\w=\w)\)/, 'void 0!==u[2]?($1)'],
  [/\/lit-html\.js$/, /else\{let \w=-1;for\(.*?type:7,.*?length-1\}/, ''],
  [/\/lit-html\.js$/, /setConnected\(\w\)\{.*?\)\)\}/, ''],
  [
    /\/lit-element\.js$/,
    /connectedCallback\(\)\{.*?setConnected\(!0\)\}disconnectedCallback\(\)\{.*?setConnected\(!1\)\}/,
    '',
  ],
  [/\/reactive-element\.js$/, /static addInitializer\(\w\)\{.*?push\(\w\)\}/, ''],
  [/\/reactive-element\.js$/, /,this\.constructor\.l\?\.forEach\(\w=>\w\(this\)\)/, ''],
  [/\/reactive-element\.js$/, /,void 0!==(\w)\.l&&\(this\.l=\[\.\.\.\1\.l\]\)/, ''],
  [/\/reactive-element\.js$/, /const \w=this\[Symbol\.metadata\];if\(null!==\w\)\{.*?set\(\w,\w\)\}/, ''],
  [/\/reactive-element\.js$/, /removeController\(\w\)\{.*?\}/, ''],
  [/\/lit-element\.js$/, /\w+\.litElementHydrateSupport\?\.\(\{LitElement:\w+\}\);/, '0;'],
  [/\/lit-element\.js$/, /=\w+\.litElementPolyfillSupport;\w+\?\.\(\{LitElement:\w+\}\);/, '=0;'],
  [/\/lit-element\.js$/, /\(\w+\.litElementVersions\?\?=\[\]\)\.push\("[\d.]+"\)/, ''],
];

export const editLit = (): Plugin => {
  const missing = new Set(edits);
  return {
    name: 'edit-lit',
    transform(code, id) {
      const due = edits.filter(([file]) => id.includes('/node_modules/') && file.test(id));
      if (due.length === 0) return null;
      for (const edit of due) {
        const [, from, to] = edit;
        if (from.test(code)) missing.delete(edit);
        code = code.replace(from, to);
      }
      return {code, map: null};
    },
    buildEnd(error) {
      if (!error)
        for (const [file, from] of missing) this.error(`${from.source} is not to be found in ${file.source}`);
    },
  };
};

/**
 * Names of properties that only Lit and its elements use. The minifier shortens them, because all their uses are in one
 * file, and Lit and host pages use none of them as a string. The build fails if a later file uses one.
 */
export const namesOfLit = new RegExp(
  `^(_\\$.*|${[
    'createRenderRoot|elementStyles|enableUpdating|finalizeStyles|firstUpdated|fromAttribute',
    'getPropertyDescriptor|getPropertyOptions|getUpdateComplete|hasChanged|hasUpdated',
    'hostUpdate|hostUpdated|isUpdatePending|performUpdate|removeController|renderBefore',
    'renderOptions|renderRoot|scheduleUpdate|setConnected|shadowRootOptions|shouldUpdate|toAttribute',
    'useDefault|willUpdate',
  ].join('|')})$`,
);
