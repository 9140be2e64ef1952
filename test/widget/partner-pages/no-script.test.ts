import {expect} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import {
  addScript,
  element,
  formOn,
  openPage,
  reachResult,
  scriptOf,
  service,
  showsFallback,
  type PartnerPage,
} from './partner-page.ts';

const withOtherHash = (script: string) => script.replace(/sha384-.../, 'sha384-AAA');

describe("the element's own children", () => {
  it('are shown where the script has not arrived', async () => {
    const page = await openPage(element);
    expect(showsFallback(page)).to.be.true;
    expect(page.customElements.get('lead-prequal-form')).to.equal(undefined);
  });

  it('are shown until the form is rendered, so that the page is never empty', async () => {
    const page = await openPage(element);
    addScript(page);
    let waited = 0;
    const form = page.document.querySelector('lead-prequal-form')!;
    await until(() => {
      const fields = Boolean(form.shadowRoot?.querySelector('form'));
      expect(showsFallback(page), 'either the children or the fields are shown').to.equal(!fields);
      waited++;
      return fields;
    });
    expect(waited).to.be.above(1);
    await formOn(page);
  });
});

/** The rules and the element of a snippet, without its script. */
const content = service.snippet.replace(service.script, '');
const textIn = ({document}: PartnerPage) => document.querySelector<HTMLElement>('.prequal-late')!;
const isSeen = (page: PartnerPage) => {
  const {visibility} = page.getComputedStyle(textIn(page));
  return visibility === 'visible' && textIn(page).getClientRects().length > 0;
};

/** The grey bars that stand in the place of the form. Screen readers do not hear of them. */
const barsIn = (page: PartnerPage) => {
  const {visibility, height} = page.getComputedStyle(textIn(page), '::before');
  const isRendered = textIn(page).getClientRects().length > 0;
  return isRendered && visibility === 'visible' && parseFloat(height) > 300;
};

/** What the visitor sees this long after the page has appeared. */
function wait(page: PartnerPage, milliseconds: number) {
  for (const animation of page.document.getAnimations()) {
    animation.pause();
    animation.currentTime = milliseconds;
  }
}

describe('the text of a snippet where the form does not load', () => {
  for (const [what, html, headers] of [
    ['is blocked, or the server does not answer', content, {}],
    ['was changed after the partner pinned it', withOtherHash(service.script) + content, {}],
    ['is a classic twin that was changed after that', withOtherHash(service.classicScript) + content, {}],
    ['is that of a withdrawn version', scriptOf(service.withdrawnVersion) + content, {}],
    [
      'is not in the content security policy',
      service.script + content,
      {'Content-Security-Policy': "script-src 'nonce-page'"},
    ],
  ] as const) {
    it(`is seen after eight seconds, and not before, where the script ${what}`, async () => {
      const page = await openPage(html, headers);
      for (const milliseconds of [0, 7_999]) {
        wait(page, milliseconds);
        expect(isSeen(page), `${milliseconds}`).to.be.false;
        expect(barsIn(page), `bars at ${milliseconds}`).to.be.true;
      }
      wait(page, 8_000);
      expect(isSeen(page)).to.be.true;
      expect(barsIn(page)).to.be.false;
      expect(page.customElements.get('lead-prequal-form')).to.equal(undefined);
      expect([...textIn(page).querySelectorAll('a')].map(({href}) => href)).to.deep.equal([
        `${service.origin}/apply/acme`,
        'tel:+14155550132',
      ]);
    });
  }

  it('goes when the form comes after twenty seconds, and nothing on the page moves', async () => {
    const page = await openPage(`${content}<p id="below">Below</p>`);
    const top = () => page.document.getElementById('below')!.getBoundingClientRect().top;
    const before = top();
    wait(page, 20_000);
    expect(isSeen(page)).to.be.true;
    expect(top()).to.equal(before);
    addScript(page);
    const form = await formOn(page);
    expect(isSeen(page)).to.be.false;
    expect(top()).to.equal(before);
    await reachResult(form);
    expect(isSeen(page)).to.be.false;
  });

  it('is never seen where the script arrives in time, and nothing on the page moves', async () => {
    const page = await openPage(`${content}<p id="below">Below</p>`);
    const top = () => page.document.getElementById('below')!.getBoundingClientRect().top;
    const before = top();
    addScript(page);
    const form = page.document.querySelector('lead-prequal-form')!;
    await until(() => {
      const hasArrived = Boolean(form.shadowRoot?.querySelector('form'));
      expect(isSeen(page)).to.be.false;
      expect(barsIn(page), 'either the bars or the fields are shown').to.equal(!hasArrived);
      expect(top()).to.equal(before);
      return hasArrived;
    });
    wait(page, 8_000);
    expect(isSeen(page)).to.be.false;
  });

  it('has bars before it that do not move, and that need a kept height', async () => {
    const page = await openPage(content.replace(/min-height:[^"]*/, ''));
    expect(barsIn(page)).to.be.false;
    textIn(page).parentElement!.style.minHeight = '37em';
    expect(barsIn(page)).to.be.true;
    const timings = page.document.getAnimations().map(({effect}) => effect?.getTiming().duration);
    expect(timings).to.deep.equal([0]);
  });

  it('has bars under a policy that forbids all styles but those of a file', async () => {
    const [, rules = '', rest = ''] = /<style>([^]*)<\/style>([^]*)/.exec(content) ?? [];
    const strict = rest.replace(/style="[^"]*"/, 'class="funding-form"');
    const sheet = `<style nonce="page">.funding-form {display: block; min-height: 37em} ${rules}</style>`;
    const page = await openPage(sheet + strict, {
      'Content-Security-Policy': "default-src 'none'; style-src 'nonce-page'; script-src 'nonce-page'",
    });
    expect(barsIn(page)).to.be.true;
    expect(page.trouble).to.deep.equal([]);
  });

  for (const attributes of [
    'layout="single"',
    'lead-type="standard"',
    'lang="es"',
    'sandbox',
    'draft',
    'presentation="dialog"',
  ]) {
    it(`is gone where the form has arrived with ${attributes}`, async () => {
      const page = await openPage(content.replace('partner=', `${attributes} partner=`));
      wait(page, 8_000);
      expect(isSeen(page)).to.be.true;
      addScript(page);
      await formOn(page);
      expect(isSeen(page)).to.be.false;
      expect(textIn(page).assignedSlot).to.equal(null);
    });
  }

  it('is gone where the form has arrived in a frame without an origin', async () => {
    const page = await openPage('');
    const frame = page.document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.width = '700';
    const report = `<script>setInterval(() => parent.postMessage({
      arrived: Boolean(document.querySelector('lead-prequal-form').shadowRoot?.querySelector('a[target]')),
      boxes: document.querySelector('.prequal-late').getClientRects().length,
    }, '*'), 50)</script>`;
    frame.srcdoc = `<!doctype html><html lang="en">${service.snippet}${report}</html>`;
    let last: {arrived: boolean; boxes: number} | undefined;
    page.addEventListener('message', ({data}) => (last = data as typeof last));
    page.document.body.append(frame);
    await until(() => last?.arrived === true);
    expect(last?.boxes).to.equal(0);
  });

  it('waits as long on a page that shortens animations for people who want less motion', async () => {
    const shorter =
      '<style>* {animation-duration: 0.01ms !important; animation-iteration-count: 1 !important}</style>';
    const page = await openPage(shorter + content);
    wait(page, 7_999);
    expect(isSeen(page)).to.be.false;
    wait(page, 8_001);
    expect(isSeen(page)).to.be.true;
  });

  it('is seen at once on a page that forbids animations', async () => {
    const page = await openPage(`<style>* {animation: none !important}</style>${content}`);
    expect(isSeen(page)).to.be.true;
    expect(barsIn(page)).to.be.false;
    addScript(page);
    await formOn(page);
    expect(isSeen(page)).to.be.false;
  });

  it('the noscript of an older snippet is not shown where the form arrives', async () => {
    const older =
      '<lead-prequal-form partner="acme"><noscript>Please <a href="/contact">write to us</a>.</noscript></lead-prequal-form>';
    const page = await openPage(service.script + older);
    expect(page.document.body.innerText).not.to.include('write to us');
    await reachResult(await formOn(page));
  });
});
