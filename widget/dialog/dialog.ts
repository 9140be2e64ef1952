/** Shows the form in a dialog over the page, which a link or a button of the page opens. */
import {html, type ReactiveController, type TemplateResult} from 'lit';
import {paths} from '../../contract/api.ts';
import {stepTitle} from '../../form/words/words.ts';
import type {FormHost} from '../fields/form-host.ts';
import {safeDocument} from '../page/safe-document.ts';
import {adopt} from '../styles/adopt.ts';
import {dialogStyles} from './styles.ts';

export class Dialog implements ReactiveController {
  readonly #host: FormHost;
  /** What gets the focus when the dialog is closed. Not every browser gives it to a button that is clicked. */
  #opener: HTMLElement | undefined;
  /** What the page says about its scrolling, while the dialog is open. */
  #overflow = '';
  #opensByAddress: boolean;

  /** @param opensByAddress whether the dialog opens at once if the address of the page names the element */
  constructor(host: FormHost, opensByAddress: boolean) {
    this.#host = host;
    this.#opensByAddress = opensByAddress;
    adopt(host.element, [dialogStyles]);
    host.element.addController(this);
  }

  hostConnected() {
    safeDocument.addEventListener('click', this.#onClick);
    this.#host.element.addEventListener('command', this.#onCommand);
    addEventListener('hashchange', this.#onHash);
    if (this.#opensByAddress) this.#onHash();
    this.#opensByAddress = true;
  }

  hostDisconnected() {
    safeDocument.removeEventListener('click', this.#onClick);
    this.#host.element.removeEventListener('command', this.#onCommand);
    removeEventListener('hashchange', this.#onHash);
    // A dialog that stayed open would stand in the page, not over it, when the element is added again.
    this.#close();
  }

  get #dialog() {
    return this.#host.find<HTMLDialogElement>('dialog');
  }

  /** Whether an address is that of this page, with the element's `id` as its fragment. */
  #isNamedBy(href: string | undefined) {
    const {id} = this.#host.element;
    return id !== '' && href === new URL(`#${id}`, location.href).href;
  }

  /** Whether a link leads to the partner's apply page, with the element's `id`: without the form, it is the way there. */
  #replaces({href}: HTMLAnchorElement) {
    const {id, partner} = this.#host.element;
    if (id === '' || !/^https?:/.test(href)) return false;
    const {pathname} = new URL(partner ? `${paths.apply}/${partner}` : paths.apply, href);
    const link = new URL(href);
    return link.pathname === pathname && link.hash === new URL(`#${id}`, href).hash;
  }

  /** A link that names the element. The page may cancel the click, to scroll by itself: that does no harm. */
  readonly #onClick = (event: MouseEvent) => {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey;
    if (!link || opensElsewhere || !(this.#isNamedBy(link.href) || this.#replaces(link))) return;
    event.preventDefault();
    void this.open(link);
  };

  /** `<button commandfor="…" command="--open">` */
  readonly #onCommand = (event: Event) => {
    const {command, source} = event as Event & {command?: string; source?: HTMLElement};
    if (command === '--open') void this.open(source);
  };

  readonly #onHash = () => {
    if (this.#isNamedBy(location.href)) void this.open();
  };

  /** Opens the dialog as soon as the form is in it. */
  async open(opener?: HTMLElement) {
    const {element} = this.#host;
    // The dialog may not be rendered yet.
    element.requestUpdate();
    await element.updateComplete;
    const dialog = this.#dialog;
    if (!dialog || dialog.open || !element.isConnected) return;
    this.#opener = opener;
    dialog.showModal();
    const {style} = safeDocument.documentElement;
    this.#overflow = style.overflow;
    style.overflow = 'hidden';
    // The browser focuses the button that closes the dialog, because it is the first.
    this.#host.find('h2')?.focus();
  }

  readonly #onClose = () => {
    safeDocument.documentElement.style.overflow = this.#overflow;
    this.#opener?.focus({preventScroll: true});
  };

  readonly #close = () => this.#dialog?.close();

  view(card: TemplateResult) {
    const {words, element} = this.#host;
    const [[first] = []] = this.#host.pages();
    const title = first && stepTitle(words, first);
    return html`
      <dialog
        part="dialog"
        closedby="any"
        aria-label=${element.querySelector('[slot=heading]')?.textContent ?? title}
        @close=${this.#onClose}
      >
        <button
          class="close"
          part="button close"
          type="button"
          aria-label=${words.close}
          @click=${this.#close}
        >
          <span aria-hidden="true">×</span>
        </button>
        ${card}
      </dialog>
    `;
  }
}
