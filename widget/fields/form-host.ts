/** What the controllers of a touched form know about the element. */
import type {ReactiveControllerHost} from 'lit';
import type {LeadType} from '../../contract/fields.ts';
import type {Page} from '../../form/pages.ts';
import type {Words} from '../../form/words/words.ts';
import type {Advise} from '../page/advice.ts';
import type {ContactSources} from './contact-sources.ts';
import type {KnownContact} from './known-contact.ts';

/** Like the browser's `fetch`, but the URL is always a text. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Where leads are sent, for which partner, and which type of lead the page asks for. */
export type Endpoint = {
  readonly origin: string;
  readonly partner: string;
  readonly leadType: string;
  /** Sends a request over the network, or to the sandbox. */
  readonly fetch: Fetch;
  /** Tells the webmaster that the server does not serve this page: the code is that of a problem, or `network`. */
  explainRefusal(code: string): void;
};

/** The element's public properties that a touched form reads. */
export type FormElement = HTMLElement &
  ReactiveControllerHost &
  ContactSources & {
    readonly ctaHref: string | undefined;
    readonly ctaLabel: string | undefined;
  };

/**
 * Controllers read these values each time they need them, because attributes, language and configuration may change.
 */
export type FormHost = {
  readonly element: FormElement;
  readonly words: Words;
  /** Undefined if the page uses no known contact data, or if its file has not arrived. */
  knownContact(): KnownContact | undefined;
  pages(): readonly Page[];
  /** The type of lead that the page asks for, as far as the partner's configuration allows it. */
  leadType(): LeadType;
  endpoint(): Endpoint;
  /** In a sandbox, nothing that the visitor types may be sent or kept. */
  isSandbox(): boolean;
  /** The address that the page names in an attribute, if it is safe to link to. If not, the console says why. */
  link(attribute: string, address: string | undefined): string | undefined;
  /** Tells the webmaster, in the console, what to correct. */
  readonly advise: Advise;
  /** The first match in what the element has rendered. */
  find<Found extends HTMLElement = HTMLElement>(selector: string): Found | null;
  /** What has the focus in the form. `:focus` would not match it while another window is active. */
  focused(): Element | null | undefined;
  /** Renders again, and then moves the focus to the first element that the selector matches. */
  refresh(focusOn?: string): void;
  /** Lets screen readers say this, and renders again. */
  announce(words: string): void;
  /** Removes the notice that asks the visitor to check the connection when there is one again. */
  awaitConnection(): void;
};
