/** Passwords of those who call `/json/leads`: two at a time, as text or by their SHA-256, and how they are made. */
import assert from 'node:assert/strict';
import {hash} from 'node:crypto';
import {suite, test} from 'node:test';
import {callersSchema, type Caller} from '../../../server/config/callers.ts';
import {ConfigError, readConfig} from '../../../server/config/config.ts';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {openFor, openForSuite} from '../../support/opened.ts';
import {runCommand} from '../../support/operator.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {startTestServer} from '../../support/test-server.ts';

const sha256 = (text: string) => hash('sha256', text, 'hex');
const [oldOne, newOne] = ['the-old-password', 'the-new-password'] as const;
const cids = ['1001'];

suite('a caller', {concurrency: true}, () => {
  const callers = [
    {user: 'one', password: oldOne, cids},
    {user: 'both', password: [oldOne, newOne], cids},
    {user: 'hashed', password_sha256: sha256(newOne), cids},
    {user: 'both-hashed', password_sha256: [sha256(oldOne), sha256(newOne).toUpperCase()], cids},
    {user: 'changing', password: oldOne, password_sha256: sha256(newOne), cids},
  ];
  const server = openForSuite(() => startTestServer({callers}));
  const signIn = (user: string, password: string) =>
    server.fetch('/json/leads', postJson(standardBody, basic({user, password})));

  for (const [user, password] of [
    ['one', oldOne],
    ['both', oldOne],
    ['both', newOne],
    ['hashed', newOne],
    ['both-hashed', oldOne],
    ['both-hashed', newOne],
    ['changing', oldOne],
    ['changing', newOne],
  ] as const) {
    test(`the caller ${user} signs in with ${password}`, async () => {
      await readJson(await signIn(user, password), 201);
    });
  }
  for (const [user, password] of [
    ['one', newOne],
    ['both', `${oldOne},${newOne}`],
    ['both', ''],
    ['hashed', oldOne],
    ['hashed', ''],
    // Who reads the configuration cannot sign in with what it holds.
    ['hashed', sha256(newOne)],
    ['changing', sha256(newOne)],
  ] as const) {
    test(`the caller ${user} is refused with ${password || 'an empty password'}`, async () => {
      await readProblem(await signIn(user, password), 401, 'unauthorized');
    });
  }
});

suite('the setting CALLERS', () => {
  const wrongIn = (caller: object) => {
    const required = {
      PUBLIC_URL: 'https://leads.example.com',
      EMBED_ORIGINS: 'https://www.partner.example',
      TOKEN_KEY: 'k'.repeat(32),
    };
    try {
      readConfig({...required, CALLERS: JSON.stringify([{user: 'acme', cids, ...caller}])});
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.message.split('\n  ')[1] ?? '';
    }
    return 'accepted';
  };
  const digest = sha256(newOne);
  const rows: [caller: object, says: RegExp][] = [
    [{password: oldOne}, /^accepted$/],
    [{password: [oldOne]}, /^accepted$/],
    [{password: [oldOne, newOne]}, /^accepted$/],
    [{password_sha256: digest}, /^accepted$/],
    [{password: oldOne, password_sha256: [digest]}, /^accepted$/],
    [{}, /^CALLERS\.0\.password is missing, and so is password_sha256$/],
    [{password: []}, /^CALLERS\.0\.password must not be empty/],
    [{password: 'short'}, /^CALLERS\.0\.password must have at least 12/],
    [{password: [oldOne, 'short']}, /^CALLERS\.0\.password\.1 must have at least 12/],
    [
      {password: [oldOne, newOne, 'a-third-password']},
      /^CALLERS\.0\.password and password_sha256 must hold two at most/,
    ],
    [{password: 123456789012}, /^CALLERS\.0\.password must be a text, or a list of two/],
    [{password: null}, /^CALLERS\.0\.password must be a text, or a list of two/],
    [{password_sha256: newOne}, /^CALLERS\.0\.password_sha256 must be a SHA-256/],
    [{password_sha256: digest.slice(1)}, /^CALLERS\.0\.password_sha256 must be a SHA-256/],
    [{password_sha256: `${digest}\n`}, /^CALLERS\.0\.password_sha256 must be a SHA-256/],
    [{password_sha256: [digest, 'x']}, /^CALLERS\.0\.password_sha256\.1 must be a SHA-256/],
    [
      {password: [oldOne, newOne], password_sha256: digest},
      /^CALLERS\.0\.password and password_sha256 must hold two at most/,
    ],
    [{password_sha265: digest}, /^CALLERS\.0 .*password_sha265/],
  ];
  for (const [caller, says] of rows) {
    test(`is refused with ${JSON.stringify(caller).slice(0, 80)}: ${says.source}`, () => {
      assert.match(wrongIn(caller), says);
    });
  }
});

suite('lead-prequal callers new', () => {
  /** Without any setting: it is for those who have yet to make them. */
  const make = async (...words: string[]) => {
    const {stdout} = await runCommand({}, 'callers', 'new', ...words);
    const [, password = '', entry = ''] = /once: (\S+)\n.*CALLERS: (.*)\n$/.exec(stdout) ?? [];
    return {password, entry};
  };

  test('prints a new strong password and an entry that signs in with it', async (t) => {
    const first = await make('acme', '--cid', '1001', '--cid', '1002');
    const second = await make('globex', '--cid', '1001', '2001');
    assert.match(first.password, /^[\w-]{43}$/);
    assert.notEqual(second.password, first.password);
    assert.ok(!first.entry.includes(first.password));
    const entries = [first, second].map(({entry}) => JSON.parse(entry) as Caller);
    assert.deepEqual(
      entries.map((entry) => entry.cids),
      [
        ['1001', '1002'],
        ['1001', '2001'],
      ],
    );
    const server = await openFor(t, startTestServer({callers: callersSchema.parse(entries)}));
    for (const [user, {password}] of [
      ['acme', first],
      ['globex', second],
    ] as const) {
      const request = postJson(standardBody, basic({user, password}));
      await readJson(await server.fetch('/json/leads', request), 201);
    }
  });
  test('prints the hash alone for a caller that has an entry', async () => {
    const {password, entry} = await make('acme');
    assert.equal(entry, `"password_sha256":"${sha256(password)}"`);
  });
  for (const [words, says] of [
    [['a:b'], /<user> must be a name without a colon/],
    [['acme', '--cid', ''], /--cid /],
    [['acme', '--cid', ' 1001'], /--cid must not begin or end with a space/],
    [[], /missing required argument 'user'/],
  ] as const) {
    test(`is refused with words for ${JSON.stringify(words)}`, async () => {
      const {code, stdout, stderr} = await runCommand({}, 'callers', 'new', ...words);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, says);
    });
  }
});
