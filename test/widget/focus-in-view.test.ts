/** Tests by geometry that nothing that stays at the top covers what has the focus (WCAG 2.2, 2.4.11, and all of it). */
import {expect} from '@open-wc/testing';
import {sendKeys, setViewport} from '@web/test-runner-commands';
import {defaultPolicy, figuresOf} from '../../calculator/policy.ts';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {describeInChromium} from '../support/browser/drivers.ts';
import {config, useServer} from '../support/browser/fake-server.ts';
import {click, fillPage, focused, maybeButton, open, part, touch} from '../support/browser/visitor.ts';

const server = useServer();
const header = document.createElement('header');
header.style.cssText = 'position: fixed; inset: 0 0 auto; block-size: 72px; background: white; z-index: 9';

/** Goes by Tab to one end of the page, and checks the focus and its ring of 5 px wherever it stops within the form. */
async function walk(form: LeadPrequalForm, isBack: boolean, covers: readonly Element[], context: string) {
  for (let stops = 0; ; stops++) {
    if (isBack) await sendKeys({down: 'Shift'});
    await sendKeys({press: 'Tab'});
    if (isBack) await sendKeys({up: 'Shift'});
    const focus = focused(form);
    if (!focus) return stops;
    // The ring of a radio button is around its option.
    const shown = focus.matches('[type=radio]') ? focus.nextElementSibling! : focus;
    const {top, bottom} = shown.getBoundingClientRect();
    const edge = Math.max(0, ...covers.map((cover) => cover.getBoundingClientRect().bottom));
    const what = `${context}: ${shown.textContent.trim() || focus.id}`;
    expect(top - 5, `${what} stands below ${edge} px`).to.be.at.least(edge - 0.5);
    expect(bottom + 5, `${what} stands above the lower edge`).to.be.at.most(innerHeight + 0.5);
  }
}

describeInChromium('what has the focus', () => {
  beforeEach(() => (server.config = () => config({estimate: figuresOf(defaultPolicy)})));
  afterEach(async () => {
    header.remove();
    await setViewport({width: 800, height: 600});
  });

  for (const [width, height] of [
    [360, 560],
    [390, 664],
    [1280, 600],
  ] as const) {
    for (const attributes of [{}, {order: 'contact-first'}, {layout: 'single'}] as const) {
      for (const top of [0, 72]) {
        const name = Object.values(attributes)[0] ?? 'steps';
        it(`is never covered: ${width} × ${height}, ${name}, below a header of ${top} px`, async () => {
          await setViewport({width, height});
          if (top > 0) document.body.append(header);
          const style = `display: block; margin-block: 400px; --prequal-sticky-top: ${top}px`;
          const form = await open({...attributes, style});
          await touch(form);
          for (;;) {
            const line = form.shadowRoot!.querySelector('[part=so-far]');
            const covers = [...(top > 0 ? [header] : []), ...(line ? [line] : [])];
            const title = part(form, 'h2').textContent.trim();
            part(form, 'h2').focus();
            const stops = await walk(form, false, covers, title);
            expect(await walk(form, true, covers, `${title}, backwards`)).to.equal(stops);
            if (!maybeButton(form, 'Next')) break;
            await fillPage(form);
            await click(form, 'Next');
          }
        });
      }
    }
  }
});
