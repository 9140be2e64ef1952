/** Which addresses a webhook may have, however they are spelt, and what the names of hosts may resolve to. */
import assert from 'node:assert/strict';
import type {LookupAddress} from 'node:dns';
import net from 'node:net';
import {suite, test, type TestContext} from 'node:test';
import fc from '../../../support/properties.ts';
import {DeliveryError} from '../../../../server/destinations/destination.ts';
import {createLookups, type Lookup} from '../../../../server/destinations/lookups.ts';
import {isPublicAddress} from '../../../../server/destinations/webhook/guard.ts';
import {createWebhook} from '../../../../server/destinations/webhook/webhook.ts';
import {openFor} from '../../../support/opened.ts';
import {eventRequest} from '../../../support/sample-events.ts';
import {keyOf, newSecret, replyWith, startWebhookReceiver} from '../../../support/webhook-receiver.ts';

/** Hosts as a URL may spell them. All of them are addresses, so no name is looked up. */
const refusedHosts = {
  loopback: [
    ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7F.1'],
    ...['0177.0.0.1', '017700000001', '0x7f.0x0.0x0.0x1', '127.0.0.1.', '%31%32%37.0.0.1'],
    ...['１２７.0.0.1', '127。0。0。1', '[::1]', '[0:0:0:0:0:0:0:1]'],
  ],
  unspecified: ['0.0.0.0', '0', '0.1.2.3', '[::]'],
  private: ['10.0.0.1', '10.1', '167772161', '172.16.0.1', '172.31.255.255', '192.168.1.1', '0xc0a80101'],
  'link-local': ['169.254.0.1', '[fe80::1]', '[febf::1]'],
  'the metadata of a cloud': [
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '[fd00:ec2::254]'],
    ...['[fd20:ce::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16', '[::ffff:169.254.169.254]'],
    '[64:ff9b::169.254.169.254]',
  ],
  'unique local': ['[fc00::1]', '[fdff::1]'],
  'site-local': ['[fec0::1]'],
  'of a carrier': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.250', '[ff02::1]'],
  broadcast: ['255.255.255.255', '4294967295'],
  reserved: ['240.0.0.1', '192.88.99.1', '198.18.0.1', '[100::1]', '[4000::1]', '[5f00::1]', '[8000::1]'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '[2001:db8::1]', '[3fff::1]'],
  'IPv4, mapped into IPv6': [
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:10.0.0.1]', '[::ffff:192.168.0.1]'],
    '[::FFFF:A9FE:A9FE]',
  ],
  'IPv4-compatible IPv6': ['[::127.0.0.1]', '[::10.0.0.1]', '[::8.8.8.8]'],
  'IPv4, translated': ['[::ffff:0:127.0.0.1]'],
  NAT64: ['[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b::192.168.0.1]', '[64:ff9b:1::127.0.0.1]'],
  '6to4': ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:c0a8:101::1]', '[2002:808:808::1]'],
  Teredo: ['[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2001::1]'],
};

const allowed = [
  ...['8.8.8.8', '93.184.215.14', '172.15.255.255', '172.32.0.1', '192.167.255.255', '100.63.255.255'],
  ...['100.128.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450:4001:82a::200e', '::ffff:8.8.8.8'],
  '64:ff9b::8.8.8.8',
];

/** A lookup that must not be asked. */
const noLookup: Lookup = (host) => assert.fail(`${host} was looked up`);
/** Names that resolve to given addresses. Each lookup takes the next list; the last one stays. */
function lookupOf(...lists: string[][]): Lookup {
  let asked = 0;
  return () => {
    const addresses = lists[Math.min(asked, lists.length - 1)]!;
    asked += 1;
    return Promise.resolve(
      addresses.map((address): LookupAddress => ({address, family: address.includes(':') ? 6 : 4})),
    );
  };
}

/** Every connection to an address that the guard lets through goes to the receiver instead, and not to the internet. */
function routePublicAddressesTo(port: number, t: TestContext) {
  const connect = net.connect.bind(net) as (options: net.TcpNetConnectOpts) => net.Socket;
  const routed = (options: net.TcpNetConnectOpts) => {
    const lookup: net.LookupFunction = (hostname, how, callback) =>
      options.lookup?.(hostname, how, (error) => {
        if (error) callback(error, '');
        else callback(null, [{address: '127.0.0.1', family: 4}]);
      });
    return connect({...options, port, lookup});
  };
  t.mock.method(net, 'connect', routed as typeof net.connect);
}

const refusal = (error: unknown) =>
  error instanceof DeliveryError &&
  error.fault === 'misconfigured' &&
  /^The address of the receiver is refused: .*not marked as internal/.test(error.message);

suite('the address of a webhook', () => {
  for (const [kind, hosts] of Object.entries(refusedHosts)) {
    for (const host of hosts) {
      test(`is refused if it is ${kind}: ${host}`, async (t) => {
        for (const protocol of ['https', 'http']) {
          const url = `${protocol}://${host}:4711/`;
          const secrets = [keyOf(newSecret())];
          const settings = {type: 'webhook', url, secrets, isInternal: false} as const;
          const webhook = await openFor(t, createWebhook(settings, 5_000, {lookup: noLookup}));
          await assert.rejects(webhook.deliver(eventRequest()), refusal);
        }
      });
    }
  }
  for (const address of allowed) {
    test(`may be public: ${address}`, () => assert.ok(isPublicAddress(address)));
  }
  test('an IPv6 address is public only if the IPv4 address in it is, and never by a tunnel', () => {
    const byte = fc.nat(255);
    fc.assert(
      fc.property(byte, byte, byte, byte, (a, b, c, d) => {
        const ipv4 = `${a}.${b}.${c}.${d}`;
        const [high, low] = [a * 256 + b, c * 256 + d].map((word) => word.toString(16));
        const isPublic = isPublicAddress(ipv4);
        for (const prefix of ['::ffff:', '64:ff9b::']) {
          assert.equal(isPublicAddress(prefix + ipv4), isPublic);
          assert.equal(isPublicAddress(`${prefix}${high}:${low}`), isPublic);
        }
        const tunnels = [
          `2002:${high}:${low}::1`,
          `2001::${high}:${low}`,
          `::${high}:${low}`,
          `::ffff:0:${ipv4}`,
        ];
        for (const address of tunnels) assert.equal(isPublicAddress(address), false, address);
      }),
    );
  });
  for (const text of ['', 'localhost', '1.2.3.4.5', '8.8.8.8:80', '::1%lo', 'fe80::1%eth0']) {
    test(`is not public if it is none, or has a zone: "${text}"`, () =>
      assert.equal(isPublicAddress(text), false));
  }
});

suite('the name of a webhook', () => {
  async function start(t: TestContext, network: object, host = 'receiver.example', isInternal = false) {
    const receiver = await openFor(t, startWebhookReceiver(replyWith(204, {connection: 'close'})));
    const url = `http://${host}:${receiver.port}/`;
    const webhook = await openFor(t, createWebhook({...receiver.settings, url, isInternal}, 5_000, network));
    return {receiver, webhook};
  }

  const rows: Record<string, string[]> = {
    'a private address': ['10.0.0.1'],
    loopback: ['127.0.0.1'],
    'the metadata of a cloud': ['169.254.169.254'],
    'a private IPv6 address': ['fd00::1'],
    'a link-local IPv6 address with a zone': ['fe80::1%eth0'],
    'a private address that is mapped into IPv6': ['::ffff:10.0.0.1'],
    'a public and a private address': ['93.184.215.14', '10.0.0.1'],
    'a private and a public address': ['10.0.0.1', '2606:4700::1111'],
    'no address': [],
  };
  for (const [what, addresses] of Object.entries(rows)) {
    test(`is refused if it resolves to ${what}`, async (t) => {
      const {receiver, webhook} = await start(t, {lookup: lookupOf(addresses)});
      await assert.rejects(webhook.deliver(eventRequest()), refusal);
      assert.equal(receiver.connections(), 0);
    });
  }

  test('each connection looks the name up, so one that turns private is refused', async (t) => {
    const {receiver, webhook} = await start(t, {lookup: lookupOf(['93.184.215.14'], ['127.0.0.1'])});
    routePublicAddressesTo(receiver.port, t);
    assert.equal((await webhook.deliver(eventRequest())).state, 'delivered');
    await assert.rejects(webhook.deliver(eventRequest()), refusal);
    assert.equal(receiver.connections(), 1);
  });

  test('an address that was looked up for another webhook earlier is checked, too', async (t) => {
    const receiver = await openFor(t, startWebhookReceiver());
    const url = `http://receiver.internal:${receiver.port}/`;
    let asked = 0;
    const once = createLookups(() => {
      asked += 1;
      return Promise.resolve([{address: '127.0.0.1', family: 4}]);
    }, 1);
    const listed = createWebhook({...receiver.settings, url}, 5_000, {lookup: once});
    const other = createWebhook({...receiver.settings, url, isInternal: false}, 5_000, {lookup: once});
    t.after(() => Promise.all([listed.close(), other.close()]));
    assert.equal((await listed.deliver(eventRequest())).state, 'delivered');
    await assert.rejects(other.deliver(eventRequest()), refusal);
    assert.equal(asked, 1);
    assert.equal(receiver.connections(), 1);
  });

  test('that the operator lists may resolve to a private address', async (t) => {
    const {receiver, webhook} = await start(t, {lookup: lookupOf(['127.0.0.1'])}, 'receiver.internal', true);
    assert.equal((await webhook.deliver(eventRequest())).state, 'delivered');
    assert.equal(receiver.received[0]?.headers.host, `receiver.internal:${receiver.port}`);
  });

  test('the name localhost is refused by what it resolves to, with the lookup of the system', async (t) => {
    const {receiver, webhook} = await start(t, {}, 'localhost');
    await assert.rejects(webhook.deliver(eventRequest()), refusal);
    assert.equal(receiver.connections(), 0);
  });
});
