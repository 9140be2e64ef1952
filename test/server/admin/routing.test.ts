/** Which rules a lead met, and leads that met none. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {readCallSheet} from '../../../server/admin/call-sheet.ts';
import {writeConfig} from '../../support/config-file.ts';
import {sentLead, somebody} from '../../support/embed-client.ts';
import {assertFails, databaseKinds, linesOf, operate, statusOf} from '../../support/operator.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const hook = {type: 'webhook', url: 'http://127.0.0.1:9/', credentials: 'HOOK'};
const to = (name: string, when: object) => ({to: name, when});
const texas = to('texas', {state: ['TX', 'OK'], total_at_least: 100_000});
type Line = {to: string; takes: boolean; why: string};

for (const {name, postgres, skip} of databaseKinds)
  suite(`the rules that a lead met, over ${name}`, {skip}, () => {
    test('are those of its commit, also after a reload, and say why not', async (t) => {
      const folder = temporaryFolder(t);
      const destinations = {texas: hook, spanish: hook, rest: hook, crm: hook};
      const settings = {CONFIG_FILE: writeConfig(folder), CREDENTIALS_HOOK_SECRET: `whsec_${'A'.repeat(32)}`};
      const write = (send_to: readonly unknown[]) =>
        writeConfig(folder, [{send_to, ask: ['state']}], destinations);
      write(['crm', texas, to('spanish', {language: ['es']}), {to: 'rest', otherwise: true}]);
      const {does, run, serve, admin} = await operate(t, [], {postgres, settings});
      const server = await serve();
      const {id} = await sentLead(server, somebody({state: 'NY'}));
      write([texas]);
      await server.reload();
      const untaken = await sentLead(server, somebody({state: 'NY', first_name: 'Other'}));
      const {stdout} = await does('routes', 'try', referenceOf(id));
      const total = /total \$[\d,]+/.exec(stdout)?.[0];
      assert.deepEqual(linesOf<Line>(await does('routes', 'try', id, '--json')), [
        {to: 'crm', takes: true, why: 'it gets each lead'},
        {to: 'texas', takes: false, why: `NY, not TX or OK; ${total}`},
        {to: 'spanish', takes: false, why: 'no language, not es'},
        {to: 'rest', takes: true, why: 'no other rule takes it'},
      ]);
      const sheet = await readCallSheet(await admin(), id, {seesPersons: true});
      assert.equal(sheet.routes.length, 4);
      const went = linesOf(await does('deliveries', 'list', id, '--json'));
      assert.deepEqual(
        went.map(({destination}) => destination),
        ['crm', 'rest'],
      );

      const {findings, status} = await statusOf(await admin());
      const finding = findings.find(({kind}) => kind === 'untaken') ?? assert.fail();
      assert.equal(status, 'degraded');
      assert.match(finding.text, /^No rule of send_to took 1 lead of acme in the last 24 hours/);
      assert.ok(finding.text.includes(referenceOf(untaken.id)), 'and none of those that were taken');
      assertFails(await run('routes', 'try', 'ZZZZ-ZZZZ'), /There is no lead/);
    });
  });
