/** The destination of confirmations by itself: what it sends to nobody, and its test. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {SMTPServerOptions} from 'smtp-server';
import {NeverTried} from '../../../../server/destinations/breaker.ts';
import {createConfirmation} from '../../../../server/destinations/confirmation/confirmation.ts';
import {greetedName} from '../../../../server/destinations/confirmation/confirmation-email.ts';
import {LookupTooSlow} from '../../../../server/destinations/lookups.ts';
import {mailboxOf} from '../../../../server/leads/confirmation-digests.ts';
import {selfSigned} from '../../../support/certificates.ts';
import {confirming} from '../../../support/confirming.ts';
import {failureOf} from '../../../support/delivery-failure.ts';
import {refusal, startMailServer} from '../../../support/mail-server.ts';
import {openFor, type Owner} from '../../../support/opened.ts';
import {columnOf} from '../../../support/rows.ts';
import {erasedRequest, eventRequest, sampleRecord} from '../../../support/sample-events.ts';

type Mail = SMTPServerOptions & {name?: string};

async function start(owner: Owner, isOn = true, {name = '127.0.0.1', ...options}: Mail = {}) {
  const mail = await openFor(owner, startMailServer(options));
  const scheme = options.secure ? 'smtps' : 'smtp';
  const {destinations} = confirming(`${scheme}://${name}:${mail.port}`, {isOn});
  const settings = destinations?.get('mail/confirm');
  assert.ok(settings?.type === 'confirmation');
  const destination = createConfirmation(settings, 5_000, {
    lookup: () => Promise.reject(new LookupTooSlow()),
  });
  owner.after(() => destination.close());
  return {mail, destination};
}
const request = (changes: object = {}) => ({
  ...eventRequest({}, 'confirmation', Date.now()),
  decide: () => Promise.resolve({decision: 'granted' as const, language: 'en-US'}),
  ...changes,
});

suite('the destination of confirmations', () => {
  test('what waits while confirmations are off is given up', async (t) => {
    const {mail, destination} = await start(t, false);
    await assert.rejects(destination.deliver(request()), NeverTried);
    assert.equal(mail.received.length, 0);
  });

  test('an unusual address, and a partner without confirm, get none', async (t) => {
    const {mail, destination} = await start(t);
    const {lead} = sampleRecord();
    for (const email of ['"see evil"@example.com', 'a@exämple.com', 'a b@example.com'])
      await assert.rejects(
        destination.deliver(request({lead: sampleRecord({lead: {...lead, email}})})),
        NeverTried,
      );
    await assert.rejects(destination.deliver(request({lead: sampleRecord({partner: 'other'})})), NeverTried);
    assert.equal(mail.received.length, 0);
  });

  test('nobody is told by a confirmation that a lead was erased', async (t) => {
    const {mail, destination} = await start(t);
    await assert.rejects(destination.deliver(erasedRequest()), /is not told that a lead was erased/);
    assert.equal(mail.received.length, 0);
  });

  test('it is tried again where nothing was sent, and one address stops no other', async (t) => {
    const put = (status: number): Mail => ({
      onRcptTo: (_address, _session, callback) => callback(refusal(status)),
    });
    const cases: Record<string, Mail> = {
      'failed false, slow DNS': {name: 'slow.partner.example'},
      'failed false, wrong certificate': {...(await selfSigned('mail.partner.example')), secure: true},
      'failed false, closing': put(421),
      'failed true, putting off': put(450),
    };
    const ended: string[] = [];
    for (const [expected, mail] of Object.entries(cases)) {
      const {destination} = await start(t, true, mail);
      const {fault, aboutLead} = await failureOf(destination.deliver(request()));
      ended.push(`${fault} ${aboutLead}, ${expected.split(', ')[1]}`);
    }
    assert.deepEqual(ended, Object.keys(cases));
  });

  test('its test shows the operators what visitors read, and says that it is a test', async (t) => {
    const {mail, destination} = await start(t);
    assert.partialDeepStrictEqual(await destination.test(), {state: 'delivered'});
    assert.deepEqual(columnOf(mail.received, 'to'), [['sales@example.com']]);
    const {from, subject, text} = mail.received[0]?.parsed ?? assert.fail();
    assert.equal(from?.name, 'Acme Funding');
    assert.match(subject ?? '', /^Test: Acme Funding received your answers/);
    assert.match(text ?? '', /^This is a test[^]+Acme Funding has received what you sent/);
  });

  test('a name is greeted if it is one or two words of Latin letters', () => {
    const names = ['Jane', "D'Angelo", 'Jean-Luc', 'María José', 'Zoë', 'x'.repeat(40)];
    for (const name of names) assert.equal(greetedName(name), name);
    for (const name of ['', 'x'.repeat(41), 'a b c', 'evil.example', 'Иван', 'Jane1', '-a', "a'", 'a\nb'])
      assert.equal(greetedName(name), undefined, name);
  });

  test('the spellings of a mailbox are one', () => {
    assert.equal(mailboxOf('Jane+News@Example.com'), 'jane@example.com');
    assert.equal(mailboxOf('j.a.n.e+x@googlemail.com'), 'jane@gmail.com');
    assert.equal(mailboxOf('+tag@example.com'), '+tag@example.com');
    assert.notEqual(mailboxOf('j.ane@example.com'), mailboxOf('jane@example.com'));
    for (const [one, ...others] of [
      ['janedoe@gmail.com', 'JANE.DOE@gmail.com', 'jane.doe+a@GoogleMail.com', 'j.a.n.e.d.o.e+b+c@gmail.com'],
      ['janedoe@proton.me', 'jane.doe@protonmail.com', 'jane_doe+a@pm.me', 'jane-doe@protonmail.ch'],
      ['jane@yahoo.com', 'jane-shop@yahoo.com', 'ja.ne+a@yahoo.com', 'jane-a+b@yahoo.com'],
      ['jane@yahoo.co.uk', 'jane-shop@yahoo.co.uk'],
      ['jane@sbcglobal.net', 'jane-shop@sbcglobal.net'],
      ['jane@aol.com', 'jane-shop@aol.com', 'jane+shop@aol.com'],
      ['jane@icloud.com', 'jane+a@me.com', 'jane@mac.com'],
      ['jane.doe@yandex.ru', 'jane-doe@yandex.com', 'jane.doe+a@ya.ru', 'jane-doe@yandex.com.tr'],
      ['jane@fastmail.com', 'jane+a@fastmail.com', 'shop@jane.fastmail.com', 'x+y@a.jane.fastmail.com'],
      ['jane@outlook.com', 'Jane+a@outlook.com'],
      ['jane.doe@company.example', 'jane.doe+a+b@company.example'],
    ] as const)
      for (const other of others) assert.equal(mailboxOf(other), mailboxOf(one), other);
  });

  test('different mailboxes are told apart, also where their names are alike', () => {
    const addresses = [
      ...['jane@gmail.com', 'jane@outlook.com', 'jane@hotmail.com', 'j.ane@outlook.com', 'jane@icloud.com'],
      ...['jane@yahoo.com', 'jane@yahoo.co.uk', 'jane@aol.com', 'anne-marie@example.com', 'anne@example.com'],
      ...['anne-lise@example.com', '-jane@yahoo.com', 'jane@notgmail.com', 'j.ane@gmail.com.example'],
      ...['jane@gmail.com.example', 'jane@proton.me', 'jane@fastmail.com', 'joe@fastmail.com'],
    ];
    assert.equal(new Set(addresses.map(mailboxOf)).size, addresses.length);
  });
});
