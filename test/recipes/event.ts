/** Events as webhooks send them, and their signature. */
import {randomUUIDv7} from 'node:crypto';
import {Ajv2020} from 'ajv/dist/2020.js';
import {Webhook} from 'standardwebhooks';
import {referenceOf} from '../../contract/reference.ts';
import {leadEventJsonSchema} from '../../server/leads/lead-event.ts';
import {amounts} from '../support/sample-leads.ts';

export const secret = `whsec_${Buffer.from('a secret of the recipes, 32 byte').toString('base64')}`;

type Data = ReturnType<typeof sampleData>;
type Changes = Partial<Omit<Data, 'lead'>> & {lead?: Partial<Data['lead']>};

function sampleData(id: string) {
  return {
    id,
    reference: referenceOf(id),
    created_at: '2026-11-20T17:45:12.000Z',
    partner: 'acme' as string | null,
    lead: {
      lead_type: 'prequalification',
      first_name: 'Jane',
      last_name: 'Doe',
      email: 'jane@example.com',
      phone: '(202) 555-0142',
      phone_e164: '+12025550142',
    },
    answer: {status: 'done', prequalification: amounts, reasons: {}, policy_version: 'test-1'} as {
      status: string;
      prequalification: typeof amounts | null;
      reasons: object;
      policy_version: string | null;
    } | null,
    consent: null,
    attribution: {utm_source: 'google', utm_campaign: 'spring'} as Record<string, string>,
    suspect: null,
    duplicate_of: null as string | null,
    supersedes: null as string | null,
  };
}

export type SentEvent = {id: string; body: string; data: Data};

const ajv = new Ajv2020({strict: true, allowUnionTypes: true, formats: {'date-time': true}});
const isValid = ajv.compile(leadEventJsonSchema());

/**
 * A lead of its own for each call, unless the changes name one.
 * @throws Error when the published schema does not allow the event, because a webhook never sends such a one
 */
export function newEvent(changes: Changes = {}, head: {type?: string; test?: true} = {}): SentEvent {
  const {lead, ...others} = changes;
  const sample = sampleData(others.id ?? randomUUIDv7());
  const data = {...sample, ...others, lead: {...sample.lead, ...lead}};
  const {type = 'lead.created'} = head;
  const id = `evt_${type === 'lead.answered' ? 'answered' : 'created'}_${data.id}`;
  const event = {type, timestamp: data.created_at, ...head, data};
  if (!isValid(event)) throw new Error(`A sample is not valid: ${ajv.errorsText(isValid.errors)}`);
  return {id, body: JSON.stringify(event), data};
}

export const pending = {status: 'pending', prequalification: null, reasons: {}, policy_version: null};

export function headersOf({id, body}: SentEvent, at = new Date()): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
