import {aTimeout, expect, fixture, html, oneEvent} from '@open-wc/testing';
import {LeadPrequalForm} from '../../widget/define.ts';
import {hold, lose} from '../support/browser/lost-files.ts';
import type {SomeWords} from '../../form/words/words.ts';
import {Clock} from '../support/browser/clock.ts';
import {endpoint, problem, useServer} from '../support/browser/fake-server.ts';
import {
  announced,
  button,
  chooseScore,
  click,
  description,
  errors,
  field,
  fill,
  fillAll,
  focused,
  heading,
  open,
  openSent,
  send,
  shows,
  summary,
  text,
  touch,
} from '../support/browser/visitor.ts';

const card = (form: LeadPrequalForm) => form.shadowRoot?.querySelector('[part=card]');

describe('localization', () => {
  const server = useServer();

  describe('follows the language of the page', () => {
    for (const [lang, title] of [
      ['en', 'What is your credit score?'],
      ['en-GB', 'What is your credit score?'],
      ['es', '¿Cuál es su puntaje de crédito?'],
      ['es-MX', '¿Cuál es su puntaje de crédito?'],
      ['es-419', '¿Cuál es su puntaje de crédito?'],
      ['ES-us', '¿Cuál es su puntaje de crédito?'],
      ['es_MX', '¿Cuál es su puntaje de crédito?'],
      [' ES ', '¿Cuál es su puntaje de crédito?'],
      ['es.UTF-8', '¿Cuál es su puntaje de crédito?'],
      ['la', 'What is your credit score?'],
      ['est', 'What is your credit score?'],
      ['', 'What is your credit score?'],
    ] as const) {
      it(`the form of a page with lang="${lang}" begins with "${title}"`, async () => {
        document.documentElement.lang = lang;
        expect(heading(await open())).to.contain(title);
      });
    }
  });

  it('the form follows the nearest element that has a lang attribute, across shadow roots', async () => {
    document.documentElement.lang = 'en';
    const outer = await fixture<HTMLElement>(html`<div lang="es"></div>`);
    const middle = outer.attachShadow({mode: 'closed'}).appendChild(document.createElement('div'));
    const inner = middle.attachShadow({mode: 'open'}).appendChild(document.createElement('p'));
    const form = document.createElement('lead-prequal-form');
    const ready = oneEvent(form, 'prequal-ready');
    inner.append(form);
    await ready;
    expect(heading(form)).to.contain('¿Cuál es su puntaje de crédito?');

    middle.lang = 'en';
    await shows(form, 'What is your credit score?');
    middle.removeAttribute('lang');
    await shows(form, '¿Cuál es su puntaje de crédito?');
    form.lang = 'en';
    await shows(form, 'What is your credit score?');
    form.removeAttribute('lang');
    await shows(form, '¿Cuál es su puntaje de crédito?');

    document.body.append(form);
    await shows(form, 'What is your credit score?');
    outer.lang = 'la';
    inner.append(form);
    await aTimeout(0);
    expect(heading(form), 'the form has no Latin words').to.contain('What is your credit score?');
    expect(card(form)?.getAttribute('lang')).to.equal('en');
    expect(card(form)?.getAttribute('dir')).to.equal('ltr');
  });

  it('a form in Spanish is in Spanish from the first render on', async () => {
    const form = document.createElement('lead-prequal-form');
    form.lang = 'es';
    let seen = '';
    const ready = oneEvent(form, 'prequal-ready');
    const main = await fixture(html`<main></main>`);
    main.append(form);
    const observer = new MutationObserver(() => (seen += text(form)));
    observer.observe(form.shadowRoot!, {childList: true, subtree: true, characterData: true});
    await ready;
    await aTimeout(0);
    observer.disconnect();
    expect(seen).to.contain('¿Cuál es su puntaje de crédito?').and.not.contain('What is your credit score?');
    expect(card(form)?.hasAttribute('lang'), 'as the page says already').to.be.false;
  });

  it('a form that changes its language keeps what was typed, and translates its errors', async () => {
    const form = await open({layout: 'single'});
    fill(form, 'First name', 'Ana');
    fill(form, 'Email', 'ana');
    fill(form, 'Cash', '50k');
    await click(form, 'See my estimate');
    expect(summary(form)).to.include('Enter an email address like name@example.com.');

    form.parentElement!.lang = 'es';
    await shows(form, 'Sus fondos');
    expect(summary(form)).to.include('Escriba un correo electrónico como nombre@example.com.');
    expect(description(form, field(form, 'Correo electrónico'))).to.contain('Escriba un correo');
    expect(field(form, 'Nombre').value).to.equal('Ana');
    expect(field(form, 'Efectivo').value).to.equal('50,000');
    expect(announced(form)).to.equal('');

    form.parentElement!.lang = 'en';
    await shows(form, 'What is your credit score?');
    expect(summary(form)).to.include('Enter an email address like name@example.com.');
    expect(field(form, 'First name').value).to.equal('Ana');
  });

  it('a result changes its language, and amounts stay in the style of the United States', async () => {
    const form = await openSent();
    form.lang = 'es-ES';
    await shows(form, 'Préstamo de la SBA');
    expect(heading(form)).to.equal('Maria, usted podría calificar para hasta $830,000');
    expect(text(form)).not.to.contain('SBA loan');
    form.lang = 'en';
    await shows(form, 'SBA loan');
  });

  it('the notice of a failure changes its language', async () => {
    server.reply(() => problem(429, 'too-many-requests', {headers: {'Retry-After': '90'}}));
    const form = await openSent();
    expect(text(form)).to.contain('Please try again in 2 minutes.');
    form.lang = 'es';
    await shows(form, 'Inténtelo de nuevo dentro de 2 minutos.');
  });

  describe('when a file of words does not arrive', () => {
    it('the form is in English without its first words, and loads them again at the first touch', async () => {
      const restore = lose('es');
      const form = await open({lang: 'es-MX'});
      expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
      expect(card(form)?.getAttribute('lang')).to.equal('en');
      expect(card(form)?.getAttribute('dir')).to.equal('ltr');
      restore();
      await touch(form);
      await shows(form, '¿Cuál es su puntaje de crédito?');
      expect(focused(form)).to.equal(field(form, 'Más de 720 Excelente'));
      expect(card(form)?.hasAttribute('lang')).to.be.false;
    });

    it('a lead is sent in English if no file in Spanish arrives', async () => {
      lose('es');
      const form = await openSent({lang: 'es'});
      expect(heading(form)).to.equal('Maria, you may qualify for up to $830,000');
    });

    it('a form whose Spanish takes over three seconds is in English until the first touch', async () => {
      const clock = new Clock();
      const restore = hold('es');
      const opening = open({lang: 'es'});
      await clock.pass(3_000);
      const form = await opening;
      expect(heading(form)).to.contain('What is your credit score?');
      restore();
      await touch(form);
      await shows(form, '¿Cuál es su puntaje de crédito?');
    });
  });

  describe("with the page's own strings", () => {
    const strings: SomeWords = {
      next: 'Onwards',
      questions: {credit_score: 'How good is your credit?'},
      errors: {required: {credit_score: 'How good is it?'}},
      upTo: '{name}: as much as',
      names: {sba_qualified_amount: 'Bank loan'},
    };

    it('strings replace words in the form, its errors and its answer, and leave the others', async () => {
      const form = await open();
      form.strings = strings;
      await shows(form, 'Step 1 of 3 How good is your credit?');
      await click(form, 'Onwards');
      expect(errors(form)).to.deep.equal(['How good is it?']);
      form.strings = {...strings, next: 'Next'};
      await form.updateComplete;
      await fillAll(form);
      await send(form);
      expect(heading(form)).to.equal('Maria: as much as $830,000');
      expect(text(form)).to.contain('Bank loan').and.contain('Unsecured loan').and.not.contain('SBA loan');
    });

    it('strings can be set before the definition, stay in another language, and can be removed', async () => {
      const inert = new DOMParser().parseFromString('<lead-prequal-form></lead-prequal-form>', 'text/html');
      const form = inert.querySelector('lead-prequal-form')!;
      form.strings = strings;
      Object.assign(form, {endpoint});
      expect(form).not.to.be.instanceOf(LeadPrequalForm);
      const ready = oneEvent(form, 'prequal-ready');
      (await fixture(html`<main></main>`)).append(form);
      await ready;
      expect(heading(form)).to.equal('Step 1 of 3 How good is your credit?');
      form.lang = 'es';
      await shows(form, 'Paso 1 de 3 How good is your credit?');
      form.strings = undefined;
      await shows(form, '¿Cuál es su puntaje de crédito?');
    });
  });

  describe('with a language that the page adds', () => {
    const {languages} = LeadPrequalForm;
    const hebrew: SomeWords = {
      locale: 'he-IL',
      next: 'הבא',
      questions: {credit_score: 'עליכם'},
      errors: {required: {credit_score: 'מה שמכם?'}},
      total: 'סך הכול',
    };
    afterEach(() => {
      delete languages['he'];
      delete languages['pt-br'];
    });

    for (const [how, language] of [
      ['words', hebrew],
      ['a function', () => Promise.resolve(hebrew)],
    ] as const) {
      it(`a language may be ${how}, and what it leaves out stays English`, async () => {
        languages['he'] = language;
        const form = await open({lang: 'he', dir: 'rtl'});
        expect(heading(form)).to.contain('עליכם');
        expect(card(form)?.hasAttribute('dir')).to.be.false;
        await click(form, 'הבא');
        expect(errors(form)).to.deep.equal(['מה שמכם?']);

        form.strings = {next: 'Next'};
        await form.updateComplete;
        await fillAll(form);
        await send(form);
        expect(text(form)).to.contain('סך הכול').and.contain('SBA loan');
      });
    }

    it('a language may be a function, called for the first words and for those after a touch', async () => {
      const asked: string[] = [];
      languages['pt-br'] = (part) => {
        asked.push(part);
        return part === 'form' ? {next: 'Próximo'} : {total: 'Total geral'};
      };
      const form = await open({lang: 'pt-BR'});
      button(form, 'Próximo');
      expect(asked).to.deep.equal(['form']);
      await touch(form);
      expect(asked).to.include('answer');
    });

    it('a language may give words of later steps together with the first words', async () => {
      languages['pt-br'] = (part) =>
        part === 'form' ? {questions: {bankruptcy: 'Já declarou falência?'}} : {};
      const form = await open({lang: 'pt-BR'});
      await chooseScore(form);
      await shows(form, 'Já declarou falência?');
    });

    it('a form that is on the page already uses a new language when its lang attribute is set', async () => {
      const form = await open();
      form.parentElement!.lang = 'he';
      await aTimeout(0);
      languages['he'] = hebrew;
      form.lang = 'he';
      await shows(form, 'עליכם');
    });

    it('a language that arrives after the page has changed to another one is not shown', async () => {
      let arrive: (words: SomeWords) => void = () => {};
      languages['he'] = () => new Promise((resolve) => (arrive = resolve));
      const form = await open();
      form.lang = 'he';
      await aTimeout(0);
      form.lang = 'es';
      await shows(form, '¿Cuál es su puntaje de crédito?');
      arrive(hebrew);
      await aTimeout(0);
      await form.updateComplete;
      expect(heading(form)).to.contain('¿Cuál es su puntaje de crédito?');
    });

    it('a language that cannot be loaded leaves the form in English', async () => {
      languages['he'] = () => Promise.reject(new Error('not there'));
      const form = await openSent({lang: 'he'});
      expect(text(form)).to.contain('$830,000');
    });
  });

  describe('in a language from right to left', () => {
    const {languages} = LeadPrequalForm;
    before(() => (languages['he'] = {locale: 'he-IL', next: 'הבא'}));
    after(() => delete languages['he']);

    const rect = (form: LeadPrequalForm, selector: string, index = 0) =>
      form.shadowRoot!.querySelectorAll(selector)[index]!.getBoundingClientRect();

    for (const where of ['page', 'element'] as const) {
      it(`the form is mirrored by the dir attribute of the ${where}`, async () => {
        if (where === 'page') document.documentElement.dir = 'rtl';
        const form = await open({lang: 'he', layout: 'single', ...(where === 'element' && {dir: 'rtl'})});
        try {
          const label = rect(form, '[part=label]');
          const field = rect(form, '[part=field]');
          expect(Math.abs(label.right - field.right), 'labels are on the right').to.be.lessThan(1);
          expect(rect(form, '.chips button').left).to.be.greaterThan(rect(form, '.chips button', 1).right);
          expect(rect(form, '.option input').left).to.be.greaterThan(rect(form, '.option').left + 20);
        } finally {
          document.documentElement.removeAttribute('dir');
        }
      });
    }

    it('the progress and the bar of the result begin at the right in a language from right to left', async () => {
      const form = await open({lang: 'he', dir: 'rtl'});
      expect(rect(form, '[part=bar-done]').left).to.be.greaterThan(rect(form, '.progress i', 1).left);
      form.strings = {next: 'Next'};
      await form.updateComplete;
      await fillAll(form);
      await send(form);
      expect(rect(form, '.bar rect', 0).left).to.be.greaterThan(rect(form, '.bar rect', 1).left);
      expect(rect(form, 'tbody th').left).to.be.greaterThan(rect(form, 'tbody td').left);
    });

    it('options in English begin at their first word, on a page from right to left, too', async () => {
      const form = await open({lang: 'en', dir: 'rtl'});
      const label = [...form.shadowRoot!.querySelectorAll('label')][1]!;
      const words = [...label.querySelector('span')!.childNodes].find(
        (node) => node.nodeValue === '680 to 720',
      )!;
      const leftOf = (part: string) => {
        const range = document.createRange();
        range.setStart(words, words.nodeValue!.indexOf(part));
        range.setEnd(words, words.nodeValue!.indexOf(part) + part.length);
        return range.getBoundingClientRect().left;
      };
      expect(leftOf('680')).to.be.lessThan(leftOf('720'));
      expect(rect(form, '.option input', 1).left, 'the mark stays at the right').to.be.greaterThan(
        leftOf('720'),
      );
    });

    it('email, phone and amounts run from left to right, and names as the page does', async () => {
      const form = await open({lang: 'he', dir: 'rtl', layout: 'single'});
      const directions = ['first_name', 'email', 'phone', 'cash'].map(
        (name) => getComputedStyle(form.shadowRoot!.querySelector(`[name=${name}]`)!).direction,
      );
      expect(directions).to.deep.equal(['rtl', 'ltr', 'ltr', 'ltr']);
      expect(rect(form, '.sign').left).to.be.lessThan(rect(form, '.amount .money').left + 40);
    });
  });
});
