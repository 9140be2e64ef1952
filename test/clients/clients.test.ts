/** The clients that callers have, each with its own way of doing Basic auth, against a running server. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, suite, test} from 'node:test';
import {setTimeout as pause} from 'node:timers/promises';
import {basic, postJson, readProblem} from '../support/http.ts';
import {missing} from '../support/installed.ts';
import {amounts, prequalificationBody, standardBody} from '../support/sample-leads.ts';
import {acme, startTestServer} from '../support/test-server.ts';
import {until} from '../support/until.ts';

const {user, password} = acme;
// Behind a proxy that names its clients, as in production; a client that comes without one is known by its own address.
const server = await startTestServer({trustProxy: 1});
after(() => server.close());

/** What the program printed. @throws AssertionError with what it complained of when it failed */
async function run(program: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, args);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [output, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  assert.equal(code, 0, `${program} ${args.join(' ')}\n${complaint}`);
  return output;
}

type Client = {
  program: string;
  create(url: string, body: string): Promise<string>;
  read(url: string): Promise<string>;
  /** Sends its credentials only when it was asked for them. */
  challenged?: true;
};

const curl = (...own: string[]): Client => ({
  program: 'curl',
  create: (url, body) =>
    run('curl', ['-sS', '--fail', ...own, '-H', 'Content-Type: application/json', '-d', body, url]),
  read: (url) => run('curl', ['-sS', '--fail', ...own, url]),
});
const wget = (...own: string[]): Client => {
  const all = ['-nv', '-O', '-', '--tries=1', `--user=${user}`, `--password=${password}`, ...own];
  return {
    program: 'wget',
    create: (url, body) =>
      run('wget', [...all, '--header=Content-Type: application/json', `--post-data=${body}`, url]),
    read: (url) => run('wget', [...all, url]),
  };
};
const script = join(import.meta.dirname, 'client.py');
const python = (way: 'handler' | 'header'): Client => ({
  program: 'python3',
  create: (url, body) => run('python3', [script, way, 'POST', url, user, password], body),
  read: (url) => run('python3', [script, way, 'GET', url, user, password]),
});
const viaFetch: Client = {
  program: process.execPath,
  create: async (url, body) => (await fetch(url, postJson(body, basic(acme)))).text(),
  async read(url) {
    const response = await fetch(url, {headers: basic(acme)});
    if (!response.ok) throw new Error(String(response.status));
    return response.text();
  },
};

const clients: Record<string, Client> = {
  'curl -u': curl('-u', `${user}:${password}`),
  'curl with the header': curl('-H', `Authorization: ${basic(acme).authorization}`),
  'curl --anyauth': {...curl('--anyauth', '-u', `${user}:${password}`), challenged: true},
  'wget --user --password': {...wget(), challenged: true},
  'wget --auth-no-challenge': wget('--auth-no-challenge'),
  "Python's HTTPBasicAuthHandler": {...python('handler'), challenged: true},
  "Python's urllib with the header": python('header'),
  "Node's fetch": viaFetch,
};

async function assertWorks(client: Client) {
  const address = `${server.url}/json/leads`;
  const idOf = async (lead: object) =>
    (JSON.parse(await client.create(address, JSON.stringify(lead))) as {id: string}).id;
  const answer = await client.read(`${address}/${await idOf(prequalificationBody)}`);
  assert.deepEqual(JSON.parse(answer), {first_name: 'Jane', ...amounts});
  // A standard lead has no amounts, and clients differ in what they show of a 404.
  const standard = `/json/leads/${await idOf(standardBody)}`;
  await assert.rejects(client.read(server.url + standard), /404|no-prequalification/);
  await readProblem(await server.fetch(standard, {headers: basic(acme)}), 404, 'no-prequalification');
}

suite('leads of both types are created and read by', () => {
  for (const [name, client] of Object.entries(clients)) {
    test(`${name}`, {skip: missing(client.program)}, () => assertWorks(client));
  }
});

/**
 * So many failed sign-ins all the time that one more is turned away. Each comes from another address, for one that
 * fails often is refused. Resolves to what stops them.
 */
async function crowdWithFailures(): Promise<() => Promise<void>> {
  let crowding = true;
  let turnedAway = 0;
  let sent = 0;
  const wrong = basic({user, password: 'wrong'});
  const senders = Array.from({length: 60}, async () => {
    while (crowding) {
      sent += 1;
      const from = {'x-forwarded-for': `198.18.${(sent >> 8) & 255}.${sent & 255}`};
      const {status} = await server.fetch('/json/leads', postJson({}, {...wrong, ...from}));
      if (status !== 429) continue;
      turnedAway += 1;
      await pause(20);
    }
  });
  await until(() => turnedAway > 0);
  return async () => {
    crowding = false;
    await Promise.all(senders);
  };
}

suite('while many sign-ins fail, a first request without credentials is asked for them, by', () => {
  for (const [name, client] of Object.entries(clients).filter(([, {challenged}]) => challenged)) {
    test(`${name}`, {skip: missing(client.program)}, async (t) => {
      t.after(await crowdWithFailures());
      await assertWorks(client);
    });
  }
});
