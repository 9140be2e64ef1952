import {LitElement, type PropertyValues} from 'lit';
import {safeDocument} from './page/safe-document.ts';

/** Pixels between a header of the page and what has come below it. */
const margin = 48;

/**
 * The base class of an element on a partner's page: it keeps the page responsive when it renders for the first time,
 * and moves the focus only when asked to.
 */
export class EmbeddedElement extends LitElement {
  #focusOn: string | undefined;

  protected override createRenderRoot() {
    const root = super.createRenderRoot();
    // The element's own children stay on the page until there is something to show instead.
    root.append(safeDocument.createElement('slot'));
    return root;
  }

  protected override async scheduleUpdate() {
    // On a slow phone, running the script and rendering the form at once is a long task. A timer makes it two tasks.
    if (!this.hasUpdated) await new Promise((resolve) => setTimeout(resolve));
    await super.scheduleUpdate();
  }

  protected override firstUpdated() {
    this.find('slot:not([name])')?.remove();
  }

  protected override updated(changed: PropertyValues<this>) {
    super.updated(changed);
    if (this.#focusOn) this.#focus(this.#focusOn);
    this.#focusOn = undefined;
  }

  /**
   * Moves the focus, and scrolls no more than needed to show what it is on. Browsers by themselves would scroll the title
   * of a step to the middle of a phone's screen. So as much as fits of the card, or of the field or box, comes into view
   * first, and then the focused element itself, with the room above it that its style asks for.
   */
  #focus(selector: string) {
    const found = this.find(selector);
    found?.focus({preventScroll: true});
    const around = found?.closest('[data-field], .alert, .actions, section + section, .card');
    for (const part of [around, found]) part?.scrollIntoView({block: 'nearest', behavior: 'instant'});
    if (found) this.#uncover(found);
  }

  /** Many pages have a header that stays at the top of the window, and would cover what has just come there. */
  #uncover(part: HTMLElement) {
    const {x, y, width} = part.getBoundingClientRect();
    const cover = safeDocument.elementFromPoint(x + width / 2, y);
    if (!cover || cover === this || cover.contains(this)) return;
    const {top, bottom} = cover.getBoundingClientRect();
    if (top <= 0 && bottom < innerHeight / 2) scrollBy({top: y - bottom - margin, behavior: 'instant'});
  }

  /** The first match in what the element has rendered. */
  protected find<Found extends HTMLElement = HTMLElement>(selector: string) {
    return this.renderRoot.querySelector<Found>(selector);
  }

  /** Renders again, and then moves the focus to the first element that the selector matches. */
  protected refresh(focusOn?: string) {
    this.#focusOn ??= focusOn;
    this.requestUpdate();
  }
}
