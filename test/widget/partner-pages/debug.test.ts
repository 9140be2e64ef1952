import {expect} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import {fillAll, send} from '../../support/browser/visitor.ts';
import {
  element,
  formOn,
  pageScript,
  openPage,
  reachResult,
  scriptAgain,
  service,
  type PartnerPage,
} from './partner-page.ts';

/** Makes the address of the page end with `prequal-debug` before the script runs. */
const asked = pageScript(`history.replaceState(null, '', location.href + '&prequal-debug');`);
const box = ({document}: PartnerPage) => document.getElementById('lead-prequal-debug')?.shadowRoot;
const words = (page: PartnerPage) => box(page)?.textContent.replace(/\s+/g, ' ') ?? '';

async function debugged(content: string, headers: Record<string, string> = {}) {
  const page = await openPage(asked + content, headers);
  await formOn(page);
  await until(() => words(page).includes('events'));
  return page;
}

describe('the box of ?prequal-debug', () => {
  it('is not on a page without that parameter', async () => {
    const page = await openPage(service.script + element);
    await reachResult(await formOn(page));
    expect(box(page)).to.equal(undefined);
  });

  it('shows version, server, partner and events, and nothing that was typed', async () => {
    const page = await debugged(
      service.script + element.replace(' partner', ' style="display:block; min-height:37em" partner'),
    );
    const form = await formOn(page);
    await fillAll(form);
    await send(form);
    await until(() => words(page).includes('prequal-result'));
    const text = words(page);
    expect(text)
      .to.match(/version ?\d+\.\d+\.\d+/)
      .and.to.match(/script ?module, pinned/);
    expect(text).to.contain(service.origin).and.to.contain('acme').and.to.contain(location.origin);
    expect(text).not.to.match(/Maria|Ortiz|example\.com|\(415\)|\$/);
    expect(page.trouble).to.deep.equal([]);
  });

  it('can be closed, and stays closed while the visitor goes on', async () => {
    const page = await debugged(service.script + element);
    box(page)!.querySelector('button')!.click();
    expect(box(page)).to.equal(undefined);
    const form = await formOn(page);
    await reachResult(form);
    expect(box(page)).to.equal(undefined);
  });

  const faults: [what: string, content: string, sentence: RegExp][] = [
    ['no height is reserved', service.script + element, /keeps no height free.*"style" attribute/],
    ['the script stands there twice', service.script + scriptAgain + element, /2 times.*Remove all but one/],
    [
      'the script is not pinned',
      service.script.replace(/integrity="[^"]*"/, '') + element,
      /no "integrity" attribute/,
    ],
    [
      'the partner is unknown',
      service.script + element.replace('acme', 'acne'),
      /no partner "acne".*Correct the "partner"/,
    ],
  ];
  for (const [what, content, sentence] of faults) {
    it(`says it if ${what}`, async () => {
      const page = await debugged(content);
      await until(() => sentence.test(words(page)));
    });
  }

  it('says it if the policy of the page blocks the requests', async () => {
    const page = await debugged(service.script + element, {
      'Content-Security-Policy': `connect-src 'self'; script-src 'nonce-page' ${service.origin}`,
    });
    await until(() => /blocks requests to .* \(connect-src\).*Add/.test(words(page)));
  });
});
