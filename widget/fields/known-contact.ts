/**
 * The later file `known-contact`, for pages that set `draft`, `prefill` or `prefill-from-url`: fills in contact data
 * before the visitor types, and keeps the draft. It neither fills in nor keeps amounts.
 */
import type {ReactiveController} from 'lit';
import {contactNames} from '../../form/pages.ts';
import {safeDocument} from '../page/safe-document.ts';
import {keep, recall} from '../page/session.ts';
import {draftName, forgetDraft, type Contact} from './contact-sources.ts';
import type {FormHost} from './form-host.ts';
import type {FormState} from './form-state.ts';

/** Milliseconds. */
const draftLifetime = 30 * 60_000;

export class KnownContact implements ReactiveController {
  readonly #host: FormHost;
  readonly #fields: () => FormState | undefined;

  /** @param fields returns what the visitor has typed, or nothing before the file of the touched form has arrived */
  constructor(host: FormHost, fields: () => FormState | undefined) {
    this.#host = host;
    this.#fields = fields;
    host.element.addController(this);
  }

  hostConnected() {
    this.#host.element.addEventListener('input', this.#keepDraft);
    // Browsers hide a page before the visitor leaves it, and before they end it in the background.
    safeDocument.addEventListener('visibilitychange', this.#keepDraft);
  }

  hostDisconnected() {
    this.#keepDraft();
    this.#host.element.removeEventListener('input', this.#keepDraft);
    safeDocument.removeEventListener('visibilitychange', this.#keepDraft);
  }

  hostUpdated() {
    this.#keepDraft();
  }

  /**
   * Keeps the contact fields as they are, also what is not acceptable yet, such as half a phone number. The form is
   * empty after `reset()`, and has no fields once the lead is answered: then the draft is removed.
   */
  readonly #keepDraft = () => {
    const {element} = this.#host;
    const fields = this.#fields();
    if (!fields || !element.draft || this.#host.isSandbox()) return;
    // Browsers may have filled in fields without an event.
    fields.collect();
    const contact = this.#host.find('form') ? contactTexts(fields.values) : {};
    const isEmpty = Object.keys(contact).length === 0;
    keep(draftName(element.partner), isEmpty ? undefined : {...contact, at: Date.now()});
  };

  /**
   * @param acceptable returns the contact fields of an object that the form would accept from a visitor
   * @returns contact data from the page's URL, from the property `prefill`, and from the draft. Later ones replace
   *   earlier ones.
   */
  read(acceptable: (source: object) => Contact): Contact {
    const {draft, partner, prefill, prefillFromUrl} = this.#host.element;
    const fromPage = {
      ...(prefillFromUrl && Object.fromEntries(new URLSearchParams(location.search))),
      ...prefill,
    };
    return {...acceptable(fromPage), ...(draft && readDraft(partner))};
  }
}

/** The contact fields that hold a text. Other scripts on the page can put anything into a draft. */
const contactTexts = (source: Readonly<Record<string, unknown>>): Contact =>
  Object.fromEntries(
    contactNames.flatMap((name) => {
      const text = source[name];
      return typeof text === 'string' && text ? [[name, text]] : [];
    }),
  );

function readDraft(partner: string): Contact | undefined {
  const draft = recall(draftName(partner)) as {at: number} | undefined;
  if (draft && Date.now() - draft.at < draftLifetime) return contactTexts({...draft});
  forgetDraft(partner);
  return undefined;
}
