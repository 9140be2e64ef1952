import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {suite, test} from 'node:test';
import {amountParts, reasons} from '../../contract/amounts.ts';
import {questionNames} from '../../contract/questions.ts';
import {fieldErrorCodes} from '../../contract/fields.ts';
import {fieldTable, orders, pagesOf, type FieldName} from '../../form/pages.ts';
import type {InputError} from '../../form/read-fields.ts';
import {askedFieldsIn} from '../../form/words/asked.ts';
import * as en from '../../form/words/en.ts';
import {
  languages as registry,
  formLanguages,
  sandboxes,
  serverWords,
  type FormLanguage,
  type LanguageTag,
} from '../../form/words/languages.ts';
import {fill, merge, sayError, type LanguageWords, type Words} from '../../form/words/words.ts';

const tags = Object.keys(registry) as LanguageTag[];
/** All languages by their tags. */
const languages = {en} as Record<FormLanguage, LanguageWords>;
for (const tag of tags) languages[tag] = await registry[tag]();

/** The words of a language by the parts in which they are written. */
const partsOf = (tag: FormLanguage): Record<string, object> => ({
  firstScreen: languages[tag].firstScreen,
  afterTouch: languages[tag].afterTouch,
  sandbox: sandboxes[tag],
  server: serverWords[tag],
  questions: askedFieldsIn(questionNames, tag).map(({name, label, question, choices = {}}) => [
    ...[label, question].flatMap((text) => text ?? []),
    // Many states have the same name in all languages.
    name === 'state' ? {} : {...choices},
  ]),
});

/** Texts that are rightly the same in a language and in English. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  es: ['No', 'Total'],
};

/** All words of a language, as the form has them after the first touch. */
const wordsOf = ({firstScreen, afterTouch}: LanguageWords): Words =>
  merge<object>(firstScreen, afterTouch) as Words;

/** Each text by its path, such as `errors.required.email`. */
function texts(words: object, path = ''): [path: string, text: string][] {
  return Object.entries(words).flatMap(([name, text]) =>
    typeof text === 'object' ? texts(text as object, `${path}${name}.`) : [[path + name, text as string]],
  );
}

const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
const withoutData = (text: string) => text.replace(/\{\w+\}|\S+@\S+/g, ' ');
const wordsIn = (text: string) =>
  withoutData(text)
    .toLowerCase()
    .match(/\p{L}{2,}/gu) ?? [];
const pairsIn = (text: string) =>
  wordsIn(text).flatMap((word, index, all) => (index ? [`${all[index - 1]} ${word}`] : []));

/** @returns whether a translation, or a part of it, is still in English: two words in a row are the same */
function isUntranslated(translated: string, english: string) {
  if (translated === english) return wordsIn(english).length > 0;
  const pairs = pairsIn(english);
  return pairsIn(translated).some((pair) => pairs.includes(pair));
}

suite('the words of each language', () => {
  test('every file of words is in the registry', () => {
    const files = readdirSync('form/words').filter((name) => /^[a-z]{2}(-\w+)?\.ts$/.test(name));
    assert.deepEqual(
      files.sort(),
      Object.keys(languages)
        .map((tag) => `${tag}.ts`)
        .sort(),
    );
  });

  for (const tag of formLanguages) {
    const language = languages[tag];
    for (const [part, words] of language === en ? [] : Object.entries(partsOf(tag))) {
      const english = texts(partsOf('en')[part]!);
      const translated = new Map(texts(words));

      test(`"${tag}" has the texts of English in "${part}", with the same placeholders`, () => {
        for (const [path, text] of english) {
          assert.notEqual(translated.get(path)?.trim() ?? '', '', path);
          assert.deepEqual(placeholders(translated.get(path) ?? ''), placeholders(text), path);
        }
        assert.equal(translated.size, english.length);
      });

      test(`"${tag}" has no English words in "${part}"`, () => {
        const untranslated = english.filter(
          ([path, text]) =>
            isUntranslated(translated.get(path) ?? '', text) && !sameAsEnglish[tag]?.includes(text),
        );
        assert.deepEqual(untranslated, []);
      });
    }

    test(`"${tag}" writes numbers and dates in its own way`, () => {
      const {locale} = language.firstScreen;
      assert.deepEqual(Intl.getCanonicalLocales(locale), [locale]);
      assert.equal(locale.split('-')[0], tag.split('-')[0]);
    });

    test(`"${tag}" has the words of every field, step, option, amount and reason`, () => {
      const words = wordsOf(language);
      const needed: [table: string, texts: object | undefined, names: readonly string[]][] = [
        ['labels', words.labels, Object.keys(fieldTable)],
        [
          'steps',
          words.steps,
          orders.flatMap((order) =>
            pagesOf('prequalification', {order, layout: 'single'})
              .flat()
              .flatMap(({title}) => title ?? []),
          ),
        ],
        ...Object.entries(fieldTable).flatMap(([name, {choices}]): typeof needed =>
          choices ? [[`options.${name}`, words.options[name as keyof typeof words.options], choices]] : [],
        ),
        ['names', words.names, amountParts],
        ['about', words.about, amountParts],
        ['needs', words.needs, amountParts],
        ['reasons', words.reasons, reasons],
      ];
      for (const [table, texts, names] of needed) {
        const missing = names.filter((name) => !Object.hasOwn(texts ?? {}, name));
        assert.deepEqual(missing, [], `form/words/${tag}.ts lacks these words in "${table}"`);
      }
      const choices = askedFieldsIn(questionNames, tag).flatMap((asked) =>
        Object.entries(asked.choices ?? {}),
      );
      assert.deepEqual(
        choices.filter(([value, text]) => value === text),
        [],
      );
    });

    test(`"${tag}" has a sentence for every error of every field, also for an unknown error`, () => {
      for (const name of Object.keys(fieldTable) as FieldName[]) {
        for (const code of [
          ...fieldErrorCodes,
          'negative',
          'range',
          'fraction',
          'no_plus',
          'new-code',
        ] as InputError[]) {
          const sentence = sayError(wordsOf(language), name, code);
          assert.match(sentence, /\.$/, `${name} ${code}`);
          assert.doesNotMatch(sentence, /[{}]|undefined|null/, `${name} ${code}`);
        }
      }
    });
  }

  test('no text is in both "firstScreen" and "afterTouch"', () => {
    const firstScreen = new Set(texts(en.firstScreen).map(([path]) => path));
    assert.deepEqual(
      texts(en.afterTouch).filter(([path]) => firstScreen.has(path)),
      [],
    );
  });
});

suite('fill', () => {
  test('puts values in the place of their names, and leaves names without a value', () => {
    assert.equal(fill('{a} of {b}, {c}', {a: 1, b: '$&'}), '1 of $&, {c}');
  });
});

suite('merge', () => {
  const words = {a: 'A', deep: {b: 'B', c: 'C'}};
  test('replaces single texts at every depth, and does not change its arguments', () => {
    assert.deepEqual(merge(words, {deep: {c: 'see'}}), {a: 'A', deep: {b: 'B', c: 'see'}});
    assert.equal(words.deep.c, 'C');
    assert.deepEqual(merge(words, undefined), words);
  });
  test('adds texts that were not there', () => {
    assert.deepEqual(merge(words as object, {e: {f: 'F'}}), {...words, e: {f: 'F'}});
  });
  test('ignores undefined', () => {
    assert.deepEqual(merge(words, {a: undefined, deep: undefined} as object), words);
  });
  test('does not change any prototype', () => {
    merge(words as object, JSON.parse('{"__proto__": {"polluted": "yes"}}') as object);
    assert.equal('polluted' in {}, false);
  });
});
