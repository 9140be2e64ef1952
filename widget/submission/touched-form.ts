/**
 * A form that the visitor has touched: it reads and checks what is typed, goes from page to page, and sends the lead. It
 * adds what the first screen does not have to the views of the first file.
 */
import {html, nothing, unsafeCSS} from 'lit';
import type {LeadType} from '../../contract/fields.ts';
import {pageAddress} from '../../contract/page-address.ts';
import {formatMoney} from '../../form/format-money.ts';
import {
  fieldsOf,
  withAsked,
  withBankruptcyBelowScore,
  type FieldName,
  type Page,
  type Step,
} from '../../form/pages.ts';
import {isField, readFields, type Errors, type InputError} from '../../form/read-fields.ts';
import {answerStyles} from '../../form/styles/answer.ts';
import {touched} from '../../form/styles/touched.ts';
import {refusedFields} from '../../form/words/say-answer.ts';
import {fill} from '../../form/words/fill.ts';
import {sayUse, sendLabel, wayLabel} from '../../form/words/words.ts';
import {alertView, noticeView} from '../fields/alert-view.ts';
import {changingText} from '../fields/changing-text.ts';
import {applyView, contactView, orView} from '../fields/contact-view.ts';
import {FormState, inputOf, type Added} from '../fields/form-state.ts';
import type {FormHost} from '../fields/form-host.ts';
import {keepTypedKeys} from '../fields/typed-keys.ts';
import {explainRefusal} from '../page/advice.ts';
import {attribution} from '../page/attribution.ts';
import {Promise} from '../page/builtins.ts';
import {emit} from '../page/events.ts';
import {moveFocus} from '../page/move-focus.ts';
import {now} from '../page/now.ts';
import {Consent, type ConsentError} from './consent.ts';
import {givenContext} from './context.ts';
import {accentStyles, adopt} from '../styles/adopt.ts';
import {effectiveLeadType} from './preparation.ts';
import {SoFar} from './so-far.ts';
import {Submission} from './submission.ts';

/**
 * What the form needs to know about a browser event. It is copied from the event, because browsers clear the target
 * once the event is dispatched, and the file `rest` may arrive later.
 */
export type FormEvent = {
  readonly type: string;
  /** As `now()`. */
  readonly timeStamp: number;
  readonly target: EventTarget | null;
  /** The element that had the focus before a `focusin` event. Null if it is not on the page. */
  readonly relatedTarget?: EventTarget | null | undefined;
  /** Of a `keydown` event. */
  readonly key?: string | undefined;
  /** Of a `keydown` event that comes because the key is held down. */
  readonly repeat?: boolean;
};

/**
 * A line of the summary of errors. It stays when the visitor corrects the error, so that nothing on the page moves,
 * until the main button is pressed again.
 */
type SummaryItem = {
  /** The name of a field, or `consent`. */
  readonly id: string;
  readonly sentence: () => string;
  readonly isCorrected: () => boolean;
};

export class TouchedForm {
  readonly fields: FormState;
  readonly consent: Consent;
  readonly submission: Submission;
  readonly soFar: SoFar;

  readonly #host: FormHost;
  /** `now()` of the first touch. */
  #touchedAt: number | undefined;
  #summary: readonly SummaryItem[] = [];
  /** The field in which the visitor has just pressed Enter. */
  #enteredIn: FieldName | undefined;
  /** What the configuration adds to the fields. It is postponed as the consent text is. */
  #added: Added = nothingAdded;
  /** The configured colour whose styles have been added to the element. */
  #accent: string | undefined;
  /** Settles when the visitor has released the mouse button or lifted the finger. */
  #press: Promise<unknown> = Promise.resolve();

  /** When a pointer pressed the question that a tap may answer and go on. */
  #tappedAt = NaN;
  #goingOn: ReturnType<typeof setTimeout> | undefined;

  constructor(host: FormHost) {
    this.#host = host;
    adopt(host, [touched, ...answerStyles].map(unsafeCSS));
    keepTypedKeys(host.element);
    this.fields = new FormState(host, () => this.#shown);
    this.consent = new Consent(host);
    this.submission = new Submission(host, () => this.#configure());
    this.soFar = new SoFar(host, this.fields, this.submission.preparation);
    // A draft has brought back the last page, whose buttons wait for the consent text.
    if (this.fields.page > 0 && this.#isLastPage) void this.submission.preparation.begin();
  }

  #configure() {
    const {config} = this.submission.preparation;
    const {asked, about: shown} = this.#shown;
    const isReplaced =
      (this.consent.text ?? asked[0] ?? shown?.lines[0]) !== undefined && !this.consent.isPostponed;
    this.consent.text = config?.consent ?? undefined;
    this.#added = {asked: config?.ask ?? [], about: config?.about};
    this.fields.rows = {...this.fields.rows, ...config?.rows};
    const {accent} = config?.colors ?? {};
    if (accent !== this.#accent) adopt(this.#host, accentStyles(accent));
    this.#accent = accent;
    this.soFar.update();
    void this.#showConfigured(isReplaced);
  }

  /**
   * Shows what the configuration says. The consent text, and what the partner asks and promises, may make the form longer,
   * which moves the page below it. If that is on the screen, all of it is postponed. Only the browser knows how long the
   * text is, so the form renders it and, before the browser paints anything, takes it back. A visitor who has pressed the
   * last button sees the text in any case, because the form is about to ask for the consent. So does one who saw another
   * text before it, such as that in the language that the page had, and one to whom a draft has just brought back the last
   * step, which has moved the page anyway.
   */
  async #showConfigured(isReplaced: boolean) {
    const {element} = this.#host;
    const {isSending} = this.submission;
    const end = endOf(element);
    this.#host.refresh();
    await element.updateComplete;
    const isBack = this.fields.page > 0 && this.#touchedAt === undefined;
    if (isReplaced || isSending || isBack || end >= innerHeight || endOf(element) === end) return;
    this.consent.isPostponed = true;
    this.#host.refresh();
  }

  /** What the configuration adds to the fields, unless it is postponed. */
  get #shown() {
    return this.consent.isPostponed ? nothingAdded : this.#added;
  }

  /** Adds what the partner asks for to the pages, and asks about a bankruptcy where that was opened. */
  arrange(pages: readonly Page[]): readonly Page[] {
    return withAsked(this.fields.asksBelowScore ? withBankruptcyBelowScore(pages) : pages, this.#shown.asked);
  }

  /** The type of lead that the page asks for, as far as the partner's configuration allows it. */
  leadType(wanted: LeadType): LeadType {
    return effectiveLeadType(wanted, this.submission.preparation.config?.lead_types);
  }

  /** What has the focus in the form. `:focus` would not match it while another window is active. */
  get #focused() {
    return this.#host.element.shadowRoot?.activeElement;
  }

  /** The visitor has done something in the form. */
  get isUsed() {
    return this.#touchedAt !== undefined;
  }

  /** Handles an event of the form, also one from before `rest` had arrived. */
  handle({type, timeStamp, target, key}: FormEvent) {
    this.#touchedAt ??= timeStamp;
    this.submission.preparation.touch();
    void this.submission.preparation.begin();
    const around = fieldAround(target);
    const {rows} = this.fields;
    const field = isField(around, rows) ? around : undefined;
    // The press of a button must not show the text below the pointer, where the click would tick its box.
    if (field && (type === 'focusin' || type === 'input')) this.consent.show();
    this.#enteredIn = key === 'Enter' ? field : undefined;
    // Keys do not go on by themselves, nor does a click without a pointer, as assistive technology sends it.
    const isLast = field === 'bankruptcy';
    if (key || type === 'pointerdown') this.#tappedAt = isLast && !key ? timeStamp : NaN;
    // Somebody who goes by Tab sees a hint in an empty amount.
    if (key === 'Tab' || type === 'pointerdown')
      this.#host.find('form')?.toggleAttribute('data-tab', key === 'Tab');
    if (type === 'input') {
      this.consent.collect();
      this.fields.change(field);
      clearTimeout(this.#goingOn);
      if (isLast && timeStamp - this.#tappedAt < longestPress)
        this.#goingOn = setTimeout(() => this.#goOn(), moment);
      if (field === 'credit_score' && now() - timeStamp < atOnce) {
        this.fields.asksBelowScore = true;
        this.#host.refresh();
      }
      const kind = field && rows[field].kind;
      if (kind === 'money') this.soFar.type();
      // These are not typed, so the visitor is done.
      else if (kind === 'choice' || kind === 'flag') {
        this.soFar.update();
        // The option has another part now.
        this.#host.refresh();
      }
    } else if (type === 'pointerdown') {
      this.#press = new Promise((resolve) => {
        for (const end of ['pointerup', 'pointercancel']) {
          addEventListener(end, () => setTimeout(resolve), {once: true});
        }
      });
    } else if (type === 'focusout' && field) {
      // An error that appears while the mouse is down would move the button away from under it.
      void this.#press.then(() => {
        if (this.submission.isSending) return;
        this.fields.leave(field);
        this.soFar.update();
      });
    }
  }

  /**
   * The visitor has pressed the main button, or Enter in a field: goes to the next page, or sends the lead. Enter goes
   * first to the next field of the page that is still empty, as it does on a phone's keyboard.
   */
  async next() {
    this.#touchedAt ??= now();
    const {fields} = this;
    const {preparation} = this.submission;
    const {config, refusal} = preparation;
    // Nobody should fill in what cannot be sent. The page may have been listed since.
    if (!config && refusal && !(await preparation.renew())) return this.#forbid(refusal);
    const {errors} = this.read(fields.names);
    const empty = this.#enteredIn && fields.emptyAfter(this.#enteredIn);
    if (empty) return fields.input(empty)?.focus();
    if (this.#isLastPage) void this.submit();
    else if (Object.keys(errors).length > 0) this.#refuse(errors);
    else if (!this.#stopsToAsk(fields.names)) this.showPage(fields.page + 1);
  }

  /** A pointer has answered the last question of a page. */
  #goOn() {
    const {tapGoesOn, values} = this.fields;
    const form = this.#host.find('form');
    if (!tapGoesOn || !values.credit_score || !form) return;
    // The second half of a double tap was not meant for the page that it finds.
    form.style.pointerEvents = 'none';
    setTimeout(() => (form.style.pointerEvents = ''), moment);
    void this.next();
  }

  /** Says that the server takes no lead from this page. */
  #forbid(code: string) {
    this.submission.refuse(code);
    this.#host.refresh('.alert');
    emit(this.#host.element, 'prequal-error', {code, retryable: false});
  }

  readonly #back = () => this.showPage(this.fields.page - 1);

  /** Shows a page, at first without errors, and moves the focus to it. */
  showPage(page: number, focusOn = 'h2') {
    const {fields, submission} = this;
    fields.tidyPage();
    this.consent.collect();
    fields.cameBack ||= page < fields.page;
    fields.page = page;
    this.#clearErrors();
    this.consent.show();
    submission.dismissNotice();
    this.soFar.update();
    this.#host.refresh(focusOn);
    const pages = this.#host.pages();
    const [step] = pages[page] ?? [];
    if (step) emit(this.#host.element, 'prequal-step', {step: page + 1, of: pages.length, name: step.name});
  }

  /** An error that nothing foresees comes from what a script of the page has replaced. */
  async submit() {
    try {
      await this.#submit();
    } catch (error) {
      console.error(error);
      void explainRefusal('page', this.#host.endpoint());
      this.#forbid('page');
    }
  }

  async #submit() {
    this.#touchedAt ??= now();
    const {fields, consent, submission} = this;
    if (submission.isSending || submission.stage.name === 'answered') return;
    const agreed = consent.check();
    // Before the answers are read, because the questions that were postponed are among them from now on.
    consent.show();
    const {errors, lead} = this.read();
    if (Object.keys(errors).length > 0 || !agreed) return this.#refuse(errors);

    this.#clearErrors();
    if (this.#stopsToAsk(this.#names)) return;
    fields.tidyPage();
    const sent = submission.send({
      lead: {lead_type: this.#host.leadType(), ...lead},
      seen: consent.shown(),
      trap: consent.trap,
      attribution: attribution(),
      opt_out_signal: optOutSignal(),
      // A sample is not sent, and there is no partner that could list them.
      context: this.#host.isSandbox() ? {} : givenContext(this.#host.element),
      page: pageAddress(location.href),
      lang: this.#host.words.locale,
      touchedAt: this.#touchedAt,
    });
    // The fields cannot have the focus while the lead is being sent, because they show what is being sent.
    if (submission.isSending && this.#focused) this.#host.refresh('.main');
    const outcome = await sent;
    if (!outcome || outcome.kind === 'answered') return;
    if (outcome.kind === 'consent-outdated') consent.error = 'outdated';
    if (outcome.kind === 'failed') this.#host.refresh('.alert');
    else this.#showErrors({...this.read().errors, ...(outcome.kind === 'invalid' && outcome.errors)});
    emit(this.#host.element, 'prequal-error', {code: outcome.code, retryable: outcome.retryable});
  }

  /**
   * Asks once about amounts that may mean thousands, at the press that would leave them or send them, because the visitor
   * may have seen no question before. The focus is where Enter goes on.
   */
  #stopsToAsk(names: readonly FieldName[]): boolean {
    const {fields} = this;
    const unclear = fields.unclearAmounts(names);
    const [first] = unclear;
    if (first) {
      const page = this.#host.pages().findIndex((each) => fieldsOf(each).includes(first));
      if (page === fields.page) fields.tidyPage();
      else this.showPage(page, inputOf(first));
      this.#host.refresh(inputOf(first));
    }
    fields.ask(unclear);
    return first !== undefined;
  }

  get #names(): readonly FieldName[] {
    return this.#host.pages().flatMap(fieldsOf);
  }

  /** Reads these fields, or all fields of the form. */
  read(names = this.#names) {
    this.fields.collect();
    return readFields(names, this.fields.values, this.fields.rows);
  }

  /** The first page that has one of these errors. Without any, it is the last page, which also has the consent. */
  firstPageOf(errors: Errors): number {
    const pages = this.#host.pages();
    const found = pages.findIndex((page) => fieldsOf(page).some((name) => errors[name]));
    return found < 0 ? pages.length - 1 : found;
  }

  /** The press of a button went no further: shows the errors, and tells the page of the first one. */
  #refuse(errors: Errors) {
    this.#showErrors(errors);
    const first = fieldsOf(this.#host.pages()[this.fields.page]).find((name) => errors[name]);
    const code = first && errors[first];
    emit(
      this.#host.element,
      'prequal-invalid',
      code ? {field: first, code} : {field: 'consent', code: 'required'},
    );
  }

  /**
   * Shows the first page that has an error. A single error gets the focus, and several get a summary on top of the page.
   * The consent is on the last page.
   */
  #showErrors(errors: Errors) {
    const {fields, consent} = this;
    const pages = this.#host.pages();
    const page = this.firstPageOf(errors);
    const {error} = consent;
    const items = fieldsOf(pages[page]).flatMap((name) => {
      const code = errors[name];
      return code ? [this.#fieldItem(name, code)] : [];
    });
    if (error && page === pages.length - 1) items.push(this.#consentItem(error));
    const [first, second] = items;
    const focusOn = second ? '.alert' : inputOf(first?.id);
    // Screen readers say the error of a field that gets the focus, but not that of a field that has it already.
    const isHeard = !this.#focused?.matches(focusOn);
    if (page !== fields.page) this.showPage(page, focusOn);
    fields.errors = errors;
    consent.error = error;
    this.#summary = items;
    this.#host.announce(isHeard || !first ? '' : first.sentence());
    this.#host.refresh(focusOn);
  }

  #fieldItem(name: FieldName, code: InputError): SummaryItem {
    const {fields} = this;
    return {
      id: name,
      sentence: () => fields.say(name, code),
      isCorrected: () => !fields.errors[name],
    };
  }

  #consentItem(error: ConsentError): SummaryItem {
    const {consent} = this;
    return {
      id: 'consent',
      sentence: () => this.#host.words.consentErrors[error],
      isCorrected: () => !consent.error,
    };
  }

  #clearErrors() {
    this.#summary = [];
    this.fields.errors = {};
    this.consent.error = undefined;
    this.#host.announce('');
  }

  moveFocus(to: HTMLElement) {
    moveFocus(this.#host.element, to);
  }

  reset() {
    this.submission.reset();
    this.#clearErrors();
    this.fields.reset();
    this.consent.reset();
    this.soFar.update();
  }

  /** The view of the answer, which replaces the fields. Undefined while there is no answer. */
  answer() {
    return this.submission.view({
      firstName: this.fields.values.first_name?.trim() ?? '',
      phone: this.fields.values.phone?.trim() ?? '',
      change: () => {
        const answer = this.submission.change();
        const refused = answer ? refusedFields(this.submission.words, answer) : [];
        // After a reload all fields are empty.
        if (refused.some((name) => this.fields.values[name])) {
          this.#clearErrors();
          this.#showErrors(Object.fromEntries(refused.map((name) => [name, 'refused'])));
        }
        // Visitors who saw amounts mostly want to change their funds.
        else if (answer?.prequalification && this.fields.values.cash)
          this.showPage(this.firstPageOf({cash: 'refused'}), '[data-step=funds] h2');
        else this.showPage(0);
      },
      startOver: () => {
        this.reset();
        this.showPage(0);
      },
    });
  }

  use() {
    return sayUse(this.#host.words, this.#host.leadType(), this.fields.page, this.#host.pages());
  }

  /** Above the contact data, that the estimate is ready, if it follows from the answers on the pages before. */
  title(step: Step) {
    const {words} = this.#host;
    const {steps, estimateOf, locale} = words;
    const {total} = this.soFar;
    const isReady = step.name === 'contact' && this.fields.page > 0 && this.#shown.about?.ready;
    if (!isReady) return undefined;
    const amount = formatMoney(total, locale);
    return changingText(total > 0 ? fill(estimateOf, {title: steps.estimate, amount}) : steps.estimate);
  }

  /** What stands beside the main button: the way back, or what is said while the lead is being sent. */
  besideMain() {
    const {words} = this.#host;
    const {contact, isRetryable, isOfPage} = this.submission;
    // The line has its place from the start, so that nothing moves when sending takes long.
    if (this.submission.isSending)
      return html`<p class="aside wait">${this.submission.isSlow ? words.stillSending : nothing}</p>`;
    return [
      isRetryable || isOfPage ? orView(words, contact) : nothing,
      this.fields.page > 0
        ? html`<button part="button back" type="button" @click=${this.#back}>${words.back}</button>`
        : nothing,
    ];
  }

  /** What the page itself shows beside the consent. */
  consentSlot() {
    return this.#isLastPage ? html`<slot name="consent"></slot>` : nothing;
  }

  /** With the line about an opt-out signal, postponed as the text is. @param privacy the link to the privacy policy */
  consentView(privacy: unknown) {
    if (!this.#isLastPage) return nothing;
    const isSaid = this.#shown !== nothingAdded && optOutSignal();
    return html`${this.consent.view(privacy)}
      <p>${isSaid ? this.#host.words.optOut : nothing}</p>`;
  }

  get #isLastPage() {
    return this.fields.page === this.#host.pages().length - 1;
  }

  /** The buttons of the last page are shown once it is known which consent text stands above them. */
  get awaitsConsent() {
    const {isSending, preparation} = this.submission;
    return this.#isLastPage && !isSending && !preparation.isSettled;
  }

  /** What the main button says. */
  mainLabel() {
    const {words} = this.#host;
    if (this.submission.isSending) return words.sending;
    if (this.submission.isRetryable) return words.tryAgain;
    if (!this.#isLastPage) return words.next;
    return sendLabel(words, this.#host.leadType());
  }

  /** What stands before the main button where it is of no use to press that again: the apply page, or how to reach the partner. */
  ways() {
    const {stage, contact, isOfPage} = this.submission;
    if (stage.name !== 'failed' || stage.failure.retryable) return nothing;
    const {words} = this.#host;
    return isOfPage ? applyView(words, this.#host.endpoint()) : contactView(contact, wayLabel(words));
  }

  /** Why nothing was sent. */
  notice() {
    const {notice, isOfPage} = this.submission;
    return notice ? noticeView(isOfPage ? this.#host.words.opaqueFrame : notice) : nothing;
  }

  summary() {
    // The partner may ask for less than when the button was pressed.
    const asked: readonly string[] = [...this.#names, 'consent'];
    const shown = this.#summary.filter(({id}) => asked.includes(id));
    if (this.#summary.length < 2 || shown.length === 0) return nothing;
    const items = shown.map((item) => {
      const follow = (event: Event) => {
        event.preventDefault();
        const input = this.#host.find(inputOf(item.id));
        if (input) this.moveFocus(input);
      };
      return html`
        <li class=${item.isCorrected() ? 'corrected' : ''}>
          <a href="#${item.id}" @click=${follow}>${changingText(item.sentence())}</a>
        </li>
      `;
    });
    return alertView(
      'summary',
      this.#host.words.summary,
      html`<ul>
        ${items}
      </ul>`,
    );
  }
}

/** Global Privacy Control, which the header `Sec-GPC` says, too. */
const optOutSignal = () =>
  (navigator as {globalPrivacyControl?: boolean}).globalPrivacyControl ? 'gpc' : undefined;

const nothingAdded: Added = {asked: []};

/** Milliseconds. What opens so soon after a press does not surprise the visitor, who may press something else later. */
const atOnce = 350;

/** Milliseconds in which the visitor sees what a tap has chosen, and may still choose another answer. A double tap takes two. */
const moment = 250;

/** Milliseconds from the press of a pointer to what it chooses, at most. */
const longestPress = 1_000;

/** The lower edge of the form on the screen. If there is legal text at its end, that text's. */
const endOf = (element: HTMLElement) =>
  (element.querySelector('[slot=disclaimer]') ?? element).getBoundingClientRect().bottom;

/** The name of the field that an element belongs to, or `consent`. */
const fieldAround = (target: EventTarget | null) =>
  (target as Element | null)?.closest<HTMLElement>('[data-field]')?.dataset['field'];
