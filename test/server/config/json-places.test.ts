/** Errors in JSON say where they are: file, line and column, as editors count them. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import fc from '../../support/properties.ts';
import {parseJson} from '../../../server/config/json.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {wrongIn} from '../../support/wrong-settings.ts';

const folder = temporaryFolder({after});

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const required = {
  PUBLIC_URL: 'https://leads.example.com',
  CALLERS: JSON.stringify([{user: 'acme', password: 'secret-of-acme', cids: ['1001']}]),
  EMBED_ORIGINS: 'https://www.partner.example',
  TOKEN_KEY: 'k'.repeat(32),
};
const access = {CREDENTIALS_CRM_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`};

const partners = `{
  "destinations": {
    "crm": {"type": "webhook", "url": "https://crm.example/in", "credentials": "CRM"}
  },
  "partners": [
    {
      "key": "acme",
      "origins": ["https://www.partner.example"],
      "cid": "1001",
      "answer_from": "calculator",
      "send_to": [
        "crm"
      ]
    }
  ]
}
`;
const wrongPartners = (from: string, to: string) => {
  const path = file('partners.json', partners.replace(from, to));
  return wrongIn({...required, ...access, PARTNERS_FILE: path}).map((line) =>
    line.replace(path, 'partners.json'),
  );
};

suite('an error in the partners file has its line and column', () => {
  const wrong: Record<string, [from: string, to: string, line: string]> = {
    'a destination that does not exist': [
      '"crm"\n',
      '"crn"\n',
      '12:9: partners.0.send_to: crn is not among the destinations',
    ],
    'an answer from nowhere': [
      '"calculator"',
      '"lender"',
      '10:22: partners.0.answer_from: lender is not among the destinations',
    ],
    'a comma too many': ['"crm"\n', '"crm",,\n', '12:15: is not valid JSON: value expected'],
    'a comma alone': ['"crm"\n', ',\n', '12:9: is not valid JSON: value expected'],
    'a missing comma': ['"acme",', '"acme"', '8:7: is not valid JSON: comma expected'],
    'behind a comment': ['"1001"', '/* ours,\n"] */ 1001', '10:7: partners.0.cid: must be a text'],
    'a comment without its end': [
      '      "key"',
      '/* ours "key"',
      '7:1: is not valid JSON: unexpected end of comment',
    ],
    'the end that is missing': ['  ]\n}\n', '', '15:1: is not valid JSON: close bracket expected'],
    'a wrong value': ['"1001"', '1001', '9:14: partners.0.cid: must be a text'],
    'a missing field': ['      "cid": "1001",\n', '', '6:5: partners.0.cid: is missing'],
    'an unknown field': [
      '"answer_from"',
      '"answers_from"',
      '10:7: partners.0: has an unknown field: answers_from',
    ],
    'plain http': [
      'https://crm',
      'http://crm',
      '3:39: destinations.crm.url: must start with https://, unless WEBHOOK_INTERNAL_HOSTS lists its host',
    ],
  };
  for (const [what, [from, to, line]] of Object.entries(wrong)) {
    test(`an error in the partners file has its line and column: ${what}`, () => {
      assert.deepEqual(wrongPartners(from, to), [`PARTNERS_FILE partners.json:${line}`]);
    });
  }
  test('each error in the partners file has a line of its own', () => {
    const faults = wrongPartners('"crm"\n', '"crn",\n"other"\n');
    assert.deepEqual(faults, [
      'PARTNERS_FILE partners.json:12:9: partners.0.send_to: crn is not among the destinations',
      'PARTNERS_FILE partners.json:13:1: partners.0.send_to: other is not among the destinations',
    ]);
  });
});

test('an error in the policy file has its line and column', () => {
  for (const [text, line] of [
    ['{\n  "version": 1,,\n}', '2:16: is not valid JSON: property name expected'],
    ['{\n  "version": 1\n}', '2:14: version: must be a text'],
  ] as const) {
    const path = file('policy.json', text);
    assert.equal(wrongIn({...required, POLICY_FILE: path})[0], `POLICY_FILE ${path}:${line}`);
  }
});

suite('an error in CALLERS', () => {
  test('has its line and column, if it is not JSON', () => {
    assert.deepEqual(wrongIn({...required, CALLERS: '[\n {"user" "acme"}]'}), [
      'CALLERS must be JSON (line 2, column 10: colon expected)',
    ]);
  });
  test('has the name of its file, too, where CALLERS_FILE names one', () => {
    for (const [text, says] of [
      ['\n[{"user" "acme"}]', (path: string) => `CALLERS must be JSON (${path}:2:10: colon expected)`],
      [
        '\n[{"user": "acme", "password": "short", "cids": ["1"]}]',
        (path: string) => `CALLERS.0.password must have at least 12 characters (${path}:2:31)`,
      ],
      [
        '\n[{"user": "acme", "password": "secret-of-acme", "cids": ["1"], "send_to": ["crm"]}]',
        (path: string) => `CALLERS.0.send_to: crm is not among the destinations (${path}:2:76)`,
      ],
    ] as const) {
      const path = file('callers.json', text);
      assert.deepEqual(wrongIn({...required, CALLERS: '', CALLERS_FILE: path}), [says(path)]);
    }
  });
});

test('comments, and commas after the last item, change no value', () => {
  const comment = fc.constantFrom(' ', '\n', '// "a", ]\r\n', '/* "//" */', '/***/', '//\u2028}\n');
  fc.assert(
    fc.property(fc.json(), comment, comment, (text, one, other) => {
      const longer = text.replace(/"(?:\\.|[^"\\])*"|[{}[\],:]/g, (token) => `${one}${token}${other}`);
      assert.deepEqual(parseJson(longer), JSON.parse(text), longer);
    }),
  );
  for (const text of ['{"a": ["b,]", {}, [],],}', '{"a": ["b,]", {}, [], // ours\n ] /* , */, /**/ }'])
    assert.deepEqual(parseJson(text), {a: ['b,]', {}, []]});
});

test('besides comments, JSON and a comma after the last item are read, and nothing else', () => {
  const isJson = (text: string, parse: (text: string) => unknown) => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const token = fc.constantFrom(
    ...'{ } [ ] , : "a" "\\ 1 01 - . true nul \' 1e \\u12'.split(' '),
    '\n',
    '\u00a0',
  );
  const text = fc.oneof(
    fc.json(),
    fc.array(token, {maxLength: 8}).map((tokens) => tokens.join('')),
  );
  fc.assert(
    fc.property(text, (text) => {
      const plain = text.replace(/(?<![[{,]\s*),(?=\s*[\]}])/g, '');
      assert.equal(isJson(text, parseJson), isJson(plain, JSON.parse), JSON.stringify(text));
    }),
  );
});
