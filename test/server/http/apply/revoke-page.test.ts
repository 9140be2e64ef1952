/** What a request to a visitor's stop link does: opening it does nothing, and only a button or a mail provider's one click stops. */
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {suite, test} from 'node:test';
import express from 'express';
import {limits} from '../../../../contract/api.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {usualTimings} from '../../../../server/config/timings.ts';
import {createAddressReader} from '../../../../server/http/client-address.ts';
import {applyPages} from '../../../../server/http/apply/apply-pages.ts';
import {createRevokePage} from '../../../../server/http/apply/revoke-page.ts';
import {errorReplies} from '../../../../server/http/problem-replies.ts';
import {requestContext} from '../../../../server/http/request-context.ts';
import type {LinkDesk} from '../../../../server/leads/revocation.ts';
import {listen} from '../../../support/listening.ts';
import {openForSuite} from '../../../support/opened.ts';
import {sampleId} from '../../../support/sample-events.ts';

const publicUrl = 'https://leads.example.com';
const partners = [
  onePartner({
    ...{key: 'acme', name: 'Acme Funding', origins: [publicUrl], cid: '1001'},
    logo: 'https://cdn.acme.example/logo.svg',
    colors: {accent: '#0b7a5a'},
  }),
] as const;
const done: string[] = [];
const lead = {
  ...{id: sampleId, createdAt: 0, partner: 'acme', isNumberKnown: true},
  ...{revokedAt: undefined, requestedAt: undefined, erasedAt: undefined},
};
const desk: LinkDesk = {
  find: () => Promise.resolve(lead),
  stop: (_lead, way) => Promise.resolve(void done.push(way)),
  requestErasure: () => Promise.resolve(void done.push('erase')),
};

/** The router of the service, over a desk that only notes what it was asked for. */
const server = openForSuite(async () => {
  const emit = () => undefined;
  const app = express();
  app.use(requestContext(emit, createAddressReader(0)));
  app.use(
    applyPages({
      ...{partners, publicUrl, version: undefined, perMinute: 60, emit, timings: usualTimings},
      revokePage: createRevokePage(desk, {partners: [...partners], publicUrl}),
      rateLimits: () => (_request, _response, next) => next(),
      unknownPartners: undefined as never,
      form: undefined as never,
    }),
  );
  app.use(errorReplies(emit));
  const listening = createServer(app);
  const {url} = await listen(listening);
  return {url: `${url}/revoke/link`, close: () => listening[Symbol.asyncDispose]()};
});

const key = 'List-Unsubscribe';
const formOf = (value: string | Blob): RequestInit => {
  const body = new FormData();
  body.append(key, value);
  return {method: 'POST', body};
};
const typed = (type: string, body: string): RequestInit => ({
  method: 'POST',
  headers: {'content-type': type},
  body,
});
const urlEncoded = (body: string) => typed('application/x-www-form-urlencoded', body);
const ofParts = (body: string) => typed('multipart/form-data; boundary=b', body);
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`;

/** What each request does, with the status of the reply. */
const rows: Record<string, [init: RequestInit, status: number, done?: 'link' | 'unsubscribe' | 'erase']> = {
  'the button to stop': [urlEncoded('ask=stop'), 200, 'link'],
  'the button to be erased': [urlEncoded('ask=erase'), 200, 'erase'],
  'one click of a mail provider': [urlEncoded(`${key}=One-Click`), 200, 'unsubscribe'],
  'one click in parts': [formOf('One-Click'), 200, 'unsubscribe'],
  'one click in parts by hand': [ofParts(part(key, 'One-Click')), 200, 'unsubscribe'],
  'an opened link': [{}, 200],
  'a link that a scanner asks about': [{method: 'HEAD'}, 200],
  'a POST without a body': [{method: 'POST'}, 400],
  'another value': [urlEncoded(`${key}=Yes`), 200],
  'a file with the value': [formOf(new Blob(['One-Click'])), 200],
  'parts that are none': [ofParts('--b\r\n\0\r\n'), 200],
  'parts that are cut off': [ofParts(part(key, 'One-Click').slice(0, -10)), 200],
  'parts without a boundary': [typed('multipart/form-data', part(key, 'One-Click')), 200],
  'another multipart type': [typed('multipart/mixed; boundary=b', part(key, 'One-Click')), 400],
  JSON: [typed('application/json', JSON.stringify({[key]: 'One-Click'})), 400],
  'too much': [ofParts(part(key, 'One-Click') + 'x'.repeat(limits.bodyBytes)), 413],
  'another method': [{method: 'PUT', body: `${key}=One-Click`}, 405],
};

suite('the stop link of a visitor', () => {
  test('leads to a page with colour and logo of the partner', async () => {
    const response = await fetch(server.url);
    assert.match(await response.text(), /--accent:#0b7a5a.*src="https:\/\/cdn\.acme\.example\/logo\.svg"/s);
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /img-src data: https:\/\/cdn\.acme\.example;/,
    );
  });

  for (const [what, [init, status, expected]] of Object.entries(rows))
    test(`gets ${what}: ${expected ?? 'nothing is done'}`, async () => {
      for (const query of ['', '?lang=es', `?${key}=One-Click&ask=stop`]) {
        done.length = 0;
        const response = await fetch(`${server.url}${query}`, init);
        assert.deepEqual([response.status, done], [status, expected ? [expected] : []], query);
        await response.arrayBuffer();
      }
    });
});
