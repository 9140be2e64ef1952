/** A command, or the operators' pages, that begin together with the first start of a server, on a database without tables. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {openStore, openAttachedStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {databaseKinds} from '../../support/operator.ts';
import {openFor} from '../../support/opened.ts';
import {databaseFor} from '../../support/postgres.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {baseConfig} from '../../support/test-server.ts';

for (const {name, postgres, skip} of databaseKinds)
  test(`they wait until it has made the tables, over ${name}, and say so if none does`, {skip}, async (t) => {
    const databasePath = join(temporaryFolder(t), 'leads.sqlite');
    const databaseUrl = postgres ? (await databaseFor(t)).url : undefined;
    const settings = {...baseConfig(temporaryFolder(t)), databasePath, databaseUrl};
    const encryptor = createEncryptor(['a data key of at least 32 characters']);
    // As the server makes it, before it makes the tables.
    writeFileSync(databasePath, '');
    const attached = () => openAttachedStore(settings, encryptor, true);
    let clock = 0;
    const mocked = t.mock.method(performance, 'now', () => (clock += 10_000));
    await assert.rejects(attached(), /The database is empty: start the server, which makes its tables/);
    mocked.mock.restore();
    const early = attached();
    const server = await openFor(t, openStore(settings, encryptor));
    const store = await openFor(t, early);
    assert.deepEqual([await store.countLeads({}), await server.countLeads({})], [0, 0]);
  });
