/** What the controllers of a touched form see of the element. */
import type {ReactiveControllerHost} from 'lit';
import type {LeadType} from '../../contract/fields.ts';
import type {Page} from '../../form/pages.ts';
import type {Words} from '../../form/words/words.ts';

/** Like the browser's `fetch`, but it only takes an address and what goes along. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Where leads are sent, for which partner, and which type of lead the page asks for. */
export type Endpoint = {
  readonly origin: string;
  readonly partner: string;
  readonly leadType: string;
  /** Over the network, or to the sandbox. */
  readonly fetch: Fetch;
};

/** The element's public properties that a touched form reads. */
export type FormElement = HTMLElement &
  ReactiveControllerHost & {
    readonly partner: string;
    readonly prefill: object | undefined;
    readonly ctaHref: string | undefined;
    readonly ctaLabel: string | undefined;
  };

/** All of it is read anew whenever it is needed, because attributes, language and configuration may change. */
export type FormHost = {
  readonly element: FormElement;
  readonly words: Words;
  pages(): readonly Page[];
  /** The type of lead that the page asks for, as far as the partner's configuration allows it. */
  leadType(): LeadType;
  endpoint(): Endpoint;
  /** Nothing that is typed may be sent or kept. */
  isSandbox(): boolean;
  /** The first match in what the element has rendered. */
  find<Found extends HTMLElement = HTMLElement>(selector: string): Found | null;
  /** Renders again, and then moves the focus to what the selector finds. */
  refresh(focusOn?: string): void;
  /** Has the screen reader say this, and renders again. */
  announce(words: string): void;
};
