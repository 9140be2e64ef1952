/** Requests with 8 kB of something that may be expensive to read, to every route of the server. */
import type {App} from '../../server/app.ts';
import {basic} from './http.ts';
import {prequalificationBody, without} from './sample-leads.ts';
import {acme, listedOrigin} from './test-server.ts';

export type HostileRequest = {method: string; path: string; headers: Record<string, string>; body: string};

/** A route as Express has it, such as `GET /apply/:partner`. */
export type Route = {method: string; path: string};

type Layer = {
  route?: {path: string; methods: Record<string, boolean>};
  handle: {stack?: Layer[]};
};

/** All routes of the app, those of its routers included, each once. */
export function routesOf({handle: app, routes}: Pick<App, 'handle' | 'routes'>): Route[] {
  const found = new Map<string, Route>();
  const visit = (layers: readonly Layer[]) => {
    for (const {route, handle} of layers) {
      for (const method of ['get', 'post']) {
        if (!route?.methods[method]) continue;
        const one = {method: method.toUpperCase(), path: route.path};
        found.set(`${one.method} ${one.path}`, one);
      }
      visit(handle.stack ?? []);
    }
  };
  visit((app as unknown as {router: {stack: Layer[]}}).router.stack);
  visit((routes as unknown as {stack: Layer[]}).stack);
  return [...found.values()];
}

/** An id that no lead has. */
const noLead = '01900000-0000-7000-8000-000000000000';
const parameters: Readonly<Record<string, string>> = {
  id: noLead,
  file: 'lead-prequal-form.js',
  partner: 'acme',
};

/** A request that the route answers as usual. */
export function usualRequest({method, path}: Route): HostileRequest {
  const body = path.startsWith('/json') ? prequalificationBody : {lead: without(prequalificationBody, 'cid')};
  return {
    method,
    path: path.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? name),
    headers: {
      ...(path.startsWith('/json') && basic(acme)),
      origin: listedOrigin,
      ...(method === 'POST' && {'content-type': 'application/json', 'idempotency-key': 'a-key-that-is-new'}),
    },
    body: method === 'POST' ? JSON.stringify(body) : '',
  };
}

const size = 8_192;
const filled = (unit: string) => unit.repeat(Math.floor(size / unit.length));
const numbered = (unit: (number: number) => string) => {
  let text = '';
  for (let number = 0; text.length < size; number += 1) text += unit(number);
  return text.slice(0, size);
};

type Change = (request: HostileRequest) => HostileRequest;
const query =
  (text: string): Change =>
  (request) => ({...request, path: `${request.path}?${text}`});
const suffix =
  (text: string): Change =>
  (request) => ({...request, path: request.path + text});
const prefix =
  (text: string): Change =>
  (request) => ({...request, path: text + request.path});
const header =
  (name: string, value: string): Change =>
  (request) => ({...request, headers: {...request.headers, [name]: value}});

/** In a query. Pages and files must not mind; APIs may refuse it. */
export const hostileQueries: Readonly<Record<string, Change>> = {
  'escapes that are not UTF-8': query(filled('%ff')),
  'escapes without digits': query(filled('%')),
  'escapes of a letter': query(`partner=${filled('%61')}`),
  'names with a wrong escape each': query(filled('%ff&')),
  'values with a wrong escape each': query(filled('a=%ff&')),
  'one name many times': query(filled('a=b&')),
  'many names': query(numbered((number) => `n${number}=&`)),
  'a known name many times': query(filled('lang=e&')),
  'signs without names': query(filled('&')),
  'signs without values': query(filled('=')),
  'nested names': query(filled('a[b][]=&')),
  'plus signs': query(filled('+')),
  'question marks': query(filled('?')),
  'a long value': query(`partner=${filled('a')}`),
  'a long language': query(`lang=${filled('a-')}`),
  'a long list of fonts': query(`font=${filled("'a',")}`),
  'a long colour': query(`accent=rgb(${filled('1,')})`),
  'a long address': query(`endpoint=https://${filled('a.')}`),
  markup: query(`cta-label=${filled('%3Cb%3E')}`),
};

/** In a path, or in a parameter of a path. */
export const hostilePaths: Readonly<Record<string, Change>> = {
  'wrong escapes after the path': suffix(`/${filled('%ff')}`),
  'wrong escapes in the last part': suffix(filled('%ff')),
  'letters in the last part': suffix(filled('a')),
  'escaped letters in the last part': suffix(filled('%61')),
  'dots after the path': suffix(filled('/..')),
  'slashes after the path': suffix(filled('/')),
  'slashes before the path': prefix(filled('/')),
  'escaped slashes': suffix(filled('%2f')),
  'dots in the last part': suffix(filled('.')),
  'dashes in the last part': suffix(filled('-')),
  'a fragment': suffix(`#${filled('%ff')}`),
  'a fragment and signs that old parsers escape': suffix(`#${filled('"{}|\\^`')}`),
  'another host before the path': prefix(`http://${filled('a.')}`),
  'a user before the path': prefix(`http://${filled('@')}`),
};

export const hostileHeaders: Readonly<Record<string, Change>> = {
  cookies: header(
    'cookie',
    numbered((number) => `c${number}=%ff; `),
  ),
  ranges: header('range', `bytes=${filled('0-0,')}`),
  'accepted encodings': header('accept-encoding', filled('a,')),
  'accepted encodings with weights': header('accept-encoding', filled('br;q=0.1,')),
  'quotes in accepted encodings': header('accept-encoding', filled('a;b=",')),
  'parameters of an accepted encoding': header('accept-encoding', `a${filled(';')}`),
  'accepted languages': header('accept-language', filled('a,')),
  'accepted languages with weights': header('accept-language', filled('en-us;q=0.1,')),
  'parts of an accepted language': header('accept-language', filled('a-')),
  'accepted types': header('accept', filled('a/b,')),
  'quotes in accepted types': header('accept', filled('a/b;c=",')),
  'spaces in an accepted type': header('accept', `a/b${filled(' ')}c`),
  'forwarded addresses': header('x-forwarded-for', filled('::1,')),
  'forwarded signs': header('x-forwarded-for', filled(',')),
  'a forwarded text': header('x-forwarded-for', filled(':')),
  'forwarded schemes': header('x-forwarded-proto', filled('https,')),
  'forwarded hosts': header('x-forwarded-host', filled('a,')),
  'tags of a cache': header('if-none-match', filled('"a",')),
  'spaces in a tag of a cache': header('if-none-match', `"a${filled(' ')}"`),
  'a date of a cache': header('if-modified-since', filled('1 ')),
  'directives of a cache': header('cache-control', filled('no-cach,')),
  'spaces before directives of a cache': header('cache-control', `${filled(' ,')}no`),
  'an origin': header('origin', `https://${filled('a.')}`),
  'an origin of many parts': header('origin', filled(':/')),
  credentials: header('authorization', `Basic ${filled('A')}`),
  'spaces in credentials': header('authorization', `Basic${' '.repeat(4_000)}A${' '.repeat(4_000)}=`),
  'a token': header('authorization', `Bearer ${filled('a')}`),
  'an idempotency key': header('idempotency-key', filled('a')),
  'parameters of a media type': header('content-type', `application/json${filled(';a=b')}`),
  'quotes in a media type': header('content-type', `application/json;a="${filled('\\"')}`),
  'spaces in a media type': header('content-type', `application/json;${filled(' ')}charset`),
  'content encodings': header('content-encoding', filled('gzip,')),
  'the wanted headers of a preflight': header('access-control-request-headers', filled('a,')),
  'a page': header('referer', filled('http://')),
  'a browser': header('user-agent', filled('(')),
  'a place': header('sec-fetch-dest', filled('iframe')),
  'options of the connection': header('connection', `keep-alive, ${filled('a,')}`),
  'a host': header('host', filled('a.')),
  'many headers': (request) => ({
    ...request,
    headers: {
      ...request.headers,
      ...Object.fromEntries(Array.from({length: 900}, (_, number) => [`h${number}`, 'a'])),
    },
  }),
};

const field =
  (name: string, value: string): Change =>
  (request) => {
    if (request.body === '') return request;
    const sent = JSON.parse(request.body) as {lead?: object};
    const change = {[name]: value};
    return {
      ...request,
      body: JSON.stringify(sent.lead ? {...sent, lead: {...sent.lead, ...change}} : {...sent, ...change}),
    };
  };

/** In a body. Routes that take none get the usual request. */
export const hostileFields: Readonly<Record<string, Change>> = {
  'a phone number of digits': field('phone', filled('1')),
  'a phone number of signs': field('phone', filled('(-')),
  'an e-mail address of signs': field('email', filled('@.')),
  'an e-mail address of labels': field('email', `a@${filled('a.')}`),
  'a name of accents': field('first_name', filled('\u0301\u0316').slice(0, size / 2)),
  'a name of spaces': field('first_name', `${filled(' ')}a`),
  'digits in place of dollars': field('cash', filled('9')),
  'spaces in a credit score': field('credit_score', `680${filled(' ')}-`),
};
