/**
 * The patterns of the published schemas, as clients in several languages read them. JSON Schema gives a pattern no
 * flags, and each language has its own regular expressions, so only what means the same in all of them is of use.
 */
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {after, suite, test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import {operations} from '../../server/http/operations.ts';
import {parseLead} from '../../server/leads/lead-schema.ts';
import {readJson} from '../support/http.ts';
import {missing} from '../support/installed.ts';
import fc from '../support/properties.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {startTestServer} from '../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

const openapi = await readJson<object>(await server.fetch('/openapi.json'), 200);
const eventSchema = (await (await server.fetch('/schemas/lead-event-v1.json')).json()) as object;

const samePattern = (pattern: unknown) => (typeof pattern === 'string' ? [pattern] : []);
/** The values of all keywords `pattern` in a schema. */
const patternsIn = (schema: unknown): string[] =>
  schema === null || typeof schema !== 'object'
    ? []
    : Object.entries(schema).flatMap(([keyword, value]) => [
        ...(keyword === 'pattern' ? samePattern(value) : []),
        ...patternsIn(value),
      ]);
const patterns = [...new Set([openapi, eventSchema].flatMap(patternsIn))];

type Samples = {matching: readonly string[]; others: readonly string[]};
/** What each pattern must say of texts. A new pattern needs a row here. */
const samples: readonly (readonly [beginning: string, Samples])[] = [
  [
    '^[^@]+@',
    {
      matching: [
        'ana@example.com',
        'Chris.Cooper@example.com',
        ' josé@bücher.example ',
        '李@例え.テスト',
        '😀@a.b',
      ],
      others: ['', 'ana', 'ana@example', 'ana@a@example.com', 'ana@.com', 'ana@example..com', 'ana@example.'],
    },
  ],
  ['^[0-9]+', {matching: ['0', '20000'], others: ['', '-1', '1,000', '1.5', '١٢', 'twelve', '2O']}],
  ['^[0-9a-f]*', {matching: ['', '00ff'], others: ['FF', 'fg', 'é', '0 1']}],
  [
    '^[a-z]{2,3}(-',
    {matching: ['en', 'es-MX', 'zh-Hant-TW'], others: ['', 'e', 'EN', 'en_US', 'en-', 'en-٣٤']},
  ],
  ['^[\\x21', {matching: ['', 'https://www.partner.example/a~b'], others: ['a b', 'ä', 'a\u007f', 'a\0']}],
];
const samplesOf = (pattern: string) => samples.find(([beginning]) => pattern.startsWith(beginning))?.[1];

const texts = ['Chris Cooper', ...samples.flatMap(([, {matching, others}]) => [...matching, ...others])];
type Case = readonly [pattern: string, text: string];
const cases = patterns.flatMap((pattern) => texts.map((text): Case => [pattern, text]));
/** JSON Schema has the regular expressions of JavaScript, with the flag u. */
const meant = cases.map(([pattern, text]) => new RegExp(pattern, 'u').test(text));

/** Each program reads pairs of a pattern and a text, and prints whether they match. It ends with an error if it cannot. */
const engines: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  "Python's re": [
    'python3',
    '-c',
    'import json, re, sys; print(json.dumps([bool(re.search(p, t)) for p, t in json.load(sys.stdin)]))',
  ],
  "PHP's preg_match": [
    'php',
    '-r',
    'set_error_handler(function ($no, $text) { fwrite(STDERR, $text); exit(1); }); echo json_encode(array_map(fn($of) => preg_match("~$of[0]~u", $of[1]) === 1, json_decode(stream_get_contents(STDIN))));',
  ],
  "Ruby's Regexp": [
    'ruby',
    '-Eutf-8',
    '-rjson',
    '-e',
    'puts JSON.parse($stdin.read).map { |pattern, text| Regexp.new(pattern).match?(text) }.to_json',
  ],
};

/** @throws AssertionError with what the program complained of when it could not read a pattern */
function matches([program, ...args]: readonly [string, ...string[]], input: readonly Case[]): unknown {
  const {stdout, stderr} = spawnSync(program, args, {input: JSON.stringify(input), encoding: 'utf8'});
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

/** With the answer beside the case, a difference shows which pattern and which text it is about. */
const told = (answers: unknown) => cases.map((of, index) => [...of, (answers as boolean[])[index]]);

suite('each pattern of the published schemas', () => {
  test('tells the texts that match from others', () => {
    assert.ok(patterns.length > 0);
    for (const pattern of patterns) {
      const {matching, others} = samplesOf(pattern) ?? assert.fail(`${pattern} needs samples`);
      const matched = [...matching, ...others].filter((text) => new RegExp(pattern, 'u').test(text));
      assert.deepEqual(matched, matching);
    }
  });
  test('is ASCII without escapes that languages read differently', () => {
    // \p needs a flag or is unknown, \u is unknown to PCRE and Go, and \d and \s are other characters in each language.
    assert.deepEqual(
      patterns.filter((pattern) => !/^(?:[\x20-\x5b\x5d-\x7e]|\\x[0-7][0-9a-f]|\\[.])+$/.test(pattern)),
      [],
    );
  });
  for (const flags of ['', 'v']) {
    test(`means the same in JavaScript with the flags "${flags}"`, () => {
      const answers = cases.map(([pattern, text]) => new RegExp(pattern, flags).test(text));
      assert.deepEqual(told(answers), told(meant));
    });
  }
  for (const [name, engine] of Object.entries(engines)) {
    test(`means the same in ${name}`, {skip: missing(engine[0])}, () =>
      assert.deepEqual(told(matches(engine, cases)), told(meant)),
    );
  }
});

const {createLead, embedCreate} = operations;

suite('a client that checks what it sends by the document', () => {
  for (const unicodeRegExp of [false, true]) {
    const how = `compiling patterns ${unicodeRegExp ? 'with' : 'without'} the flag u`;
    const ajv = new Ajv2020({strict: false, validateSchema: false, validateFormats: false, unicodeRegExp});
    ajv.addSchema(openapi, 'openapi');
    const validator = ({path, method}: {path: string; method: string}) => {
      const place = ['paths', path.replaceAll('/', '~1'), method, 'requestBody', 'content'].join('/');
      return ajv.getSchema(`openapi#/${place}/application~1json/schema`)!;
    };
    const takes = (operation: {path: string; method: string}, body: unknown) => {
      const validate = validator(operation);
      assert.ok(validate(body), `${JSON.stringify(body)}: ${ajv.errorsText(validate.errors)}`);
    };
    test(`sends its examples, ${how}`, () => {
      for (const operation of [createLead, embedCreate]) takes(operation, operation.body.example);
    });
    test(`sends what the server takes, ${how}`, () => {
      const names = ['Chris Cooper', 'Cc', 'María-José', 'O’Brien', '李小龍', 'Zoë\u0301', '😀', '\tAna\n'];
      const anyText = fc.oneof(
        fc.constantFrom(...names),
        fc.string({unit: 'grapheme', maxLength: 20}),
        fc.string({unit: 'binary', maxLength: 20}),
      );
      const anyEmail = fc
        .tuple(anyText, anyText, anyText)
        .map(([local, domain, top]) => `${local}@${domain}.${top}`);
      const anyPhone = fc.constantFrom(
        '415-555-0132',
        '(415) 555 0132 ext. 7',
        '+44\u00a020 7946 0958',
        '#415',
      );
      const anyMoney = fc.oneof(fc.nat(), fc.nat().map(String), anyText);
      const anyLead = fc.record({
        lead_type: fc.constantFrom('standard', 'prequalification'),
        cid: anyText,
        first_name: anyText,
        last_name: fc.constantFrom(...names),
        email: fc.oneof(fc.constantFrom('ana@example.com', ' cc@pp.example '), anyEmail),
        phone: anyPhone,
        notes: anyText,
        retirement: anyMoney,
      });
      let taken = 0;
      fc.assert(
        fc.property(anyLead, (fields) => {
          const lead = {...prequalificationBody, ...fields};
          if (!parseLead(lead).success) return;
          taken += 1;
          takes(createLead, lead);
          takes(embedCreate, {lead, attribution: {utm_source: 'a\u2028b', gclid: ''}});
        }),
        {numRuns: 1_000},
      );
      assert.ok(taken > 100, String(taken));
    });
    test(`is told of wrong values before it sends them, ${how}`, () => {
      const wrong = {first_name: '', email: 'ana@example', cash: '1,000', investments: -1, credit_score: 5};
      for (const [field, value] of Object.entries(wrong)) {
        const body = {...prequalificationBody, [field]: value};
        assert.equal(validator(createLead)(body), false, field);
        assert.equal(parseLead(body).success, false, field);
      }
    });
  }
});
