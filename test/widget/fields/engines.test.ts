/**
 * Tests in browsers what engines do differently: each has its own regular expressions, and its own version of the
 * separators that languages use. The rest of `form/` behaves the same everywhere and is tested in Node (test/form).
 */
import {expect} from '@open-wc/testing';
import {emailSuggestion} from '../../../form/email-suggestion.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {parseMoney} from '../../../form/money.ts';
import {fieldTable, type FieldName} from '../../../form/pages.ts';
import {readFields} from '../../../form/read-fields.ts';
import {tidy} from '../../../form/tidy.ts';

/** An amount as readers of each language write it. */
const locales: readonly (readonly [locale: string, shown: string])[] = [
  ['en-US', '1,250,000'],
  ['es-US', '1,250,000'],
  ['es-ES', '1.250.000'],
  ['de-CH', '1’250’000'],
  ['fr-FR', '1\u202f250\u202f000'],
  ['en-IN', '12,50,000'],
  ['he-IL', '1,250,000'],
  ['ar-EG', '1,250,000'],
  ['fa-IR', '1٬250٬000'],
];

describe('an amount of money', () => {
  for (const [locale, shown] of locales) {
    it(`an amount is grouped as ${locale} does, in digits that can be read again`, () => {
      const tidied = tidy('money', '1250000', locale);
      // Engines know different versions of the same separator.
      expect(tidied.replace(/\D/g, ' ')).to.equal(shown.replace(/\D/g, ' '));
      expect(parseMoney(tidied)).to.equal(1_250_000);
      expect(tidy('money', tidied, locale)).to.equal(tidied);
    });
  }

  it('an amount in the answer has a dollar sign and groups of three digits', () => {
    expect(formatMoney(830_000, 'en-US')).to.equal('$830,000');
    expect(formatMoney(0, 'en-US')).to.equal('$0');
  });
});

describe('a long paste', () => {
  const spaces = ' '.repeat(200_000);
  const pastes = {
    'of spaces': spaces,
    'that ends in spaces': `5${spaces}`,
    'of spaces between two digits': `5${spaces}5`,
    'of spaces before a letter': `5${spaces}x`,
    'of spaces in an e-mail address': `a@b${spaces}.c`,
    'of line breaks between two digits': `5${'\n'.repeat(200_000)}5`,
    'of digits': '5'.repeat(200_000),
    'of groups of digits': ',555'.repeat(50_000),
    'of dots': '.'.repeat(200_000),
    'of at signs': '@'.repeat(200_000),
    'of the letter k': 'k'.repeat(200_000),
  };
  for (const [what, typed] of Object.entries(pastes)) {
    it(`${what} is read in a time that grows with its length, whatever the field`, () => {
      const started = performance.now();
      for (const name of Object.keys(fieldTable) as FieldName[]) {
        readFields([name], {[name]: typed});
        tidy(fieldTable[name].kind, typed, 'en-US');
      }
      emailSuggestion(typed);
      // Milliseconds. If the time grew with the square of the length, it would take minutes.
      expect(performance.now() - started).to.be.below(10_000);
    });
  }
});
