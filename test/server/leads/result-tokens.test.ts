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
  const wrong: Record<string, string> = {
    altered: (token.startsWith('A') ? 'B' : 'A') + token.slice(1),
    cut: token.slice(0, -2),
    longer: `${token}AAAA`,
    'much longer': token.repeat(100),
    empty: '',
    'of other letters': 'ü'.repeat(43),
    'spelled with padding': `${token}=`,
    'spelled with another letter within': `${token.slice(0, 20)}!${token.slice(20)}`,
    'spelled with a space': ` ${token}`,
    'spelled as base64': `${token.replaceAll('-', '+').replaceAll('_', '/')}=`,
  };
  for (const [how, other] of Object.entries(wrong))
    test(`that is ${how} opens nothing`, () => assert.equal(tokens.verify(id, other, made, made), false));
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
