/**
 * Cost by byte: whatever stands in a field or a query costs the server little more than as many letters, and so does a
 * request of many parts in its path, its query and its headers, at each route. Prints a table of the processor time.
 */
import assert from 'node:assert/strict';
import {fork, type ChildProcess} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import {limits} from '../../contract/api.ts';
import {attributionKeys, contextPrefix} from '../../contract/embed.ts';
import type {QuestionName} from '../../contract/questions.ts';
import {pagesOf, withAsked, fieldsOf} from '../../form/pages.ts';
import {askedFieldsIn} from '../../form/words/asked.ts';
import {createApp} from '../../server/app.ts';
import {onePartner} from '../../server/config/partners.ts';
import {carried} from '../../server/http/apply/form-post.ts';
import {embedSubmissionSchema} from '../../server/http/wire-schemas.ts';
import {leadFields} from '../../server/leads/lead-schema.ts';
import {choicesFor} from '../../server/snippets/choices.ts';
import {requestText} from '../support/connection.ts';
import {makeEmbedVersion} from '../support/embed-folder.ts';
import {
  hostileFields,
  hostileHeaders,
  hostilePaths,
  hostileQueries,
  routesOf,
  usualRequest,
  type HostileRequest,
  type Route,
} from '../support/hostile-requests.ts';
import {basic} from '../support/http.ts';
import {ignoreObservations} from '../support/observation-log.ts';
import {suiteOwner} from '../support/opened.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {acme, listedOrigin, startTestServer, type TestServer} from '../support/test-server.ts';
import type {ToSend} from '../support/sender.ts';

/**
 * Milliseconds. Up to `floor`, a difference is noise, also on a slow machine. No request may take more than `most`, or
 * `mostWhole`.
 */
const [floor, most, mostWhole] = [3, 10, 5];
/** How many times as much as letters a text may cost. */
const factor = 3;
/** Measurements of which the least counts, because what else the machine does is added to the cost. */
const repeats = 24;

const letters = 'letters';
const questionNames: QuestionName[] = ['state', 'call_time', 'time_frame', 'notes'];
/** Texts that are known to be slow to normalise, to match, to split, to escape or to decode. */
const texts: Readonly<Record<string, readonly [unit: string, start?: string, end?: string]>> = {
  [letters]: ['a'],
  'marks that decompose': ['\u0344\u0323', 'a'],
  'marks in the wrong order': ['\u0301\u0316', 'a'],
  'letters that become marks': ['\uff9e\u0323', 'a'],
  'marks between letters': [`a${'\u0344\u0323'.repeat(15)}`],
  'a sign that stands for eighteen': ['\ufdfa'],
  'a letter that lower case makes longer': ['İ'],
  syllables: ['\u1112\u1161\u11ab'],
  'invisible signs': ['\u200b\u00ad'],
  emoji: ['👩\u200d🚀'],
  digits: ['7', '', 'x'],
  zeros: ['0', '+1', ','],
  'groups of digits': ['1,000 ', '', 'x'],
  'digits of other scripts': ['٣', '', '٬'],
  commas: [',', '1', '1x'],
  points: ['.', '1', '1x'],
  dashes: ['-', 'a', '!'],
  spaces: [' ', '1', '1x'],
  'spaces of other kinds': ['\u00a0\u3000', '1', '1x'],
  tabs: ['\t', '1', '1x'],
  'line breaks': ['\r\n', 'a', 'a'],
  'line separators': ['\u2028', 'a', 'a'],
  'angle brackets': ['<', '', 'a'],
  'names and addresses': ['a <a@b.c', '', '>'],
  'labels of domains': ['a.', 'a@', '!'],
  ats: ['a@', '', '!'],
  ampersands: ['&'],
  'entities without an end': ['&#x'],
  quotes: [`"'`],
  backslashes: ['\\'],
  'percent signs': ['%'],
  'escapes that are not UTF-8': ['%ff'],
  'escaped escapes': ['%25'],
  'plus signs': ['+'],
  'equals signs': ['='],
  slashes: ['/', 'http:/'],
  colons: [':', 'http'],
  brackets: ['[(', '1'],
  'currency signs': ['$ ', '', '1'],
  'words for thousands': ['mil ', '1 '],
  extensions: ['x1', '415-555-0132'],
  'names of prototypes': ['__proto__'],
  'bytes that are no characters': ['\ud800'],
};

type Encode = (text: string) => string;
const inJson: Encode = (text) => JSON.stringify(text).slice(1, -1);
/** Escapes only what has a meaning in a form, so that as much as possible fits in. */
const inForm: Encode = (text) => text.replace(/[&+=]/g, encodeURIComponent);
const inAddress: Encode = (text) => text.toWellFormed().replace(/[^!-~]|[#&+=?/]/gu, encodeURIComponent);

/** Bytes of a text. The rest of a body, and of what Node reads as headers, has room beside it. */
const room = limits.bodyBytes - 2_000;

/** A text that takes as many bytes, encoded. */
function filled(name: string, encode: Encode, bytes = room) {
  const [unit = '', start = '', end = ''] = texts[name]?.map((text) => encode(text ?? '')) ?? [];
  return start + unit.repeat(Math.floor((bytes - (start + end).length) / Buffer.byteLength(unit))) + end;
}

/** A place where a text is sent, and the request that has it there. A `whole` request is large by its own parts. */
type Place = {where: string; request: (text: string) => string; whole?: true};

const own = {host: 'leads.example.com', connection: 'close', origin: listedOrigin};
const get = (path: string, headers: Record<string, string> = {}) =>
  requestText('GET', path, {...own, ...headers});
function post(path: string, type: string, body: string, headers: Record<string, string> = {}) {
  const length = String(Buffer.byteLength(body));
  const usual = {'content-type': type, 'content-length': length, 'idempotency-key': randomUUID()};
  return requestText('POST', path, {...own, ...usual, ...headers}, body);
}

const fieldNames = ['lead_type', ...Object.keys(leadFields), 'call_time', 'unknown'];
const lead = {...Object.fromEntries(fieldNames.map((name) => [name, ''])), ...prequalificationBody};
const submission = {
  ...Object.fromEntries(Object.keys(embedSubmissionSchema.shape).map((name) => [name, ''])),
  lead: without(lead, 'cid'),
  consent: {version: '1', agreed: true},
  attribution: Object.fromEntries(attributionKeys.map((key) => [key, 'https://www.example.com/a'])),
  context: {brand: 'north', unknown: ''},
  supersedes: {id: '', token: ''},
  proof: {challenge: {parameters: {nonce: ''}, signature: ''}, solution: {counter: 1, derivedKey: ''}},
};

/** The body with each of its values in turn as a mark, and the name of the value. */
function* marked(body: object, path = ''): Generator<[name: string, body: object]> {
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    if (typeof value === 'object' && value !== null)
      for (const [inner, change] of marked(value, `${path}${name}.`))
        yield [inner, {...body, [name]: change}];
    else yield [path + name, {...body, [name]: 'MARK'}];
  }
  yield [`${path}…, a name`, {...body, MARK: ''}];
}
const jsonPlaces = (path: string, body: object, headers: Record<string, string> = {}) =>
  [...marked(body)].map(([name, changed]): Place => {
    const [before, after] = JSON.stringify(changed).split('MARK');
    return {
      where: `POST ${path} ${name}`,
      request: (text) => post(path, 'application/json', before + filled(text, inJson) + after, headers),
    };
  });

/** As browsers send it from a page of this server. */
const ofOurPage = {origin: 'https://leads.example.com', 'sec-fetch-site': 'same-origin'};

/** @param token of the form, without which no lead is read */
function formPlaces(token: string): Place[] {
  const pages = withAsked(
    pagesOf('prequalification', {order: 'funds-first', layout: 'single'}),
    askedFieldsIn(questionNames),
  );
  const typed = Object.fromEntries(fieldsOf(pages.flat()).map((name) => [name, String(lead[name as 'cid'])]));
  const sent = {...typed, consent: '1', [carried.seen]: '1', [carried.token]: token};
  const place = (what: string, write: (name: string) => string): Place => ({
    where: `POST /apply/acme, ${what}`,
    request: (name) => post('/apply/acme', 'application/x-www-form-urlencoded', write(name), ofOurPage),
  });
  const withField = (field: string, text: string) => {
    const others = Object.entries(sent).filter(([name]) => name !== field);
    return `${field}=${text}&${others.map(([name, value]) => `${name}=${inForm(value)}`).join('&')}`;
  };
  const posted = [...Object.keys(typed), ...Object.values(carried), 'consent', 'website', 'unknown'];
  const all = [...Object.keys(typed), carried.change, 'website'];
  return [
    ...posted.map((field) => place(field, (name) => withField(field, filled(name, inForm)))),
    place('a name', (name) => withField(filled(name, inForm), '1')),
    place('all fields', (name) => {
      const each = filled(name, inForm, room / all.length - 30);
      return `${all.map((field) => `${field}=${each}`).join('&')}&${carried.token}=${token}`;
    }),
  ];
}

const queries: Readonly<Record<string, readonly string[]>> = {
  '/apply': ['partner'],
  '/apply/acme': ['lang', 'theme', 'order', `${contextPrefix}brand`, ...attributionKeys, 'unknown'],
  '/apply/page.js': ['v'],
  '/embed/snippets': ['partner', 'host', 'width', 'sends', ...Object.keys(choicesFor())],
  '/embed/snippets/preview': ['partner', ...Object.keys(choicesFor())],
  '/embed/v1/config': ['partner', 'lang'],
  '/embed/v1/lead-prequal-form.js': ['build'],
};
const queryPlaces = Object.entries(queries).flatMap(([path, names]) =>
  names.map((name): Place => {
    const partner = name === 'partner' || path === '/embed/v1/config' ? '' : '&partner=acme';
    return {
      where: `GET ${path}?${name}`,
      request: (text) => get(`${path}?${name}=${filled(text, inAddress)}${partner}`),
    };
  }),
);
/** Bodies that are large by what they hold, and not by a text. */
const bodies: Readonly<Record<string, string>> = {
  'lists in lists': '['.repeat(room),
  'objects in objects': '{"a":'.repeat(room / 5),
  'many names': `{${Array.from({length: 255}, (_, key) => `"${'k'.repeat(50)}${key}":""`).join()}}`,
  'the same name': `{${Array.from({length: 255}, () => `"${'k'.repeat(50)}":""`).join()}}`,
  'a long number': `{"lead":{"cash":${'9'.repeat(room)}}}`,
  'a number with many decimals': `{"cash":0.${'1'.repeat(room)}}`,
  'a high exponent': `{"cash":1e${'9'.repeat(room)}}`,
  'empty values': `[${Array.from({length: room / 3}, () => '""').join()}]`,
};
const bodyPlaces = ['/json/leads', '/embed/v1/leads?partner=acme'].flatMap((path) =>
  Object.entries(bodies).map(([what, body]): Place => ({
    where: `POST ${path}, ${what}`,
    whole: true,
    request: (text) =>
      post(
        path,
        'application/json',
        text === letters ? `{"unknown":"${filled(text, inJson)}"}` : body,
        basic(acme),
      ),
  })),
);

const hostile = {...hostileQueries, ...hostilePaths, ...hostileHeaders, ...hostileFields};

/** Requests that are large by their parts, such as many names in a query, to each route that the server has. */
const routePlaces = (routes: readonly Route[]) =>
  routes.flatMap((route) => {
    const usual = usualRequest(route);
    return Object.entries(hostile).map(([what, change]): Place => {
      const send = ({method, path, headers, body}: HostileRequest) => {
        const length = body === '' ? {} : {'content-length': String(Buffer.byteLength(body))};
        return requestText(method, path, {connection: 'close', ...headers, ...length}, body);
      };
      return {
        where: `${route.method} ${route.path}, ${what}`,
        whole: true,
        request: (text) => send(text === letters ? usual : change(usual)),
      };
    });
  });

suite('16 kB of any text', () => {
  const owner = suiteOwner();
  let server: TestServer;
  let sender: ChildProcess;
  before(async () => {
    const partner = onePartner({
      key: 'acme',
      origins: [listedOrigin],
      cid: '1001',
      consent: {text: 'I agree.', version: '1'},
      context_fields: ['brand'],
      ask: questionNames,
      without_script: 'trust',
    });
    server = await startTestServer((folder) => {
      const embedFolder = join(folder, 'forms');
      makeEmbedVersion(embedFolder, '1.99.0', {
        'lead-prequal-form.js': 'x',
        'lead-prequal-form.classic.js': 'x',
      });
      return {embedFolder, trustProxy: 'loopback', partners: [partner], rateLimit: 1_000_000};
    });
    owner.after(() => server.close());
    sender = fork(join(import.meta.dirname, '../support/sender.ts'), [String(server.port)]);
    owner.after(() => sender.disconnect());
  });

  /** Milliseconds of the processor that all threads of the server take for a request. */
  async function cost(text: string): Promise<number> {
    const start = process.cpuUsage();
    sender.send({text, times: 1} satisfies ToSend);
    await once(sender, 'message');
    const {user, system} = process.cpuUsage(start);
    return (user + system) / 1_000;
  }
  /** The least of several costs, or the first that is low enough. */
  async function least(text: string, enough: number) {
    let found = Infinity;
    for (let repeat = 0; repeat < repeats && found > enough; repeat += 1)
      found = Math.min(found, await cost(text));
    return found;
  }

  async function readToken() {
    const page = await server.fetch('/apply/acme');
    const [, token] = /name="_token" value="([^"]+)"/.exec(await page.text()) ?? [];
    assert.ok(token, 'the form has no token');
    return token;
  }

  const groups: Readonly<Record<string, () => Place[] | Promise<Place[]>>> = {
    'the JSON of a caller': () => jsonPlaces('/json/leads', lead, basic(acme)),
    'the JSON of a page': () => jsonPlaces('/embed/v1/leads?partner=acme', submission),
    'a post of the form': async () => formPlaces(await readToken()),
    'a query': () => queryPlaces,
    'what a body holds besides texts': () => bodyPlaces,
    'a request of many parts, to each route': async () => {
      const listed = await createApp(server.config, ignoreObservations);
      const routes = routesOf(listed);
      await listed.close(0);
      return routePlaces([...routes, {method: 'GET', path: '/nowhere'}]);
    },
  };
  for (const [group, find] of Object.entries(groups))
    test(`costs at most three times as much as letters: ${group}`, async (t) => {
      const places = await find();
      // Code that has run some hundred times is compiled.
      for (let index = 0; index < 300; index += 1)
        await cost(places[index % places.length]!.request(letters));
      const lines = ['letters worst  (ms)'];
      const dear: string[] = [];
      for (const {where, request, whole} of places) {
        const costs: number[] = [];
        for (let repeat = 0; repeat < 5; repeat += 1) costs.push(await cost(request(letters)));
        const usual = costs.toSorted((a, b) => a - b)[2]!;
        let worst = {ms: 0, text: ''};
        for (const text of whole ? ['its parts'] : Object.keys(texts)) {
          const ms = await least(request(text), Math.max(floor, usual * 1.5));
          if (ms > worst.ms) worst = {ms, text};
          if (ms > (whole ? mostWhole : Math.min(most, Math.max(floor, usual * factor))))
            dear.push(`${where}: ${text} takes ${ms.toFixed(1)} ms, letters ${usual.toFixed(1)}`);
        }
        const [one, other] = [usual, worst.ms].map((ms) => ms.toFixed(1).padStart(6));
        lines.push(`${one}${other}  ${where}: ${worst.text}`);
      }
      console.log(lines.join('\n'));
      t.diagnostic(`${places.length} places`);
      assert.deepEqual(dear, []);
    });
});
