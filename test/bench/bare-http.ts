/** A baseline: only `node:http`, with the same check of credentials and the same store, without limits and log. */
import {hash, randomUUIDv7, timingSafeEqual} from 'node:crypto';
import {createServer} from 'node:http';
import type {Lead} from '../../server/leads/lead-schema.ts';
import {amounts} from '../support/sample-leads.ts';
import {openBenchStore, ready} from './bench-server.ts';

const store = await openBenchStore();
const sha256 = (text: string) => hash('sha256', text, 'buffer');
const expected = sha256('correct horse battery');

const server = createServer((request, response) => {
  const encoded = request.headers.authorization?.slice('Basic '.length) ?? '';
  const [user, password = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  if (user !== 'acme' || !timingSafeEqual(sha256(password), expected)) {
    response.writeHead(401).end();
    return;
  }
  const reply = (status: number, body: object) => {
    response.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(body));
  };
  if (request.method === 'GET') {
    void store.find(request.url!.slice('/json/leads/'.length)).then((stored) => {
      const answer = stored?.answer.status === 'done' ? stored.answer.amounts : null;
      reply(200, {first_name: stored?.lead.first_name, ...answer});
    });
    return;
  }
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    const lead = JSON.parse(text) as Lead;
    const answer = {status: 'done', amounts, reasons: {}, policyVersion: null} as const;
    const entry = {id: randomUUIDv7(), createdAt: Date.now(), lead, partner: null, answer};
    void store.accept(entry).then(() => reply(201, {id: entry.id}));
  });
});
ready(server.listen(0, '127.0.0.1'));
