import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {EmbedAnswer} from '../../../../contract/embed.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {embedConfigSchema} from '../../../../server/http/wire-schemas.ts';
import {basic, comparable, fieldCodes, postJson, readJson, readProblem} from '../../../support/http.ts';
import {
  amounts,
  finances,
  prequalificationBody,
  standardBody,
  without,
} from '../../../support/sample-leads.ts';
import {formConfig} from '../../../support/embed-client.ts';
import {openFor} from '../../../support/opened.ts';
import {sqlite} from '../../../support/stores.ts';
import {acme, globex, listedOrigin, otherOrigin, startTestServer} from '../../../support/test-server.ts';
import {defaultPolicy, figuresOf} from '../../../../calculator/policy.ts';
import {openedLead} from '../../../support/encrypted-rows.ts';

const server = sqlite.useServer();

const fromPage = {origin: listedOrigin};
const lead = without(prequalificationBody, 'cid');
const newKey = () => ({'idempotency-key': randomUUID()});
const create = (body: unknown, headers: Record<string, string> = {}, partner = 'acme') =>
  server.fetch(`/embed/v1/leads?partner=${partner}`, postJson(body, {...fromPage, ...newKey(), ...headers}));
const read = (id: string, headers: Record<string, string>, partner = 'acme') =>
  server.fetch(`/embed/v1/leads/${id}?partner=${partner}`, {headers: {...fromPage, ...headers}});
const bearer = (token: string) => ({authorization: `Bearer ${token}`});
const created = async (body: unknown = {lead}) => readJson<EmbedAnswer>(await create(body), 201);

suite('a page of a partner', () => {
  test('gets amounts, reasons and a token in one round trip', async () => {
    const {id, token, ...answer} = await created();
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(token, /^[\w-]{43}$/);
    assert.deepEqual(answer, {
      status: 'done',
      prequalification: {first_name: 'Jane', ...amounts},
      reasons: {},
      explanation: {
        rounding_increment: 1_000,
        parts: {
          rollover_amount: {method: 'whole_balance'},
          sba_qualified_amount: {method: 'down_payment', percent: 20},
          unsecured_amount: {},
          portfolio_loan_qualified_amount: {method: 'percentage', percent: 60},
        },
      },
    });
  });
  test('gets a reason for every zero', async () => {
    const poor = {...lead, bankruptcy: true, retirement: 0, investments: 0};
    assert.deepEqual((await created({lead: poor})).reasons, {
      rollover_amount: 'below_minimum',
      sba_qualified_amount: 'bankruptcy',
      unsecured_amount: 'bankruptcy',
      portfolio_loan_qualified_amount: 'nothing_to_borrow_against',
    });
  });
  test('gets no amounts for a standard lead', async () => {
    const {id, token, ...answer} = await created({lead: without(standardBody, 'cid')});
    assert.deepEqual(answer, {status: 'done', prequalification: null, reasons: {}});
    assert.deepEqual(await readJson(await read(id, bearer(token)), 200), {id, token, ...answer});
  });
  test('reads the same answer again by its token', async () => {
    const answer = await created();
    const again = await read(answer.id, bearer(answer.token));
    assert.deepEqual(await readJson(again, 200), answer);
    assert.equal(again.headers.get('retry-after'), null);
  });
  test("stores the lead under the partner's client, whatever cid it sends", async () => {
    const {id} = await created({lead: {...lead, cid: '2001'}, cid: '2001'});
    await readJson(await server.fetch(`/json/leads/${id}`, {headers: basic(acme)}), 200);
    const foreign = await server.fetch(`/json/leads/${id}`, {headers: basic(globex)});
    await readProblem(foreign, 404, 'not-found');
  });
  for (const partner of ['acme', '', null]) {
    test(`may name it in the body, too: ${JSON.stringify(partner)}`, async () => {
      await created({lead, partner});
      await created({lead: {...lead, partner}});
    });
  }
  for (const partner of ['contact-only', 'nobody', 'ACME', ' acme', 5, ['acme'], {}]) {
    test(`a page that names another partner in the body stores no lead: ${JSON.stringify(partner)}`, async () => {
      const count = async () => (await server.select('SELECT count(*) AS n FROM leads'))[0]?.['n'];
      const before = await count();
      for (const body of [{lead, partner}, {lead: {...lead, partner}}]) {
        for (const address of ['/embed/v1/leads', '/embed/v1/leads?partner=acme']) {
          const response = await server.fetch(address, postJson(body, {...fromPage, ...newKey()}));
          const problem = await readProblem(response, 422, 'invalid-lead');
          assert.deepEqual(fieldCodes(problem), {partner: 'invalid'});
          assert.match(problem.detail, /address/);
        }
      }
      assert.deepEqual(await count(), before);
    });
  }
  test('cannot send what the form does not ask for, and is not told of it', async () => {
    const more = {state: 'Nowhere', time_frame: 'x', notes: '=cmd|…\0', first_name2: 'x'};
    const answer = await created({lead: {...lead, ...more, email: 'more@example.com'}});
    const {lead: stored} = await openedLead(server, answer.id);
    assert.partialDeepStrictEqual(stored, {email: 'more@example.com'});
    assert.deepEqual(
      Object.keys(more).filter((name) => Object.hasOwn(stored, name)),
      [],
    );
  });
  // Forms of 1.0 and 1.1 took all of these in a phone.
  for (const space of ['\t', '\n', '\v', '\f', '\r\n', '\u2028', '\u2029', '\ufeff']) {
    test(`gets a space for white space of another kind: ${JSON.stringify(space)}`, async () => {
      const phone = `202${space}555${space}0142`;
      const spaced = {...lead, first_name: `Jane${space}Ann`, phone};
      const {id} = await created({lead: spaced});
      assert.partialDeepStrictEqual((await openedLead(server, id)).lead, {
        first_name: `Jane${' '.repeat(space.length)}Ann`,
        phone: {
          typed: `202${' '.repeat(space.length)}555${' '.repeat(space.length)}0142`,
          e164: '+12025550142',
        },
      });
      const fromCaller = await server.fetch('/json/leads', postJson({...spaced, cid: '1001'}, basic(acme)));
      // What nobody sees is left out of a number.
      if (space === '\ufeff') return void (await readJson(fromCaller, 201));
      const problem = await readProblem(fromCaller, 422, 'invalid-lead');
      const wrong = {first_name: 'invalid', phone: 'invalid'};
      assert.deepEqual(fieldCodes(problem), wrong, 'a caller of /json/leads is told of it');
    });
  }
  test('is told each wrong field, and never of the cid', async () => {
    const problem = await readProblem(await create({lead: {...lead, cash: -1, cid: 7}}), 422, 'invalid-lead');
    assert.deepEqual(fieldCodes(problem), {cash: 'invalid'});
    const nothing = await readProblem(await create({lead: {}}), 422, 'invalid-lead');
    assert.deepEqual(Object.keys(fieldCodes(nothing)), ['first_name', 'last_name', 'email', 'phone']);
  });
  for (const body of [{}, lead, {lead: null}, {lead: []}, {lead: 'Jane'}, [], null]) {
    test(`is refused without a lead: ${JSON.stringify(body).slice(0, 30)}`, async () => {
      const problem = await readProblem(await create(body), 422, 'invalid-lead');
      assert.deepEqual(fieldCodes(problem), {'': 'invalid'});
    });
  }
  test('may send more than this version knows', async () => {
    await created({lead, consent: {version: '1'}, attribution: {}, proof: 'x', trap: '', elapsed_ms: 5});
  });
  test('sends only the types of lead that its partner takes', async () => {
    const fromOther = {origin: otherOrigin};
    await readProblem(await create({lead}, fromOther, 'contact-only'), 403, 'lead-type-not-allowed');
    const standard = {lead: {...lead, ...finances, lead_type: 'standard'}};
    await readJson(await create(standard, fromOther, 'contact-only'), 201);
  });
  for (const [what, key] of [
    ['no key', undefined],
    ['a short key', 'a'.repeat(15)],
    ['a long key', 'a'.repeat(129)],
    ['spaces in its key', 'sixteen and more'],
    ['another script in its key', 'schlüssel-schlüssel'],
  ] as const) {
    test(`is refused with ${what}`, async () => {
      const headers: Record<string, string> =
        key === undefined ? fromPage : {...fromPage, 'idempotency-key': key};
      const response = await server.fetch('/embed/v1/leads?partner=acme', postJson({lead}, headers));
      await readProblem(response, 400, 'idempotency-key-invalid');
    });
  }
  test('learns who the partner is, and how visitors reach it', async (t) => {
    const contact = {phone: '(415) 555-0132 ext. 7', email: 'hello@acme.example'};
    const named = onePartner({
      key: 'named',
      name: 'Acme Funding',
      cid: '1001',
      origins: [listedOrigin],
      contact,
    });
    const own = await openFor(t, startTestServer({partners: [named]}));
    const config = await formConfig(own, 'named');
    assert.equal(config.name, 'Acme Funding');
    assert.deepEqual(config.contact, [
      {href: 'tel:+14155550132', text: '(415) 555-0132 ext. 7'},
      {href: 'mailto:hello@acme.example', text: 'hello@acme.example'},
    ]);
    assert.ok(embedConfigSchema.safeParse(config).success, 'as the OpenAPI document describes it');
  });
  test('learns what the partner takes', async () => {
    const minimums = {
      rollover_amount: 50_000,
      sba_qualified_amount: 75_000,
      portfolio_loan_qualified_amount: 100_000,
    };
    const none = {consent: null, colors: {}, challenge: null};
    assert.deepEqual(await formConfig(server), {
      lead_types: ['standard', 'prequalification'],
      minimums,
      ...none,
      about: {ready: 'Tell us who it is for, and see all of it.', lines: []},
    });
    const contactOnly = await formConfig(server, 'contact-only', {headers: {origin: otherOrigin}});
    assert.deepEqual(contactOnly, {lead_types: ['standard'], minimums, ...none});
  });
});

suite("another's result", () => {
  test('the result of another visitor looks like an unknown one, with any token or none', async () => {
    const [mine, theirs] = [await created(), await created()];
    const notBearer = {authorization: mine.token};
    const answers = [
      await read(randomUUID(), bearer(mine.token)),
      await read(mine.id, bearer(theirs.token)),
      await read(mine.id, bearer('wrong')),
      await read(mine.id, bearer(mine.token.slice(0, -1))),
      await read(mine.id, bearer(`${mine.token}AAAA`)),
      await read(mine.id, bearer('x'.repeat(5_000))),
      await read(mine.id, {}),
      await read(mine.id, notBearer),
      await read(mine.id, basic(acme)),
    ];
    const [first, ...others] = await Promise.all(answers.map(comparable));
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(first?.status, 404);
    assert.ok(first?.headers.every(([name]) => name !== 'www-authenticate'));
    await readProblem(await read(mine.id, {}), 404, 'not-found');
  });
  test('a result is out of reach on the page of another partner', async () => {
    const {id, token} = await created();
    const headers = {...bearer(token), origin: otherOrigin};
    await readProblem(await read(id, headers, 'contact-only'), 404, 'not-found');
  });
  test('a lead that a caller created has no result token', async () => {
    const response = await server.fetch('/json/leads', postJson(prequalificationBody, basic(acme)));
    const {id} = await readJson<{id: string}>(response, 201);
    const {token} = await created();
    await readProblem(await read(id, bearer(token)), 404, 'not-found');
  });
});

suite('show_estimate', () => {
  test('gives the figures to the form of the partner that sets it, and to no other', async (t) => {
    const own = {origins: [listedOrigin], cid: '1001'};
    const globex = onePartner({...own, key: 'globex'});
    const partners = [onePartner({...own, key: 'acme', show_estimate: 'before-contact'}), globex] as const;
    const server = await openFor(t, startTestServer({partners}));
    const acme = await formConfig(server);
    const {portfolio_loan, ...others} = figuresOf(defaultPolicy);
    // Forms before 1.6 do not know the minimum of this loan, and must not count on it.
    const none = {...portfolio_loan, percent_of_investments: 0};
    assert.deepEqual(acme.estimate, {...others, portfolio_loan: none, portfolio_loan_from: portfolio_loan});
    assert.ok(embedConfigSchema.safeParse(acme).success, 'as the OpenAPI document describes it');
    assert.ok(!JSON.stringify(acme.estimate).includes('publishes'), 'without the sources');
    assert.ok(!('estimate' in (await formConfig(server, 'globex'))));
  });
});
