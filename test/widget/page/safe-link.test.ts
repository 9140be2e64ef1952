import {expect} from '@open-wc/testing';
import {restorePage, stub} from '../../support/browser/browser-page.ts';
import {safeLink} from '../../../widget/page/safe-link.ts';

const {origin} = location;

describe('safeLink', () => {
  afterEach(restorePage);

  for (const [address, expected] of [
    ['https://example.com/privacy?a=b', 'https://example.com/privacy?a=b'],
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
    ['/privacy', `${origin}/privacy`],
    ['legal/privacy.html#data', new URL('legal/privacy.html#data', document.baseURI).href],
    [`${origin}/privacy`, `${origin}/privacy`],
    [`//${location.host}/privacy`, `${origin}/privacy`],
    ['?page_id=3', new URL('?page_id=3', document.baseURI).href],
  ] as const) {
    it(`returns ${expected.replace(origin, 'https://own-site')} for ${address.replace(origin, 'https://own-site')}`, () => {
      expect(safeLink(address)).to.equal(expected);
    });
  }

  it('resolves an address against the base of the page', () => {
    stub(Document.prototype, 'baseURI', {get: () => 'https://www.partner.example/offers/'});
    expect(safeLink('../privacy')).to.equal('https://www.partner.example/privacy');
  });
});
