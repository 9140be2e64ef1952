/**
 * `node build/statements.ts`: runs the tests that use each query of the stores, and writes each statement that the server sends to a database meanwhile,
 * with a sample of its values, to `test/support/statements/<version>.json`, in place of those of the release before. There test/server/store/statements.test.ts
 * finds them, so that no later change of the tables breaks this version unnoticed.
 */
import {execFile} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {promisify} from 'node:util';
import {currentVersion} from '../server/store/schema.ts';
import {outDir} from './output.ts';

type Sent = {database: 'sqlite' | 'postgres'; text: string; values: unknown[]; worth: number};

const version = process.argv[2] ?? basename(outDir);
const folder = mkdtempSync(join(tmpdir(), 'statements-'));
const file = join(folder, 'sent');
const recorder = join(import.meta.dirname, '../test/support/statement-recorder.ts');
const tests = 'test/server/{store,cli,destinations}/**/*.{test,slow}.ts';
const environment = {
  ...process.env,
  REQUIRE_STORES: '1',
  STATEMENTS_FILE: file,
  NODE_OPTIONS: `--import ${recorder}`,
};
const shards = [1, 2, 3].map((shard) =>
  promisify(execFile)(
    'node',
    ['--test', '--test-isolation=none', `--test-shard=${shard}/3`, '--test-timeout', '600000', tests],
    {env: environment, maxBuffer: Infinity},
  ),
);
// Each of them to its end, because what is left would go on without anybody who hears it.
for (const run of await Promise.allSettled(shards))
  if (run.status === 'rejected') {
    console.error((run.reason as {stdout: string}).stdout);
    process.exit(1);
  }

const sent = new Map<string, Sent>();
for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
  const each = JSON.parse(line) as Sent;
  const key = each.database + each.text;
  const known = sent.get(key);
  if (!known || each.worth > known.worth) sent.set(key, each);
}
rmSync(folder, {recursive: true});

const [sqlite, postgres] = (['sqlite', 'postgres'] as const).map((database) =>
  withoutVariants([...sent.values()].filter((each) => each.database === database))
    .map(({text, values}) => ({text: text.replaceAll(/\s+/g, ' ').trim(), values}))
    .toSorted((one, other) => (one.text < other.text ? -1 : 1)),
);
const kept = 'test/support/statements';
for (const earlier of readdirSync(kept)) rmSync(join(kept, earlier));
const target = `${kept}/${version}.json`;
writeFileSync(target, `${JSON.stringify({schema: currentVersion, sqlite, postgres}, null, 1)}\n`);
console.log(`${target} has ${sqlite!.length} statements for SQLite and ${postgres!.length} for PostgreSQL.`);

/**
 * Filters of lists and counts are combined in hundreds of ways. Of statements that begin alike, those are left out that
 * have no word that another does not have as well: they need no table, column or index that the other does not need.
 */
function withoutVariants(statements: readonly Sent[]): Sent[] {
  const wordsOf = ({text}: Sent) => new Set(text.match(/\w+/g));
  return [...Map.groupBy(statements, ({text}) => text.split('WHERE')[0]).values()].flatMap((alike) => {
    const kept: {statement: Sent; words: Set<string>}[] = [];
    const bySize = alike
      .map((statement) => ({statement, words: wordsOf(statement)}))
      .toSorted((one, other) => other.words.size - one.words.size);
    for (const each of bySize)
      if (!kept.some(({words}) => [...each.words].every((word) => words.has(word)))) kept.push(each);
    return kept.map(({statement}) => statement);
  });
}
