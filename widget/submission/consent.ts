/** The partner's consent text above the last button, and whether the visitor agreed to it. */
import {html, nothing} from 'lit';
import {consentViewLimits, type ConsentText, type ConsentView} from '../../contract/embed.ts';
import {consentParts, linksTo} from '../../form/consent-text.ts';
import {sendLabel} from '../../form/words/words.ts';
import {changingText} from '../fields/changing-text.ts';
import {errorText} from '../fields/field-views.ts';
import type {FormHost} from '../fields/form-host.ts';
import {safeLink} from '../page/safe-link.ts';

/**
 * - `required`: the box is not ticked
 * - `outdated`: the partner's text has changed since the visitor saw it
 */
export type ConsentError = 'required' | 'outdated';

/** The version of the form, which the builds write in its place (build/later-files.ts). The sources have none. */
declare const formVersion: string | undefined;

type Edges = Pick<DOMRect, 'top' | 'left' | 'bottom' | 'right'>;

/** A text as one line. */
const lineOf = (text: string, max: number) => text.replace(/\s+/g, ' ').trim().slice(0, max) || undefined;

export class Consent {
  /** The text that the visitor can read. Without a text, no consent is asked for. */
  text: ConsentText | undefined;
  error: ConsentError | undefined;
  /** The version of the text that the visitor saw last. A lead is only sent with a consent that was seen. */
  seenVersion: string | undefined;
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
    this.seenVersion = this.#host.find('.consent')?.dataset['version'] ?? this.seenVersion;
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

  /** What stands on the screen now. In a dialog, the card scrolls, and shows less than the window. */
  shown(): ConsentView {
    const host = this.#host;
    const text = host.find('.consent')?.getBoundingClientRect();
    // A keyboard on the screen, and a page that is enlarged with two fingers, leave less to see than the window has.
    const {
      offsetTop: top = 0,
      offsetLeft: left = 0,
      height = innerHeight,
      width = innerWidth,
    } = visualViewport ?? ({} as Partial<VisualViewport>);
    const isIn = (edges: Edges | undefined) =>
      !!text &&
      !!edges &&
      text.top >= edges.top &&
      text.left >= edges.left &&
      text.bottom <= edges.bottom &&
      text.right <= edges.right;
    const slotted = host.find<HTMLSlotElement>('slot[name=consent]')?.assignedElements() as
      HTMLElement[] | undefined;
    return {
      button: text && lineOf(host.find('.main')?.innerText ?? '', consentViewLimits.button),
      in_view:
        isIn(host.find('.card')?.getBoundingClientRect()) &&
        isIn({top, left, bottom: top + height, right: left + width}),
      width: innerWidth,
      slot: lineOf((slotted ?? []).map(({innerText}) => innerText).join(' '), consentViewLimits.slot),
      form: typeof formVersion === 'string' ? formVersion : undefined,
    };
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
    return html`
      <div class="unseen" aria-hidden="true">
        <input name="website" tabindex="-1" autocomplete="off" />
      </div>
      ${this.text && !this.isPostponed ? this.#textView(this.text, privacy) : nothing}
    `;
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

  errorView() {
    return this.error ? errorText('consent', this.#host.words.consentErrors[this.error]) : nothing;
  }
}
