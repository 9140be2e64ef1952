/** What the file may say of a consent, and what is said about a text that is wrong. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {textFault} from '../../../server/config/consent.ts';
import {sampleConsent} from '../../../server/config/sample-consent.ts';
import {consentParts} from '../../../form/consent-text.ts';
import fc from '../../support/properties.ts';
import {readWith, settingsWith, wrongIn} from '../../support/wrong-settings.ts';

/** @param partner the fields of a partner besides those that it must have, as the lines from the eighth on */
const fileWith = (partner: string) => `{
  "partners": [
    {
      "key": "acme",
      "cid": "1001",
      "origins": ["https://www.partner.example"],

${partner}
    }
  ]
}`;
const read = (partner: string) => readWith(fileWith(partner));

const consentOf = (partner: string) => read(partner).partners[0].consent;

suite('the consent of a partner', () => {
  test('has a text and a version for each language', () => {
    const texts = {
      es: {text: 'Con {button} acepto los [Términos](https://acme.example/es).', version: '2'},
      en: {text: 'With {button} I accept the [Terms](https://acme.example/en).', version: '7'},
    };
    const consent = consentOf(`"consent": ${JSON.stringify({texts, required: true})}`);
    assert.deepEqual(consent, {texts, required: true});
    assert.deepEqual(Object.keys(consent?.texts ?? {}), ['es', 'en'], 'the first one is the default');
  });
  test('in the guide is the sample of the demo, and one that the server takes without a warning', () => {
    const [, example = ''] = /```json\n([^]*?)```/.exec(readFileSync('docs/partners.md', 'utf8')) ?? [];
    const {partners} = JSON.parse(example) as {partners: [{consent: object; next_step: object}]};
    const {consent, next_step} = partners[0];
    const {en, es} = sampleConsent('Acme Funding', {
      en: 'https://www.acme.example/terms',
      es: 'https://www.acme.example/es/terms',
    });
    const texts = {en: {text: en, version: '2026-11'}, es: {text: es, version: '2026-11'}};
    assert.deepEqual(consent, {required: true, texts});
    assert.deepEqual(read(JSON.stringify({consent, next_step}).slice(1, -1)).warnings, []);
  });
  test('has one plain text as before 1.4, whatever brackets are in it', () => {
    const text = 'I agree [see below] {and} call me (https://acme.example).';
    assert.deepEqual(consentOf(`"consent": ${JSON.stringify({text, version: '1'})}`), {
      texts: {und: {text, version: '1'}},
      required: false,
    });
  });

  const wrong: Record<string, [consent: string, line: string]> = {
    'a link over http, in the line and column of its bracket': [
      `"consent": {"texts": {"en": {"version": "1",
  "text": "See our [Terms](http://acme.example)."}}}`,
      '9:20: partners.0.consent.texts.en.text: has a link whose address does not begin with https://',
    ],
    'a link over http, after characters that are written as escapes': [
      `"consent": {"texts": {"en": {"version": "1",
  "text": "A\\n\\u00e9\\"\\\\b [Terms](http://acme.example)."}}}`,
      '9:27: partners.0.consent.texts.en.text: has a link whose',
    ],
    'a language that the form does not have': [
      `"consent": {"texts": {
  "en": {"text": "I agree.", "version": "1"},
  "fr": {"text": "D'accord.", "version": "1"}}}`,
      '10:9: partners.0.consent.texts.fr: is not a language of the form, which are en and es',
    ],
    'no language': [
      '"consent": {"texts": {}}',
      '8:22: partners.0.consent.texts: must hold at least one language',
    ],
    'a text beside texts': [
      `"consent": {"texts": {"en": {"text": "I agree.", "version": "1"}},
  "text": "I agree."}`,
      '9:11: partners.0.consent.text: must be missing, because texts has one for each language',
    ],
    'neither a text nor texts': ['"consent": {"version": "1"}', '8:12: partners.0.consent.text: is missing'],
    'a language without a version': [
      '"consent": {"texts": {"en": {"text": "I agree."}}}',
      '8:29: partners.0.consent.texts.en.version: is missing',
    ],
    'a field that nobody knows': [
      '"consent": {"texts": {"en": {"text": "I agree.", "version": "1", "required": true}}}',
      '8:66: partners.0.consent.texts.en: has an unknown field: required',
    ],
  };
  for (const [what, [consent, line]] of Object.entries(wrong)) {
    test(`is refused, with line and column: ${what}`, () => {
      const lines = wrongIn(settingsWith(fileWith(consent)));
      assert.ok(lines[0]?.startsWith(`CONFIG:${line}`), lines.join('\n') || 'it was taken');
      assert.equal(lines.length, 1);
    });
  }
});

suite('what is wrong with a text', () => {
  const rows: [text: string, at: number, message: RegExp][] = [
    ['[Terms](http://a.example)', 0, /does not begin with https/],
    ['a [Terms](javascript:alert(1))', 2, /does not begin with https/],
    ['a [Terms](https://a.example', 2, /has no \) at its end/],
    ['[Terms](https://a.example/b c)', 0, /a space or a bracket in it/],
    ['[Terms](https://a.example/(b))', 0, /a space or a bracket in it/],
    ['[Terms](https://%)', 0, /no web address/],
    ['[](https://a.example)', 0, /without words/],
    ['[ ](https://a.example)', 0, /without words/],
    ['[With {button}](https://a.example)', 0, /placeholder in the words of a link/],
    ['I agree [see below].', 8, /no link/],
    ['[Terms] (https://a.example)', 0, /no link/],
    ['[a](https://a.example) [b', 23, /without the other one/],
    ['a] b', 1, /without the other one/],
    ['[[a](https://a.example)', 0, /without the other one/],
    ['I press {knopf}.', 8, /placeholder that nobody knows/],
    ['{BUTTON}', 0, /placeholder that nobody knows/],
    ['{button} or {phone}', 12, /placeholder that nobody knows/],
    ['{button', 0, /a \{ or \} without/],
    ['button}', 6, /a \{ or \} without/],
    ['{{button}}', 0, /a \{ or \} without/],
  ];
  for (const [text, at, message] of rows) {
    test(`is said for ${JSON.stringify(text)}`, () => {
      const fault = textFault(text);
      assert.match(fault?.message ?? '', message);
      assert.equal(fault?.at, at);
    });
  }
  const piece = fc.oneof(
    fc.string({maxLength: 6}),
    fc.constantFrom('[', ']', '](', ')', '{', '}', '{button}', 'https://a.example'),
    fc.webUrl({validSchemes: ['https']}).map((url) => `[Terms](${url})`),
  );
  test('every bracket of a text without faults is that of a link or of the placeholder', () => {
    fc.assert(
      fc.property(
        fc.array(piece, {maxLength: 8}).map((pieces) => pieces.join('')),
        (text) => {
          const plain = consentParts(text).flatMap((part) =>
            'button' in part || 'href' in part ? [] : [part.text],
          );
          const fault = textFault(text);
          if (/[[\]{}]/.test(plain.join(''))) assert.match(text[fault?.at ?? -1] ?? '', /[[\]{}]/);
          else if (fault) assert.match(fault.message, /no web address/);
        },
      ),
    );
  });
});

suite('a warning about texts', () => {
  const warningsOf = (partner: string) => read(partner).warnings.map((line) => line.replace(/^CONFIG:/, ''));
  test('names the language that has no text, and the one that is shown in its place', () => {
    assert.deepEqual(
      warningsOf(`"consent": {"texts": {"es": {"text": "De acuerdo.", "version": "1"}}},
  "next_step": {"en-GB": "We call you."}`),
      [
        '8:22: partners.0.consent.texts has no text in en: forms in that language show the one in es',
        '9:16: partners.0.next_step has no text in es: forms in that language show the one in en-GB',
      ],
    );
  });
  test('names a language that the form does not have', () => {
    assert.deepEqual(
      warningsOf(`"call_promise": {"en": "We call.", "es": "Le llamamos.", "sp": "Le llamamos."}`),
      [
        '8:64: partners.0.call_promise.sp is for a language that the form does not have (en, es), so nobody sees it',
      ],
    );
  });
  test('is not made of texts in all languages, nor of one whose language is not known', () => {
    const texts = {en: {text: 'I agree.', version: '1'}, es: {text: 'De acuerdo.', version: '1'}};
    for (const consent of [{texts}, {text: 'I agree.', version: '1'}])
      for (const next_step of [{en: 'a', 'es-MX': 'b'}, 'We call you.'])
        assert.deepEqual(warningsOf(JSON.stringify({consent, next_step}).slice(1, -1)), []);
  });
  test('is made of a link in fewer languages than the form has', () => {
    assert.deepEqual(warningsOf(`"cta": {"en": {"label": "Book", "href": "https://book.example"}}`), [
      '8:8: partners.0.cta has no text in es: forms in that language show the one in en',
    ]);
  });
  test('is made of braces in a next step that visitors see as they are written', () => {
    assert.deepEqual(warningsOf(`"next_step": "We call {name} at {phone} about {reference}."`), [
      '8:14: partners.0.next_step has {name}, which visitors see as it is written',
    ]);
  });
  test('is made of a name in a next step that cannot be left out', () => {
    const warning =
      'has {first_name} without a comma beside it: it is left out where the name is not known, and the sentence must read well without it';
    assert.deepEqual(
      warningsOf(`"next_step": {"en": "{first_name}, we call you.", "es": "Llamamos a {first_name} hoy."}`),
      [`8:57: partners.0.next_step.es ${warning}`],
    );
  });
  test('is made of a link in a text that is shown as it is written', () => {
    for (const text of ['See our [Terms](https://acme.example).', 'With {button} I agree.']) {
      assert.deepEqual(warningsOf(`"consent": ${JSON.stringify({text, version: '1'})}`), [
        '8:20: partners.0.consent.text has a link or {button} that visitors see as it is written: give the text in texts',
      ]);
    }
  });
});
