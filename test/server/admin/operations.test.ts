/** What holds for each row of the table of operations: its command, its plan, its entry in the audit, and who has its page. */
import assert from 'node:assert/strict';
import {userInfo} from 'node:os';
import {suite, test, type TestContext} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {auditSentence} from '../../../server/admin/audit-words.ts';
import {keyName} from '../../../server/admin/keys.ts';
import {isChanging, type Row} from '../../../server/admin/operations/operation.ts';
import {ofLead, rowOf} from '../../../server/admin/operations/table.ts';
import type {AuditEntry} from '../../../server/leads/audit.ts';
import {routes} from '../../../server/pages/routes.ts';
import {tables} from '../../../server/store/columns.ts';
import {writeConfig} from '../../support/config-file.ts';
import {openFor} from '../../support/opened.ts';
import {operationLines, refuseAudit, rows} from '../../support/operations.ts';
import {databaseKinds, linesOf, operate, runCommand} from '../../support/operator.ts';
import {
  erasureAsked,
  eventTo,
  leadWith,
  newDelivery,
  newEntry,
  sampleConsent,
} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {dataKey} from '../../support/test-server.ts';
import {newSecret, startWebhookReceiver} from '../../support/webhook-receiver.ts';

const jane = {first_name: 'Zelda', last_name: 'Quux', email: 'zelda@quux.example', phone: '(415) 555-0132'};
const personal = /zelda|quux|555.?0132|secret reply/i;
const own: [words: string, ...rest: string[]][] = [
  ['leads export', '--phone', jane.phone],
  ['leads export', '--for', 'sales'],
  ['leads export', '--consents'],
];
/** Only their pages note who looked at them. Nor can a command note anything that opens no store. */
const notedByPages = ['audit list', 'destinations list', 'operators list'];
const isNoted = ({words, past, opens}: Row) =>
  past !== undefined && opens !== 'nothing' && !notedByPages.includes(words);
const isPlanned = (row: Row) => isChanging(row) && row.plan !== undefined;
/** Whether the sentence is made of these words of a row. */
const assertTold = (entry: AuditEntry | undefined, words: string | undefined, shown: string) =>
  assert.match(
    entry ? auditSentence(entry) : '',
    new RegExp(` ${words?.replace(/\{\w+\}/g, '(?!undefined).+')}$`),
    shown,
  );

test('each page of a row is for the roles of the row alone', () => {
  const changing = rows.filter(isChanging);
  assert.deepEqual(new Set(ofLead), new Set(changing.filter(({onLead}) => onLead !== undefined)));
  for (const {words, roles} of rows.filter((row) => row.roles !== undefined)) {
    const pages = routes.filter(({action}) => action === words);
    assert.notEqual(
      pages.length,
      0,
      `${words}: a row with \`roles\` needs a page in server/pages/, see routes.ts`,
    );
    for (const page of pages) assert.deepEqual(page.roles, roles, `${page.method} ${page.path}`);
  }
});

for (const {name, postgres, skip} of databaseKinds) {
  async function begin(t: TestContext) {
    const crm = await openFor(t, startWebhookReceiver());
    const url = `http://127.0.0.1:${crm.port}/`;
    const up = {type: 'lead-api', url: 'https://up.example.com/v1', cid: '7', credentials: 'UP'};
    const held = newEntry({
      ...{partner: 'acme', lead: leadWith(jane), consent: sampleConsent},
      deliveries: [eventTo('crm', {state: 'held'}), newDelivery({destination: 'up', givesAnswer: false})],
    });
    const waiting = newEntry({
      answer: {status: 'pending'},
      deliveries: [newDelivery({destination: 'up'}), eventTo('crm')],
    });
    const operated = await operate(t, [held, waiting], {
      postgres,
      settings: {
        CONFIG_FILE: writeConfig(temporaryFolder(t), [{answer_from: 'up', send_to: ['crm']}], {
          crm: {type: 'webhook', url, credentials: 'CRM', internal: true},
          up,
        }),
        ...{CREDENTIALS_CRM_SECRET: newSecret(), CREDENTIALS_UP_USER: 'u', CREDENTIALS_UP_PASSWORD: 'p'},
        ...{ADMIN_URL: 'https://admin.example.com', SUDO_USER: 'zoe'},
      },
    });
    const {store} = await operated.admin();
    const now = Date.now();
    await store.putRequest({lead: held.id, ...erasureAsked(now)});
    await operated.does('operators', 'invite', 'Ana');
    let kid = '-';
    // One that begins with a dash would be taken for an option.
    while (kid.startsWith('-')) {
      await operated.does('evidence', 'renew');
      const keys = linesOf<{kid: string; state: string}>(await operated.does('evidence', 'list', '--json'));
      kid = keys.find(({state}) => state === 'signs')?.kid ?? assert.fail();
    }
    await operated.execute(
      `DELETE FROM audit; UPDATE deliveries SET last_reply = '{"excerpt": "secret reply"}'`,
    );

    const named = {held: held.id, waiting: waiting.id, phone: jane.phone, kid, key: keyName(dataKey)};
    const without = {...operated.settings, DATA_KEY: 'another-data-key-that-is-long-enough-for-it'};
    /** A key is lost where it is not in DATA_KEY. */
    const run = (words: string, ...rest: string[]) =>
      runCommand(words === 'keys forget' ? without : operated.settings, ...words.split(' '), ...rest);
    const others = ['audit', 'audit_leads', 'processes'];
    const kept = Object.keys(tables).filter((table) => !others.includes(table));
    const state = () => Promise.all(kept.map((table) => operated.select(`SELECT * FROM ${table}`)));
    const noted = () => store.auditEntries({}, 1_000);
    return {...operated, run, state, noted, held: held.id, lines: operationLines(named)};
  }

  suite(`operations over ${name}`, {skip}, () => {
    test('each works, prints its lines as JSON, and is told by the audit in its own words', async (t) => {
      const {run, lines, noted} = await begin(t);
      for (const [words, ...rest] of lines) {
        const row = rowOf(words) ?? assert.fail(words);
        const agreed: string[] = [];
        if (isPlanned(row)) {
          const shown = await run(words, ...rest, '--dry-run');
          assert.equal(shown.code, 0, `${words}: ${shown.stderr}`);
          agreed.push('--confirm', shown.stdout.trim());
        }
        const before = await noted();
        // runCommand compares each line with the schema of the row.
        const {code, stdout, stderr} = await run(words, ...rest, ...agreed, ...(row.line ? ['--json'] : []));
        assert.equal(code, 0, `${words}: ${stderr}`);
        assert.notEqual(stdout, '', words);
        const [entry, ...more] = (await noted()).filter(({id}) => before.every((each) => each.id !== id));
        const told = `${words}: one entry in the audit if the row has \`past\` (\`noteAccess\` writes it), else none`;
        assert.deepEqual([entry?.action, more.length], [isNoted(row) ? words : undefined, 0], told);
        if (!entry) continue;
        assertTold(entry, row.past, words);
        assert.equal(entry.actor, `${userInfo().username} (sudo zoe)`);
        assert.doesNotMatch(JSON.stringify(entry), personal, words);
      }
    });

    test('none is done, or shows anybody, if the audit cannot be written', async (t) => {
      const {run, lines, state, execute} = await begin(t);
      await execute(refuseAudit(postgres));
      const before = await state();
      const refused = lines.filter(([words]) => isNoted(rowOf(words) ?? assert.fail(words)));
      for (const [words, ...rest] of [...refused, ...own]) {
        const row = rowOf(words);
        const yes = row && isChanging(row) && row.confirm ? ['--yes'] : [];
        const {code, stdout, stderr} = await run(words, ...rest, ...yes);
        assert.deepEqual(
          [code, stdout],
          [1, ''],
          `${words} must note who looks before it reads or changes anything`,
        );
        assert.match(stderr, /cannot be noted who looks .*no room/, words);
        assert.doesNotMatch(stderr, personal, words);
        assert.deepEqual(await state(), before, words);
      }
    });

    test('what nobody has by that name is refused, and nothing is changed', async (t) => {
      const {run, lines, state} = await begin(t);
      const before = await state();
      for (const [words, ...rest] of lines) {
        const row = rowOf(words) ?? assert.fail(words);
        if (!Object.values(row.fields).some(({argument}) => argument)) continue;
        const [, ...options] = rest[0]?.startsWith('-') ? ['', ...rest] : rest;
        const more = [
          ...(isChanging(row) && row.confirm ? ['--yes'] : []),
          ...(words === 'operators invite' ? ['--again'] : []),
        ];
        const {code, stdout, stderr} = await run(words, 'nobody', ...options, ...more);
        assert.deepEqual([code > 0, stdout], [true, ''], `${words}: ${stderr}`);
        assert.notEqual(stderr, '', words);
        assert.deepEqual(await state(), before, words);
      }
    });

    test('numbers that are held are listed with when the consent of each lead was given', async (t) => {
      const {run, held} = await begin(t);
      await run('consent revoke', held, '--yes');
      const {stdout} = await run('consent list', '--revoked');
      const agreed = String.raw`agreed \d{4}-\d\d-\d\d \d\d:\d\d`;
      assert.match(stdout, new RegExp(`${referenceOf(held)} revoked acme ${agreed}`));
    });

    test('a plan is not carried out if another one was agreed to, and is told as a plan', async (t) => {
      const {run, lines, state, noted, held} = await begin(t);
      const before = await state();
      for (const [words, ...rest] of lines) {
        const row = rowOf(words) ?? assert.fail(words);
        if (!isChanging(row) || !row.plan) continue;
        const {code, stdout, stderr} = await run(words, ...rest, '--confirm', 'another');
        assert.deepEqual([code, stdout], [1, ''], words);
        assert.match(stderr, /something has changed meanwhile/, words);
        assert.deepEqual(await state(), before, words);
        const [entry] = (await noted()).filter(({action}) => action === words);
        if (entry || rest[0] === held) assertTold(entry, row.planned, words);
        // So the timeline of the lead has it.
        if (rest[0] === held) assert.deepEqual(entry?.ids, [held], words);
      }
    });
  });
}
