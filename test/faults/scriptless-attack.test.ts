/** Bots that send the form of an apply page without a script. attack-apply.ts does so at length. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {applyAttacker} from '../support/apply-attack.ts';
import {rowsOf} from '../support/rows.ts';
import {startTestServer} from '../support/test-server.ts';
import {openFor} from '../support/opened.ts';

test('four hundred posts of a bot from ten networks leave fifty leads, all of them marked', async (t) => {
  const server = await openFor(t, startTestServer({trustProxy: 1}));
  const attacker = applyAttacker(server.url, '/apply/acme', 10);
  t.after(() => attacker.close());
  const statuses = await attacker.send(400, 0);
  assert.deepEqual(Object.keys(statuses), ['200', '403', '422', '429'], JSON.stringify(statuses));
  const rows = rowsOf(server.config.databasePath, 'SELECT suspect FROM leads');
  assert.equal(rows.length, 50);
  for (const {suspect} of rows) assert.match(String(suspect), /^no-script/);
});
