/** The types of a stored lead, its answer, and the consent of the visitor. */
import type {Amounts, Reasons} from '../../contract/amounts.ts';
import type {Attribution, Context, OptOutSignal} from '../../contract/embed.ts';
import type {FormFieldName} from '../../contract/fields.ts';
import type {Lead} from './lead-schema.ts';

/**
 * The answer to a lead.
 * - `done`: the amounts, which are null for a standard lead. `policyVersion` is null if the calculator did not compute
 *   them. `policyHash` names the figures in the archive (archive.ts), and is missing in leads from before 2.0
 * - `pending`: the upstream has not answered yet
 * - `refused`: the upstream will never accept this lead, or an operator decided never to send it. `fields` are those that
 *   the upstream named, and missing if it named none
 */
export type Answer =
  | {
      status: 'done';
      amounts: Amounts | null;
      reasons: Reasons;
      policyVersion: string | null;
      policyHash?: string;
    }
  | {status: 'pending'}
  | {status: 'refused'; fields?: readonly FormFieldName[]};

export type FinalAnswer = Exclude<Answer, {status: 'pending'}>;
export type DoneAnswer = Extract<Answer, {status: 'done'}>;

export type StoredLead = {
  /** UUID version 7. */
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  lead: Lead;
  /** The key of the partner whose page sent the lead. Null if it came over `/json/leads`. */
  partner: string | null;
  answer: Answer;
};

/** The text that a version of a partner's consent had when the first lead under it was stored, as configured. */
export type RememberedText = {
  partner: string;
  /** Undefined for a text whose language the configuration does not name. */
  language?: string | undefined;
  version: string;
  textHash: string;
};

/** The record of a consent: which text the visitor saw, how, on which page, and when. */
export type Consent = {
  /** Of a text that a caller sent, the beginning of its hash. */
  textVersion: string;
  /**
   * The language of the text, such as `es`. Missing if the configuration did not name it, and in records of versions
   * before 1.4.0.
   */
  textLanguage?: string | undefined;
  /** SHA-256 of the text as the form got it, hex. */
  textHash: string;
  /** Whether the visitor ticked the box. Null if the partner requires no tick. */
  agreed: boolean | null;
  /** Milliseconds since 1970. */
  givenAt: number;
  /**
   * The Origin header, which no script on a page can change. Null without the header, and in records of version 1.0.0.
   */
  origin: string | null;
  /** The page's URL without its query, as the form sent it. Null if the URL has another origin than `origin`. */
  page: string | null;
  /** Empty if a caller does not say it. */
  ip: string;
  userAgent: string | null;
  /** `none` if the browser showed and sent the form by itself. Missing if a script did so. */
  script?: 'none' | undefined;
  /** `caller`: a caller of `/json/leads` brought the consent, so that all but the time of arrival is what it says. */
  source?: 'caller' | undefined;
  /** The text, if no configuration has it: a caller sent it. Undefined for texts that stand in `consent_words`. */
  words?: string | undefined;
  /** The certificate of another company that a caller names. */
  certificateUrl?: string | undefined;
  /** What the form says of itself. Missing in records before 1.7, and without a script. */
  form?: FormAtConsent | undefined;
  /** What the statement of this consent is signed with (evidence.ts). Missing if the store had no key at that time. */
  evidence?: Evidence | undefined;
  /**
   * The lead with which it was given, if that had another number: an operator has corrected it since. It is no consent to
   * calls of the new number.
   */
  givenWith?: string | undefined;
};

/** How the form looked when its last button was pressed. */
export type FormAtConsent = {
  /** The version of the form. */
  version?: string | undefined;
  /** What the last button said. */
  button?: string | undefined;
  /** Whether the words of the text stood there as the server gave them. Missing in records before 1.8. */
  verbatim?: boolean | undefined;
  /** Whether the whole text was in the part of the page that the visitor saw. */
  inView?: boolean | undefined;
  /** The width of the window, in CSS pixels. */
  width?: number | undefined;
  /** What the page itself showed beside the text, in the slot `consent`. */
  slot?: string | undefined;
};

/** `key`: the id of the key that signs; `salt`: of the digests in the statement. */
export type Evidence = {key: string; salt: string};

/** Under which circumstances a lead was sent. Null for what is not known, or not so. */
export type Circumstances = {
  consent: Consent | null;
  /** How the visitor came to the site, or the signal of a browser that keeps that back. */
  attribution: (Attribution & {opt_out_signal?: OptOutSignal | undefined}) | null;
  /** Hidden fields of the page. */
  context: Context | null;
  /** Why a bot may have sent the lead. */
  suspect: string | null;
  /** The id of the earlier lead that this lead corrects. */
  supersedes: string | null;
};
export const noCircumstances: Circumstances = {
  consent: null,
  attribution: null,
  context: null,
  suspect: null,
  supersedes: null,
};

/**
 * By what it was decided who gets a lead, if that depends on the lead (routing.ts).
 * - `rules`: the beginning of the hash of the rules in the archive
 * - `language`: of the form, or of the consent that a caller brought
 */
export type Routing = {rules: string; language?: string | undefined};

/** For whom a consent was revoked: for the partner of the lead, or for all. */
export const revocationScopes = ['partner', 'all'] as const;
export type RevocationScope = (typeof revocationScopes)[number];
/** That the visitor revoked the consent: when, in milliseconds since 1970, and for whom. */
export type Revocation = {at: number; scope: RevocationScope};

/** A lead with everything that is stored with it and that destinations and operators may read. */
export type LeadRecord = StoredLead &
  Circumstances & {
    /**
     * True if a destination answers the lead. Then the lead was stored without an answer, and the answer came later or
     * has not come yet. False if the calculator answered it.
     */
    isAnsweredLater: boolean;
    /** The id of the earlier lead with the same fields. The answer of a duplicate is that of this lead. */
    duplicateOf: string | null;
    routing?: Routing | undefined;
    /** Missing while nobody has revoked the consent. */
    revoked?: Revocation | undefined;
    /** Missing unless the lead is held because of its number. */
    isSuppressed?: boolean | undefined;
    /** When somebody with the same mailbox and another number had said stop, in milliseconds since 1970. Missing if nobody had. */
    mailboxStoppedAt?: number | undefined;
  };

/** What names a lead, and nobody. */
export type LeadIdentity = Pick<
  LeadRecord,
  | 'id'
  | 'createdAt'
  | 'partner'
  | 'duplicateOf'
  | 'supersedes'
  | 'revoked'
  | 'isSuppressed'
  | 'mailboxStoppedAt'
>;

/** An erased lead. It holds nothing personal. */
export type Tombstone = LeadIdentity & {
  /** Milliseconds since 1970. */
  erasedAt: number;
  cid: string;
};
