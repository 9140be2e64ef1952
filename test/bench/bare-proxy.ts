/** A baseline for upstreams: an Express route that sends the same POST and GET upstream, and stores nothing. */
import express from 'express';
import {Pool} from 'undici';
import {ready, upstreamUrl} from './bench-server.ts';

const pool = new Pool(upstreamUrl(), {connections: 16});
const headers = {authorization: 'Basic dXNlcjpwYXNzd29yZA==', 'content-type': 'application/json'};

const app = express().disable('etag').disable('x-powered-by');
app.post('/embed/v1/leads', express.json(), async (request, response) => {
  const {lead} = request.body as {lead: object};
  const body = JSON.stringify({...lead, cid: '1001'});
  const created = await pool.request({method: 'POST', path: '/json/leads', headers, body});
  const {id} = (await created.body.json()) as {id: string};
  const read = await pool.request({method: 'GET', path: `/json/leads/${id}`, headers});
  response.status(201).json({id, prequalification: await read.body.json()});
});
ready(app.listen(0, '127.0.0.1'));
