/**
 * The bodies of the events that webhooks get, as zod schemas. The published JSON Schema and the OpenAPI document are made
 * from them. Receivers rely on it: within version 1 there may be new fields, types of events and values of lists, but
 * nothing is renamed or removed, and no type of a value changes.
 */
import {z} from 'zod';
import {amountNames, amountParts, reasons} from '../../contract/amounts.ts';
import {attributionKeys, leadStatuses, optOutSignals, type AttributionKey} from '../../contract/embed.ts';
import {
  contactFields,
  financialFields,
  leadTypes,
  type Field,
  type FormFieldName,
  type FieldTable,
} from '../../contract/fields.ts';
import type {LeadEventType} from '../../contract/lead-events.ts';
import {callerQuestions, formQuestions, questionNames, questionOf} from '../../contract/questions.ts';
import {tableOf} from '../../contract/table-of.ts';
import {maybe, saidShape} from './consent-record.ts';
import {outcomes} from './outcomes.ts';
import type {SchemaOf} from './lead-schema.ts';
import {revocationScopes} from './stored-lead.ts';

const text = (description: string) => z.string().describe(description);
const textOrNull = (description: string) => z.string().nullable().describe(description);
const time = (description: string) => z.iso.datetime().describe(`${description} ISO 8601, in UTC.`);

/** Describes the fields in documents. */
const words: Readonly<Record<FormFieldName, string>> = {
  first_name: 'The first name.',
  last_name: 'The last name.',
  email: 'The e-mail address.',
  phone: 'The telephone number as it was typed, perhaps with an extension.',
  credit_score: 'The range in which the credit score is.',
  bankruptcy: 'Whether there was a bankruptcy. Missing if the lead does not say.',
  retirement: 'Retirement savings, in whole US dollars.',
  cash: 'Cash, in whole US dollars.',
  investments: 'Investments, in whole US dollars.',
  ...tableOf(questionNames, (name) => questionOf(name).about),
};

type ValueOf<Row extends Field> = Row extends {choices: readonly (infer Choice extends string)[]}
  ? Choice
  : Row['kind'] extends 'flag'
    ? boolean
    : Row['kind'] extends 'money'
      ? number
      : string;

function valueSchema({kind, choices}: Field): z.ZodType {
  if (choices) return z.enum(choices);
  if (kind === 'flag') return z.boolean();
  return kind === 'money' ? z.int().min(0) : z.string();
}

/** A lead that was stored before a field was added lacks it, so a field of a table that is not required is optional. */
export const eventFields = <Table extends FieldTable>(table: Table) =>
  Object.fromEntries(
    Object.entries(table).map(([name, field]) => {
      const schema = valueSchema(field).describe(words[name as FormFieldName]);
      return [name, field.required ? schema : schema.optional()];
    }),
  ) as {[Name in keyof Table]: SchemaOf<Table[Name], ValueOf<Table[Name]>>};

const leadSchema = z
  .object({
    lead_type: z.enum(leadTypes).describe('A standard lead has contact data alone, and gets no amounts.'),
    ...eventFields(contactFields),
    phone_e164: text('The telephone number in E.164, such as +12025550142, without extension.'),
    ...z.object(eventFields({...financialFields, ...callerQuestions, ...formQuestions})).partial().shape,
    answers: maybe(
      z.array(
        z.object({
          name: text('Of the question, as the file of the business has it.'),
          label: text('The question, in English.'),
          value: textOrNull('Of a choice its value, else what was typed. Null if the form did not ask.'),
          text: textOrNull('The answer in words, in English.'),
        }),
      ),
      "The answers to a partner's own questions.",
    ),
  })
  .describe('What the visitor or the caller sent. A field that the lead does not have is missing.');

const amountWords: Record<(typeof amountNames)[number], string> = {
  rollover_amount: 'Retirement savings that can be put into the business.',
  sba_qualified_amount: 'An SBA loan.',
  unsecured_amount: 'Unsecured loans.',
  portfolio_loan_qualified_amount: 'A loan against investments.',
  total_qualified_amount: 'The sum of the other amounts.',
};
const amountsSchema = z
  .object(tableOf(amountNames, (name) => z.int().min(0).describe(amountWords[name])))
  .describe('Whole US dollars.');

const answerSchema = z
  .object({
    status: z
      .enum(leadStatuses)
      .describe(
        'pending: there are no amounts yet, an event lead.answered follows. refused: there will be none.',
      ),
    prequalification: amountsSchema.nullable().describe('Null for a standard lead, and without amounts.'),
    reasons: z
      .partialRecord(z.enum(amountParts), z.enum(reasons))
      .describe('Why an amount is zero, or which assumption it rests on, by the name of the amount.'),
    policy_version: textOrNull(
      'The version of the policy by which the amounts were calculated. Null if another service gave them.',
    ),
  })
  .describe('What the lead was told when the event happened.');

const consentSchema = z
  .object({
    text_version: text(
      'The version of the consent text. Of a text that a caller sent, the beginning of its hash.',
    ),
    text_language: textOrNull(
      'The language of the consent text, each of which has its own versions. Null if it is not known.',
    ),
    text_hash: text('SHA-256 of the consent text as the form got it, in hex.'),
    agreed: z.boolean().nullable().describe('Whether the box was ticked. Null if the text has no box.'),
    given_at: time('When the lead was sent, or what a caller says.'),
    origin: textOrNull('The origin of the page, as the browser gave it.'),
    page: textOrNull('The address of the page without its query.'),
    ip: text("The visitor's IP address. Empty if a caller does not say it."),
    user_agent: textOrNull("The name that the visitor's browser gives itself."),
    script: maybe(z.enum(['none']), 'none: the form was shown and sent without a script. Missing otherwise.'),
    source: maybe(
      z.enum(['caller']),
      'caller: a caller of /json/leads brought the consent. Missing for one of the form.',
    ),
    text: maybe(z.string(), 'The text that a caller sent.'),
    ...saidShape,
    statement: maybe(
      z.string(),
      'A signed statement about the consent, as a compact JWS. Only in lead.created.',
    ),
    salt: maybe(z.string(), 'Of the digests in the statement. It stands beside it alone.'),
    revoke_link: maybe(
      z.string(),
      'A page on which the visitor revokes the consent, for your own e-mails to the visitor alone. Only in lead.created.',
    ),
  })
  .describe('The record of the consent. What the form or a caller says of it is missing if it was not said.');

const addresses: {[Key in AttributionKey]?: string} = {
  referrer: 'The page before, without its query.',
  landing_page: 'The first page of the visit, without its query.',
};
const attributionSchema = z
  .object(
    tableOf(attributionKeys, (key) =>
      maybe(z.string(), addresses[key] ?? `The parameter ${key} of the link.`),
    ),
  )
  .describe('How the visitor came to the site. What is not known is missing.');

/** What each type of event says, for documents. */
export const leadEventWords: Record<LeadEventType, string> = {
  'lead.created': 'A lead was stored',
  'lead.answered': 'A lead that had no answer yet has got its amounts, or was refused',
  'lead.erased': 'A lead was erased: delete what you have of it',
  'consent.revoked': 'A visitor revoked a consent: do not call or write any more',
  'lead.outcome': 'Somebody recorded what became of a lead, for webhooks whose `events` list this type',
};

/** What the data of each type begins with. */
const identity = {
  id: text('The id of the lead, a UUID. All events of a lead have the same.'),
  reference: text('The reference that the visitor sees, such as K7QM-2XHD.'),
  created_at: time('When the lead was stored.'),
  partner: textOrNull('The key of the partner whose page sent the lead. Null if the lead came over the API.'),
};
/** The earlier leads that the data of each type names. */
const relations = {
  duplicate_of: textOrNull(
    'The id of an earlier lead with the same fields. Update that one instead of adding another.',
  ),
  supersedes: textOrNull(
    'The id of an earlier lead that this lead corrects: the visitor went back and changed it.',
  ),
};

const typesWithLead = ['lead.created', 'lead.answered'] as const satisfies LeadEventType[];
/** An event that holds the whole lead. */
export const leadEventSchema = z
  .object({
    type: z.enum(typesWithLead).describe(
      typesWithLead
        .map((type) => `${type}: ${leadEventWords[type]}.`)
        .concat('Ignore events of other types, which may be added.')
        .join(' '),
    ),
    timestamp: time('When it happened.'),
    test: maybe(z.literal(true), 'Only in events that an operator sent to test the webhook.'),
    data: z.object({
      ...identity,
      lead: leadSchema,
      time_zones: maybe(
        z.array(z.string()),
        'The time zones in which the visitor may be, such as America/New_York, by the state or else the number. Empty if nothing is known. Events of servers before 1.7 lack it.',
      ),
      answer: answerSchema
        .nullable()
        .describe('Null for a duplicate: the answer of the lead that duplicate_of names holds for it.'),
      consent: consentSchema
        .nullable()
        .describe('Null if the partner has no consent text, and if a caller brought no consent.'),
      attribution: attributionSchema,
      opt_out_signal: maybe(
        z.enum(optOutSignals),
        'Do not sell or share the data, says the browser: gpc, Global Privacy Control.',
      ),
      context: maybe(
        z.record(z.string(), z.string()),
        'What the page says about itself, by the names that the partner lists in context_fields. Missing if it says nothing.',
      ),
      suspect: textOrNull('Why a bot may have sent the lead. Null for all other leads.'),
      ...relations,
    }),
  })
  .meta({
    title: 'Lead event, version 1',
    description:
      'The body of the events that hold a lead. Fields, types of events and values of lists may be added within version 1. The values of a list that are known today are examples here: take others, too.',
  });

/** An event of one type alone. It holds nothing personal, so it is no `leadEventSchema` with values left out. */
const eventOf = <Type extends LeadEventType, Shape extends z.ZodRawShape>(
  type: Type,
  [title, description]: readonly [title: string, description: string],
  when: string,
  data: z.ZodObject<Shape>,
) =>
  z
    .object({type: z.literal(type).describe(`${leadEventWords[type]}.`), timestamp: time(when), data})
    .meta({title: `${title} event, version 1`, description: `The body of the event ${description}`});

export const erasedEventSchema = eventOf(
  'lead.erased',
  ['Erased lead', 'that a lead was erased. Fields may be added within version 1.'],
  'When the lead was erased.',
  z.object({...identity, ...relations}).describe('What is left of the lead.'),
);

/** It is the same whether the lead was erased or not. */
const revokedEventSchema = eventOf(
  'consent.revoked',
  ['Revoked consent', 'that a consent was revoked. Fields may be added within version 1.'],
  'When the consent was revoked.',
  z
    .object({
      ...identity,
      scope: z
        .enum(revocationScopes)
        .describe(
          'partner: for the partner of the lead. all: for everybody who has the number from this service. A later event may widen it.',
        ),
      ...relations,
    })
    .describe('Which lead came with the consent.'),
);

const outcomeEventSchema = eventOf(
  'lead.outcome',
  ['Outcome', 'what became of a lead. Fields and outcomes may be added within version 1.'],
  'When it was recorded. No two of a lead have the same time.',
  z
    .object({
      ...identity,
      outcome: z
        .enum(outcomes)
        .nullable()
        .describe('The newest one. Null if it was taken back, and there was none before.'),
      amount: z.int().min(0).nullable().describe('Of `funded`, in whole US dollars. Null if nobody said it.'),
      ...relations,
    })
    .describe('What became of the lead.'),
);

/** The body of an event that holds a lead. */
export type LeadEvent = z.output<typeof leadEventSchema>;
export type ErasedEvent = z.output<typeof erasedEventSchema>;
export type RevokedEvent = z.output<typeof revokedEventSchema>;
export type OutcomeEvent = z.output<typeof outcomeEventSchema>;
export type AnyEvent = LeadEvent | ErasedEvent | RevokedEvent | OutcomeEvent;

/**
 * As JSON Schema 2020-12. Receivers may refuse what is not valid by it, so it allows what later versions of this software
 * may send: additional fields, and other values wherever values are chosen from a list. Those of today are examples.
 */
const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, {
    io: 'input',
    override({jsonSchema}) {
      // `date-time` says the same as the long pattern, and the largest safe integer is no rule of ours.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.enum) {
        jsonSchema.examples = jsonSchema.enum;
        delete jsonSchema.enum;
      }
    },
  });

/** The published schema, of all events that a webhook gets. */
export const leadEventJsonSchema = () =>
  jsonSchemaOf(
    z.union(Object.values(components)).meta({
      title: 'Event, version 1',
      description:
        'The body of the events that webhooks get. Look at `type` first: types that are added later may hold other data.',
    }),
  );

/** By their names in the OpenAPI document. */
const components = {
  LeadEvent: leadEventSchema,
  ErasedEvent: erasedEventSchema,
  RevokedEvent: revokedEventSchema,
  OutcomeEvent: outcomeEventSchema,
};
export const eventComponents = () =>
  tableOf(Object.keys(components) as (keyof typeof components)[], (name) => {
    const component = jsonSchemaOf(components[name]);
    delete component.$schema;
    return component;
  });

const componentNames = {
  'lead.created': 'LeadEvent',
  'lead.answered': 'LeadEvent',
  'lead.erased': 'ErasedEvent',
  'consent.revoked': 'RevokedEvent',
  'lead.outcome': 'OutcomeEvent',
} as const satisfies Record<LeadEventType, keyof typeof components>;
/** Which of them describes the events of a type. */
export const eventComponentOf = (type: LeadEventType) => componentNames[type];
