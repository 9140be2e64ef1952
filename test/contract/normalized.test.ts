import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {normalized} from '../../contract/normalized.ts';
import fc from '../support/properties.ts';

const forms = ['NFC', 'NFD', 'NFKC'] as const;

suite('a text that is normalised', () => {
  const written = [
    'Nguyễn Thị Ánh',
    'שָׁלוֹם בְּרֵאשִׁ֖ית',
    'བསྒྲུབས།',
    'क्षेत्र',
    '한국어',
    '５０，０００',
    'ﾎﾟﾁ ｶﾞｷﾞｸﾞ',
    '½ ㎏ ﷼ ㍿ ⑳',
    `a${'\u0301'.repeat(30)}`,
  ];
  for (const text of written) {
    test(`is what Unicode says, if people write it: ${text.slice(0, 20)}`, () => {
      for (const form of forms) assert.equal(normalized(text, form), text.normalize(form));
    });
  }
  test('is what Unicode says, whatever letters and few marks it has', () => {
    const unit = fc.constantFrom('a', 'é', 'e\u0301\u0316', 'Ǻ', '\u1112\u1161\u11ab', 'ﬁ', '𝐀', '👩‍🚀', ' ');
    fc.assert(
      fc.property(fc.string({unit}), fc.constantFrom(...forms), (text, form) => {
        assert.equal(normalized(text, form), text.normalize(form));
      }),
    );
  });
  test('stays as it is, if it has more marks in a row than any language', () => {
    const text = `Z${'\u0344\u0323'.repeat(16)}oe`;
    for (const form of forms) assert.equal(normalized(text, form), text);
  });
  test('stays as it is, also if its marks are letters until they are normalised', () => {
    const points = Array.from({length: 0x11_0000}, (_, point) => point).filter(
      (point) => point >> 11 !== 0x1b,
    );
    const signs = points.map((point) => String.fromCodePoint(point));
    const marks = signs.filter((sign) => /^\p{M}+$/u.test(sign.normalize('NFKD')));
    assert.ok(marks.includes('\uff9e') && marks.includes('\u0344'));
    for (const mark of marks) {
      const text = `Z${`${mark}\u0323`.repeat(16)}oe`;
      for (const form of forms) assert.equal(normalized(text, form), text, mark.codePointAt(0)?.toString(16));
    }
  });
  test('stays as it is, if it would become many times as long', () => {
    const text = '\ufdfa'.repeat(10);
    assert.equal(normalized(text, 'NFKC'), text);
    assert.equal(normalized(text, 'NFC'), text);
  });
});
