/**
 * Makes the WordPress plugin of `integrations/wordpress/` into a zip for the page "Add Plugins" of WordPress. `npm run
 * build` puts it beside the scripts of the form, so that a release has it. `npm run wordpress` first lists the plugin's
 * texts for translators, in `languages/lead-prequal.pot`.
 */
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {strToU8, zipSync} from 'fflate';
import {mo, po} from 'gettext-parser';
import {wordpressPlugin} from '../contract/api.ts';
import {fallbackRules} from '../server/snippets/fallback.ts';

const folder = 'integrations/wordpress';
/** The name of the plugin in WordPress, of its folder there, and of its texts. */
const name = 'lead-prequal';
const template = `languages/${name}.pot`;
const translation = `languages/${name}-es.po`;

/** The oldest time that a zip can hold. With the time of the build, each build would give another file. */
const mtime = '1980-01-01T00:00:00';

const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** `__('…', 'lead-prequal')` in PHP and JavaScript, and the functions of PHP that escape besides. */
const call = /\b(?:__|esc_html__|esc_html_e)\(\s*'((?:[^'\\]|\\.)*)',\s*'lead-prequal'/g;

/** The texts of the plugin, each with the files that have it. */
function textsOfPlugin(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const note = (text: string, file: string) => {
    found.set(text, (found.get(text) ?? new Set()).add(file));
  };
  for (const file of readdirSync(folder).filter((file) => /\.(php|js)$/.test(file)))
    for (const [, text = ''] of read(file).matchAll(call)) note(text.replace(/\\(.)/g, '$1'), file);
  const {title, description, keywords} = JSON.parse(read('block.json')) as Record<string, string> & {
    keywords: string[];
  };
  for (const text of [title, description, ...keywords]) note(text ?? '', 'block.json');
  return found;
}

const contentOfTemplate = () =>
  po
    .compile(
      {
        charset: 'utf-8',
        headers: {'Project-Id-Version': name, 'Content-Type': 'text/plain; charset=utf-8'},
        translations: {
          '': Object.fromEntries(
            [...textsOfPlugin()].map(([text, files]) => [
              text,
              {msgid: text, msgstr: [''], comments: {reference: [...files].join(' ')}},
            ]),
          ),
        },
      },
      {foldLength: 0},
    )
    .toString();

/** @throws Error when the translation lacks a text of the plugin, or has one that the plugin lacks */
function compiledTranslation(): Uint8Array {
  const catalogue = po.parse(read(translation));
  const messages = Object.values(catalogue.translations[''] ?? {}).filter(({msgid}) => msgid !== '');
  const translated = messages.filter(({msgstr: [text]}) => text).map(({msgid}) => msgid);
  const texts = [...textsOfPlugin().keys()];
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
 * @throws Error when a file that is written from the plugin's texts does not fit them
 */
export function zipWordPressPlugin(version: string): Uint8Array {
  if (read(template) !== contentOfTemplate())
    throw new Error(`${folder}/${template} is not up to date: run "npm run wordpress".`);
  const sources = readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((file) => file.includes('.'))
    .map((file) => [file, strToU8(read(file).replaceAll('{version}', version))] as const);
  const made: readonly (readonly [string, Uint8Array])[] = [
    ['form.css', strToU8(fallbackRules)],
    [translation.replace(/po$/, 'mo'), compiledTranslation()],
  ];
  const files = [...sources, ...made].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return zipSync(Object.fromEntries(files.map(([file, bytes]) => [`${name}/${file}`, bytes])), {
    level: 9,
    mtime,
  });
}

if (import.meta.main) {
  writeFileSync(join(folder, template), contentOfTemplate());
  const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
  const zip = zipWordPressPlugin(version);
  mkdirSync('dist', {recursive: true});
  writeFileSync(join('dist', wordpressPlugin), zip);
  console.log(`dist/${wordpressPlugin}: ${zip.length} bytes`);
}
