/** Runs the rules of the form and of the server on the same inputs: what the form takes, the server must not refuse. */
import assert from 'node:assert/strict';
import {formFieldNames as names, questionNames} from '../../contract/questions.ts';
import {test} from 'node:test';
import fc from '../support/properties.ts';
import {creditScores, type FormFieldName} from '../../contract/fields.ts';
import {tableOf} from '../../contract/table-of.ts';
import {toE164} from '../../contract/phone.ts';
import {fieldTable, ownRows} from '../../form/pages.ts';
import {readFields, type Values} from '../../form/read-fields.ts';
import {tidy} from '../../form/tidy.ts';
import {askedFieldsIn} from '../../form/words/asked.ts';
import {fieldErrors, leadSchema} from '../../server/leads/lead-schema.ts';
import {prequalificationBody} from '../support/sample-leads.ts';

const asked = askedFieldsIn(questionNames);
const rows = {...fieldTable, ...ownRows(asked)};

/** Texts of these parts, in any order. */
const textOf = (...parts: readonly string[]) =>
  fc.array(fc.constantFrom(...parts), {minLength: 1, maxLength: 14}).map((chosen) => chosen.join(''));

const anything = fc.oneof(
  fc.string({unit: 'binary'}),
  fc.string({unit: 'grapheme', maxLength: 90}),
  textOf('\0', '\t', '\u00a0', '\u202e', '\u200d', '\ud800', '\ufeff', '\u0301', 'a', '5', ' '),
);
const digits = ['0', '1', '2', '5', '9', '00', '011', '415', '555', '0132', '44', '999', '٥', '５'];

/** Of fields that are not listed, what their kind takes, or anything. */
const typed: {[Name in FormFieldName]?: fc.Arbitrary<string>} = {
  first_name: anything,
  last_name: anything,
  email: fc.oneof(
    anything,
    fc.emailAddress(),
    textOf(...`aé.-@<>＠'"+ ,`, '\u0301', '@example', '.com', 'mailto:'),
  ),
  phone: fc.oneof(
    anything,
    textOf(...digits, ...'+()-‑. /x#c·\u202c', 'ext', ';ext=', 'tel:', 'cell ', ' (móvil)'),
    fc.stringMatching(/^\+?[\d ]{6,17}(?: ?x\d{1,20})?(?: cell)?$/),
    fc.stringMatching(/^(?:cell )?1?-?[2-9]\d\d-\d{3}-\d{4}(?: \(work\))?$/),
  ),
  credit_score: fc.oneof(fc.constantFrom(...creditScores), anything),
  bankruptcy: fc.oneof(fc.constantFrom('', 'true', 'false'), anything),
  retirement: fc.oneof(
    anything,
    textOf('none', 'half', ' a ', 'fifty', ' ', 'million', 'k', 'over ', 'or so', '-', '.5', '0'),
    textOf(...digits, '000', ',', '.', "'", ' ', '$', '€', 'k', 'mil', 'm', '-', '(', '~', '+', ',000'),
  ),
  cash: fc.nat().map(String),
  investments: fc.constantFrom('0', '50k', '1.5 millones', '$50,000.00'),
  // Lists, from which visitors can only choose.
  ...Object.fromEntries(
    asked.flatMap(({name, choices}) =>
      choices ? [[name, fc.constantFrom('', ...Object.keys(choices))]] : [],
    ),
  ),
};

const typedInto = (name: FormFieldName) =>
  typed[name] ?? fc.oneof(fc.constantFrom('', ...(rows[name].choices ?? [])), anything);
const fields = fc.record(tableOf(names, typedInto)) satisfies fc.Arbitrary<Values>;

test('whatever the form takes, the server takes', () => {
  let taken = 0;
  fc.assert(
    fc.property(fields, fc.constantFrom(...names), (values, name) => {
      const {lead, errors} = readFields([name], values, rows);
      if (errors[name]) return;
      taken++;
      const body = {...prequalificationBody, ...lead};
      const result = leadSchema.safeParse(body);
      assert.deepEqual(result.success ? [] : fieldErrors(result.error, body), []);
    }),
    {numRuns: 20_000},
  );
  assert.ok(taken > 1_000, `the form took ${taken}`);
});

test('a text that was tidied is tidy, and the form reads the same in it as before', () => {
  fc.assert(
    fc.property(fields, fc.constantFrom(...names), (values, name) => {
      const {kind} = rows[name];
      const tidied = tidy(kind, values[name], 'en-US');
      assert.equal(tidy(kind, tidied, 'en-US'), tidied);

      const before = readFields([name], values, rows);
      const after = readFields([name], {[name]: tidied}, rows);
      if (before.errors[name]) return;
      assert.deepEqual(after.errors, {});
      if (kind !== 'phone') return assert.deepEqual(after.lead, before.lead);
      // Only the country code of US numbers may be missing.
      assert.equal(toE164(String(after.lead[name])), toE164(String(before.lead[name])));
    }),
    {numRuns: 20_000},
  );
});
