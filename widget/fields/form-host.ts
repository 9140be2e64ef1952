/** What the controllers of a touched form know about the element. */
import type {CSSResult, ReactiveControllerHost} from 'lit';
import type {Context} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import type {Page} from '../../form/pages.ts';
import type {Words} from '../../form/words/words.ts';
import type {Diagnosable} from '../page/advice.ts';
import type {ContactSources} from './contact-sources.ts';

/** Like the browser's `fetch`, but the URL is always a text. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Where leads are sent, for which partner, and which type of lead the page asks for. */
export type Endpoint = Diagnosable & {
  readonly leadType: string;
  /** Sends a request over the network, or to the sandbox. */
  readonly fetch: Fetch;
};

/** The element's public properties that a touched form reads. */
export type FormElement = HTMLElement &
  ReactiveControllerHost &
  ContactSources & {
    readonly privacyHref: string | undefined;
    readonly ctaHref: string | undefined;
    readonly ctaLabel: string | undefined;
    readonly history: boolean;
    readonly advance: string | undefined;
    readonly context: Context | undefined;
    adoptedCallback(): void;
  };

/**
 * Controllers read these values each time they need them, because attributes, language and configuration may change.
 */
export type FormHost = {
  readonly element: FormElement;
  readonly words: Words;
  pages(): readonly Page[];
  /** The type of lead that the page asks for, as far as the partner's configuration allows it. */
  leadType(): LeadType;
  endpoint(): Endpoint;
  /** In a sandbox, nothing that the visitor types may be sent or kept. */
  isSandbox(): boolean;
  /** The first match in what the element has rendered. */
  find<Found extends HTMLElement = HTMLElement>(selector: string): Found | null;
  /** The styles that later files have added to the element. */
  readonly addedStyles: CSSResult[];
  /** Renders again, and then moves the focus to the first element that the selector matches. */
  refresh(focusOn?: string): void;
  /** Lets screen readers say this, and renders again. */
  announce(words: string): void;
};
