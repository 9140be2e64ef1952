/** Mails, rooms, spreadsheets, terminals, JSON and pages say the same of a lead: a table of leads, and what each renderer says. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {viewsOf} from '../../../server/admin/lead-view.ts';
import {createLinkDesk} from '../../../server/admin/link-desk.ts';
import {leadEmail} from '../../../server/destinations/email/lead-email.ts';
import {leadView} from '../../../server/leads/lead-view.ts';
import {
  callAnswerWords,
  noConsent,
  resultWords,
  states,
  type StateReason,
  type CallReason,
} from '../../../server/leads/lead-words.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadRecord} from '../../../server/leads/stored-lead.ts';
import {routes} from '../../../server/pages/routes.ts';
import {databaseKinds, linesOf, planAndErase, planAndRevoke} from '../../support/operator.ts';
import {servePages, type ServedPages} from '../../support/pages.ts';
import {
  amounts,
  asLead,
  doneAnswer,
  entryAt,
  eventTo,
  leadWith,
  prequalificationBody,
  sampleConsent,
  standardBody,
} from '../../support/sample-leads.ts';
import {eventRequest} from '../../support/sample-events.ts';
import {damaged, encryptOtherwise} from '../../support/encrypted-rows.ts';

/** Nothing but a name is left of the lead. */
const onlyNamed = (tables: Parameters<typeof encryptOtherwise>[0], id: string) =>
  encryptOtherwise(tables, id, (personal) => ({...personal, lead: {first_name: 'Jane'}}));

/** A Wednesday. It is noon in New York, 9 AM in Los Angeles and 7 AM in Honolulu. */
const now = Date.parse('Nov 25 2026 12:00 EST');
const minute = 60_000;

const consent = {...sampleConsent, givenAt: now - 60 * minute};
const agreed = (changes: object) => ({consent: {...consent, ...changes}});
const to = (state: 'waiting' | 'held') => [eventTo('crm', {state})];
/** The calculator's are rounded for people, and those of an upstream are not. */
const uneven = {...amounts, sba_qualified_amount: 552_999, total_qualified_amount: 862_999};
const answered = (changes: object) => ({answer: {...doneAnswer, ...changes}});
const byBot = {suspect: 'trap', deliveries: to('held')};

/** What a lead has besides a consent and a number of its own. `corrects`: the name of the one that it corrects */
type More = Partial<LeadEntry> & {body?: object; corrects?: string};
type Case = readonly [call: CallReason, state: StateReason, total: string, more?: More];
const shownTotal = '$862,000';

/** By the first name of the visitor: what is said of the lead, by any renderer that says it. */
const cases: Readonly<Record<string, Case>> = {
  Within: ['within_hours', 'done', shownTotal],
  Calculated: ['within_hours', 'done', shownTotal, answered({amounts: uneven})],
  Upstream: ['within_hours', 'done', '$862,999', answered({amounts: uneven, policyVersion: null})],
  Standard: [
    ...(['within_hours', 'done', 'none'] as const),
    {body: {lead_type: 'standard'}, ...answered({amounts: null, policyVersion: null})},
  ],
  Pending: ['within_hours', 'pending', 'to follow', {answer: {status: 'pending'}}],
  Refused: ['within_hours', 'refused', 'refused', {answer: {status: 'refused'}}],
  Original: ['within_hours', 'done', shownTotal, {leadDigests: ['same']}],
  Repeated: ['within_hours', 'done', shownTotal, {leadDigests: ['same']}],
  Suspect: ['within_hours', 'done', shownTotal, {suspect: 'trap'}],
  Outside: ['outside_hours', 'done', shownTotal, {body: {state: 'HI'}}],
  TwoZones: ['within_hours', 'done', shownTotal, {body: {state: 'TN'}}],
  TwoZonesEarly: ['outside_hours', 'done', shownTotal, {body: {state: 'AK', phone: '800-555-0132'}}],
  Stopped: ['stopped', 'revoked', shownTotal],
  Erased: ['erased', 'erased', ''],
  Boxless: ['within_hours', 'done', shownTotal, agreed({agreed: null})],
  OfCaller: ['within_hours', 'done', shownTotal, agreed({agreed: null, source: 'caller'})],
  NotTicked: ['not_agreed', 'done', shownTotal, agreed({agreed: false})],
  Bot: ['may_be_bot', 'held_bot', shownTotal, byBot],
  HeldAndCorrected: ['may_be_bot', 'held_bot', shownTotal, byBot],
  CorrectsHeld: ['within_hours', 'done', shownTotal, {corrects: 'HeldAndCorrected'}],
  Corrected: ['corrected', 'corrected', shownTotal],
  CorrectsIt: ['within_hours', 'done', shownTotal, {corrects: 'Corrected'}],
  CorrectedNoConsent: ['corrected', 'corrected', shownTotal, {consent: undefined}],
  CorrectsNoConsent: ['within_hours', 'done', shownTotal, {corrects: 'CorrectedNoConsent'}],
  Unreadable: ['unreadable', 'unreadable', ''],
  WithoutNumber: ['unreadable', 'unreadable', ''],
  NoConsent: ['no_consent', 'done', shownTotal, {consent: undefined}],
  OtherNumber: [
    ...(['consent_for_other_number', 'done', shownTotal] as const),
    agreed({source: 'caller', words: 'Call me at 212-555-0100.'}),
  ],
  NoZone: ['no_time_zone', 'done', shownTotal, {body: {phone: '888-555-0132'}}],
  // After somebody else has pressed the link of a lead with the same number, or the same address.
  SameNumber: ['stop_undecided', 'done', shownTotal, {body: {phone: '202-555-0177'}}],
  SameAddress: [
    ...(['address_stopped', 'waiting', shownTotal] as const),
    {body: {email: 'pressed@example.com'}, deliveries: to('waiting')},
  ],
};
/** A mail about a new lead is written before anybody can say so. */
const notInMails: readonly CallReason[] = [
  ...(['stopped', 'erased', 'may_be_bot', 'stop_undecided', 'corrected', 'unreadable'] as const),
];
const answers = Object.values(callAnswerWords);

const leadFor = (body: object) =>
  asLead({...('lead_type' in body ? standardBody : prequalificationBody), ...body});

/** Stores a lead for each case at a moment that stands still, and what happened to some of them. */
async function begin(t: TestContext, postgres: boolean) {
  t.mock.timers.enable({apis: ['Date'], now});
  const ids = new Map<string, string>();
  const entries = Object.entries(cases).map(([first_name, [, , , more = {}]], index) => {
    const {body, corrects, ...changes} = more;
    const own = {first_name, phone: `202-555-01${10 + index}`, email: `${first_name}@example.com`};
    const entry = entryAt(now - minute + index, {
      ...{partner: 'acme', lead: leadFor({...own, ...body}), consent},
      ...changes,
      ...(corrects !== undefined && {supersedes: ids.get(corrects) ?? assert.fail(corrects)}),
    });
    ids.set(first_name, entry.id);
    return entry;
  });
  const served: ServedPages = await servePages(t, routes, {postgres});
  const admin = await served.admin();
  const pressed = entryAt(now - 2 * minute, {
    ...{partner: 'acme', consent},
    lead: leadWith({phone: '202-555-0177', email: 'pressed@example.com'}),
  });
  await served.accept(pressed);
  const desk = createLinkDesk(admin);
  const link = `${pressed.id}.${await admin.store.revokeToken(pressed.id)}`;
  await desk.stop((await desk.find(link)) ?? assert.fail(), 'link');
  await served.accept(...entries);
  const idOf = (name: string) => ids.get(name) ?? assert.fail(name);
  await planAndRevoke(admin, {who: idOf('Stopped'), partner: 'acme'});
  await planAndErase(admin, [idOf('Erased')]);
  await served.execute(damaged(`lead_id = '${idOf('Unreadable')}'`));
  await onlyNamed(served, idOf('WithoutNumber'));
  const cookies = {agent: await served.sessionOf('agent'), viewer: await served.sessionOf('viewer')};
  const get = async (path: string, role: keyof typeof cookies = 'agent') =>
    textOf(await served.ask(path, {headers: {cookie: cookies[role]}}));
  return {...served, admin, idOf, get};
}

/** The text of a page, with marks where its table rows, and its answer on calls, begin and end. */
function textOf({text, status}: {text: string; status: number}): string {
  assert.equal(status, 200);
  return text
    .replace(/<tr[^>]*>/g, '§row ')
    .replace(/<div class="may [^>]*>/, '§may ')
    .replace(/<(h2|section)[ >]/g, '§end $&')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

/** The words of a mail about the lead, or of a message in a chat room. */
function messageAbout(lead: LeadRecord, type: 'email' | 'chat'): string {
  const settings = {type, details: 'contact', rounding: 1_000} as const;
  const {subject, text} = leadEmail(eventRequest(lead), settings);
  return `${subject}\n${text}`.replace(/\s+/g, ' ');
}

/** The answers that a text gives. */
const answersIn = (seen: string) => answers.filter((answer) => new RegExp(`${answer}(?! yet)`).test(seen));

/** @param text such as `Do not call: it was erased`, of which both parts are somewhere in `seen`, and no other answer */
function assertSays(where: string, seen: string, text: string) {
  const [answer = '', why = ''] = text.split(/: (.*)/);
  assert.deepEqual(answersIn(seen), [answer], `${where}: ${seen}`);
  assert.ok(seen.toLowerCase().includes(why.toLowerCase()), `${where}: ${seen}`);
}

/** A mail is read later, so of the hours it does not say what time it is. */
const inMessage = (text: string) => text.replace(/: it is .*; /, ': ').replace(/ \(by the area code\)$/, '');

/** The totals that a text has, each once. */
const totalsIn = (seen: string) => [...new Set(seen.match(/\$862,\d+/g))];

/** What leads show says beside a name. */
const lineIn = (stdout: string, name: string) =>
  new RegExp(`^${name} +(.*?)\\n(?=\\S|\\n)`, 'ms').exec(`${stdout}\n`)?.[1]?.replace(/\s+/g, ' ');

for (const {name, postgres, skip} of databaseKinds)
  suite(`what is shown of a lead, over ${name}`, {skip}, () => {
    test('is the same in a mail, a chat room, a spreadsheet, a terminal, JSON, a page and a list', async (t) => {
      const {admin, run, get, idOf} = await begin(t, postgres);
      const leads = await admin.store.listLeads({}, {limit: 99});
      const views = new Map((await viewsOf(admin, leads)).map((view) => [view.id, view]));
      const exported = await run('leads', 'export', '--for', 'sales');
      const rows: Record<string, string>[] = parse(exported.stdout, {bom: true, columns: true});
      const printed = (await run('leads', 'list')).stdout.split('\n');
      const list = (await get('/leads')).split('§row ');
      const records = await admin.store.findRecords(Object.keys(cases).map(idOf));
      for (const [first, [reason, stateReason, total]] of Object.entries(cases)) {
        const id = idOf(first);
        const isOfIt = (one: string) => one.includes(referenceOf(id));
        const {call, state, result, suspicion, consent} = views.get(id) ?? assert.fail(first);
        assert.deepEqual([call?.reason, state.reason], [reason, stateReason], first);
        const {text} = call ?? assert.fail(first);
        const [isGone, hasAmounts] = [total === '', total.startsWith('$')];

        const row = rows.find((one) => one['Name'] === `${first} Doe`);
        const cells = [text, hasAmounts ? total.replace(/\D/g, '') : total];
        // A spreadsheet lacks leads that were erased or cannot be read.
        assert.deepEqual(row && [row['May be called'], row['Total']], isGone ? undefined : cells);

        const shown = await run('leads', 'show', id);
        const asJson = await run('leads', 'show', id, '--json');
        if (reason === 'unreadable')
          for (const {code, stderr} of [shown, asJson])
            assert.ok(code === 1 && /cannot be read/.test(stderr), stderr);
        else {
          const names = ['May be called', 'Total', 'May be a bot', 'How agreed'];
          // The consent of the erased one is kept.
          const how = isGone ? 'Ticked the box' : consent?.text.replace(noConsent, '') || undefined;
          assert.deepEqual(
            names.map((line) => lineIn(shown.stdout, line)),
            [text, isGone ? undefined : total, suspicion ?? undefined, how],
          );
          assert.partialDeepStrictEqual(linesOf(asJson), [{may_call: {text, reason}}]);
        }

        const page = await get(`/leads/${id}`);
        const [, onPage = ''] = /§may (.*?)(?: §end|$)/.exec(page.replace(/.*(?=§may)/, '')) ?? [];
        assertSays(`the page of ${first}`, onPage, text);
        const inList = list.find(isOfIt) ?? assert.fail(first);
        const line = printed.find(isOfIt) ?? assert.fail(first);
        // What may be called has no words there.
        const expected = answersIn(text).filter((answer) => answer !== 'May be called');
        assert.deepEqual(answersIn(inList), expected, `the list: ${inList}`);
        for (const one of [page, inList]) assert.ok(one.includes(` ${state.words} `), `${first}: ${one}`);
        for (const one of [page, inList, line]) assert.deepEqual(totalsIn(one), hasAmounts ? [total] : []);
        assert.equal(page.toLowerCase().includes(`${suspicion}.`), suspicion !== null);
        assert.ok(page.includes(result ? resultWords[result][1] : total), page);
        if (isGone)
          for (const one of [page, inList, line, shown.stdout, asJson.stdout])
            assert.doesNotMatch(one, new RegExp(`862|${first}@`), first);
        else assert.ok(reason === 'no_consent' || onPage.includes(consent?.text ?? ''), onPage);

        const record = records.get(id);
        if (notInMails.includes(reason) || record?.duplicateOf !== null || !('lead' in record)) continue;
        for (const type of ['email', 'chat'] as const) {
          const message = messageAbout(record, type);
          assertSays(`the ${type} about ${first}`, message, inMessage(text));
          assert.deepEqual(totalsIn(message), hasAmounts ? [total] : []);
          assert.ok(total === 'none' || message.includes(result ? resultWords[result][1] : total), message);
          assert.equal(message.includes(`Consent: ${consent?.text}, `), consent?.at !== null, message);
          assert.equal(message.includes(`May be a bot: ${suspicion}.`), suspicion !== null);
        }
      }
    });

    test('has nothing of a person for a viewer, and the same state', async (t) => {
      const {get, idOf} = await begin(t, postgres);
      const list = (await get('/leads', 'viewer')).split('§row ');
      for (const [first, [, reason]] of Object.entries(cases)) {
        const id = idOf(first);
        const inList = list.find((one) => one.includes(referenceOf(id))) ?? assert.fail(first);
        for (const one of [await get(`/leads/${id}`, 'viewer'), inList]) {
          assert.doesNotMatch(one, new RegExp(`${first} Doe|@example|202-555|\\$\\d|a bot`), first);
          // Nothing is opened for a viewer.
          const [, words] = states[reason === 'unreadable' ? 'done' : reason];
          assert.ok(one.includes(` ${words.replace('$', 'crm')} `), `${first}: ${one}`);
        }
      }
    });

    test('fits its schema, and of a row that lacks the number the stop is known', async (t) => {
      const {admin, idOf, ...served} = await begin(t, postgres);
      assert.equal(await admin.store.correctedLead(idOf('WithoutNumber')), undefined);
      await onlyNamed(served, idOf('Stopped'));
      const leads = await admin.store.listLeads({}, {limit: 99});
      const views = await viewsOf(admin, [...leads, ...(await admin.store.listOutlines({}, {limit: 99}))]);
      for (const view of views) assert.deepEqual(leadView.strict().parse(view), view);
      assert.equal(views.find(({id}) => id === idOf('Stopped'))?.call?.reason, 'stopped');
    });
  });
