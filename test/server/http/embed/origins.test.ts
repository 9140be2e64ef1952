/** Which origins an operator may list, and which upstreams the log warns of. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {allowsOrigin, onePartner} from '../../../../server/config/partners.ts';
import {leadApi} from '../../../support/fake-upstream.ts';
import {startTestServer} from '../../../support/test-server.ts';
import {openFor} from '../../../support/opened.ts';
import {wrongWith} from '../../../support/wrong-settings.ts';

const withOrigin = (origin: string) => onePartner({key: 'acme', origins: [origin], cid: '1001'});

suite('a wildcard in an origin', () => {
  const ofRegistries = ['com', 'com.', 'co.uk', 'com:8443', 'xn--p1ai', 'kawasaki.jp'];
  const ofHosts = ['github.io', 'myshopify.com', 'netlify.app', 's3.amazonaws.com'];
  for (const suffix of [...ofRegistries, ...ofHosts]) {
    test(`is refused below ${suffix}, where anybody can get a name`, () => {
      assert.throws(() => withOrigin(`https://*.${suffix}`), /must have its \* below a domain of one owner/);
    });
  }
  for (const origin of [
    'https://*.example.com',
    'https://*.example.co.uk:8443',
    'https://*.acme.github.io',
    'https://*.acme.myshopify.com',
    'https://*.partner.example',
    'http://*.localhost:3000',
    'http://*.shop.localhost',
    'http://*.test',
    'http://*.local:8080',
    'https://*.staging.internal',
    'https://*.intranet',
    'https://*.corp',
  ]) {
    test(`a wildcard is taken in the origin ${origin}`, () =>
      assert.deepEqual(withOrigin(origin).origins, [origin]));
  }
  for (const origin of [
    'http://*.10.0.0.1',
    'http://*.[::1]',
    'https://*',
    'https://*.',
    'https://*.*.com',
  ]) {
    test(`a wildcard is refused in ${origin}`, () => {
      assert.throws(() => withOrigin(origin), /must be an origin such as/);
    });
  }
  test('stands for every port of this machine, and of no other', () => {
    for (const host of ['http://localhost', 'https://localhost', 'http://127.0.0.1']) {
      const partner = withOrigin(`${host}:*`);
      assert.ok(allowsOrigin(partner, `${host}:5173`));
      for (const other of [host, 'http://localhost.evil.example:5173', 'http://10.0.0.1:5173', 'null'])
        assert.ok(!allowsOrigin(partner, other), other);
    }
    for (const origin of ['https://www.acme.example:*', 'http://*.localhost:*', 'http://localhost:80*'])
      assert.throws(() => withOrigin(origin), /must be an origin such as/);
  });
  test('shared names are not looked for in an exact origin', () => {
    for (const origin of ['https://acme.github.io', 'https://intranet', 'http://10.0.0.1:8080']) {
      assert.deepEqual(withOrigin(origin).origins, [origin]);
    }
  });
  test('an error of a wildcard names its place and the shared name', () => {
    const origins = ['https://www.acme.example', 'https://*.co.uk'];
    assert.match(
      wrongWith({partners: [{key: 'acme', origins}]}).join('\n'),
      /^partners\.0\.origins\.1: .*get a name below co\.uk$/,
    );
  });
});

test('the log at start warns of each upstream that is reached over http outside of this network', async (t) => {
  const outside = [
    ...['http://api.lender.example', 'http://user:canary@api.lender.example/v1', 'http://203.0.113.7:8080'],
    ...['http://[2001:db8::1]', 'http://localhost.example.com'],
  ];
  const inside = [
    ...['https://api.lender.example', 'http://localhost:3000', 'http://lender.localhost', 'http://127.0.0.2'],
    ...['http://0x7f000001', 'http://10.1.2.3/v1', 'http://172.16.0.1', 'http://192.168.1.1'],
    ...['http://[::1]:3000', 'http://[fd00::1]', 'http://[::ffff:10.0.0.1]'],
  ];
  const settings = {...leadApi, user: 'us', password: 'canary-password', cid: '77'};
  const named = [...outside, ...inside].map((url, index) => [`lender-${index}`, {...settings, url}] as const);
  const server = await openFor(t, startTestServer({destinations: new Map(named)}));
  const lines = server.logLines.filter((line) => line.includes('http://'));
  assert.partialDeepStrictEqual(
    lines.map((line) => JSON.parse(line) as object),
    outside.map((_, index) => ({level: 40, destination: `lender-${index}`})),
  );
  assert.equal(lines.length, outside.length);
  assert.doesNotMatch(lines.join(), /canary|user/);
});
