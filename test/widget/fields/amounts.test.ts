/** What happens to an amount of money while it is typed, and when the field is left. Uses real keys. */
import {expect} from '@open-wc/testing';
import {sendKeys, sendMouse} from '@web/test-runner-commands';
import {itExceptWebKit} from '../../support/browser/drivers.ts';
import {created, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  announced,
  button,
  click,
  description,
  errors,
  field,
  fill,
  fillContact,
  fillFunds,
  focused,
  goOnTo,
  goTo,
  maybeButton,
  open,
  openFilled,
  send,
  shows,
  text,
} from '../../support/browser/visitor.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';

describe('an amount of money', () => {
  const server = useServer();

  const press = async (...keys: string[]) => {
    for (const key of keys) await sendKeys({press: key});
  };

  const type = async (form: LeadPrequalForm, label: string, typed: string) => {
    field(form, label).focus();
    await sendKeys({type: typed});
  };

  /** Goes on to a field that may stay empty. */
  const leave = (form: LeadPrequalForm) => goOnTo(form, 'No');

  /** The text of an input, with its caret as `|`. */
  const shown = ({value, selectionStart}: HTMLInputElement) =>
    `${value.slice(0, selectionStart ?? 0)}|${value.slice(selectionStart ?? 0)}`;

  describe('while it is typed', () => {
    it('digits are grouped at once, and the caret stays between the same digits', async () => {
      const form = await open({layout: 'single'});
      const cash = field(form, 'Cash');
      await type(form, 'Cash', '1234567');
      expect(shown(cash)).to.equal('1,234,567|');
      await press('Home', 'ArrowRight', '9');
      expect(shown(cash)).to.equal('19|,234,567');
      await press('End', 'Backspace');
      expect(shown(cash)).to.equal('1,923,456|');
    });

    it('a deletion over a comma takes the next digit', async () => {
      const form = await open({layout: 'single'});
      const cash = field(form, 'Cash');
      await type(form, 'Cash', '1234567');
      await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Backspace');
      expect(shown(cash)).to.equal('123|,567');
      await press('Delete');
      expect(shown(cash)).to.equal('12,3|67');
    });

    itExceptWebKit('letters, decimals and typed commas are left alone until the field is left', async () => {
      const form = await open({layout: 'single'});
      for (const [typed, tidied] of [
        ['1500k', '1,500,000'],
        ['50000.75', '50,000'],
        ['5,00,000', '500,000'],
      ] as const) {
        fill(form, 'Cash', '');
        await type(form, 'Cash', typed);
        const {value} = field(form, 'Cash');
        expect(value.replace(',', '')).to.equal(typed.replace(',', ''));
        await leave(form);
        expect(field(form, 'Cash').value).to.equal(tidied);
      }
    });

    it('what fills the field in without typing is left alone until the field is left', async () => {
      const form = await open({layout: 'single'});
      fill(form, 'Cash', '50000');
      expect(field(form, 'Cash').value).to.equal('50000');
      await leave(form);
      expect(field(form, 'Cash').value).to.equal('50,000');
    });

    itExceptWebKit(
      'in a locale that does not group with commas, digits are grouped when the field is left',
      async () => {
        const form = await open({layout: 'single'});
        form.strings = {locale: 'de-DE'};
        await form.updateComplete;
        await type(form, 'Cash', '50000');
        expect(field(form, 'Cash').value).to.equal('50000');
        await leave(form);
        expect(field(form, 'Cash').value).to.equal('50.000');
      },
    );

    itExceptWebKit('the browser can undo what was typed', async () => {
      const form = await open({layout: 'single'});
      await type(form, 'Cash', '12345');
      // One step may take back only the grouping.
      await sendKeys({down: 'Control'});
      await press('z', 'z');
      await sendKeys({up: 'Control'});
      const digits = field(form, 'Cash').value.replaceAll(',', '');
      expect(digits.length).to.be.below(5);
      expect('12345'.startsWith(digits), digits).to.be.true;
    });
  });

  it('words for nothing are 0, and what cannot be read stays, with an example of what to type', async () => {
    const form = await open({layout: 'single'});
    await type(form, 'Cash', 'none');
    await leave(form);
    expect(field(form, 'Cash').value).to.equal('0');

    for (const [typed, sentence] of [
      ['some', 'Cash: enter one amount in US dollars, like 50,000.'],
      ['50-60k', 'Cash: enter one amount, the least that you are sure of, like 50,000.'],
      ['1.5', 'Cash: enter the whole amount, like 50,000 or 1.5 million.'],
    ] as const) {
      fill(form, 'Cash', typed);
      await leave(form);
      expect(field(form, 'Cash').value).to.equal(typed);
      expect(errors(form)).to.deep.equal([sentence]);
      expect(description(form, field(form, 'Cash'))).to.contain(sentence);
    }
  });

  it('an amount is tidied when the focus goes to its own None button, or by Tab to the next one', async () => {
    const form = await open({layout: 'single'});
    await type(form, 'Retirement funds', '120k');
    button(form, 'None for Retirement funds').focus();
    await form.updateComplete;
    expect(field(form, 'Retirement funds').value).to.equal('120,000');
    await type(form, 'Cash', '50k');
    await press('Tab');
    await form.updateComplete;
    expect(focused(form)?.id).to.equal('investments');
    expect(field(form, 'Cash').value).to.equal('50,000');
  });

  describe('that is empty', () => {
    /** What sighted people read in the amount that has the focus. */
    const hint = (form: LeadPrequalForm) => {
      const shown = [...form.shadowRoot!.querySelectorAll<HTMLElement>('.hint')];
      return shown.filter((element) => element.checkVisibility()).map(({textContent}) => textContent);
    };

    it('shows that 0 means none to somebody who comes by Tab, until something is typed', async () => {
      const form = await open({layout: 'single'});
      field(form, 'Cash').focus();
      expect(hint(form)).to.deep.equal([]);
      await press('Tab');
      expect(focused(form)?.id).to.equal('investments');
      expect(hint(form)).to.deep.equal(['None? Type 0.']);
      await press('0');
      expect(hint(form)).to.deep.equal([]);
    });

    it('shows no hint once the visitor presses something with a pointer', async () => {
      const form = await open({layout: 'single'});
      field(form, 'Cash').focus();
      await press('Tab');
      field(form, 'Investments').scrollIntoView({block: 'center'});
      const {x, y, width, height} = field(form, 'Investments').getBoundingClientRect();
      await sendMouse({
        type: 'click',
        position: [Math.round(x + width / 2), Math.round(y + height / 2)],
      });
      expect(focused(form)?.id).to.equal('investments');
      expect(hint(form)).to.deep.equal([]);
    });

    it('tells screen readers after its help that 0 means none, in each language', async () => {
      for (const [lang, label, said] of [
        ['en', 'Cash', 'that you could put in None? Type 0.'],
        ['es', 'Efectivo', '¿Nada? Escriba 0.'],
      ] as const) {
        const form = await open({layout: 'single', lang});
        expect(description(form, field(form, label))).to.match(
          new RegExp(`${said.replaceAll(/[?.]/g, '\\$&')}$`),
        );
      }
    });
  });

  describe('that may mean thousands', () => {
    const question = 'Cash: $50, or $50,000?';

    const asked = async (typed = '50', expected = question) => {
      const form = await open({layout: 'single'});
      await type(form, 'Cash', typed);
      await leave(form);
      await shows(form, expected);
      return form;
    };

    it('the form asks when the field is left, and a button replaces the amount', async () => {
      const form = await asked();
      expect(announced(form)).to.equal(question);
      expect(field(form, 'Cash').getAttribute('aria-invalid')).to.equal('false');
      await click(form, '$50,000');
      expect(field(form, 'Cash').value).to.equal('50,000');
      expect(focused(form)).to.equal(field(form, 'Cash'));
      expect(maybeButton(form, '$50,000')).to.equal(undefined);
      expect(announced(form)).to.equal('');
    });

    it('so is a very large amount, and what is too large is only an error', async () => {
      const form = await asked('999999999', 'Cash: $999,999,999, or $999,999?');
      await click(form, '$999,999');
      expect(field(form, 'Cash').value).to.equal('999,999');
      await type(form, 'Investments', '9999999999');
      await leave(form);
      await shows(form, 'Investments must be $999,999,999 or less.');
      expect(text(form)).not.to.contain(', or $');
    });

    it('the visitor who keeps the amount is not asked again', async () => {
      const form = await asked();
      await click(form, '$50');
      expect(field(form, 'Cash').value).to.equal('50');
      expect(maybeButton(form, '$50')).to.equal(undefined);
      await leave(form);
      expect(maybeButton(form, '$50')).to.equal(undefined);
    });

    itExceptWebKit('the question can be answered with the keyboard alone', async () => {
      const form = await open({layout: 'single'});
      await type(form, 'Cash', '50');
      await press('Tab');
      await shows(form, question);
      await sendKeys({down: 'Shift'});
      await press('Tab');
      await sendKeys({up: 'Shift'});
      expect(focused(form)?.textContent).to.contain('$50,000');
      await press('Enter');
      expect(field(form, 'Cash').value).to.equal('50,000');
    });

    it('the question goes with a changed amount or None, and is asked of the new amount', async () => {
      const form = await asked();
      await type(form, 'Cash', '1');
      await form.updateComplete;
      expect(text(form)).not.to.contain(question);
      expect(announced(form)).to.equal('');
      await leave(form);
      await shows(form, 'Cash: $501, or $501,000?');

      await click(form, 'None for Cash');
      expect(maybeButton(form, '$501')).to.equal(undefined);
      await leave(form);
      expect(text(form)).not.to.contain(', or $');
    });

    it('each amount has its own question', async () => {
      const form = await asked();
      await type(form, 'Investments', '7');
      await leave(form);
      await shows(form, 'Investments: $7, or $7,000?');
      await click(form, '$7,000');
      expect(field(form, 'Investments').value).to.equal('7,000');
      expect(text(form)).to.contain(question);
    });

    it('"2 mil" is asked about on an English page', async () => {
      const form = await asked('2 mil', 'Cash: $2,000, or $2,000,000?');
      await click(form, '$2,000,000');
      expect(field(form, 'Cash').value).to.equal('2,000,000');
    });

    it('a Spanish page asks in Spanish', async () => {
      const form = await open({layout: 'single', lang: 'es'});
      await shows(form, 'Efectivo');
      await type(form, 'Efectivo', '50');
      field(form, 'Nombre').focus();
      await shows(form, 'Efectivo: ¿$50 o $50,000?');
    });

    it('a zero, a thousand and a text that cannot be read are not asked about', async () => {
      const form = await open({layout: 'single'});
      for (const typed of ['0', '1000', '50k', 'some']) {
        fill(form, 'Cash', typed);
        await leave(form);
        expect(text(form), typed).not.to.contain(', or $');
      }
      fill(form, 'First name', '50');
      field(form, 'Cash').focus();
      await form.updateComplete;
      expect(text(form)).not.to.contain(', or $');
    });

    it('the question waits until the mouse button is released, so that no button moves away', async () => {
      const form = await open({layout: 'single'});
      await type(form, 'Cash', '50');
      const main = button(form, 'See my estimate');
      main.scrollIntoView({block: 'center'});
      const {x, y} = main.getBoundingClientRect();
      await sendMouse({type: 'move', position: [Math.ceil(x) + 10, Math.ceil(y) + 10]});
      await sendMouse({type: 'down'});
      await form.updateComplete;
      expect(text(form)).not.to.contain(question);
      await sendMouse({type: 'up'});
      await shows(form, question);
    });

    describe('stops the last button once', () => {
      const last = 'Investments: $50, or $50,000?';

      /** Fills in everything, with amounts that nobody asks about. */
      const filled = async (attributes: Readonly<Record<string, string>> = {layout: 'single'}) => {
        server.reply(() => created({prequalification: null}));
        return openFilled(attributes);
      };

      for (const [what, typed, asked, sent] of [
        ['the question of the last field', {Investments: '50'}, [last], {investments: 50}],
        ['several questions', {Cash: '50', Investments: '50'}, [question, last], {cash: 50, investments: 50}],
        ['"2 mil"', {Cash: '2 mil'}, ['Cash: $2,000, or $2,000,000?'], {cash: 2_000}],
      ] as const) {
        it(`${what}: one press shows and announces it, and the next one sends`, async () => {
          const form = await filled();
          for (const [label, amount] of Object.entries(typed)) fill(form, label, amount);
          await click(form, 'See my estimate');
          expect(announced(form)).to.equal(asked.join(' '));
          for (const sentence of asked) expect(text(form)).to.contain(sentence);
          expect(focused(form)).to.equal(field(form, Object.keys(typed)[0]!));
          expect(server.leads).to.have.length(0);

          const sending = send(form);
          await form.updateComplete;
          for (const sentence of asked) expect(text(form), 'while it is sent').not.to.contain(sentence);
          await sending;
          expect(server.leads[0]!.body.lead).to.include(sent);
        });
      }

      it('a question that stands there already stops the press, too', async () => {
        const form = await filled({order: 'contact-first'});
        fill(form, 'Cash', '50');
        field(form, 'Investments').focus();
        await shows(form, question);
        await click(form, 'See my estimate');
        expect(server.leads).to.have.length(0);
        expect(focused(form)).to.equal(field(form, 'Cash'));
        expect(announced(form)).to.equal(question);
        await send(form);
        expect(server.leads[0]!.body.lead['cash']).to.equal(50);
      });

      it('Enter in the field is stopped once, too', async () => {
        const form = await filled({order: 'contact-first'});
        fill(form, 'Investments', '50');
        await press('Enter');
        await shows(form, last);
        expect(announced(form)).to.equal(last);
        expect(focused(form)).to.equal(field(form, 'Investments'));
        expect(server.leads).to.have.length(0);
        await press('Enter');
        await until(() => server.leads.length === 1);
        expect(server.leads[0]!.body.lead['investments']).to.equal(50);
      });

      it('a real click is stopped once, too', async () => {
        const form = await filled();
        fill(form, 'Investments', '');
        await type(form, 'Investments', '50');
        const main = button(form, 'See my estimate');
        main.scrollIntoView({block: 'center'});
        const {x, y} = main.getBoundingClientRect();
        await sendMouse({type: 'click', position: [Math.ceil(x) + 10, Math.ceil(y) + 10]});
        await shows(form, last);
        expect(focused(form)).to.equal(field(form, 'Investments'));
        expect(server.leads).to.have.length(0);
        // A second real click may count as the second half of a double click.
        await send(form);
        expect(server.leads[0]!.body.lead['investments']).to.equal(50);
      });

      it('an answered question does not stop the press, and the answer is sent', async () => {
        const form = await filled();
        fill(form, 'Cash', '50');
        await click(form, 'See my estimate');
        await click(form, '$50,000');
        await send(form);
        expect(server.leads[0]!.body.lead['cash']).to.equal(50_000);
      });

      it('an amount that is small in another way is asked about again', async () => {
        const form = await filled();
        fill(form, 'Cash', '50');
        await click(form, 'See my estimate');
        fill(form, 'Cash', '60');
        await click(form, 'See my estimate');
        expect(announced(form)).to.equal('Cash: $60, or $60,000?');
        expect(server.leads).to.have.length(0);
        await send(form);
        expect(server.leads[0]!.body.lead['cash']).to.equal(60);
      });

      it('errors come before questions', async () => {
        const form = await filled();
        fill(form, 'Cash', '50');
        fill(form, 'Investments', 'some');
        await click(form, 'See my estimate');
        expect(focused(form)).to.equal(field(form, 'Investments'));
        fill(form, 'Investments', '0');
        await click(form, 'See my estimate');
        expect(focused(form)).to.equal(field(form, 'Cash'));
        expect(server.leads).to.have.length(0);
        await send(form);
      });

      it('after "Change my answers", only a new amount is asked about', async () => {
        const form = await filled();
        fill(form, 'Cash', '50');
        server.reply(() => created());
        await click(form, 'See my estimate');
        await send(form);
        await click(form, 'Change my answers');
        expect(text(form)).not.to.contain(question);

        fill(form, 'Investments', '50');
        await click(form, 'See my estimate');
        expect(announced(form)).to.equal(last);
        expect(server.leads).to.have.length(1);
        await send(form);
        expect(server.leads[1]!.body.lead).to.deep.include({cash: 50, investments: 50});
      });

      it('an amount that a browser filled in without an event is asked about', async () => {
        const form = await filled();
        field(form, 'Cash').value = '50';
        await click(form, 'See my estimate');
        expect(announced(form)).to.equal(question);
        expect(server.leads).to.have.length(0);
      });

      it('the press that leaves the amounts is stopped once, and the last one is not', async () => {
        server.reply(() => created({prequalification: null}));
        const form = await open();
        await goTo(form, 'Cash');
        await fillFunds(form);
        fill(form, 'Cash', '50');
        await click(form, 'Next');
        expect(announced(form)).to.equal(question);
        expect(focused(form)).to.equal(field(form, 'Cash'));
        await click(form, 'Next');
        await fillContact(form);
        await send(form);
        expect(server.leads[0]!.body.lead['cash']).to.equal(50);
      });

      it('submit() shows the page of the question', async () => {
        const form = await filled({order: 'contact-first'});
        fill(form, 'Cash', '50');
        await click(form, 'Back');
        await form.submit();
        await shows(form, question);
        await form.updateComplete;
        expect(focused(form)).to.equal(field(form, 'Cash'));
        expect(server.leads).to.have.length(0);
        await form.submit();
        expect(server.leads[0]!.body.lead['cash']).to.equal(50);
      });
    });

    it('the question has a name for screen readers', async () => {
      const form = await asked();
      const group = button(form, '$50').closest('[role=group]')!;
      const label = form.shadowRoot?.getElementById(group.getAttribute('aria-labelledby') ?? '');
      expect(label?.textContent).to.equal(question);
      expect(description(form, field(form, 'Cash'))).to.contain('put in');
    });
  });
});
