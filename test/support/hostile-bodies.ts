/** Request bodies made by `fast-check`, as bytes: valid, almost valid, and hostile. */
import fc from './properties.ts';
import {creditScores, leadTypes} from '../../contract/fields.ts';
import {prequalificationBody, standardBody} from './sample-leads.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

const dollars = fc.oneof(
  fc.integer({min: 0, max: 999_999_999}),
  fc.integer({min: 0, max: 999_999_999}).map(String),
);
const name = fc.string({unit: 'grapheme', minLength: 1, maxLength: 40});
const rightLead = fc.record(
  {
    lead_type: fc.constantFrom(...leadTypes),
    cid: fc.constantFrom('1001', '1002'),
    first_name: name,
    last_name: name,
    email: fc.emailAddress(),
    phone: fc.constantFrom('202-555-0142', '+44 20 7946 0958', '2025550142'),
    credit_score: fc.constantFrom(...creditScores),
    bankruptcy: fc.boolean(),
    retirement: dollars,
    cash: dollars,
    investments: dollars,
    notes: fc.string({unit: 'grapheme', maxLength: 200}),
  },
  {requiredKeys: Object.keys(prequalificationBody) as 'cid'[]},
);

const oddText = fc.oneof(
  fc.string({unit: 'binary', maxLength: 100}),
  fc.string({
    unit: fc.constantFrom('\0', '\ud800', '\udfff', '\u202e', '\u0301', '\ufeff', '@', '.', '-', '7'),
  }),
  fc.constantFrom('__proto__', 'constructor', '50,000', '1e3', '٣', '=cmd()', "'; DROP TABLE leads; --"),
  fc
    .tuple(fc.constantFrom('1', '-', '@.', 'a.', ' ', '(', 'é', '👩‍🚀', '\\'), fc.integer({min: 1, max: 2_000}))
    .map(([unit, times]) => unit.repeat(times)),
);
/** As JSON text, because some numbers in it cannot be represented in JavaScript. */
const oddNumber = fc.oneof(
  fc.constantFrom(
    '1e400',
    '-1e400',
    '1e-400',
    '-0',
    '0.1',
    '1E+2',
    '9007199254740993',
    '123456789012345678901',
  ),
  fc.integer({min: 20, max: 5_000}).map((digits) => '9'.repeat(digits)),
  fc.double({noNaN: true, noDefaultInfinity: true}).map(String),
);
const nested = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[[],', ']'], ['{"__proto__":', '}']), fc.nat(1_500))
  .map(([[open, close], depth]) => `${open.repeat(depth)}0${close.repeat(depth)}`);
const wide = fc
  .tuple(fc.constantFrom('0', '""', '{}', '[[]]'), fc.nat(1_500))
  .map(([item, times]) => `[${Array.from({length: times}, () => item).join()}]`);
const oddValue = fc.oneof(
  oddText.map((text) => JSON.stringify(text)),
  oddNumber,
  nested,
  wide,
  fc.json({maxDepth: 5}),
  fc.constantFrom(
    'null',
    'true',
    '[]',
    '{}',
    '{"toString": null}',
    '"\\ud800"',
    '"\\u0000"',
    '"\\x41"',
    'NaN',
    '',
  ),
);

const fieldName = fc.oneof(
  fc.constantFrom(...Object.keys(prequalificationBody), 'state', 'time_frame', 'notes', 'lead'),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON', '', 'id'),
  oddText,
);
/** Fields of a JSON text. The same name may occur twice. */
const objectText = (fields: readonly (readonly [name: string, json: string])[]) =>
  `{${fields.map(([field, json]) => `${JSON.stringify(field)}: ${json}`).join()}}`;
const fieldsOf = (lead: object) =>
  Object.entries(lead).map(([field, value]) => [field, JSON.stringify(value)] as const);

const nearlyRight = fc
  .tuple(rightLead, fc.array(fc.tuple(fieldName, oddValue), {minLength: 1, maxLength: 3}), fc.boolean())
  .map(([lead, odd, first]) => objectText(first ? [...odd, ...fieldsOf(lead)] : [...fieldsOf(lead), ...odd]));
const hostile = fc.oneof(
  oddValue,
  fc.array(fc.tuple(fieldName, oddValue), {maxLength: 30}).map(objectText),
  fc.array(fc.tuple(oddText, fc.constant('0')), {minLength: 200, maxLength: 300}).map(objectText),
);

/** Bytes are removed, changed or inserted. Usually the result is no valid UTF-8 or JSON. */
const damaged = fc
  .tuple(
    fc
      .oneof(
        rightLead.map((lead) => JSON.stringify(lead)),
        hostile,
      )
      .map(utf8),
    fc.nat(),
    fc.uint8Array({maxLength: 20}),
    fc.boolean(),
  )
  .map(([bytes, position, inserted, cutOff]) => {
    const at = bytes.length === 0 ? 0 : position % bytes.length;
    return Buffer.concat([bytes.subarray(0, at), inserted, cutOff ? utf8('') : bytes.subarray(at)]);
  });

export type SentBody = {to: 'leads' | 'embed'; bytes: Uint8Array};

const text = fc.oneof(
  {arbitrary: rightLead.map((lead) => JSON.stringify(lead)), weight: 2},
  {arbitrary: nearlyRight, weight: 4},
  {arbitrary: hostile, weight: 3},
);
const toEmbed = fc.oneof(
  {arbitrary: text.map((lead) => `{"lead": ${lead}}`), weight: 4},
  {arbitrary: fc.constant(JSON.stringify({lead: standardBody})), weight: 1},
);

export const sentBody: fc.Arbitrary<SentBody> = fc.oneof(
  {arbitrary: fc.record({to: fc.constant('leads' as const), bytes: text.map(utf8)}), weight: 5},
  {arbitrary: fc.record({to: fc.constant('embed' as const), bytes: toEmbed.map(utf8)}), weight: 3},
  {
    arbitrary: fc.record({to: fc.constantFrom('leads' as const, 'embed' as const), bytes: damaged}),
    weight: 2,
  },
);
