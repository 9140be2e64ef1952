import {html, nothing, type PropertyValues} from 'lit';
import {effectiveLeadType, pagesOf} from '../form/pages.ts';
import type {SomeWords} from '../form/words/words.ts';
import type {Dialog} from './dialog/index.ts';
import {EmbeddedElement} from './embedded-element.ts';
import {formView} from './form-view.ts';
import {forgetDraft, mayKnowContact, usesKnownContact, type Contact} from './fields/contact-sources.ts';
import type {Endpoint, Fetch, FormHost} from './fields/form-host.ts';
import type {KnownContact} from './fields/known-contact.ts';
import {FirstTouch} from './loading/first-touch.ts';
import {
  advise,
  loadOption,
  loadTakeaway,
  loadTouchedForm,
  scriptOrigin,
  tryOption,
} from './loading/later-files.ts';
import {languages, Localization, type Language} from './localization.ts';
import type {OpaqueFrame} from './opaque-frame/index.ts';
import {DoublePress} from './page/double-press.ts';
import {emit} from './page/events.ts';
import {safeLink} from './page/safe-link.ts';
import {whenIdle} from './page/when-idle.ts';
import {whenNear} from './page/when-near.ts';
import type {Sandbox} from './sandbox/index.ts';
import {fields} from './styles/fields.ts';
import {layout} from './styles/layout.ts';
import {theme} from './styles/theme.ts';
import {recallReceipt} from './submission/receipt.ts';
import type {FormEvent, TouchedForm} from './submission/touched-form.ts';

/** Every request of the form. It tells the server the origin of the page, and nothing else of its address. */
const overNetwork: Fetch = (url, init) =>
  fetch(url, {...init, credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer'});

/** Milliseconds. The first render waits no longer than this for a file that is slow to arrive. */
const timeout = 3_000;

const withinTimeout = (loading: Promise<unknown> | undefined) =>
  Promise.race([loading?.catch(() => {}), new Promise((resolve) => setTimeout(resolve, timeout))]);

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
 * @slot intro - A sentence or two below the heading. Not shown with the result.
 * @slot consent - Shown above the partner's consent text, which it cannot replace.
 * @slot disclaimer - Legal text below the form and below the result.
 *
 * @event {CustomEvent<undefined>} prequal-ready - The form is on the page.
 * @event {CustomEvent<undefined>} prequal-start - The visitor has typed or chosen something for the first time.
 * @event {CustomEvent<StepDetail>} prequal-step - Another step is shown: `{step, of}`, counted from 1.
 * @event {CustomEvent<undefined>} prequal-submit - All answers are valid and are being sent.
 * @event {CustomEvent<ResultDetail>} prequal-result - The server has stored the lead: `{id, leadType, status}`. If `status`
 *   is `pending` and the visitor stays, the event comes again when it is `done` or `refused`.
 * @event {CustomEvent<ErrorDetail>} prequal-error - Sending failed, or a file of the form did not arrive: `{code, retryable}`.
 *
 * @csspart card - The box around everything.
 * @csspart dialog - The dialog around the box. `::part(dialog)::backdrop` is what lies over the page.
 * @csspart close - The button that closes the dialog.
 * @csspart sample - The line that says that this is a sample, in a sandbox.
 * @csspart progress - The bar that shows how many steps there are.
 * @csspart count - "Step 2 of 3", above the title.
 * @csspart heading - The title of a step, a section or the result.
 * @csspart fields - The grid of the fields of a step or a section.
 * @csspart field - A field with its label, help text and error.
 * @csspart label - A field's label.
 * @csspart help - The help text below a label.
 * @csspart error - The line below a field that says what is wrong.
 * @csspart question - The line below an amount that asks whether thousands are meant.
 * @csspart input - A text input.
 * @csspart options - The grid of the options of a choice.
 * @csspart option - One option of a choice.
 * @csspart actions - The row of buttons.
 * @csspart button - Any button. The main button is also `primary`.
 * @csspart primary - The main button.
 * @csspart privacy - What the data is used for, with the link to the privacy page.
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
 * @cssproperty [--prequal-background=light-dark(#fff, #181b20)] - The background of the card and its inputs. Any opaque colour.
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
  static override styles = [theme, fields, layout];

  /** Languages by the tag that stands in `lang`; a page may add its own. */
  static readonly languages: Record<string, Language> = languages;

  static override properties = {
    endpoint: {},
    partner: {},
    leadType: {attribute: 'lead-type'},
    layout: {},
    presentation: {},
    theme: {reflect: true, useDefault: true},
    privacyHref: {attribute: 'privacy-href'},
    ctaHref: {attribute: 'cta-href'},
    ctaLabel: {attribute: 'cta-label'},
    strings: {attribute: false},
    draft: {type: Boolean},
    prefill: {attribute: false},
    prefillFromUrl: {type: Boolean, attribute: 'prefill-from-url'},
    history: {type: Boolean},
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
  /** `dialog` shows nothing in the page: a link, a button or `open()` opens the form in a dialog over the page. */
  declare presentation: 'inline' | 'dialog';
  /** `auto` follows the `color-scheme` of the page around the form. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The address of the partner's privacy page: https, or on the page's own site, such as `/privacy`. */
  declare privacyHref: string | undefined;
  /** The address of a link below the result: https, or on the page's own site. Shown only if `cta-label` is set, too. */
  declare ctaHref: string | undefined;
  /** The text of the link below the result. Shown only if `cta-href` is set, too. */
  declare ctaLabel: string | undefined;
  /** Texts that replace the form's own, in any language. */
  declare strings: SomeWords | undefined;
  /** Keeps the contact fields for half an hour in this tab, so that leaving the page and coming back loses none. */
  declare draft: boolean;
  /** Contact data that the page knows already. It never overwrites what the visitor has typed. */
  declare prefill: Contact | undefined;
  /** Fills in contact data from the query parameters of the page's address: `?first_name=…&email=…`. */
  declare prefillFromUrl: boolean;
  /** Lets the browser's Back and Forward go from step to step. Set it before the visitor touches the form. */
  declare history: boolean;
  /** Shows sample amounts without a server. The value says what happens to the lead: if it is empty, the lead succeeds. */
  declare sandbox: '' | 'none' | 'pending' | 'refused' | 'failed' | boolean | null | undefined;

  readonly #localization: Localization = new Localization(this, () => {
    this.#announcement = '';
    this.#touch.form?.fields.tidyPage();
    this.refresh();
  });

  readonly #touch: FirstTouch = new FirstTouch(this, async () => {
    const [{TouchedForm}, file] = await Promise.all([
      loadTouchedForm(),
      // If this file does not arrive, the browser's Back leaves the page, as without the attribute.
      this.history ? tryOption('history') : undefined,
      this.#localization.loadAfterTouch(),
      this.#loadKnownContact(),
    ]);
    // The page may have set `prefill` meanwhile.
    await this.#loadKnownContact();
    const host = this.#createHost();
    const form = new TouchedForm(host, loadTakeaway);
    if (file) new file.FormHistory(host, form);
    return form;
  });

  #knownContact: KnownContact | undefined;
  /** Undefined if the form stands in the page, also because the file of the dialog did not arrive. */
  #dialog: Dialog | undefined;
  /** The first screen of the form is also its last. */
  #isOnePage = false;
  #sandbox: Sandbox | undefined;
  /** Stands in place of the form in a frame from which the server takes no lead. */
  #opaqueFrame: OpaqueFrame | undefined;
  /** What screen readers say. */
  #announcement = '';
  readonly #press = new DoublePress();
  /** Goes on after a press that the browser makes no `submit` event of. */
  #unsubmitted: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.endpoint = scriptOrigin;
    this.partner = '';
    this.leadType = 'prequalification';
    this.layout = 'steps';
    this.presentation = 'inline';
    this.theme = 'auto';
    this.draft = false;
    this.prefillFromUrl = false;
    this.history = false;
  }

  #createHost(): FormHost {
    const localization = this.#localization;
    return {
      element: this,
      get words() {
        return localization.words;
      },
      knownContact: () => this.#knownContact,
      pages: () => this.#pages,
      leadType: () => this.#leadType,
      endpoint: () => this.#endpoint,
      isSandbox: () => this.#isSandbox,
      link: (attribute, address) => this.#link(attribute, address),
      advise,
      find: (selector) => this.find(selector),
      focused: () => this.shadowRoot?.activeElement,
      refresh: (focusOn) => this.refresh(focusOn),
      announce: (words) => this.#announce(words),
      awaitConnection: () => this.#awaitConnection(),
    };
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('online', this.#onOnline);
  }

  protected override async scheduleUpdate() {
    // The form of a sandbox is shown only together with the line that says that it is a sample.
    if (this.#isSandbox) this.#sandbox ??= (await loadOption('sandbox')).createSandbox(this.#createHost());
    if (!this.hasUpdated) {
      if (this.presentation === 'dialog') await this.#loadDialog();
      if (origin === 'null' && !this.#isSandbox) await this.#loadOpaqueFrame();
      // The form waits for its words, so that a Spanish page does not show English ones first.
      await Promise.all([
        withinTimeout(this.#localization.ready),
        this.#showsMore && withinTimeout(this.#touch.load()),
      ]);
    }
    await super.scheduleUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (changed.has('strings')) this.#localization.strings = this.strings;
  }

  protected override firstUpdated() {
    super.firstUpdated();
    emit(this, 'prequal-ready');
    if (location.search.includes('prequal-debug')) {
      void tryOption('debug').then((file) => file?.showState(this.#createHost()));
    }
    whenIdle(() => {
      // If the page was reloaded after a lead was sent, the touched form shows the result of that lead.
      if (this.isConnected && recallReceipt(this.#endpoint)) this.#load();
    });
  }

  protected override updated(changed: PropertyValues<this>) {
    super.updated(changed);
    // `scheduleUpdate` does not see what the page sets before the element is defined, or after the first render.
    if (changed.size > 0) {
      if (this.#showsMore) this.#load();
      else if (this.#touch.arrival !== 'initial') void this.#loadKnownContact();
    }
    if (!this.#isOnePage && this.#pages.length === 1) this.#loadConsent();
  }

  /** The consent text is on the first screen. If it does not arrive, the buttons below it still appear (layout.ts). */
  #loadConsent() {
    this.#isOnePage = true;
    whenNear(this, () => {
      this.#touch.load().then(
        ({submission}) => submission.preparation.begin(),
        () => {},
      );
    });
  }

  /** Whether the form needs the touched form to show more than the first file can: all fields, or known contact data. */
  get #showsMore() {
    return this.#touch.arrival === 'initial' && (this.layout === 'single' || mayKnowContact(this));
  }

  /** Loads the touched form before the visitor needs it. A failure is ignored, because the main button tries again. */
  #load() {
    this.#touch.load().catch(() => {});
  }

  /** A failure is ignored, because without this file the visitor can still type everything. */
  async #loadKnownContact() {
    if (!usesKnownContact(this) || this.#knownContact) return;
    const file = await tryOption('known-contact');
    this.#knownContact ??= file && new file.KnownContact(this.#createHost(), () => this.#touch.form?.fields);
    this.refresh();
  }

  /** Without this file, the form stands in the page, where links to the element lead to it. */
  async #loadDialog() {
    const file = await tryOption('dialog');
    this.#dialog = file && new file.Dialog(this.#createHost());
  }

  /** Without this file, the visitor fills in the form, and reads that it could not be sent. */
  async #loadOpaqueFrame() {
    const file = await tryOption('opaque-frame');
    this.#opaqueFrame = file?.createOpaqueFrame(this.#createHost());
  }

  get #isSandbox() {
    return typeof this.sandbox === 'string' || this.sandbox === true;
  }

  get #leadType() {
    return effectiveLeadType(this.leadType, this.#touch.form?.allowedLeadTypes);
  }

  /** The `single` layout has several pages, too, as long as the file with its further fields has not arrived. */
  get #pages() {
    return pagesOf(this.#leadType, this.layout === 'single' && this.#touch.form !== undefined);
  }

  get #endpoint(): Endpoint {
    const {partner, leadType, sandbox} = this;
    const server = this.#isSandbox
      ? {origin: 'sandbox:', partner: `sandbox:${sandbox}`, fetch: this.#sandbox?.fetch ?? overNetwork}
      : {origin: (this.endpoint || scriptOrigin).replace(/\/+$/, ''), partner, fetch: overNetwork};
    const explainRefusal = (code: string) => advise((advice) => void advice.explainRefusal(code, server));
    return {...server, leadType, explainRefusal};
  }

  /** The address that the page names in an attribute, if it is safe to link to. If not, the console says why. */
  #link(attribute: string, address: string | undefined) {
    const href = address && safeLink(address);
    if (address && !href) advise(({explainLink}) => explainLink(attribute, address));
    return href;
  }

  #announce(words: string) {
    this.#announcement = words;
    this.refresh();
  }

  readonly #onEvent = (event: FormEvent & Event) => {
    const {type, timeStamp, target, relatedTarget, key, repeat} = event;
    // One press of Enter is one step, however long the key is held down.
    if (repeat && key === 'Enter') event.preventDefault();
    this.#touch.handle({type, timeStamp, target, relatedTarget, key});
  };

  /** A notice asks the visitor to check the connection. It goes when the browser says that there is one. */
  #awaitConnection() {
    addEventListener('online', this.#onOnline, {once: true});
  }

  readonly #onOnline = () => {
    if (!this.#touch.reconnect()) return;
    // The notice may have the focus, and goes.
    if (this.shadowRoot?.activeElement?.matches('.alert')) this.refresh('.main');
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

  /** Runs the action as soon as the file for it has arrived, or shows a notice if it does not arrive. */
  async #run(action: (form: TouchedForm) => unknown) {
    if (this.#touch.arrival === 'awaited') return;
    if (!this.#touch.form) this.#announce(this.#localization.words.loading);
    try {
      await this.#touch.run(action);
    } catch (error) {
      if (this.#touch.form) throw error;
      this.#announcement = '';
      this.refresh('.alert');
      this.#awaitConnection();
      emit(this, 'prequal-error', {code: 'load-failed', retryable: true});
    }
  }

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
    if (this.#dialog) await this.#dialog.open();
    else if (this.presentation !== 'dialog') advise(({explainOpen}) => explainOpen());
  }

  /** Clears everything typed and the result, and shows the empty form. If a lead is being sent, that is cancelled. */
  reset(): void {
    this.find<HTMLFormElement>('form')?.reset();
    forgetDraft(this.partner);
    this.#touch.reset();
    this.#announce('');
  }

  protected override render() {
    const {words, foreign} = this.#localization;
    const {form, arrival} = this.#touch;
    const card = html`
      <div class="card" part="card" lang=${foreign ? 'en' : nothing} dir=${foreign ? 'ltr' : nothing}>
        ${this.#isSandbox ? this.#sandbox?.mark() : nothing} <slot name="heading"></slot>
        ${
          form?.answer() ??
          this.#opaqueFrame?.view() ??
          html`<slot name="intro"></slot> ${formView({
              words,
              leadType: this.#leadType,
              pages: this.#pages,
              privacyHref: this.#link('privacy-href', this.privacyHref),
              touched: form,
              arrival,
              onEvent: this.#onEvent,
              onPress: this.#onPress,
              onSubmit: this.#onSubmit,
            })}`
        }
        <slot name="disclaimer"></slot>
        <p class="unseen" role="status">${this.#announcement}</p>
      </div>
    `;
    return this.#dialog?.view(card) ?? card;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'lead-prequal-form': LeadPrequalForm;
  }
}
