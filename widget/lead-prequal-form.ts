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
 * @attr {string} data-layer - Also pushes the events to `window.dataLayer`, as `prequal_ready` and so on, or to the
 *   global array that the value names.
 *
 * @slot - Shown until the form shows itself: what people read where it does not load. The class `prequal-late` hides it as
 *   long as the form may still come.
 * @slot heading - A heading for the form, above everything else.
 * @slot logo - A picture of at most 32px height beside the partner's name, in place of that of its configuration.
 * @slot intro - A sentence or two below the heading. Not shown with the result.
 * @slot consent - Shown above the partner's consent text, which it cannot replace. Its text is stored with the lead.
 * @slot disclaimer - Legal text below the form and below the result.
 *
 * @event {CustomEvent<undefined>} prequal-ready - The form is on the page.
 * @event {CustomEvent<undefined>} prequal-start - The visitor has typed or chosen something for the first time.
 * @event {CustomEvent<StepDetail>} prequal-step - Another step is shown: `{step, of, name}`. `step` is counted from
 *   1, `name` is `credit`, `funds` or `contact`.
 * @event {CustomEvent<InvalidDetail>} prequal-invalid - The visitor has pressed the main button, and the form shows what to
 *   correct: `{field, code}` of the first field with an error, once for each press.
 * @event {CustomEvent<undefined>} prequal-submit - All answers are valid and are about to be sent. After `preventDefault()`
 *   nothing is sent, the form stays as it is, and the next press fires the event again.
 * @event {CustomEvent<ResultDetail>} prequal-result - The server has stored the lead: `{id, leadType, status}`. If `status`
 *   is `pending` and the visitor stays, the event comes again when it is `done` or `refused`.
 * @event {CustomEvent<ErrorDetail>} prequal-error - Sending failed, or a file of the form did not arrive: `{code, retryable}`.
 *
 * @cssState sending - The lead is being sent.
 * @cssState answered - The result is shown, also one that is pending or refused.
 *
 * @csspart card - The box around everything.
 * @csspart dialog - The dialog around the box. `::part(dialog)::backdrop` is what lies over the page.
 * @csspart close - The button that closes the dialog.
 * @csspart sample - The line that says that this is a sample, in a sandbox.
 * @csspart progress - The bars that show how many steps there are.
 * @csspart bar-done - The bar of the step that is shown, or of one before it.
 * @csspart bar-open - The bar of a step that is still to come.
 * @csspart count - "Step 2 of 3", above the title.
 * @csspart heading - The title of a step, a section or the result. "Step 2 of 3" is not in it.
 * @csspart so-far - The total so far, above the fields, where the partner shows it before the contact data.
 * @csspart fields - The grid of the fields of a step or a section.
 * @csspart field - A field with its label, help text and error.
 * @csspart label - A field's label.
 * @csspart help - The help text below a label.
 * @csspart promise - What the partner promises about its call.
 * @csspart error - The line below a field that says what is wrong.
 * @csspart question - The line below an amount that asks whether another amount is meant.
 * @csspart input - A text input, also one of several lines, or a list to choose from. A wrong one is also `invalid`.
 * @csspart invalid - An input with an error.
 * @csspart options - The grid of the options of a choice.
 * @csspart option - One option of a choice. The chosen one is also `chosen`.
 * @csspart chosen - The option that is chosen, or the amount that is in the field.
 * @csspart chip - An amount to choose, below the field that it fills in. The one in the field is also `chosen`.
 * @csspart actions - The row of buttons.
 * @csspart button - Any button. Each has a second part, except for those that answer a question and "Change my answers".
 * @csspart primary - The main button.
 * @csspart back - "Back".
 * @csspart quiet - A button that looks like a link: a suggested address, "Copy", "Print", "Start over".
 * @csspart privacy - What the data is used for, with the link to the privacy page.
 * @csspart partner - The box that says who asks for the contact data.
 * @csspart company - The partner's name, in that box.
 * @csspart only - That nobody but the partner gets the data.
 * @csspart talk - The partner's number, to call first.
 * @csspart trust - The partner's line that builds trust, in that box, and on the first step if the page sets `trust-line`.
 * @csspart consent - The partner's consent text with its box.
 * @csspart summary - The list of errors after "Next".
 * @csspart notice - The message when sending failed.
 * @csspart total - The total amount.
 * @csspart bar - The drawing of the four amounts.
 * @csspart table - The table of the four amounts.
 * @csspart row - A row of the table or of the list, for one amount.
 * @csspart swatch - The colour of the amount in the drawing.
 * @csspart amount - The amount in dollars.
 * @csspart reason - The sentence that explains the amount.
 * @csspart unlock - The list of the amounts that are zero, with what it would take for each.
 * @csspart estimate - The sentence that says that this is an estimate, not an offer.
 * @csspart next - What happens next, with the reference.
 * @csspart badge - The icon above thanks, a pending result or a refusal.
 *
 * @cssproperty [--prequal-accent=light-dark(#0b57a4, #6ea8f0)] - The colour of buttons, progress and choices. Any opaque colour:
 *   text on it is black or white. If it has too little contrast with the background, it is made lighter or darker. By
 *   default that of the partner's configuration, or else the primary colour of Bootstrap, WordPress, Elementor, Pico or
 *   Bulma, if the page has it.
 * @cssproperty --prequal-partner-accent - The colour of the partner's configuration. Snippets have it, so that the form has it
 *   at once. It is used only where the page sets no `--prequal-accent`, and comes before the colour that the server sends.
 * @cssproperty [--prequal-background=light-dark(#fff, #181b20)] - The background of the card and its inputs. Any opaque colour.
 * @cssproperty --prequal-field - The fill of inputs and options. By default that of the card. If quiet words could not be read
 *   on it, it is made lighter on a light card, and darker on a dark one.
 * @cssproperty [--prequal-line=light-dark(#7b8088, #a1a8b5)] - The colour of lines. What divides, the edge of the card and the
 *   bars of steps to come have it as it is, and are paler by default. The edges of fields and buttons have a contrast of 3 to 1.
 * @cssproperty --prequal-progress - The colour of the bars of steps that are done, with a contrast of 3 to 1. By default the
 *   accent.
 * @cssproperty [--prequal-error=light-dark(#b3261e, #ffb0a8)] - The colour of errors, with a contrast of 4.5 to 1: of their
 *   words, icons and edges, and of the summary.
 * @cssproperty [--prequal-sticky-top=0px] - The height of a header of the page that stays at the top of the window. The total so
 *   far, and what gets the focus, keep below it.
 * @cssproperty --prequal-text - The colour of the text. By default nearly black or nearly white, depending on the background.
 * @cssproperty [--prequal-amount-1=light-dark(#12336f, #5b92e5)] - The colour of the retirement rollover in the result.
 * @cssproperty [--prequal-amount-2=light-dark(#cf8300, #ffd468)] - The colour of the SBA loan.
 * @cssproperty [--prequal-amount-3=light-dark(#006259, #0b7f73)] - The colour of the unsecured loan.
 * @cssproperty [--prequal-amount-4=light-dark(#925fbe, #c49ee8)] - The colour of the portfolio loan.
 * @cssproperty [--prequal-font=inherit] - The font family. By default that of the page.
 * @cssproperty [--prequal-heading-font=inherit] - The font family of the titles and of the total. By default that of the
 *   headings of WordPress, if the page has it, or else that of the form.
 * @cssproperty [--prequal-radius=12px] - The radius of the card's corners. Inputs and buttons have the same radius, up to 8px.
 *   By default that of Bootstrap, Pico or Bulma, if the page has it.
 * @cssproperty [--prequal-space=4px] - All distances are multiples of this: 3px is compact, 5px is spacious.
 * @cssproperty [--prequal-max-width=640px] - The maximum width of the form.
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

  /** The address of the server that receives the leads. By default the origin of the script. */
  declare endpoint: string;
  /** The name that the operator of the server gave to this partner. Without it, the form is that of the first partner. */
  declare partner: string;
  /** `standard` asks only for contact data, and shows thanks instead of amounts. */
  declare leadType: 'prequalification' | 'standard';
  /** `single` shows all fields at once. */
  declare layout: 'steps' | 'single';
  /** `contact-first` asks for the contact data before the credit history and the funds. */
  declare order: 'funds-first' | 'contact-first';
  /** `dialog` shows nothing in the page: a link, a button or `open()` opens the form in a dialog over the page. */
  declare presentation: 'inline' | 'dialog';
  /** `auto` follows the `color-scheme` of the page around the form. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The address of the partner's privacy page: https, or on the page's own site, such as `/privacy`. */
  declare privacyHref: string | undefined;
  /** One line that builds trust, such as a rating, on the first step. Only what is true and can be shown. */
  declare trustLine: string | undefined;
  /** The address of a link below the result: https, or on the page's own site. Needs `cta-label`, too, or else the partner's own link is shown. */
  declare ctaHref: string | undefined;
  /** The text of the link below the result. Needs `cta-href`, too, or else the partner's own link is shown. */
  declare ctaLabel: string | undefined;
  /** Texts that replace the form's own, in any language. */
  declare strings: SomeWords | undefined;
  /** Keeps all answers and the step for half an hour in this tab, so that leaving the page and coming back loses none. */
  declare draft: boolean;
  /** Contact data that the page knows already. It never overwrites what the visitor has typed. */
  declare prefill: Contact | undefined;
  /** Fills in contact data from the query parameters of the page's address: `?first_name=…&email=…`. */
  declare prefillFromUrl: boolean;
  /** Lets the browser's Back and Forward go from step to step. Set it before the visitor touches the form. */
  declare history: boolean;
  /**
   * `button` waits for the button after every step. By default a step whose last question is a choice goes on when a pointer
   * has answered it.
   */
  declare advance: 'button' | undefined;
  /**
   * Hidden fields that are sent with the lead, by the names that the partner lists: `{brand: 'north'}`. So are attributes
   * such as `context-brand`. Never personal data.
   */
  declare context: Context | undefined;
  /** Shows sample amounts without a server. The value says what happens to the lead: if it is empty, the lead succeeds. */
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
