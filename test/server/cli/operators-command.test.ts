/** `lead-prequal operators`, as somebody uses it over ssh, with no page running. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assertFails, linesOf, operate} from '../../support/operator.ts';

const settings = {ADMIN_URL: 'https://admin.example.com'};

test('an invitation prints its link alone, and says whom it is for and until when it works', async (t) => {
  const {run} = await operate(t, [], {settings});
  const {code, stdout, stderr} = await run('operators', 'invite', 'Maria Lopez', '--role', 'admin');
  assert.equal(code, 0);
  assert.match(stdout, /^https:\/\/admin\.example\.com\/invite#[\w-]{43}\n$/);
  assert.match(
    stderr,
    /^Give this link to Maria Lopez alone, who becomes admin by it\. It works once, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(.+\)\.\n$/,
  );
  assertFails(await run('operators', 'invite', 'Maria Lopez'), /--again invites once more/);
  const [again] = linesOf(await run('operators', 'invite', 'Maria Lopez', '--again', '--json'));
  assert.partialDeepStrictEqual(again, {name: 'Maria Lopez', role: 'admin'});
  assertFails(await run('operators', 'invite', 'Ben', '--role', 'king'), /Allowed choices are/, 2);
});

test('the list says who is invited and who was shut out', async (t) => {
  const {run} = await operate(t, [], {settings});
  for (const name of ['Maria', 'Ben']) await run('operators', 'invite', name);
  assert.equal((await run('operators', 'revoke', 'Ben')).stdout, 'Ben is shut out\n');
  const {stdout, stderr} = await run('operators', 'list');
  assert.match(stdout, /^Maria +agent +0 +0 +\d{4}-\S+ \S+ +invited until \d{4}/m);
  assert.match(stdout, /^Ben +agent +0 +0 +\d{4}-\S+ \S+ +shut out \d{4}/m);
  assert.match(stderr, /^2 operators; times are those of /);
  assertFails(await run('operators', 'revoke', 'Ben'), /There is no operator Ben/);
  const audit = linesOf(await run('audit', 'list', '--json', '--who', ''));
  assert.deepEqual(
    audit.map(({action, filter}) => [action, filter]),
    [
      ['operators revoke', {operator: 'Ben', role: 'agent'}],
      ['operators invite', {operator: 'Ben', role: 'agent'}],
      ['operators invite', {operator: 'Maria', role: 'agent'}],
    ],
  );
});
