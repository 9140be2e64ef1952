/** Tests the WCAG contrast of the painted colours, with many accents and backgrounds that a partner may choose. */
import {expect} from '@open-wc/testing';
import {amountParts} from '../../contract/amounts.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {amounts, created, useServer} from '../support/browser/fake-server.ts';
import {openState, states} from '../support/browser/states.ts';
import {choose, click, open, openSent} from '../support/browser/visitor.ts';

const hues = Array.from({length: 12}, (_, index) => index * 30);
const accents = [
  ...Array.from({length: 18}, (_, index) => `rgb(${index * 15} ${index * 15} ${index * 15})`),
  ...hues.flatMap((hue) => [10, 25, 40, 50, 60, 75, 95].map((light) => `hsl(${hue} 100% ${light}%)`)),
  ...hues.flatMap((hue) => [30, 46, 62, 88].map((light) => `hsl(${hue} 45% ${light}%)`)),
  ...['#ff0000', '#ffff00', '#00ff00', '#00ffff', '#0000ff', '#ff00ff', 'rebeccapurple', '#0b57a4'],
  ...['oklch(0.62 0.13 250)', 'lab(60 20 -30)', 'light-dark(#7a1f5c, #ffd1ec)'],
];
const backgrounds = [
  ...Array.from({length: 18}, (_, index) => `rgb(${index * 15} ${index * 15} ${index * 15})`),
  ...hues.flatMap((hue) => [12, 35, 65, 94].map((light) => `hsl(${hue} 60% ${light}%)`)),
];

const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true})!;

const luminances = new Map<string, number>();

/** Reads each colour once, because reading a pixel is slow, and most colours are the same with the next accent. */
function luminance(color: string): number {
  const known = luminances.get(color) ?? readLuminance(color);
  luminances.set(color, known);
  return known;
}

/** Paints a pixel and reads it, because engines write the same computed colour in different notations. */
function readLuminance(color: string): number {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  expect(alpha, color).to.equal(255);
  const linear = (value: number) =>
    value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The elements whose colours are measured. */
const parts = {
  card: '.card',
  main: '.main',
  mark: 'input:checked',
  emptyMark: '.choice input:not(:checked)',
  chosen: 'input:checked + label',
  quietWords: 'input:checked + label .aside',
  option: 'input:not(:checked) + label',
  optionWords: 'input:not(:checked) + label .aside',
  sign: '.sign',
  quietLine: '.use',
  error: '.error',
  input: '#first_name',
  faultyInput: '#cash',
  alert: '.alert',
  focused: ':focus',
};
const measured = Object.values(parts).join();

const styleOf = (form: LeadPrequalForm, selector: string) =>
  getComputedStyle(form.shadowRoot!.querySelector(selector)!);

/** Each pair of colours that must differ, and the least contrast between them. */
function pairs(
  form: LeadPrequalForm,
): readonly (readonly [what: string, of: string, on: string, least: number])[] {
  const card = styleOf(form, parts.card);
  const main = styleOf(form, parts.main);
  const chosen = styleOf(form, parts.chosen);
  const paper = card.backgroundColor;
  const input = styleOf(form, parts.input);
  const {color: words, backgroundColor} = styleOf(form, parts.option);
  // Without a fill of the page, an option lets the card through.
  const fill = backgroundColor === 'rgba(0, 0, 0, 0)' ? paper : backgroundColor;
  return [
    ['words in an input', input.color, input.backgroundColor, 4.5],
    ['the sign in an input', styleOf(form, parts.sign).color, input.backgroundColor, 4.5],
    ['an option', words, fill, 4.5],
    ['quiet words of an option', styleOf(form, parts.optionWords).color, fill, 4.5],
    ['text', card.color, paper, 4.5],
    ['a quiet line', styleOf(form, parts.quietLine).color, paper, 4.5],
    ['an error', styleOf(form, parts.error).color, paper, 4.5],
    ['the main button', main.color, main.backgroundColor, 4.5],
    ['the edge of the main button', main.borderTopColor, paper, 3],
    ['the edge of an input', input.borderTopColor, paper, 3],
    ['the edge of a faulty input', styleOf(form, parts.faultyInput).borderTopColor, paper, 3],
    ['the edge of the alert', styleOf(form, parts.alert).borderTopColor, paper, 3],
    ['the focus ring', styleOf(form, parts.focused).outlineColor, paper, 3],
    ['a chosen option', chosen.color, chosen.backgroundColor, 4.5],
    ['its quiet words', styleOf(form, parts.quietWords).color, chosen.backgroundColor, 4.5],
    ['its edge', chosen.borderTopColor, paper, 3],
    ['its mark', styleOf(form, parts.mark).borderTopColor, paper, 3],
    ['the mark of an option that is not chosen', styleOf(form, parts.emptyMark).borderTopColor, paper, 3],
  ];
}

/** A form with an error, a choice and a focus ring. */
async function openAll() {
  const form = await open({layout: 'single'});
  // Transitions are switched off, because a colour between two others need not have enough contrast.
  const still = new CSSStyleSheet();
  still.replaceSync('* {transition: none !important} [hidden] {display: none !important}');
  form.shadowRoot!.adoptedStyleSheets.push(still);
  await choose(form, '680 to 720 Good');
  await click(form, 'See my estimate');
  // The input of the first name stands for all inputs without an error.
  form.shadowRoot!.querySelector<HTMLInputElement>('#first_name')!.setAttribute('aria-invalid', 'false');
  // What is not measured is hidden, because each of the hundreds of accents makes the browser restyle all that is
  // visible.
  for (const element of form.shadowRoot!.querySelectorAll<HTMLElement>('form *')) {
    element.hidden = !element.matches(measured) && !element.querySelector(measured);
  }
  return form;
}

function check(form: LeadPrequalForm, context: string, exempt: (what: string) => boolean = () => false) {
  for (const [what, one, other, least] of pairs(form)) {
    if (exempt(what)) continue;
    expect(contrast(one, other), `${what} with ${context}: ${one} on ${other}`).to.be.at.least(least);
  }
}

describe('contrast', () => {
  const server = useServer();
  afterEach(() => (document.documentElement.style.colorScheme = ''));

  for (const scheme of ['light', 'dark']) {
    it(`the form has the contrast of WCAG AA with ${accents.length} accents on ${scheme} pages`, async () => {
      document.documentElement.style.colorScheme = scheme;
      const form = await openAll();
      for (const accent of accents) {
        form.style.setProperty('--prequal-accent', accent);
        check(form, accent);
      }
    });

    it(`the form has the contrast of WCAG AA with the pale brand of a page, on ${scheme} pages`, async () => {
      document.documentElement.style.colorScheme = scheme;
      const form = await openAll();
      for (const brand of ['#fff', '#ffc107', '#fffbe6', '#000', '#9dff20']) {
        form.style.setProperty('--bs-primary', brand);
        check(form, brand);
        expect(luminance(styleOf(form, parts.main).backgroundColor)).to.equal(luminance(brand));
      }
    });

    it(`other colours of a page are moved only as far as their contrast needs, on ${scheme} pages`, async () => {
      document.documentElement.style.colorScheme = scheme;
      const form = await openAll();
      const steps = await open();
      for (const color of accents) {
        for (const name of ['field', 'line', 'error']) form.style.setProperty(`--prequal-${name}`, color);
        // Only a form of several steps shows how far the visitor has come.
        steps.style.setProperty('--prequal-progress', color);
        check(form, color);
        const paper = styleOf(steps, '.card').backgroundColor;
        const {backgroundColor: bar} = styleOf(steps, '[part=bar-done]');
        expect(contrast(bar, paper), `the progress with ${color}`).to.be.at.least(3);
      }
      const own = scheme === 'light' ? '#fdf6ec' : '#23272e';
      form.style.setProperty('--prequal-field', own);
      expect(luminance(styleOf(form, parts.input).backgroundColor)).to.be.closeTo(luminance(own), 0.002);
    });

    it(`what is being sent can be read, on ${scheme} pages`, async () => {
      document.documentElement.style.colorScheme = scheme;
      const form = await openState(states['sending']!, server);
      const paper = styleOf(form, parts.card).backgroundColor;
      for (const part of ['[inert]', '[inert] label', '[inert] input', '[inert] .why']) {
        expect(contrast(styleOf(form, part).color, paper), part).to.be.at.least(4.5);
        expect(styleOf(form, part).opacity, part).to.equal('1');
      }
    });

    it(`the mark of a chosen answer has the colour of its edge, on ${scheme} pages`, async () => {
      document.documentElement.style.colorScheme = scheme;
      const form = await openAll();
      form.style.setProperty('--prequal-accent', '#7a1f5c');
      const {borderTopColor} = styleOf(form, parts.mark);
      expect(luminance(borderTopColor)).to.equal(luminance(styleOf(form, parts.chosen).borderTopColor));
    });

    it(`an option that is not chosen, and a consent box, do not look disabled, ${scheme}`, async () => {
      document.documentElement.style.colorScheme = scheme;
      const form = await openState(states['a consent box']!, server);
      const box = '.consent input';
      const paper = styleOf(form, parts.card).backgroundColor;
      for (const [look, least] of [
        ['borderTopColor', 3],
        ['backgroundColor', 1],
      ] as const) {
        const found = contrast(styleOf(form, box)[look], paper);
        expect(found, look).to.be.at.least(least);
        if (look === 'backgroundColor') expect(found, 'it is not grey inside').to.equal(1);
      }
      expect(styleOf(form, box).appearance).to.equal('none');
      form.shadowRoot!.querySelector<HTMLInputElement>(box)!.checked = true;
      const {backgroundColor} = styleOf(form, box);
      expect(contrast(backgroundColor, paper), 'a ticked box').to.be.at.least(3);
      const tick = getComputedStyle(form.shadowRoot!.querySelector(box)!, '::before');
      expect(contrast(tick.borderRightColor, backgroundColor), 'its tick').to.be.at.least(3);
    });

    it(`the form has the contrast of WCAG AA on ${backgrounds.length} backgrounds of ${scheme} pages`, async () => {
      document.documentElement.style.colorScheme = scheme;
      const form = await openAll();
      for (const [index, background] of backgrounds.entries()) {
        form.style.setProperty('--prequal-background', background);
        form.style.setProperty('--prequal-accent', accents[(index * 7) % accents.length]!);
        // On a middle grey, even black and white have little more contrast than needed, and less on a tint of the grey.
        const best = Math.max(contrast(background, '#000'), contrast(background, '#fff'));
        check(
          form,
          background,
          (what) => best < 5.5 && ['a chosen option', 'its quiet words'].includes(what),
        );
      }
    });

    it(`amounts contrast with each other and with every background of ${scheme} pages`, async () => {
      document.documentElement.style.colorScheme = scheme;
      server.reply(() => created({prequalification: {...amounts, ...tableOf(amountParts, () => 10_000)}}));
      const form = await openSent();
      const fills = () => amountParts.map((_, index) => styleOf(form, `table .fill-${index}`).color);
      for (const [index, one] of fills().entries()) {
        for (const other of fills().slice(index + 1)) {
          expect(contrast(one, other), `${one} and ${other}`).to.be.at.least(1.39);
        }
      }
      for (const background of ['', ...backgrounds]) {
        form.style.setProperty('--prequal-background', background);
        const paper = styleOf(form, '.card').backgroundColor;
        for (const fill of fills()) {
          expect(contrast(fill, paper), `${fill} on ${background || 'paper'}`).to.be.at.least(3);
        }
      }
    });
  }

  it('the contrast is computed as WCAG defines it', () => {
    expect(contrast('#000', '#fff')).to.be.closeTo(21, 0.01);
    expect(contrast('#767676', '#fff')).to.be.closeTo(4.54, 0.01);
  });
});
