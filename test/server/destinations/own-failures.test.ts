/** Failures of this process, which say nothing about a destination: each kind of destination knows them. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {NodemailerError} from 'nodemailer';
import {NotTried} from '../../../server/destinations/breaker.ts';
import {failureOf} from '../../../server/destinations/email/failures.ts';
import {withoutStatus as ofLeadApi} from '../../../server/destinations/lead-api/failures.ts';
import {withoutStatus as ofWebhook} from '../../../server/destinations/webhook/failures.ts';
import {reasonOf, StoreUnavailable} from '../../../server/leads/store-errors.ts';

const errorOf = (code: string) => Object.assign(new Error(`connect ${code} 192.0.2.1:443`), {code});
/** What nodemailer makes of such an error. */
const ofMail = (code: string): NodemailerError =>
  Object.assign(new Error('no connection'), {code: 'ESOCKET', originalCode: code});

const kinds: Record<string, (code: string) => Error> = {
  'a lead-api that is sent a lead': (code) => ofLeadApi('POST', errorOf(code), 5),
  'a lead-api that is asked for amounts': (code) => ofLeadApi('GET', errorOf(code), 5),
  'a webhook': (code) => ofWebhook(errorOf(code), 5, 1_000),
  'a mail server': (code) => failureOf(ofMail(code)),
  'a mail server, if nodemailer passes the error on': (code) => failureOf(errorOf(code)),
};

suite('a process without file descriptors', () => {
  for (const [kind, failure] of Object.entries(kinds)) {
    for (const code of ['EMFILE', 'ENFILE']) {
      test(`without file descriptors (${code}) ${kind} is not blamed, and is tried again in seconds`, () => {
        const error = failure(code);
        assert.ok(error instanceof NotTried);
        assert.match(error.message, /no file descriptors left/);
        assert.ok(error.wait >= 1_000 && error.wait <= 10_000);
      });
    }
    test(`a process that has file descriptors blames ${kind} whose name does not exist`, () => {
      assert.ok(!(failure('ENOTFOUND') instanceof NotTried));
    });
  }
  test('says so as the reason why the store cannot work', () => {
    assert.match(reasonOf(errorOf('EMFILE')), /^this process has no file descriptors left/);
    assert.match(new StoreUnavailable(new AggregateError([errorOf('EMFILE')])).reason, /no file descriptors/);
  });
});
