/**
 * Histories of the lead service with virtual time: clients send leads while destinations, stores and processes fail, and a
 * checker compares what happened with the promises. `run.ts` plays more of them.
 */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {keptPlans} from './kept-plans.ts';
import {mutants} from './mutants.ts';
import {flavourNames} from './plan.ts';
import {simulate} from './simulate.ts';
import type {Job} from './thread.ts';

const fixed = 50;
const derived = 100;
/** Each day plays other histories. Their seeds are in the message of a failure. */
const today = Math.floor(Date.now() / 86_400_000) * derived;

const jobsFrom = (seed: number, count: number): Job[] =>
  Array.from({length: count}, (_, index) => ({
    seed: seed + index,
    flavour: flavourNames[index % flavourNames.length] ?? 'usual',
  }));

/** What the histories violate, with what plays each of them again. */
async function violationsOf(jobs: readonly Job[]): Promise<string[]> {
  const found: string[] = [];
  for await (const {task, violations} of simulate(jobs))
    for (const {rule, words} of violations) found.push(`${rule}: ${words} ${JSON.stringify(task)}`);
  return found;
}

suite('simulated histories', () => {
  test('plans that found something once violate nothing now', async () => {
    assert.deepEqual(await violationsOf(Object.values(keptPlans).map((plan) => ({plan}))), []);
  });

  test(`${fixed} fixed seeds violate nothing`, async () => {
    assert.deepEqual(await violationsOf(jobsFrom(1, fixed)), []);
  });

  test(`${derived} seeds of today violate nothing`, async (t) => {
    t.diagnostic(`the first seed is ${today}`);
    assert.deepEqual(await violationsOf(jobsFrom(today, derived)), []);
  });

  test('a seed gives the same history each time', async () => {
    const jobs = jobsFrom(7, 8).map((job) => ({...job, withHistory: true}));
    const played = [];
    for await (const each of simulate([...jobs, ...jobs], {threads: 2})) played.push(each);
    for (const [seed, [one, other]] of Map.groupBy(played, ({plan}) => plan.seed))
      assert.deepEqual(one?.history, other?.history, `the history of the plan with seed ${seed}`);
  });
});

suite('the simulation finds', () => {
  test('mutants whose code there is, each in one place', () => {
    const changes = mutants.flatMap(({name, also, ...own}) =>
      [own, ...(also ? [also] : [])].map((one) => ({name, ...one})),
    );
    for (const {name, file, from} of changes)
      assert.equal(readFileSync(file, 'utf8').split(from).length, 2, `${name}: ${file}`);
  });

  for (const mutant of mutants) {
    if (!('plan' in mutant)) continue;
    test(`${mutant.name}, with the plan ${mutant.plan}`, async () => {
      for await (const {violations} of simulate([{plan: keptPlans[mutant.plan]}], {mutant, threads: 1}))
        assert.ok(violations.some(({rule}) => rule === mutant.violates));
    });
  }
});
