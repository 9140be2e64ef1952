import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {callerQuestions} from '../../../contract/questions.ts';
import {
  cidField,
  contactFields,
  creditScores,
  financialFields,
  type FieldKind,
  type FieldTable,
} from '../../../contract/fields.ts';
import {fieldErrors, leadSchema} from '../../../server/leads/lead-schema.ts';
import {finances, prequalificationBody, standardBody, without} from '../../support/sample-leads.ts';

/** What the schema makes of a body: the lead, or a code for each wrong field. */
function read(body: unknown) {
  const result = leadSchema.safeParse(body);
  if (result.success) return {lead: result.data as Record<string, unknown>, codes: {}};
  const errors = fieldErrors(result.error, body);
  return {lead: undefined, codes: Object.fromEntries(errors.map(({field, code}) => [field, code]))};
}
const withField = (field: string, value: unknown) => read({...prequalificationBody, [field]: value});
const shown = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, 60);

function accepts(field: string, rows: readonly (readonly [sent: unknown, read: unknown])[]) {
  for (const [sent, expected] of rows) {
    test(`${field} ${shown(sent)} is read as ${shown(expected)}`, () => {
      const {lead, codes} = withField(field, sent);
      assert.deepEqual(codes, {});
      assert.deepEqual(lead?.[field], expected);
    });
  }
}
function refuses(field: string, rows: readonly (readonly [sent: unknown, code: string])[]) {
  for (const [sent, code] of rows) {
    test(`${field} ${shown(sent)} is refused as ${code}`, () => {
      assert.deepEqual(withField(field, sent).codes, {[field]: code});
    });
  }
}
const same = (values: readonly unknown[]) => values.map((value) => [value, value] as const);
const invalid = (values: readonly unknown[]) => values.map((value) => [value, 'invalid'] as const);
const notTexts = [null, 5, true, [], ['Jane'], {}];

suite('the field table', () => {
  const rows: FieldTable = {cid: cidField, ...contactFields, ...financialFields, ...callerQuestions};
  const valid: Record<FieldKind, unknown> = {
    name: 'Jane',
    email: 'jane@example.com',
    phone: '202-555-0142',
    text: 'a text',
    money: 5,
    flag: true,
    choice: undefined,
  };
  const samples = Object.entries(rows).map(([name, {kind, choices}]) => [name, choices?.[0] ?? valid[kind]]);
  const body = {lead_type: 'prequalification', ...(Object.fromEntries(samples) as object)};

  test('has no row that a lead loses when it is read', () => {
    const {lead, codes} = read(body);
    assert.deepEqual(codes, {});
    assert.deepEqual(new Set(Object.keys(lead ?? {})), new Set(['lead_type', ...Object.keys(rows)]));
  });
  for (const [name, {required}] of Object.entries(rows)) {
    test(`says whether ${name} may be missing`, () => {
      assert.deepEqual(read(without(body, name)).codes, required ? {[name]: 'required'} : {});
    });
  }
});

suite('the type of a lead', () => {
  test('is standard when it is absent', () => {
    assert.equal(read(standardBody).lead?.['lead_type'], 'standard');
  });
  accepts('lead_type', same(['standard', 'prequalification']));
  refuses('lead_type', invalid([null, '', 'Standard', 'prequalification ', 'other', 1, true, [], {}]));

  test('a standard lead drops the financial fields, whatever they hold', () => {
    const {lead} = read({...standardBody, ...finances, retirement: 'much', credit_score: []});
    assert.deepEqual(Object.keys(lead ?? {}).sort(), [
      ...['cid', 'email', 'first_name', 'last_name', 'lead_type', 'phone'],
    ]);
  });
});

suite('required fields', () => {
  const contact = ['cid', 'first_name', 'last_name', 'email', 'phone'];
  const financial = ['credit_score', 'retirement', 'cash', 'investments'];

  test('the required fields of a standard lead are the contact fields', () => {
    assert.deepEqual(read({}).codes, Object.fromEntries(contact.map((field) => [field, 'required'])));
  });
  test('of a pre-qualification lead are all but the bankruptcy', () => {
    const {codes} = read({lead_type: 'prequalification'});
    assert.deepEqual(codes, Object.fromEntries([...contact, ...financial].map((name) => [name, 'required'])));
  });
  for (const field of contact) refuses(field, [...invalid(notTexts), ['', 'required'], [' \t ', 'required']]);
});

suite('names', () => {
  const emoji = '👩‍🚀';
  accepts('first_name', [
    ['  Jane  ', 'Jane'],
    ['Jose\u0301', 'Jos\u00e9'],
    ['J', 'J'],
    ...same(["O'Neil-Smith Jr.", '李小龍', 'محمد', 'Зоя', 'नीला', emoji, '=1+1', '<b>', 'null']),
    ...same(['a'.repeat(80), '𝒜'.repeat(80)]),
    ['e\u0301'.repeat(80), '\u00e9'.repeat(80)],
    [` ${'a'.repeat(80)} `, 'a'.repeat(80)],
  ]);
  refuses('last_name', [
    ['a'.repeat(81), 'too_long'],
    ['𝒜'.repeat(81), 'too_long'],
    ['a'.repeat(16_000), 'too_long'],
    [`a${'\u0345'.repeat(3_990)}${'\u0334'.repeat(3_990)}`, 'too_long'],
    ...invalid(['a\0b', 'a\nb', 'a\tb', 'a\u007fb', 'a\u0085b', 'a\ud800b', '\udc00', '\ud83d']),
  ]);
});

suite('the client identifier', () => {
  accepts('cid', [['1001', '1001'], [' 1001 ', '1001'], ...same(['a-b_c', 'x'.repeat(64)])]);
  refuses('cid', [['x'.repeat(65), 'too_long'], ...invalid(['10\n01', 1001])]);
});

suite('e-mail addresses', () => {
  const longest = `${'a'.repeat(242)}@example.com`;
  accepts('email', [
    [' jane@example.com ', 'jane@example.com'],
    ...same(['Jane.Doe+tag@Mail.Example.COM', 'j@b.co', "o'neil@example.museum", 'josé@exämple.de', longest]),
    // As before, although the form reads another address in it: retries and their digests depend on that.
    ...same(['mailto:jane@example.com', 'jane@example.com\u200b', '<jane@example.com>', 'jane@example.com,']),
    ['Jane <jane@example.com>', 'jane@example.com'],
    [`"${'Doe '.repeat(80)}" <jane@example.com>`, 'jane@example.com'],
    ['jane @ example.com', 'jane@example.com'],
    ['jane@example.com.', 'jane@example.com'],
  ]);
  refuses('email', [
    [`a${longest}`, 'too_long'],
    [`${'a@'.repeat(8_000)}b`, 'too_long'],
    ...invalid(['jane', 'jane@', '@example.com', 'jane@example', 'jane@example..com', 'jane@.example.com']),
    ...invalid(['a@b@example.com', 'jane doe@example.com', 'jane@exa mple.com']),
    ...invalid(['jane\0@example.com', 'jane@example.com\nBcc: x@y.zz', 'j\ud800@example.com']),
  ]);
});

suite('telephone numbers', () => {
  const us = '+12025550142';
  const written = [
    ...['202-555-0142', '2025550142', '(202) 555-0142', '202.555.0142', '202 555 0142', '+1 202 555 0142'],
    ...['+12025550142', '1-202-555-0142', '12025550142', '202-555-0142 x12', '202-555-0142 ext. 12'],
  ];
  const foreign = [
    ['+44 20 7946 0958', '+442079460958'],
    ['+49 30 901820', '+4930901820'],
    ['+52 55 5080 2000', '+525550802000'],
  ] as const;
  accepts('phone', [
    ...written.map((typed) => [typed, {typed, e164: us}] as const),
    ...foreign.map(([typed, e164]) => [typed, {typed, e164}] as const),
    [' 202-555-0142 ', {typed: '202-555-0142', e164: us}],
  ]);
  refuses('phone', [
    ['2'.repeat(41), 'too_long'],
    [`${'1-'.repeat(8_000)}x`, 'too_long'],
    ...invalid(['555-0142', '202-555-014', '202-555-01422', '102-555-0142', '000-000-0000', '12345']),
    ...invalid(['+44 1', '+999 123 456 789', '202-555-FOUR', 'call me', '+', '--------']),
    ...invalid(['202-555-0142; 202-555-0143', '202\t555\t0142', '202\x00555\x000142']),
  ]);
});

suite('the credit score', () => {
  accepts('credit_score', [
    ...same(creditScores),
    ...['680-720', '680 -720', '680- 720', '680  -  720'].map((label) => [label, '680 - 720'] as const),
    ['620-679', '620 - 679'],
  ]);
  refuses('credit_score', [
    ...invalid(['', ...'above 720/Above720/Above 721/680/680 - 721/700 - 720/680 to 720/720+'.split('/')]),
    ...invalid([...notTexts, 740, ['Above 720'], 'toString', '__proto__', ' '.repeat(16_000)]),
  ]);
});

suite('the bankruptcy', () => {
  accepts('bankruptcy', [...same([true, false]), ['true', true], ['false', false]]);
  refuses(
    'bankruptcy',
    invalid([null, '', 0, 1, '1', '0', 'yes', 'no', 'TRUE', 'False', ' true', [], {}, [true]]),
  );

  test('a bankruptcy that is not stated is kept apart from none', () => {
    const unstated = read(without(prequalificationBody, 'bankruptcy')).lead;
    assert.ok(unstated && !Object.hasOwn(unstated, 'bankruptcy'));
    assert.equal(read(prequalificationBody).lead?.['bankruptcy'], false);
  });
});

for (const field of ['retirement', 'cash', 'investments']) {
  suite(`money: ${field}`, () => {
    accepts(field, [
      ...same([0, 1, 50_000, 999_999_999]),
      ...(['0', '1', '50000', '999999999'] as const).map((digits) => [digits, Number(digits)] as const),
      ['00050', 50],
      [-0, 0],
      [50_000.0, 50_000],
    ]);
    refuses(field, [
      [1_000_000_000, 'too_large'],
      ['1000000000', 'too_large'],
      ...invalid([null, '', ' ', true, false, [], [5], ['5'], {}, 1.5, -1, 1e-7]),
      ...invalid('50,000/$5/1.5/-1/+1/1e3/0x10/5 / 5/5\n/٥/５/1_000/5n/Infinity/NaN/null/none'.split('/')),
      ...invalid([Infinity, NaN]),
    ]);
    for (const huge of [1e20, Number.MAX_VALUE, '9'.repeat(30), '9'.repeat(16_000)]) {
      test(`${shown(huge)} is refused`, () => {
        assert.deepEqual(Object.keys(withField(field, huge).codes), [field]);
      });
    }
  });
}

suite('the extras', () => {
  accepts('state', same(['CA', 'NY', 'DC', 'PR']));
  refuses('state', invalid(['ca', 'XX', 'California', '', ' CA', null, 5, ['CA']]));
  accepts('time_frame', same(["Don't Know Yet", 'Less than 2 months', '2-6 months', 'More than 12 Months']));
  refuses('time_frame', invalid(['soon', '', '2 - 6 months', 'more than 12 months', null]));
  accepts('notes', [
    ...same(['', 'Two lines:\n\tand a tab', '🎉'.repeat(2_000)]),
    ['  trimmed\r\n', 'trimmed'],
  ]);
  refuses('notes', [['a'.repeat(2_001), 'too_long'], ...invalid(['a\0b', 'a\u001bb', 'a\ud800', null, 5])]);

  test('may all be absent', () => {
    for (const field of ['state', 'time_frame', 'notes']) {
      assert.equal(Object.hasOwn(read(prequalificationBody).lead ?? {}, field), false);
    }
  });
  test('are taken on a standard lead as well', () => {
    const extras = {state: 'CA', time_frame: '2-6 months', notes: 'Call after five.'};
    assert.partialDeepStrictEqual(read({...standardBody, ...extras}).lead, extras);
  });
});

suite('fields that nobody knows', () => {
  test('are ignored and dropped', () => {
    const {lead, codes} = read({...prequalificationBody, id: '1', total_qualified_amount: 5, admin: true});
    assert.deepEqual(codes, {});
    assert.deepEqual(Object.keys(lead ?? {}).sort(), Object.keys(prequalificationBody).sort());
  });

  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    test(`are harmless by the name ${name}`, () => {
      const planted = `{"${name}": {"polluted": true, "first_name": "Eve"}, `;
      const body = JSON.parse(planted + JSON.stringify(prequalificationBody).slice(1)) as unknown;
      const {lead, codes} = read(body);
      assert.deepEqual(codes, {});
      assert.equal(lead?.['first_name'], 'Jane');
      assert.equal(Object.hasOwn(lead ?? {}, name), false);
      assert.equal('polluted' in {}, false);
    });
    test(`do not stand in for required ones by the name ${name}`, () => {
      const body = JSON.parse(`{"${name}": ${JSON.stringify(prequalificationBody)}}`) as unknown;
      assert.equal(read(body).lead, undefined);
    });
  }
});

suite('a body that is no object', () => {
  for (const body of [null, undefined, 5, 'lead', true, [], [standardBody], '']) {
    test(`${shown(body)} is refused as a whole`, () => assert.deepEqual(read(body).codes, {'': 'invalid'}));
  }
});
