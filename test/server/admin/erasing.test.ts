/** Erasing leads: a plan that is shown, and the erasure, which is refused if that changed. */
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {suite, test} from 'node:test';
import {finish, type Admin} from '../../../server/admin/admin.ts';
import {planErasure} from '../../../server/admin/erasing.ts';
import {listLeads, showLead} from '../../../server/admin/leads.ts';
import {leadsOfPerson} from '../../../server/admin/persons.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {Owner} from '../../support/opened.ts';
import {
  allOf,
  databaseKinds,
  hookAndUpstream,
  operate,
  planAndErase as erase,
  operateAdmin,
} from '../../support/operator.ts';
import type {FileFields} from '../../support/config-file.ts';
import {eventTo, leadWith, newDelivery, newEntry, sampleConsent} from '../../support/sample-leads.ts';

const key = 'a-data-key-of-at-least-32-characters';
const year = 365.25 * 86_400_000;
const withConsent = {consent: sampleConsent};

const entryOf = (changes: object, others: Partial<LeadEntry> = {}) =>
  newEntry({lead: leadWith(changes), partner: 'acme', ...others});

/** What is left of an erased lead. */
async function leftOf(admin: Admin, id: string) {
  const shown = await showLead(admin, id);
  return 'erased' in shown ? shown.erased : assert.fail(`${id} is not erased`);
}
const listed = (admin: Admin) => allOf(listLeads(admin, {}, 50));

for (const {name, postgres, skip} of databaseKinds) {
  suite(`erasing over ${name}`, {skip}, () => {
    const operated = (t: Owner, entries: readonly LeadEntry[], fields?: FileFields) =>
      operateAdmin(t, entries, {postgres, settings: {DATA_KEY: `${key} clear`}, fields});

    test('a plan says what would go, who had it and who is told, and the erasure keeps to it', async (t) => {
      const deliveries = [newDelivery({destination: 'up'}), eventTo('hook')];
      const first = entryOf(
        {first_name: 'Canary'},
        {...withConsent, deliveries, leadDigests: ['d'.repeat(64)]},
      );
      const [correction, other] = [entryOf({}, {supersedes: first.id}), entryOf({})];
      const again = entryOf({}, {leadDigests: ['d'.repeat(64)]});
      const {execute, ...operator} = await operate(t, [first, correction, other], {postgres});
      await operator.accept(again);
      const admin = await operator.admin(hookAndUpstream(operator.folder));
      const leasedUntil = Date.now() + 40_000;
      await execute(
        `UPDATE deliveries SET attempts = 1, leased_until = ${leasedUntil} WHERE destination = 'hook'`,
      );
      await execute(
        `UPDATE deliveries SET state = 'delivered', settled_at = 1, remote_id = 'u-77' WHERE destination = 'up'`,
      );
      const {leads} = await planErasure(admin, {leads: [first.id], all: false});
      assert.deepEqual(
        leads.map(({id, because}) => [id, because]).toSorted(),
        [
          [first.id, 'named'],
          [correction.id, 'correction'],
          [again.id, 'duplicate'],
        ].toSorted(),
      );
      const planned = leads.find(({id}) => id === first.id);
      assert.partialDeepStrictEqual(planned, {
        ...{name: 'Canary Doe', partner: 'acme', was_erased_at: null, has_consent: true},
        ...{told: ['hook'], former: [], event: null},
        remote_ids: [{destination: 'up', remote_id: 'u-77'}],
        under_way_until: new Date(leasedUntil).toISOString(),
      });
      assert.ok(planned?.consent_kept_until);
      assert.partialDeepStrictEqual(await erase(admin, [first.id]), {leads, out_of_files: true});
      const events = await admin.store.listDeliveries(9, {lead: first.id, state: 'waiting'});
      assert.partialDeepStrictEqual(events, [
        {destination: 'hook', content: 'erased', nextAttemptAt: leasedUntil},
      ]);
      assert.ok('lead' in (await showLead(admin, other.id)));
    });

    test('all takes the kept consent, too, also of a lead that was erased before', async (t) => {
      const [first, second] = [entryOf({}, withConsent), entryOf({}, withConsent)];
      const {admin, settings} = await operated(t, [first, second]);
      const keptUntil = async (id: string) => (await leftOf(admin, id)).consent_kept_until;
      await erase(admin, [first.id], true);
      assert.equal(await keptUntil(first.id), null);
      await erase(admin, [second.id]);
      assert.notEqual(await keptUntil(second.id), null);
      const again = await erase(admin, [second.id]);
      assert.partialDeepStrictEqual(again, {leads: [{changes: false}], out_of_files: true});
      assert.notEqual(await keptUntil(second.id), null);
      assert.partialDeepStrictEqual(await erase(admin, [second.id], true), {leads: [{changes: true}]});
      assert.equal(await keptUntil(second.id), null);
      if (postgres) return;
      const file = `${settings['DATABASE_PATH']}.erasures`;
      const lines = readFileSync(file, 'utf8').trimEnd().replace(/ \S+Z/g, '').split('\n');
      assert.deepEqual(
        lines.filter((line) => !line.includes(' key ')),
        [`${first.id} all`, second.id, `${second.id} all`],
      );
      assert.equal(statSync(file).mode & 0o777, 0o600);
    });

    test('a consent goes when its years are over, and so does a lead that cannot be read', async (t) => {
      const old = entryOf({}, {...withConsent, createdAt: Date.now() - 2 * year});
      const damaged = entryOf({email: 'secret@example.com'}, withConsent);
      const {admin, execute} = await operated(t, [old, damaged], {keep_consent_years: 1});
      await execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${damaged.id}'`);
      const search = leadsOfPerson(admin, {}, {email: 'secret@example.com'});
      assert.deepEqual((await finish(search)).unreadable, [damaged.id]);
      const row = (await listed(admin)).find(({id}) => id === damaged.id)!;
      assert.match('unreadable' in row ? row.unreadable : '', /data key 00000007/);
      const {leads} = await erase(admin, [old.id, damaged.id]);
      assert.partialDeepStrictEqual(
        leads.find(({id}) => id === old.id),
        {has_consent: true, consent_kept_until: null},
      );
      assert.match(leads.find(({id}) => id === damaged.id)?.unreadable ?? '', /data key 00000007/);
      for (const {id} of [old, damaged]) assert.equal((await leftOf(admin, id)).consent_kept_until, null);
    });

    test('nothing is erased if the file of erasures cannot be written', async (t) => {
      const entry = entryOf({});
      const {admin} = await operated(t, [entry], {erasures_file: '/sys/none/leads.erasures'});
      await assert.rejects(
        erase(admin, [entry.id]),
        /^Refusal: Nothing was erased, because the file of erasures cannot be written: /,
      );
      assert.ok('lead' in (await showLead(admin, entry.id)));
    });
  });
}
