/** What the first file and the answer file know of each other: types only, so neither imports the other. */
import type {html, nothing, ReactiveControllerHost, TemplateResult} from 'lit';
import type {Attribution, EmbedAnswer, EmbedConfig} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import type {ResultDetail} from '../page/events.ts';
import type {TakeawayModule} from '../takeaway/index.ts';
import type {Shown} from './answer-view.ts';
import type {Errors, Values} from '../../form/read-fields.ts';
import type {keep, recall} from '../page/session.ts';
import type {Words, fill} from '../../form/words/words.ts';

/** What outlives a reload of the page, by name. */
export type Store = {readonly keep: typeof keep; readonly recall: typeof recall};

/** What the answer file gets from the first: a second copy of Lit would cost as much again. */
export type Kit = Store & {
  readonly html: typeof html;
  readonly nothing: typeof nothing;
  /** Whole US dollars in the page's language, with the currency sign. */
  readonly money: (dollars: number) => string;
  /** In the page's language as it is now: to be read at every rendering. */
  readonly words: Words;
  readonly fill: typeof fill;
  /** The page's document, protected from DOM clobbering. */
  readonly safeDocument: Document;
  /** The element that shows the answer. */
  readonly element: ReactiveControllerHost & HTMLElement;
  /** Renders anew, and has these words read out. */
  readonly announce: (words: string) => void;
  /** Tells the page what came of a lead after it was sent. */
  readonly report: (result: ResultDetail) => void;
  /** What is wanted only once there are amounts. */
  readonly loadTakeawayModule: () => Promise<TakeawayModule>;
};

/** As the browser's; what it takes is never more than an address and what goes along. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Where leads go, by which way, in whose name, and which type of them the page asks for. */
export type Place = {
  readonly endpoint: string;
  readonly fetch: Fetch;
  readonly partner: string;
  readonly leadType: string;
};

/** The fields of a lead, and the version of the consent text that stood above the button. */
export type Lead = {readonly lead_type: LeadType; readonly consent?: string} & Readonly<
  Record<string, string | number | boolean>
>;

/** A failure in a person's words. */
export type Notice = {readonly title: string; readonly text: string};

/** A failure as a machine knows it; the words for it are found at every rendering. */
export type Failure = {
  readonly code: string;
  readonly retryable: boolean;
  /** Which words to use where they are not the code's own. */
  readonly notice?: string | undefined;
  /** How long the server asked to wait. */
  readonly seconds?: number | undefined;
};

export type Outcome =
  | ({readonly kind: 'answered'} & ResultDetail)
  | {readonly kind: 'invalid'; readonly code: string; readonly retryable: boolean; readonly errors: Errors}
  | ({readonly kind: 'failed'} & Failure);

/** What goes along with a lead. */
export type Sending = {
  readonly trap: string | undefined;
  readonly attribution: Attribution | undefined;
  /** The address of the page that the form is on, as far as it may be sent. */
  readonly page: string;
  readonly signal: AbortSignal;
};

export type Asking = {
  readonly interview: {readonly values: Values; readonly errors: Errors};
  /** The page was shown before the text came: it has to do with the room that was kept for it. */
  readonly held: boolean;
};

export type AnswerPart = {
  /** The partner's configuration, where the server gives it. */
  readonly config: EmbedConfig | undefined;
  /** Of the lead that was sent last, before a reload of the page perhaps. */
  readonly answer: EmbedAnswer | undefined;
  /** What stands above the last button. */
  readonly consentView: (asking: Asking, privacy: unknown) => TemplateResult;
  /** Sends once, or again under the same key after a failure. Never rejects. */
  send(lead: Lead, sending: Sending): Promise<Outcome>;
  notice(failure: Failure): Notice;
  /** The address that was probably meant, or `undefined` for one that looks right. */
  emailSlip(typed: string): string | undefined;
  /** Nothing while there is no answer. */
  view(shown: Shown): TemplateResult | undefined;
  /** The visitor is done with this lead; the next one has nothing to do with it. */
  forget(): void;
};

/**
 * @param fetchConfig asks for the configuration
 * @param reply to a first such request, made while this file was on its way
 */
export type CreateAnswer = (
  kit: Kit,
  place: Place,
  fetchConfig: () => Promise<Response>,
  reply: Promise<Response>,
) => Promise<AnswerPart>;

export type AnswerModule = {readonly createAnswer: CreateAnswer};
