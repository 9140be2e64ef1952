/** Whether a lead may be called is one answer, wherever people and programs read it. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {callsOf} from '../../../server/admin/lead-view.ts';
import {createLinkDesk} from '../../../server/admin/link-desk.ts';
import {leadEmail} from '../../../server/destinations/email/lead-email.ts';
import {callAnswerWords, type CallReason} from '../../../server/leads/may-call.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadRecord} from '../../../server/leads/stored-lead.ts';
import {routes} from '../../../server/pages/routes.ts';
import {databaseKinds, linesOf, planAndErase, planAndRevoke} from '../../support/operator.ts';
import {servePages, type ServedPages} from '../../support/pages.ts';
import {asLead, entryAt, prequalificationBody, sampleConsent, newsTo} from '../../support/sample-leads.ts';
import {newsRequest} from '../../support/sample-news.ts';
import {damaged, sealOtherwise} from '../../support/sealed-rows.ts';

/** Nothing but a name is left of the lead. */
const onlyNamed = (tables: Parameters<typeof sealOtherwise>[0], id: string) =>
  sealOtherwise(tables, id, (personal) => ({...personal, lead: {first_name: 'Jane'}}));

/** A Wednesday. It is noon in New York, 9 AM in Los Angeles and 7 AM in Honolulu. */
const now = Date.parse('Nov 25 2026 12:00 EST');
const minute = 60_000;

const consent = {...sampleConsent, givenAt: now - 60 * minute};
const to = (state: 'waiting' | 'held') => [newsTo('crm', {state})];
const ofBot = {deliveries: to('held'), suspect: 'trap'};

/**
 * - `changes`: what the lead has besides a consent and a number of its own. `corrects`: the case that it corrects
 * - `isInMails`: a mail about the new lead can say it, too
 */
type Case = {
  reason: CallReason;
  text: string;
  body?: object;
  changes?: Partial<LeadEntry>;
  corrects?: string;
  isInMails?: true;
};
const untilEvening = 'May be called: until 8 PM on Wednesday in New York (by the area code)';
const mayBeBot = 'Do not call yet: a bot may have sent it, and nobody has decided';
const unreadable = 'Not known whether you may call: it cannot be read';

/** By the first name of the visitor. */
const cases: Readonly<Record<string, Case>> = {
  Within: {reason: 'within_hours', text: untilEvening, isInMails: true},
  Outside: {
    ...{reason: 'outside_hours', body: {state: 'HI'}, isInMails: true},
    text: 'Not now: it is 7:00 AM in Honolulu; from 8 AM on Wednesday in Honolulu',
  },
  TwoZones: {
    ...{reason: 'within_hours', body: {state: 'TN'}, isInMails: true},
    text: 'May be called: until 8 PM on Wednesday in New York',
  },
  TwoZonesEarly: {
    ...{reason: 'outside_hours', body: {state: 'AK', phone: '800-555-0132'}, isInMails: true},
    text: 'Not now: it is 7:00 AM in Adak, 8:00 AM in Anchorage; from 8 AM on Wednesday in Adak',
  },
  Stopped: {reason: 'stopped', text: 'Do not call: somebody with this number said stop'},
  Erased: {reason: 'erased', text: 'Do not call: it was erased'},
  NotTicked: {
    ...{reason: 'not_agreed', changes: {consent: {...consent, agreed: false}}, isInMails: true},
    text: 'Do not call: the box was not ticked',
  },
  Bot: {reason: 'may_be_bot', text: mayBeBot, changes: ofBot},
  HeldAndCorrected: {reason: 'may_be_bot', text: mayBeBot, changes: ofBot},
  CorrectsHeld: {reason: 'within_hours', text: untilEvening, corrects: 'HeldAndCorrected'},
  Corrected: {reason: 'corrected', text: 'Call about another lead: it was corrected by $CorrectsIt'},
  CorrectsIt: {reason: 'within_hours', text: untilEvening, corrects: 'Corrected'},
  CorrectedNoConsent: {
    ...{reason: 'corrected', changes: {consent: undefined}},
    text: 'Call about another lead: it was corrected by $CorrectsNoConsent',
  },
  CorrectsNoConsent: {reason: 'within_hours', text: untilEvening, corrects: 'CorrectedNoConsent'},
  Unreadable: {reason: 'unreadable', text: unreadable},
  WithoutNumber: {reason: 'unreadable', text: unreadable},
  NoConsent: {
    ...{reason: 'no_consent', changes: {consent: undefined}, isInMails: true},
    text: 'Not known whether you may call: no consent is stored',
  },
  OtherNumber: {
    reason: 'consent_for_other_number',
    changes: {consent: {...consent, source: 'caller', words: 'Call me at 212-555-0100.'}},
    text: 'Not known whether you may call: the consent names another number',
    isInMails: true,
  },
  NoZone: {
    ...{reason: 'no_time_zone', body: {phone: '888-555-0132'}, isInMails: true},
    text: 'Not known whether you may call: nothing says in which time zone the phone is',
  },
  // After somebody else has pressed the link of a lead with the same number, or the same address.
  SameNumber: {
    ...{reason: 'stop_undecided', body: {phone: '202-555-0177'}},
    text: 'Do not call yet: somebody with another address asked to stop this number',
  },
  SameAddress: {
    ...{reason: 'address_stopped', body: {email: 'pressed@example.com'}, isInMails: true},
    changes: {deliveries: to('waiting')},
    text: 'Not known whether you may call: somebody with this e-mail address said stop for another number',
  },
};
const answers = Object.values(callAnswerWords);

/** Stores a lead for each case at a moment that stands still, and what happened to some of them. */
async function begin(t: TestContext, postgres: boolean) {
  t.mock.timers.enable({apis: ['Date'], now});
  const ids = new Map<string, string>();
  const entries = Object.entries(cases).map(([first_name, {body, changes, corrects}], index) => {
    const own = {first_name, phone: `202-555-01${10 + index}`, email: `${first_name}@example.com`};
    const entry = entryAt(now - minute + index, {
      ...{partner: 'acme', lead: asLead({...prequalificationBody, ...own, ...body}), consent},
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
    lead: asLead({...prequalificationBody, phone: '202-555-0177', email: 'pressed@example.com'}),
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
  const cookie = await served.sessionOf('agent', 'Ana');
  return {
    ...served,
    admin,
    idOf,
    get: async (path: string) => textOf(await served.ask(path, {headers: {cookie}})),
  };
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
function newsOf(lead: LeadRecord, type: 'email' | 'chat'): string {
  const settings = {type, details: 'contact', rounding: 1_000} as const;
  const {subject, text} = leadEmail(newsRequest(lead), settings);
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
const inNews = (text: string) => text.replace(/: it is .*; /, ': ').replace(/ \(by the area code\)$/, '');

for (const {name, postgres, skip} of databaseKinds)
  suite(`whether a lead may be called, over ${name}`, {skip}, () => {
    test('is the same in a mail, a chat room, a spreadsheet, a terminal, JSON, a page and a list', async (t) => {
      const {admin, run, get, idOf} = await begin(t, postgres);
      const exported = await run('leads', 'export', '--for', 'sales');
      const rows: Record<string, string>[] = parse(exported.stdout, {bom: true, columns: true});
      const list = (await get('/leads')).split('§row ');
      const records = await admin.store.findRecords(Object.keys(cases).map(idOf));
      for (const [first, {reason, text: pattern, isInMails}] of Object.entries(cases)) {
        const id = idOf(first);
        const text = pattern.replace(/\$(\w+)/, (_, other: string) => referenceOf(idOf(other)));

        const row = rows.find((one) => one['Name'] === `${first} Doe`);
        // A spreadsheet lacks leads that were erased or cannot be read.
        assert.equal(row?.['May be called'], ['erased', 'unreadable'].includes(reason) ? undefined : text);

        const shown = await run('leads', 'show', id);
        const asJson = await run('leads', 'show', id, '--json');
        if (reason === 'unreadable')
          for (const {code, stderr} of [shown, asJson])
            assert.ok(code === 1 && /cannot be read/.test(stderr), stderr);
        else {
          const [, words = ''] = /^May be called +(.*?)\n(?=\S|\n)/ms.exec(shown.stdout) ?? [];
          assert.equal(words.replace(/\s+/g, ' '), text);
          assert.partialDeepStrictEqual(linesOf(asJson), [{may_call: {text, reason}}]);
        }

        const [, onPage = ''] = /§may (.*?)(?: §end|$)/.exec(await get(`/leads/${id}`)) ?? [];
        assertSays(`the page of ${first}`, onPage, text);

        const inList = list.find((one) => one.includes(referenceOf(id))) ?? assert.fail(first);
        // What may be called has no words there.
        const expected = answersIn(text).filter((answer) => answer !== 'May be called');
        assert.deepEqual(answersIn(inList), expected, `the list: ${inList}`);

        if (!isInMails) continue;
        const record = records.get(id);
        assert.ok(record && 'lead' in record, first);
        for (const type of ['email', 'chat'] as const)
          assertSays(`the ${type} about ${first}`, newsOf(record, type), inNews(text));
      }
    });

    test('of a row that lacks the number the stop is known, and its correction is told', async (t) => {
      const {admin, idOf, ...served} = await begin(t, postgres);
      assert.equal(await admin.store.correctedLead(idOf('WithoutNumber')), undefined);
      await onlyNamed(served, idOf('Stopped'));
      const calls = await callsOf(admin, await admin.store.listLeads({}, {limit: 99}));
      assert.equal(calls.get(idOf('Stopped'))?.reason, 'stopped');
    });
  });
