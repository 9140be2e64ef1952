/**
 * Tests that a result shows everything that belongs to an amount, for each amount, so that no part of a new one is
 * missing.
 */
import {expect, waitUntil} from '@open-wc/testing';
import {amountParts, totalAmount, type AmountPart, type Reason} from '../../../contract/amounts.ts';
import {tableOf} from '../../../contract/table-of.ts';
import {LeadPrequalForm} from '../../../widget/define.ts';
import {hearClipboard} from '../../support/browser/browser-page.ts';
import {created, useServer} from '../../support/browser/fake-server.ts';
import {click, openFilled, openSent, reserved, send, shows, text} from '../../support/browser/visitor.ts';

/** Whole US dollars, different for each amount, so that a test can tell the amounts apart. */
const dollarsOf = (part: AmountPart) => 1_000 * (amountParts.indexOf(part) + 1);
const written = (part: AmountPart) => `$${dollarsOf(part) / 1_000},000`;
const amounts = tableOf(amountParts, dollarsOf);
const total = Object.values(amounts).reduce((sum, dollars) => sum + dollars);
const zeros = tableOf(amountParts, () => 0);

const textsIn = (form: LeadPrequalForm, selector: string) =>
  Array.from(form.shadowRoot?.querySelectorAll(selector) ?? [], ({textContent}) =>
    textContent.replace(/\s+/g, ' ').trim(),
  );

/** The computed fills of the elements that match the selector. */
const fillsIn = (form: LeadPrequalForm, selector: string) =>
  Array.from(form.shadowRoot?.querySelectorAll(selector) ?? [], (found) => getComputedStyle(found).fill);

const expectOneEach = (found: readonly string[]) => {
  expect(found, found.join(' | ')).to.have.length(amountParts.length);
  expect(new Set(found), found.join(' | ')).to.have.property('size', amountParts.length);
};

describe('each amount of a result', () => {
  const server = useServer();

  const result = async (parts: Record<AmountPart, number> = amounts, sum = total, reason?: Reason) => {
    const prequalification = {first_name: 'Maria', ...parts, [totalAmount]: sum};
    const reasons = reason ? tableOf(amountParts, () => reason) : {};
    server.reply(() => created({prequalification, reasons}));
    return openSent();
  };

  it('each amount has a colour of its own, which is the same in the bar and in the table', async () => {
    const form = await result();
    expectOneEach(fillsIn(form, '.swatch rect'));
    expect(fillsIn(form, '.bar rect')).to.deep.equal(fillsIn(form, '.swatch rect'));
  });

  it('each amount has a custom property for its colour', async () => {
    const form = await result();
    const before = fillsIn(form, '.swatch rect');
    for (const [index, part] of amountParts.entries()) {
      form.style.setProperty(`--prequal-amount-${index + 1}`, '#123');
      expect(fillsIn(form, '.swatch rect')[index], part).not.to.equal(before[index]);
    }
  });

  for (const lang of Object.keys(LeadPrequalForm.languages)) {
    /** The texts in English and in the language, once they have changed. */
    const translated = async (form: LeadPrequalForm, selector: string) => {
      const english = textsIn(form, selector);
      form.lang = lang;
      const texts = () => textsIn(form, selector);
      if (lang !== 'en') {
        await waitUntil(
          () => texts().every((text, index) => text !== english[index]),
          `all are in "${lang}"`,
        );
      }
      return texts();
    };

    it(`has a row with its name, its dollars and a sentence in "${lang}"`, async () => {
      const form = await result();
      expectOneEach(await translated(form, 'tbody th'));
      expectOneEach(textsIn(form, '[part=reason]'));
      expect(textsIn(form, '[part=amount]')).to.deep.equal(amountParts.map(written));
    });

    it(`each amount of zero says what it needs, in the language "${lang}"`, async () => {
      const form = await result(zeros, 0, 'nothing_to_borrow_against');
      expectOneEach(await translated(form, '[part=reason]'));
    });
  }

  it('each amount has a line in the text that is copied', async () => {
    const copies = hearClipboard();
    const form = await result();
    const names = textsIn(form, 'tbody th');
    await shows(form, 'Copy');
    await click(form, 'Copy');
    await shows(form, 'Copied');
    const lines = amountParts.map((part, index) => `${names[index]}: ${written(part)}`);
    expect(copies[0]!.split('\n').slice(1, lines.length + 1)).to.deep.equal(lines);
  });

  it('each amount is above zero in a sample, and has a reason in a sample without amounts', async () => {
    for (const state of ['', 'none']) {
      const form = await openFilled({style: reserved, sandbox: state});
      await shows(form, 'This is where the consent text');
      form.shadowRoot!.querySelector<HTMLInputElement>('input[type=checkbox]')!.click();
      await send(form);
      const found = textsIn(form, state === 'none' ? '[part=unlock] summary' : '[part=amount]');
      expect(found).to.have.length(amountParts.length);
      expect(text(form)).not.to.contain('Not part of this estimate.');
    }
  });
});
