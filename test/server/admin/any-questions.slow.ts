/** Two thousand random configurations of questions, each with random answers (test/support/any-questions.ts). */
import {test} from 'node:test';
import {tryQuestions} from '../../support/any-questions.ts';

const first = Number(process.env['PROPERTY_SEED'] ?? 1);
for (let seed = first; seed < first + 10; seed++)
  test(`form, server, event, CSV and page say the same of 200 random visits, seed ${seed}`, async (t) => {
    t.diagnostic(JSON.stringify(await tryQuestions(t, 200, seed)));
  });
