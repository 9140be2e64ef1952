import {expect} from '@open-wc/testing';
import {hearConsole} from '../../support/browser/browser-page.ts';
import {checkedLink} from '../../../widget/page/advice.ts';
import {explain} from '../../../widget/page/diagnosis.ts';

describe('what the console tells the webmaster', () => {
  const said = hearConsole();

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
  ] as const) {
    it(`the console says once why there is no link to ${JSON.stringify(address)}, and what to use`, () => {
      expect(checkedLink('cta-href', address)).to.equal(undefined);
      checkedLink('cta-href', address);
      expect(said).to.have.length(1);
      expect(said[0]).to.contain(`cta-href="${address}"`).and.to.contain(problem).and.to.contain('https://');
    });
  }

  it('the console says nothing about an address that is safe, or is not set', () => {
    expect(checkedLink('cta-href', '/privacy')).to.equal(`${location.origin}/privacy`);
    expect(checkedLink('cta-href', undefined)).to.equal(undefined);
    expect(said).to.deep.equal([]);
  });

  it('the console names an endpoint that answers as no lead server does', async () => {
    await explain('bad-answer', {origin: 'leads.example.com', partner: 'acme'});
    expect(said.join()).to.contain('leads.example.com').and.to.contain('endpoint').and.to.contain('https://');
  });

  it('the console says nothing about problems that no webmaster can correct', async () => {
    for (const code of ['internal', 'constructor', 'timeout']) {
      await explain(code, {origin: 'https://leads.example.com', partner: 'acme'});
    }
    expect(said).to.deep.equal([]);
  });
});
