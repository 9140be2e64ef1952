/** What an attacker, or a day of bad luck, makes of stops: each of these fails until it is mended. */
import assert from 'node:assert/strict';
import {appendFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {allowConsent} from '../../server/admin/revocations.ts';
import {readConfig} from '../../server/config/config.ts';
import {appendErasures, readErasures} from '../../server/store/erasures-file.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {openForSuite} from '../support/opened.ts';
import {databaseKinds, hookAndUpstream, operate, runCommand, writePartners} from '../support/operator.ts';
import {asLead, newDelivery, newEntry, prequalificationBody} from '../support/sample-leads.ts';
import {serviceSettings} from '../support/service-process.ts';
import {asOperator, forEachStore, type StoredServer} from '../support/stores.ts';
import {makeTemporaryFolder, temporaryFolder} from '../support/temporary-folder.ts';

forEachStore((store) => {
  suite('a stop', () => {
    const folder = makeTemporaryFolder();
    let environment: Record<string, string> = {};
    const server: StoredServer = openForSuite(async () => {
      const {EMBED_ORIGINS, EMBED_PARTNER, ...settings} = serviceSettings(folder.path);
      assert.ok(EMBED_ORIGINS && EMBED_PARTNER);
      const ERASURES_FILE = join(folder.path, 'erasures');
      environment = {
        ...{...settings, ERASURES_FILE},
        PARTNERS_FILE: writePartners(folder.path, [{}, {key: 'bright'}]),
      };
      const {partners, publicUrl, callers} = readConfig(environment);
      const started = await store.startServer({partners, publicUrl, callers, erasuresFile: ERASURES_FILE});
      const {databaseUrl, databasePath} = started.config;
      environment['DATABASE_PATH'] = databasePath;
      if (databaseUrl !== undefined) environment['DATABASE_URL'] = databaseUrl;
      return started;
    });
    let people = 300;
    const phone = () => `415-${(people += 1)}-1234`;
    const send = async (who: object, partner = 'acme') =>
      (await sentLead(server, somebody(who), {partner})).id;
    const press = async (id: string) => {
      const token = await asOperator(server, (beside) => beside.revokeToken(id));
      return server.fetch(`/revoke/${id}.${token}`, {
        method: 'POST',
        body: new URLSearchParams({ask: 'stop'}),
      });
    };
    const allow = async (...words: string[]) => {
      const ran = await runCommand(environment, 'consent', 'allow', ...words, '--reason', 'asked');
      assert.equal(ran.code, 0, ran.stderr);
    };
    const isRevoked = async (id: string) =>
      (await server.select(`SELECT revoked_at FROM leads WHERE id = '${id}'`))[0]?.['revoked_at'] !== null;

    test('by the first press of a link holds after a decision about what others asked', async () => {
      const number = phone();
      const [own, strange] = [await send({phone: number}), await send({phone: number})];
      await press(strange);
      await allow(number);
      assert.match(await (await press(own)).text(), /You said stop/);
      assert.ok(await isRevoked(own), 'the page says so');
    });

    test('for one partner holds callers, whatever is decided for another of the same cid', async () => {
      const number = phone();
      await send({phone: number});
      const stop = await runCommand(environment, 'consent', 'revoke', number, '--partner', 'acme', '--yes');
      assert.equal(stop.code, 0, stop.stderr);
      const held = async () =>
        (await server.select(`SELECT digest FROM suppressed WHERE scope = '-:1001' AND decided_at IS NULL`))
          .length;
      const before = await held();
      await runCommand(environment, 'consent', 'allow', number, '--partner', 'bright', '--reason', 'asked');
      assert.equal(await held(), before);
    });

    test('that is asked once more by another link is to be decided by the day of the first one', async () => {
      const number = phone();
      const [one, other] = [await send({phone: number}), await send({phone: number})];
      await press(one);
      const asked = async () => {
        const ofOne = `digest IN (SELECT digest FROM stops WHERE lead_id = '${one}') AND kind = 'number'`;
        return (await server.select(`SELECT asked_at FROM suppressed WHERE ${ofOne}`)).map((row) =>
          Number(row['asked_at']),
        );
      };
      const before = await asked();
      await press(other);
      assert.deepEqual(await asked(), before);
    });
  });
});

for (const {name, postgres, skip} of databaseKinds)
  test(
    `a number that an operator lets go holds no lead that comes meanwhile, in ${name}`,
    {skip},
    async (t) => {
      const folder = temporaryFolder(t);
      const made = await operate(t, [newEntry()], {postgres, settings: hookAndUpstream(folder)});
      const {phone} = asLead(prequalificationBody);
      const stop = await made.run('consent', 'revoke', phone.e164, '--yes');
      assert.equal(stop.code, 0, stop.stderr);
      const late = newEntry({
        deliveries: [newDelivery({destination: 'hook', content: 'created', givesAnswer: false})],
      });
      const states = () => made.select('SELECT state FROM deliveries');
      const admin = await made.admin();
      let before: unknown;
      const allow = async (...words: Parameters<typeof admin.store.allow>) => {
        await made.accept(late);
        before = await states();
        await admin.store.allow(...words);
      };
      await allowConsent(
        {...admin, store: {...admin.store, allow}},
        {who: {phone: phone.e164}, reason: 'asked'},
      );
      await admin.store.close();
      assert.deepEqual([before, await states()], [[{state: 'held'}], [{state: 'waiting'}]]);
    },
  );

test('a line of the file of erasures that was cut off in a way is a line that cannot be read', () => {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'erasures');
  const line = {of: 'B'.repeat(22), at: 0, does: 'stop', scope: '*', kind: 'number', askedAt: 0} as const;
  appendErasures(path, [{...line, way: 'letter', event: undefined, lead: null}]);
  appendFileSync(path, `${'C'.repeat(22)} 2026-11-29T00:00:00.000Z stop * way=r%C3`);
  assert.equal(readErasures(path).unread, 1);
  folder.remove();
});
