/**
 * The JSON that goes over `/embed/v1`, as the form and the server both see it. The server declares each of these types
 * once more, as a schema (`server/http/wire-schemas.ts`), and does not compile where the two differ.
 */
import type {AmountPart, Explanation, Prequalification, Reasons} from './amounts.ts';
import type {FormFieldName, LeadType} from './fields.ts';
import type {PolicyFigures} from './policy.ts';

/**
 * - `done`: the answer is final
 * - `pending`: the upstream has not answered yet
 * - `refused`: the upstream will never take this lead
 */
export const leadStatuses = ['done', 'pending', 'refused'] as const;
export type LeadStatus = (typeof leadStatuses)[number];

/** Answers `POST /embed/v1/leads` and `GET /embed/v1/leads/:id`. A standard lead has no pre-qualification. */
export type EmbedAnswer = {
  id: string;
  /** The browser sends it to read the answer of this lead again, for `limits.tokenDays` days. */
  token: string;
  status: LeadStatus;
  prequalification: Prequalification | null;
  reasons: Reasons;
  /**
   * Absent if the calculator did not compute the amounts, or if its policy has changed since. It is made from the
   * policy at each request and never stored, so it always agrees with the amounts.
   */
  explanation?: Explanation;
  /** Of a refused lead: the fields of the form that the upstream named. Absent if it named none. */
  refused_fields?: FormFieldName[];
};

/** What is shown before sending. The form returns `version` with the lead, which says which text the visitor saw. */
export type ConsentText = {
  /**
   * With `lang`, it may have links, `[words](https://…)`, and `{button}` for the words of the last button. Without, it is
   * plain text, as forms before 1.4 show it.
   */
  text: string;
  /** Names this very text, also its language. */
  version: string;
  required: boolean;
  /** The language of the text, such as `es`. */
  lang?: string;
};

/** A link in the words of the partner. */
export type PartnerLink = {label: string; /** It begins with https. */ href: string};

/** What is said of the partner, in the language of the form: only what the configuration makes so. */
export type AboutPartner = {
  /** Below the title. Absent where the estimate is not ready once the questions are answered. */
  ready?: string;
  /** The https address of the partner's logo. */
  logo?: string;
  /**
   * - `company`: the name
   * - `promise`: what becomes of the number
   * - `only`: nobody but the partner gets the data
   * - `trust`: the partner's line that builds trust
   * - `talk`: the partner's number
   */
  lines: readonly {
    name: (typeof aboutLines)[number];
    text: string;
    lang?: string;
    link?: ContactLink;
  }[];
};
export const aboutLines = ['company', 'promise', 'only', 'trust', 'talk'] as const;

/** A telephone number or an e-mail address: a link that begins with `tel:` or `mailto:`, and its words. */
export type ContactLink = {href: string; text: string};

/** What the partner asks for besides, in the order of the form. */
export type AskedField = {
  name: string;
  /** How the form names it, and asks for it, in the language of the form. Forms before 2.0 have words of their own for ours. */
  label?: string;
  /** What the form asks, if that is not the label. */
  question?: string;
  /** The words of each choice, in the language of the form. Missing for a text. */
  choices?: Readonly<Record<string, string>>;
  /** The characters of a text of several lines. A text of one line has none. */
  max?: number;
  /** The `autocomplete` token of the HTML standard. */
  autocomplete?: string;
  /** Whether the form goes no further without an answer. */
  required?: boolean;
  /** The step that asks, if it is not that of the contact data. */
  step?: 'funds';
};

/**
 * A challenge of the proof of work, as altcha-lib makes it: find the counter whose derived key has the prefix. The form
 * returns the challenge unchanged with the solution, because the signature covers all parameters.
 */
export type Challenge = {
  parameters: {
    algorithm: 'PBKDF2/SHA-256';
    /** PBKDF2 rounds of one derivation. */
    cost: number;
    /**
     * Read by the server alone. The challenge is valid for one `partner` and one `network`, `factor` times harder than
     * usual, and has a `number` among those of its network, which was counted at `place`.
     */
    data: {factor: number; network: string; number: number; partner: string; place: string};
    /** Seconds since 1970. */
    expiresAt: number;
    /** Bytes. */
    keyLength: number;
    /** Hex, like `keySignature`, `nonce` and `salt`. */
    keyPrefix: string;
    keySignature?: string;
    nonce: string;
    salt: string;
  };
  signature: string;
};

/** Answers `GET /embed/v1/config`. */
export type EmbedConfig = {
  lead_types: readonly LeadType[];
  /**
   * The smallest amount of each kind, or the least funds for it, for the form of version 1.0.0. Later forms take the
   * figures from the explanation of an answer.
   */
  minimums: Partial<Record<AmountPart, number>>;
  consent: ConsentText | null;
  colors: {accent?: string};
  /**
   * What happens after the visitor has sent the form, in the words of the partner, by language tag (`en`, `es-MX`, or
   * `und` if it is not known). `{phone}` stands for the visitor's phone number. A visitor whose language is missing
   * sees the first text. A form that says its language gets only the text that it shows.
   */
  next_step?: Readonly<Record<string, string>>;
  /**
   * Like `next_step`, but the texts may also have `{first_name}` for the first name and `{reference}` for the lead's
   * reference, which forms before 1.5 do not know. Present only if one of the partner's texts has one of them.
   */
  next_step_named?: Readonly<Record<string, string>>;
  /** The name that visitors know the partner by. Only of a partner that has one besides its key. */
  name?: string;
  /** How visitors reach the partner, the telephone number first. Only of a partner that says it. */
  contact?: readonly ContactLink[];
  /** What the form says where it asks for the contact data. */
  about?: AboutPartner;
  /** The link below the result, by language as `next_step`. Only of a partner that has one. */
  cta?: Readonly<Record<string, PartnerLink>>;
  /**
   * The figures with which the form computes the total while the visitor answers. Only of a partner that shows it before
   * the contact data (`show_estimate`).
   */
  estimate?: PolicyFigures & {
    /**
     * Stands in the place of `portfolio_loan`, whose minimum forms before 1.6 do not know. They would promise a loan that
     * the result does not have, so for them the loan is 0 % of the investments. Present only if there is a minimum.
     */
    portfolio_loan_from?: PolicyFigures['portfolio_loan'];
  };
  /** Only of a partner that asks for more than the form does by itself. */
  ask?: readonly AskedField[];
  /** What the partner promises about its call, for forms before 2.0, by language as `next_step`. */
  call_promise?: Readonly<Record<string, string>>;
  /** The names of the hidden fields that the partner lists. Only of a partner that lists some. */
  context_fields?: readonly string[];
  /** Null if the server requires no proof of work. */
  challenge: Challenge | null;
};

/**
 * Where a visitor came from: the query parameters that identify campaigns and clicks on ads, the page before
 * (`referrer`), and the first page of the visit (`landing_page`). Both addresses are shortened by `pageAddress`.
 */
export const attributionKeys = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'utm_id',
  'gclid',
  'gbraid',
  'wbraid',
  'dclid',
  'fbclid',
  'msclkid',
  'ttclid',
  'twclid',
  'li_fat_id',
  'referrer',
  'landing_page',
] as const;
export type AttributionKey = (typeof attributionKeys)[number];
export type Attribution = {[Key in AttributionKey]?: string | undefined};

/** How a visitor's browser says that the data must not be sold or shared. `gpc`: Global Privacy Control. */
export const optOutSignals = ['gpc'] as const;
export type OptOutSignal = (typeof optOutSignals)[number];

/**
 * The names of the query parameters of a page that may identify a campaign or a click. Of these, only the ones in
 * `attributionKeys` are sent.
 */
export const campaignParameter = /^utm_|clk?id$|braid$|fat_id$/;

/** A value that does not match is left out. It is not shortened, because half of a click id is of no use. */
export const attributionValue = /^\P{C}{1,500}$/u;

/**
 * Hidden fields: what a page says about itself, such as `{brand: 'north'}`, by the names that the partner lists
 * (`context_fields`). They hold no personal data.
 */
export type Context = Readonly<Record<string, string>>;

/** Begins the names of attributes of the form, and of query parameters of the apply page: `context-brand`. */
export const contextPrefix = 'context-';

/** The name of a hidden field. HTML turns the names of attributes into lower case. */
export const contextName = /^[a-z][a-z\d_-]{0,39}$/;

/** One line without control characters. Spaces around it do not count. A value that does not match is left out. */
export const contextValue = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

/** What stood on the screen when the last button was pressed. The server leaves out values that are not valid. */
export type ConsentView = {
  /** What the button said, if there is a consent text. */
  button?: string | undefined;
  /** Whether the words of the text stood there as the server gave them: a translator of the browser changes them. */
  verbatim?: boolean | undefined;
  /** Whether the whole consent text was in the window, which is the frame for a page in a frame. */
  in_view?: boolean | undefined;
  /** The width of the window, in CSS pixels. */
  width?: number | undefined;
  /** What the page itself shows in the slot `consent`. */
  slot?: string | undefined;
  /** The version of the form. */
  form?: string | undefined;
};

/** Characters of the texts of a `ConsentView`. */
export const consentViewLimits = {button: 80, slot: 4_000, form: 40};

/** As `lang` in HTML. */
export const languageTag = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/**
 * The body of `POST /embed/v1/leads`. The lead is always required; consent and proof are required if the partner's
 * configuration asks for them.
 */
export type EmbedSubmission = {
  lead: Record<string, unknown>;
  consent?: ({version: string; agreed: boolean} & ConsentView) | undefined;
  /**
   * The form does not send it, because the address of the request names the partner. If a script sends it, it must be the
   * same partner. Otherwise the lead would go to another partner than the script meant.
   */
  partner?: unknown;
  /** The challenge that the configuration gave, unchanged, and its solution. */
  proof?: {challenge: Challenge; solution: {counter: number; derivedKey: string}} | undefined;
  /** A field that people do not see: a value in it comes from a bot, or from autofill. */
  trap?: string | undefined;
  /** The language of the form, such as `es-US`. The confirmation to the visitor is written in it. */
  lang?: string | undefined;
  /** Milliseconds from the visitor's first input to sending. */
  elapsed_ms?: number | undefined;
  /** The server leaves out values that are not allowed, and accepts the lead without them. */
  attribution?: Attribution | undefined;
  /** What the browser tells scripts. Mostly it also sends it, as the header `Sec-GPC`; either is enough. */
  opt_out_signal?: OptOutSignal | undefined;
  /** Hidden fields. The server leaves out names that the partner does not list, and values that are not allowed. */
  context?: Readonly<Record<string, string | undefined>> | undefined;
  /** The address of the page, shortened by `pageAddress`. It is stored with the consent. */
  page?: string | undefined;
  /** The id of an earlier lead that this lead corrects, and the token from the answer of that earlier lead. */
  supersedes?: {id: string; token: string} | undefined;
};

/** How long the form keeps what was typed, in the tab. Milliseconds. */
export const draftLifetime = 30 * 60_000;
