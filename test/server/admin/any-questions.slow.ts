/** Two thousand random configurations of questions, each with random answers (test/support/any-questions.ts). */
import {test} from 'node:test';
import {tryQuestions} from '../../support/any-questions.ts';

const first = Number(process.env['PROPERTY_SEED'] ?? 1);
for (const seed of [1, 2, 3, 4])
  test(`form, server, event, CSV and page say the same of 500 random visits: ${seed}`, async (t) => {
    t.diagnostic(JSON.stringify(await tryQuestions(t, 500, first + seed)));
  });
