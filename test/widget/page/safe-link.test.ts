import {expect} from '@open-wc/testing';
import {httpsOnly} from '../../../widget/page/safe-link.ts';

describe('httpsOnly', () => {
  it('lets an https address through', () => {
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
    it(`stops ${JSON.stringify(address)}`, () => {
      expect(httpsOnly(address)).to.equal(undefined);
    });
  }
});
