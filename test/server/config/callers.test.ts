/** Passwords of those who call `/json/leads`: two at a time, by their SHA-256, and how they are made. */
import assert from 'node:assert/strict';
import {hash} from 'node:crypto';
import {suite, test} from 'node:test';
import {callersSchema, type Caller} from '../../../server/config/callers.ts';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {openFor, openForSuite} from '../../support/opened.ts';
import {runCommand} from '../../support/operator.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {startTestServer} from '../../support/test-server.ts';
import {readWith, wrongWith} from '../../support/wrong-settings.ts';

const sha256 = (text: string) => hash('sha256', text, 'hex');
const [oldOne, newOne] = ['the-old-password', 'the-new-password'] as const;
const cids = ['1001'];

suite('a caller', {concurrency: true}, () => {
  const callers = [
    {user: 'one', password_sha256: [sha256(newOne)], cids},
    {user: 'both', password_sha256: [sha256(oldOne), sha256(newOne).toUpperCase()], cids},
  ];
  const server = openForSuite(() => startTestServer({callers}));
  const signIn = (user: string, password: string) =>
    server.fetch('/json/leads', postJson(standardBody, basic({user, password})));

  for (const [user, password] of [
    ['one', newOne],
    ['both', oldOne],
    ['both', newOne],
  ] as const) {
    test(`the caller ${user} signs in with ${password}`, async () => {
      await readJson(await signIn(user, password), 201);
    });
  }
  for (const [user, password] of [
    ['one', oldOne],
    ['one', ''],
    ['both', `${oldOne},${newOne}`],
    ['both', ''],
    // Who reads the configuration cannot sign in with what it holds.
    ['one', sha256(newOne)],
  ] as const) {
    test(`the caller ${user} is refused with ${password || 'an empty password'}`, async () => {
      await readProblem(await signIn(user, password), 401, 'unauthorized');
    });
  }
});

suite('the callers of the file', () => {
  const digest = sha256(newOne);
  const wrongIn = (caller: object) =>
    wrongWith({callers: [{user: 'acme', cids, password_sha256: digest, ...caller}]}).join('\n');

  test('there may be no caller, and a caller has one digest or two', () => {
    assert.deepEqual(readWith({}).callers, []);
    for (const password_sha256 of [digest, [digest], [digest, sha256(oldOne)]]) {
      const {callers} = readWith({callers: [{user: 'acme', cids, password_sha256}]});
      assert.deepEqual(callers, [{user: 'acme', cids, password_sha256: [password_sha256].flat()}]);
    }
  });
  const notOne = 'must be a SHA-256: 64 hexadecimal digits, as "lead-prequal callers new" prints it';
  const rows: [caller: object, fault: string][] = [
    [{password_sha256: undefined}, '.password_sha256: is missing'],
    [{password_sha256: []}, '.password_sha256: must hold at least 1'],
    [{password_sha256: newOne}, `.password_sha256: ${notOne}`],
    [{password_sha256: digest.slice(1)}, `.password_sha256: ${notOne}`],
    [{password_sha256: `${digest}\n`}, `.password_sha256: ${notOne}`],
    [{password_sha256: [digest, 'x']}, `.password_sha256.1: ${notOne}`],
    [{password_sha256: [digest, digest, digest]}, '.password_sha256: must be a SHA-256, or a list of two'],
    [{password_sha256: 5}, '.password_sha256: must be a SHA-256, or a list of two'],
    // A password itself is in no file.
    [{password: oldOne}, ': has an unknown field: password'],
    [{password_sha265: digest}, ': has an unknown field: password_sha265: did you mean password_sha256?'],
    [{cids: []}, '.cids: must hold at least one cid'],
    [{cids: '1001'}, '.cids: must be a list of cids, such as ["1001"]'],
    [{user: 'a:b'}, '.user: must be a name without a colon'],
    [{user: 'acme '}, '.user: must not begin or end with a space'],
  ];
  for (const [caller, fault] of rows) {
    test(`a caller is refused with ${JSON.stringify(caller).slice(0, 50)}`, () => {
      assert.equal(wrongIn(caller), `callers.0${fault}`);
    });
  }
  test('a caller who is there twice is refused', () => {
    const caller = {user: 'acme', cids, password_sha256: digest};
    assert.deepEqual(wrongWith({callers: [caller, caller]}), ['callers: must not hold a user twice']);
  });
});

suite('lead-prequal callers new', () => {
  /** Without any setting: it is for those who have yet to make them. */
  const make = async (...words: string[]) => {
    const {stdout} = await runCommand({}, 'callers', 'new', ...words);
    const [, password = '', entry = ''] = /once: (\S+)\n(?:Entry|Hash) [^:]+: (.*)\n$/.exec(stdout) ?? [];
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
