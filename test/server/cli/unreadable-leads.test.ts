/** What commands say of leads and deliveries that are damaged. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {join} from 'node:path';
import {referenceOf} from '../../../contract/reference.ts';
import {inOneLine, type Status} from '../../../server/admin/status.ts';
import {linesOf, operate} from '../../support/operator.ts';
import {newDelivery, newEntry} from '../../support/sample-leads.ts';

suite('commands over damaged rows', () => {
  test('an export says which leads it lacks, and so do all that read them', async (t) => {
    const deliveries = [newDelivery({state: 'held'})];
    const [whole, bad] = [newEntry(), newEntry({deliveries, answer: {status: 'pending'}})];
    const {run, execute, folder} = await operate(t, [whole, bad], {settings: {PORT: '0'}});
    await execute(`UPDATE leads SET lead = '{"first_name": "Secret' WHERE id = '${bad.id}'`);
    const named = `Lead ${referenceOf(bad.id)} (${bad.id}) cannot be read: `;
    const file = join(folder, 'leads.csv');
    const exported = await run('leads', 'export', file);
    assert.equal(exported.code, 1);
    const [first = '', , ...last] = exported.stderr.trimEnd().split('\n');
    assert.ok(first.startsWith(named), first);
    assert.deepEqual(last, [`1 lead in ${file}`, '1 lead could not be read, and the export lacks them.']);
    assert.doesNotMatch(exported.stderr, /Secret/);

    for (const json of [[], ['--json']]) {
      const {code, stdout, stderr} = await run('leads', 'show', bad.id, ...json);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^Lead \S+ \(\S+\) cannot be read: [^\n]+\.\n$/);
      const listed = await run('leads', 'list', ...json);
      assert.equal(listed.code, 0, listed.stderr);
      assert.equal(listed.stdout.trimEnd().split('\n').length, json.length > 0 ? 2 : 3);
    }
    const status = await run('status', '--json');
    assert.notEqual(status.code, 0);
    const [{unreadable_leads, findings} = assert.fail()] = linesOf<Status>(status);
    assert.partialDeepStrictEqual(unreadable_leads, [{id: bad.id, reference: referenceOf(bad.id)}]);
    const found = findings.map(inOneLine).join('\n');
    assert.match(found, new RegExp(`${referenceOf(bad.id)} .*leads erase ${bad.id}`));
  });

  test('a last reply that is damaged is said, and the delivery is shown', async (t) => {
    const entry = newEntry({deliveries: [newDelivery({state: 'held'})], answer: {status: 'pending'}});
    const {run, execute} = await operate(t, [entry]);
    const far = 9_000_000_000_000_000;
    await execute(`
      UPDATE deliveries SET last_reply = '{"exc', recipients = '{"left', happened_at = ${far}, failing_since = ${far}`);
    for (const json of [[], ['--json']]) {
      const listed = await run('deliveries', 'list', ...json);
      assert.deepEqual([listed.code, listed.stderr], [0, '1 delivery\n']);
      const {code, stdout, stderr} = await run('deliveries', 'show', entry.id, ...json);
      assert.equal(code, 1);
      assert.equal(stderr, 'The last reply of default cannot be read: it is damaged in the database.\n');
      assert.match(stdout, /held/);
      assert.equal((await run('leads', 'show', entry.id, ...json)).code, 1);
    }
  });
});
