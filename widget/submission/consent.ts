/** The partner's consent text above the last button, and whether the visitor agreed to it. */
import {html, nothing} from 'lit';
import {consentViewLimits, type ConsentText, type ConsentView} from '../../contract/embed.ts';
import {consentParts, linksTo} from '../../form/consent-text.ts';
import {trap} from '../../form/views/trap.ts';
import {sendLabel} from '../../form/words/words.ts';
import {changingText} from '../fields/changing-text.ts';
import {errorText} from '../fields/field-views.ts';
import type {FormHost} from '../fields/form-host.ts';
import {safeLink} from '../page/safe-link.ts';
import {builtVersion} from './exchange.ts';

/**
 * - `required`: the box is not ticked
 * - `outdated`: the partner's text has changed since the visitor saw it
 */
export type ConsentError = 'required' | 'outdated';

/** What the visitor saw of the consent. A lead is only sent with a text that was seen. */
export type SeenConsent = ConsentView & {version: string};

export class Consent {
  /** The text that the visitor can read. Without a text, no consent is asked for. */
  text: ConsentText | undefined;
  error: ConsentError | undefined;
  /** The version of the text that the visitor saw last; empty before that. */
  #seenVersion = '';
  /** The value of a field that people do not see: it comes from a bot, or from a browser that fills in fields. */
  trap: string | undefined;
  /**
   * The text has arrived and is not shown yet, because it would push away what the visitor sees below the form. It is
   * shown as soon as the visitor does something in a field, or tries to send.
   */
  isPostponed = false;

  readonly #host: FormHost;
  /** The version of the text whose box the visitor ticked. */
  #tickedVersion: string | undefined;

  constructor(host: FormHost) {
    this.#host = host;
  }

  /** Reads what the page that is shown has of the consent. On other pages, what was read last stays. */
  collect() {
    this.#seenVersion = this.#host.find('.consent')?.dataset['version'] ?? this.#seenVersion;
    const trap = this.#host.find<HTMLInputElement>('[name=website]');
    if (trap) this.trap = trap.value || undefined;
    const box = this.#host.find<HTMLInputElement>('#consent');
    if (box) this.#tickedVersion = box.checked ? box.value : undefined;
    if (this.error && this.text?.required && !this.#isMissing) {
      this.error = undefined;
      this.#host.announce('');
    }
  }

  get #isMissing() {
    return this.text?.required === true && this.#tickedVersion !== this.text.version;
  }

  /** @returns whether a lead can be sent with this consent; if not, `error` says what is missing */
  check(): boolean {
    this.collect();
    this.error = this.#isMissing ? 'required' : undefined;
    return !this.error;
  }

  /** Shows a text that was postponed. */
  show() {
    if (!this.isPostponed) return;
    this.isPostponed = false;
    this.#host.refresh();
  }

  reset() {
    this.error = undefined;
    this.#tickedVersion = undefined;
  }

  /** @param privacy the link to the partner's privacy page */
  view(privacy: unknown) {
    return html` ${trap} ${this.text && !this.isPostponed ? this.#textView(this.text, privacy) : nothing} `;
  }

  #textView({text, version, required, lang}: ConsentText, privacy: unknown) {
    const describedBy = this.error ? 'consent-error' : nothing;
    // A text without a language has no links and no placeholder.
    const privacyHref = safeLink(this.#host.element.privacyHref ?? '') ?? '';
    const shown = lang ? this.#partsOf(text) : changingText(text);
    return html`
      <div class="consent" part="consent" data-field="consent" data-version=${version} dir="auto">
        ${
          required
            ? html`<input
                  type="checkbox"
                  id="consent"
                  name="consent"
                  value=${version}
                  required
                  aria-invalid=${this.error !== undefined}
                  aria-describedby=${describedBy}
                  .checked=${this.#tickedVersion === version}
                />
                <label for="consent" lang=${lang ?? nothing}>${shown}</label>`
            : html`<fieldset id="consent" name="consent" tabindex="-1" aria-describedby=${describedBy}>
                <p lang=${lang ?? nothing}>${shown}</p>
              </fieldset>`
        }
        ${lang && linksTo(text, privacyHref) ? nothing : privacy}
      </div>
    `;
  }

  #partsOf(text: string) {
    const {words} = this.#host;
    return consentParts(text).map((part) => {
      if ('button' in part) return html`<b>${sendLabel(words, this.#host.leadType())}</b>`;
      return 'href' in part
        ? html`<a href=${part.href} target="_blank" rel="noopener">${changingText(part.text)}</a>`
        : changingText(part.text);
    });
  }

  /** What stands on the screen. In a dialog, the card shows less than the window. Each span holds a part of the text. */
  shown(): SeenConsent {
    const host = this.#host;
    const text = host.find('.consent')?.getBoundingClientRect();
    const card = host.find('.card')!.getBoundingClientRect();
    return {
      verbatim:
        text &&
        [...host.find('.consent')!.querySelectorAll('span')].every((each) =>
          this.text?.text.includes(each.textContent),
        ),
      slot:
        host
          .find<HTMLSlotElement>('slot[name=consent]')
          ?.assignedElements()
          .map((each) => (each as HTMLElement).innerText)
          .join(' ')
          .slice(0, consentViewLimits.slot) || undefined,
      button: text && host.find('.main')?.innerText,
      version: this.#seenVersion,
      form: builtVersion,
      in_view:
        !!text &&
        text.top >= 0 &&
        text.top >= card.top &&
        text.bottom <= innerHeight &&
        text.bottom <= card.bottom &&
        text.left >= 0 &&
        text.right <= innerWidth,
      width: innerWidth,
    };
  }

  errorView() {
    return this.error ? errorText('consent', this.#host.words.consentErrors[this.error]) : nothing;
  }
}
