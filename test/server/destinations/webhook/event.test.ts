/** The bodies of events against the published schema, which receivers may check them with. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import fc from '../../../support/properties.ts';
import {z} from 'zod';
import {amountParts, reasons, totalAmount} from '../../../../contract/amounts.ts';
import {attributionKeys, contextName} from '../../../../contract/embed.ts';
import {callerQuestions, formQuestions} from '../../../../contract/questions.ts';
import {tableOf} from '../../../../contract/table-of.ts';
import {defaultPolicy} from '../../../../calculator/policy.ts';
import {calculatedAnswer} from '../../../../server/leads/calculated-answer.ts';
import {eventTypes, isChosen, reportedEvent} from '../../../../server/destinations/reported-event.ts';
import {sampleRecord} from '../../../../server/destinations/sample.ts';
import {toErasedEvent, toEvent} from '../../../../server/destinations/webhook/event.ts';
import {sampleEvent} from '../../../../server/destinations/webhook/webhook.ts';
import {chosenEventTypes, leadEventTypes} from '../../../../contract/lead-events.ts';
import {
  erasedEventSchema,
  eventFields,
  leadEventSchema,
  type LeadEvent,
} from '../../../../server/leads/lead-event.ts';
import type {Answer, Consent, LeadRecord, Tombstone} from '../../../../server/leads/stored-lead.ts';
import {finances} from '../../../support/any-finances.ts';
import {readJson} from '../../../support/http.ts';
import {asLead, standardBody} from '../../../support/sample-leads.ts';
import {startTestServer} from '../../../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

const schemaResponse = await server.fetch('/schemas/lead-event-v1.json');
const published = (await schemaResponse.json()) as Record<string, unknown>;
const ajv = new Ajv2020({strict: true, allowUnionTypes: true, formats: {'date-time': true}});
const isValid = ajv.compile(published);
/** The same schema, but it allows no field that it does not name. */
const isStrictlyValid = ajv.compile(z.toJSONSchema(leadEventSchema, {io: 'output'}));

/** What a receiver reads. */
const sent = (event: LeadEvent) => JSON.parse(JSON.stringify(event)) as LeadEvent;

function assertValid(event: LeadEvent) {
  const body = sent(event);
  assert.ok(isValid(body), ajv.errorsText(isValid.errors));
  assert.ok(isStrictlyValid(body), ajv.errorsText(isStrictlyValid.errors));
  assert.deepEqual(leadEventSchema.parse(body), body);
}

const text = fc.string({unit: 'grapheme', minLength: 1, maxLength: 60});
const name = text.map((any) => any.replace(/[\p{Cc}\p{Cs}\s]/gu, '') || 'x');
const time = fc.integer({min: 0, max: 4_102_444_800_000});
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, {nil: null});

const contact = fc.record({
  cid: fc.constant('the-cid-of-a-caller'),
  first_name: name,
  last_name: name,
  email: fc.constantFrom('jane@example.com', 'zoë@exämple.com'),
  phone: fc.constantFrom('202-555-0142', '+44 20 7946 0958', '(202) 555-0142 ext. 7'),
});
const extras = fc.record(
  {
    state: fc.constantFrom(...callerQuestions.state.choices),
    time_frame: fc.constantFrom(...callerQuestions.time_frame.choices),
    call_time: fc.constantFrom(...formQuestions.call_time.choices),
    notes: name.map((any) => `${any}\n${any}`),
  },
  {requiredKeys: []},
);
const lead = fc
  .tuple(contact, extras, orNull(finances))
  .map(([one, two, three]) =>
    asLead({...one, ...two, ...(three && {lead_type: 'prequalification', ...three})}),
  );

const amounts = fc.record(tableOf([...amountParts, totalAmount] as const, () => fc.nat()));
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constant({status: 'pending'} as const),
  fc.constant({status: 'refused'} as const),
  fc.record({
    status: fc.constant('done' as const),
    amounts: orNull(amounts),
    reasons: fc.dictionary(fc.constantFrom(...amountParts), fc.constantFrom(...reasons)),
    policyVersion: orNull(text),
  }),
);
const consent: fc.Arbitrary<Consent> = fc.record({
  textVersion: text,
  textHash: fc.constant('0'.repeat(64)),
  agreed: orNull(fc.boolean()),
  givenAt: time,
  origin: orNull(fc.webUrl()),
  page: orNull(fc.webUrl()),
  ip: fc.oneof(fc.ipV4(), fc.ipV6()),
  userAgent: orNull(text),
});
const record: fc.Arbitrary<LeadRecord> = fc.record({
  id: fc.uuid({version: 7}),
  createdAt: time,
  lead,
  partner: orNull(text),
  answer,
  isAnsweredLater: fc.boolean(),
  consent: orNull(consent),
  attribution: orNull(
    fc.record(
      tableOf(attributionKeys, () => text),
      {requiredKeys: []},
    ),
  ),
  context: orNull(fc.dictionary(fc.stringMatching(contextName), text, {maxKeys: 10})),
  suspect: orNull(text),
  supersedes: orNull(fc.uuid()),
  duplicateOf: orNull(fc.uuid()),
});

const tombstone: fc.Arbitrary<Tombstone> = fc.record({
  id: fc.uuid({version: 7}),
  createdAt: time,
  partner: orNull(text),
  cid: text,
  supersedes: orNull(fc.uuid()),
  duplicateOf: orNull(fc.uuid()),
  erasedAt: time,
});

suite('the body of an event', () => {
  test('is valid by the published schema, whatever the lead is', () => {
    const content = fc.constantFrom('created', 'answered', 'refused');
    fc.assert(
      fc.property(record, content, time, (lead, content, happenedAt) => {
        const event = toEvent(reportedEvent({lead, content, happenedAt}), lead);
        assertValid(event);
        assert.doesNotMatch(JSON.stringify(event), /the-cid-of-a-caller|"cid"/);
        const {data} = sent(event);
        assert.equal(data.answer === null, lead.duplicateOf !== null);
        assert.equal(data.duplicate_of, lead.duplicateOf);
        assert.equal(data.supersedes, lead.supersedes);
        assert.equal(Date.parse(event.timestamp), happenedAt);
      }),
      {numRuns: 500},
    );
  });

  test('the event of an erased lead is valid, and has nothing but what is left of it', () => {
    fc.assert(
      fc.property(tombstone, (lead) => {
        const event = toErasedEvent(
          reportedEvent({lead, content: 'erased', happenedAt: lead.erasedAt}),
          lead,
        );
        assert.ok(isValid(event), ajv.errorsText(isValid.errors));
        assert.deepEqual(z.strictObject(erasedEventSchema.shape).parse(event), event);
        assert.equal(Date.parse(event.timestamp), lead.erasedAt);
        assert.deepEqual(Object.keys(event.data), Object.keys(erasedEventSchema.shape.data.shape));
      }),
    );
  });

  test('of the events, only that of an erased lead is valid without the lead', () => {
    const {event} = sampleEvent();
    const left = Object.keys(erasedEventSchema.shape.data.shape);
    const data = Object.fromEntries(Object.entries(event.data).filter(([name]) => left.includes(name)));
    assert.ok(isValid({...event, type: 'lead.erased', data}), ajv.errorsText(isValid.errors));
    for (const type of ['lead.created', 'lead.answered'])
      assert.equal(isValid({...event, type, data}), false);
  });

  test('a destination gets the event of an erased lead, whichever it has chosen', () => {
    for (const chosen of chosenEventTypes) assert.ok(isChosen('erased', [chosen]));
    assert.ok(!isChosen('created', ['lead.answered']));
    assert.deepEqual(chosenEventTypes, ['lead.created', 'lead.answered']);
  });

  test('the event of a standard lead over the API has nothing that the lead does not have', () => {
    const lead: LeadRecord = {
      ...sampleRecord(),
      lead: asLead(standardBody),
      partner: null,
      answer: {status: 'done', amounts: null, reasons: {}, policyVersion: null},
      consent: null,
      attribution: null,
    };
    const {data} = sent(toEvent(reportedEvent({lead, content: 'created', happenedAt: 0}), lead));
    assert.deepEqual(data.lead, {
      lead_type: 'standard',
      first_name: 'Jane',
      last_name: 'Doe',
      email: 'jane@example.com',
      phone: '202-555-0142',
      phone_e164: '+12025550142',
    });
    assert.deepEqual([data.partner, data.consent, data.attribution], [null, null, {}]);
    assert.deepEqual(data.answer, {
      status: 'done',
      prequalification: null,
      reasons: {},
      policy_version: null,
    });
  });

  test('of a sample is valid, and its amounts are those of the calculator', () => {
    const record = sampleRecord();
    assertValid(sampleEvent(record).event);
    const {status, amounts: computed} = calculatedAnswer(record.lead, defaultPolicy);
    assert.partialDeepStrictEqual(record.answer, {status, amounts: computed});
  });

  test('an event has one of the types that destinations know', () => {
    assert.deepEqual(new Set<string>(Object.values(eventTypes)), new Set(leadEventTypes));
  });
});

/** All schemas of fields in a JSON Schema, by their path. */
function* fieldsOf(schema: Record<string, unknown>, path = ''): Generator<[string, Record<string, unknown>]> {
  const branches = (schema['anyOf'] ?? []) as Record<string, unknown>[];
  for (const branch of branches) yield* fieldsOf(branch, path);
  for (const [field, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, object>)) {
    const found = inner as Record<string, unknown>;
    yield [`${path}/${field}`, found];
    yield* fieldsOf(found, `${path}/${field}`);
  }
}

suite('the published schema', () => {
  test('may be read by tools on any page, and says where it is', () => {
    const {status, headers} = schemaResponse;
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/schema\+json\b/);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(published['$id'], 'https://leads.example.com/schemas/lead-event-v1.json');
    assert.equal(published['$schema'], 'https://json-schema.org/draft/2020-12/schema');
  });
  test('describes each field in words', () => {
    const fields = [...fieldsOf(published)];
    assert.ok(fields.length > 50);
    for (const [path, {description}] of fields) {
      if (path !== '/data') assert.match(String(description), /^.*\.$/, path);
    }
  });
  test('allows fields that may be added, and refuses one that is missing', () => {
    const {event} = sampleEvent();
    assert.ok(isValid({...event, added: 1, data: {...event.data, added: 1}}));
    const data: Partial<LeadEvent['data']> = {...event.data};
    delete data.reference;
    assert.equal(isValid({...event, data}), false);
    const wrong = [{lead: {...event.data.lead, call_time: 7}}, {context: {brand: 7}}];
    for (const part of wrong) assert.equal(isValid({...event, data: {...event.data, ...part}}), false);
  });
  test('is valid for leads from before an optional field was added', () => {
    const fields = z.object(
      eventFields({phone: {kind: 'phone', required: true}, email: {kind: 'email', required: false}}),
    );
    assert.deepEqual(z.toJSONSchema(fields).required, ['phone']);
  });
  test('is that of the OpenAPI document', async () => {
    const document = await readJson<{
      components: {schemas: Record<string, object>};
      webhooks: Record<string, {post: {parameters: {name: string}[]; requestBody: object}}>;
    }>(await server.fetch('/openapi.json'), 200);
    const {LeadEvent, ErasedEvent, RevokedEvent, OutcomeEvent} = document.components.schemas;
    assert.deepEqual(published['anyOf'], [LeadEvent, ErasedEvent, RevokedEvent, OutcomeEvent]);
    const bodies = Object.entries(document.webhooks).map(([type, {post}]) => [
      type,
      /schemas\/(\w+)/.exec(JSON.stringify(post.requestBody))?.[1],
    ]);
    assert.deepEqual(bodies, [
      ['lead.created', 'LeadEvent'],
      ['lead.answered', 'LeadEvent'],
      ['lead.erased', 'ErasedEvent'],
      ['consent.revoked', 'RevokedEvent'],
      ['lead.outcome', 'OutcomeEvent'],
    ]);
    assert.deepEqual(Object.keys(document.webhooks), [...leadEventTypes]);
    for (const {post} of Object.values(document.webhooks)) {
      assert.deepEqual(
        post.parameters.map((parameter) => parameter.name),
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      );
    }
  });
});
