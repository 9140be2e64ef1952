/** Reads metrics as Prometheus does. */
import assert from 'node:assert/strict';

export type Sample = {name: string; labels: Readonly<Record<string, string>>; value: number};

/** A line with a value. Names of partners and destinations need no escapes. */
const line = /^(\w+)(?:\{(.*)\})? (\S+)$/;

/** The metrics in the text in which the server writes them. */
const samplesIn = (text: string): Sample[] =>
  text.split('\n').flatMap((each) => {
    const [, name, labels = '', value] = line.exec(each) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
    return [{name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value)}];
  });

/** All samples of the server whose metrics are on this port. */
export async function scrape(port: number | undefined): Promise<Sample[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.status, 200);
  return samplesIn(await response.text());
}

/** The value of the sample with this name and at least these labels. @throws Error if there is not exactly one */
export function valueOf(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  assert.equal(found.length, 1, `${name} ${JSON.stringify(labels)}: ${JSON.stringify(found)}`);
  return found[0]!.value;
}

export const samplesNamed = (samples: readonly Sample[], name: RegExp): Sample[] =>
  samples.filter((sample) => name.test(sample.name));
