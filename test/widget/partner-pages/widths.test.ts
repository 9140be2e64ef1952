/** The width of the form in parents that shrink to fit. */
import {expect} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import {fillContact, goTo, send} from '../../support/browser/visitor.ts';
import {element, pageScript, openPage, rendered, service, type PartnerPage} from './partner-page.ts';

const words = 'Find out how much funding your business may get, in about a minute.';

/** Parents by what they are. Each gets the form in the place of `FORM`. */
const parents: Record<string, string> = {
  'a float': '<div style="float: left">FORM</div>',
  'an inline block': '<div style="display: inline-block">FORM</div>',
  'a block of fit-content': '<div style="width: fit-content">FORM</div>',
  'a table cell': '<table><tr><td>FORM</td></tr></table>',
  'a table cell beside words': `<table><tr><td>${words} ${words} ${words}</td><td>FORM</td></tr></table>`,
  'a grid with the columns 1fr auto': `<div style="display: grid; grid-template-columns: 1fr auto"><p>${words}</p><div>FORM</div></div>`,
  'such a grid itself': `<div style="display: grid; grid-template-columns: 1fr auto"><p>${words}</p>FORM</div>`,
  'a row of a flex box itself, beside words': `<div style="display: flex"><p>${words} ${words}</p>FORM</div>`,
  'a grid that centres': '<div style="display: grid; place-items: center"><div>FORM</div></div>',
  'a row of a flex box, beside words': `<div style="display: flex"><p>${words} ${words}</p><div>FORM</div></div>`,
  'a column of a flex box that centres':
    '<div style="display: flex; flex-direction: column; align-items: center"><div>FORM</div></div>',
  'an inline flex box': '<div style="display: inline-flex"><div>FORM</div></div>',
  'a native dialog': '<dialog open>FORM</dialog>',
  'a modal dialog': '<dialog class="modal">FORM</dialog>',
  'a popover': '<div popover>FORM</div>',
  'an absolute box': '<div style="position: absolute; top: 0">FORM</div>',
  'a fixed popup in a corner': '<div style="position: fixed; right: 16px; bottom: 16px">FORM</div>',
  'a fixed popup in the centre':
    '<div style="position: fixed; top: 0; left: 50%; transform: translateX(-50%)">FORM</div>',
  'a page that runs from right to left': '<div dir="rtl"><div style="float: right">FORM</div></div>',
};

/** Parents that do not shrink to fit, with the width that the form gets there. */
const ordinary: Record<string, [html: string, width: number]> = {
  'a block': ['<div style="width: 320px">FORM</div>', 320],
  'a narrow block': ['<div style="width: 200px">FORM</div>', 200],
  'a wide block': ['<div style="width: 800px">FORM</div>', 640],
  'half of a grid': [
    `<div style="display: grid; grid-template-columns: 1fr 1fr; width: 1000px"><p>${words}</p><div>FORM</div></div>`,
    500,
  ],
  'a third of a flex box': [
    `<div style="display: flex; width: 1200px"><p style="flex: 1">1</p><p style="flex: 1">2</p><div style="flex: 1">FORM</div></div>`,
    400,
  ],
  'a side column': [
    `<div style="display: flex; width: 1000px"><p style="flex: 1">${words}</p><div style="flex: none; width: 300px">FORM</div></div>`,
    300,
  ],
  'a form that the page made a flex box': [
    '<div style="width: 500px"><style>lead-prequal-form {display: flex; min-height: 45em}</style>FORM</div>',
    500,
  ],
  'a form that the page made a grid': [
    '<div style="width: 500px"><style>lead-prequal-form {display: grid; min-height: 45em}</style>FORM</div>',
    500,
  ],
};

/** Each width of a window, and the least width of the form in it. */
const windows = [
  {width: 360, least: 240},
  {width: 1200, least: 400},
] as const;

const page = async (width: number, parent: string, attributes = '') => {
  const form = element.replace('partner', `${attributes} partner`);
  const opened = await openPage(
    `<meta name="viewport" content="width=device-width"><style>html {scrollbar-width: none} body {margin: 0}</style>${service.script}${parent.replace('FORM', form)}`,
    {},
    width,
  );
  opened.document.querySelector<HTMLDialogElement>('.modal')?.showModal();
  opened.document.querySelector<HTMLElement>('[popover]')?.showPopover();
  return opened;
};

const formOf = ({document}: PartnerPage) => document.querySelector('lead-prequal-form')!;

/** The card fills the form, and nothing of the form is beyond the edges of the window. */
function fits({innerWidth}: PartnerPage, form: Element, least: number) {
  const card = form.shadowRoot!.querySelector('.card')!.getBoundingClientRect();
  // Browsers cut the widths of columns down to a fraction of a pixel.
  expect(card.width).to.be.within(least - 0.5, innerWidth);
  expect(card.left, 'its left edge').to.be.at.least(-0.5);
  expect(card.right, 'its right edge').to.be.at.most(innerWidth + 0.5);
  expect(card.width).to.equal(form.getBoundingClientRect().width);
}

for (const {width, least} of windows) {
  describe(`a form in a window of ${width} px`, () => {
    for (const [what, parent] of Object.entries(parents)) {
      it(`is at least ${least} px wide in ${what}`, async () => {
        const opened = await page(width, parent);
        const form = await rendered(formOf(opened));
        fits(opened, form, least);
        expect(opened.document.documentElement.scrollWidth, 'the page scrolls sideways').to.equal(width);
      });
    }

    const parent = parents['a float']!;

    it('has its width before it is rendered', async () => {
      const opened = await page(width, parent);
      await opened.customElements.whenDefined('lead-prequal-form');
      const form = opened.document.createElement('lead-prequal-form');
      formOf(opened).replaceWith(form);
      expect(form.shadowRoot!.querySelector('.card')).to.equal(null);
      expect(form.getBoundingClientRect().width).to.be.within(least, width);
      const before = form.getBoundingClientRect().width;
      await rendered(form);
      expect(form.getBoundingClientRect().width).to.equal(before);
    });

    it('keeps its width up to the result', async () => {
      const opened = await page(width, parent, 'sandbox');
      const form = await rendered(formOf(opened));
      const before = form.getBoundingClientRect().width;
      const same = () => {
        fits(opened, form, least);
        expect(form.getBoundingClientRect().width).to.equal(before);
      };
      for (const label of ['Cash', 'First name']) {
        await goTo(form, label);
        same();
      }
      await fillContact(form);
      form.shadowRoot!.querySelector<HTMLInputElement>('[type=checkbox]')?.click();
      await send(form);
      if (!form.shadowRoot!.querySelector('.answer')) {
        form.shadowRoot!.querySelector<HTMLInputElement>('[type=checkbox]')!.click();
        await send(form);
      }
      same();
    });

    it('has its width with all fields on one page', async () => {
      const opened = await page(width, parent, 'layout="single"');
      const form = await rendered(formOf(opened));
      await until(() => Boolean(form.shadowRoot!.querySelector('#cash')));
      fits(opened, form, least);
    });

    it('has its width in a frame that may send nothing', async () => {
      const opened = await page(
        width,
        `${pageScript("Object.defineProperty(window, 'origin', {value: 'null'})")}${parent}`,
      );
      const form = formOf(opened);
      await until(() => Boolean(form.shadowRoot?.querySelector('.elsewhere')));
      fits(opened, form, least);
    });

    it('has its width in its own dialog, which adds nothing to the page', async () => {
      const opened = await page(width, parent, 'presentation="dialog" id="estimate"');
      const form = await rendered(formOf(opened));
      expect(form.parentElement!.getBoundingClientRect().width).to.equal(0);
      await form.open();
      const card = form.shadowRoot!.querySelector('.card')!.getBoundingClientRect();
      expect(card.width).to.be.within(least, width);
    });
  });
}

describe('a form in an ordinary parent', () => {
  for (const [what, [parent, expected]] of Object.entries(ordinary)) {
    it(`fills it: ${what}`, async () => {
      const opened = await page(1200, parent);
      const form = await rendered(formOf(opened));
      const card = form.shadowRoot!.querySelector('.card')!.getBoundingClientRect();
      const {width, height, top} = form.getBoundingClientRect();
      expect([width, card.width]).to.deep.equal([expected, expected]);
      expect([card.height, card.top], 'the card has the height that is kept for the form').to.deep.equal([
        height,
        top,
      ]);
      expect(opened.document.documentElement.scrollWidth, 'the page scrolls sideways').to.equal(1200);
    });
  }
});
