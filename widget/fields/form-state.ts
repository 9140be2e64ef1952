/** The visitor at the fields: what is typed, what is wrong with it, and which page of fields is shown. */
import {fieldAround} from './field-view.ts';
import type {FormHandlers} from './form-view.ts';
import {readFields, type Errors, type Values} from '../../form/read-fields.ts';
import {fieldsOf, fieldTable, type FieldName, type Page} from '../../form/pages.ts';
import {tidy} from '../../form/tidy.ts';
import {fill, sayError, type Words} from '../../form/words/words.ts';

/** The element that shows the fields. */
export type Host = {
  readonly words: () => Words;
  /** The e-mail address that was probably meant by a mistyped one. */
  readonly suggest: (email: string) => string | undefined;
  readonly pages: () => readonly Page[];
  readonly find: (selector: string) => HTMLElement | null;
  /** Renders anew, and then moves the focus to what the selector finds. */
  readonly refresh: (focusOn?: string) => void;
  /** The visitor is at the form: focus, a finger or a mouse. */
  readonly onTouch: () => void;
  /** For the first time something was typed or chosen. */
  readonly onStart: () => void;
  /** What stands in the fields was read. */
  readonly onRead: (values: Values) => void;
  /** Another page is shown. */
  readonly onPage: () => void;
  /** The last page is to be sent. */
  readonly onFinish: () => void;
};

export class Interview {
  values: Values = {};
  errors: Errors = {};
  /** The errors that the summary lists, as they were when it appeared. */
  summary: Errors = {};
  /** An e-mail address to put in place of the typed one, if the visitor wants it. */
  suggestion: string | undefined;
  /** Index of the page that is shown. */
  page = 0;
  /** What the live region says. */
  said = '';
  /** While a lead is on its way the page stays. */
  locked = false;

  readonly #host: Host;
  #started = false;
  /** Settles when no button of a mouse and no finger is down. */
  #press: Promise<unknown> = Promise.resolve();

  constructor(host: Host) {
    this.#host = host;
  }

  readonly handlers: FormHandlers = {
    submit: (event) => {
      event.preventDefault();
      if (this.page === this.#host.pages().length - 1) this.#host.onFinish();
      else if (this.check(this.#names)) this.go(this.page + 1);
    },
    touch: () => this.#host.onTouch(),
    press: () => {
      this.#host.onTouch();
      this.#press = new Promise((resolve) => {
        for (const end of ['pointerup', 'pointercancel']) {
          addEventListener(end, () => setTimeout(resolve), {once: true});
        }
      });
    },
    input: ({target}) => {
      const name = fieldAround(target);
      if (!this.#started) this.#host.onStart();
      this.#started = true;
      this.#collect();
      // Typing costs no render, unless there is an error to take back.
      if (name && this.errors[name]) this.#checkField(name);
    },
    leave: ({target, relatedTarget}) => {
      const name = fieldAround(target);
      if (!name || name === fieldAround(relatedTarget)) return;
      // An error that appears while the mouse is down would move the button away from under it.
      void this.#press.then(() => this.#leave(name, relatedTarget !== null));
    },
    back: () => {
      if (!this.locked) this.go(this.page - 1);
    },
    none: (name) => {
      this.#write(name, '0');
      const words = this.#host.words();
      this.#say(fill(words.noneChosen, {label: words.labels[name]}));
    },
    accept: () => {
      this.#write('email', this.suggestion ?? '');
      this.suggestion = undefined;
      this.#say('');
      this.#input('email')?.focus();
    },
    goTo: (name) => this.#input(name)?.focus(),
  };

  get #names() {
    return fieldsOf(this.#host.pages()[this.page]);
  }

  #input(name: FieldName) {
    return this.#host.find(`[data-field=${name}] [name]`) as HTMLInputElement | null;
  }

  /** As if the visitor had typed it. */
  #write(name: FieldName, value: string) {
    const input = this.#input(name);
    if (!input) return;
    input.value = value;
    input.dispatchEvent(new InputEvent('input', {bubbles: true, composed: true}));
  }

  #say(words: string) {
    this.said = words;
    this.#host.refresh();
  }

  /** From the inputs, not from events: browsers fill in fields without saying so. Other pages keep their values. */
  #collect() {
    const form = this.#host.find('form') as HTMLFormElement | null;
    if (!form) return;
    // A box that is not ticked is not among a form's data.
    if (this.#input('consent')) this.values.consent = '';
    Object.assign(this.values, Object.fromEntries(new FormData(form)));
    this.#host.onRead(this.values);
  }

  #tidy(name: FieldName) {
    const typed = this.values[name];
    if (typed) this.values[name] = tidy(fieldTable[name].kind, typed, this.#host.words().locale);
  }

  #leave(name: FieldName, movedOn: boolean) {
    this.#collect();
    const input = this.#input(name);
    // Whoever only looked elsewhere did not leave a field empty.
    if (!input || !(this.values[name] || movedOn)) return;
    this.#tidy(name);
    const tidied = this.values[name];
    if (tidied && input.type !== 'radio') input.value = tidied;
    this.#checkField(name);
    if (name !== 'email') return;
    this.suggestion = this.#host.suggest(input.value);
    this.#say(this.suggestion ? fill(this.#host.words().didYouMean, {email: this.suggestion}) : this.said);
  }

  /** Shows, changes or takes back the error of one field. */
  #checkField(name: FieldName) {
    const error = readFields([name], this.values).errors[name];
    if (error === this.errors[name]) return;
    this.errors = {...this.errors, [name]: error};
    this.#say(error ? sayError(this.#host.words(), name, error) : '');
  }

  /** Whether these fields can be sent; shows what is wrong where they cannot. */
  check(names: readonly FieldName[]): boolean {
    this.#collect();
    const {errors} = readFields(names, this.values);
    const valid = Object.keys(errors).length === 0;
    if (!valid) this.show(errors);
    return valid;
  }

  /** Shows the first page that has one of these errors, with a summary of that page's errors on top. */
  show(errors: Errors) {
    const page = this.#host.pages().findIndex((steps) => fieldsOf(steps).some((name) => errors[name]));
    if (page !== this.page) this.go(page, '.alert');
    this.errors = errors;
    this.summary = {};
    for (const name of this.#names) if (errors[name]) this.summary[name] = errors[name];
    this.said = '';
    this.#host.refresh('.alert');
  }

  /** Shows a page, with nothing wrong on it so far. */
  go(page: number, focusOn = 'h2') {
    this.#collect();
    this.#names.forEach((name) => this.#tidy(name));
    this.page = page;
    this.clear();
    this.#host.refresh(focusOn);
    this.#host.onPage();
  }

  /** The language is another one: amounts are written its way. */
  reword() {
    this.#collect();
    this.#names.forEach((name) => this.#tidy(name));
    this.said = '';
  }

  /** Fills in the form, as long as the visitor has not begun to. */
  fill(values: Values) {
    if (this.#started) return;
    this.values = values;
    this.#names.forEach((name) => this.#tidy(name));
  }

  /** Takes back whatever was said to be wrong. */
  clear() {
    this.errors = this.summary = {};
    this.said = '';
  }

  reset() {
    (this.#host.find('form') as HTMLFormElement | null)?.reset();
    this.clear();
    this.values = {};
    this.suggestion = undefined;
    this.page = 0;
    this.locked = this.#started = false;
  }
}
