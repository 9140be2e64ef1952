/** Errors in JSON say where they are: file, line and column, as editors count them. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import fc from '../../support/properties.ts';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {parseJson} from '../../../server/config/json.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {settingsWith, wrongIn} from '../../support/wrong-settings.ts';

const access = {CREDENTIALS_CRM_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`};

const content = `{
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
  ],
  "callers": [
    {"user": "acme", "password_sha256": "${'0'.repeat(64)}", "cids": ["1"]}
  ],
  "policy": ${JSON.stringify(defaultPolicy)}
}
`;
const wrongAfter = (from: string, to: string, more = access) =>
  wrongIn(settingsWith(content.replace(from, to), more));

suite('an error in the file has its line and column', () => {
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
    'the end that is missing': ['\n}\n', '\n', '20:1: is not valid JSON: close brace expected'],
    'a name twice in one object': [
      '"send_to"',
      '/* { "cid": */ "cid"',
      '11:22: "cid" is there twice, so only the last one would count',
    ],
    'a wrong value': ['"1001"', '1001', '9:14: partners.0.cid: must be a text'],
    'a missing field': ['      "key": "acme",\n', '', '6:5: partners.0.key: is missing'],
    'an unknown field': [
      '"answer_from"',
      '"answers_from"',
      '10:7: partners.0: has an unknown field: answers_from: did you mean answer_from?',
    ],
    'a wrong digest of a caller': [
      '"0000',
      '"000',
      '17:41: callers.0.password_sha256: must be a SHA-256: 64 hexadecimal digits, as "lead-prequal callers new" prints it',
    ],
    'a caller whose leads go nowhere': [
      '["1"]',
      '["1"], "send_to": ["crm", "crn"]',
      '17:143: callers.0.send_to: crn is not among the destinations',
    ],
    'a wrong figure of the policy': [
      '"version":"',
      '"version":5,"x":"',
      '19:24: policy.version: must be a text',
    ],
    'plain http': [
      'https://crm',
      'http://crm',
      '3:39: destinations.crm.url: must start with https://, unless "internal": true says that it is in your network',
    ],
  };
  for (const [what, [from, to, line]] of Object.entries(wrong)) {
    test(`an error in the file has its line and column: ${what}`, () => {
      assert.equal(wrongAfter(from, to)[0], `CONFIG:${line}`);
    });
  }
  test('a secret that is missing is said with the line of the destination that needs it', () => {
    assert.deepEqual(wrongAfter('', '', {CREDENTIALS_CRM_SECRET: ''}), [
      'CREDENTIALS_CRM_SECRET is missing, which CONFIG:3:12: destinations.crm needs',
    ]);
  });
  test('each error in the file has a line of its own', () => {
    assert.deepEqual(wrongAfter('"crm"\n', '"crn",\n"other"\n'), [
      'CONFIG:12:9: partners.0.send_to: crn is not among the destinations',
      'CONFIG:13:1: partners.0.send_to: other is not among the destinations',
    ]);
  });
  test('an error has the path of the file, where CONFIG_FILE names one', (t) => {
    const CONFIG_FILE = join(temporaryFolder(t), 'ours.json');
    writeFileSync(CONFIG_FILE, content.replace('"1001"', '1001'));
    assert.deepEqual(wrongIn(settingsWith('', {...access, CONFIG_FILE})), [
      `${CONFIG_FILE}:9:14: partners.0.cid: must be a text`,
    ]);
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
