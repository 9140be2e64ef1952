import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import {fieldCodes, readJson, readProblem} from '../support/http.ts';
import {forEachStore} from '../support/stores.ts';
import {bringAbout, type World} from './answers-given.ts';
import {givens, rows, type Row} from './answers.ts';

async function assertAnswer(response: Response, {status, problem, has = {}, errors}: Row) {
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
  for (const given of givens) {
    // One process has the SQLite file.
    if (given === 'another process is writing with the key' && store.name === 'SQLite') continue;
    suite(`where ${given},`, () => {
      let world: World;
      before(async () => {
        world = await bringAbout[given](store);
      });
      after(() => world.close());
      for (const row of rows.filter((other) => (other.given ?? 'all is well') === given)) {
        const {when, method, path, status, problem = ''} = row;
        test(`${method} ${path}: ${when}: is answered with ${status} ${problem}`, async () => {
          await assertAnswer(await world.ask(row), row);
        });
      }
    });
  }
});
