import assert from 'node:assert/strict';
import {before, suite, test} from 'node:test';
import {rows, serviceStates, statusOf, type Row} from './response-rows.ts';
import {fieldCodes, readJson, readProblem} from '../../support/http.ts';
import {suiteOwner} from '../../support/opened.ts';
import {forEachStore} from '../../support/stores.ts';
import {startIn, type Send} from './service-states.ts';

async function assertResponse(response: Response, row: Row) {
  const {problem, has = {}, errors} = row;
  const status = statusOf(row);
  if (problem) {
    const said = await readProblem(response, status, problem);
    assert.deepEqual(fieldCodes(said), errors ?? {});
    if (status >= 500) assert.doesNotMatch(JSON.stringify(said), /sql|lock|busy|database|connect/i);
  } else await readJson(response, status);
  for (const [name, pattern] of Object.entries(has)) {
    assert.match(response.headers.get(name) ?? '', pattern, name);
  }
}

forEachStore((store) => {
  for (const state of serviceStates) {
    // One process has the SQLite file.
    if (state === 'another process is writing with the key' && store.name === 'SQLite') continue;
    suite(`where ${state},`, () => {
      const owner = suiteOwner();
      let send: Send;
      before(async () => {
        send = await startIn[state](store, owner);
      });
      for (const row of rows.filter((other) => (other.state ?? 'all is well') === state)) {
        const {when, method, path, problem = ''} = row;
        test(`${method} ${path} is answered with ${statusOf(row)} ${problem} where ${state}: ${when}`, async () => {
          await assertResponse(await send(row), row);
        });
      }
    });
  }
});
