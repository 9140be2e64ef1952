/** Who may use the operators' pages: invited by a link, listed, and shut out, and what commands say of it. */
import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {inviteOperator, listOperators} from '../../../server/admin/operators.ts';
import {digestOf} from '../../../server/leads/operators.ts';
import {operate, carryOut, operateAdmin} from '../../support/operator.ts';

const ana = {name: 'Ana Silva'};
const settings = {ADMIN_URL: 'https://admin.example.com'};

const begin = (t: TestContext) => operateAdmin(t, [], {settings});

test('the link of an invitation has a secret of which the store has the digest, for two days', async (t) => {
  const {admin, select} = await begin(t);
  const {link, expires_at, ...invited} = await inviteOperator(admin, ana);
  assert.deepEqual(invited, {...ana, role: 'agent'});
  const [, secret = ''] = /^https:\/\/admin\.example\.com\/invite#([\w-]{43})$/.exec(link) ?? [];
  const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
  assert.ok(hours > 47.9 && hours <= 48, `${hours} h`);
  assert.partialDeepStrictEqual(await listOperators(admin), [
    {...ana, role: 'agent', passkeys: 0, revoked_at: null, invited_until: expires_at},
  ]);
  const [row] = await select('SELECT digest FROM invitations');
  assert.equal(row?.['digest'], digestOf(secret));
  const [entry] = await admin.store.auditEntries({}, 1);
  assert.deepEqual(entry?.filter, {operator: ana.name, role: 'agent'});
});

test('an operator who is invited again keeps the role', async (t) => {
  const {admin} = await begin(t);
  const {link} = await inviteOperator(admin, {...ana, role: 'admin'});
  await assert.rejects(inviteOperator(admin, ana), {kind: 'conflict', message: /--again/});
  const again = await inviteOperator(admin, {...ana, again: true});
  assert.equal(again.role, 'admin');
  assert.notEqual(again.link, link);
  const other = inviteOperator(admin, {...ana, again: true, role: 'viewer'});
  await assert.rejects(other, {kind: 'conflict', message: /Ana Silva is admin: for another role/});
});

test('an operator is revoked by name or id, and then the name is free for another', async (t) => {
  const {admin} = await begin(t);
  const revoke = (name: string) => carryOut(admin, 'operators revoke', {name});
  await inviteOperator(admin, ana);
  assert.equal(await revoke(ana.name), ana.name);
  assert.deepEqual((await admin.store.auditEntries({}, 1))[0]?.filter, {operator: ana.name, role: 'agent'});
  await assert.rejects(revoke(ana.name), {kind: 'unknown'});
  await inviteOperator(admin, ana);
  const [, {id} = assert.fail()] = await listOperators(admin);
  assert.equal(await revoke(id), ana.name);
  assert.ok((await listOperators(admin)).every(({revoked_at}) => revoked_at !== null));
});

test('nobody is invited without pages, as somebody else, or by a name that hides something', async (t) => {
  const {admin: open} = await operate(t, []);
  await assert.rejects(inviteOperator(await open(), ana), /ADMIN_URL is not set/);
  const {admin} = await begin(t);
  for (const name of ['', ' Ana', 'Ana\nBen', 'Ana\u202e', 'a'.repeat(65)])
    await assert.rejects(inviteOperator(admin, {name}), /A name has/);
  await assert.rejects(inviteOperator(admin, {...ana, again: true}), {kind: 'unknown'});
});

test('an invitation prints its link alone, and says whom it is for and until when it works', async (t) => {
  const {run} = await operate(t, [], {settings});
  const {code, stdout, stderr} = await run('operators', 'invite', 'Maria Lopez', '--role', 'admin');
  assert.equal(code, 0);
  assert.match(stdout, /^https:\/\/admin\.example\.com\/invite#[\w-]{43}\n$/);
  assert.match(
    stderr,
    /^Give this link to Maria Lopez alone, who becomes admin by it\. It works once, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(.+\)\.\n$/,
  );
});

test('the list says who is invited and who was shut out', async (t) => {
  const {run} = await operate(t, [], {settings});
  for (const name of ['Maria', 'Ben']) await run('operators', 'invite', name);
  assert.equal((await run('operators', 'revoke', 'Ben')).stdout, 'Ben is shut out\n');
  const {stdout, stderr} = await run('operators', 'list');
  assert.match(stdout, /^Maria +agent +0 +0 +\d{4}-\S+ \S+ +\d{4}/m);
  assert.match(stdout, /^Ben +agent +0 +0 +\d{4}-\S+ \S+ +\d{4}-\S+ \S+ +[\w-]+$/m);
  assert.match(stderr, /^2 operators; times are those of /);
});
