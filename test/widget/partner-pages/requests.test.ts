import {expect} from '@open-wc/testing';
import type {Received} from '../../support/partner-pages.ts';
import {fillContact, fillPage, send, shows, text, touch} from '../../support/browser/visitor.ts';
import {until} from '../../support/until.ts';
import {element, formOn, openPage, reachResult, scriptOf, scripts, service, total} from './partner-page.ts';

const requests = async () => (await (await fetch('/partner-pages/requests')).json()) as Received[];

/** Opens a page that lets browsers send its whole URL as the referrer, sends a lead, reloads it and sees the result. */
async function visit(content: string): Promise<Received[]> {
  const before = (await requests()).length;
  const page = await openPage(content, {'Referrer-Policy': 'unsafe-url'});
  await reachResult(await formOn(page));
  const frame = page.frameElement as HTMLIFrameElement;
  const loaded = new Promise((resolve) => (frame.onload = resolve));
  page.location.reload();
  await loaded;
  const again = frame.contentDocument!.querySelector('lead-prequal-form')!;
  await shows(again, total);
  expect(page.trouble).to.deep.equal([]);
  return (await requests()).slice(before);
}

const isApi = ({method, url}: Received) => method !== 'OPTIONS' && url.startsWith('/embed/v1/');
const inShort = ({method, url}: Received) =>
  `${method} ${url.replace(/leads\/[^?]+/, 'leads/<id>').replace(/version=\d+\.\d+\.\d+$/, 'version=<own>')}`;

const all = [
  'GET /embed/v1/config?partner=acme&lang=en-US&view=began&version=<own>',
  'GET /embed/v1/config?partner=acme&lang=en-US&view=again&version=<own>',
  'POST /embed/v1/leads?partner=acme',
  'GET /embed/v1/leads/<id>?partner=acme',
];

describe('a form whose partner the server does not know', () => {
  it('is not available to the visitor, and the console says which attribute to correct', async () => {
    const page = await openPage(service.script + element.replace('acme', 'acne'));
    const form = await formOn(page);
    await touch(form);
    await fillPage(form);
    // The file with what the console says is loaded after the refusal.
    await until(() => page.trouble.length > 0);
    const {detail} = await send(form, 'Next');
    expect(detail).to.deep.equal({code: 'unknown-partner', retryable: false});
    expect(text(form)).to.contain('This page cannot send your answers');
    expect(page.trouble.join(' '))
      .to.contain('"acne"')
      .and.to.contain('Correct the "partner" attribute')
      .and.not.to.contain('endpoint');
  });
});

describe('the requests of the form', () => {
  it('a server on another origin learns the origin of the page, and nothing else of its URL', async () => {
    const made = await visit(scriptOf(service.uncachedVersion) + element);
    const api = made.filter(isApi);
    expect(api.map(inShort)).to.include.members(all);
    for (const {origin} of api) expect(origin).to.equal(location.origin);
    const others = made.filter(({url}) => !url.endsWith('/lead-prequal-form.js'));
    expect(others.map(inShort).join(' '), 'later files are among them').to.contain('/rest-');
    for (const {referer, url} of others) expect(referer, url).to.equal(undefined);
  });

  it('a page on the origin of the server gets replies, although its GETs have no Origin', async () => {
    const made = await visit(service.script + element.replace('partner=', 'endpoint="/" partner='));
    const api = made.filter(isApi);
    expect(api.map(inShort)).to.include.members(all);
    for (const {method, origin, referer, site} of api) {
      expect(site).to.equal('same-origin');
      expect(referer).to.equal(undefined);
      expect(origin).to.equal(method === 'GET' ? undefined : location.origin);
    }
  });

  const requested = (page: Window, files: RegExp) =>
    page.performance
      .getEntriesByType('resource')
      .map(({name}) => files.exec(name)?.[1])
      .filter((name) => name !== undefined);
  for (const [name, script] of Object.entries(scripts)) {
    it(`a page makes one request for the form until the visitor touches it (${name})`, async () => {
      const page = await openPage(scriptOf(service.uncachedVersion, script) + element);
      const form = await formOn(page);
      const files = () =>
        page.performance
          .getEntriesByType('resource')
          .filter((entry) => entry.name.startsWith(service.origin));
      expect(files()).to.have.length(1);
      await touch(form);
      expect(files()).to.have.length.above(1);
    });
  }

  it('the file that a snippet preloads is sent once, and is the one that the form uses', async () => {
    const before = (await requests()).length;
    const page = await openPage(service.preloadingSnippet);
    await fillContact(await formOn(page));
    const made = (await requests()).slice(before).filter(({url}) => url.includes('/rest-'));
    expect(made).to.have.length(1);
    expect(page.trouble).to.deep.equal([]);
  });

  const laterFilesOf = (page: Window) => requested(page, /\/([\w-]+)-[0-9a-f]{10}\.js$/);

  for (const [lang, before, after] of [
    ['en', [], ['rest']],
    ['de', [], ['rest']],
    ['es-MX', ['es'], ['es', 'rest']],
  ] as const) {
    it(`"${lang}" loads ${before.join() || 'no file'} first, and ${after.join(' and ')} by a touch`, async () => {
      const page = await openPage(`${service.script}<main lang="${lang}">${element}</main>`);
      const form = await formOn(page);
      // WebKit lists a file a moment after it has run.
      await until(() => laterFilesOf(page).length >= before.length);
      expect(laterFilesOf(page)).to.deep.equal(before);
      const input = form.shadowRoot!.querySelector('input')!;
      input.dispatchEvent(new FocusEvent('focusin', {bubbles: true, composed: true}));
      await until(() => laterFilesOf(page).length >= after.length);
      expect(laterFilesOf(page)).to.deep.equal(after);
    });
  }

  it('a form with draft but no kept draft loads rest at the first touch, and not before', async () => {
    const page = await openPage(service.script + element.replace(' partner', ' draft partner'));
    const form = await formOn(page);
    expect(laterFilesOf(page)).to.deep.equal([]);
    await touch(form);
    expect(laterFilesOf(page)).to.deep.equal(['rest']);
  });
});
