/** Part of `npm run check`: builds the form in memory, and fails if a file is larger than its budget. */
import {build, type Rolldown} from 'vite';
import {embed} from '../vite.config.ts';
import {scriptsOf} from './output.ts';
import {measure, nearBudget, overBudget} from './sizes.ts';

const results = await build({...embed, build: {...embed.build, write: false}});
const [{output}] = results as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
const sizes = measure(scriptsOf(output));
for (const warning of nearBudget(sizes)) console.warn(`Warning: ${warning}`);
for (const problem of overBudget(sizes)) {
  console.error(`${problem} build/sizes.ts says how it is measured.`);
  process.exitCode = 1;
}
