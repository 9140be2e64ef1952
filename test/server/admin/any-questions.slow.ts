/**
 * Random configurations of questions, each with random answers (test/support/any-questions.ts). This tries 400 of them. As many
 * more as anybody likes: `PROPERTY_SEEDS=10 node --test test/server/admin/any-questions.slow.ts` tries 2,000.
 */
import {test} from 'node:test';
import {tryQuestions} from '../../support/any-questions.ts';

const first = Number(process.env['PROPERTY_SEED'] ?? 1);
const seeds = Number(process.env['PROPERTY_SEEDS'] ?? 2);
for (let seed = first; seed < first + seeds; seed++)
  test(`form, server, event, CSV and page say the same of 200 random visits, seed ${seed}`, async (t) => {
    t.diagnostic(JSON.stringify(await tryQuestions(t, 200, seed)));
  });
