/** Links and the placeholder in the text of a consent. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../support/properties.ts';
import {consentParts, inPlainWords, type ConsentPart} from '../../form/consent-text.ts';

const withoutEmpty = (parts: ConsentPart[]) => parts.filter((part) => 'button' in part || part.text !== '');
/** The text that has these parts. */
const written = (part: ConsentPart) =>
  'button' in part ? '{button}' : 'href' in part ? `[${part.text}](${part.href})` : part.text;

suite('the parts of a consent text', () => {
  const terms = {text: 'Terms', href: 'https://acme.example/terms'};
  const rows: [text: string, parts: ConsentPart[]][] = [
    ['You may call me.', [{text: 'You may call me.'}]],
    ['See our [Terms](https://acme.example/terms).', [{text: 'See our '}, terms, {text: '.'}]],
    ['With {button} I agree.', [{text: 'With '}, {button: true}, {text: ' I agree.'}]],
    ['{button}[Terms](https://acme.example/terms){button}', [{button: true}, terms, {button: true}]],
    [
      '[Our\nterms](https://acme.example/?a=b&c=d#e)',
      [{text: 'Our\nterms', href: 'https://acme.example/?a=b&c=d#e'}],
    ],
    ...[
      '[Terms](http://acme.example)',
      '[Terms](HTTPS://acme.example)',
      '[Terms](javascript:alert(1))',
      '[Terms](javascript:alert`1`//https://acme.example)',
      '[Terms](/terms)',
      '[Terms](https://)',
      '[Terms] (https://acme.example)',
      '[Terms](https://acme.example terms)',
      '[ ](https://acme.example)',
      '[Terms',
      '{Button}',
      '{phone}',
      '<a href="https://acme.example">Terms</a>',
      '**Terms**',
    ].map((text): [string, ConsentPart[]] => [text, [{text}]]),
  ];
  for (const [text, parts] of rows) {
    test(`of ${JSON.stringify(text)}`, () => assert.deepEqual(withoutEmpty(consentParts(text)), parts));
  }

  const piece = fc.oneof(
    fc.string({unit: 'grapheme', maxLength: 8}),
    fc.constantFrom(...'[](){}\n ', '](', '{button}', 'https://', 'http://', 'javascript:'),
    fc.webUrl({validSchemes: ['https']}).map((url) => `[Terms](${url})`),
  );
  const anyText = fc.array(piece, {maxLength: 12}).map((pieces) => pieces.join(''));

  test('no character of a text is lost or added', () => {
    fc.assert(fc.property(anyText, (text) => assert.equal(consentParts(text).map(written).join(''), text)));
  });
  test('a link has words and leads to a page over https, whatever a text has', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const part of consentParts(text).filter((each) => 'href' in each)) {
          assert.match(part.href, /^https:\/\/[^\s()]+$/);
          assert.notEqual(part.text.trim(), '');
        }
      }),
    );
  });
  test('a text of 4,000 brackets takes no longer than one of 4,000 letters', () => {
    for (const bracket of ['[', ']', '{', '[a](', '[ ', '[a](https://', '{button']) {
      const start = performance.now();
      consentParts(bracket.repeat(4_000 / bracket.length));
      assert.ok(performance.now() - start < 250, bracket);
    }
  });
});

suite('a consent text in plain words', () => {
  test('has words and address of a link, and the words of the button', () => {
    assert.equal(
      inPlainWords('With {button} I take the [Terms](https://acme.example/terms).', 'Send'),
      'With Send I take the Terms (https://acme.example/terms).',
    );
  });
  test('the words of the button are no pattern and no mark', () => {
    for (const button of ['$&', '$1', '{button}', '[a](https://b.example)'])
      assert.equal(inPlainWords('With {button}.', button), `With ${button}.`);
  });
});
