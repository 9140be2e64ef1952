/** The file of a person: everything that is stored, and what cannot be known. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import {encryptOtherwise} from '../../support/encrypted-rows.ts';
import {assertFails, databaseKinds, linesOf, operate, planAndErase} from '../../support/operator.ts';
import {eventTo, leadWith, newEntry, sampleConsent} from '../../support/sample-leads.ts';

const [email, phone] = ['ana@example.com', '(202) 555-0199'];
const of = (changes: object, deliveries: LeadEntry['deliveries'] = []) =>
  newEntry({lead: leadWith({email, phone, ...changes}), consent: sampleConsent, deliveries});
type Line = {
  lead: {reference: string};
  consent: {reference: string; text: object | null};
  requests: {kind: string}[];
};

for (const {name, postgres, skip} of databaseKinds)
  suite(`the file of a person over ${name}`, {skip}, () => {
    test('has each lead, kept consents with their words, and requests', async (t) => {
      const [lead, erased, stranger] = [
        of({}),
        of({}),
        of({email: 'else@example.com', phone: '202-555-0111'}),
      ];
      const {does, admin} = await operate(t, [lead, erased, stranger], {postgres});
      await planAndErase(await admin(), [erased.id]);
      await does('leads', 'requests', 'add', lead.id, '--kind', 'know', '--via', 'letter');
      for (const by of [
        ['--email', email],
        ['--phone', phone],
      ]) {
        const lines = linesOf<Line>(await does('leads', 'person', ...by, '--json'));
        const toldOf = new Map(lines.map(({lead: {reference}, ...told}) => [reference, told]));
        const [ofLead, ofErased] = [lead, erased].map(({id}) => toldOf.get(referenceOf(id)));
        assert.equal(lines.length, 2);
        assert.deepEqual(
          ofLead?.requests.map(({kind}) => kind),
          ['know'],
        );
        assert.ok(ofErased?.consent.text, 'the words stay with the consent');
      }
      const {stdout} = await does('leads', 'person', '--phone', phone);
      assert.match(stdout, /^Asked +to know, by letter, on \d{4}-\d\d-\d\d: due on \d{4}-\d\d-\d\d$/m);
      assert.match(stdout, /^SHA-256 +\w+/m);
    });

    test('has all leads, also after one of which something cannot be read', async (t) => {
      const [damaged, ...leads] = [of({}), of({}, [eventTo('crm')]), of({}), of({}, [eventTo('chat')])];
      const operated = await operate(t, [damaged, ...leads], {postgres});
      await operated.execute(`UPDATE deliveries SET last_reply = '{"exc'`);
      await encryptOtherwise(operated, damaged.id, (personal) => ({...personal, lead: {email}}));
      const ran = await operated.run('leads', 'person', '--email', email, '--json');
      assert.deepEqual([ran.code, linesOf(ran).length], [1, leads.length]);
      for (const what of [referenceOf(damaged.id), 'The last reply of crm', 'The last reply of chat'])
        assert.ok(ran.stderr.includes(what), ran.stderr);
    });

    test('says which consents an address cannot find', async (t) => {
      const [erased, other] = [of({}), of({email: 'other@example.com', phone: '202-555-0177'})];
      const {does, run, admin, execute} = await operate(t, [erased, other], {postgres});
      const beside = await admin();
      await planAndErase(beside, [erased.id, other.id]);
      await beside.store.writeDigests(0);
      const {phone: digest} = (await beside.store.blindIndexes({phone: '+12025550199'})).digests;
      assert.equal(await beside.store.keptWithoutAddress(), 0);
      assertFails(await run('consent', 'show', 'nobody@example.com'), /no consent is kept/);
      await execute(
        `DELETE FROM person_digests WHERE lead_id = '${erased.id}' AND digest <> '${String(digest)}'`,
      );
      const lacking = /1 consent that is kept of erased leads cannot be found by an e-mail address/;
      const shown = await run('consent', 'show', 'nobody@example.com');
      assertFails(shown, lacking);
      assert.doesNotMatch(shown.stderr, /no consent is kept/);
      assert.match((await does('leads', 'person', '--email', 'nobody@example.com')).stderr, lacking);
      assert.doesNotMatch((await does('leads', 'person', '--phone', phone)).stderr, lacking);
    });

    test('an erasure by address names leads with the same number that stay', async (t) => {
      const [lead, sister, friend] = [of({}), of({email: 'sister@example.com'}), of({phone: '202-555-0111'})];
      const {does} = await operate(t, [lead, sister, friend], {postgres});
      const byAddress = await does('leads', 'erase', '--email', email, '--dry-run');
      assert.match(byAddress.stderr, new RegExp(`same telephone number: ${referenceOf(sister.id)}\\.`));
      const one = await does('leads', 'erase', lead.id, '--dry-run');
      assert.match(one.stderr, new RegExp(`same e-mail address: ${referenceOf(friend.id)}\\.`));
      assert.doesNotMatch(
        (await does('leads', 'erase', friend.id, sister.id, lead.id, '--dry-run')).stderr,
        /same/,
      );
    });
  });
