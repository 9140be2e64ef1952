/** What the visitor typed, what is wrong with it, and which page of fields is shown. */
import {html, nothing, type ReactiveController} from 'lit';
import {emailSuggestion} from '../../form/email-suggestion.ts';
import {formatDollars, formatMoney, usesCommas} from '../../form/format-money.ts';
import {groupAsTyped} from '../../form/group-as-typed.ts';
import {isUnclear, parseMoney} from '../../form/money.ts';
import {fieldsOf, fieldTable, isFolded, type FieldName, type Rows} from '../../form/pages.ts';
import {isField, readFields, type Errors, type InputError, type Values} from '../../form/read-fields.ts';
import {tidy} from '../../form/tidy.ts';
import {partnerView} from '../../form/views/partner.ts';
import {fill, sayError, withAskedWords, type Words} from '../../form/words/words.ts';
import type {AboutPartner, AskedField} from '../../contract/embed.ts';
import type {FormHost} from './form-host.ts';
import {emit} from '../page/events.ts';
import {safeDocument} from '../page/safe-document.ts';
import {
  amountsByThumb,
  errorText,
  fieldView,
  foldView,
  sayQuestion,
  type EnterKey,
  type FieldActions,
} from './field-views.ts';
import {answersText, readDraft} from './kept-draft.ts';
import {knownContact} from './known-contact.ts';

/** The selector of a field's input, or of the consent's. Of a choice, it is the first radio button. */
export const inputOf = (id: string | undefined) => `[data-field=${id}] [name]`;

/** What the partner's configuration adds to the fields. */
export type Added = {
  /** The fields that the partner asks for besides. They stand on the last page. */
  readonly asked: readonly AskedField[];
  /** What is said of the partner where the contact data is asked for. */
  readonly about?: AboutPartner | undefined;
};

/** Whole US dollars. */
type Amounts = {[Name in FieldName]?: number | undefined};

export class FormState implements ReactiveController {
  values: Values = {};
  errors: Errors = {};
  /** With those of what the partner asks besides. Another form on the page may ask something else by the same name. */
  rows: Rows = fieldTable;
  /** The index of the page that is shown. */
  page = 0;
  /** The question about a bankruptcy stands below the score. Otherwise, it stands among the funds. */
  asksBelowScore = false;
  /** The visitor has gone back to an earlier page. */
  cameBack = false;
  /** What the page has filled in. It is no draft until the visitor goes on. */
  filled = '';

  readonly #host: FormHost;
  readonly #added: () => Added;
  /** An e-mail address to put in place of the typed one, if the visitor wants that. */
  #suggestion: string | undefined;
  /** The amounts that may be meant as thousands, which the visitor is asked, and those that the visitor has answered. */
  #fewDollars: Amounts = {};
  #answered: Amounts = {};
  /** The amounts that are the same as that of a button below them. */
  #onButtons: Amounts = {};
  /** The visitor has typed or chosen something. */
  #started = false;
  /** What the partner asks for besides is shown, unless the visitor folds it away. */
  #isUnfolded = false;
  /** The attributes and the property that answers have been filled in from. */
  #sources: readonly unknown[] = [];

  /** @param added what is shown now of it */
  constructor(host: FormHost, added: () => Added) {
    this.#host = host;
    this.#added = added;
    const draft = this.#fill();
    // What was chosen before this file arrived is in the draft, too, unless another page of the tab has kept a newer answer.
    for (const input of host.element.shadowRoot?.querySelectorAll<HTMLInputElement>('[type=radio]') ?? [])
      input.checked ||= draft?.values[input.name as FieldName] === input.value;
    this.collect();
    // A visitor who is in a field already stays there.
    if (!host.element.shadowRoot?.activeElement) this.#goTo(draft?.step);
    host.element.addController(this);
  }

  hostUpdate() {
    const isNew = prefillSources(this.#host.element).some(
      (source, index) => source && source !== this.#sources[index],
    );
    if (isNew && !this.#started) this.#goTo(this.#fill()?.step);
    // There may be fewer pages now, because of the configuration or a changed attribute.
    this.page = Math.min(this.page, this.#host.pages().length - 1);
  }

  /** The fields of the page that is shown. */
  get names(): readonly FieldName[] {
    return fieldsOf(this.#host.pages()[this.page]);
  }

  /**
   * What the partner asks for besides is folded together, in the place of the first of these fields. If something of it is
   * filled in or wrong, it is unfolded, and stays so even if that is emptied, because the visitor may be in it.
   *
   * Who asks stands above the contact data. On the first page it stands below, where it moves no field when it arrives.
   */
  view(name: FieldName) {
    const names = this.#added()
      .asked.filter(isFolded)
      .map((each) => each.name as FieldName);
    if (!names.includes(name)) {
      const {page} = this;
      const field = this.#fieldView(name);
      if (name !== (page ? 'first_name' : 'phone')) return field;
      const {about} = this.#added();
      // On the first page, the page itself says the line that builds trust, in the attribute.
      const lines = about?.lines.filter((line) => page || line.name !== 'trust');
      const box = lines?.[0] && partnerView({...about, lines});
      return page ? [about?.ready && html`<p>${about.ready}</p>`, box, field] : [field, box];
    }
    if (name !== names[0]) return nothing;
    this.#isUnfolded ||= names.some((each) => this.values[each] || this.errors[each]);
    return foldView(
      this.#host.words,
      this.#isUnfolded,
      names.map((each) => this.#fieldView(each)),
    );
  }

  /** With those of what the partner asks besides. */
  get #words(): Words {
    return withAskedWords(this.#host.words, this.#added().asked);
  }

  #fieldView(name: FieldName) {
    const code = this.errors[name];
    const words = this.#words;
    const {asked, about} = this.#added();
    const choices = asked.find((each) => each.name === name)?.choices;
    return fieldView(
      name,
      this.rows[name],
      words,
      {
        value: this.values[name],
        error: code && errorText(name, sayError(words, name, code, this.rows)),
        suggestion: this.#suggestion,
        fewDollars: this.#fewDollars[name],
        onButton: this.#onButton(name),
        tapGoesOn: this.tapGoesOn,
        choices,
        isPromised: about?.lines.some((line) => line.name === 'promise'),
      },
      this.#enterKey(name),
      this.#actions,
    );
  }

  #enterKey(name: FieldName): EnterKey {
    // Enter does not stop at what the partner asks for besides.
    if (this.names.findLast((each) => this.rows[each].required) !== name) return 'next';
    return this.page === this.#host.pages().length - 1 ? 'send' : 'go';
  }

  readonly #actions: FieldActions = {
    type: (name, {inputType, data, isComposing}) => {
      const input = this.input(name);
      if (!input || !usesCommas(this.#host.words.locale)) return;
      const caret = input.selectionEnd ?? 0;
      const before = this.values[name] ?? '';
      const grouped = groupAsTyped({before, after: input.value, caret, inputType, data, isComposing});
      if (!grouped || grouped.text === input.value) return;
      // Only an edit by this command can be undone. A new `value` would also spoil the undoing of all edits before it.
      input.select();
      if (!safeDocument.execCommand('insertText', false, grouped.text)) input.value = grouped.text;
      input.setSelectionRange(grouped.caret, grouped.caret);
    },
    choose: (name, dollars) => {
      const {labels, locale, amountChosen} = this.#host.words;
      this.#write(name, formatDollars(dollars, locale));
      this.#host.announce(fill(amountChosen, {label: labels[name], amount: formatMoney(dollars, locale)}));
    },
    accept: () => {
      this.#write('email', this.#suggestion ?? '');
      this.#suggestion = undefined;
      this.#host.announce('');
      this.input('email')?.focus();
    },
    mean: (name, dollars) => {
      this.#answered[name] = this.#fewDollars[name];
      this.#fewDollars[name] = undefined;
      this.#write(name, formatDollars(dollars, this.#host.words.locale));
      this.#host.announce('');
      this.input(name)?.focus();
    },
  };

  input(name: FieldName) {
    return this.#host.find<HTMLInputElement>(inputOf(name));
  }

  /** The next field of the page that must be filled in and is empty. */
  emptyAfter(name: FieldName) {
    const {names} = this;
    return names
      .slice(names.indexOf(name) + 1)
      .find((other) => this.rows[other].required && !this.values[other]?.trim());
  }

  /** Changes an input with the event that the form would get if the visitor had typed the value. */
  #write(name: FieldName, value: string) {
    const input = this.input(name);
    if (!input) return;
    input.value = value;
    input.dispatchEvent(new InputEvent('input', {bubbles: true, composed: true}));
  }

  /**
   * Reads the inputs of the page that is shown. Listening to their events would not be enough, because browsers may
   * fill in fields without an event. Fields of other pages keep their values.
   */
  collect() {
    const form = this.#host.find<HTMLFormElement>('form');
    if (!form) return;
    for (const [name, value] of new FormData(form)) {
      if (isField(name, this.rows) && typeof value === 'string') this.values[name] = value;
    }
  }

  /** The visitor typed or chose something. */
  change(name: FieldName | undefined) {
    if (!this.#started) emit(this.#host.element, 'prequal-start');
    this.#started = true;
    this.collect();
    if (!name) return;
    // While the visitor types, the form is rendered only if something below the field may have to go.
    if (this.errors[name]) this.#check(name);
    const onButton = this.#onButton(name);
    if (this.#onButtons[name] !== onButton) this.#host.refresh();
    this.#onButtons[name] = onButton;
    if (this.#fewDollars[name] === undefined || this.#fewDollars[name] === this.#dollars(name)) return;
    this.#fewDollars[name] = undefined;
    this.#host.announce('');
  }

  leave(name: FieldName) {
    this.collect();
    // The page that has the field may be gone.
    if (!this.input(name)) return;
    const typed = this.values[name] ?? '';
    this.#tidyInput(name);
    // An empty field is an error only once the visitor presses the button.
    if (typed.trim()) this.#check(name);
    if (name === 'email') this.#suggest(this.values.email ?? '');
    if (this.rows[name].kind === 'money') this.#askAboutThousands(name, typed);
  }

  /** Asks whether a very small amount means thousands, and a very large one a thousandth. */
  #askAboutThousands(name: FieldName, typed: string) {
    const dollars = this.#dollars(name);
    const isAsked = dollars === this.#fewDollars[name];
    if (isAsked || typeof dollars !== 'number' || this.errors[name] || !this.#isUnclear(name, typed)) return;
    this.#fewDollars[name] = dollars;
    this.#host.announce(sayQuestion(name, this.#host.words, dollars));
  }

  /** Whether another amount may be meant, and the visitor has not said so. */
  #isUnclear(name: FieldName, typed = '') {
    const dollars = this.#dollars(name);
    // `2 mil` is clear once it is tidied.
    const isAsked = dollars === this.#fewDollars[name];
    return dollars !== this.#answered[name] && (isAsked || isUnclear(typed, this.#host.words.locale));
  }

  /** The fields whose amount may have been meant in thousands, if the visitor has not answered that question yet. */
  unclearAmounts(names: readonly FieldName[]): FieldName[] {
    return names.filter(
      (name) => this.rows[name].kind === 'money' && this.#isUnclear(name, this.values[name]),
    );
  }

  /** Asks about these amounts, and about no others. The next press takes them as they were typed. */
  ask(names: readonly FieldName[]) {
    this.#fewDollars = Object.fromEntries(names.map((name) => [name, Number(this.#dollars(name))]));
    this.#answered = {...this.#answered, ...this.#fewDollars};
    const questions = names.map((name) => sayQuestion(name, this.#host.words, Number(this.#dollars(name))));
    this.#host.announce(questions.join(' '));
  }

  #dollars(name: FieldName) {
    return parseMoney(this.values[name] ?? '');
  }

  #onButton(name: FieldName) {
    return amountsByThumb.find((dollars) => dollars === this.#dollars(name));
  }

  /** A tap on an answer about a bankruptcy goes on, where it is the last question of a page. */
  get tapGoesOn() {
    const {advance} = this.#host.element;
    return advance !== 'button' && !this.cameBack && this.names.at(-1) === 'bankruptcy';
  }

  /** Asks whether the visitor means another address. */
  #suggest(typed: string) {
    const email = emailSuggestion(typed);
    if (email === this.#suggestion) return;
    this.#suggestion = email;
    if (email) this.#host.announce(fill(this.#host.words.didYouMean, {email}));
    else this.#host.refresh();
  }

  /** Shows, changes or removes the error of one field. */
  #check(name: FieldName) {
    const error = readFields([name], this.values, this.rows).errors[name];
    if (error === this.errors[name]) return;
    this.errors = {...this.errors, [name]: error};
    this.#host.announce(error ? this.say(name, error) : '');
  }

  /** What is wrong with a field, in a sentence. */
  say(name: FieldName, code: InputError) {
    return sayError(this.#words, name, code, this.rows);
  }

  #tidy(name: FieldName) {
    const typed = this.values[name];
    if (typed) this.values[name] = tidy(this.rows[name].kind, typed, this.#host.words.locale);
  }

  /** Tidies all fields of the page, because the visitor leaves it, or because the language has changed. */
  tidyPage() {
    this.collect();
    this.names.forEach((name) => this.#tidyInput(name));
  }

  /** Tidies also what the input shows, because `collect` may read it before the form is rendered. */
  #tidyInput(name: FieldName) {
    this.#tidy(name);
    const input = this.input(name);
    const tidied = this.values[name];
    if (tidied && input && input.type !== 'radio') input.value = tidied;
  }

  /**
   * Fills in what is known before the visitor types. The draft replaces what the page knows. It may have been kept by a
   * form in another language.
   */
  #fill() {
    const {element} = this.#host;
    this.#sources = prefillSources(element);
    const draft = element.draft ? readDraft(element.partner) : undefined;
    this.values = {...knownContact(element), ...draft?.values};
    Object.keys(this.values)
      .filter((name) => isField(name, this.rows))
      .forEach((name) => this.#tidy(name));
    this.#isUnfolded = false;
    // An open question of a draft is asked among the funds, because the form may take the place of one without it.
    this.asksBelowScore = this.values.bankruptcy !== undefined;
    this.filled = draft ? '' : answersText(this.values);
    return draft;
  }

  /** Fills in the draft in place of what is shown, because another page may have kept newer answers. */
  restore() {
    this.errors = {};
    this.#goTo(this.#fill()?.step);
    this.#host.refresh();
  }

  /** The name of the step that is shown. If all stand on one page, it is that of the first. */
  get step() {
    return this.#host.pages()[this.page]?.[0]?.name;
  }

  /** Shows the step of this name, or one before it that lacks an answer. The draft may be of a form with other steps. */
  #goTo(step: unknown) {
    const pages = this.#host.pages();
    const wanted = pages.findIndex((steps) => steps.some(({name}) => name === step));
    if (wanted < 0) return;
    const isComplete = (names: readonly FieldName[]) =>
      Object.keys(readFields(names, this.values, this.rows).errors).length === 0;
    const incomplete = pages.findIndex((page) => !isComplete(fieldsOf(page)));
    this.page = incomplete < 0 ? wanted : Math.min(wanted, incomplete);
  }

  reset() {
    this.values = {};
    this.errors = {};
    this.#suggestion = undefined;
    this.#fewDollars = {};
    this.#answered = {};
    this.#isUnfolded = false;
    this.asksBelowScore = false;
    this.cameBack = false;
    this.page = 0;
    this.#started = false;
    this.#host.find<HTMLFormElement>('form')?.reset();
  }
}

const prefillSources = ({draft, prefill, prefillFromUrl}: FormHost['element']) => [
  draft,
  prefill,
  prefillFromUrl,
];
