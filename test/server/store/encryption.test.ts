/** What a store with a data key holds in clear, what it reads again, and what it refuses to read. */
import assert from 'node:assert/strict';
import {createDecipheriv, createHmac, hkdfSync, randomUUID} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import type {Attribution} from '../../../contract/embed.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import type {Consent, DoneAnswer} from '../../../server/leads/stored-lead.ts';
import {tables} from '../../../server/store/columns.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {createEncryptor, DecryptionError} from '../../../server/store/encryption.ts';
import {openFor, openForSuite} from '../../support/opened.ts';
import {columnOf} from '../../support/rows.ts';
import {
  asLead,
  claimAt,
  failedAttempt,
  keyOf,
  newDelivery,
  newEntry,
  prequalificationBody,
} from '../../support/sample-leads.ts';
import {putInClear} from '../../support/in-clear.ts';
import {forEachStore, type StoredServer} from '../../support/stores.ts';

const [first, second] = [
  'the first key, of 32 characters at least',
  'the second key, of 32 characters or more',
];

const replied = {...failedAttempt, until: 0, excerpt: 'canary-reply'};

/** Each personal value says where it stood, or is a number that stands nowhere else. */
const lead = asLead({
  ...prequalificationBody,
  first_name: 'Canary-first',
  last_name: 'Canary-last',
  email: 'canary-email@example.com',
  phone: '202-555-0199',
  state: 'WY',
  notes: 'canary-notes',
  retirement: 717_171,
  cash: 727_272,
  investments: 737_373,
});
const attribution: Attribution = {
  utm_source: 'clear-source',
  utm_medium: 'clear-medium',
  utm_campaign: 'clear-campaign',
  utm_term: 'canary-term',
  gclid: 'canary-click',
  referrer: 'https://canary-referrer.example/',
  landing_page: 'https://canary-landing.example/',
};
const consent: Consent = {
  textVersion: 'canary-version',
  textHash: 'canary-hash',
  agreed: true,
  givenAt: 1_795_304_995_354,
  origin: 'https://canary-origin.example',
  page: 'https://canary-page.example/',
  ip: '203.0.113.99',
  userAgent: 'canary-agent',
};
const answer: DoneAnswer = {
  status: 'done',
  amounts: {
    rollover_amount: 717_171,
    sba_qualified_amount: 747_474,
    unsecured_amount: 757_575,
    portfolio_loan_qualified_amount: 767_676,
    total_qualified_amount: 777_777,
  },
  reasons: {unsecured_amount: 'bankruptcy'},
  policyVersion: 'canary-policy',
};
const canaries = [
  /canary/i,
  /2025550199/,
  /555-0199/,
  /203\.0\.113\.99/,
  /"WY"/,
  /717171|727272|737373|747474|757575|767676|777777/,
  // The archive of texts has the figures of policies, with this key.
  /bankruptcy(?!_not_stated)/,
];
const everything = (changes: Partial<LeadEntry> = {}) =>
  newEntry({
    lead,
    attribution,
    consent,
    context: {agent: 'canary-agent-code'},
    partner: 'acme',
    answer,
    idempotency: [{owner: 'partner:acme', digest: 'd', fingerprint: 'f'}],
    leadDigests: ['same'],
    proof: {nonce: 'nonce', expiresAt: Date.now() + 60_000},
    deliveries: [newDelivery()],
    ...changes,
  });
/** Of a lead that may be stored beside others of its kind. */
const unique = {idempotency: [], leadDigests: [], proof: undefined};

forEachStore((over) => {
  const open = async (t: TestContext, server: StoredServer, ...words: [string, ...string[]]) =>
    openFor(t, openStore({...server.config}, createEncryptor(words)));
  // Where another key encrypts its key of statements, the server would make a new one as soon as it looks.
  const start = (t: TestContext, ...dataKeys: [string, ...string[]]) =>
    openFor(t, over.startServer({dataKeys}, {evidenceKeys: 600_000}));
  async function inTables({select}: Pick<StoredServer, 'select'>) {
    const rows = await Promise.all(Object.keys(tables).map((name) => select(`SELECT * FROM ${name}`)));
    // Bytes are read as text, too: what is encrypted must not show there either.
    return JSON.stringify(rows, (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
  }
  async function assertNoCanary(server: StoredServer) {
    const kept = await inTables(server);
    for (const canary of canaries) assert.doesNotMatch(kept, canary);
  }
  const readAll = async (store: LeadStore, id: string) => {
    const record = (await store.findRecords([id])).get(id);
    assert.ok(record && 'lead' in record, JSON.stringify(record));
    return record;
  };
  const readsEverything = async (store: LeadStore, {id}: LeadEntry) =>
    assert.partialDeepStrictEqual(await readAll(store, id), {
      lead,
      answer,
      consent,
      attribution,
      context: {agent: 'canary-agent-code'},
    });

  suite('a store with a data key', () => {
    test('only what is not personal is stored in clear, and all of it is read again', async (t) => {
      const server = await start(t, first);
      const store = await open(t, server, first);
      const entry = everything();
      assert.equal((await store.accept(entry)).outcome, 'created');
      await readsEverything(store, entry);
      assert.deepEqual((await store.find(entry.id))?.answer, answer);
      assert.partialDeepStrictEqual(await store.listLeads({}, {limit: 1}), [{id: entry.id, answer}]);
      await assertNoCanary(server);
      const [row] = await server.select('SELECT * FROM leads');
      assert.partialDeepStrictEqual(row, {
        partner: 'acme',
        status: 'done',
        utm_source: 'clear-source',
        utm_medium: 'clear-medium',
        utm_campaign: 'clear-campaign',
      });
    });

    test('an answer that comes later, a refusal and a reply are encrypted, too', async (t) => {
      const server = await start(t, first);
      const store = await open(t, server, first);
      const entries = [0, 1].map(() => everything({answer: {status: 'pending'}, ...unique}));
      for (const entry of entries) await store.accept(entry);
      const [taken, refused] = entries as [LeadEntry, LeadEntry];
      const {due} = await store.claimDue('default', claimAt());
      const {leaseEnd} = due[0]!;
      await store.postpone(keyOf(taken.id), leaseEnd, replied);
      assert.deepEqual(await store.settle(keyOf(taken.id), 0, {state: 'delivered', answer}), answer);
      const fields = ['email'] as const;
      await store.settle(keyOf(refused.id), leaseEnd, {state: 'refused', reason: 'It said no', fields});
      assert.deepEqual((await store.find(taken.id))?.answer, answer);
      assert.deepEqual((await store.find(refused.id))?.answer, {status: 'refused', fields});
      assert.deepEqual(await store.lastReplies(taken.id), [{...keyOf(taken.id), reply: 'canary-reply'}]);
      // The first report of an answer counts.
      await store.settle(keyOf(taken.id), 0, {state: 'delivered', answer: {...answer, reasons: {}}});
      assert.deepEqual((await store.find(taken.id))?.answer, answer);
      await assertNoCanary(server);
    });

    test('a lead in clear gets its later answer encrypted, and both are read', async (t) => {
      const server = await start(t, first);
      const entry = everything({answer: {status: 'pending'}});
      await (await open(t, server, first)).accept(entry);
      await putInClear(server, {encryptor: createEncryptor([first])});
      const store = await open(t, server, first);
      await store.settle(keyOf(entry.id), 0, {state: 'delivered', answer});
      await readsEverything(store, entry);
      assert.doesNotMatch(await inTables(server), /777777|canary-policy/);
    });

    test('a start without a key that is needed is refused, and names it', async (t) => {
      const server = await start(t, first);
      const store = await open(t, server, first);
      await store.accept(everything());
      await assert.rejects(open(t, server, second), /data key [0-9a-f]{8}, which DATA_KEY does not list/);
      await open(t, server, second, first);
      await assert.rejects(open(t, server, first), /data key/, 'the second key may be used by now');
    });
  });

  suite('what was changed in the database is refused by name, and never shown:', () => {
    const server = over.useServer({dataKeys: [first]});
    const store = openForSuite(() => openStore(server.config, createEncryptor([first])));
    const accept = async () => {
      const entry = everything(unique);
      await store.accept(entry);
      return entry.id;
    };
    const isRefused = async (change: (ids: [string, string]) => string, why: RegExp) => {
      const [one, other] = [await accept(), await accept()];
      await server.execute(change([one, other]));
      const {lead: listed} = (await store.readLead(one)) ?? {};
      assert.ok(listed && 'unreadable' in listed, 'it was read');
      assert.match(listed.unreadable, why);
      assert.doesNotMatch(JSON.stringify(listed), /canary/i);
      assert.partialDeepStrictEqual((await store.findRecords([one])).get(one), {
        unreadable: listed.unreadable,
      });
      await assert.rejects(store.find(one), why);
    };
    const isSqlite = over.name === 'SQLite';
    const flipped = (at: number) =>
      isSqlite
        ? `CAST(substr(blob, 1, ${at - 1}) || char((unicode(CAST(substr(blob, ${at}, 1) AS TEXT)) + 1) % 128) || substr(blob, ${at + 1}) AS BLOB)`
        : `set_byte(blob, ${at - 1}, (get_byte(blob, ${at - 1}) + 1) % 256)`;
    const changed = /changed or cut, or belongs to another lead/;

    test("another lead's blob", () =>
      isRefused(
        ([one, other]) =>
          `UPDATE sealed SET blob = (SELECT blob FROM sealed WHERE lead_id = '${other}') WHERE lead_id = '${one}'`,
        changed,
      ));
    for (const [what, set] of Object.entries({
      'client was set to another one': "cid = '1002'",
      'partner was set to another one': "partner = 'other'",
      'partner was taken away': 'partner = NULL',
      'partner was set to an empty text': "partner = ''",
    })) {
      test(`a lead whose ${what}`, () =>
        isRefused(([one]) => `UPDATE leads SET ${set} WHERE id = '${one}'`, changed));
      test(`what is kept of an erased lead whose ${what}`, async () => {
        const id = await accept();
        await store.erase(id, Date.now(), () => true);
        const kept = async () => (await store.keptConsents([id])).get(id);
        assert.partialDeepStrictEqual(await kept(), {first_name: 'Canary-first', consent});
        await server.execute(`UPDATE leads SET ${set} WHERE id = '${id}'`);
        assert.ok((await kept()) instanceof DecryptionError);
      });
    }
    test('an answer and a reply that are stored after the client was changed open nothing', async () => {
      const entry = everything({answer: {status: 'pending'}, ...unique});
      await store.accept(entry);
      await server.execute(`UPDATE leads SET cid = '1002' WHERE id = '${entry.id}'`);
      await store.settle(keyOf(entry.id), 0, {state: 'delivered', answer});
      await assert.rejects(store.find(entry.id), changed);
    });
    test('a reply to a lead whose client was changed', async () => {
      const destination = randomUUID();
      const entry = everything({...unique, deliveries: [newDelivery({destination})]});
      await store.accept(entry);
      const [claimed, ...others] = (await store.claimDue(destination, claimAt())).due;
      assert.deepEqual(others, []);
      await store.postpone(keyOf(entry.id, destination), claimed!.leaseEnd, replied);
      const reply = async () => (await store.lastReplies(entry.id)).map((each) => each.reply);
      assert.deepEqual(await reply(), ['canary-reply']);
      await server.execute(`UPDATE leads SET cid = '1002' WHERE id = '${entry.id}'`);
      assert.deepEqual(await reply(), [null]);
    });
    test("a lead that was made a duplicate of somebody else's gets no answer of it", async () => {
      const victim = await accept();
      const others = {...lead, cid: '1002', email: 'other@example.com'};
      const own = newEntry({lead: others, answer: {status: 'pending'}});
      await store.accept(own);
      await server.execute(`UPDATE leads SET duplicate_of = '${victim}' WHERE id = '${own.id}'`);
      assert.deepEqual((await store.find(own.id))?.answer, {status: 'pending'});
      assert.partialDeepStrictEqual(await store.readLead(own.id), {lead: {answer: {status: 'pending'}}});
    });
    test("a lead that was sent again gets nothing of somebody else's that its key names", async () => {
      const victim = await accept();
      const key = {owner: 'caller:other', digest: randomUUID(), fingerprint: 'f'};
      const own = () => newEntry({lead: {...lead, cid: '1002'}, idempotency: [key]});
      const first = own();
      await store.accept(first);
      assert.equal((await store.accept(own())).outcome, 'replayed');
      await server.execute(`UPDATE idempotency_keys SET lead_id = '${victim}' WHERE lead_id = '${first.id}'`);
      assert.deepEqual(await store.accept(own()), {outcome: 'key-reused'});
    });
    for (const [what, at] of Object.entries({version: 1, 'check value': 3, nonce: 9, text: 40}))
      test(`a flipped byte of the ${what}`, () =>
        isRefused(([one]) => `UPDATE sealed SET blob = ${flipped(at)} WHERE lead_id = '${one}'`, changed));
    for (const length of [0, 3, 17, 32, 33, 100])
      test(`a blob that was cut to ${length} bytes`, () =>
        isRefused(
          ([one]) => `UPDATE sealed SET blob = substr(blob, 1, ${length}) WHERE lead_id = '${one}'`,
          changed,
        ));
    test('a blob that stands as another part', () =>
      isRefused(
        ([one]) =>
          `INSERT INTO sealed SELECT lead_id, 'answer', data_key, blob FROM sealed WHERE lead_id = '${one}'`,
        changed,
      ));
    test('a blob that says it is in clear', () =>
      isRefused(([one]) => `UPDATE sealed SET data_key = 0 WHERE lead_id = '${one}'`, /is in clear/));
    test('a blob that says it is of an unknown key', () =>
      isRefused(([one]) => `UPDATE sealed SET data_key = 7 WHERE lead_id = '${one}'`, /data key 00000007/));
    test('a lead whose blob is missing', () =>
      isRefused(([one]) => `DELETE FROM sealed WHERE lead_id = '${one}'`, /encrypted data is missing/));
    test('a lead in clear in place of an encrypted one', () =>
      isRefused(
        ([one]) =>
          `DELETE FROM sealed WHERE lead_id = '${one}'; UPDATE leads SET clear_lead = '{"first_name":"Canary"}' WHERE id = '${one}'`,
        /is in clear/,
      ));
    test('a blob beside what is left of an erased lead', async () => {
      const [one, other] = [await accept(), await accept()];
      await store.erase(one, Date.now(), () => false);
      await server.execute(
        `INSERT INTO sealed SELECT '${one}', part, data_key, blob FROM sealed WHERE lead_id = '${other}'`,
      );
      assert.partialDeepStrictEqual((await store.findRecords([one])).get(one), {
        unreadable: 'It was erased, and yet there is encrypted data of it',
      });
    });
  });

  suite('encryption with another key', () => {
    const finish = async (store: LeadStore) => {
      let last = {examined: 0, reencrypted: 0, unreadable: [] as readonly string[]};
      for await (const done of store.reencrypt()) last = done;
      return last;
    };
    async function fill(store: LeadStore) {
      const entries = Array.from({length: 120}, (_, index) =>
        everything({
          ...unique,
          ...(index % 3 === 0 ? {answer: {status: 'pending'} as const} : {deliveries: []}),
        }),
      );
      for (const entry of entries) await store.accept(entry);
      const {due} = await store.claimDue('default', claimAt());
      for (const {lead: claimed, leaseEnd} of due) {
        await store.postpone(keyOf(claimed.id), leaseEnd, replied);
        await store.settle(keyOf(claimed.id), 0, {state: 'delivered', answer});
      }
      return entries;
    }

    for (const from of ['in clear', 'another key'])
      test(`from ${from}, everything is read as before`, async (t) => {
        const server = await start(t, first);
        const before = await open(t, server, first, second);
        const entries = await fill(before);
        const erased = entries[7]!;
        await before.erase(erased.id, Date.now(), () => true);
        await before.writeDigests(0);
        if (from === 'in clear') await putInClear(server, {encryptor: createEncryptor([first])});
        const store = await open(t, server, second, first);
        for (const entry of entries) if (entry !== erased) await readsEverything(store, entry);
        const {unreadable} = await finish(store);
        assert.deepEqual(unreadable, []);
        assert.equal((await finish(store)).reencrypted, 0);
        for (const {key} of await store.keyUses())
          if (key !== (await sealsWith(store))) await store.forgetKey(key);
        await assert.rejects(open(t, server, first), /DATA_KEY/);
        const after = await open(t, server, second);
        for (const entry of entries) if (entry !== erased) await readsEverything(after, entry);
        assert.equal(await after.find(erased.id), undefined);
        assert.ok((await after.keptConsents([erased.id])).has(erased.id));
        assert.ok(
          (await after.blindIndexes({phone: '+12025550199'})).since > 0,
          'the key of digests is there',
        );
        assert.deepEqual(columnOf(await after.lastReplies(entries[0]!.id), 'reply'), ['canary-reply']);
        await assertNoCanary(server);
      });

    test('a lead that is erased between the reading and the writing of a slice stays erased', async (t) => {
      const server = await start(t, first);
      const before = await open(t, server, first, second);
      const entries = await fill(before);
      const store = await open(t, server, second, first);
      const erasing = entries.slice(30, 60).map(({id}) => before.erase(id, Date.now(), () => false));
      await Promise.all([finish(store), ...erasing]);
      await finish(store);
      const left = await server.select('SELECT DISTINCT lead_id FROM sealed');
      const erased = new Set(entries.slice(30, 60).map(({id}) => id));
      assert.equal(left.filter(({lead_id}) => erased.has(String(lead_id))).length, 0);
      assert.equal(left.length, entries.length - erased.size);
    });
  });
});

suite('an encrypted text', () => {
  const bound = {id: 'an id', cid: '1001', partner: 'acme'};

  test('is opened with a key of its lead alone, by its description', () => {
    const {data_key, blob} = createEncryptor([first]).of(bound).encrypt('the text', 'lead');
    const bytes = Buffer.from(blob);
    const dataKey = hkdfSync('sha256', first, '', 'lead-prequal data key', 32);
    const key = createHmac('sha256', Buffer.from(dataKey)).update(bound.id).digest();
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(5, 17), {authTagLength: 16});
    decipher.setAAD(
      Buffer.from(`["lead-prequal data",1,${data_key},"${bound.cid}","${bound.partner}","an id","lead"]`),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    assert.equal(
      decipher.update(bytes.subarray(17, -16), undefined, 'utf8') + decipher.final('utf8'),
      'the text',
    );
    assert.deepEqual([bytes[0], bytes.readUInt32BE(1)], [1, data_key]);
  });

  for (const [what, change] of Object.entries({
    'another id': {id: 'another'},
    'another client': {cid: '100'},
    'another partner': {partner: 'other'},
    'no partner': {partner: null},
    'a partner that takes a letter of its client': {cid: '100', partner: '1acme'},
  }))
    test(`is not opened with ${what}`, () => {
      const encryptor = createEncryptor([first]);
      const encrypted = encryptor.of(bound).encrypt('the text', 'lead');
      assert.equal(encryptor.of(bound).decrypt(encrypted, 'lead'), 'the text');
      assert.throws(() => encryptor.of({...bound, ...change}).decrypt(encrypted, 'lead'), DecryptionError);
    });
});

const sealsWith = async (store: LeadStore) => {
  const uses = await store.keyUses();
  return uses.toSorted((one, other) => other.since - one.since)[0]?.key;
};
