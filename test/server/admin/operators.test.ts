/** Who may use the operators' pages: invited by a link that works once, listed, and shut out. */
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import type {Admin} from '../../../server/admin/admin.ts';
import {inviteOperator, listOperators, revokeOperator} from '../../../server/admin/operators.ts';
import {databaseKinds, operate} from '../../support/operator.ts';

const settings = {ADMIN_URL: 'https://admin.example.com'};
const ana = {name: 'Ana Silva'};

const digestIn = (link: string) =>
  createHash('sha256')
    .update(link.split('#')[1] ?? '')
    .digest('base64url');

/** Accepts an invitation, as the page does with the secret of its link. */
const accept = ({store}: Admin, link: string, credential: string) =>
  store.acceptInvitation(digestIn(link), Date.now(), {
    ...{credential, publicKey: new Uint8Array([1]), counter: 0},
    ...{isSynced: 0, createdAt: Date.now()},
  });

for (const {name, postgres, skip} of databaseKinds)
  suite(`operators over ${name}`, {skip}, () => {
    const begin = async (t: TestContext) => {
      const {admin: open, select} = await operate(t, [], {postgres, settings});
      const admin = await open();
      const noted = async () => (await admin.store.auditEntries({}, 9)).map(({filter}) => filter);
      return {admin, select, noted};
    };

    test('the link of an invitation has a secret of which the store has the digest, for two days', async (t) => {
      const {admin, select, noted} = await begin(t);
      const {link, expires_at, ...invited} = await inviteOperator(admin, ana);
      assert.deepEqual(invited, {...ana, role: 'agent'});
      assert.match(link, /^https:\/\/admin\.example\.com\/invite#[\w-]{43}$/);
      const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
      assert.ok(hours > 47.9 && hours <= 48, `${hours} h`);
      assert.partialDeepStrictEqual(await listOperators(admin), [
        {...ana, role: 'agent', passkeys: 0, revoked_at: null, invited_until: expires_at},
      ]);
      const [row] = await select('SELECT * FROM invitations');
      assert.doesNotMatch(JSON.stringify(row), new RegExp(link.split('#')[1] ?? '-'));
      assert.deepEqual(await noted(), [{operator: ana.name, role: 'agent'}]);
      assert.equal(await accept(admin, link, 'a'), true);
      assert.equal(await accept(admin, link, 'b'), false, 'it works once');
    });

    test('an operator who is invited again keeps the role, and loses passkeys and the link of before', async (t) => {
      const {admin} = await begin(t);
      const {link} = await inviteOperator(admin, {...ana, role: 'admin'});
      await accept(admin, link, 'lost');
      await assert.rejects(inviteOperator(admin, ana), {kind: 'conflict', message: /--again/});
      const again = await inviteOperator(admin, {...ana, again: true});
      assert.equal(again.role, 'admin');
      assert.partialDeepStrictEqual(await listOperators(admin), [{passkeys: 0, role: 'admin'}]);
      const other = inviteOperator(admin, {...ana, again: true, role: 'viewer'});
      await assert.rejects(other, {kind: 'conflict', message: /Ana Silva is admin: for another role/});
      assert.equal(await accept(admin, link, 'late'), false);
      assert.equal(await accept(admin, again.link, 'new'), true);
      assert.partialDeepStrictEqual(await listOperators(admin), [{...ana, role: 'admin', passkeys: 1}]);
    });

    test('a revoked operator has no passkeys, and the name is free for another', async (t) => {
      const {admin} = await begin(t);
      await inviteOperator(admin, ana);
      assert.equal(await revokeOperator(admin, ana.name), ana.name);
      await assert.rejects(revokeOperator(admin, ana.name), {kind: 'unknown'});
      await inviteOperator(admin, ana);
      const [, {id} = assert.fail()] = await listOperators(admin);
      assert.equal(await revokeOperator(admin, id), ana.name);
      assert.equal((await listOperators(admin)).filter(({revoked_at}) => revoked_at !== null).length, 2);
    });
  });

test('nobody is invited without pages, as somebody else, or by a name that hides something', async (t) => {
  const {admin} = await operate(t, []);
  await assert.rejects(inviteOperator(await admin(), ana), /ADMIN_URL is not set/);
  const withPages = await admin(settings);
  for (const name of ['', ' Ana', 'Ana\nBen', 'Ana\u202e', 'a'.repeat(65)])
    await assert.rejects(inviteOperator(withPages, {name}), /A name has/);
  await assert.rejects(inviteOperator(withPages, {...ana, again: true}), {kind: 'unknown'});
});
