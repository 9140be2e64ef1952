/**
 * Clients that generators make of the OpenAPI document of a running server. Each is checked by the compiler, creates a
 * lead, reads its amounts, and is refused. The programs that use them are in `generated/`.
 */
import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, suite, test} from 'node:test';
import {rolldown} from 'rolldown';
import {runIn} from '../support/npm-project.ts';
import {acme, startTestServer} from '../support/test-server.ts';

const folder = join(import.meta.dirname, 'generated');
const made = join(folder, 'made');

const server = await startTestServer();
const document = `${server.url}/openapi.json`;
after(() => server.close());

/** What makes the client, by the program that uses it. */
const generators = {
  'openapi-fetch': ['openapi-typescript', document, '-o', 'made/openapi-typescript.ts'],
  'hey-api': ['openapi-ts', '-i', document, '-o', 'made/hey-api'],
  orval: ['orval', '--config', 'orval.config.js'],
};
const environment = {
  LEAD_SERVER: server.url,
  LEAD_USER: acme.user,
  LEAD_PASSWORD: acme.password,
};

suite('a generated client creates a lead, reads its amounts, and is told of a refusal', () => {
  before(async () => {
    rmSync(made, {recursive: true, force: true});
    for (const [program = '', ...words] of Object.values(generators))
      await runIn(folder, [join(folder, 'node_modules/.bin', program), ...words], environment);
  });

  test('all of them compile', async () => {
    assert.equal(await runIn(folder, [join(folder, 'node_modules/.bin/tsc'), '-p', '.']), '');
  });

  for (const [name, [generator]] of Object.entries(generators)) {
    test(`of ${generator}`, async (t) => {
      // The code of some generators needs a bundler, because it imports files without their endings.
      const bundle = await rolldown({input: join(folder, `${name}.ts`), platform: 'node'});
      const file = join(made, `${name}.js`);
      await bundle.write({file, codeSplitting: false});
      await bundle.close();
      const begun = performance.now();
      const [amounts = '', problem] = (await runIn(folder, [process.execPath, file], environment)).split(
        '\n',
      );
      assert.deepEqual(JSON.parse(amounts), {
        first_name: 'Ana',
        rollover_amount: 120_000,
        sba_qualified_amount: 560_000,
        unsecured_amount: 150_000,
        portfolio_loan_qualified_amount: 0,
        total_qualified_amount: 830_000,
      });
      assert.equal(problem, 'urn:lead-prequal:problem:invalid-lead');
      t.diagnostic(`| ${generator} | ${((performance.now() - begun) / 1_000).toFixed(1)} s |`);
    });
  }
});
