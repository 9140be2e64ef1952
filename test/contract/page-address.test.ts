/** Tests how the form and the server shorten the address of a page. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {pageAddress} from '../../contract/page-address.ts';

const site = 'https://www.partner.example';

suite('the address of a page', () => {
  for (const [what, address, kept] of [
    ['loses query and fragment', `${site}/a/b?email=jane@example.com#top`, `${site}/a/b`],
    ['loses user name and password', 'https://jane:secret@www.partner.example/a', `${site}/a`],
    ['keeps a port', 'http://localhost:8080/a', 'http://localhost:8080/a'],
    [
      'keeps a host that looks random',
      'https://a1b2c3d4e5f6a7b8.example/a',
      'https://a1b2c3d4e5f6a7b8.example/a',
    ],
    ['may be that of an app', 'android-app://com.example/', 'android-app://com.example/'],
    ['is empty for a document inside another one', 'about:srcdoc', ''],
    ['is empty for an empty text', '', ''],
    ['is the same when it is shortened again', `${site}/*/a`, `${site}/*/a`],
  ] as const) {
    test(`${what}`, () => assert.equal(pageAddress(address), kept));
  }

  for (const path of [
    '/apply',
    '/how-to-finance-a-franchise-in-2026',
    '/401k-rollover-guide.html',
    '/sba-7a-vs-504-loans-q3-2026',
    '/PreQualificationForm.aspx',
    '/how_to_buy_a_franchise',
    '/blog/2026/11/21/top-10-web3-b2b-ideas',
    '/products/8123456789012',
    '/@maria/apply',
    '/businessacquisitionloans',
    '/%D0%BA%D1%80%D0%B5%D0%B4%D0%B8%D1%82-%D0%BD%D0%B0-%D0%B1%D0%B8%D0%B7%D0%BD%D0%B5%D1%81',
    '/%E5%A6%82%E4%BD%95%E4%B8%BA%E5%8A%A0%E7%9B%9F%E5%BA%97%E8%9E%8D%E8%B5%84',
  ]) {
    test(`keeps the words of ${path}`, () => assert.equal(pageAddress(site + path), site + path));
  }

  for (const [what, segment] of Object.entries({
    'an e-mail address': 'jane.doe@example.com',
    'an escaped e-mail address': 'jane%40example.com',
    'a UUID': '550e8400-e29b-41d4-a716-446655440000',
    '20 hexadecimal digits': '9f86d081884c7d659a2f',
    'a database id': '507f1f77bcf86cd799439011',
    'a JSON web token':
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    base64: 'q83vEjRWeJq83vEjRWeJ%2Bw==',
    'base64 for addresses': 'mB92K27uhbUJU1p1r_wW1gFWFOEj-Xk',
    'an id of a checkout': 'cs_test_a1B2c3D4e5F6g7H8i9J0',
    'an invitation in groups': 'AB3D-9KQX-8RT2-LMWP',
    'a session id behind a word': 'apply;jsessionid=9F3A77BD12C4E5A6',
    'a long run of letters': 'kzqmwxnbvtrplkjhgfdsaqwertyu',
    'a long number': '123456789012345678901234',
  })) {
    test(`has an asterisk in the place of ${what}`, () => {
      assert.equal(pageAddress(`${site}/reset/${segment}/step-2`), `${site}/reset/*/step-2`);
    });
  }

  test('is shortened in a time that grows with its length, however it is made up', () => {
    const longest = 400_000;
    const started = performance.now();
    for (const piece of ['a', 'aB', '-', 'a-', 'a1', '/', '@', '%', '%40', ':', '//']) {
      pageAddress(`https://www.partner.example/${piece.repeat(longest / piece.length)}!`);
      pageAddress(piece.repeat(longest / piece.length));
    }
    // A quadratic search would take minutes.
    assert.ok(performance.now() - started < 10_000);
  });
});
