/** Shows the form in a dialog over the page, which a link or a button of the page opens. */
import {html, type ReactiveController, type TemplateResult} from 'lit';
import {paths} from '../../contract/api.ts';
import {stepTitle} from '../../form/words/words.ts';
import type {FormHost} from '../fields/form-host.ts';
import {URL} from '../page/builtins.ts';
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
    adopt(host, [dialogStyles]);
    host.element.addController(this);
  }

  hostConnected() {
    addEventListener('click', this.#onClick, true);
    this.#host.element.addEventListener('command', this.#onCommand);
    addEventListener('hashchange', this.#onHash);
    if (this.#opensByAddress) this.#onHash();
    this.#opensByAddress = true;
  }

  hostDisconnected() {
    removeEventListener('click', this.#onClick, true);
    this.#host.element.removeEventListener('command', this.#onCommand);
    removeEventListener('hashchange', this.#onHash);
    // A dialog that stayed open would stand in the page, not over it, when the element is added again.
    this.#close();
  }

  get #dialog() {
    return this.#host.find<HTMLDialogElement>('dialog');
  }

  /**
   * Whether an address is that of this page, with the element's `id` as its fragment, or that of the partner's apply page with
   * the same fragment: without the form, it is the way there.
   */
  #isNamedBy({href, pathname, hash}: URL) {
    const {id, partner} = this.#host.element;
    const here = new URL(`#${id}`, location.href);
    const apply = paths.apply + (partner && `/${partner}`);
    return id !== '' && (href === here.href || (pathname === apply && hash === here.hash));
  }

  /**
   * A link that names the element. This is heard before anything of the page hears the click, because a page that scrolls by
   * itself may stop the event. The page still hears it, and may cancel it: that does no harm.
   */
  readonly #onClick = (event: MouseEvent) => {
    const link = event.composedPath().find(isLink);
    const address = link && addressOf(link);
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey;
    if (!address || opensElsewhere || !this.#isNamedBy(address)) return;
    event.preventDefault();
    void this.open(link);
  };

  /** `<button commandfor="…" command="--open">` */
  readonly #onCommand = (event: Event) => {
    const {command, source} = event as Event & {command?: string; source?: HTMLElement};
    if (command === '--open') void this.open(source);
  };

  readonly #onHash = () => {
    if (this.#isNamedBy(new URL(location.href))) void this.open();
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

/** A link in HTML, in an image map, or in an SVG. */
const isLink = (node: EventTarget): node is HTMLElement => /^(a|area)$/.test((node as Element).localName);

/** Where a link leads. If it is a fragment alone, that is on this page, although `<base>` may name another. */
function addressOf(link: Element): URL | undefined {
  const href = link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? '';
  try {
    return new URL(href, href.startsWith('#') ? location.href : safeDocument.baseURI);
  } catch {
    return undefined;
  }
}
