/** Mails, rooms, spreadsheets, terminals, JSON and pages say the same of a lead: a table of leads, and what each renderer says. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {finish} from '../../../server/admin/admin.ts';
import {viewsOf} from '../../../server/admin/lead-view.ts';
import {createLinkDesk} from '../../../server/admin/link-desk.ts';
import {revokeConsent} from '../../../server/admin/revocations.ts';
import {leadEmail} from '../../../server/destinations/email/lead-email.ts';
import {leadView} from '../../../server/leads/lead-view.ts';
import {callAnswerWords} from '../../../server/leads/lead-words.ts';
import type {CallReason} from '../../../server/leads/may-call.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadRecord} from '../../../server/leads/stored-lead.ts';
import {routes} from '../../../server/pages/routes.ts';
import {databaseKinds, linesOf, planAndErase} from '../../support/operator.ts';
import {servePages, type ServedPages} from '../../support/pages.ts';
import {
  amounts,
  asLead,
  doneAnswer,
  entryAt,
  newsTo,
  prequalificationBody,
  sampleConsent,
  standardBody,
} from '../../support/sample-leads.ts';
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
const trap = 'a field that people do not see was filled in';
const ofBot = {deliveries: to('held'), suspect: 'trap'};
/** The calculator's are rounded for people, and those of an upstream are not. */
const uneven = {...amounts, sba_qualified_amount: 552_999, total_qualified_amount: 862_999};

/**
 * - `reason`, `text`: whether it may be called. `state`: how far it has come, without it `done`
 * - `total`: in dollars or words. `agreed`: how. `suspicion`: why a bot may have sent it
 * - `changes`: what the lead has besides a consent and a number of its own. `corrects`: the case that it corrects
 * - `isInMails`: a mail about the new lead can say it, too
 */
type Case = {
  reason: CallReason;
  text: string;
  state?: string;
  total?: keyof typeof sentences | `$${string}`;
  agreed?: string;
  suspicion?: string;
  body?: object;
  changes?: Partial<LeadEntry>;
  corrects?: string;
  isInMails?: true;
};
/** What stands in place of amounts. */
const sentences = {
  none: 'A standard lead, without amounts.',
  'to follow': 'The amounts are to follow.',
  refused: 'This lead was refused, so it gets no amounts.',
} as const;
const untilEvening = 'May be called: until 8 PM on Wednesday in New York (by the area code)';
const mayBeBot = 'Do not call yet: a bot may have sent it, and nobody has decided';
const unreadable = 'Not known whether you may call: it cannot be read';
const heldForBot: Case = {
  ...{reason: 'may_be_bot', text: mayBeBot, changes: ofBot, state: 'held: bot?', suspicion: trap},
};
const within = {reason: 'within_hours', text: untilEvening, isInMails: true} as const;

/** By the first name of the visitor. */
const cases: Readonly<Record<string, Case>> = {
  Within: within,
  Calculated: {...within, changes: {answer: {...doneAnswer, amounts: uneven}}},
  Upstream: {
    ...{...within, total: '$862,999'},
    changes: {answer: {...doneAnswer, amounts: uneven, policyVersion: null}},
  },
  Standard: {
    ...{...within, total: 'none', body: {lead_type: 'standard'}},
    changes: {answer: {...doneAnswer, amounts: null, policyVersion: null}},
  },
  Pending: {...within, state: 'pending', total: 'to follow', changes: {answer: {status: 'pending'}}},
  Refused: {...within, state: 'refused', total: 'refused', changes: {answer: {status: 'refused'}}},
  Original: {...within, changes: {leadDigests: ['same']}},
  Repeated: {reason: 'within_hours', text: untilEvening, changes: {leadDigests: ['same']}},
  Boxless: {
    ...{...within, agreed: 'Saw the words, which have no box, and pressed the button'},
    changes: {consent: {...consent, agreed: null}},
  },
  OfCaller: {
    ...{...within, agreed: 'Agreed, says the caller who sent the lead'},
    changes: {consent: {...consent, agreed: null, source: 'caller'}},
  },
  Suspect: {...within, changes: {suspect: 'trap'}, suspicion: trap},
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
  Stopped: {reason: 'stopped', state: 'said stop', text: 'Do not call: somebody with this number said stop'},
  Erased: {reason: 'erased', state: 'erased', text: 'Do not call: it was erased'},
  NotTicked: {
    ...{reason: 'not_agreed', changes: {consent: {...consent, agreed: false}}, isInMails: true},
    ...{text: 'Do not call: the box was not ticked', agreed: 'Saw the words, ticked no box'},
  },
  Bot: heldForBot,
  HeldAndCorrected: heldForBot,
  CorrectsHeld: {reason: 'within_hours', text: untilEvening, corrects: 'HeldAndCorrected'},
  Corrected: {
    reason: 'corrected',
    state: 'corrected',
    text: 'Call about another lead: it was corrected by $CorrectsIt',
  },
  CorrectsIt: {reason: 'within_hours', text: untilEvening, corrects: 'Corrected'},
  CorrectedNoConsent: {
    ...{
      reason: 'corrected',
      state: 'corrected',
      changes: {consent: undefined},
      agreed: 'No consent is stored',
    },
    text: 'Call about another lead: it was corrected by $CorrectsNoConsent',
  },
  CorrectsNoConsent: {reason: 'within_hours', text: untilEvening, corrects: 'CorrectedNoConsent'},
  Unreadable: {reason: 'unreadable', state: 'cannot be read', text: unreadable},
  WithoutNumber: {reason: 'unreadable', state: 'cannot be read', text: unreadable},
  NoConsent: {
    ...{reason: 'no_consent', changes: {consent: undefined}, isInMails: true, agreed: 'No consent is stored'},
    text: 'Not known whether you may call: no consent is stored',
  },
  OtherNumber: {
    reason: 'consent_for_other_number',
    changes: {consent: {...consent, source: 'caller', words: 'Call me at 212-555-0100.'}},
    text: 'Not known whether you may call: the consent names another number',
    agreed: 'Ticked the box, says the caller who sent the lead',
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
    ...{changes: {deliveries: to('waiting')}, state: 'crm waits'},
    text: 'Not known whether you may call: somebody with this e-mail address said stop for another number',
  },
};
const answers = Object.values(callAnswerWords);

const leadFor = (body: object) =>
  asLead({...('lead_type' in body ? standardBody : prequalificationBody), ...body});

/** Stores a lead for each case at a moment that stands still, and what happened to some of them. */
async function begin(t: TestContext, postgres: boolean) {
  t.mock.timers.enable({apis: ['Date'], now});
  const ids = new Map<string, string>();
  const entries = Object.entries(cases).map(([first_name, {body, changes, corrects}], index) => {
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
    lead: asLead({...prequalificationBody, phone: '202-555-0177', email: 'pressed@example.com'}),
  });
  await served.accept(pressed);
  const desk = createLinkDesk(admin);
  const link = `${pressed.id}.${await admin.store.revokeToken(pressed.id)}`;
  await desk.stop((await desk.find(link)) ?? assert.fail(), 'link');
  await served.accept(...entries);
  const idOf = (name: string) => ids.get(name) ?? assert.fail(name);
  await finish(revokeConsent(admin, {who: idOf('Stopped'), partner: 'acme'}), () => undefined);
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

/** What leads show says beside a name. */
const lineIn = (stdout: string, name: string) =>
  new RegExp(`^${name} +(.*?)\\n(?=\\S|\\n)`, 'ms').exec(stdout)?.[1]?.replace(/\s+/g, ' ');

for (const {name, postgres, skip} of databaseKinds)
  suite(`what is shown of a lead, over ${name}`, {skip}, () => {
    test('is the same in a mail, a chat room, a spreadsheet, a terminal, JSON, a page and a list', async (t) => {
      const {admin, run, get, idOf} = await begin(t, postgres);
      const exported = await run('leads', 'export', '--for', 'sales');
      const rows: Record<string, string>[] = parse(exported.stdout, {bom: true, columns: true});
      const printed = (await run('leads', 'list')).stdout.split('\n');
      const list = (await get('/leads')).split('§row ');
      const records = await admin.store.findRecords(Object.keys(cases).map(idOf));
      for (const [first, {reason, text: pattern, isInMails, ...facts}] of Object.entries(cases)) {
        const {state = 'done', total = '$862,000', agreed = 'Ticked the box', suspicion} = facts;
        const id = idOf(first);
        const text = pattern.replace(/\$(\w+)/, (_, other: string) => referenceOf(idOf(other)));
        const isGone = ['erased', 'unreadable'].includes(reason);
        const hasAmounts = total.startsWith('$');
        const sentence = hasAmounts ? total : sentences[total as keyof typeof sentences];

        const row = rows.find((one) => one['Name'] === `${first} Doe`);
        // A spreadsheet lacks leads that were erased or cannot be read.
        assert.equal(row?.['May be called'], isGone ? undefined : text);
        const cell = hasAmounts ? total.replace(/\D/g, '') : total;
        assert.equal(row?.['Total'], isGone ? undefined : cell, first);

        const shown = await run('leads', 'show', id);
        const asJson = await run('leads', 'show', id, '--json');
        if (reason === 'unreadable')
          for (const {code, stderr} of [shown, asJson])
            assert.ok(code === 1 && /cannot be read/.test(stderr), stderr);
        else {
          assert.equal(lineIn(shown.stdout, 'May be called'), text);
          assert.partialDeepStrictEqual(linesOf(asJson), [{may_call: {text, reason}}]);
          assert.equal(lineIn(shown.stdout, 'Total'), isGone ? undefined : total, first);
          assert.equal(lineIn(shown.stdout, 'May be a bot'), suspicion);
        }

        const page = await get(`/leads/${id}`);
        const [, onPage = ''] = /§may (.*?)(?: §end|$)/.exec(page.replace(/.*(?=§may)/, '')) ?? [];
        assertSays(`the page of ${first}`, onPage, text);
        const inList = list.find((one) => one.includes(referenceOf(id))) ?? assert.fail(first);
        // What may be called has no words there.
        const expected = answersIn(text).filter((answer) => answer !== 'May be called');
        assert.deepEqual(answersIn(inList), expected, `the list: ${inList}`);
        for (const one of [page, inList]) assert.ok(one.includes(` ${state} `), `${first}: ${one}`);

        const line = printed.find((one) => one.startsWith(referenceOf(id))) ?? assert.fail(first);
        if (isGone) {
          for (const one of [page, inList, line, shown.stdout, asJson.stdout])
            assert.doesNotMatch(one, new RegExp(`\\$\\d|862|${first}@`), first);
        } else {
          assert.ok(page.includes(sentence), `${first}: ${page}`);
          assert.equal(page.toLowerCase().includes(trap), suspicion !== undefined);
          assert.ok(agreed === 'No consent is stored' || onPage.includes(agreed), onPage);
          for (const one of [page, inList, line])
            assert.deepEqual(new Set(one.match(/\$8[\d,]+/g)), new Set(hasAmounts ? [total] : []));
          assert.equal(inList.includes('to follow'), total === 'to follow');
        }

        if (!isInMails) continue;
        const record = records.get(id);
        assert.ok(record && 'lead' in record, first);
        for (const type of ['email', 'chat'] as const) {
          const news = newsOf(record, type);
          assertSays(`the ${type} about ${first}`, news, inNews(text));
          assert.ok(total === 'none' || news.includes(sentence), news);
          assert.deepEqual(new Set(news.match(/\$862,\d+/g)), new Set(hasAmounts ? [total] : []));
          assert.equal(news.includes(`Consent: ${agreed}, `), agreed !== 'No consent is stored', news);
          assert.equal(news.includes(`May be a bot: ${suspicion}.`), suspicion !== undefined);
        }
      }
    });

    test('has nothing of a person for a viewer, and the same state', async (t) => {
      const {get, idOf} = await begin(t, postgres);
      const list = (await get('/leads', 'viewer')).split('§row ');
      for (const [first, {state = 'done'}] of Object.entries(cases)) {
        const page = await get(`/leads/${idOf(first)}`, 'viewer');
        const inList = list.find((one) => one.includes(referenceOf(idOf(first)))) ?? assert.fail(first);
        for (const one of [page, inList]) {
          assert.doesNotMatch(one, new RegExp(`${first} Doe|@example|202-555|\\$\\d|${trap}`), first);
          // Nothing is opened for a viewer.
          assert.ok(one.includes(` ${state === 'cannot be read' ? 'done' : state} `), `${first}: ${one}`);
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
