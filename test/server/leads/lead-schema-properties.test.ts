import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../../support/properties.ts';
import {creditScores} from '../../../contract/fields.ts';
import {fieldErrors, leadSchema} from '../../../server/leads/lead-schema.ts';
import {prequalificationBody, standardBody} from '../../support/sample-leads.ts';

const fieldNames = Object.keys({...prequalificationBody, state: '', time_frame: '', notes: ''});
const hostileText = fc.oneof(
  fc.string({unit: 'binary'}),
  fc.string({unit: fc.constantFrom('\0', '\ud800', '\udfff', '\u202e', '́', '@', '.', '-', '5', ' ', '\n')}),
  // Almost an ordinary value, with white space of any kind in it.
  fc
    .tuple(
      fc.constantFrom(['415', '5550132'], ['+49', '30 901820'], ['Ana', 'Maria'], ['ana@', 'example.com']),
      fc.constantFrom('\r\n', ...'\t\n\v\f\u0085\u00a0\u2028\u2029\u3000\ufeff'),
    )
    .map(([[before, after], between]) => `${before}${between}${after}`),
  fc.constantFrom("'; DROP TABLE leads; --", ...'__proto__ 50,000 1e3 0x1F ٣ =cmd() ../../etc'.split(' ')),
);
const hostileValue = fc.oneof(hostileText, fc.jsonValue(), fc.double(), fc.integer(), fc.anything());

const hostileBody = fc
  .dictionary(fc.constantFrom(...fieldNames), hostileValue)
  .chain((fields) =>
    fc.constantFrom({...fields}, {...prequalificationBody, ...fields}, {...standardBody, ...fields}),
  );

suite('whatever is sent', () => {
  test('the schema answers, and what it lets through is well-formed', () => {
    fc.assert(
      fc.property(fc.oneof(hostileBody, hostileValue), (body) => {
        const result = leadSchema.safeParse(body);
        if (!result.success) {
          assert.ok(fieldErrors(result.error, body).length > 0);
          return;
        }
        const lead = result.data;
        for (const text of [lead.cid, lead.first_name, lead.last_name, lead.email, lead.phone.typed]) {
          assert.ok(text === text.trim() && text !== '' && text.isWellFormed(), JSON.stringify(text));
          assert.doesNotMatch(text, /[\p{Cc}\p{Zl}\p{Zp}]/u);
        }
        assert.match(lead.phone.e164, /^\+[1-9]\d{6,14}$/);
        if (lead.lead_type !== 'prequalification') return;
        assert.ok(creditScores.includes(lead.credit_score));
        for (const dollars of [lead.retirement, lead.cash, lead.investments]) {
          assert.ok(Number.isInteger(dollars) && dollars >= 0 && dollars <= 999_999_999);
        }
      }),
      {numRuns: 1_000},
    );
  });

  test('an amount is an integer or digits, and keeps its value', () => {
    const amountLike = fc.oneof(
      fc.nat(),
      fc.nat().map(String),
      fc.constantFrom('', ' ', null, [], [5], true, {}),
    );
    fc.assert(
      fc.property(fc.oneof(amountLike, hostileValue), (sent) => {
        const result = leadSchema.safeParse({...prequalificationBody, cash: sent});
        const expected =
          typeof sent === 'number' || (typeof sent === 'string' && /^[0-9]+$/.test(sent))
            ? Number(sent)
            : NaN;
        const acceptable = Number.isInteger(expected) && expected >= 0 && expected <= 999_999_999;
        assert.equal(result.success, acceptable);
        if (result.success && result.data.lead_type === 'prequalification') {
          assert.equal(result.data.cash, expected + 0);
        }
      }),
      {numRuns: 1_000},
    );
  });

  test('the same lead read twice is the same', () => {
    const name = fc.string({unit: 'grapheme', minLength: 1, maxLength: 90});
    fc.assert(
      fc.property(name, name, (first_name, last_name) => {
        const once = leadSchema.safeParse({...standardBody, first_name, last_name});
        if (!once.success) return;
        const {phone, ...rest} = once.data;
        assert.deepEqual(leadSchema.parse({...rest, phone: phone.typed}), once.data);
      }),
    );
  });

  test('no error repeats what was sent', () => {
    const canary = fc
      .string({unit: fc.constantFrom('q', 'z', '\0', '@', '\n'), minLength: 1})
      .map((text) => `Zq7${text}`);
    const wrong = fc.oneof(
      canary,
      canary.map((text) => [text]),
      canary.map((text) => ({[text]: text})),
      canary.map((text) => text.repeat(3_000)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...fieldNames), wrong, wrong, (field, value, unknown) => {
        const body = {...prequalificationBody, [field]: value, [`Zq7${field}`]: unknown};
        const result = leadSchema.safeParse(body);
        if (!result.success) assert.doesNotMatch(JSON.stringify(fieldErrors(result.error, body)), /zq7/i);
      }),
      {numRuns: 300},
    );
  });
});

suite('the words of an error', () => {
  const wordsFor = (body: unknown) => {
    const result = leadSchema.safeParse(body);
    return Object.fromEntries(
      result.success ? [] : fieldErrors(result.error, body).map(({field, message}) => [field, message]),
    );
  };
  test('say what is missing', () => {
    assert.equal(wordsFor({})['email'], 'is required');
  });
  test('say what each field takes', () => {
    const nothingRight = Object.fromEntries(fieldNames.map((field) => [field, []]));
    const words = wordsFor({...nothingRight, lead_type: 'prequalification'});
    assert.deepEqual(Object.keys(words).sort(), fieldNames.filter((field) => field !== 'lead_type').sort());
    assert.match(words['credit_score'] ?? '', /Above 720, 680 - 720, 620 - 679, Below 620/);
    assert.match(words['cash'] ?? '', /whole US dollars from 0 to 999,999,999/);
    assert.match(words['bankruptcy'] ?? '', /true or false/);
    assert.match(words['phone'] ?? '', /telephone number/);
    assert.match(words['notes'] ?? '', /2,000 characters/);
    assert.match(
      wordsFor({...standardBody, lead_type: 'other'})['lead_type'] ?? '',
      /standard or prequalification/,
    );
  });
});

suite('hostile texts', () => {
  // The pattern alone would take seconds on these: the length is refused first.
  const growing = [
    '-'.repeat(16_000),
    '1'.repeat(16_000),
    '@.'.repeat(8_000),
    `${'a.'.repeat(8_000)}!`,
    ' '.repeat(16_000),
  ];
  for (const field of ['email', 'phone', 'credit_score', 'first_name', 'notes', 'cash']) {
    test(`of 16,000 characters are refused as ${field}`, () => {
      for (const text of growing) {
        const {success} = leadSchema.safeParse({...prequalificationBody, [field]: text});
        // Sixteen thousand spaces are a note of nothing.
        assert.equal(success, field === 'notes' && text.trim() === '');
      }
    });
  }
});
