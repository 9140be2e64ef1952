import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {createResultTokens} from '../../../server/leads/result-tokens.ts';

const [oldKey, newKey] = ['old-key-'.repeat(5), 'new-key-'.repeat(5)];
const day = 86_400_000;
const made = Date.UTC(2026, 0, 1);
const id = '0190aaaa-0000-7000-8000-000000000001';
const tokens = createResultTokens([oldKey]);

suite('a result token', () => {
  const token = tokens.issue(id);

  test('is the same each time, so that a repeated request gets it again', () => {
    assert.equal(tokens.issue(id), token);
    assert.equal(createResultTokens([oldKey]).issue(id), token);
  });
  test('opens its own lead and no other', () => {
    assert.equal(tokens.verify(id, token, made, made), true);
    assert.equal(tokens.verify(id.replace('1', '2'), token, made, made), false);
  });
  test('lives for seven days from the making of the lead', () => {
    assert.equal(tokens.verify(id, token, made, made + 7 * day - 1), true);
    assert.equal(tokens.verify(id, token, made, made + 7 * day), false);
  });
  test('that is altered, cut, longer or empty opens nothing', () => {
    const altered = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    for (const wrong of [
      altered,
      token.slice(0, -2),
      `${token}AAAA`,
      '',
      '=',
      'ü'.repeat(43),
      token.repeat(100),
    ]) {
      assert.equal(tokens.verify(id, wrong, made, made), false, wrong);
    }
  });
  test('of another key opens nothing', () => {
    assert.equal(createResultTokens([newKey]).verify(id, token, made, made), false);
  });
  test('outlives a change of keys, while the old one stands behind the new', () => {
    const rotated = createResultTokens([newKey, oldKey]);
    assert.equal(rotated.verify(id, token, made, made), true);
    assert.notEqual(rotated.issue(id), token);
    assert.equal(rotated.verify(id, rotated.issue(id), made, made), true);
  });
});

suite('another spelling of a result token', () => {
  const token = tokens.issue(id);
  for (const other of [
    `${token}=`,
    `${token.slice(0, 20)}!${token.slice(20)}`,
    ` ${token}`,
    token.replaceAll(/[-_]/g, '+'),
  ]) {
    test(`opens nothing: ${other}`, () => {
      assert.equal(tokens.verify(id, other, made, made), other === token);
    });
  }
});
