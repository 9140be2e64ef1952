/** Who may use the operators' pages, in each kind of store. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {openForSuite} from '../../support/opened.ts';
import {columnOf} from '../../support/rows.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 2, 1);
const newPasskey = () => ({
  credential: randomUUID() as string,
  publicKey: new Uint8Array([1, 2, 3]),
  counter: 0,
  isSynced: 1 as const,
  createdAt: now,
});
const newInvitation = () => ({digest: randomUUID(), expiresAt: now + hour});
const browser = {zone: 'America/Denver', agent: 'Firefox'};
const newSession = (operator: string) => ({
  ...browser,
  digest: randomUUID(),
  operator,
  beganAt: now,
  expiresAt: now + hour,
});

export function describeAccounts(name: string, openStore: (data: string) => Promise<LeadStore>) {
  suite(`${name}: operators`, () => {
    const store = openForSuite(() => openStore('operators of the pages'));
    let invitedSoFar = 0;
    async function invite(name: string = randomUUID()) {
      const operator = {id: randomUUID(), name, role: 'agent' as const, createdAt: now + invitedSoFar++};
      const invitation = newInvitation();
      assert.ok(await store.addOperator(operator, invitation));
      return {...operator, invitation};
    }
    /** An operator with a passkey and a session. */
    async function signIn() {
      const operator = await invite();
      const [passkey, session] = [newPasskey(), newSession(operator.id)];
      assert.ok(await store.acceptInvitation(operator.invitation.digest, now, passkey));
      assert.ok(await store.beginSession(session));
      return {operator, passkey, session};
    }
    const listed = async (id: string, at = now) => (await store.operators(at)).find((each) => each.id === id);

    test('who is invited gets a passkey and a session, and is listed with how many there are', async () => {
      const {operator, passkey, session} = await signIn();
      const {id, name, role, createdAt} = operator;
      const found = await store.passkey(passkey.credential);
      assert.deepEqual(
        {...found, publicKey: new Uint8Array(found!.publicKey)},
        {...passkey, operator: operator.id, usedAt: null, name, role},
      );
      assert.deepEqual(await store.session(session.digest, now), {...session, name, role});
      const signedIn = {passkeys: 1, sessions: 1, signedInAt: now, invitedUntil: null};
      assert.deepEqual(await listed(id), {id, name, role, createdAt, revokedAt: null, ...signedIn});
      const other = await invite();
      assert.equal((await listed(other.id))?.invitedUntil, other.invitation.expiresAt);
      const ids = (await store.operators(now)).map(({id}) => id);
      assert.deepEqual(ids.slice(-2), [operator.id, other.id], 'the oldest first');
    });
    test('an invitation works once, also when two use it at once', async () => {
      const {id, invitation} = await invite();
      const keys = Array.from({length: 8}, () => newPasskey());
      const taken = await Promise.all(keys.map((key) => store.acceptInvitation(invitation.digest, now, key)));
      assert.equal(taken.filter(Boolean).length, 1);
      const kept = await store.passkeysOf(id);
      assert.deepEqual(
        kept.map(({credential}) => credential),
        keys.filter((_, index) => taken[index]).map(({credential}) => credential),
      );
      assert.equal(await store.invited(invitation.digest, now), undefined);
    });
    test('of several with one name who are invited at once, one is, until that one is revoked', async () => {
      const called = randomUUID();
      const both = Array.from({length: 8}, () => ({id: randomUUID(), name: called, role: 'viewer' as const}));
      const invitations = both.map(newInvitation);
      const added = await Promise.all(
        both.map((each, index) => store.addOperator({...each, createdAt: now}, invitations[index]!)),
      );
      assert.equal(added.filter(Boolean).length, 1);
      for (const [index, {digest}] of invitations.entries())
        assert.equal(await store.invited(digest, now).then(Boolean), added[index]);
      const [first, ...others] = (await store.operators(now)).filter((each) => each.name === called);
      assert.deepEqual(others, []);
      assert.ok(await store.revokeOperator(first!.id, now));
      await invite(called);
    });
    test('an invitation and a session end at their time, and their rows go', async () => {
      const {id, invitation} = await invite();
      assert.equal((await store.invited(invitation.digest, invitation.expiresAt - 1))?.id, id);
      assert.equal(await store.invited(invitation.digest, invitation.expiresAt), undefined);
      assert.equal(
        await store.acceptInvitation(invitation.digest, invitation.expiresAt, newPasskey()),
        false,
      );
      assert.equal((await listed(id, invitation.expiresAt))?.invitedUntil, null);

      const {operator, session} = await signIn();
      assert.ok(await store.session(session.digest, session.expiresAt - 1));
      assert.equal(await store.session(session.digest, session.expiresAt), undefined);
      assert.deepEqual(await store.sessionsOf(operator.id, session.expiresAt), []);
      assert.equal((await listed(operator.id, session.expiresAt))?.sessions, 0);

      const later = {...newSession(operator.id), expiresAt: now + 2 * hour};
      await store.beginSession(later);
      while ((await store.deleteExpired(now + hour)) > 0);
      assert.equal(await store.invited(invitation.digest, now), undefined);
      assert.deepEqual(await store.sessionsOf(operator.id, now), [later]);
    });
    test('an operator who is revoked is out at once: no session, passkey or invitation is left', async () => {
      const {operator, passkey, session} = await signIn();
      const other = await signIn();
      assert.ok(await store.revokeOperator(operator.id, now));
      assert.equal(await store.revokeOperator(operator.id, now), false);
      assert.equal(await store.revokeOperator(randomUUID(), now), false);
      assert.equal(await store.session(session.digest, now), undefined);
      assert.equal(await store.passkey(passkey.credential), undefined);
      assert.partialDeepStrictEqual(await listed(operator.id), {revokedAt: now, passkeys: 0, sessions: 0});
      assert.ok(await store.session(other.session.digest, now), 'nobody else is');

      const invited = await invite();
      await store.revokeOperator(invited.id, now);
      assert.equal(await store.acceptInvitation(invited.invitation.digest, now, newPasskey()), false);
    });
    test('nothing begins for an operator who was revoked, also when both happen at once', async () => {
      const {operator} = await signIn();
      await Promise.all([
        ...Array.from({length: 4}, () => store.beginSession(newSession(operator.id))),
        store.revokeOperator(operator.id, now),
        ...Array.from({length: 4}, () => store.beginSession(newSession(operator.id))),
        store.addPasskey({...newPasskey(), operator: operator.id}),
      ]);
      assert.equal(await store.beginSession(newSession(operator.id)), false);
      await store.addPasskey({...newPasskey(), operator: operator.id});
      const invitation = newInvitation();
      await store.inviteAgain(operator.id, invitation);
      const nothing = {passkeys: 0, sessions: 0, invitedUntil: null};
      assert.partialDeepStrictEqual(await listed(operator.id), nothing);
      assert.deepEqual(await store.sessionsOf(operator.id, now), []);
      assert.equal(await store.invited(invitation.digest, now), undefined);
    });
    test('who is invited again has nothing of before, and the same name', async () => {
      const {operator, passkey, session} = await signIn();
      const [lost, invitation] = [newInvitation(), newInvitation()];
      await store.inviteAgain(operator.id, lost);
      // From a session of before, which was asked for it just then.
      await store.addPasskey({...newPasskey(), operator: operator.id});
      await store.inviteAgain(operator.id, invitation);
      await store.addPasskey({...newPasskey(), operator: operator.id});
      assert.deepEqual(await store.passkeysOf(operator.id), []);
      assert.equal(await store.session(session.digest, now), undefined);
      assert.equal(await store.passkey(passkey.credential), undefined);
      assert.equal(await store.invited(lost.digest, now), undefined);
      const {id, name} = operator;
      const invited = {id, name, role: 'agent', revokedAt: null};
      assert.partialDeepStrictEqual(await store.invited(invitation.digest, now), invited);
    });
    test('the last passkey stays, also when two are removed at once, and so does that of another', async () => {
      const {operator, passkey} = await signIn();
      const other = await signIn();
      assert.equal(await store.removePasskey(operator.id, passkey.credential), false);
      const second = {...newPasskey(), createdAt: now + 1};
      await store.addPasskey({...second, operator: operator.id});
      const both = [passkey.credential, second.credential];
      assert.deepEqual(columnOf(await store.passkeysOf(operator.id), 'credential'), both);
      assert.equal(await store.removePasskey(operator.id, other.passkey.credential), false);
      assert.equal(await store.endSession(operator.id, other.session.digest), false);
      const removed = await Promise.all(both.map((each) => store.removePasskey(operator.id, each)));
      assert.deepEqual(removed.toSorted(), [false, true]);
      assert.equal((await store.passkeysOf(operator.id)).length, 1);
    });
    test('a passkey knows when it was used, and a session can be ended', async () => {
      const {operator, passkey, session} = await signIn();
      await store.usePasskey(passkey.credential, 7, now + 5);
      assert.partialDeepStrictEqual(await store.passkey(passkey.credential), {counter: 7, usedAt: now + 5});
      const newer = {...newSession(operator.id), beganAt: now + 1};
      await store.beginSession(newer);
      assert.deepEqual(await store.sessionsOf(operator.id, now), [newer, session]);
      assert.ok(await store.endSession(operator.id, session.digest));
      assert.equal(await store.endSession(operator.id, session.digest), false);
      assert.deepEqual(await store.sessionsOf(operator.id, now), [newer]);
    });
    test('a challenge is spent once, also by two at once', async () => {
      const challenge = randomUUID();
      const spent = await Promise.all(
        Array.from({length: 4}, () => store.spendChallenge(challenge, now + hour)),
      );
      assert.equal(spent.filter(Boolean).length, 1);
    });
  });
}
