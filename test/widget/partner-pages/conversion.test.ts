/** What advertisers count: a call of the page's Google tag, and a page of thanks. */
import {expect} from '@open-wc/testing';
import {referenceOf} from '../../../contract/reference.ts';
import {click, fillContact, fillPage, goOn, link, send, text} from '../../support/browser/visitor.ts';
import {until} from '../../support/until.ts';
import {element, formOn, openPage, pageScript, reachResult, service} from './partner-page.ts';

/** As Google's snippet begins. Its script, for which this stands in, takes the calls from the array in their order. */
const googleTag = pageScript(`
  window.dataLayer = [];
  window.gtag = function () { dataLayer.push([...arguments]); };
  gtag('consent', 'default', {ad_storage: 'denied'});
`);
const policy = `default-src 'none'; style-src 'none'; connect-src ${service.origin}; script-src 'nonce-page' ${service.origin}`;

describe('Google Ads', () => {
  it('hear of one conversion under a strict policy, after the consent, if answers change', async () => {
    const page = await openPage(googleTag + pageScript(service.conversion) + service.script + element, {
      'Content-Security-Policy': policy,
    });
    const form = await formOn(page);
    await reachResult(form);
    await click(form, 'Change my answers');
    await fillPage(form);
    await goOn(form);
    expect((await send(form)).type).to.equal('prequal-result');
    expect((page as unknown as {dataLayer: unknown[]}).dataLayer).to.deep.equal([
      ['consent', 'default', {ad_storage: 'denied'}],
      ['event', 'conversion', {send_to: 'AW-123456789/AbC-D_efG'}],
    ]);
    expect(page.trouble).to.deep.equal([]);
  });

  it('hear of no lead that is refused, but of the next one that is not', async () => {
    const page = await openPage(googleTag + pageScript(service.conversion) + service.script + element);
    const form = await formOn(page);
    const calls = ['refused', 'pending', 'done'].map((status) => {
      form.dispatchEvent(new CustomEvent('prequal-result', {bubbles: true, detail: {status}}));
      return (page as unknown as {dataLayer: unknown[]}).dataLayer.length - 1;
    });
    expect(calls).to.deep.equal([0, 1, 1]);
  });

  it('are not missed on a page whose Google tag is blocked', async () => {
    const page = await openPage(pageScript(service.conversion) + service.script + element);
    await reachResult(await formOn(page));
    expect(page.trouble).to.deep.equal([]);
  });
});

describe('the page after the form', () => {
  const thanks = `${location.origin}/partner-page?html=Thanks&headers=%7B%7D`;
  const formTo = (address: string, attributes = '') =>
    service.script +
    element.replace(' partner', ` ${attributes} thanks-href="${address.replaceAll('&', '&amp;')}" partner`);
  const sendContact = async (page: Awaited<ReturnType<typeof openPage>>) => {
    const form = await formOn(page);
    await fillContact(form);
    const {detail} = await send(form, 'Send');
    return {form, id: (detail as {id: string}).id};
  };

  it('is shown at once for a standard lead, with the reference if its address asks for it', async () => {
    const page = await openPage(formTo(`${thanks}&reference`, 'lead-type="standard"'));
    const frame = page.frameElement as HTMLIFrameElement;
    const {id} = await sendContact(page);
    await until(() => frame.contentDocument?.body?.textContent === 'Thanks');
    expect(frame.contentWindow!.location.href).to.equal(`${thanks}&reference=${referenceOf(id)}`);
  });

  it('is behind the main button below amounts, without the reference unless asked', async () => {
    const form = await formOn(await openPage(formTo(thanks)));
    await reachResult(form);
    expect(link(form, 'Next')?.href).to.equal(thanks);
    expect(link(form, 'Next')?.className).to.equal('main');
  });

  it('must be on the same site: the console names another, and the visitor stays', async () => {
    const page = await openPage(formTo('https://evil.example/', 'lead-type="standard"'));
    const {form} = await sendContact(page);
    expect(text(form)).to.contain('Thank you');
    expect(page.trouble.join()).to.contain('thanks-href="https://evil.example/"');
  });
});
