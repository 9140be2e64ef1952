/** The later file `dialog`: shows the form in a dialog over the page, which a link or a button of the page opens. */
import {html, type ReactiveController, type ReactiveControllerHost, type TemplateResult} from 'lit';
import {paths} from '../../contract/api.ts';
import type {Words} from '../../form/words/words.ts';
import {safeDocument} from '../page/safe-document.ts';
import {adopt} from '../styles/adopt.ts';
import {dialogStyles} from './styles.ts';

type DialogContext = {
  readonly element: HTMLElement & ReactiveControllerHost & {readonly partner: string};
  /** In the language that the page has now. Read them each time, because the language may change. */
  readonly words: Words;
  /** The first match in what the element has rendered. */
  find<Found extends HTMLElement = HTMLElement>(selector: string): Found | null;
};

export class Dialog implements ReactiveController {
  readonly #context: DialogContext;
  /** What gets the focus when the dialog is closed. Not every browser gives it to a button that is clicked. */
  #opener: HTMLElement | undefined;
  /** What the page says about its scrolling, while the dialog is open. */
  #overflow = '';

  constructor(context: DialogContext) {
    this.#context = context;
    adopt(context.element, [dialogStyles]);
    context.element.addController(this);
  }

  hostConnected() {
    safeDocument.addEventListener('click', this.#onClick);
    this.#context.element.addEventListener('command', this.#onCommand);
    addEventListener('hashchange', this.#onHash);
    this.#onHash();
  }

  hostDisconnected() {
    safeDocument.removeEventListener('click', this.#onClick);
    this.#context.element.removeEventListener('command', this.#onCommand);
    removeEventListener('hashchange', this.#onHash);
    // A dialog that stayed open would stand in the page, not over it, when the element is added again.
    this.#close();
  }

  get #dialog() {
    return this.#context.find<HTMLDialogElement>('dialog');
  }

  /** Whether an address is that of this page, with the element's `id` as its fragment. */
  #isNamedBy(href: string | undefined) {
    const {id} = this.#context.element;
    return id !== '' && href === new URL(`#${id}`, location.href).href;
  }

  /** Whether a link leads to the partner's apply page, with the element's `id`: without the form, it is the way there. */
  #replaces({href}: HTMLAnchorElement) {
    const {id, partner} = this.#context.element;
    const {pathname} = new URL(partner ? `${paths.apply}/${partner}` : paths.apply, href);
    const link = new URL(href);
    return id !== '' && link.pathname === pathname && link.hash === new URL(`#${id}`, href).hash;
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
    const {element} = this.#context;
    await element.updateComplete;
    const dialog = this.#dialog;
    if (!dialog || dialog.open || !element.isConnected) return;
    this.#opener = opener;
    dialog.showModal();
    const {style} = safeDocument.documentElement;
    this.#overflow = style.overflow;
    style.overflow = 'hidden';
    // The browser focuses the button that closes the dialog, because it is the first.
    this.#context.find('h2')?.focus();
  }

  readonly #onClose = () => {
    safeDocument.documentElement.style.overflow = this.#overflow;
    this.#opener?.focus({preventScroll: true});
  };

  readonly #close = () => this.#dialog?.close();

  view(card: TemplateResult) {
    const {words, element} = this.#context;
    return html`
      <dialog
        part="dialog"
        closedby="any"
        aria-label=${element.querySelector('[slot=heading]')?.textContent ?? words.steps.contact}
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
