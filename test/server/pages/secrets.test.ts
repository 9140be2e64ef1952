/** Challenges of passkeys, and texts that are encrypted for an address. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {digestOf, newSecret} from '../../../server/leads/operators.ts';
import {challengeEnd, newChallenge, decryptText, encryptText} from '../../../server/pages/secrets.ts';

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
const minute = 60_000;

suite('a challenge', () => {
  const now = Date.parse('2026-11-27T12:00:00Z');
  const text = newChallenge([first], 'sign-in', now).toString('base64url');
  test('is valid for its use, for five minutes', () => {
    assert.equal(challengeEnd([first], 'sign-in', text, now), now + 5 * minute);
    assert.equal(challengeEnd([first], 'sign-in', text, now + 5 * minute), undefined);
    assert.equal(challengeEnd([first], 'invite', text, now), undefined);
  });
  test('of an older key is valid until that key is taken away', () => {
    assert.ok(challengeEnd([second, first], 'sign-in', text, now));
    assert.equal(challengeEnd([second], 'sign-in', text, now), undefined);
  });
  test('in another spelling, or cut, is none of ours', () => {
    for (const other of [`${text}=`, `${text} `, text.slice(4), '', 'A'.repeat(text.length)])
      assert.equal(challengeEnd([first], 'sign-in', other, now), undefined, other);
  });
});

suite('an encrypted text', () => {
  const encrypted = encryptText([first], 'session', 'email zoë@example.com');
  test('can be opened by its session alone, with any of the keys', () => {
    assert.equal(decryptText([second, first], 'session', encrypted), 'email zoë@example.com');
    assert.equal(decryptText([first], 'another', encrypted), undefined);
    assert.equal(decryptText([second], 'session', encrypted), undefined);
  });
  test('that was changed anywhere, or cut, is not opened', () => {
    const bytes = Buffer.from(encrypted, 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(decryptText([first], 'session', changed.toString('base64url')), undefined);
      assert.equal(decryptText([first], 'session', bytes.subarray(0, at).toString('base64url')), undefined);
    }
  });
  test('has the same length for all that people search for, and is another one each time', () => {
    const texts = ['', '+12025550142', 'a-rather-long-address@a-rather-long-domain.example.com'];
    const all = texts.map((text) => encryptText([first], 'session', text));
    assert.equal(new Set(all.map(({length}) => length)).size, 1);
    assert.notEqual(encryptText([first], 'session', 'x'), encryptText([first], 'session', 'x'));
    const long = 'ü'.repeat(2_000);
    assert.equal(decryptText([first], 'session', encryptText([first], 'session', long)), long);
  });
});

test('a secret has 256 bits, and its digest is another text of the same form', () => {
  const secret = newSecret();
  assert.match(secret, /^[\w-]{43}$/);
  assert.match(digestOf(secret), /^[\w-]{43}$/);
  assert.notEqual(digestOf(secret), secret);
});
