/**
 * Makes the WordPress plugin of `integrations/wordpress/` into a zip for the page "Add Plugins" of WordPress. `npm run
 * build` puts it beside the scripts of the form, so that a release has it, and `node build/wordpress.ts` makes it alone.
 * `node build/wordpress.ts 1.5.1` releases it alone, with that number.
 */
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {strToU8, zipSync} from 'fflate';
import {mo, po} from 'gettext-parser';
import {wordpressPlugin} from '../contract/api.ts';
import {versionNumber} from '../server/config/values.ts';
import {fallbackLine} from '../server/snippets/fallback.ts';
import {integrityOf} from './output.ts';

const folder = 'integrations/wordpress';
/** The name of the plugin in WordPress, of its folder there, and of its texts. */
const name = 'lead-prequal';
const translation = `languages/${name}-es.po`;

/** The oldest time that a zip can hold. With the time of the build, each build would give another file. */
const mtime = '1980-01-01T00:00:00';

/** Stands in the sources for the version, which is that of package.json. */
const noVersion = '0.0.0';

const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** `__('…', 'lead-prequal')` in PHP and JavaScript, and the functions of PHP that escape besides. */
const call = /\b(?:__|esc_html__|esc_html_e)\(\s*'((?:[^'\\]|\\.)*)',\s*'lead-prequal'/g;

type Text = {context: string; text: string; files: string[]};

/** The texts of the plugin, those of `block.json` in the contexts that WordPress gives them. */
function textsOfPlugin(): Text[] {
  const found = new Map<string, Text>();
  const note = (file: string, text: string, context = '') => {
    const known = found.get(context + text) ?? {context, text, files: []};
    if (!known.files.includes(file)) known.files.push(file);
    found.set(context + text, known);
  };
  for (const file of readdirSync(folder).toSorted())
    if (/\.(php|js)$/.test(file))
      for (const [, text = ''] of read(file).matchAll(call)) note(file, text.replace(/\\(.)/g, '$1'));
  const block = JSON.parse(read('block.json')) as {title: string; description: string; keywords: string[]};
  note('block.json', block.title, 'block title');
  note('block.json', block.description, 'block description');
  for (const keyword of block.keywords) note('block.json', keyword, 'block keyword');
  return [...found.values()];
}

/** The texts for translators. */
function template(): Uint8Array {
  const translations: Record<string, Record<string, object>> = {};
  for (const {context, text, files} of textsOfPlugin())
    (translations[context] ??= {})[text] = {
      msgid: text,
      ...(context && {msgctxt: context}),
      msgstr: [''],
      comments: {reference: files.join(' ')},
    };
  const headers = {'Project-Id-Version': name, 'Content-Type': 'text/plain; charset=utf-8'};
  return po.compile({charset: 'utf-8', headers, translations}, {foldLength: 0});
}

/** @throws Error when the translation lacks a text of the plugin, or has one that the plugin lacks */
function compiledTranslation(): Uint8Array {
  const catalogue = po.parse(read(translation));
  const translated = Object.entries(catalogue.translations).flatMap(([context, messages]) =>
    Object.values(messages).flatMap(({msgid, msgstr: [text]}) => (msgid && text ? [context + msgid] : [])),
  );
  const texts = textsOfPlugin().map(({context, text}) => context + text);
  const missing = texts.filter((text) => !translated.includes(text));
  const unused = translated.filter((text) => !texts.includes(text));
  if (missing.length + unused.length > 0)
    throw new Error(
      `${folder}/${translation} lacks ${JSON.stringify(missing)}, and ${JSON.stringify(unused)} are not used.`,
    );
  return mo.compile(catalogue);
}

/**
 * The zip depends on the sources and the version alone.
 * @throws Error when the translation does not fit the texts of the plugin
 */
export function zipWordPressPlugin(version: string): Uint8Array {
  const sources = readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((file) => file.includes('.'))
    .map((file) => [file, strToU8(read(file).replaceAll(noVersion, version))] as const);
  const made: readonly (readonly [string, Uint8Array])[] = [
    ['form.css', strToU8(fallbackLine)],
    [`languages/${name}.pot`, template()],
    [translation.replace(/po$/, 'mo'), compiledTranslation()],
  ];
  const files = [...sources, ...made].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return zipSync(Object.fromEntries(files.map(([file, bytes]) => [`${name}/${file}`, bytes])), {
    level: 9,
    mtime,
  });
}

/** Releases the plugin alone. Servers hand it out if no version of the form is newer. */
function release(version: string) {
  if (!versionNumber.safeParse(version).success)
    throw new Error(`${version} is not an exact version such as 1.5.1.`);
  const known = [`releases/${version}`, `releases/wordpress/${version}`].find((path) => existsSync(path));
  if (known !== undefined) throw new Error(`${known} is released, and never changes: take a higher number.`);
  const path = join('releases/wordpress', version);
  const zip = zipWordPressPlugin(version);
  mkdirSync(path, {recursive: true});
  writeFileSync(join(path, wordpressPlugin), zip);
  const manifest = {version, integrity: {[wordpressPlugin]: integrityOf(wordpressPlugin, zip)}};
  writeFileSync(join(path, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  console.log(`${path} is made. Commit it.`);
}

if (import.meta.main) {
  const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
  const [, , released] = process.argv;
  if (released !== undefined) release(released);
  else {
    const zip = zipWordPressPlugin(version);
    mkdirSync('dist', {recursive: true});
    writeFileSync(join('dist', wordpressPlugin), zip);
    console.log(`dist/${wordpressPlugin}: ${zip.length} bytes`);
  }
}
