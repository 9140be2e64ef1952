/** A client of openapi-typescript and openapi-fetch. It prints the amounts of a lead, and the type of a refusal. */
import createClient from 'openapi-fetch';
import type {paths} from './made/lead-api.ts';

const {LEAD_SERVER = '', LEAD_USER = '', LEAD_PASSWORD = ''} = process.env;
const lead = {
  cid: '1001',
  lead_type: 'prequalification' as const,
  first_name: 'Ana',
  last_name: 'Silva',
  phone: '415-555-0132',
  email: 'ana@example.com',
  credit_score: 'Above 720' as const,
  bankruptcy: false,
  retirement: 120_000,
  cash: '20000',
  investments: 0,
};

const client = createClient<paths>({
  baseUrl: LEAD_SERVER,
  headers: {authorization: `Basic ${btoa(`${LEAD_USER}:${LEAD_PASSWORD}`)}`},
});

const {data: created, error} = await client.POST('/json/leads', {body: lead});
if (!created) throw new Error(error.detail);
const {data: amounts} = await client.GET('/json/leads/{id}', {params: {path: {id: created.id}}});
console.log(JSON.stringify(amounts));

const refused = await client.POST('/json/leads', {body: {...lead, email: 'ana@example'}});
console.log(refused.error?.type);
