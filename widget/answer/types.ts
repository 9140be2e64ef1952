/** What the first file and the answer file know of each other: types only, so neither imports the other. */
import type {CSSResult, css, html, nothing, TemplateResult} from 'lit';
import type {AmountPart, Attribution, EmbedAnswer, EmbedConfig} from '../../contract/api.ts';
import type {LeadType} from '../../contract/fields.ts';
import type {Errors} from '../read-lead.ts';
import type {AnswerWords, fill} from '../words/words.ts';

/** What the answer file gets from the first: a second copy of Lit would cost as much again. */
export type Kit = {
  readonly html: typeof html;
  readonly css: typeof css;
  readonly nothing: typeof nothing;
  /** Whole US dollars in the page's language, with the currency sign. */
  readonly money: (dollars: number) => string;
  /** In the page's language as it is now: to be read at every rendering. */
  readonly words: AnswerWords & {readonly locale: string};
  readonly fill: typeof fill;
};

/** Where leads go, and in whose name. */
export type Place = {readonly endpoint: string; readonly partner: string};

export type Lead = {readonly lead_type: LeadType} & Readonly<Record<string, string | number | boolean>>;

export type Link = {readonly href: string; readonly label: string};

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
  | {readonly kind: 'answered'; readonly answer: EmbedAnswer}
  | {readonly kind: 'invalid'; readonly errors: Errors}
  | ({readonly kind: 'failed'} & Failure);

/** What goes along with a lead. */
export type About = {
  readonly elapsedMs: number;
  readonly signal: AbortSignal;
  readonly attribution: Attribution | undefined;
};

export type Answered = {
  readonly answer: EmbedAnswer;
  readonly leadType: LeadType;
  /** As typed, for the states in which the server says no name. */
  readonly firstName: string;
  readonly minimums: Partial<Record<AmountPart, number>>;
  readonly link: Link | undefined;
  readonly change: () => void;
  readonly startOver: () => void;
};

export type AnswerPart = {
  readonly styles: CSSResult;
  /** The configuration, or `undefined` when the server does not give it: sending then says why in full. */
  readConfig(reply: Promise<Response>, place: Place): Promise<EmbedConfig | undefined>;
  /** Sends once, or again under the same key after a failure. Never rejects. */
  send(lead: Lead, place: Place, about: About): Promise<Outcome>;
  notice(failure: Failure): Notice;
  /** The address that was probably meant, or `undefined` for one that looks right. */
  emailSlip(typed: string): string | undefined;
  view(answered: Answered): TemplateResult;
};

export type AnswerModule = {readonly createAnswer: (kit: Kit) => AnswerPart};
