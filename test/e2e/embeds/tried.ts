/** The table of the kinds of sites and browsers in which the form was tried, in the documentation. */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {format, resolveConfig} from 'prettier';
import {table} from '../../../build/docs/markdown.ts';
import {siteKindNames, siteKinds, type SiteKindName} from '../../../server/snippets/site-kinds.ts';
import {alike} from './site-kinds.ts';
import {engines, type Engine} from './visitors.ts';

const file = 'docs/embedding.md';
const block = /(<!-- tried -->)[^]*?(<!-- \/tried -->)/;

type Result = 'works' | 'failed' | 'skipped';

/** What the table says: what was tried, or what was tried in its place. */
const resultOf = (site: SiteKindName, engine: Engine, results: Results) =>
  site in alike
    ? `as ${siteKinds[alike[site as keyof typeof alike]].name}`
    : (results.of(site, engine) ?? '');

export class Results {
  readonly #results = new Map<string, Result>();

  note(site: SiteKindName, engine: Engine, result: Result) {
    this.#results.set(`${site} ${engine}`, result);
  }

  of(site: SiteKindName, engine: Engine): Result | undefined {
    return this.#results.get(`${site} ${engine}`);
  }

  /** Whether something was tried in every browser, and nothing was left out. */
  get areWhole() {
    return engines.every((engine) => {
      const found = siteKindNames
        .map((site) => this.of(site, engine))
        .filter((result) => result !== undefined);
      return found.length > 0 && !found.includes('skipped');
    });
  }
}

/**
 * With `WRITE_TABLE` in the environment, prints the table and writes it into the documentation.
 * @throws Error without it, if the documentation has another table
 */
export async function documentTable(results: Results) {
  const fresh = table(
    ['Site', ...engines],
    siteKindNames.map((site) => [
      siteKinds[site].name,
      ...engines.map((engine) => resultOf(site, engine, results)),
    ]),
  );
  const text = readFileSync(file, 'utf8');
  const filled = text.replace(block, (_, open: string, close: string) => `${open}\n\n${fresh}\n\n${close}`);
  const formatted = await format(filled, {...(await resolveConfig(file)), parser: 'markdown'});
  if (process.env['WRITE_TABLE']) {
    console.log(block.exec(formatted)?.[0] ?? fresh);
    writeFileSync(file, formatted);
  } else assert.equal(text, formatted, `${file} says something else: run it with WRITE_TABLE=1`);
}
