/**
 * Clients that send their credentials only when they were asked for them, against a running server. Those that send them at
 * once are the samples of docs/api.md (samples.test.ts).
 */
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
};

const curl = ['-sS', '--fail', '--anyauth', '-u', `${user}:${password}`];
const wget = ['-nv', '-O', '-', '--tries=1', `--user=${user}`, `--password=${password}`];
const script = join(import.meta.dirname, 'client.py');

const clients: Record<string, Client> = {
  'curl --anyauth': {
    program: 'curl',
    create: (url, body) => run('curl', [...curl, '-H', 'Content-Type: application/json', '-d', body, url]),
    read: (url) => run('curl', [...curl, url]),
  },
  'wget --user --password': {
    program: 'wget',
    create: (url, body) =>
      run('wget', [...wget, '--header=Content-Type: application/json', `--post-data=${body}`, url]),
    read: (url) => run('wget', [...wget, url]),
  },
  "Python's HTTPBasicAuthHandler": {
    program: 'python3',
    create: (url, body) => run('python3', [script, 'POST', url, user, password], body),
    read: (url) => run('python3', [script, 'GET', url, user, password]),
  },
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
  for (const [name, client] of Object.entries(clients)) {
    test(`${name}`, {skip: missing(client.program)}, async (t) => {
      t.after(await crowdWithFailures());
      await assertWorks(client);
    });
  }
});
