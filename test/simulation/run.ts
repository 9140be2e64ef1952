/**
 * Plays histories and checks them, as `node test/simulation/run.ts`. CONTRIBUTING.md says how to read what it prints.
 *
 *     --histories N    how many, of all flavours in turn (1,000 unless said)
 *     --seed N         the seed of the first, to play it again
 *     --flavour NAME   only this flavour
 *     --plan NAME      the history of this kept plan instead, or of the plan in a JSON file
 *     --shrink         look for the shortest plan that violates each rule
 *     --trace          print all facts
 *     --mutants TEXT   plant each mutant whose name has this text, and count the histories until it is found
 */
import {readFileSync} from 'node:fs';
import {parseArgs} from 'node:util';
import {SingleBar} from 'cli-progress';
import {keptPlans} from './kept-plans.ts';
import {mutants, type Mutant} from './mutants.ts';
import {flavourNames, type Flavour, type Plan} from './plan.ts';
import {simulate} from './simulate.ts';
import type {Job, Played} from './thread.ts';

const {values} = parseArgs({
  options: {
    histories: {type: 'string', default: '1000'},
    seed: {type: 'string', default: String(Math.floor(Date.now() / 1_000))},
    flavour: {type: 'string'},
    plan: {type: 'string'},
    shrink: {type: 'boolean', default: false},
    trace: {type: 'boolean', default: false},
    mutants: {type: 'string'},
  },
});
const [histories, firstSeed] = [Number(values.histories), Number(values.seed)];
const flavours = values.flavour === undefined ? flavourNames : [values.flavour as Flavour];
const unknown = flavours.find((name) => !flavourNames.includes(name));
if (unknown !== undefined) throw new Error(`--flavour must be one of ${flavourNames.join(', ')}`);

function* jobsOf(count: number, names: readonly Flavour[]): Generator<Job> {
  for (let index = 0; index < count; index += 1)
    yield {
      seed: firstSeed + index,
      flavour: names[index % names.length] ?? 'usual',
      withHistory: values.trace,
    };
}

const planNamed = (name: string): Plan =>
  name in keptPlans
    ? keptPlans[name as keyof typeof keptPlans]
    : (JSON.parse(readFileSync(name, 'utf8')) as Plan);

/** What plays a history again. */
const toPlay = ({task, plan}: Pick<Played, 'task' | 'plan'>) =>
  'seed' in task ? `--seed ${task.seed} --flavour ${task.flavour}` : `--plan (${JSON.stringify(plan)})`;

function print({history, plan, violations}: Played) {
  for (const {at, ...fact} of history?.facts ?? []) console.log(Math.round(at), JSON.stringify(fact));
  for (const delivery of history?.stored.deliveries ?? []) console.log(JSON.stringify(delivery));
  console.log(JSON.stringify(plan, null, 1));
  for (const {rule, words} of violations) console.log(`${rule}: ${words}`);
}

async function playAll(): Promise<number> {
  const jobs: Iterable<Job> = values.plan
    ? [{plan: planNamed(values.plan), withHistory: values.trace}]
    : jobsOf(histories, flavours);
  const bar = new SingleBar({
    format: '{bar} {value} of {total} histories, {speed} a second, {found} with violations',
  });
  const found = new Map<string, Played[]>();
  const begun = performance.now();
  let played = 0;
  bar.start(values.plan ? 1 : histories, 0, {speed: 0, found: 0});
  for await (const each of simulate(jobs)) {
    played += 1;
    for (const rule of new Set(each.violations.map((violation) => violation.rule)))
      found.set(rule, [...(found.get(rule) ?? []), each]);
    const speed = Math.round((played * 1_000) / (performance.now() - begun));
    bar.update(played, {speed, found: new Set([...found.values()].flat()).size});
    if (values.trace) print(each);
  }
  bar.stop();
  const seconds = (performance.now() - begun) / 1_000;
  console.log(
    `${played} histories from seed ${firstSeed} in ${seconds.toFixed(0)} s, ${(played / seconds).toFixed(0)} a second`,
  );
  for (const [rule, all] of found) {
    const first = all[0]!;
    const words = first.violations.find((violation) => violation.rule === rule)?.words ?? '';
    console.log(`\n${rule}: ${all.length} histories, the first with ${toPlay(first)}\n  ${words}`);
    if (!values.shrink) continue;
    for await (const shortest of simulate([{...first.task, shrink: rule, withHistory: values.trace}]))
      print(shortest);
  }
  return found.size;
}

/** @returns how many histories it took to find the mutant; undefined if it was not found */
async function find(mutant: Mutant): Promise<{histories: number; played: Played} | undefined> {
  const jobs = 'plan' in mutant ? [{plan: keptPlans[mutant.plan]}] : jobsOf(500, [mutant.flavour]);
  let count = 0;
  for await (const played of simulate(jobs, {mutant})) {
    count += 1;
    if (played.violations.some(({rule}) => rule === mutant.violates)) return {histories: count, played};
  }
  return undefined;
}

async function findMutants(): Promise<number> {
  let missed = 0;
  for (const mutant of mutants.filter(({name}) => name.includes(values.mutants ?? ''))) {
    const found = await find(mutant);
    const by = 'plan' in mutant ? `plan ${mutant.plan}` : mutant.flavour;
    missed += Number(!found);
    console.log(
      found
        ? `${mutant.name} (${by}): found in history ${found.histories} (${toPlay(found.played)}): ${mutant.violates}`
        : `${mutant.name} (${by}): not found`,
    );
  }
  return missed;
}

process.exitCode = (await (values.mutants === undefined ? playAll() : findMutants())) === 0 ? 0 : 1;
