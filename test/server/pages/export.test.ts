/** The export of a day: what it holds, and for how long somebody may go on reading it. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {finish, Refusal} from '../../../server/admin/admin.ts';
import {exportConsents} from '../../../server/admin/consents.ts';
import {exportDay} from '../../../server/pages/export.ts';
import {routes} from '../../../server/pages/routes.ts';
import type {Visit} from '../../../server/pages/visit.ts';
import {operate} from '../../support/operator.ts';
import {servePages} from '../../support/pages.ts';
import {entryAt, sampleConsent} from '../../support/sample-leads.ts';

const day = '2026-11-20';
const at = (time: number) => entryAt(Date.parse(day) + time, {consent: sampleConsent});
/** Leads of two pages of an export, and of a third one. */
const entries = Array.from({length: 401}, (_, index) => at(index));
const newest = () => at(1_000);
const rowsOf = (text: string) => text.split('\n').filter(Boolean).length;

/** Begins an export as an admin, and reads its first page. */
function begin(format: 'sales' | 'jsonl', of = day) {
  const reads: {first: string; rest: AsyncIterator<string>}[] = [];
  const run = async (visit: Visit) => {
    const reply = await exportDay({...visit, form: new URLSearchParams({day: of, format})});
    const rest = 'download' in reply ? reply.download[Symbol.asyncIterator]() : assert.fail();
    if (format === 'sales') await rest.next();
    reads.push({rest, first: String((await rest.next()).value)});
    return {to: '/'};
  };
  return {
    reads,
    route: {method: 'GET', path: '/read', roles: ['admin'], action: 'leads export', run} as const,
  };
}

test('an export ends with the next page once its operator is revoked', async (t) => {
  for (const format of ['sales', 'jsonl'] as const) {
    const {reads, route} = begin(format);
    const {accept, ask, sessionOf, store} = await servePages(t, [route]);
    await accept(...entries);
    await ask('/read', {headers: {cookie: await sessionOf('admin', 'Eve', {zone: 'UTC'})}});
    const [{first, rest} = assert.fail()] = reads;
    assert.equal(rowsOf(first), 200);
    const [eve = assert.fail()] = await store.operators(Date.now());
    await store.revokeOperator(eve.id, Date.now());
    await assert.rejects(rest.next(), Refusal);
    assert.deepEqual(await rest.next(), {done: true, value: undefined});
  }
});

test('an export holds only the leads that its entry counts, not those that come meanwhile', async (t) => {
  const {reads, route} = begin('jsonl');
  const {accept, ask, sessionOf, store} = await servePages(t, [route]);
  await accept(...entries);
  await ask('/read', {headers: {cookie: await sessionOf('admin', 'Eve', {zone: 'UTC'})}});
  await accept(newest());
  const [{first, rest} = assert.fail()] = reads;
  let text = first;
  for await (const part of {[Symbol.asyncIterator]: () => rest}) text += part;
  const [{leads} = assert.fail()] = await store.auditEntries({}, 1);
  assert.deepEqual([rowsOf(text), leads], [401, 401]);

  const {admin: open, accept: add} = await operate(t, entries);
  let added = false;
  const admin = await open();
  const done = await finish(exportConsents(admin, {}), async () => {
    if (!added) await add(newest());
    added = true;
  });
  assert.equal(done.leads, 401);
});

test("a day ends at midnight, in an export and a list, also if it began at one o'clock", async (t) => {
  const now = Date.parse('2026-09-06T12:00-03:00');
  t.mock.timers.enable({apis: ['Date'], now});
  const {reads, route} = begin('jsonl', '2026-09-06');
  const {accept, ask, sessionOf} = await servePages(t, [route, ...routes]);
  const [before, first, last, after] = [
    '05T00:30-04:00',
    '06T01:30-03:00',
    '06T23:30-03:00',
    '07T00:30-03:00',
  ].map((time) => entryAt(Date.parse(`2026-09-${time}`)));
  await accept(before!, first!, last!, after!);
  const headers = {cookie: await sessionOf('admin', 'Eve', {zone: 'America/Santiago'})};
  await ask('/read', {headers});
  const idsIn = (text = '') => [before, first, last, after].filter((each) => text.includes(each!.id));
  assert.deepEqual(idsIn(reads[0]?.first), [first, last]);
  assert.deepEqual(idsIn((await ask('/leads?time=yesterday', {headers})).text), [before]);
});
