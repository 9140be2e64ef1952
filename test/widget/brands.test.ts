/** Three brands that style the form with at most twelve rules each: the style sheets of docs/brands/, which the guide shows. */
import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {config, useServer} from '../support/browser/fake-server.ts';
import {choose, click, fill, fillAll, goTo, open, part, send, touch} from '../support/browser/visitor.ts';

/** Before the tests replace `fetch`. */
const brands = await Promise.all(
  ['bank', 'playful', 'luxury'].map(
    async (brand) => [brand, await (await fetch(`/docs/brands/${brand}.css`)).text()] as const,
  ),
);
const sheet = document.createElement('style');
const server = useServer();

beforeEach(() => document.head.append(sheet));
afterEach(() => sheet.remove());

const style = 'display: block; inline-size: 320px';
/** Of the options of the first question. */
const chosen = (form: LeadPrequalForm) =>
  [...form.shadowRoot!.querySelectorAll('[part~=option]')]
    .slice(0, 4)
    .map((each) => each.part.contains('chosen'));

for (const [brand, css] of brands) {
  it(`the brand ${brand} has twelve rules at most, each of which has an effect, and axe finds nothing`, async () => {
    sheet.textContent = css;
    expect(sheet.sheet!.cssRules.length).to.be.at.most(12);
    server.config = () => config({contact: [{href: 'tel:+14155550132', text: '(415) 555-0132'}]});
    const found = new Set<string>();
    const look = async (form: LeadPrequalForm) => {
      await Promise.all(form.shadowRoot!.getAnimations().map(({finished}) => finished));
      await expect(form).to.be.accessible();
      expect(form.scrollWidth).to.be.at.most(320);
      for (const element of form.shadowRoot!.querySelectorAll('[part]')) {
        for (const name of element.part) found.add(name);
      }
    };
    const form = await open({style});
    await touch(form);
    await choose(form, '620 to 679 Fair');
    await choose(form, '680 to 720 Good');
    expect(chosen(form)).to.deep.equal([false, true, false, false]);
    const {x, y, width, height} = part(form, 'input:checked').getBoundingClientRect();
    // Whatever a rule does to the option, its mark stays above it.
    const topmost = form.shadowRoot!.elementFromPoint(x + width / 2, y + height / 2);
    expect(topmost?.id).to.equal(part(form, 'input:checked').id);
    await look(form);
    await goTo(form, 'Cash');
    fill(form, 'Cash', 'some');
    await click(form, 'Next');
    await look(form);
    await fillAll(form);
    await send(form);
    await look(form);
    const styled = [...css.matchAll(/::part\(([\w-]+)\)/g)].map(([, name]) => name!);
    expect([...found]).to.include.members(styled);
  });
}
