/**
 * The second half of the day of requests (day-of-requests.slow.ts): visitors say stop, by telephone, e-mail, letter and link,
 * are erased, and come again. Who still gets what, what is left, and what does the record say?
 */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import {referenceOf} from '../../contract/reference.ts';
import type {EmbedAnswer} from '../../contract/embed.ts';
import type {RevocationRow} from '../../server/admin/stops.ts';
import {readLead, sentLead, somebody} from '../support/embed-client.ts';
import {json, startFakeUpstream} from '../support/fake-upstream.ts';
import {basic, postJson, readJson} from '../support/http.ts';
import {openForSuite, suiteOwner} from '../support/opened.ts';
import {
  databaseKinds,
  linesOf,
  operate,
  runAtTerminal,
  type RunningServer,
  type Operated,
} from '../support/operator.ts';
import {writeConfig} from '../support/config-file.ts';
import {plainBrowser} from '../support/plain-browser.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {amounts, prequalificationBody} from '../support/sample-leads.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';

const consent = {version: '1', required: true, text: 'I agree to calls and messages.'};
const agreed = {consent: {version: '1', agreed: true}};
type Event = {type: string; data: {id: string; scope?: string; consent?: {revoke_link?: string}}};

for (const {name, postgres, skip} of databaseKinds) {
  suite(`a visitor who says stop, over ${name}`, {skip}, () => {
    const owner = suiteOwner();
    const crm = openForSuite(() => startWebhookReceiver());
    const script: Parameters<typeof startFakeUpstream>[0] = {};
    const lender = openForSuite(() => startFakeUpstream(script));
    /** The server, and the commands beside it. */
    const server = {} as Operated & RunningServer;
    before(async () => {
      const folder = temporaryFolder(owner);
      const settings = {
        CONFIG_FILE: writeConfig(
          folder,
          [
            {name: 'Acme Funding', consent, send_to: ['crm']},
            {key: 'lent', consent, answer_from: 'lender', send_to: ['crm']},
            {key: 'careful', consent, suspect: 'hold', send_to: ['crm']},
          ],
          {
            crm: {type: 'webhook', url: `http://127.0.0.1:${crm.port}/leads`, credentials: 'CRM'},
            lender: {type: 'lead-api', url: lender.settings.url, cid: '7', credentials: 'LENDER'},
          },
          {erasures_file: join(folder, 'erasures')},
        ),
        CREDENTIALS_CRM_SECRET: crm.secret,
        CREDENTIALS_LENDER_USER: lender.settings.user,
        CREDENTIALS_LENDER_PASSWORD: lender.settings.password,
        PUBLIC_URL: 'https://leads.example.com',
      };
      // A reply that a test keeps back must not time out on a busy machine.
      const busy = {delivery: 8_000, lease: 12_000};
      const timings = {...quickTimings, ...busy, digests: {...quickTimings.digests, age: 3_000}};
      const operated = await operate(owner, [], {postgres, settings});
      Object.assign(server, operated, await operated.serve(timings));
    });

    let people = 200;
    const person = () => somebody({phone: `415-${(people += 1)}-1234`});
    const send = async (who: object = person(), partner = 'acme') => ({
      ...(await sentLead(server, who, {partner, body: agreed})),
      who: who as {phone: string; email: string},
    });
    const events = (id: string) =>
      crm.received.map(({body}) => JSON.parse(body) as Event).filter(({data}) => data.id === id);
    const types = (id: string) =>
      events(id).map(({type, data}) => (data.scope ? `${type} ${data.scope}` : type));
    const told = (id: string, ...expected: string[]) =>
      until(() => expected.every((type) => types(id).includes(type)), `${id}: ${expected.join()}`);
    const run = (...words: string[]) => server.does(...words);
    const statesOf = async (id: string) =>
      (await server.select(`SELECT destination, content, state FROM deliveries WHERE lead_id = '${id}'`))
        .map(({destination, content, state}) => `${String(destination)}/${String(content)} ${String(state)}`)
        .toSorted();
    /** Presses a button of the page that the link of a lead opens, or of a mail program. */
    const press = (id: string, sent: Record<string, string> = {ask: 'stop'}) => {
      const {pathname} = new URL(events(id)[0]?.data.consent?.revoke_link ?? '');
      return server.fetch(pathname, {method: 'POST', body: new URLSearchParams(sent)});
    };
    const isHeld = async (id: string) =>
      (await statesOf(id)).every((each) => each.endsWith(' held')) && events(id).length === 0;

    test('by telephone: those who had the lead are told, and later leads are held', async () => {
      const [first, other] = [await send(), await send()];
      await told(first.id, 'lead.created');
      const lent = await send({...person(), phone: first.who.phone}, 'lent');
      await told(lent.id, 'lead.created');
      const {stdout} = await run('consent', 'revoke', first.who.phone, '--yes');
      assert.match(stdout, new RegExp(`The consent of ${referenceOf(first.id)} is revoked`));
      for (const {id} of [first, lent]) await told(id, 'consent.revoked all');
      assert.ok(lender.sent().includes(lent.id));

      const sentBefore = lender.sent().length;
      const again = await send({...person(), phone: first.who.phone});
      const pending = await send({...person(), phone: first.who.phone}, 'lent');
      assert.equal(again.status, 'done', 'the visitor gets the amounts as always');
      assert.equal(pending.status, 'pending');
      const body = {...prequalificationBody, cid: '1001', phone: first.who.phone};
      const {id: called} = await readJson<EmbedAnswer>(
        await server.fetch('/json/leads', postJson(body, basic(acme))),
        201,
      );
      for (const id of [again.id, pending.id]) assert.ok(await isHeld(id), (await statesOf(id)).join());
      assert.deepEqual(await statesOf(called), []);
      assert.equal(lender.sent().length, sentBefore);
      assert.deepEqual(types(other.id), ['lead.created'], 'nobody else is concerned');
      const rows = linesOf<RevocationRow>(await run('consent', 'list', '--revoked', '--json'));
      const held = rows.flatMap(({leads}) => leads).filter((lead) => lead.held);
      assert.deepEqual(held.map(({id}) => id).toSorted(), [again.id, pending.id].toSorted());
      assert.ok(
        held.every(({consented_at}) => consented_at !== null),
        'a consent that was given since is shown',
      );
      const {stdout: status} = await server.run('status');
      assert.match(status, /2 leads are held, because somebody with the number revoked a consent/);

      const retried = await server.run('deliveries', 'retry', again.id, '--state', 'held');
      assert.match(retried.stderr, /Somebody with this number took the consent back before/);
      assert.ok(await isHeld(again.id), 'only an operator who gives a reason sends it');
      await run('consent', 'allow', referenceOf(pending.id), '--reason', 'asked for it on the phone');
      await until(
        async () =>
          (await readJson<EmbedAnswer>(await readLead(server, pending, {partner: 'lent'}), 200)).status ===
          'done',
      );
      assert.ok(await isHeld(again.id), 'a decision about one lead is none about the number');
      await run('consent', 'allow', first.who.phone, '--reason', 'wants to be called again');
      await told(again.id, 'lead.created');
      const later = await send({...person(), phone: first.who.phone});
      await told(later.id, 'lead.created');
      assert.deepEqual(
        types(first.id),
        ['lead.created', 'consent.revoked all'],
        'the earlier lead stays stopped',
      );
      await run('consent', 'revoke', first.who.phone, '--yes');
      assert.ok(
        await isHeld((await send({...person(), phone: first.who.phone})).id),
        'and may be stopped again',
      );
    });

    test('says it for one partner, by e-mail; then for all', async () => {
      const first = await send();
      const lent = await send({...person(), phone: first.who.phone}, 'lent');
      for (const {id} of [first, lent]) await told(id, 'lead.created');
      await run('consent', 'revoke', first.who.email.toUpperCase(), '--partner', 'acme', '--yes');
      await told(first.id, 'consent.revoked partner');
      assert.ok(await isHeld((await send({...person(), phone: first.who.phone})).id));
      const other = await send({...person(), phone: first.who.phone}, 'lent');
      await told(other.id, 'lead.created');
      await run('consent', 'revoke', referenceOf(lent.id), '--yes');
      for (const {id} of [lent, other, first]) await told(id, 'consent.revoked all');
    });

    test('nothing of the lead leaks afterwards, whatever an operator does', async () => {
      crm.answerWith(replyWith(500));
      let answer: () => void = () => undefined;
      script.create = (response, exchange) =>
        new Promise<void>((resolve) => {
          answer = () => {
            delete script.create;
            resolve(json(201, {id: 'late'})(response, exchange));
          };
        });
      script.read = json(200, {first_name: 'A', ...amounts});
      const lead = await send(person(), 'lent');
      await until(
        () =>
          events(lead.id).length > 0 &&
          lender.exchanges.some(({headers}) => headers['idempotency-key'] === lead.id),
      );
      const revoking = run('consent', 'revoke', lead.id, '--yes');
      await until(async () => (await statesOf(lead.id)).includes('crm/revoked waiting'));
      answer();
      await revoking;
      // What was on its way is over when the command ends.
      const tries = events(lead.id).filter(({type}) => type === 'lead.created').length;
      delete script.read;
      crm.answerWith(replyWith(204));
      await told(lead.id, 'consent.revoked all');
      for (const state of ['dropped', 'delivered', 'skipped'])
        assert.match(
          Object.values(await server.run('deliveries', 'retry', lead.id, '--state', state)).join(),
          /The consent was taken back|1 delivery due now/,
        );
      await run('destinations', 'pause', 'crm', '--reason', 'a test');
      await run('destinations', 'resume', 'crm');
      const next = await send();
      await told(next.id, 'lead.created');
      const sent = events(lead.id).map(({type}) => type);
      assert.equal(sent.filter((type) => type === 'lead.created').length, tries, sent.join());
      assert.ok(!sent.includes('lead.answered'));
      const atLast = 'crm/created dropped,crm/revoked delivered,lender/lead delivered';
      await until(async () => (await statesOf(lead.id)).join() === atLast);
    });

    test('uses the link: only a button does something, and only once; then asks to be erased', async () => {
      const lead = await send();
      await told(lead.id, 'lead.created');
      const [created] = events(lead.id);
      const {pathname, origin} = new URL(created?.data.consent?.revoke_link ?? '');
      assert.equal(origin, 'https://leads.example.com');
      const browser = plainBrowser(server.url, {'accept-language': 'es'});
      for (const method of ['HEAD', 'GET']) {
        const response = await server.fetch(pathname, {method});
        assert.equal(response.status, 200);
        assert.deepEqual(
          ['cache-control', 'referrer-policy'].map((name) => response.headers.get(name)),
          ['no-store', 'no-referrer'],
        );
      }
      const page = await browser.open(pathname);
      assert.match(page.text, /Acme Funding/);
      assert.match(page.text, new RegExp(referenceOf(lead.id)));
      assert.doesNotMatch(page.text, new RegExp(`${lead.who.email}|415`));
      assert.deepEqual(types(lead.id), ['lead.created'], 'a look changes nothing');

      const ask = (what: string) => browser.post(pathname, new URLSearchParams({ask: what}));
      assert.match((await ask('stop')).text, /Usted pidió/);
      await told(lead.id, 'consent.revoked partner');
      await ask('stop');
      assert.ok(await isHeld((await send({...person(), phone: lead.who.phone})).id));
      assert.equal(types(lead.id).length, 2);
      const elsewhere = await send({...person(), phone: lead.who.phone}, 'lent');
      await told(elsewhere.id, 'lead.created');
      const {stdout: asks} = await server.run('status');
      assert.match(asks, /asked to stop the number of .* \(1 lead\): decide by \w+ \d+/);

      await ask('erase');
      const {stdout} = await server.run('status');
      assert.match(
        stdout,
        new RegExp(
          `1 request of a person waits, the first since \\S+, to erase ${referenceOf(lead.id)}: answer it by`,
        ),
      );
      assert.match((await run('leads', 'requests')).stdout, new RegExp(referenceOf(lead.id)));
      await run('leads', 'requests', 'end', lead.id, '--kind', 'erase', '--reason', 'a court asks for it');
      assert.equal((await run('leads', 'requests')).stderr.split(';')[0], '0 requests');
      await ask('erase');
      await run('leads', 'erase', lead.id, '--yes');
      assert.equal((await run('leads', 'requests')).stderr.split(';')[0], '0 requests');
      assert.match((await browser.open(pathname)).text, /se borraron/);
      await ask('stop');
      for (const wrong of [
        `${pathname}x`,
        pathname.replace(lead.id, elsewhere.id),
        '/revoke/x',
        '/revoke/.',
      ]) {
        const {status, text} = await browser.open(wrong);
        assert.equal(status, 404);
        assert.match(text, /Este enlace no funciona/);
      }
    });

    test('and was erased before: the link works, those who had the lead are told', async () => {
      const [linked, named] = [await send(), await send()];
      for (const {id} of [linked, named]) await told(id, 'lead.created');
      await run('leads', 'erase', linked.id, named.id, '--yes');
      await press(linked.id);
      await run('consent', 'revoke', named.who.phone, '--yes');
      await told(linked.id, 'lead.created', 'lead.erased', 'consent.revoked partner');
      await told(named.id, 'lead.created', 'lead.erased', 'consent.revoked all');
      await run('leads', 'erase', named.id, '--all', '--yes');
      for (const {who} of [linked, named])
        assert.ok(await isHeld((await send({...person(), phone: who.phone})).id));
    });

    test('and what an operator drops, settles or says again lets nothing of a held lead out', async () => {
      const first = await send();
      await told(first.id, 'lead.created');
      await run('consent', 'revoke', first.who.phone, '--yes');
      const held = await send({...person(), phone: first.who.phone}, 'lent');
      await run('deliveries', 'drop', held.id, '--destination', 'lender');
      for (const state of ['held', 'dropped'])
        assert.equal((await server.run('deliveries', 'retry', held.id, '--state', state)).code, 1);
      const other = await send({...person(), phone: first.who.phone}, 'lent');
      const settled = await server.run('deliveries', 'settle', other.id, '--taken-as', '77');
      assert.match(settled.stderr, /the lead is held because of its number/);
      await server.execute(`UPDATE deliveries SET state = 'waiting' WHERE lead_id = '${other.id}'`);
      await until(async () => (await statesOf(other.id)).every((each) => each.endsWith(' held')));
      assert.deepEqual(types(held.id), []);
      await run('consent', 'allow', first.who.phone, '--reason', 'wants to be called again');
      const allowed = await send({...person(), phone: first.who.phone});
      for (const {id} of [other, allowed]) await told(id, 'lead.created');
      assert.match((await run('store', 'repair', '--yes')).stdout, /^0 leads erased again, 0 consents/m);
      assert.ok(!types(allowed.id).includes('consent.revoked all'), 'what was allowed stays so');
    });

    test('a bot with such a number stays held as a bot when the number is allowed', async () => {
      const first = await send();
      await run('consent', 'revoke', first.who.phone, '--yes');
      const bot = {...person(), phone: first.who.phone};
      const {id} = await sentLead(server, bot, {partner: 'careful', body: {...agreed, trap: 'filled'}});
      await run('consent', 'allow', first.who.phone, '--reason', 'wants to be called again');
      assert.deepEqual(await statesOf(id), ['crm/created held']);
      await run('deliveries', 'release', id);
      await told(id, 'lead.created');
    });

    test('is asked for before anything happens, and must be known', async () => {
      const lead = await send();
      const refused = await runAtTerminal(
        {ask: () => Promise.resolve('no')},
        server.settings,
        'consent',
        'revoke',
        lead.id,
      );
      assert.match(refused.stderr, /Nothing was changed/);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, new RegExp(`Nothing of ${referenceOf(lead.id)} goes out any more`));
      for (const wrong of [
        ['nobody@example.com'],
        ['AAAA-AAAA'],
        [lead.who.phone, '--partner', 'acmee'],
        [lead.id, '--partner', 'lent'],
      ])
        assert.equal((await server.run('consent', 'revoke', ...wrong, '--yes')).code, 1);
      const {stderr, code} = await server.run('consent', 'allow', lead.id, '--reason', 'none');
      assert.match(stderr, /is not held because of its number/);
      assert.equal(code, 1);
      await told(lead.id, 'lead.created');
      assert.deepEqual(types(lead.id), ['lead.created']);
    });

    test('by the first press of a link is stopped after a decision about what others asked', async () => {
      const own = await send();
      const strange = await send({...person(), phone: own.who.phone});
      for (const {id} of [own, strange]) await told(id, 'lead.created');
      await press(strange.id);
      await run('consent', 'allow', own.who.phone, '--reason', 'asked');
      assert.match(await (await press(own.id)).text(), /You said stop/);
      await told(own.id, 'consent.revoked partner');
    });

    test('for one partner holds callers, whatever is decided for another of the same cid', async () => {
      const {who} = await send();
      await run('consent', 'revoke', who.phone, '--partner', 'acme', '--yes');
      const held = () =>
        server.select(`SELECT digest FROM suppressed WHERE scope = '-:1001' AND decided_at IS NULL`);
      const before = await held();
      assert.notEqual(before.length, 0);
      await server.run('consent', 'allow', who.phone, '--partner', 'lent', '--reason', 'asked');
      assert.deepEqual(await held(), before);
    });

    test('once more, by another link: it is to be decided by the day of the first one', async () => {
      const one = await send();
      const other = await send({...person(), phone: one.who.phone});
      for (const {id} of [one, other]) await told(id, 'lead.created');
      const asked = () =>
        server.select(`SELECT asked_at FROM suppressed WHERE kind = 'number'
          AND digest IN (SELECT digest FROM stops WHERE lead_id = '${one.id}')`);
      await press(one.id);
      const before = await asked();
      await press(other.id);
      assert.deepEqual(await asked(), before);
    });

    test('leaves no number in the files of the database', async () => {
      const lead = await send(
        somebody({first_name: 'Canaryfirst', last_name: 'Canarylast', phone: '415-777-8899'}),
      );
      await told(lead.id, 'lead.created');
      await run('consent', 'revoke', lead.who.phone, '--yes');
      await run('leads', 'erase', lead.id, '--all', '--yes');
      const {DATABASE_PATH: path = ''} = server.settings;
      for (const file of postgres ? [] : [path, `${path}-wal`])
        assert.doesNotMatch(readFileSync(file, 'latin1'), /Canary|415-?777-?8899|4157778899/);
      const rows = await server.select('SELECT * FROM suppressed');
      assert.doesNotMatch(JSON.stringify(rows), /7778899/);
      assert.ok(await isHeld((await send(somebody({phone: '415-777-8899'}))).id));
    });
  });
}
