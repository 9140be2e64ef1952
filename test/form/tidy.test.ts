import {expect} from '@open-wc/testing';
import type {FieldKind} from '../../contract/fields.ts';
import {emailSlip} from '../../form/email-suggestion.ts';
import {parseMoney} from '../../form/money.ts';
import {readFields} from '../../form/read-fields.ts';
import {fieldTable, type FieldName} from '../../form/pages.ts';
import {tidy} from '../../form/tidy.ts';

const cases: readonly (readonly [kind: FieldKind, typed: string, shown: string])[] = [
  ['money', '50000', '50,000'],
  ['money', '$50,000.99', '50,000'],
  ['money', '1.2m', '1,200,000'],
  ['money', '0', '0'],
  ['money', '', ''],
  ['money', 'abc', 'abc'],
  ['money', '-5', '-5'],
  ['money', '9'.repeat(30), '9'.repeat(30)],

  ['phone', '4155550132', '(415) 555-0132'],
  ['phone', '415-555-0132', '(415) 555-0132'],
  ['phone', '415.555.0132', '(415) 555-0132'],
  ['phone', '+1 (415) 555-0132', '(415) 555-0132'],
  ['phone', '14155550132', '(415) 555-0132'],
  ['phone', ' 415 555 0132 ', '(415) 555-0132'],
  ['phone', '+44 20 7946 0018', '+44 20 7946 0018'],
  ['phone', '+34 612 345 678', '+34 612 345 678'],
  ['phone', '415-555-0132 x12', '415-555-0132 x12'],
  ['phone', '0155550132', '0155550132'],
  ['phone', '555-0132', '555-0132'],
  ['phone', '1-415-555-0132', '(415) 555-0132'],
  ['phone', '(415)555-0132', '(415) 555-0132'],
  ['phone', '＋１４１５５５５０１３２', '(415) 555-0132'],
  ['phone', '+52 55 1234 5678', '+52 55 1234 5678'],
  ['phone', 'call me', 'call me'],

  ['name', ' Maria ', ' Maria '],
  ['email', 'M@Example.com', 'M@Example.com'],
];

/** How each language groups what it shows; all of it can be read again. */
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
    it(`${what} is read in a moment, whatever the field`, () => {
      const started = performance.now();
      for (const name of Object.keys(fieldTable) as FieldName[]) {
        readFields([name], {[name]: typed});
        tidy(fieldTable[name].kind, typed, 'en-US');
      }
      emailSlip(typed);
      // Milliseconds. A time that grew with the square of the length would be minutes.
      expect(performance.now() - started).to.be.below(5_000);
    });
  }
});

describe('tidy', () => {
  for (const [locale, shown] of locales) {
    it(`groups as ${locale} does, in digits that can be read again`, () => {
      const tidied = tidy('money', '1250000', locale);
      // Engines know different versions of the same separator.
      expect(tidied.replace(/\D/g, ' ')).to.equal(shown.replace(/\D/g, ' '));
      expect(parseMoney(tidied)).to.equal(1_250_000);
      expect(tidy('money', tidied, locale)).to.equal(tidied);
    });
  }

  for (const [kind, typed, shown] of cases) {
    it(`shows the ${kind} ${JSON.stringify(typed)} as ${JSON.stringify(shown)}`, () => {
      expect(tidy(kind, typed, 'en-US')).to.equal(shown);
    });

    it(`leaves ${JSON.stringify(shown)} as it is`, () => {
      expect(tidy(kind, shown, 'en-US')).to.equal(shown);
    });
  }
});
