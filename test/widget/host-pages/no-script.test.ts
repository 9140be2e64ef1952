import {expect} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import {addScript, element, formOn, openPage, scriptOf, service, showsFallback} from './host-page.ts';

describe("the element's own children", () => {
  const otherHash = (script: string) => script.replace(/sha384-.../, 'sha384-AAA');

  for (const [what, content, headers] of [
    ['has not arrived', element, {}],
    ['was changed after the partner pinned it', otherHash(service.script) + element, {}],
    ['is a classic twin that was changed after that', otherHash(service.classicScript) + element, {}],
    ['is that of a withdrawn version', scriptOf(service.withdrawnVersion) + element, {}],
    [
      'is not in the content security policy',
      service.script + element,
      {'Content-Security-Policy': "script-src 'nonce-host'"},
    ],
  ] as const) {
    it(`the element's own children are shown where the script ${what}`, async () => {
      const page = await openPage(content, headers);
      expect(showsFallback(page)).to.be.true;
      expect(page.customElements.get('lead-prequal-form')).to.equal(undefined);
    });
  }

  it("the element's own children are shown until the form is rendered, so that the page is never empty", async () => {
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
