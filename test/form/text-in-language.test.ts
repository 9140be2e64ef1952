/** Which of a partner's texts a form in some language shows. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {contentFor} from '../../form/words/partner-text.ts';
import {langOf, tagFor} from '../../form/words/text-in-language.ts';

suite('the text for a form', () => {
  const rows: [tags: string[], locale: string, shown: string | undefined][] = [
    [['en', 'es'], 'es-US', 'es'],
    [['en', 'es'], 'es', 'es'],
    [['en', 'es-MX'], 'es-US', 'es-MX'],
    [['es', 'es-US'], 'es-US', 'es-US'],
    [['en', 'es'], 'fr-CA', 'en'],
    [['es', 'en'], 'fr-CA', 'es'],
    [['en', 'es'], '', 'en'],
    [['en', 'es'], 'toString', 'en'],
    [['und'], 'es-US', 'und'],
    [[], 'en-US', undefined],
  ];
  for (const [tags, locale, shown] of rows) {
    test(`of [${tags.join(', ')}] in "${locale}" is ${shown}`, () => {
      assert.equal(tagFor(Object.fromEntries(tags.map((tag) => [tag, 'text'])), locale), shown);
    });
  }
  test('has its tag as its language, unless that is not known', () => {
    assert.deepEqual(['es-MX', 'und', undefined].map(langOf), ['es-MX', undefined, undefined]);
  });
  test('comes together with its language, and is missing if the partner has none', () => {
    assert.deepEqual(contentFor({en: 'Hello', 'es-MX': 'Hola'}, 'es-US'), {content: 'Hola', lang: 'es-MX'});
    assert.deepEqual(contentFor({und: 'Hello'}, 'es-US'), {content: 'Hello', lang: undefined});
    assert.deepEqual([contentFor({}, 'en-US'), contentFor(undefined, 'en-US')], [undefined, undefined]);
  });
});
