import {expect, oneEvent} from '@open-wc/testing';
import {
  chooseScore,
  click,
  fillAll,
  fillContact,
  fillFunds,
  link,
  part,
  send,
  shows,
} from '../../support/browser/visitor.ts';
import {until} from '../../support/until.ts';
import {
  element,
  formOn,
  pageScript,
  openPage,
  reachResult,
  rendered,
  scriptOf,
  service,
  type PartnerPage,
} from './partner-page.ts';

/** Puts a frame with the form into a page of its own. */
async function openFrame(content: string, attributes: string): Promise<HTMLIFrameElement> {
  const page = await openPage('');
  const frame = page.document.createElement('iframe');
  frame.width = '700';
  frame.height = '900';
  for (const [, name = '', value = ''] of attributes.matchAll(/(\w+)="([^"]*)"/g))
    frame.setAttribute(name, value);
  frame.srcdoc = `<!doctype html><html lang="${frame.lang || 'en'}">${content}</html>`;
  const loaded = oneEvent(frame, 'load');
  page.document.body.append(frame);
  await loaded;
  return frame;
}

/** Scripts of a frame with the origin `null` cannot be reached from outside, so they send what they see. */
const report = `<script>
  const said = [];
  console.error = (text) => said.push(text);
  setInterval(() => {
    const root = document.querySelector('lead-prequal-form')?.shadowRoot;
    const link = root?.querySelector('a[target]');
    parent.postMessage({
      text: root?.textContent.replace(/\\s+/g, ' ') ?? '',
      inputs: root?.querySelectorAll('input').length,
      href: link?.getAttribute('href'), target: link?.target, rel: link?.rel, said: said.join(' '),
    }, '*');
  }, 50);
</script>`;
type Seen = {text: string; inputs: number; href: string; target: string; rel: string; said: string};

/** The first report that fulfils the condition. */
async function seen(frame: HTMLIFrameElement, isEnough: (report: Seen) => boolean): Promise<Seen> {
  const page = frame.ownerDocument.defaultView!;
  let last: Seen | undefined;
  page.addEventListener('message', ({data}) => (last = data as Seen));
  await until(() => last !== undefined && isEnough(last));
  return last!;
}

describe('a form that moves into another document', () => {
  const looks = (form: HTMLElement) => {
    const {paddingTop, borderTopStyle} = getComputedStyle(form.shadowRoot!.querySelector('.card')!);
    return [paddingTop, borderTopStyle, getComputedStyle(form).display];
  };

  async function openBeside() {
    const page = await openPage(`${service.script}${element}<iframe width="700" height="900"></iframe>`);
    const form = await formOn(page);
    return {page, form, inside: page.document.querySelector('iframe')!.contentDocument!};
  }

  it('has its styles there, and its result when it is back', async () => {
    const {page, form, inside} = await openBeside();
    const before = looks(form);
    inside.body.append(form);
    expect(looks(form)).to.deep.equal(before);
    await fillAll(form);
    page.document.body.append(form);
    expect(looks(form)).to.deep.equal(before);
    await reachResult(form);
    inside.body.append(form);
    expect(getComputedStyle(form.shadowRoot!.querySelector('.total')!).fontWeight).to.equal('700');
    expect(page.trouble).to.deep.equal([]);
  });

  it('reaches the result there, also if it comes there first', async () => {
    const {page, form, inside} = await openBeside();
    const other = page.document.createElement('lead-prequal-form');
    other.partner = 'acme';
    inside.body.append(other);
    await rendered(other);
    expect(looks(other)).to.deep.equal(looks(form));
    await reachResult(other);
    expect(page.trouble).to.deep.equal([]);
  });
});

describe('a form in a frame', () => {
  it('whose document is in the srcdoc attribute reaches the result', async () => {
    const frame = await openFrame(service.script + element, '');
    const page = frame.contentWindow as PartnerPage;
    expect(page.location.href).to.equal('about:srcdoc');
    await reachResult(await formOn(page));
  });

  it('a form in a sandboxed frame that may submit no form reaches the result', async () => {
    const frame = await openFrame(service.script + element, 'sandbox="allow-scripts allow-same-origin"');
    const form = await formOn(frame.contentWindow as PartnerPage);
    await chooseScore(form);
    await click(form, 'Next');
    await shows(form, 'Retirement funds');
    await fillFunds(form);
    await click(form, 'Next');
    await shows(form, 'First name');
    await fillContact(form);
    expect((await send(form)).type).to.equal('prequal-result');
  });

  for (const [lang, title, open] of [
    ['en', 'This page cannot send your answers', 'Continue on our own page'],
    ['es', 'Esta página no puede enviar sus respuestas', 'Continuar en nuestra propia página'],
  ] as const) {
    it(`asks for nothing and leads to the apply page if the frame has no origin (${lang})`, async () => {
      const frame = await openFrame(
        // WebKit lists no request for what an earlier page has loaded, and other tests look for these requests.
        report + scriptOf(service.otherVersion) + element,
        `sandbox="allow-scripts allow-forms allow-popups" lang="${lang}"`,
      );
      const {text, inputs, href, target, rel, said} = await seen(
        frame,
        ({said, href}) => said !== '' && Boolean(href),
      );
      expect(text).to.contain(title).and.to.contain(open);
      expect(inputs, 'fields in which the visitor would type in vain').to.equal(0);
      expect(href).to.equal(`${service.origin}/apply/acme?lang=${lang}`);
      expect({target, rel}).to.deep.equal({target: '_blank', rel: 'noopener'});
      expect(text, 'for frames that may open no tab').to.contain(`${service.origin}/apply/acme.`);
      expect(said).to.contain('sandboxed frame').and.to.contain('allow-same-origin');
    });
  }

  it('a sample in a sandboxed frame is shown, because it sends nothing', async () => {
    const sample = element.replace('partner="acme"', 'sandbox');
    const frame = await openFrame(report + service.script + sample, 'sandbox="allow-scripts"');
    const {text, inputs} = await seen(frame, ({inputs}) => inputs > 0);
    expect(inputs, 'the options of the credit score').to.equal(4);
    expect(text).to.contain('Sample.');
  });
});

describe('what the console says when no answer can be read', () => {
  const trouble = async (page: PartnerPage, part: string) => {
    await until(() => page.trouble.some((words) => words.includes(part)));
    return page.trouble.find((words) => words.startsWith('<lead-prequal-form>'));
  };
  const touch = async (page: PartnerPage) => {
    const form = await formOn(page);
    form
      .shadowRoot!.querySelector('input')!
      .dispatchEvent(new FocusEvent('focusin', {bubbles: true, composed: true}));
  };

  it('the console names the directive of the policy that blocks requests, and what to add', async () => {
    const page = await openPage(service.script + element, {
      'Content-Security-Policy': `connect-src 'self'; script-src 'nonce-page' ${service.origin}`,
    });
    const form = await formOn(page);
    await chooseScore(form);
    expect(await trouble(page, 'blocks requests'))
      .to.contain('(connect-src)')
      .and.to.contain(`Add ${service.origin} to connect-src`);
    part(form, 'button.main').click();
    await shows(form, 'This page cannot send your answers');
    expect(link(form, 'Continue on our own page')!.href).to.contain('/apply/acme');
  });

  it('the console names the origin that the server does not list', async () => {
    const page = await openPage(
      pageScript(`
        const {fetch} = window;
        // Browsers hide a refusal without CORS headers from the page.
        window.fetch = (url, init) => String(url).includes('/config')
          ? Promise.reject(new TypeError('Failed to fetch')) : fetch(url, init);`) +
        service.script +
        element,
    );
    await touch(page);
    expect(await trouble(page, 'does not list'))
      .to.contain(`does not list the origin ${location.origin}`)
      .and.to.contain(`Add ${location.origin} to the origins of "acme"`)
      .and.not.to.contain('endpoint', 'a server that answers is the right one');
  });
});
