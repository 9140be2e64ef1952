/** Reads metrics from the text in which the server writes them. */

export type Sample = {name: string; labels: Readonly<Record<string, string>>; value: number};

/** A line with a value. Names of partners and destinations need no escapes. */
const line = /^(\w+)(?:\{(.*)\})? (\S+)$/;

export const samplesIn = (text: string): Sample[] =>
  text.split('\n').flatMap((each) => {
    const [, name, labels = '', value] = line.exec(each) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
    return [{name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value)}];
  });
