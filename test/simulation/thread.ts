/** A thread that plays histories. It has virtual time, so the thread that started it keeps the real one. */
import fc from 'fast-check';
import {registerHooks} from 'node:module';
import {parentPort, workerData} from 'node:worker_threads';
import {installClock} from './clock.ts';
import {installConnections} from './connections.ts';
import type {History} from './history.ts';
import type {Change, Mutant} from './mutants.ts';
import type {Flavour, Plan} from './plan.ts';
import type {Violation} from './check.ts';

/** A history to play: the one of a seed, or the one of a plan. */
export type Task = {flavour: Flavour; seed: number} | {plan: Plan};
/** `shrink`: the rule whose shortest plan is looked for. */
export type Job = Task & {shrink?: string | undefined; withHistory?: boolean | undefined};
export type Played = {task: Task; plan: Plan; violations: Violation[]; history?: History};

/** Changes one place of the source as it is loaded. */
function plant({file, from, to}: Change) {
  let isPlanted = false;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(`/${file}`)) return loaded;
      const [before, after, ...others] = Buffer.from(loaded.source as Uint8Array)
        .toString()
        .split(from);
      if (after === undefined || others.length > 0)
        throw new Error(`${file} has not one place with: ${from}`);
      isPlanted = true;
      return {...loaded, source: `${before}${to}${after}`};
    },
  });
  return () => isPlanted;
}

const {mutant} = workerData as {mutant: Mutant | undefined};
const planted = mutant ? [plant(mutant), ...(mutant.also ? [plant(mutant.also)] : [])] : [];
installClock();
installConnections();
// What imports the server is imported only now.
const [{play}, {check}, {planOf, plans}] = await Promise.all([
  import('./play.ts'),
  import('./check.ts'),
  import('./plan.ts'),
]);
if (!planted.every((isPlanted) => isPlanted())) throw new Error(`${mutant?.file} is not loaded`);

const breaks = async (plan: Plan, rule: string) => check(await play(plan)).some((one) => one.rule === rule);

const planIn = (task: Task) => ('plan' in task ? task.plan : planOf(task.seed, task.flavour));

/** The shortest plan that breaks the rule, as far as fast-check finds it. */
async function shrunk(task: Task, rule: string): Promise<Plan> {
  if ('plan' in task) return task.plan;
  const property = fc.asyncProperty(plans(task.flavour), async (plan) => !(await breaks(plan, rule)));
  const {counterexample} = await fc.check(property, {seed: task.seed, numRuns: 1});
  return counterexample?.[0] ?? planIn(task);
}

parentPort?.on('message', ({shrink, withHistory, ...task}: Job) => {
  async function perform(): Promise<Played> {
    const plan = shrink === undefined ? planIn(task) : await shrunk(task, shrink);
    const history = await play(plan);
    return {task, plan, violations: check(history), ...(withHistory && {history})};
  }
  const answer = (played: Played) => parentPort?.postMessage(played);
  // What ends the simulation itself is a finding, too.
  perform().then(answer, (error: unknown) => {
    const words = String((error as Error).stack ?? error);
    answer({task, plan: planIn(task), violations: [{rule: 'the simulation itself fails', words}]});
  });
});
