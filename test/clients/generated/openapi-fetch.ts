/** A client of openapi-typescript and openapi-fetch. It prints the amounts of a lead. */
import createClient from 'openapi-fetch';
import type {paths} from './made/openapi-typescript.ts';
import {credentials, lead, server} from './settings.ts';

const client = createClient<paths>({
  baseUrl: server,
  headers: {authorization: `Basic ${btoa(credentials.join(':'))}`},
});

const {data: created, error} = await client.POST('/json/leads', {body: lead});
if (!created) throw new Error(error.detail);
const {data: amounts} = await client.GET('/json/leads/{id}', {params: {path: {id: created.id}}});
console.log(JSON.stringify(amounts));

const refused = await client.POST('/json/leads', {body: {...lead, email: 'ana@example'}});
console.log(refused.error?.type);
