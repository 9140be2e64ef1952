/** A client of Orval, and its schemas for zod. It prints the amounts of a lead. */
import {createLead, readLead} from './made/orval/client.ts';
import {CreateLeadBody, ReadLeadResponse} from './made/orval/schemas.ts';
import {credentials, lead} from './settings.ts';

const headers = {authorization: `Basic ${btoa(credentials.join(':'))}`};

const created = await createLead(CreateLeadBody.parse(lead), {headers});
if (created.status !== 201) throw new Error(created.data.detail);
const read = await readLead(created.data.id, {headers});
console.log(JSON.stringify(ReadLeadResponse.parse(read.data)));

const wrong = {...lead, email: 'ana@example'};
if (CreateLeadBody.safeParse(wrong).success) throw new Error('The schema takes a wrong address.');
const refused = await createLead(wrong, {headers});
if (refused.status === 422) console.log(refused.data.type);
