/** Random questions and answers. More are in any-questions.slow.ts. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {tryQuestions} from '../../support/any-questions.ts';

test('form, server, event, CSV and page say the same of 100 random questions', async (t) => {
  const counts = await tryQuestions(t, 100);
  t.diagnostic(JSON.stringify(counts));
  assert.ok(Math.min(...Object.values(counts)) > 0, JSON.stringify(counts));
});
