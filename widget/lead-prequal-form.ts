import {html, nothing, unsafeCSS, type PropertyValues} from 'lit';
import type {Context} from '../contract/embed.ts';
import {defaultPages, pagesOf} from '../form/pages.ts';
import {fields} from '../form/styles/fields.ts';
import {layout} from '../form/styles/layout.ts';
import {theme} from '../form/styles/theme.ts';
import type {SomeWords, Words} from '../form/words/words.ts';
import {EmbeddedElement} from './embedded-element.ts';
import {formView, loadFailedView} from './form-view.ts';
import {changingText} from './fields/changing-text.ts';
import {forgetDraft, hasDraft, keepEarly, type Contact} from './fields/contact-sources.ts';
import {contactIn} from './fields/contact-view.ts';
import type {Endpoint, Fetch, FormHost} from './fields/form-host.ts';
import {Arrival} from './loading/arrival.ts';
import {laterFiles, type Rest} from './loading/later-files.ts';
import {scriptAddress} from './loading/script-address.ts';
import {languages, Localization, type Language} from './localization.ts';
import {applyLink} from './page/apply-page.ts';
import {isOpaque} from './page/diagnosis.ts';
import {Promise, URL} from './page/builtins.ts';
import {DoublePress} from './page/double-press.ts';
import {emit, type ErrorDetail} from './page/events.ts';
import {safeLink} from './page/safe-link.ts';
import {whenIdle} from './page/when-idle.ts';
import {whenNear} from './page/when-near.ts';
import type {Sandbox} from './sandbox/sandbox.ts';
import {hasReceipt} from './submission/receipt.ts';
import type {FormEvent, TouchedForm} from './submission/touched-form.ts';

/** The server that this script came from. Empty in the npm package, which has no server. */
const scriptOrigin = scriptAddress && new URL(scriptAddress).origin;

/** Every request of the form. It tells the server the origin of the page, and nothing else of its address. */
const overNetwork: Fetch = (url, init) =>
  fetch(url, {...init, credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer'});

/**
 * @summary A form that asks for contact data, credit history and funds, sends them to the lead service, and
 *   shows what the visitor may qualify for.
 *
 * @tagname lead-prequal-form
 *
 * @attr {string} data-layer - Also pushes the events to `window.dataLayer`, or to the global array that it names.
 * @attr {string} thanks-href - A page of the same site to show after the form: at once for a `standard` lead, else by the button
 *   below the amounts, named by `cta-label`. A parameter `reference` in it, as in `/thanks?reference`, gets the reference.
 *
 * @slot - What people read where the form does not load.
 * @slot heading - A heading above everything else.
 * @slot logo - A picture, at most 32px high, beside the partner's name, in place of the configured one.
 * @slot intro - A sentence or two below the heading. Not shown with the result.
 * @slot consent - Shown above the partner's consent text, which it cannot replace. Its text is stored with the lead.
 * @slot disclaimer - Legal text below the form and below the result.
 *
 * @event {CustomEvent<undefined>} prequal-ready - The form is on the page.
 * @event {CustomEvent<undefined>} prequal-start - The visitor has typed or chosen something for the first time.
 * @event {CustomEvent<StepDetail>} prequal-step - Another step is shown: `{step, of, name}`. `step` counts from
 *   1, `name` is `credit`, `funds` or `contact`.
 * @event {CustomEvent<InvalidDetail>} prequal-invalid - The visitor has pressed the main button, and an answer has to be
 *   corrected: `{field, code}` of the first one.
 * @event {CustomEvent<undefined>} prequal-submit - All answers are valid and are about to be sent. `preventDefault()`
 *   keeps them back until the next press.
 * @event {CustomEvent<ResultDetail>} prequal-result - The lead is stored: `{id, leadType, status}`. A `pending` one fires
 *   again when it is `done` or `refused`, if the visitor stays.
 * @event {CustomEvent<ErrorDetail>} prequal-error - Sending failed, or a file of the form did not arrive: `{code, retryable}`.
 *
 * @cssState sending - The lead is being sent.
 * @cssState answered - The result is shown, also if pending or refused.
 *
 * @csspart card - The box around everything.
 * @csspart dialog - The dialog around the box.
 * @csspart close - The button that closes the dialog.
 * @csspart sample - Says that this is a sample.
 * @csspart progress - The bars for the steps.
 * @csspart bar-done - The bar of this step or an earlier one.
 * @csspart bar-open - The bar of a later step.
 * @csspart count - "Step 2 of 3", above the title.
 * @csspart heading - The title of a step, a section or the result.
 * @csspart so-far - The total so far, if the partner shows it early.
 * @csspart fields - The grid of a step's fields.
 * @csspart field - A field with its label, help text and error.
 * @csspart label - A field's label.
 * @csspart help - The text below a label.
 * @csspart promise - The partner's promise about its call.
 * @csspart error - What is wrong, below a field.
 * @csspart question - Asks whether another amount is meant.
 * @csspart input - A text input or a list.
 * @csspart invalid - An input with an error.
 * @csspart options - The grid of a choice.
 * @csspart option - An option of a choice.
 * @csspart chosen - The chosen option or amount.
 * @csspart chip - An amount to choose, below its field.
 * @csspart actions - The row of buttons.
 * @csspart button - Any button.
 * @csspart primary - The main button.
 * @csspart back - "Back".
 * @csspart quiet - A button that looks like a link.
 * @csspart privacy - What the data is used for.
 * @csspart partner - The box that says who asks.
 * @csspart company - The name of who asks.
 * @csspart only - That only the partner gets the data.
 * @csspart talk - The number to call first.
 * @csspart trust - The partner's trust line.
 * @csspart consent - The consent text with its box.
 * @csspart summary - The list of errors.
 * @csspart notice - The message when sending failed.
 * @csspart total - The total amount.
 * @csspart bar - The drawing of the amounts.
 * @csspart table - The table of the amounts.
 * @csspart row - A row for one amount.
 * @csspart swatch - An amount's colour in the drawing.
 * @csspart amount - An amount in dollars.
 * @csspart reason - What explains an amount.
 * @csspart unlock - What it would take for amounts of zero.
 * @csspart estimate - Says that this is an estimate, not an offer.
 * @csspart next - What happens next, with the reference.
 * @csspart badge - The icon above a result without amounts.
 *
 * @cssproperty [--prequal-accent=light-dark(#0b57a4, #6ea8f0)] - Buttons, progress and choices. By default the
 *   partner's configured colour, or else the primary colour of Bootstrap, WordPress, Elementor, Pico or Bulma.
 * @cssproperty --prequal-partner-accent - The configured colour. Snippets have it, so that the form has it at once; a page's
 *   `--prequal-accent` comes before it.
 * @cssproperty [--prequal-background=light-dark(#fff, #181b20)] - The card and its inputs.
 * @cssproperty --prequal-field - The fill of inputs and options. By default that of the card.
 * @cssproperty [--prequal-line=light-dark(#7b8088, #a1a8b5)] - Lines and edges. Those that only divide are paler by default.
 * @cssproperty --prequal-progress - The bars of steps that are done. By default the accent.
 * @cssproperty [--prequal-error=light-dark(#b3261e, #ffb0a8)] - Errors and their summary.
 * @cssproperty [--prequal-sticky-top=0px] - The height of a header that stays at the top of the window.
 * @cssproperty --prequal-text - The text. By default nearly black or nearly white.
 * @cssproperty [--prequal-amount-1=light-dark(#12336f, #5b92e5)] - The retirement rollover in the result.
 * @cssproperty [--prequal-amount-2=light-dark(#cf8300, #ffd468)] - The SBA loan in the result.
 * @cssproperty [--prequal-amount-3=light-dark(#006259, #0b7f73)] - The unsecured loan in the result.
 * @cssproperty [--prequal-amount-4=light-dark(#925fbe, #c49ee8)] - The portfolio loan in the result.
 * @cssproperty [--prequal-font=inherit] - The font family.
 * @cssproperty [--prequal-heading-font=inherit] - The font of titles and total. By default that of WordPress's
 *   headings, or else the form's.
 * @cssproperty [--prequal-radius=12px] - The corners of the card; inputs and buttons have the same, up to 8px. By default
 *   those of Bootstrap, Pico or Bulma.
 * @cssproperty [--prequal-space=4px] - The unit of distances: 3px is compact, 5px spacious.
 * @cssproperty [--prequal-max-width=640px] - The greatest width.
 */
export class LeadPrequalForm extends EmbeddedElement {
  static override styles = [theme, fields, layout].map(unsafeCSS);

  /** Languages by the tag that stands in `lang`; a page may add its own. */
  static readonly languages: Record<string, Language> = languages;

  static override properties = {
    endpoint: {},
    partner: {},
    leadType: {attribute: 'lead-type'},
    layout: {},
    order: {},
    presentation: {},
    theme: {reflect: true, useDefault: true},
    privacyHref: {attribute: 'privacy-href'},
    trustLine: {attribute: 'trust-line'},
    ctaHref: {attribute: 'cta-href'},
    ctaLabel: {attribute: 'cta-label'},
    strings: {attribute: false},
    context: {attribute: false},
    draft: {type: Boolean},
    prefill: {attribute: false},
    prefillFromUrl: {type: Boolean, attribute: 'prefill-from-url'},
    history: {type: Boolean},
    advance: {},
    sandbox: {},
  };

  /** The server that receives the leads. By default the origin of the script. */
  declare endpoint: string;
  /** The key of the partner. By default the first partner. */
  declare partner: string;
  /** `standard` asks only for contact data, and shows thanks instead of amounts. */
  declare leadType: 'prequalification' | 'standard';
  /** `single` shows all fields at once. */
  declare layout: 'steps' | 'single';
  /** `contact-first` asks for contact data before credit and funds. */
  declare order: 'funds-first' | 'contact-first';
  /** `dialog` shows nothing until a link, a button or `open()` opens the form over the page. */
  declare presentation: 'inline' | 'dialog';
  /** `auto` follows the `color-scheme` of the page. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The partner's privacy page: https, or on the page's own site, such as `/privacy`. */
  declare privacyHref: string | undefined;
  /** A line on the first step, such as a rating. Only what is true and can be shown. */
  declare trustLine: string | undefined;
  /** The address of a link below the result, as for `privacy-href`. Without this or `cta-label`, the partner's own link is shown. */
  declare ctaHref: string | undefined;
  /** The text of the link below the result. */
  declare ctaLabel: string | undefined;
  /** Texts that replace the form's own. */
  declare strings: SomeWords | undefined;
  /** Keeps answers and step for half an hour in this tab. */
  declare draft: boolean;
  /** Contact data that the page knows. It never overwrites what the visitor has typed. */
  declare prefill: Contact | undefined;
  /** Fills in contact data from the page's address: `?first_name=…&email=…`. */
  declare prefillFromUrl: boolean;
  /** Lets the browser's Back and Forward go from step to step. */
  declare history: boolean;
  /**
   * `button` waits for the button after every step. By default a step that ends with a choice goes on when a pointer has
   * answered it.
   */
  declare advance: 'button' | undefined;
  /**
   * Hidden fields that are sent with the lead: `{brand: 'north'}`. So are attributes such as `context-brand`. Never
   * personal data.
   */
  declare context: Context | undefined;
  /** Shows sample amounts without a server. The value says what happens to the lead. */
  declare sandbox: '' | 'none' | 'pending' | 'refused' | 'failed' | boolean | null | undefined;

  readonly #localization: Localization = new Localization(this, () => {
    this.#announcement = '';
    this.#arrival.form?.fields.tidyPage();
    this.refresh();
  });

  readonly #arrival: Arrival = new Arrival(
    this,
    () => this.#loadRest(),
    (wasAwaited) => this.#onLoadFailed(wasAwaited),
  );

  /** `prequal-ready` was fired: the form has been shown, and not only the notice that a file is missing. */
  #isReady = false;
  /** The first screen needs `rest`, and `rest` did not arrive. */
  #lacksRest = false;
  /**
   * Whether `presentation` was `dialog` before the first render. A later change has no effect, because a form in use must
   * not move into a dialog.
   */
  #isDialog = false;
  /** Undefined until the rest of the form has arrived. */
  #dialog: InstanceType<Rest['Dialog']> | undefined;
  /** Stands in place of the form in a frame from which the server takes no lead. */
  #opaqueFrame: InstanceType<Rest['OpaqueFrame']> | undefined;
  #sandbox: Sandbox | undefined;
  /** What screen readers say. */
  #announcement = '';
  readonly #press = new DoublePress();
  /** Goes on after a press that the browser makes no `submit` event of. */
  #unsubmitted: ReturnType<typeof setTimeout> | undefined;
  /** A notice asks the visitor to check the connection. */
  #awaitsConnection = false;
  /** Settles once the form is near the screen. */
  #near: Promise<void> | undefined;

  constructor() {
    super();
    this.endpoint = scriptOrigin;
    this.partner = '';
    this.leadType = 'prequalification';
    this.layout = 'steps';
    this.order = 'funds-first';
    this.presentation = 'inline';
    this.theme = 'auto';
    this.draft = false;
    this.prefillFromUrl = false;
    this.history = false;
    this.addEventListener('prequal-error', this.#awaitConnection);
  }

  #createHost(): FormHost {
    const localization = this.#localization;
    return {
      element: this,
      get words() {
        // Complete wherever they are read: the host goes to `rest`, which comes together with the words after the first
        // touch. The sandbox and the debug box read only words of the first screen.
        return localization.words as Words;
      },
      addedStyles: this.addedStyles,
      pages: () => this.#arrangedPages,
      leadType: () => this.#leadType,
      endpoint: () => this.#endpoint,
      isSandbox: () => this.#isSandbox,
      find: (selector) => this.find(selector),
      refresh: (focusOn) => this.refresh(focusOn),
      announce: (words) => this.#announce(words),
    };
  }

  async #loadRest() {
    const [rest] = await Promise.all([laterFiles.rest(), this.#localization.loadAfterTouch()]);
    return () => this.#begin(rest);
  }

  #begin(rest: Rest): TouchedForm {
    const host = this.#createHost();
    if (this.#isOpaque) this.#opaqueFrame = new rest.OpaqueFrame(host);
    if (this.#isDialog) this.#dialog = new rest.Dialog(host, !this.hasUpdated);
    // The notice that had the focus goes.
    if (this.#lacksRest && this.shadowRoot?.activeElement) this.refresh('h2');
    this.#lacksRest = false;
    // Screen readers need no longer say that the form is loading, or that it did not load.
    this.#announcement = '';
    return rest.createTouchedForm(host);
  }

  override connectedCallback() {
    super.connectedCallback();
    // Back has shown the page again, and another page of the tab may have kept a draft.
    addEventListener('pageshow', this.#loadIfNeeded);
    if (this.#awaitsConnection) addEventListener('online', this.#onOnline);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('pageshow', this.#loadIfNeeded);
    removeEventListener('online', this.#onOnline);
  }

  protected override async scheduleUpdate() {
    // The form of a sandbox is shown only together with the line that says that it is a sample.
    if (this.#isSandbox) this.#sandbox ??= (await laterFiles.sandbox()).createSandbox(this.#createHost());
    if (!this.hasUpdated) await this.#prepareFirstScreen();
    await super.scheduleUpdate();
  }

  async #prepareFirstScreen() {
    this.#isDialog = this.presentation === 'dialog';
    // The form waits for its words, so that a Spanish page does not show English ones first.
    await Promise.all([this.#localization.ready, this.#needsRest && this.#arrival.need()]);
    // Meanwhile, the visitor may have chosen something in the form without a script, which an apply page has kept.
    if (this.#needsRest && this.#arrival.state === 'initial') await this.#arrival.need();
    this.#lacksRest = this.#needsRest && !this.#arrival.form;
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (changed.has('strings')) this.#localization.strings = this.strings;
  }

  protected override firstUpdated() {
    super.firstUpdated();
    whenIdle(() => {
      // If the page was reloaded after a lead was sent, the touched form shows the result of that lead.
      if (this.isConnected && hasReceipt(this.#endpoint)) void this.#arrival.load();
    });
  }

  protected override updated(changed: PropertyValues<this>) {
    super.updated(changed);
    if (this.#lacksRest) return;
    if (!this.#isReady) this.#onReady();
    // The page may have set `order` or `layout` after the first render. Properties that it set before the element was
    // defined reach the element only with the first render.
    if (changed.size > 0) this.#loadIfNeeded();
    if (this.#pages.length === 1) void this.#loadConsent();
  }

  readonly #loadIfNeeded = () => {
    if (this.#needsRest && this.#arrival.state === 'initial') void this.#arrival.load();
  };

  #onReady() {
    this.#isReady = true;
    emit(this, 'prequal-ready');
    if (!location.search.includes('prequal-debug')) return;
    void laterFiles.debug().then(
      ({showState}) => showState(this.#createHost()),
      () => {},
    );
  }

  /** Without `rest`, the browser decides how far it scrolls. */
  protected override moveFocus(to: HTMLElement) {
    const {form} = this.#arrival;
    if (form) form.moveFocus(to);
    else super.moveFocus(to);
  }

  /** The consent text is on the first screen. The fields above it do not wait for it. */
  async #loadConsent() {
    await (this.#near ??= whenNear(this));
    if (this.#arrival.state === 'initial') await this.#arrival.need();
    void this.#arrival.form?.submission.preparation.begin();
  }

  /** The first screen must not be shown without `rest`. (A consent text may come later.) */
  get #needsRest() {
    return this.#isDialog || this.#isOpaque || hasDraft(this) || this.#arrangedPages !== defaultPages;
  }

  /** Whether the first file keeps what the visitor chooses. The answer to a lead that was sent will replace the fields. */
  get #keepsEarly() {
    return this.draft && !this.#arrival.form && !this.#isSandbox && !hasReceipt(this.#endpoint);
  }

  get #isSandbox() {
    return typeof this.sandbox === 'string' || this.sandbox === true;
  }

  /** The form is in an opaque frame, from which the server takes no lead. */
  get #isOpaque() {
    return isOpaque() && !this.#isSandbox;
  }

  get #leadType() {
    const wanted = this.leadType === 'standard' ? 'standard' : 'prequalification';
    return this.#arrival.form?.leadType(wanted) ?? wanted;
  }

  /** As the page and the partner's configuration want them. */
  get #arrangedPages() {
    const pages = pagesOf(this.#leadType, this);
    return this.#arrival.form?.arrange(pages) ?? pages;
  }

  /** If the page sets another arrangement after the first render, the form keeps its steps until `rest` has arrived. */
  get #pages() {
    return this.#arrival.form ? this.#arrangedPages : defaultPages;
  }

  get #server() {
    return this.#isSandbox
      ? {origin: 'sandbox:', partner: `sandbox:${this.sandbox}`}
      : {origin: (this.endpoint || scriptOrigin).replace(/\/+$/, ''), partner: this.partner};
  }

  get #endpoint(): Endpoint {
    const sample = this.#isSandbox ? this.#sandbox : undefined;
    const {debug} = laterFiles;
    return {...this.#server, leadType: this.leadType, fetch: sample?.fetch ?? overNetwork, debug};
  }

  /**
   * The address of the apply page. Undefined in a sandbox, because a sample must not lead to the real form, and on the
   * apply page itself.
   */
  get #applyHref() {
    const href = applyLink(this.#server, this.#localization.words.locale);
    return this.#isSandbox || href.startsWith(location.origin + location.pathname) ? undefined : href;
  }

  #announce(words: string) {
    this.#announcement = words;
    this.refresh();
  }

  readonly #onEvent = (event: FormEvent & Event) => {
    const {type, timeStamp, target, relatedTarget, key, repeat} = event;
    if (type === 'input' && this.#keepsEarly) keepEarly(this.partner, target as HTMLInputElement);
    // One press of Enter is one step, however long the key is held down.
    if (repeat && key === 'Enter') event.preventDefault();
    this.#arrival.handle({type, timeStamp, target, relatedTarget, key});
  };

  readonly #awaitConnection = ({detail: {code}}: CustomEvent<ErrorDetail>) => {
    this.#awaitsConnection = ['network', 'load-failed'].includes(code);
    if (this.#awaitsConnection && this.isConnected) addEventListener('online', this.#onOnline);
  };

  readonly #onOnline = () => {
    this.#awaitsConnection = false;
    removeEventListener('online', this.#onOnline);
    if (!this.#arrival.reconnect()) return;
    // The notice may have the focus, and goes.
    if (!this.#lacksRest && this.shadowRoot?.activeElement?.matches('.alert')) this.refresh('.main');
    this.#announce(this.#localization.words.online);
  };

  readonly #onSubmit = (event: Event) => {
    event.preventDefault();
    clearTimeout(this.#unsubmitted);
    void this.#run((form) => form.next());
  };

  /**
   * The visitor clicks on the main button, or presses Enter in a field. The browser submits the form right after that,
   * except in a sandbox without `allow-forms`. There the press is enough.
   *
   * The second half of a double click was not meant for the page that it finds: it must not raise errors there, or send
   * the lead.
   */
  readonly #onPress = (event: PointerEvent) => {
    if (this.#press.isSecondHalf(event)) event.preventDefault();
    this.#unsubmitted = setTimeout(() => {
      if (!event.defaultPrevented) this.#onSubmit(event);
    });
  };

  /** Runs the action as soon as the rest of the form has arrived, or shows a notice if it does not arrive. */
  async #run(action: (form: TouchedForm) => unknown) {
    if (this.#arrival.state === 'awaited') return;
    if (!this.#arrival.form) this.#announce(this.#localization.words.loading);
    await this.#arrival.run(action);
  }

  #onLoadFailed(wasAwaited: boolean) {
    // If the visitor has pressed a button, the notice gets the focus, which makes screen readers read it. Otherwise its
    // title is announced.
    this.#announcement = wasAwaited ? '' : this.#localization.words.loadFailed.title;
    this.refresh(wasAwaited ? '.alert' : undefined);
    emit(this, 'prequal-error', {code: 'load-failed', retryable: true});
    void laterFiles.debug().then(
      ({explain}) => explain('page', this.#server),
      () => {},
    );
  }

  /** The visitor has pressed "Try again" in the notice that stands in place of the first screen. */
  readonly #retry = () => void this.#run(() => (this.#dialog ? this.#dialog.open() : this.refresh('h2')));

  /**
   * Checks all answers and sends them, like the last button. Events tell the outcome. Does nothing while a lead is being
   * sent or its result is shown.
   */
  async submit(): Promise<void> {
    if (!this.hasUpdated) await this.updateComplete;
    await this.#run((form) => form.submit());
  }

  /** Opens the dialog of a form with `presentation="dialog"`, once it is loaded. Closing it keeps everything typed. */
  async open(): Promise<void> {
    await this.updateComplete;
    if (this.#isDialog) await this.#run(() => this.#dialog?.open());
    else
      void laterFiles.rest().then(
        ({explainOpen}) => explainOpen(),
        () => {},
      );
  }

  /** Clears everything typed and the result, and shows the empty form. If a lead is being sent, that is cancelled. */
  reset(): void {
    this.find<HTMLFormElement>('form')?.reset();
    forgetDraft(this.partner);
    this.#arrival.reset();
    this.#announce('');
  }

  protected override render() {
    const {foreign} = this.#localization;
    const card = html`
      <div class="card" part="card" lang=${foreign ? 'en' : nothing} dir=${foreign ? 'ltr' : nothing}>
        ${this.#isSandbox ? this.#sandbox?.mark() : nothing} <slot name="heading"></slot>
        ${this.#arrival.form?.answer() ?? this.#opaqueFrame?.view() ?? this.#formView()}
        <slot name="disclaimer"></slot>
        <p class="unseen" role="status">${changingText(this.#announcement)}</p>
      </div>
    `;
    return this.#dialog?.view(card) ?? card;
  }

  #formView() {
    const {words} = this.#localization;
    const {form, state} = this.#arrival;
    const view = {words, arrival: state, contact: contactIn(this), applyHref: this.#applyHref};
    if (this.#lacksRest) return loadFailedView(view, this.#retry);
    return html`<slot name="intro"></slot> ${formView({
        ...view,
        pages: this.#pages,
        trustLine: this.trustLine,
        privacyHref: this.privacyHref && safeLink(this.privacyHref),
        touched: form,
        onEvent: this.#onEvent,
        onPress: this.#onPress,
        onSubmit: this.#onSubmit,
      })}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'lead-prequal-form': LeadPrequalForm;
  }
}
