import {css, html, nothing, type PropertyValues} from 'lit';
import {pageAddress} from '../contract/page-address.ts';
import type {Failure, Fetch, Kit, Outcome} from './answer/types.ts';
import {attribution} from './attribution.ts';
import {keepDraft, knownContact, type Contact} from './contact.ts';
import {Delivery} from './delivery.ts';
import {EmbeddedElement} from './embedded-element.ts';
import {emit} from './events.ts';
import {formView} from './form-view.ts';
import {Interview} from './interview.ts';
import {languages, Speech, type Language} from './language.ts';
import {loadKeepModule, loadPinned, scriptOrigin} from './later-files.ts';
import {formatMoney} from './money.ts';
import {laterFiles} from './pins.ts';
import {readFields} from './read-lead.ts';
import {safeDocument} from './safe-document.ts';
import {httpsOnly} from './safe-link.ts';
import type {Sandbox, SandboxModule} from './sandbox/index.ts';
import {effectiveLeadType, fieldsOf, pagesOf} from './steps.ts';
import {formStyles} from './styles/index.ts';
import {receiptName} from './receipt.ts';
import {keep, recall} from './session.ts';
import {fill, type SomeWords} from './words/words.ts';

/** Every request of the form. The server learns the page's origin, and nothing more of its address. */
const overNetwork: Fetch = (url, init) =>
  fetch(url, {...init, credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer'});

const kitFor = (host: Kit['host'], speech: Speech, say: Kit['say']): Kit => ({
  host,
  say,
  report: (result) => emit(host, 'prequal-result', result),
  html,
  css,
  nothing,
  fill,
  safeDocument,
  loadKeepModule,
  keep,
  recall,
  get words() {
    return speech.words;
  },
  money: (dollars) => formatMoney(dollars, speech.words.locale),
});

/**
 * @summary A form that asks for contact data, credit history and funds, sends them to the lead service, and
 *   shows what the visitor may qualify for.
 *
 * @tagname lead-prequal-form
 *
 * @attr {string} data-layer - Events are pushed to `window.dataLayer` as well, as `prequal_ready` and so on, or
 *   to the global array that the value names.
 * @attr {boolean} draft - Keeps the contact fields for half an hour in this tab, so that a reload does not lose
 *   them.
 * @attr {boolean} prefill-from-url - Takes contact data from the parameters of the page's address that have the
 *   fields' names: `?first_name=…&email=…`.
 *
 * @slot - What people see until the script has run, and without JavaScript.
 * @slot heading - The form's own heading, above everything else.
 * @slot intro - A sentence or two below the heading; not shown with the result.
 * @slot consent - Above the partner's own consent text, which it does not replace.
 * @slot disclaimer - Legal words below the form and below the result.
 *
 * @event prequal-ready - The form is on the page.
 * @event prequal-start - The visitor has typed or chosen something for the first time.
 * @event {CustomEvent<StepDetail>} prequal-step - Another step is shown: `{step, of}`, counted from 1.
 * @event prequal-submit - All answers are valid and are being sent.
 * @event {CustomEvent<ResultDetail>} prequal-result - The server took the lead: `{id, leadType, status}`. Where `status`
 *   is `pending`, the event comes again once it is `done` or `refused`, if the visitor stays.
 * @event {CustomEvent<ErrorDetail>} prequal-error - Sending failed: `{code, retryable}`.
 *
 * @csspart card - The box around everything.
 * @csspart sample - The line that marks a sample, in a sandbox.
 * @csspart progress - The bar that shows how many steps there are.
 * @csspart count - "Step 2 of 3", above the title.
 * @csspart heading - The title of a step, a section or the result.
 * @csspart fields - The grid of the fields of a step or a section.
 * @csspart field - A field with its label, help and error.
 * @csspart label - A field's label.
 * @csspart help - The line below a label.
 * @csspart error - The line below a field that says what is wrong.
 * @csspart input - A text input.
 * @csspart options - The grid of the answers to choose from.
 * @csspart option - One answer to choose.
 * @csspart actions - The row of buttons.
 * @csspart button - Any button; the main one is `primary` as well.
 * @csspart primary - The main button.
 * @csspart privacy - What the data is used for, with the link to the privacy page.
 * @csspart consent - The partner's consent text with its box.
 * @csspart summary - The list of errors after "Next".
 * @csspart notice - What is said when sending failed.
 * @csspart total - The total amount.
 * @csspart bar - The drawing of the four amounts.
 * @csspart table - The four amounts in words and figures.
 * @csspart row - One of the four, with all that is said about it.
 * @csspart swatch - Its colour.
 * @csspart amount - Its dollars.
 * @csspart reason - Its sentence.
 * @csspart estimate - That it is an estimate, not an offer.
 * @csspart badge - The sign above thanks, a result that is not known yet, or a refusal.
 *
 * @cssproperty [--prequal-accent=light-dark(#0b57a4, #6ea8f0)] - The one colour of buttons, progress and choices. Any opaque colour:
 *   its text is black or white, and where it would fade on the background it is moved until it can be told.
 * @cssproperty [--prequal-background=light-dark(#fff, #181b20)] - Of the card and its inputs. Any opaque colour.
 * @cssproperty --prequal-text - Colour of the text; nearly black or nearly white by default, as the background asks.
 * @cssproperty [--prequal-amount-1=light-dark(#12336f, #5b92e5)] - The retirement rollover in the result.
 * @cssproperty [--prequal-amount-2=light-dark(#cf8300, #ffd468)] - The SBA loan.
 * @cssproperty [--prequal-amount-3=light-dark(#006259, #0b7f73)] - The unsecured loan.
 * @cssproperty [--prequal-amount-4=light-dark(#925fbe, #c49ee8)] - The portfolio loan.
 * @cssproperty [--prequal-font=inherit] - Font family; the page's own by default.
 * @cssproperty [--prequal-radius=12px] - Of the card's corners; inputs and buttons follow it, up to 8px.
 * @cssproperty [--prequal-space=4px] - The step that all distances are multiples of: 3px is compact, 5px airy.
 * @cssproperty [--prequal-max-width=640px] - The widest that the form gets.
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

  /** Address of the server that takes the leads; the script's own origin by default. */
  declare endpoint: string;
  /** Who the leads are for: the name that the server's operator gave this partner. */
  declare partner: string;
  /** `standard` asks for contact data only, and thanks for it. */
  declare leadType: 'prequalification' | 'standard';
  /** `single` shows all fields at once. */
  declare layout: 'steps' | 'single';
  /** `auto` follows the `color-scheme` of the page around the form. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The partner's privacy page; https only. */
  declare privacyHref: string | undefined;
  /** Where the visitor may go from the result; https only, shown only together with its label. */
  declare ctaHref: string | undefined;
  /** The words of that link. */
  declare ctaLabel: string | undefined;
  /** Words to use instead of the form's own, in any language. */
  declare strings: SomeWords | undefined;
  /** Contact data that the page knows already; it never overwrites what the visitor typed. */
  declare prefill: Contact | undefined;
  /** No server, sample amounts, marked as a sample; the value is how the lead fares, a success where it is empty. */
  declare sandbox: '' | 'none' | 'pending' | 'refused' | 'failed' | null | undefined;

  #failure: Failure | undefined;
  #sandbox: Sandbox | undefined;
  #sending: AbortController | undefined;
  /** The page of fields is shown before the partner's configuration is there. */
  #held = true;

  readonly #speech: Speech = new Speech(this, () => {
    this.#interview.reword();
    this.refresh();
  });

  readonly #kit = kitFor(this, this.#speech, (words) => {
    this.#interview.said = words;
    this.refresh();
  });

  readonly #delivery = new Delivery(this.#kit, () => this.#speech.answer());

  readonly #interview: Interview = new Interview({
    words: () => this.#speech.words,
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
    // Without its mark, a sample is not shown.
    if (this.#staged) {
      const {createSandbox} = (await loadPinned(laterFiles.sandbox)) as SandboxModule;
      this.#sandbox ??= createSandbox(this.#kit);
    }
    // A page in Spanish never sees English flash up; nor does it wait for a slow file for ever.
    if (!this.hasUpdated)
      await Promise.race([this.#speech.ready, new Promise((late) => setTimeout(late, 3_000))]);
    await super.scheduleUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    const interview = this.#interview;
    if (changed.has('strings')) this.#speech.strings = this.strings;
    if (!this.hasUpdated || changed.has('prefill')) interview.fill(knownContact(this));
    // The configuration, or the page through an attribute, may have made them fewer.
    interview.page = Math.min(interview.page, this.#pages.length - 1);
  }

  protected override firstUpdated() {
    super.firstUpdated();
    emit(this, 'prequal-ready');
    // The page was loaded again: the visitor finds what became of the lead.
    if (recall(receiptName(this.#place))) this.#load();
  }

  get #staged() {
    return typeof this.sandbox === 'string';
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
    // A failure shows when the visitor sends, for there is a button to try again.
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
   * Checks all answers and sends them, as the last button does. Events tell how it went; while a lead is being
   * sent, or its result is shown, nothing happens.
   */
  async submit(): Promise<void> {
    if (this.#sending || this.#part?.answer) return;
    const interview = this.#interview;
    const names = this.#pages.flatMap(fieldsOf);
    if (!interview.check(names)) return;

    const {signal} = (this.#sending = new AbortController());
    this.#failure = undefined;
    interview.clear();
    interview.said = this.#speech.words.sending;
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

  /** Forgets everything typed and any result, and shows the empty form; what is being sent is given up. */
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
    const {foreign} = this.#speech;
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
                words: this.#speech.words,
                leadType: this.#leadType,
                pages: this.#pages,
                retryable: this.#failure?.retryable,
                notice: this.#failure && (part?.notice(this.#failure) ?? this.#speech.words.loadFailed),
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
