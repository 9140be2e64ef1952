/** Confirmations to visitors, from the form's request to a mail server. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import type {Socket} from 'node:net';
import {test, type TestContext} from 'node:test';
import type {SMTPServerOptions} from 'smtp-server';
import {referenceOf} from '../../../../contract/reference.ts';
import {confirming} from '../../../support/confirming.ts';
import {sentLead, somebody} from '../../../support/embed-client.ts';
import {basic, postJson} from '../../../support/http.ts';
import {refusal, startMailServer} from '../../../support/mail-server.ts';
import {openFor} from '../../../support/opened.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {columnOf} from '../../../support/rows.ts';
import {prequalificationBody} from '../../../support/sample-leads.ts';
import {forEachStore, type Store} from '../../../support/stores.ts';
import {acme, type TestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';

type Choices = Parameters<typeof confirming>[1] & {mail?: SMTPServerOptions};

async function start(t: TestContext, store: Store, {mail: options, ...choices}: Choices = {}) {
  const mail = await openFor(t, startMailServer(options));
  const config = confirming(`smtp://127.0.0.1:${mail.port}`, choices);
  const server = await openFor(t, store.startServer({...config, trustProxy: 1}, quickTimings));
  const rows = () =>
    server.select(
      "SELECT lead_id, destination, state, last_error, settled_at FROM deliveries WHERE content = 'confirmation' ORDER BY lead_id",
    );
  /** Resolves when each confirmation has been sent or dropped. */
  const ended = async (count: number) => {
    let all: Record<string, unknown>[] = [];
    await until(async () => {
      all = await rows();
      return all.length === count && all.every(({settled_at}) => settled_at !== null);
    });
    return all;
  };
  return {mail, server, rows, ended};
}

const from = (address: string) => ({headers: {'x-forwarded-for': address}});

/** From a network of its own each time, unless it is given. */
let networks = 0;
function send(server: TestServer, lead: object, sending: object = {}) {
  networks += 1;
  return sentLead(server, somebody(lead), {...from(`10.1.${networks >> 8}.${networks & 255}`), ...sending});
}

forEachStore((store) => {
  test('a visitor gets one e-mail with the reference, in text and HTML', async (t) => {
    const contact = {phone: '(415) 555-0132 ext. 2', email: 'hello@acme.example'};
    const {mail, server, ended} = await start(t, store, {fields: {contact}});
    const {id} = await send(server, {first_name: 'Jane', email: 'jane@example.com'});
    const [row] = await ended(1);
    assert.partialDeepStrictEqual(row, {destination: 'mail/confirm', state: 'delivered'});
    const [received, ...others] = mail.received;
    assert.equal(others.length, 0);
    assert.partialDeepStrictEqual(received, {from: 'leads@partner.example', to: ['jane@example.com']});
    const {parsed} = received ?? assert.fail();
    assert.deepEqual(parsed.from, {name: 'Acme Funding', address: 'leads@partner.example'});
    assert.deepEqual(columnOf(parsed.replyTo ?? [], 'address'), [contact.email]);
    const reference = referenceOf(id);
    assert.equal(parsed.subject, `Acme Funding received your answers (${reference})`);
    for (const content of [parsed.text, parsed.html]) {
      assert.match(content ?? '', /Hello Jane,/);
      assert.ok(content?.includes(reference));
      assert.ok(!content?.includes('$'), 'amounts are only in it by the setting');
      assert.match(content ?? '', /about your answers at the number you gave/);
      assert.match(content ?? '', /You do not have to do anything/);
    }
    assert.match(
      parsed.text ?? '',
      /^How to reach Acme Funding\n\(415\) 555-0132 ext\. 2, hello@acme\.example$/m,
    );
    assert.match(
      parsed.html ?? '',
      /<a href="tel:\+14155550132"[^>]*>[^]*<a href="mailto:hello@acme\.example">/,
    );
    const headers = new Map(parsed.headers.map(({key, value}) => [key, value]));
    assert.equal(headers.get('auto-submitted'), 'auto-generated');
    assert.equal(headers.get('x-auto-response-suppress'), 'All');
  });

  test('it stops calls by one click of the mail program, and its link opens in its own language', async (t) => {
    const {mail, server, ended} = await start(t, store);
    for (const [index, [formLanguage, lang]] of [
      ['es-US', 'es'],
      ['en', 'en'],
      ['fr', 'en'],
    ].entries()) {
      await send(server, {phone: `415-201-123${index}`}, {body: {lang: formLanguage}});
      await ended(index + 1);
      const {parsed} = mail.received[index] ?? assert.fail();
      const lines = new Map(parsed.headerLines.map(({key, line}) => [key, line.replaceAll(/\s+/g, ' ')]));
      const [, link = ''] = /^List-Unsubscribe: <([^>]+)>$/.exec(lines.get('list-unsubscribe') ?? '') ?? [];
      assert.equal(lines.get('list-unsubscribe-post'), 'List-Unsubscribe-Post: List-Unsubscribe=One-Click');
      assert.ok(parsed.text?.includes(link) && parsed.html?.includes(`href="${link}"`));
      const {origin, pathname, search} = new URL(link);
      assert.deepEqual([origin, search], [server.config.publicUrl, `?lang=${lang}`]);
      const said = lang === 'es' ? /Usted pidió/ : /You said stop/;
      const open = async (init: RequestInit) => (await server.fetch(pathname + search, init)).text();
      // The language of the browser is the other one.
      const headers = {'accept-language': lang === 'es' ? 'en' : 'es'};
      assert.doesNotMatch(await open({headers}), said);
      const body = new FormData();
      body.append('List-Unsubscribe', 'One-Click');
      await open({method: 'POST', body});
      assert.match(await open({headers}), said);
    }
  });

  test('it is in the language of the form, with the words of the partner', async (t) => {
    const next_step = {en: 'We call you at {phone}.', es: 'Le llamamos al {phone}.'};
    const {mail, server, ended} = await start(t, store, {confirm: {amounts: true}, fields: {next_step}});
    await send(server, {first_name: 'María'}, {body: {lang: 'es-US'}});
    await ended(1);
    const {text = '', html = '', subject} = mail.received[0]?.parsed ?? assert.fail();
    assert.match(subject ?? '', /^Acme Funding recibió sus respuestas \(/);
    assert.match(text, /Le llamamos al número que nos dio\./);
    assert.match(text, /Total: \$[^]*Le llamamos/, 'the amounts come first');
    assert.match(html, /<html lang="es">/);
    assert.match(html, /<p lang="es"[^>]*>Le llamamos/);
  });

  test('without money of a kind, its amount is in no row', async (t) => {
    const {mail, server, ended} = await start(t, store, {confirm: {amounts: true}});
    await send(server, {investments: 0});
    await ended(1);
    const {text = ''} = mail.received[0]?.parsed ?? assert.fail();
    assert.match(text, /Unsecured[^]*about this estimate/);
    assert.doesNotMatch(text, /\$0|Portfolio/);
  });

  test('an address gets one a day over all partners, however it is spelt', async (t) => {
    const {mail, server, ended} = await start(t, store, {others: ['globex']});
    const spellings = ['jane.doe@gmail.com', 'Jane.Doe@GMail.com', 'janedoe+1@googlemail.com'];
    for (const email of spellings) await send(server, {email});
    await send(server, {email: 'janedoe@gmail.com'}, {partner: 'globex'});
    const rows = await ended(4);
    assert.equal(mail.received.length, 1);
    assert.equal(rows.filter(({state}) => state === 'delivered').length, 1);
    for (const {state, last_error} of rows.filter((row) => row['state'] !== 'delivered')) {
      assert.equal(state, 'dropped');
      assert.equal(last_error, 'The address has had a confirmation within the last day');
    }
    await server.execute(
      `UPDATE confirmations SET decided_at = decided_at - 86400000 WHERE decision = 'granted'`,
    );
    await send(server, {email: 'jane.doe@gmail.com'});
    await ended(5);
    assert.equal(mail.received.length, 2);
  });

  test('a network gets five an hour, and the next hour again', async (t) => {
    const {mail, server, ended} = await start(t, store);
    for (let count = 0; count < 7; count += 1) await send(server, {}, from('192.0.2.7'));
    const rows = await ended(7);
    assert.equal(mail.received.length, 5);
    assert.equal(rows.filter(({state}) => state === 'dropped').length, 2);
    await server.execute('UPDATE confirmations SET decided_at = decided_at - 3600000');
    await send(server, {}, from('192.0.2.7'));
    await ended(8);
    assert.equal(mail.received.length, 6);
  });

  test('a /56 of IPv6 gets four times as many as a network, and a /48 sixteen times', async (t) => {
    const {mail, server, ended} = await start(t, store, {confirm: {per_hour: 1_000}});
    const fromEach = (network: (index: number) => string, count: number) =>
      Promise.all(Array.from({length: count}, (_, index) => send(server, {}, from(`${network(index)}::1`))));
    await fromEach((index) => `2001:db8:1:a0${index.toString(16)}`, 15);
    await fromEach((index) => `2001:db8:1:a0${index.toString(16)}`, 15);
    await ended(30);
    assert.equal(mail.received.length, 20);
    await fromEach((index) => `2001:db8:1:${index + 1}00`, 65);
    await ended(95);
    assert.equal(mail.received.length, 80);
    await fromEach(() => '2001:db8:2:1', 1);
    await fromEach((index) => `2001:db8:2:${index + 2}`, 5);
    await ended(101);
    assert.equal(mail.received.length, 86, 'another /48 is not concerned');
  });

  test('a quarter of what a partner sends is kept for networks that have had none', async (t) => {
    const {mail, server, ended} = await start(t, store, {confirm: {per_hour: 8}});
    const sendFrom = async (...addresses: string[]) => {
      for (const address of addresses) await send(server, {}, from(address));
    };
    await sendFrom(...Array.from({length: 4}, () => '192.0.2.1'));
    await sendFrom(...Array.from({length: 4}, () => '2001:db8:3:1::1'));
    await ended(8);
    assert.equal(mail.received.length, 6);
    // A network around which there was one has had one.
    await sendFrom('2001:db8:3:ff00::1', '192.0.2.1', '192.0.2.2', '2001:db8:4::1', '192.0.2.3');
    const rows = await ended(13);
    assert.equal(mail.received.length, 8);
    const dropped = rows.filter(({state}) => state === 'dropped');
    assert.equal(dropped.length, 5);
    assert.match(String(dropped[0]?.['last_error']), /per_hour allows\. A quarter of them is kept/);
  });

  test('a partner sends as many an hour as its setting allows', async (t) => {
    const {mail, server, ended} = await start(t, store, {confirm: {per_hour: 2}});
    await Promise.all(Array.from({length: 6}, () => send(server, {})));
    await ended(6);
    assert.equal(mail.received.length, 2);
  });

  test('suspects, duplicates and leads of callers get none, and sales hears of duplicates once', async (t) => {
    const {mail, server, ended, rows} = await start(t, store, {
      fields: {merge_duplicates: true, send_to: ['mail']},
    });
    await send(server, {}, {body: {trap: 'x'}});
    await send(server, {}, {body: {elapsed_ms: 10}});
    const body = {...prequalificationBody, email: 'a@example.com'};
    assert.equal((await server.fetch('/json/leads', postJson(body, basic(acme)))).status, 201);
    const one = {email: 'twice@example.com'};
    await send(server, one);
    await ended(1);
    await send(server, one);
    assert.equal((await rows()).length, 1);
    await until(
      async () => (await server.select('SELECT 1 FROM deliveries WHERE settled_at IS NULL')).length === 0,
    );
    const confirmed = mail.received.filter(({to}) => !to.includes('sales@example.com'));
    assert.deepEqual(columnOf(confirmed, 'to'), [['twice@example.com']]);
    assert.equal(mail.received.length, 4, 'two suspects, and the duplicate lead with its confirmation');
  });

  test('of a name that could be a sentence or a link, nothing is in the e-mail', async (t) => {
    const {mail, server, ended} = await start(t, store);
    const names = ['evil.example', 'You have won', 'Jane<b>', 'a/b', 'Jane1', 'x'.repeat(41), 'evilꓸcom'];
    for (const first_name of names) await send(server, {first_name});
    await ended(names.length);
    assert.equal(mail.received.length, names.length);
    for (const {parsed} of mail.received) {
      assert.match(parsed.text ?? '', /^Hello,\n/);
      for (const name of names) assert.ok(!parsed.html?.includes(name));
    }
  });

  test('an address that the mail server refuses ends the delivery, and stops no other', async (t) => {
    const {mail, server, ended} = await start(t, store, {
      mail: {
        onRcptTo: ({address}, _session, callback) =>
          callback(address.startsWith('gone') ? refusal(550) : null),
      },
    });
    for (let count = 0; count < 6; count += 1) await send(server, {email: `gone-${count}@example.com`});
    await send(server, {email: 'there@example.com'});
    const rows = await ended(7);
    assert.match(String(rows[0]?.['last_error']), /\(550\)/);
    assert.deepEqual(columnOf(mail.received, 'to'), [['there@example.com']]);
  });

  test('a busy mail server gets it later', async (t) => {
    let busy = 2;
    const {mail, server, ended} = await start(t, store, {
      mail: {
        onMailFrom(_address, _session, callback) {
          busy -= 1;
          callback(busy >= 0 ? refusal(451) : null);
        },
      },
    });
    await send(server, {});
    await ended(1);
    assert.equal(mail.received.length, 1);
  });

  test('a stranger to a stopped number gets it, also from a mail server that was busy at first', async (t) => {
    let busy = 0;
    const {mail, server, ended} = await start(t, store, {
      mail: {
        onMailFrom(_address, _session, callback) {
          busy -= 1;
          callback(busy >= 0 ? refusal(451) : null);
        },
      },
    });
    const phone = '(202) 555-0177';
    await send(server, {phone});
    await ended(1);
    const [link = ''] = /https?:\S+\/revoke\/\S+/.exec(mail.received[0]?.parsed.text ?? '') ?? [];
    const body = new URLSearchParams({ask: 'stop'});
    assert.equal((await server.fetch(new URL(link).pathname, {method: 'POST', body})).status, 200);
    busy = 1;
    await send(server, {phone});
    await ended(2);
    assert.equal(mail.received.length, 2);

    // The mailbox that said stop gets none, also if its delivery is made due.
    const {id} = await send(server, {phone, email: mail.received[0]?.to[0]});
    const own = `lead_id = '${id}' AND content = 'confirmation'`;
    await server.execute(
      `UPDATE deliveries SET state = 'waiting', reason = NULL, next_attempt_at = 0 WHERE ${own}`,
    );
    await until(async () => {
      const [row] = await server.select(`SELECT state, reason FROM deliveries WHERE ${own}`);
      return row?.['state'] === 'held' && row['reason'] === 'suppressed';
    });
    assert.equal(mail.received.length, 2);
  });

  test('without a reply to the e-mail it is not sent again', async (t) => {
    let taken = 0;
    const sockets: Socket[] = [];
    const {mail, server, ended} = await start(t, store, {
      mail: {
        onData(stream) {
          stream.resume();
          stream.on('end', () => {
            taken += 1;
            for (const socket of sockets) socket.destroy();
          });
        },
      },
    });
    mail.onConnection((socket) => sockets.push(socket));
    await send(server, {});
    const [row] = await ended(1);
    assert.equal(taken, 1);
    assert.match(String(row?.['last_error']), /^It may have been sent, so it is not sent again/);
  });

  test('a delivery whose process ended while it was sent is not sent again', async (t) => {
    const {mail, server, rows, ended} = await start(t, store);
    await send(server, {});
    await ended(1);
    await server.execute(
      `UPDATE deliveries SET state = 'waiting', settled_at = NULL, leased_until = 1, next_attempt_at = 1`,
    );
    await ended(1);
    assert.equal(mail.received.length, 1);
    assert.equal((await rows())[0]?.['state'], 'dropped');
  });

  test('an hour after its lead it is given up', async (t) => {
    const {mail, server, ended} = await start(t, store, {
      mail: {onMailFrom: (_address, _session, callback) => callback(refusal(451))},
    });
    await send(server, {});
    await server.execute('UPDATE deliveries SET happened_at = happened_at - 3600000');
    const [row] = await ended(1);
    assert.equal(row?.['last_error'], 'It was not sent within an hour');
    assert.equal(mail.received.length, 0);
  });

  test('with confirmations: false no lead makes one', async (t) => {
    const {mail, server, rows} = await start(t, store, {isOn: false});
    await send(server, {email: `${randomUUID()}@example.com`});
    assert.deepEqual(await rows(), []);
    assert.equal(mail.received.length, 0);
  });
});
