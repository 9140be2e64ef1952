/** The visitor's address, out of the connection's peer and what proxies say. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../../support/properties.ts';
import {
  isWithin,
  networkOf,
  networksAround,
  readAddress,
  readRanges,
} from '../../../server/config/addresses.ts';
import {createAddressReader} from '../../../server/http/client-address.ts';

suite('an address in a header', () => {
  for (const [text, address] of [
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8::1:443', '2001:db8::1:443'],
  ] as const) {
    test(`is read in its one spelling: "${text}"`, () => assert.equal(readAddress(text), address));
  }
  const noAddresses =
    'unknown _hidden 203.0.113 203.0.113.256 0x7f.1 2130706433 010.0.0.1 203.0.113.7:port ' +
    '203.0.113.7:123456 [203.0.113.7 2001:db8::1] 2001:db8::g ::1:: %eth0';
  for (const text of [
    ...noAddresses.split(' '),
    '',
    `${' '.repeat(200)}203.0.113.7`,
    '203.0.113.7 203.0.113.8',
  ]) {
    test(`is not made of "${text.slice(0, 30)}"`, () => assert.equal(readAddress(text), undefined));
  }
  test('another spelling of an address is the same address, and reading it again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = readAddress(text)!;
        assert.equal(readAddress(address), address);
        assert.equal(readAddress(text.toUpperCase()), address);
        assert.equal(networkOf(address).split('/')[0], readAddress(networkOf(address).split('/')[0]!));
      }),
    );
  });
});

suite('the network of an address', () => {
  for (const [address, network] of [
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['', ''],
  ] as const) {
    test(`the network of "${address}" is "${network}"`, () => assert.equal(networkOf(address), network));
  }
  test('a /56 and a /48 are around the /64 of an IPv6 address, with more of each limit', () => {
    assert.deepEqual(networksAround(networkOf('2001:db8:1:abcd:3:4:5:6')), [
      {network: '2001:db8:1:abcd::/64', times: 1},
      {network: '2001:db8:1:ab00::/56', times: 4},
      {network: '2001:db8:1::/48', times: 16},
    ]);
    assert.deepEqual(networksAround(networkOf('::1')).at(-1), {network: '::/48', times: 16});
  });
  test('nothing is around an IPv4 address, nor around a connection without an address', () => {
    for (const network of ['203.0.113.7', ''])
      assert.deepEqual(networksAround(networkOf(network)), [{network, times: 1}]);
  });
});

suite('a list of ranges', () => {
  const ranges = readRanges(
    '10.0.0.0/8, 192.0.2.1,172.16.0.0/255.240.0.0,2001:db8::/32,loopback, ::ffff:198.51.100.0/120',
  );
  const within = '10.1.2.3 192.0.2.1 172.31.0.1 2001:db8:9::1 127.9.9.9 ::1 198.51.100.9';
  for (const inside of within.split(' ')) {
    test(`holds ${inside}`, () => assert.equal(isWithin(inside, ranges), true));
  }
  for (const outside of ['11.0.0.1', '192.0.2.2', '172.32.0.1', '2001:db9::1', '198.51.101.1', '']) {
    test(`does not hold "${outside}"`, () => assert.equal(isWithin(outside, ranges), false));
  }
  for (const wrong of [
    '10.0.0.0/33',
    '10.0.0.0/x',
    '10.0.0.0/8/8',
    'proxy.example',
    '2001:db8::/129',
    '127.1',
  ]) {
    test(`is refused for ${wrong}, by its place`, () => {
      assert.throws(() => readRanges(`10.0.0.1,${wrong}`), /^Error: part 2 is neither/);
    });
  }
});

suite("a visitor's address", () => {
  const table: Record<
    string,
    [trust: number | string, peer: string | undefined, header: string | undefined, address: string]
  > = {
    'the peer where no proxy is trusted': [0, '192.0.2.1', '203.0.113.7', '192.0.2.1'],
    'the peer where the header is absent': [1, '192.0.2.1', undefined, '192.0.2.1'],
    'the last entry behind one proxy': [1, '192.0.2.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    'the last entry but one behind two': [2, '192.0.2.1', '6.6.6.6, 203.0.113.7, 192.0.2.2', '203.0.113.7'],
    'the first entry where the header is shorter': [3, '192.0.2.1', '203.0.113.7', '203.0.113.7'],
    'without the port that a proxy adds': [1, '192.0.2.1', '203.0.113.7:4711', '203.0.113.7'],
    'without brackets and port': [1, '192.0.2.1', '[2001:db8::1]:4711', '2001:db8::1'],
    'the proxy where the entry is junk': [1, '192.0.2.1', '203.0.113.7, junk', '192.0.2.1'],
    'the proxy where the entry is empty': [1, '192.0.2.1', '203.0.113.7,', '192.0.2.1'],
    'the last proxy before the junk': [2, '192.0.2.1', 'junk, 192.0.2.2', '192.0.2.2'],
    'IPv4 where the peer is mapped into IPv6': [0, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    'what the proxy says on a UNIX socket': [1, undefined, '203.0.113.7', '203.0.113.7'],
    'empty on a UNIX socket without a proxy': [0, undefined, '203.0.113.7', ''],
    'the first that is no listed proxy': [
      '192.0.2.0/24',
      '192.0.2.1',
      '6.6.6.6, 203.0.113.7, 192.0.2.2',
      '203.0.113.7',
    ],
    'the peer where it is no listed proxy': ['192.0.2.0/24', '198.51.100.1', '203.0.113.7', '198.51.100.1'],
    'of a listed proxy that is mapped': ['loopback', '::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  };
  for (const [what, [trust, peer, header, address]] of Object.entries(table)) {
    test(`a visitor's address is ${what}`, () =>
      assert.equal(createAddressReader(trust)(peer, header).address, address));
  }

  test('is made of any header without an error', () => {
    const readers = [createAddressReader(3), createAddressReader('loopback,0.0.0.0/0,::/0')];
    const piece = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('[', ']', ':', '%', ','));
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join(',')),
        (header) => {
          for (const read of readers) {
            const {address, network} = read('127.0.0.1', header);
            assert.equal(readAddress(address), address);
            assert.equal(networkOf(address), network);
          }
        },
      ),
    );
  });

  for (const trust of [1_000_000, '127.0.0.1']) {
    test(`reads the newest 32 addresses alone, however long the header is: ${trust} trusted`, () => {
      const read = createAddressReader(trust);
      const addressBefore = (hops: number) =>
        read('127.0.0.1', `203.0.113.7${', 127.0.0.1'.repeat(hops)}`).address;
      assert.equal(addressBefore(31), '203.0.113.7');
      assert.equal(addressBefore(32), '127.0.0.1');
      assert.equal(addressBefore(1_500), '127.0.0.1');
    });
  }
});
