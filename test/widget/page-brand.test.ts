/** Tests how the form takes its place and its looks from a page that has neither set a property nor a style for it. */
import {expect, fixture, html} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {config, useServer} from '../support/browser/fake-server.ts';
import {field, open, openSent} from '../support/browser/visitor.ts';

const server = useServer();
const sheet = document.createElement('style');

beforeEach(() => document.head.append(sheet));
afterEach(() => {
  sheet.remove();
  sheet.textContent = '';
});

const page = (css: string) => (sheet.textContent = css);

const styleOf = (form: LeadPrequalForm, selector: string) =>
  getComputedStyle(form.shadowRoot!.querySelector(selector)!);

const mainColor = (form: LeadPrequalForm) => styleOf(form, '.main').backgroundColor;

describe('the brand of the page', () => {
  for (const name of [
    '--bs-primary',
    '--wp--preset--color--primary',
    '--e-global-color-primary',
    '--pico-primary-background',
    '--bulma-primary',
  ]) {
    it(`the main button has the colour of ${name}`, async () => {
      page(`:root {${name}: rgb(122, 31, 92)}`);
      expect(mainColor(await open())).to.equal('rgb(122, 31, 92)');
    });
  }

  it('the words of the main button are white wherever white can be read', async () => {
    // White on it has a contrast of 4.56 to 1. On Bootstrap's own blue it has 4.501, for which Firefox, which keeps
    // three decimals of an alpha, takes black.
    page(':root {--bs-primary: #0c6dfc}');
    const canvas = document.createElement('canvas').getContext('2d')!;
    canvas.fillStyle = styleOf(await open(), '.main').color;
    canvas.fillRect(0, 0, 1, 1);
    expect([...canvas.getImageData(0, 0, 1, 1).data]).to.deep.equal([255, 255, 255, 255]);
  });

  for (const name of ['--bs-border-radius', '--pico-border-radius', '--bulma-radius']) {
    it(`the corners have the radius of ${name}`, async () => {
      page(`:root {${name}: 3px}`);
      const form = await open({order: 'contact-first'});
      expect(styleOf(form, '.card').borderTopLeftRadius).to.equal('3px');
      expect(styleOf(form, 'input').borderTopLeftRadius).to.equal('3px');
    });
  }

  it("the form's own properties come before the brand of the page", async () => {
    page(`:root {--bs-primary: red; --bs-border-radius: 3px; --wp--preset--font-family--heading: cursive}
      lead-prequal-form {--prequal-accent: rgb(0, 0, 255); --prequal-radius: 5px; --prequal-heading-font: serif}`);
    const form = await open();
    expect(mainColor(form)).to.equal('rgb(0, 0, 255)');
    expect(styleOf(form, '.card').borderTopLeftRadius).to.equal('5px');
    expect(styleOf(form, '[part=heading]').fontFamily).to.equal('serif');
  });

  it("the configured colour of the partner comes before the page's brand", async () => {
    page(':root {--bs-primary: red} lead-prequal-form {transition: none}');
    server.config = () => config({colors: {accent: '#0b7a5a'}});
    const form = await openSent();
    expect(getComputedStyle(form).getPropertyValue('--_accent').trim()).to.equal('#0b7a5a');
  });

  it('titles have the font of the headings of the page, and everything else that of its text', async () => {
    page(':root {--wp--preset--font-family--heading: cursive} body {font-family: monospace}');
    const form = await open();
    expect(styleOf(form, '[part=heading]').fontFamily).to.equal('cursive');
    expect(styleOf(form, 'input').fontFamily).to.equal('monospace');
    page('body {font-family: monospace}');
    expect(styleOf(form, '[part=heading]').fontFamily).to.equal('monospace');
  });

  it('a brand that is no colour leaves words that can be read, and a focus ring', async () => {
    page(':root {--bs-primary: 13, 110, 253}');
    const form = await open({order: 'contact-first'});
    const main = styleOf(form, '.main');
    expect(main.backgroundColor).to.equal('rgba(0, 0, 0, 0)');
    expect(main.color).to.equal(styleOf(form, '.card').color);
    expect(main.borderTopStyle).to.equal('solid');
    field(form, 'Email').focus();
    const {outlineStyle, outlineWidth} = styleOf(form, '#email');
    expect(`${outlineStyle} ${outlineWidth}`).to.equal('solid 3px');
  });
});

describe('the place of the form', () => {
  it('the edge of the card lies within the form, so that no parent cuts it off', async () => {
    const form = await open();
    const {borderTopWidth, borderLeftWidth, outlineStyle} = styleOf(form, '.card');
    expect([borderTopWidth, borderLeftWidth, outlineStyle]).to.deep.equal(['1px', '1px', 'none']);
  });

  it('the form stands in the middle of a wider column, unless the page says otherwise', async () => {
    const form = await open();
    const column = await fixture<HTMLElement>(html`<div style="inline-size: 900px"></div>`);
    column.append(form);
    const space = () => form.getBoundingClientRect().left - column.getBoundingClientRect().left;
    expect(space()).to.equal((900 - 640) / 2);
    page('lead-prequal-form {margin-inline: 0}');
    expect(space()).to.equal(0);
  });

  for (const layout of ['steps', 'single']) {
    it(`the card fills the height that the page keeps for the form, layout ${layout}`, async () => {
      page('lead-prequal-form {min-height: 3000px}');
      const form = await open({layout});
      expect(form.shadowRoot!.querySelector<HTMLElement>('.card')!.offsetHeight).to.equal(3000);
      expect(form.offsetHeight).to.equal(3000);
    });
  }
});
