import {expect} from '@open-wc/testing';
import {httpsOnly} from '../../../widget/page/safe-link.ts';

describe('httpsOnly', () => {
  it('httpsOnly returns an https URL', () => {
    expect(httpsOnly('https://example.com/privacy?a=b')).to.equal('https://example.com/privacy?a=b');
  });

  for (const address of [
    undefined,
    '',
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)//https://',
    ' javascript:alert(1)',
    'data:text/html,hi',
    'http://example.com',
    '//example.com',
    '/privacy',
    'nonsense',
  ]) {
    it(`httpsOnly returns nothing for ${JSON.stringify(address)}`, () => {
      expect(httpsOnly(address)).to.equal(undefined);
    });
  }
});
