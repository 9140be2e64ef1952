/** Orval makes the client and, in another file, the schemas for zod. `LEAD_SERVER` is the address of the server. */
const server = process.env.LEAD_SERVER;
const from = {input: `${server}/openapi.json`};

export default {
  client: {...from, output: {client: 'fetch', target: 'made/orval/client.ts', baseUrl: server}},
  zod: {...from, output: {client: 'zod', target: 'made/orval/schemas.ts'}},
};
