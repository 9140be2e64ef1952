/** The table of causes: each message that the server makes has a cause and something to do. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {NodemailerError} from 'nodemailer';
import {failureOf} from '../../../server/destinations/email/failures.ts';
import {
  withoutStatus as ofLeadApi,
  withStatus as statusOfLeadApi,
} from '../../../server/destinations/lead-api/failures.ts';
import {
  withoutStatus as ofWebhook,
  withStatus as statusOfWebhook,
} from '../../../server/destinations/webhook/failures.ts';
import {causeAreas, networkCauses, remedyOf, withRemedy} from '../../../server/observe/causes.ts';

const coded = (code: string, more: object = {}) =>
  Object.assign(new Error('no text of ours'), {code, ...more});
const mail = (code: string, more: Partial<NodemailerError>) => failureOf(coded(code, more));

suite('what is said about a failure', () => {
  for (const code of Object.keys(networkCauses)) {
    test(`${code} has a cause and something to do, whatever the kind of destination`, () => {
      const webhook = ofWebhook(coded(code), 0, 1_000, {who: 'the receiver crm.example'});
      const mailServer = failureOf(coded('ESOCKET', {originalCode: code}), 'the mail server mail.example');
      for (const {message} of [webhook, mailServer]) {
        assert.match(message, /(crm|mail)\.example/);
        assert.ok(remedyOf(message), message);
      }
    });
  }
  test('names the host, what is wrong with it, and what to do', () => {
    const who = 'the upstream lender.example';
    const cases: [error: Error, words: string][] = [
      [
        coded('CERT_HAS_EXPIRED'),
        'The certificate of the upstream lender.example is not accepted: it ended on 2026-11-20 (CERT_HAS_EXPIRED). Ask whoever runs it to renew the certificate.',
      ],
      [
        coded('ECONNREFUSED'),
        'The upstream lender.example refused the connection: nothing listens at its address and port (ECONNREFUSED). Start what should listen there, or correct host and port.',
      ],
    ];
    for (const [error, words] of cases) {
      const period =
        'code' in error && error.code === 'CERT_HAS_EXPIRED' ? 'it ended on 2026-11-20' : undefined;
      assert.equal(withRemedy(ofLeadApi('POST', error, 0, {who, period}).message), words);
    }
  });
  test('a status of a webhook or an upstream has something to do', () => {
    for (const status of [301, 400, 401, 403, 404, 405, 408, 410, 422, 429, 500, 502, 503]) {
      const {message} = statusOfWebhook({status, retryAfter: 0, excerpt: undefined}, 0);
      assert.ok(remedyOf(message), message);
      const ofRoom = statusOfWebhook({receiver: 'chat room', status, retryAfter: 0, excerpt: undefined}, 0);
      assert.ok(remedyOf(ofRoom.message), ofRoom.message);
      assert.doesNotMatch(withRemedy(ofRoom.message), /receiver|signature|event/);
    }
    // As status and pages say it of a destination that wants no more.
    const {message: gone} = statusOfWebhook({status: 410, retryAfter: 0, excerpt: undefined}, 0);
    assert.match(withRemedy(`paused: ${gone}`), /^paused: .* more events\. Ask the receiver why\./);
    for (const status of [301, 401, 403, 404, 429, 500, 503]) {
      const {message} = statusOfLeadApi('POST', {status, retryAfter: 0}, 0);
      assert.ok(remedyOf(message), message);
    }
  });
  test('a refusal of a mail server has something to do', () => {
    const cases: [error: Error, words: RegExp][] = [
      [mail('ETLS', {responseCode: 502}), /offers no STARTTLS \(502\): .* Use smtps:\/\/ with port 465/],
      [mail('EAUTH', {responseCode: 535}), /refused the user or the password .* Correct them/],
      [
        mail('EENVELOPE', {responseCode: 550, command: 'MAIL FROM'}),
        /Set mail_from to an address of the account/,
      ],
      [mail('EMESSAGE', {responseCode: 554}), /takes it for spam/],
    ];
    for (const [{message}, words] of cases) assert.match(withRemedy(message), words);
  });
  test('a reason of a database has a cause and something to do', () => {
    const reasons: [reason: string, words: RegExp][] = [
      ['Error: database or disk is full', /the disk has no room\. Free some space/],
      ['Error: database is locked', /another program writes the file/],
      ['25006 cannot execute INSERT in a read-only transaction', /Point DATABASE_URL to the primary/],
      ['a write has not come back for 2.5 s', /the disk hangs/],
      ['the database file is damaged: page 3', /restore a backup/],
    ];
    for (const [reason, words] of reasons) assert.match(withRemedy(reason), words);
  });
  test('a text that is not in the table stays as it is', () => {
    assert.equal(withRemedy('an operator paused it'), 'an operator paused it');
    assert.equal(remedyOf('constructor (constructor)'), undefined);
  });
});

test('each row of the table is complete, and ends as a sentence', () => {
  for (const {message, cause, remedy} of Object.values(causeAreas).flat()) {
    assert.ok(message && cause, message);
    assert.match(remedy, /^["A-Z].*\.$/);
  }
});
