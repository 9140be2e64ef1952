/**
 * Builds the widget into `dist/embed/<version>/`: the file that partners embed and the later ones, all also
 * compressed, and a manifest with their hashes. The build fails when a file outgrows its budget.
 */
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {brotliCompressSync, constants, gzipSync} from 'node:zlib';
import {minifyHTMLLiterals} from 'minify-literals';
import {minify} from 'terser';
import {build, defineConfig, type InlineConfig, type Plugin, type Rolldown} from 'vite';
import {laterFiles} from './widget/pins.ts';

const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
export const outDir = `dist/embed/${version}`;
const embedFile = 'lead-prequal-form.js';

/** Bytes in brotli. The first ten packets of a connection carry 14,600 bytes, HTTP headers included. */
const budgets = {embed: 14_250, answer: 6_100, words: 2_000};

export const budgetOf = (file: string) =>
  file === embedFile ? budgets.embed : /^answer-\w{10}\./.test(file) ? budgets.answer : budgets.words;

const integrityOf = (content: string, hash = 'sha384') =>
  `${hash}-${createHash(hash).update(content).digest('base64')}`;

const minifyTemplates: Plugin = {
  name: 'minify-templates',
  enforce: 'pre',
  async transform(code, id) {
    if (!/\/widget\/.*\.ts$/.test(id) || !/(html|css|svg|mathml)`/.test(code)) return null;
    if (/\b(svg|mathml)`|<(script|style|textarea|title)\b/.test(code)) {
      this.error(`${id} has a template that our Lit cannot read`);
    }
    const minified = await minifyHTMLLiterals(code, {fileName: id});
    return minified && {code: minified.code, map: minified.map?.toString() ?? null};
  },
};

/**
 * What is changed in Lit's files. Another Lit on the page under `trusted-types lit-html` must not make ours
 * throw: it uses our policy. It makes nodes through our protected document, because an `<img name="createElement">`
 * of the page would replace the method that it calls. Lists of versions and decorators' metadata are globals, and a host page
 * wants none of ours. Hooks of polyfills, and advice that the linter gives already, go as well, and what this form
 * does without: directives, decorators, bindings in comments and raw texts, templates in SVG and MathML, attributes
 * that are not texts. What is "forbidden" below would need them.
 */
const edits: readonly (readonly [file: RegExp, from: RegExp, to: string])[] = [
  [
    /\/lit-html\.js$/,
    /^/,
    `import {trusted} from ${JSON.stringify(resolve('widget/trusted-types.ts'))};
     import {safeDocument} from ${JSON.stringify(resolve('widget/safe-document.ts'))};`,
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

const editLit = (): Plugin => {
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
 * What Lit and its elements call each other by. They are in one file, so shorter names do; Lit uses none of these
 * as a string, nor does a page. A later file that used one would not be understood: the build fails.
 */
const namesOfLit = new RegExp(
  `^(_\\$.*|${[
    'createRenderRoot|elementStyles|enableUpdating|finalizeStyles|firstUpdated|fromAttribute',
    'getPropertyDescriptor|getPropertyOptions|getUpdateComplete|hasChanged|hasUpdated',
    'hostUpdate|hostUpdated|isUpdatePending|performUpdate|removeController|renderBefore',
    'renderOptions|renderRoot|scheduleUpdate|setConnected|shadowRootOptions|shouldUpdate|toAttribute',
    'useDefault|willUpdate',
  ].join('|')})$`,
);

/** After the bundler's own minifier; finds a fiftieth more. */
async function minifyAgain(code: string, map: string, nameOf: (content: string) => string, mangled?: RegExp) {
  const minified = await minify(code, {
    module: true,
    compress: {passes: 3},
    mangle: {properties: mangled ? {regex: mangled} : false},
    sourceMap: {content: map},
  });
  const content = minified.code ?? '';
  const file = nameOf(content);
  // The server names the source map in a header: a comment would cost each visitor 54 bytes.
  return {file, code: content, map: minified.map as string};
}

/** What all files are built with: one self-contained ES module each. */
const library = (entry: string, fileName: string): InlineConfig => ({
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir,
    target: 'es2022',
    sourcemap: true,
    reportCompressedSize: false,
    lib: {entry, formats: ['es'], fileName: () => fileName},
    rolldownOptions: {output: {minify: true}, checks: {pluginTimings: false}},
  },
});

/** @returns a file named after its content, its code and its source map */
async function buildLaterFile(name: string, entry: string) {
  const {build: options, ...others} = library(entry, `${name}.js`);
  const results = await build({
    ...others,
    plugins: [minifyTemplates],
    build: {...options, write: false, sourcemap: 'hidden'},
  });
  const [{output}] = results as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  const [chunk, ...companions] = output;
  const unexpected = companions.filter(({fileName}) => !fileName.endsWith('.map'));
  if (unexpected.length > 0) throw new Error(`${name} is not alone: ${unexpected[0]?.fileName}`);
  return minifyAgain(chunk.code, JSON.stringify(chunk.map), (content) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
    return `${name}-${hash}.js`;
  });
}

/**
 * Builds the later files, and replaces the module that names them by their hashed names and hashes; short ones,
 * for no compression makes a hash smaller.
 */
const pinLaterFiles: Plugin = {
  name: 'pin-later-files',
  async load(id) {
    if (!id.endsWith('/widget/pins.ts')) return null;
    const pins: Record<string, {path: string; integrity: string}> = {};
    for (const [name, {path}] of Object.entries(laterFiles)) {
      const {file, code, map} = await buildLaterFile(name, join('widget', path));
      this.emitFile({type: 'asset', fileName: file, source: code});
      this.emitFile({type: 'asset', fileName: `${file}.map`, source: map});
      pins[name] = {path: `./${file}`, integrity: integrityOf(code, 'sha256')};
    }
    return `export const laterFiles = ${JSON.stringify(pins)};`;
  },
};

/** What no output may hold, found in its syntax tree. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/"type":"(Import|ExportAll)Declaration"/, 'an import: each file must stand alone'],
  [/"type":"Decorator"/, 'a decorator that was not compiled'],
  [/"name":"Zod|zod\/v\d/i, 'zod, which only the server may use'],
  [/"name":"_\$litDirective\$"/, 'a directive, which our Lit does not know'],
  [
    /"name":"type"[^{}]*\},"value":\{[^{}]*"name":"(Boolean|Number|Object|Array)"/,
    'an attribute that is not a text',
  ],
  [/"value":"lit-html"/, "Lit's own Trusted Types policy"],
  [/"name":"lit\w*(Versions|Metadata)"/, "one of Lit's globals"],
];

/** Checks and compresses what was written, and notes the hashes for the embed snippet. */
const finish: Plugin = {
  name: 'finish',
  async writeBundle(_, bundle) {
    const written = join(outDir, embedFile);
    const embed = await minifyAgain(
      readFileSync(written, 'utf8'),
      readFileSync(`${written}.map`, 'utf8'),
      () => embedFile,
      namesOfLit,
    );
    writeFileSync(written, embed.code);
    writeFileSync(`${written}.map`, embed.map);

    const integrity: Record<string, string> = {};
    const sizes: string[] = [];
    const files = Object.keys(bundle).filter((name) => name.endsWith('.js'));
    for (const file of files.sort((a) => (a === embedFile ? -1 : 1))) {
      const path = join(outDir, file);
      const code = readFileSync(path, 'utf8');
      const tree = JSON.stringify(this.parse(code));
      for (const [pattern, what] of forbidden) if (pattern.test(tree)) this.error(`${file} holds ${what}`);
      for (const [, name = ''] of tree.matchAll(/"name":"(\w+)"/g))
        if (namesOfLit.test(name)) this.error(`${file} calls Lit by the name of ${name}`);
      const brotli = brotliCompressSync(code, {params: {[constants.BROTLI_PARAM_QUALITY]: 11}});
      const budget = budgetOf(file);
      if (brotli.length > budget) {
        this.error(
          `${file} has ${brotli.length} bytes in brotli, ${brotli.length - budget} more than its budget`,
        );
      }
      writeFileSync(`${path}.br`, brotli);
      writeFileSync(`${path}.gz`, gzipSync(code, {level: 9}));
      integrity[file] = integrityOf(code);
      sizes.push(`${file} ${brotli.length} of ${budget}`);
    }
    writeFileSync(join(outDir, 'manifest.json'), `${JSON.stringify({version, integrity}, null, 2)}\n`);
    console.log(`${outDir}, bytes in brotli: ${sizes.join(', ')}`);
  },
};

export default defineConfig(() => {
  // Pages have pinned the files of a release by their hashes, so no build may make other ones under its version.
  if (existsSync(`releases/${version}`)) {
    console.error(`${version} is released: raise the version in package.json.`);
    process.exit(1);
  }
  return {
    ...library('widget/define.ts', embedFile),
    plugins: [minifyTemplates, editLit(), pinLaterFiles, finish],
  };
});
