/** Tests the form in very little space: words and amounts stay whole. */
import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {answer, config, created, useServer} from '../support/browser/fake-server.ts';
import {
  field,
  fill,
  fillAll,
  fillContact,
  goTo,
  open,
  reserved,
  send,
  shows,
} from '../support/browser/visitor.ts';

/** The largest amounts that the calculator gives. */
const prequalification = {
  first_name: 'Maria',
  rollover_amount: 999_999_999,
  sba_qualified_amount: 5_000_000,
  unsecured_amount: 150_000,
  portfolio_loan_qualified_amount: 599_999_999,
  total_qualified_amount: 1_605_149_998,
};

/** The boxes of each word of an element: more than one if the word is broken. */
function wordsIn(element: Element): {word: string; boxes: DOMRect[]}[] {
  const range = document.createRange();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const words: ReturnType<typeof wordsIn> = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (const {0: word, index} of text.textContent!.matchAll(/\S+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      words.push({word, boxes: [...range.getClientRects()]});
    }
  }
  return words;
}

/** The words of these elements that are broken, or that reach out of the card. */
function brokenWords(form: LeadPrequalForm, selector: string): string[] {
  const edge = form.getBoundingClientRect().right;
  const found = [...form.shadowRoot!.querySelectorAll(selector)];
  expect(found, selector).not.to.be.empty;
  return found
    .flatMap(wordsIn)
    .filter(({boxes}) => boxes.length > 1 || boxes.some(({right}) => right > edge))
    .map(({word}) => word);
}

const linesOf = (element: Element) =>
  new Set(wordsIn(element).flatMap(({boxes}) => boxes.map(({bottom}) => Math.round(bottom)))).size;

describe('little space', () => {
  const server = useServer();

  it('the name of an amount stands on one line if there is room beside the amount', async () => {
    const form = await open();
    form.style.inlineSize = '296px';
    await fillAll(form);
    await send(form);
    const names = [...form.shadowRoot!.querySelectorAll('tbody th')];
    expect(names.map(linesOf)).to.deep.equal([2, 1, 1]);
  });

  it('the largest amount is seen whole in its field, also with text of twice the size', async () => {
    const form = await open();
    form.style.inlineSize = '328px';
    form.style.fontSize = '32px';
    await goTo(form, 'Cash');
    fill(form, 'Cash', '999,999,999');
    const input = field(form, 'Cash');
    expect(input.scrollWidth).to.equal(input.clientWidth);
  });

  it('a long e-mail address makes the form no wider, in a question or in what the partner says', async () => {
    const promise = 'Questions? partnerfinancing@northwesternfranchise.example';
    server.config = () => config({about: {lines: [{name: 'promise', text: promise}]}});
    const form = await open({'lead-type': 'standard', style: `${reserved}; inline-size: 248px`});
    await shows(form, promise);
    expect(form.scrollWidth, promise).to.equal(form.clientWidth);
    await fillContact(form, ['Maria', 'Ortiz', 'maria.fernanda.ortizgonzalez@gmial.com', '']);
    await shows(form, 'Did you mean maria.fernanda.ortizgonzalez@gmail.com?');
    expect(form.scrollWidth, 'a question').to.equal(form.clientWidth);
  });

  it('a button whose label takes two lines begins where the others begin', async () => {
    const form = await open();
    form.style.inlineSize = '248px';
    await fillAll(form);
    await send(form);
    document.documentElement.lang = 'es';
    await shows(form, 'Imprimir');
    const labels = [...form.shadowRoot!.querySelectorAll('button.quiet')].map(wordsIn);
    const starts = labels.map((words) => Math.round(Math.min(...words.map(({boxes}) => boxes[0]!.left))));
    expect(new Set(starts).size).to.equal(1);
  });

  for (const lang of ['en', 'es']) {
    for (const width of [248, 328]) {
      it(`no word of a label or an option is broken, ${width} px, ${lang}`, async () => {
        document.documentElement.lang = lang;
        const form = await open({layout: 'single'});
        form.style.inlineSize = `${width}px`;
        expect(brokenWords(form, 'h2, label, section:not(.alone) legend')).to.deep.equal([]);
      });

      it(`the largest amounts and their names stay whole, ${width} px, ${lang}`, async () => {
        server.reply(() => created(answer({prequalification})));
        const form = await open();
        form.style.inlineSize = `${width}px`;
        await fillAll(form);
        await send(form);
        // The visitor above reads English. The result changes its language with the page.
        document.documentElement.lang = lang;
        await shows(form, lang === 'es' ? 'Préstamo sin' : 'Unsecured');
        expect(brokenWords(form, '.total, th, td')).to.deep.equal([]);
      });
    }
  }
});
