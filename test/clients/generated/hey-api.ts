/** A client of Hey API. It prints the amounts of a lead. */
import {client} from './made/hey-api/client.gen.ts';
import {createLead, readLead} from './made/hey-api/sdk.gen.ts';
import {credentials, lead, server} from './settings.ts';

client.setConfig({baseUrl: server, auth: credentials.join(':')});

const {data: created} = await createLead({body: lead, throwOnError: true});
const {data: amounts} = await readLead({path: {id: created.id}, throwOnError: true});
console.log(JSON.stringify(amounts));

const {error} = await createLead({body: {...lead, email: 'ana@example'}});
console.log(error?.type);
