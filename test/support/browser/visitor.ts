/** Uses the form like a visitor, who finds everything by labels, button names and headings. */
import {aTimeout, expect, fixture, html, oneEvent} from '@open-wc/testing';
import {LeadPrequalForm} from '../../../widget/define.ts';
import {until} from '../until.ts';
import {endpoint} from './fake-server.ts';

export type Attributes = Readonly<Record<string, string>>;

/** The style of a page that keeps room for the form, so that a consent text is shown as soon as it arrives. */
export const reserved = 'min-height: 1500px';

function create(attributes: Attributes, children: string) {
  const form = document.createElement('lead-prequal-form');
  for (const [name, value] of Object.entries({partner: 'acme', endpoint, ...attributes})) {
    form.setAttribute(name, value);
  }
  form.innerHTML = children;
  return form;
}

/** Puts a form on the page, and does not wait for it. */
export async function place(attributes: Attributes = {}, children = ''): Promise<LeadPrequalForm> {
  const form = create(attributes, children);
  await fixture(html`<main>${form}</main>`);
  return form;
}

/** Puts a form on the page, and waits until it is rendered. */
export async function open(attributes: Attributes = {}, children = ''): Promise<LeadPrequalForm> {
  const form = create(attributes, children);
  const ready = oneEvent(form, 'prequal-ready');
  await fixture(html`<main>${form}</main>`);
  await ready;
  return form;
}

const words = (node: Node | null | undefined) => node?.textContent?.replace(/\s+/g, ' ').trim() ?? '';

const inside = <Found extends Element = HTMLElement>(form: LeadPrequalForm, selector: string) => [
  ...(form.shadowRoot?.querySelectorAll<Found & HTMLElement>(selector) ?? []),
];

function only<Found>(found: Found[], what: string): Found {
  if (found.length !== 1) throw new Error(`there are ${found.length} of ${what}`);
  return found[0] as Found;
}

/** An element of the form that is there. */
export const part = <Found extends Element = HTMLElement>(form: LeadPrequalForm, selector: string) =>
  form.shadowRoot!.querySelector<Found>(selector)!;

export const maybeField = (form: LeadPrequalForm, label: string) =>
  inside<HTMLLabelElement>(form, 'label').find((element) => words(element) === label)?.control as
    HTMLInputElement | undefined;

/** The input with this label. In a choice, that is the radio button with this text beside it. */
export function field(form: LeadPrequalForm, label: string): HTMLInputElement {
  const found = maybeField(form, label);
  if (!found) throw new Error(`there is no field ${label}`);
  return found;
}

/** A button that can be seen, also one that opens more. */
const buttons = (form: LeadPrequalForm, name: string) =>
  inside<HTMLButtonElement>(form, 'button, summary').filter(
    (element) => words(element) === name && element.checkVisibility(),
  );

export const maybeButton = (form: LeadPrequalForm, name: string) => buttons(form, name)[0];

export const button = (form: LeadPrequalForm, name: string) => only(buttons(form, name), name);

/** The whole text of the form, with each run of white space as one space. */
export const text = (form: LeadPrequalForm) => words(form.shadowRoot);

export const heading = (form: LeadPrequalForm) => words(inside(form, 'h2')[0]);

/** The lines of the error summary. Empty if there is no summary. */
export const summary = (form: LeadPrequalForm) => inside(form, '[part=summary] a').map(words);

/** What is said to be wrong, below the fields and above the last button. */
export const errors = (form: LeadPrequalForm) => inside(form, '[part=error]').map(words);

export const link = (form: LeadPrequalForm, name: string) =>
  inside<HTMLAnchorElement>(form, 'a').find((element) => words(element) === name);

/** What assistive technology reads after the field's name, such as its help and its error. */
export const description = (form: LeadPrequalForm, element: Element) =>
  (element.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => words(form.shadowRoot?.getElementById(id)))
    .join(' ')
    .trim();

export const focused = (form: LeadPrequalForm) => form.shadowRoot?.activeElement as HTMLElement | null;

export const announced = (form: LeadPrequalForm) => words(only(inside(form, '[role=status]'), 'live region'));

/** Changes a value as typing, pasting and autofill do: first the value changes, then the input sends an event. */
export function fill(form: LeadPrequalForm, label: string, value: string) {
  const input = field(form, label);
  input.focus();
  input.value = value;
  input.dispatchEvent(new InputEvent('input', {bubbles: true, composed: true}));
}

/** Goes on to another field. What is wrong with the one before is shown then. */
export async function goOnTo(form: LeadPrequalForm, label: string) {
  field(form, label).focus();
  await form.updateComplete;
  await form.updateComplete;
}

/** If the visitor has to wait for the file of the touched form, waits until it has arrived. */
const untilLoaded = (form: LeadPrequalForm) =>
  until(() => !text(form).includes('One moment…'), 'the file that the form waits for arrives');

export async function click(form: LeadPrequalForm, name: string) {
  button(form, name).click();
  await form.updateComplete;
  await untilLoaded(form);
  // What was asked for comes a task after the file.
  await aTimeout(0);
  await form.updateComplete;
}

/** Erases the result. */
export async function startOver(form: LeadPrequalForm) {
  await click(form, 'Start over');
  await click(form, 'Erase this result');
}

export async function choose(form: LeadPrequalForm, label: string) {
  field(form, label).click();
  await form.updateComplete;
}

/** Touches the form, and waits until the file that this loads has arrived. */
export async function touch(form: LeadPrequalForm) {
  form.shadowRoot?.querySelector('input')?.focus();
  const {length} = LeadPrequalForm.elementStyles;
  const sheets = () => form.shadowRoot?.adoptedStyleSheets.length ?? 0;
  await until(() => sheets() > length, 'the file of a touched form arrives');
}

/** Chooses the credit score, which is the first step of the default order. */
export async function chooseScore(form: LeadPrequalForm, label = 'Above 720 Excellent') {
  await touch(form);
  await choose(form, label);
}

const contactLabels = ['First name', 'Last name', 'Email', 'Phone'];
/** What the visitor types into the fields for contact data. */
export const typedContact = ['Maria', 'Ortiz', 'maria@example.com', '(415) 555-0132'];
export const noContact = ['', '', '', ''];

/** What stands in the fields for contact data. */
export const contactIn = (form: LeadPrequalForm) => contactLabels.map((label) => field(form, label).value);

export async function fillContact(form: LeadPrequalForm, typed: readonly string[] = typedContact) {
  await touch(form);
  for (const [index, label] of contactLabels.entries()) fill(form, label, typed[index] ?? '');
  await form.updateComplete;
}

/** Changes the fields for contact data as browsers do that send no event for it. */
export function fillContactSilently(form: LeadPrequalForm) {
  for (const [index, label] of contactLabels.entries()) field(form, label).value = typedContact[index] ?? '';
}

export async function fillFunds(form: LeadPrequalForm) {
  fill(form, 'Retirement funds', '120,000');
  fill(form, 'Cash', '50,000');
  fill(form, 'Investments', '0');
  await form.updateComplete;
}

/** Fills in what the page that is shown asks for, whatever the order of the steps. */
export async function fillPage(form: LeadPrequalForm) {
  if (maybeField(form, 'Above 720 Excellent')) await chooseScore(form);
  if (maybeField(form, 'Cash')) await fillFunds(form);
  if (maybeField(form, 'First name')) await fillContact(form);
}

/** Fills in page after page, up to the one that has this field. */
export async function goTo(form: LeadPrequalForm, label: string) {
  await touch(form);
  while (!maybeField(form, label)) {
    await fillPage(form);
    await click(form, 'Next');
  }
}

/** Goes on from page to page, up to the last button, because all of them are filled in. */
export async function goOn(form: LeadPrequalForm) {
  while (maybeButton(form, 'Next')) await click(form, 'Next');
}

/** Fills in all pages, up to the last button. */
export async function fillAll(form: LeadPrequalForm) {
  await touch(form);
  await fillPage(form);
  while (maybeButton(form, 'Next')) {
    await click(form, 'Next');
    await fillPage(form);
  }
}

/** Puts a form on the page, and fills it in up to the last button. */
export async function openFilled(attributes?: Attributes, children?: string): Promise<LeadPrequalForm> {
  const form = await open(attributes, children);
  await fillAll(form);
  return form;
}

/** Presses the last button, and waits for the result or the error. */
export async function send(form: LeadPrequalForm, name = 'See my estimate') {
  const end = Promise.race([oneEvent(form, 'prequal-result'), oneEvent(form, 'prequal-error')]);
  button(form, name).click();
  const event = await end;
  await form.updateComplete;
  return event as CustomEvent<unknown>;
}

/** Puts a form on the page, fills it in, and sends the lead. @returns it with the result or the error */
export async function openSent(attributes?: Attributes, children?: string): Promise<LeadPrequalForm> {
  const form = await openFilled(attributes, children);
  await send(form);
  return form;
}

export async function shows(form: LeadPrequalForm, expected: string) {
  await until(() => text(form).includes(expected), `the form shows "${expected}"`);
}

/**
 * Waits for what the configuration adds. If it arrives while the end of the form is on the screen, it is shown at the next
 * touch of a field, so the visitor goes on touching one.
 */
export async function showsConfigured(form: LeadPrequalForm, expected: string) {
  const goOnTouching = async () => {
    form.shadowRoot
      ?.querySelector('.field input')
      ?.dispatchEvent(new FocusEvent('focusin', {bubbles: true, composed: true}));
    await form.updateComplete;
    return text(form).includes(expected);
  };
  await until(goOnTouching, `the form shows "${expected}"`);
}

/** Records every `prequal-*` event from now on, with its detail. */
export function listen(target: EventTarget = document) {
  const events: {type: string; detail: unknown}[] = [];
  for (const name of ['ready', 'start', 'step', 'invalid', 'submit', 'result', 'error']) {
    target.addEventListener(`prequal-${name}`, (event) => {
      expect(event.bubbles && event.composed, `${event.type} leaves shadow roots`).to.be.true;
      events.push({type: event.type, detail: (event as CustomEvent<unknown>).detail});
    });
  }
  return events;
}
