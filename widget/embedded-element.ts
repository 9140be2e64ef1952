import {LitElement, type CSSResult, type PropertyValues} from 'lit';
import {nextTask} from './page/next-task.ts';
import {safeDocument} from './page/safe-document.ts';

/**
 * The base class of an element on a partner's page: it keeps the page responsive when it renders for the first time,
 * and moves the focus only when asked to.
 */
export class EmbeddedElement extends LitElement {
  /** The styles that later files have added (styles/adopt.ts). */
  protected readonly addedStyles: CSSResult[] = [];

  #focusOn: string | undefined;

  /** Makes the styles anew, because a style sheet can be used only in the document that made it. */
  adoptedCallback() {
    const {shadowRoot} = this;
    const {defaultView: view} = this.ownerDocument;
    const {elementStyles} = this.constructor as typeof LitElement;
    // A document without a window, such as that of a template, shows nothing.
    if (shadowRoot && view)
      shadowRoot.adoptedStyleSheets = [...elementStyles, ...this.addedStyles].map((style) => {
        const sheet = new view.CSSStyleSheet();
        sheet.replaceSync((style as CSSResult).cssText);
        return sheet;
      });
  }

  protected override createRenderRoot() {
    let root: HTMLElement | DocumentFragment;
    try {
      root = super.createRenderRoot();
    } catch {
      // The element came into another document before it was on a page, and Lit has not got further than to its styles.
      root = this.shadowRoot!;
      this.adoptedCallback();
    }
    // The element's own children stay on the page until there is something to show instead.
    root.append(safeDocument.createElement('slot'));
    return root;
  }

  protected override async scheduleUpdate() {
    // On a slow phone, running the script and rendering the form at once is a long task. A timer makes it two tasks.
    if (!this.hasUpdated) await nextTask();
    await super.scheduleUpdate();
  }

  protected override firstUpdated() {
    this.find('slot:not([name])')?.remove();
  }

  protected override updated(changed: PropertyValues<this>) {
    super.updated(changed);
    const found = this.#focusOn && this.find(this.#focusOn);
    if (found) this.moveFocus(found);
    this.#focusOn = undefined;
  }

  /** Moves the focus to an element that was rendered. */
  protected moveFocus(to: HTMLElement) {
    to.focus();
  }

  /** The first match in what the element has rendered. Before it comes to a page, there is none. */
  protected find<Found extends HTMLElement = HTMLElement>(selector: string) {
    return this.shadowRoot?.querySelector<Found>(selector) ?? null;
  }

  /** Renders again, and then moves the focus to the first element that the selector matches. */
  protected refresh(focusOn?: string) {
    this.#focusOn ??= focusOn;
    this.requestUpdate();
  }
}
