/** What Prometheus does with scraped metrics and our rules, over simulated time: `promtool test rules`. */
import {execFile} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {Sample} from '../support/scrape.ts';
import {need} from '../support/installed.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';

export const rulesFile = join(import.meta.dirname, '../../deploy/alerts.yml');

/**
 * Runs promtool. Resolves to what it prints.
 * @throws Error with what it printed, when it finds something wrong
 */
export async function promtool(...words: string[]): Promise<string> {
  const {stdout} = await promisify(execFile)(need('promtool'), words).catch((error: unknown) => {
    const {stdout, stderr} = error as {stdout: string; stderr: string};
    throw new Error(`${words.join(' ')}: ${stdout}${stderr}`);
  });
  return stdout;
}

/** For so many steps, the values go from those of one scrape to those of another, in a straight line. */
export type Phase = {steps: number; from: readonly Sample[]; to?: readonly Sample[]};
/** Whether an alert is there at a time, in seconds since the beginning of the first phase. */
export type Expectation = {at: number; alert: string; labels?: Record<string, string>; fires: boolean};

/**
 * Checks which alerts fire at which times.
 * @param interval seconds of a step
 * @throws Error with what promtool found, when an expectation is wrong
 */
export async function expectAlerts(
  interval: number,
  phases: readonly Phase[],
  expectations: readonly Expectation[],
): Promise<void> {
  const folder = makeTemporaryFolder();
  const [file, rules] = [join(folder.path, 'test.json'), join(folder.path, 'rules.yml')];
  writeFileSync(rules, onlyRules(expectations.map(({alert}) => alert)));
  const test = {
    // JSON is YAML.
    rule_files: [rules],
    evaluation_interval: '30s',
    tests: [
      {
        interval: `${interval}s`,
        input_series: seriesOf(phases),
        promql_expr_test: expectations.map(({at, alert, labels = {}, fires}) => ({
          expr: `count(ALERTS${selector({alertname: alert, alertstate: 'firing', ...labels})}) or vector(0)`,
          eval_time: `${Math.round(at)}s`,
          exp_samples: [{labels: '{}', value: Number(fires)}],
        })),
      },
    ],
  };
  writeFileSync(file, JSON.stringify(test));
  await promtool('test', 'rules', file).finally(() => folder.remove());
}

/** Seconds for which the condition of a rule must hold before its alert fires. */
export function waitOf(alert: string): number {
  const [, rule = ''] = readFileSync(rulesFile, 'utf8').split(`alert: ${alert}\n`);
  const [, minutes = '0'] = /^ +for: (\d+)m$/m.exec(rule.split('- alert: ')[0] ?? '') ?? [];
  return Number(minutes) * 60;
}

/** The rules of these alerts. The others would only take time. */
function onlyRules(alerts: readonly string[]): string {
  const [head = '', ...rules] = readFileSync(rulesFile, 'utf8').split(/^(?= +- alert: )/m);
  return [head, ...rules.filter((rule) => alerts.some((alert) => rule.includes(`alert: ${alert}\n`)))].join(
    '',
  );
}

const selector = (labels: Readonly<Record<string, string>>) =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}}`;

const keyOf = ({name, labels}: Sample) =>
  `${name}${selector({...labels, job: 'lead-prequal', instance: 'leads.example:9100'})}`;

function seriesOf(phases: readonly Phase[]) {
  const maps = phases.map(({steps, from, to = from}) => ({steps, from: byKey(from), to: byKey(to)}));
  const keys = new Set(maps.flatMap(({from}) => [...from.keys()]));
  return [...keys].map((series) => ({
    series,
    values: maps
      .map(({steps, from, to}) => {
        const [first, last] = [from.get(series), to.get(series)];
        if (first === undefined || last === undefined) return `_x${steps}`;
        const step = (last - first) / (steps - 1);
        return `${first.toFixed(3)}${step < 0 ? '-' : '+'}${Math.abs(step).toFixed(9)}x${steps - 1}`;
      })
      .join(' '),
  }));
}

/** What Prometheus itself adds: the server answered. */
const up: Sample = {name: 'up', labels: {}, value: 1};
const byKey = (samples: readonly Sample[]) =>
  new Map(
    [up, ...samples.filter(({name}) => name.startsWith('lead_prequal_'))].map((sample) => [
      keyOf(sample),
      sample.value,
    ]),
  );
