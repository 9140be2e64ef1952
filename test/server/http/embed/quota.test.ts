/** What binds a challenge to its partner, address and difficulty, and quotas that several processes share. */
import assert from 'node:assert/strict';
import {randomInt} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import type {Config} from '../../../../server/config/config.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {readJson, readProblem} from '../../../support/http.ts';
import {formConfig, sendLead, somebody} from '../../../support/embed-client.ts';
import {freePort} from '../../../support/free-port.ts';
import {openFor} from '../../../support/opened.ts';
import {keysAt, redisUrl, startRedis, withoutRedis} from '../../../support/redis.ts';
import {solve, type Proof} from '../../../support/solve.ts';
import {listedOrigin, startTestServer, type TestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';

const partner = (key: string, changes: object = {}) =>
  onePartner({key, origins: [listedOrigin], cid: '1001', ...changes});

function start(t: TestContext, changes: Partial<Config> = {}): Promise<TestServer> {
  const partners = [partner('acme'), partner('other')] as const;
  return openFor(t, startTestServer({proofOfWork: 1, rateLimit: 60, trustProxy: 1, partners, ...changes}));
}

const newNetwork = () =>
  `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(4_096, 65_536).toString(16)}`;

/** One visitor: an address, and what its form does. */
function visitor(server: TestServer, address = `${newNetwork()}::1`, key = 'acme') {
  const headers = {'x-forwarded-for': address};
  return {
    async proof(): Promise<Proof> {
      return solve((await formConfig(server, key, {headers})).challenge!);
    },
    send: (proof: unknown) => sendLead(server, somebody(), {partner: key, headers, body: {proof}}),
  };
}

async function proofsOf({proof}: {proof: () => Promise<Proof>}, count: number): Promise<Proof[]> {
  const proofs = [];
  while (proofs.length < count) proofs.push(await proof());
  return proofs;
}

const refused = async (response: Response) => void (await readProblem(response, 403, 'proof-needed'));
const taken = async (response: Response) => void (await readJson(response, 201));

suite('a challenge', () => {
  test('is good for the partner that it was given for, and for no other', async (t) => {
    const server = await start(t);
    const address = `${newNetwork()}::1`;
    const proof = await visitor(server, address).proof();
    await refused(await visitor(server, address, 'other').send(proof));
    await taken(await visitor(server, address).send(proof));
  });
  test('is good in its network alone, so a phone that changes it solves a fresh one', async (t) => {
    const server = await start(t);
    const network = newNetwork();
    const proof = await visitor(server, `${network}::1`).proof();
    const elsewhere = visitor(server);
    await refused(await elsewhere.send(proof));
    await taken(await elsewhere.send(await elsewhere.proof()));
    await taken(await visitor(server, `${network}::2`).send(proof));
  });
  test('that got too easy since it was given is refused, and a fresh one is taken', async (t) => {
    const server = await start(t, {partners: [partner('acme', {quota_per_hour: 1})]});
    const someone = visitor(server);
    const [first, second] = await proofsOf(someone, 2);
    await taken(await someone.send(first));
    await refused(await someone.send(second));
    await taken(await someone.send(await someone.proof()));
  });
  test('an address may hold twenty challenges: older ones are refused, newer ones are taken', async (t) => {
    const server = await start(t);
    const collector = visitor(server);
    const proofs = await proofsOf(collector, 30);
    for (const proof of proofs.slice(0, 10)) await refused(await collector.send(proof));
    await taken(await collector.send(proofs[10]));
    await taken(await collector.send(proofs[29]));
    const neighbour = visitor(server);
    await taken(await neighbour.send(await neighbour.proof()));
  });
  test('an address may hold more challenges where the operator allows it more requests', async (t) => {
    const server = await start(t, {rateLimit: 90});
    const office = visitor(server);
    const proofs = await proofsOf(office, 31);
    await refused(await office.send(proofs[0]));
    await taken(await office.send(proofs[1]));
  });
  test('gets harder for a /56 of IPv6 with four times the leads that make it harder for a network', async (t) => {
    const server = await start(t, {trustProxy: 1});
    const home = newNetwork().slice(0, -2);
    const factorIn = async (network: string) =>
      (await visitor(server, `${network}::1`).proof()).challenge.parameters.data.factor;
    for (let index = 10; index < 14; index += 1) {
      assert.equal(await factorIn(`${home}${index + 10}`), 1);
      const someone = visitor(server, `${home}${index}::1`);
      for (const proof of await proofsOf(someone, 10)) await taken(await someone.send(proof));
    }
    await until(async () => (await factorIn(`${home}30`)) === 4);
    assert.equal(await factorIn(newNetwork()), 1);
  });
  test('holds nothing that tells the address to the page', async (t) => {
    const server = await start(t);
    const address = `198.51.100.${randomInt(256)}`;
    const {challenge} = await visitor(server, address).proof();
    assert.ok(!JSON.stringify(challenge).includes(address));
  });
});

suite('quotas over Redis', {skip: withoutRedis}, () => {
  async function twoServers(t: TestContext, changes: Partial<Config> = {}) {
    const servers = [await start(t, {redisUrl, ...changes}), await start(t, {redisUrl, ...changes})] as const;
    // Until its connection stands, each counts alone: the second sees 20 newer challenges only in Redis.
    await until(async () => {
      const address = `${newNetwork()}::1`;
      const [here, there] = servers.map((server) => visitor(server, address));
      const [oldest] = await proofsOf(here!, 21);
      return (await there!.send(oldest)).status === 403;
    });
    return servers;
  }

  test('count the leads of an address in every process', async (t) => {
    const servers = await twoServers(t);
    const address = `${newNetwork()}::1`;
    const [here, there] = servers.map((server) => visitor(server, address));
    const early = await there!.proof();
    for (const proof of await proofsOf(here!, 10)) await taken(await here!.send(proof));
    // It was given before the address had sent its usual number of leads through the other process.
    await refused(await there!.send(early));
    await taken(await there!.send(await there!.proof()));
  });
  test('count the leads of a partner in every process, and one of them says so', async (t) => {
    const key = `partner-${randomInt(1_000_000)}`;
    const servers = await twoServers(t, {partners: [partner('acme'), partner(key, {quota_per_hour: 2})]});
    for (let count = 0; count < 3; count += 1) {
      const someone = visitor(servers[count % 2]!, undefined, key);
      await taken(await someone.send(await someone.proof()));
    }
    const overQuota = () =>
      servers.flatMap(({logLines}) => logLines).filter((line) => line.includes('over its quota')).length;
    await until(() => overQuota() === 1);
  });
  test('let a proof be given by one process and taken by another', async (t) => {
    const servers = await twoServers(t);
    const address = `${newNetwork()}::1`;
    const proof = await visitor(servers[0], address).proof();
    await taken(await visitor(servers[1], address).send(proof));
  });
  test('ask no visitor for another proof because Redis went away in between', async (t) => {
    const port = await freePort();
    const redis = await startRedis(t, port);
    const server = await start(t, {redisUrl: `redis://127.0.0.1:${port}`, rateLimit: 100});
    const someone = visitor(server);
    await until(async () => {
      await someone.proof();
      return (await keysAt(port)) > 0;
    });
    const proof = await someone.proof();
    redis.kill('SIGSTOP');
    await taken(await someone.send(proof));
    await taken(await someone.send(await someone.proof()));
  });
});
