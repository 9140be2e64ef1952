/** The table of the hosts and browsers in which the form was tried, in the documentation. */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {format, resolveConfig} from 'prettier';
import {table} from '../../../build/docs/markdown.ts';
import {hostNames, hosts, type HostName} from '../../../server/snippets/hosts.ts';
import {engines, type Engine} from './visitors.ts';

const file = 'docs/embedding.md';
const block = /(<!-- tried -->)[^]*?(<!-- \/tried -->)/;

type Result = 'works' | 'failed' | 'skipped';

export class Results {
  readonly #results = new Map<string, Result>();

  note(host: HostName, engine: Engine, result: Result) {
    this.#results.set(`${host} ${engine}`, result);
  }

  of(host: HostName, engine: Engine): Result | undefined {
    return this.#results.get(`${host} ${engine}`);
  }

  /** Whether something was tried in every browser, and nothing was left out. */
  get areWhole() {
    return engines.every((engine) => {
      const found = hostNames.map((host) => this.of(host, engine)).filter((result) => result !== undefined);
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
    ['Host', ...engines],
    hostNames.map((host) => [hosts[host].name, ...engines.map((engine) => results.of(host, engine) ?? '')]),
  );
  const text = readFileSync(file, 'utf8');
  const filled = text.replace(block, (_, open: string, close: string) => `${open}\n\n${fresh}\n\n${close}`);
  const formatted = await format(filled, {...(await resolveConfig(file)), parser: 'markdown'});
  if (process.env['WRITE_TABLE']) {
    console.log(block.exec(formatted)?.[0] ?? fresh);
    writeFileSync(file, formatted);
  } else assert.equal(text, formatted, `${file} says something else: run "npm run embeds"`);
}
