import {expect} from '@open-wc/testing';
import {restorePage, stub} from '../../support/browser/browser-page.ts';
import {safeLink} from '../../../widget/page/safe-link.ts';

const {origin} = location;
let said: string[];

describe('safeLink', () => {
  beforeEach(() => {
    said = [];
    stub(console, 'error', {value: (sentence: string) => said.push(sentence)});
  });
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
    it(`safeLink returns ${expected.replace(origin, 'https://own-site')} for ${address.replace(origin, 'https://own-site')}`, () => {
      expect(safeLink('privacy-href', address)).to.equal(expected);
      expect(said).to.deep.equal([]);
    });
  }

  it('safeLink resolves an address against the base of the page', () => {
    stub(Document.prototype, 'baseURI', {get: () => 'https://www.partner.example/offers/'});
    expect(safeLink('privacy-href', '../privacy')).to.equal('https://www.partner.example/privacy');
  });

  for (const [address, problem] of [
    ['javascript:alert(1)', 'javascript: is not allowed'],
    ['JAVASCRIPT:alert(1)//https://', 'javascript: is not allowed'],
    [' javascript:alert(1)', 'javascript: is not allowed'],
    ['java\nscript:alert(1)', 'javascript: is not allowed'],
    ['data:text/html,hi', 'data: is not allowed'],
    ['blob:https://example.com/1', 'blob: is not allowed'],
    ['file:///etc/passwd', 'file: is not allowed'],
    ['http://example.com', 'http: is not allowed'],
    ['//example.com:1', 'http: is not allowed'],
    ['https://', 'it is not a valid address'],
    ['http://[', 'it is not a valid address'],
  ]) {
    it(`safeLink returns nothing for ${JSON.stringify(address)}, and the console says once why and what to use`, () => {
      const links = [safeLink('cta-href', address), safeLink('cta-href', address)];
      expect(links).to.deep.equal([undefined, undefined]);
      expect(said).to.have.length(1);
      expect(said[0]).to.contain(`cta-href="${address}"`).and.to.contain(problem).and.to.contain('https://');
    });
  }

  for (const address of [undefined, '']) {
    it(`safeLink returns nothing for ${JSON.stringify(address)}, and the console says nothing`, () => {
      expect(safeLink('privacy-href', address)).to.equal(undefined);
      expect(said).to.deep.equal([]);
    });
  }
});
