/** Each kind of entry of the audit is a sentence for people, and a new kind needs one. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {auditDetails, auditSentence} from '../../../server/admin/audit-words.ts';
import type {AuditEntry} from '../../../server/leads/audit.ts';
import {linkWays} from '../../../server/leads/revocation.ts';
import {routes} from '../../../server/pages/routes.ts';
import {yourRoutes} from '../../../server/pages/you.ts';
import {rows} from '../../support/operations.ts';

const entryOf = (action: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{id: '', at: '', actor: 'operator Maria Lopez', action, filter: {}, leads: 12, ids: [], ...more},
});

test('each kind of entry is a sentence', () => {
  const links = ['stop', 'erase', ...linkWays.filter((way) => way !== 'link')];
  const actions = [
    ...rows.flatMap(({words, past}) => (past === undefined ? [] : [words])),
    ...['leads export', 'store repair'],
    ...[...routes, ...yourRoutes].map(({action}) => action),
    ...links.map((what) => `link: ${what}`),
    ...['repair', 'GET /json/leads/:id', 'operators sign-in', 'operators sign-out', 'operators copy'],
  ];
  for (const action of actions) {
    const sentence = auditSentence(entryOf(action));
    assert.match(sentence, /^Maria Lopez [a-z ,-]+/, action);
    assert.ok(!sentence.includes(action), sentence);
    assert.doesNotMatch(sentence, /[{}]/, action);
  }
  const changes = ['send', 'release', 'allow', 'drop', 'revoke', 'erase'];
  const plans = changes.flatMap((change) => [change, `${change}, planned`]);
  for (const change of [...plans, 'pause', 'resume', 'break', 'test']) {
    const sentence = auditSentence(entryOf('leads change', {filter: {change, destination: 'crm'}}));
    assert.doesNotMatch(sentence, /changed|[{}]/, change);
  }
});

test('a sentence says who, what and how many, and then by what they were found', () => {
  const rows: [Partial<AuditEntry> & {action: string}, sentence: string, details: string][] = [
    [
      {action: 'leads list', filter: {partner: 'acme', phone: true}},
      'Maria Lopez saw 12 leads in a list',
      'of acme, by a telephone number',
    ],
    [
      {action: 'consent revoke', actor: 'root', leads: 1, filter: {phone: true, scope: '*'}},
      'root, by a command, stopped calls about a lead',
      'by a telephone number, for everybody',
    ],
    [
      {
        action: 'operators copy',
        leads: 0,
        filter: {operator: 'Maria Lopez', reason: 'its counter went back'},
      },
      'Maria Lopez was refused with a passkey that may be a copy',
      'because: its counter went back',
    ],
    [
      {action: 'operators invite', leads: 0, filter: {operator: 'Ben', role: 'agent', again: true}},
      'Maria Lopez invited Ben as agent',
      'once more',
    ],
    [
      {action: 'destinations', leads: 0, filter: {destination: 'crm', change: 'pause', reason: 'it moves'}},
      'Maria Lopez paused crm',
      'because: it moves',
    ],
    [
      {action: 'leads show', actor: 'operator Sammy Davis, Jr.', leads: 1},
      'Sammy Davis, Jr. opened a lead',
      '',
    ],
    [
      {action: 'deliveries retry', leads: 1, filter: {destination: 'crm', failing: true, deliveries: 1}},
      'Maria Lopez sent a lead again',
      'for crm, whose last attempt failed, 1 delivery',
    ],
    [
      {action: 'consent list', filter: {revoked: true}},
      'Maria Lopez saw 12 leads in a list of consents',
      'that said stop',
    ],
    [{action: 'GET /json/leads/:id', actor: 'caller acme'}, 'The caller acme read 12 leads by the API', ''],
    [
      {action: 'repair', actor: 'start', filter: {erasure: 'again'}},
      'The server, when it started, erased or stopped 12 leads again after a restore',
      '',
    ],
  ];
  for (const [{action, ...more}, sentence, details] of rows) {
    const entry = entryOf(action, more);
    assert.deepEqual([auditSentence(entry), auditDetails(entry)], [sentence, details]);
  }
});
