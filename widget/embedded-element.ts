import {LitElement, type PropertyValues} from 'lit';
import {safeDocument} from './page/safe-document.ts';

/** An element on somebody else's page: it appears without a jolt, and moves the focus only when asked to. */
export class EmbeddedElement extends LitElement {
  #focusOn: string | undefined;

  protected override createRenderRoot() {
    const root = super.createRenderRoot();
    // The element's own children stay on the page until there is something to show instead.
    root.append(safeDocument.createElement('slot'));
    return root;
  }

  protected override async scheduleUpdate() {
    // Running the script and building the form in one go is a long task on a slow phone: this makes two of it.
    if (!this.hasUpdated) await new Promise((resolve) => setTimeout(resolve));
    await super.scheduleUpdate();
  }

  protected override firstUpdated() {
    this.find('slot:not([name])')?.remove();
  }

  protected override updated(changed: PropertyValues<this>) {
    super.updated(changed);
    if (this.#focusOn) this.find(this.#focusOn)?.focus();
    this.#focusOn = undefined;
  }

  /** The first match in what the element has rendered. */
  protected find<Found extends HTMLElement = HTMLElement>(selector: string) {
    return this.renderRoot.querySelector<Found>(selector);
  }

  /** Renders anew, and then moves the focus to what the selector finds. */
  protected refresh(focusOn?: string) {
    this.#focusOn ??= focusOn;
    this.requestUpdate();
  }
}
