import {html, nothing, type PropertyValues} from 'lit';
import {pageAddress} from '../contract/page-address.ts';
import type {Failure, Fetch, Kit, Outcome} from './submission/types.ts';
import {attribution} from './page/attribution.ts';
import {keepDraft, knownContact, type Contact} from './fields/known-contact.ts';
import {Delivery} from './loading/touch.ts';
import {EmbeddedElement} from './embedded-element.ts';
import {emit} from './page/events.ts';
import {formView} from './fields/form-view.ts';
import {Interview} from './fields/form-state.ts';
import {languages, Localization, type Language} from './localization.ts';
import {loadTakeawayModule, loadPinned, scriptOrigin} from './loading/later-files.ts';
import {formatMoney} from '../form/money.ts';
import {laterFiles} from './loading/pins.ts';
import {readFields} from '../form/read-fields.ts';
import {safeDocument} from './page/safe-document.ts';
import {httpsOnly} from './page/safe-link.ts';
import type {Sandbox, SandboxModule} from './sandbox/index.ts';
import {effectiveLeadType, fieldsOf, pagesOf} from '../form/pages.ts';
import {formStyles} from './styles/index.ts';
import {receiptName} from './page/receipt-name.ts';
import {keep, recall} from './page/session.ts';
import {laterFormWords} from '../form/words/en.ts';
import {fill, merge, type SomeWords, type Words} from '../form/words/words.ts';

/** Every request of the form. Only the origin of the page is sent, and nothing else of its address. */
const overNetwork: Fetch = (url, init) =>
  fetch(url, {...init, credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer'});

const kitFor = (element: Kit['element'], localization: Localization, announce: Kit['announce']): Kit => ({
  element,
  announce,
  report: (result) => emit(element, 'prequal-result', result),
  html,
  nothing,
  fill,
  safeDocument,
  loadTakeawayModule,
  keep,
  recall,
  get words() {
    return localization.words;
  },
  money: (dollars) => formatMoney(dollars, localization.words.locale),
});

/**
 * @summary A form that asks for contact data, credit history and funds, sends them to the lead service, and
 *   shows what the visitor may qualify for.
 *
 * @tagname lead-prequal-form
 *
 * @attr {string} data-layer - Also pushes the events to `window.dataLayer`, as `prequal_ready` and so on, or to the
 *   global array that the value names.
 * @attr {boolean} draft - Keeps the contact fields for half an hour in this tab, so that they survive a reload.
 * @attr {boolean} prefill-from-url - Fills in contact data from the query parameters of the page's address:
 *   `?first_name=…&email=…`.
 *
 * @slot - Shown until the script has run, and to people without JavaScript.
 * @slot heading - A heading for the form, above everything else.
 * @slot intro - A sentence or two below the heading. Not shown with the result.
 * @slot consent - Shown above the partner's consent text, which it cannot replace.
 * @slot disclaimer - Legal text below the form and below the result.
 *
 * @event prequal-ready - The form is on the page.
 * @event prequal-start - The visitor has typed or chosen something for the first time.
 * @event {CustomEvent<StepDetail>} prequal-step - Another step is shown: `{step, of}`, counted from 1.
 * @event prequal-submit - All answers are valid and are being sent.
 * @event {CustomEvent<ResultDetail>} prequal-result - The server has stored the lead: `{id, leadType, status}`. If `status`
 *   is `pending` and the visitor stays, the event comes again when it is `done` or `refused`.
 * @event {CustomEvent<ErrorDetail>} prequal-error - Sending failed: `{code, retryable}`.
 *
 * @csspart card - The box around everything.
 * @csspart sample - The line that says that this is a sample, in a sandbox.
 * @csspart progress - The bar that shows how many steps there are.
 * @csspart count - "Step 2 of 3", above the title.
 * @csspart heading - The title of a step, a section or the result.
 * @csspart fields - The grid of the fields of a step or a section.
 * @csspart field - A field with its label, help text and error.
 * @csspart label - A field's label.
 * @csspart help - The help text below a label.
 * @csspart error - The line below a field that says what is wrong.
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
 * @csspart row - A row of the table, for one amount.
 * @csspart swatch - The colour of the amount in the drawing.
 * @csspart amount - The amount in dollars.
 * @csspart reason - The sentence that explains the amount.
 * @csspart estimate - The sentence that says that this is an estimate, not an offer.
 * @csspart badge - The icon above thanks, a pending result or a refusal.
 *
 * @cssproperty [--prequal-accent=light-dark(#0b57a4, #6ea8f0)] - The colour of buttons, progress and choices. Any opaque colour:
 *   text on it is black or white. If it has too little contrast with the background, it is made lighter or darker.
 * @cssproperty [--prequal-background=light-dark(#fff, #181b20)] - The background of the card and its inputs. Any opaque colour.
 * @cssproperty --prequal-text - The colour of the text. By default nearly black or nearly white, depending on the background.
 * @cssproperty [--prequal-amount-1=light-dark(#12336f, #5b92e5)] - The colour of the retirement rollover in the result.
 * @cssproperty [--prequal-amount-2=light-dark(#cf8300, #ffd468)] - The colour of the SBA loan.
 * @cssproperty [--prequal-amount-3=light-dark(#006259, #0b7f73)] - The colour of the unsecured loan.
 * @cssproperty [--prequal-amount-4=light-dark(#925fbe, #c49ee8)] - The colour of the portfolio loan.
 * @cssproperty [--prequal-font=inherit] - The font family. By default that of the page.
 * @cssproperty [--prequal-radius=12px] - The radius of the card's corners. Inputs and buttons have the same radius, up to 8px.
 * @cssproperty [--prequal-space=4px] - All distances are multiples of this: 3px is compact, 5px is spacious.
 * @cssproperty [--prequal-max-width=640px] - The maximum width of the form.
 */
export class LeadPrequalForm extends EmbeddedElement {
  static override styles = formStyles;

  /** Languages by the tag that stands in `lang`; a page may add its own. */
  static readonly languages: Record<string, Language> = languages;

  static override properties = {
    endpoint: {},
    partner: {},
    leadType: {attribute: 'lead-type'},
    layout: {},
    theme: {reflect: true, useDefault: true},
    privacyHref: {attribute: 'privacy-href'},
    ctaHref: {attribute: 'cta-href'},
    ctaLabel: {attribute: 'cta-label'},
    strings: {attribute: false},
    prefill: {attribute: false},
    sandbox: {},
  };

  /** The address of the server that receives the leads. By default the origin of the script. */
  declare endpoint: string;
  /** The name that the operator of the server gave to this partner. */
  declare partner: string;
  /** `standard` asks only for contact data, and shows thanks instead of amounts. */
  declare leadType: 'prequalification' | 'standard';
  /** `single` shows all fields at once. */
  declare layout: 'steps' | 'single';
  /** `auto` follows the `color-scheme` of the page around the form. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The address of the partner's privacy page. Must be https. */
  declare privacyHref: string | undefined;
  /** The address of a link below the result. Must be https. Shown only if `cta-label` is set, too. */
  declare ctaHref: string | undefined;
  /** The text of the link below the result. */
  declare ctaLabel: string | undefined;
  /** Texts that replace the form's own, in any language. */
  declare strings: SomeWords | undefined;
  /** Contact data that the page knows already. It never overwrites what the visitor has typed. */
  declare prefill: Contact | undefined;
  /** Shows sample amounts without a server. The value says what happens to the lead: if it is empty, the lead succeeds. */
  declare sandbox: '' | 'none' | 'pending' | 'refused' | 'failed' | null | undefined;

  #failure: Failure | undefined;
  #sandbox: Sandbox | undefined;
  #sending: AbortController | undefined;
  /** The page of fields is shown before the partner's configuration is there. */
  #held = true;

  readonly #localization: Localization = new Localization(this, () => {
    this.#interview.reword();
    this.refresh();
  });

  readonly #kit = kitFor(this, this.#localization, (words) => {
    this.#interview.said = words;
    this.refresh();
  });

  readonly #delivery = new Delivery(this.#kit, () => this.#localization.loadAfterTouch());

  readonly #interview: Interview = new Interview({
    words: () => this.#words,
    suggest: (email) => this.#part?.emailSlip(email),
    pages: () => this.#pages,
    find: (selector) => this.find(selector),
    refresh: (focusOn) => this.refresh(focusOn),
    onTouch: () => this.#load(),
    onStart: () => emit(this, 'prequal-start'),
    onRead: (values) => {
      if (this.hasAttribute('draft') && !this.#staged) keepDraft(this.partner, values);
    },
    onPage: () => {
      this.#failure = undefined;
      this.#held = !this.#part;
      emit(this, 'prequal-step', {step: this.#interview.page + 1, of: this.#pages.length});
    },
    onFinish: () => void this.submit(),
  });

  constructor() {
    super();
    this.endpoint = scriptOrigin;
    this.partner = '';
    this.leadType = 'prequalification';
    this.layout = 'steps';
    this.theme = 'auto';
  }

  protected override async scheduleUpdate() {
    // A sample is not shown without the line that says that it is a sample.
    if (this.#staged) {
      const {createSandbox} = (await loadPinned(laterFiles.sandbox)) as SandboxModule;
      this.#sandbox ??= createSandbox(this.#kit);
    }
    // A Spanish page does not show English first, but it does not wait for ever for a slow language file.
    if (!this.hasUpdated)
      await Promise.race([this.#loadFirstWords(), new Promise((late) => setTimeout(late, 3_000))]);
    await super.scheduleUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    const interview = this.#interview;
    if (changed.has('strings')) this.#localization.strings = this.strings;
    if (!this.hasUpdated || changed.has('prefill')) interview.fill(knownContact(this));
    // There may be fewer pages now, because of the configuration or a changed attribute.
    interview.page = Math.min(interview.page, this.#pages.length - 1);
  }

  protected override firstUpdated() {
    super.firstUpdated();
    emit(this, 'prequal-ready');
    // The page was reloaded after sending: the visitor sees the result of the lead.
    if (recall(receiptName(this.#place))) this.#load();
  }

  get #staged() {
    return typeof this.sandbox === 'string';
  }

  /** The views of later steps are in this file, so in English the form can show them before their words arrive. */
  get #words(): Words {
    return merge<Words>(laterFormWords as Words, this.#localization.words);
  }

  /** A single page shows all fields at once, and needs their words for that. */
  async #loadFirstWords() {
    await this.#localization.ready;
    if (this.layout === 'single') await this.#localization.loadAfterTouch().catch(() => {});
  }

  get #part() {
    return this.#delivery.part;
  }

  get #leadType() {
    return effectiveLeadType(this.leadType, this.#part?.config?.lead_types);
  }

  get #pages() {
    return pagesOf(this.#leadType, this.layout === 'single');
  }

  get #place() {
    const {partner, leadType, sandbox} = this;
    return this.#staged
      ? {
          endpoint: 'sandbox:',
          partner: `sandbox:${sandbox}`,
          leadType,
          fetch: this.#sandbox?.fetch ?? overNetwork,
        }
      : {endpoint: this.endpoint.replace(/\/+$/, ''), partner, leadType, fetch: overNetwork};
  }

  get #link() {
    const href = httpsOnly(this.ctaHref);
    return href && this.ctaLabel ? {href, label: this.ctaLabel} : undefined;
  }

  #load() {
    // A failure is shown when the visitor sends, because then there is a button to try again.
    this.#delivery.load(this.#place).then(
      () => this.refresh(),
      () => {},
    );
  }

  #settle(outcome: Outcome) {
    this.#interview.said = '';
    this.#interview.locked = false;
    if (outcome.kind === 'answered') {
      const {id, leadType, status} = outcome;
      keepDraft(this.partner);
      this.refresh('h2');
      return emit(this, 'prequal-result', {id, leadType, status});
    }
    const {code, retryable} = outcome;
    if (outcome.kind === 'invalid') this.#interview.show(outcome.errors);
    else {
      this.#failure = outcome;
      this.refresh('.alert');
    }
    emit(this, 'prequal-error', {code, retryable});
  }

  /**
   * Checks all answers and sends them, like the last button. Events tell the outcome. Does nothing while a lead is being
   * sent or its result is shown.
   */
  async submit(): Promise<void> {
    if (this.#sending || this.#part?.answer) return;
    const interview = this.#interview;
    const names = this.#pages.flatMap(fieldsOf);
    if (!interview.check(names)) return;

    const {signal} = (this.#sending = new AbortController());
    this.#failure = undefined;
    interview.clear();
    interview.said = this.#words.sending;
    interview.locked = true;
    this.refresh();
    emit(this, 'prequal-submit');
    const {values} = interview;
    const part = await this.#delivery.load(this.#place).catch(() => undefined);
    const outcome = await part?.send(
      {lead_type: this.#leadType, ...readFields(names, values).lead},
      {
        trap: values.website,
        attribution: attribution(),
        page: pageAddress(location.href),
        signal,
      },
    );
    if (signal.aborted) return;
    this.#sending = undefined;
    this.#settle(outcome ?? {kind: 'failed', code: 'load-failed', notice: 'network', retryable: true});
  }

  /** Clears everything typed and the result, and shows the empty form. If a lead is being sent, that is cancelled. */
  reset(): void {
    this.#sending?.abort();
    this.#part?.forget();
    this.#sending = this.#failure = undefined;
    this.#interview.reset();
    keepDraft(this.partner);
    this.refresh();
  }

  protected override render() {
    const interview = this.#interview;
    const part = this.#part;
    const {foreign} = this.#localization;
    return html`
      <div class="card" part="card" lang=${foreign ? 'en' : nothing} dir=${foreign ? 'ltr' : nothing}>
        ${this.#staged ? this.#sandbox?.mark() : nothing} <slot name="heading"></slot>
        ${
          part?.view({
            firstName: interview.values.first_name?.trim() ?? '',
            link: this.#link,
            change: () => interview.go(0),
            startOver: () => {
              this.reset();
              interview.go(0);
            },
          }) ??
          html`<slot name="intro"></slot> ${formView(
              {
                interview,
                words: this.#words,
                leadType: this.#leadType,
                pages: this.#pages,
                retryable: this.#failure?.retryable,
                notice: this.#failure && (part?.notice(this.#failure) ?? this.#words.loadFailed),
                sending: this.#sending !== undefined,
                privacyHref: httpsOnly(this.privacyHref),
                held: this.#held,
                consentView: part?.consentView,
              },
              interview.handlers,
            )}`
        }
        <slot name="disclaimer"></slot>
        <p class="unseen" role="status">${interview.said}</p>
      </div>
    `;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'lead-prequal-form': LeadPrequalForm;
  }
}
