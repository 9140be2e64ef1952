/** The whole way of a visitor: three steps, consent, and the four amounts. */
import {amountParts} from '../../../contract/amounts.ts';
import {formatMoney} from '../../../form/format-money.ts';
import {shownAmounts} from '../../../form/shown-amounts.ts';
import {calculate} from '../../../calculator/calculator.ts';
import {defaultPolicy} from '../../../calculator/policy.ts';
import type {VisitedForm} from './visitors.ts';

const answers = {credit_score: 'Above 720', retirement: 120_000, cash: 50_000, investments: 130_000} as const;
const shown = shownAmounts({
  prequalification: {first_name: 'Ana', ...calculate(answers, defaultPolicy).amounts},
  explanation: {rounding_increment: defaultPolicy.display_rounding_increment},
});

const field = (name: string) => `[name="${name}"]`;
/** The button that goes on, and at last sends. */
const main = 'button.main';

/** Fills in the three steps. */
export async function answerAll(form: VisitedForm, email: string) {
  const contact = {first_name: 'Ana', last_name: 'Silva', email, phone: '4155550132'};
  await form.click(`${field('credit_score')}[value="${answers.credit_score}"] + label`);
  await form.click(main);
  for (const name of ['retirement', 'cash', 'investments'] as const)
    await form.type(field(name), String(answers[name]));
  await form.click(main);
  for (const [name, value] of Object.entries(contact)) await form.type(field(name), value);
}

export const send = (form: VisitedForm) => form.click(main);

/**
 * Answers everything, agrees, sends, and reads the amounts.
 * @throws Error if they are not those of the calculator
 */
export async function visit(form: VisitedForm, email: string) {
  await answerAll(form, email);
  // A consent text that arrives late and would move the page is shown when the visitor goes on.
  await send(form);
  await form.click('input[type=checkbox]');
  await send(form);
  const table = await form.read('table');
  for (const part of amountParts) {
    const amount = formatMoney(shown?.[part] ?? 0, 'en-US');
    if (!table.includes(amount)) throw new Error(`${part} should be ${amount}, but the form shows ${table}`);
  }
}
