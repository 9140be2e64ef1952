/** The words of consent texts, which are stored with the first lead under them. */
import assert from 'node:assert/strict';
import {createHash, randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {openFor, openForSuite} from '../../support/opened.ts';
import {newEntry} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';

const hashOf = (words: string) => createHash('sha256').update(words).digest('hex');
/** A lead under a text, of which a form before 1.4 got other words. */
const under = (words: string, changes: Partial<LeadEntry> = {}) => {
  const text = {partner: 'acme', language: 'es', version: words, textHash: hashOf(words)};
  return newEntry({
    partner: 'acme',
    consentText: {...text, words: [words, `${words}, in plain words`]},
    ...changes,
  });
};

forEachStore((over) => {
  suite('the words of a consent text', () => {
    const encryptor = createEncryptor(['a data key of at least 32 characters']);
    const server = over.useServer({dataKeys: encryptor.words});
    const store = openForSuite(() => openStore(server.config, encryptor));
    const rowsLike = async (beginning: string) =>
      (
        await server.select(`SELECT * FROM consent_words WHERE words LIKE '${beginning}%' ORDER BY words`)
      ).map((row) => ({...row}));
    const bothOf = (words: string) =>
      [words, `${words}, in plain words`].map((each) => ({text_hash: hashOf(each), words: each}));

    test('are stored in clear by their hash, as configured and as the form got them', async () => {
      const words = 'Puede llamarme. Ünïcode’s “quotes”, too';
      await store.accept(under(words));
      await store.accept(under(words));
      assert.deepEqual(await rowsLike('Puede'), bothOf(words));
    });
    test('are stored once, however many leads of several processes come at once', async (t) => {
      const other = await openFor(t, openStore(server.config, encryptor));
      const words = 'At once';
      const entries = Array.from({length: 60}, () => under(words));
      const accepted = await Promise.all(
        entries.map((entry, index) => (index % 2 ? other : store).accept(entry)),
      );
      assert.ok(accepted.every(({outcome}) => outcome === 'created'));
      assert.deepEqual(await rowsLike(words), bothOf(words));
    });
    test('are stored with the next lead if the first one was not stored', async () => {
      const key = {owner: 'partner:acme', digest: randomUUID(), fingerprint: 'f'};
      await store.accept(newEntry({idempotency: [key]}));
      const words = 'Refused at first';
      const refused = under(words, {idempotency: [{...key, fingerprint: 'of another lead'}]});
      assert.deepEqual(await store.accept(refused), {outcome: 'key-reused'});
      assert.deepEqual(await rowsLike(words), []);
      await store.accept(under(words));
      assert.deepEqual(await rowsLike(words), bothOf(words));
    });
    test('stay when the lead is erased, and what was stored first stays', async (t) => {
      const words = 'Erased';
      const entry = under(words);
      await store.accept(entry);
      await store.erase(entry.id, Date.now(), () => false);
      const again = await openFor(t, openStore(server.config, encryptor));
      await again.accept(under(words));
      assert.deepEqual(await rowsLike(words), bothOf(words));
    });
    test('are taken in without a lead, once, and read by their hashes', async () => {
      const words = 'In force';
      await store.accept(under(words));
      const given = [words, `${words}, later`, `${words}, later`, `${words}, now`];
      await Promise.all([store.keepWords(given), store.keepWords(given.toReversed())]);
      await store.keepWords([]);
      const hashes = [...given, 'Nobody had this text'].map(hashOf);
      const found = await store.consentWords(hashes);
      assert.deepEqual(found, new Map(given.map((each) => [hashOf(each), each])));
      await store.accept(under(`${words}, now`));
      assert.equal((await rowsLike(words)).length, 5);
    });
  });
});
