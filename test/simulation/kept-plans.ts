/** Plans that found something once. They are played before all others. */
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Plan} from './plan.ts';

const folder = join(import.meta.dirname, 'plans');

export const keptPlans = () => readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
export const keptPlan = (name: string) =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Plan;
