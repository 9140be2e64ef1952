/**
 * The client that openapi-typescript makes of the OpenAPI document of a running server, as docs/api.md shows it. The program
 * that uses it is in `generated/`.
 */
import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {runIn} from '../support/npm-project.ts';
import {openFor} from '../support/opened.ts';
import {acme, startTestServer} from '../support/test-server.ts';

const folder = join(import.meta.dirname, 'generated');
const program = (name: string) => join(folder, 'node_modules/.bin', name);

test('a generated client compiles, creates a lead, reads its amounts, and is told of a refusal', async (t) => {
  const server = await openFor(t, startTestServer());
  rmSync(join(folder, 'made'), {recursive: true, force: true});
  const document = `${server.url}/openapi.json`;
  await runIn(folder, [program('openapi-typescript'), document, '-o', 'made/lead-api.ts']);
  assert.equal(await runIn(folder, [program('tsc'), '-p', '.']), '');
  const environment = {LEAD_SERVER: server.url, LEAD_USER: acme.user, LEAD_PASSWORD: acme.password};
  const printed = await runIn(folder, [process.execPath, 'client.ts'], environment);
  const [amounts = '', problem] = printed.split('\n');
  assert.deepEqual(JSON.parse(amounts), {
    first_name: 'Ana',
    rollover_amount: 120_000,
    sba_qualified_amount: 560_000,
    unsecured_amount: 150_000,
    portfolio_loan_qualified_amount: 0,
    total_qualified_amount: 830_000,
  });
  assert.equal(problem, 'urn:lead-prequal:problem:invalid-lead');
});
