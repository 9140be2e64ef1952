/** What operators read of the stored leads: leads with everything, and counts. */
import type {LeadIdentity, LeadRecord, Tombstone} from './stored-lead.ts';
import type {Context, LeadStatus} from '../../contract/embed.ts';
import type {Outcome} from './outcomes.ts';

/** Selects leads. An empty filter selects all. */
export type LeadFilter = {
  /** The key of a partner. Null selects leads without a partner, which came over `/json/leads`. */
  partner?: string | null | undefined;
  status?: LeadStatus | undefined;
  campaign?: string | undefined;
  /** Leads that have all these values of hidden fields. */
  context?: Context | undefined;
  /** Leads with all these values of choices, by the names of partners' questions. Lists without names open nothing, and so take none. */
  answers?: Readonly<Record<string, string>> | undefined;
  /** The last ten digits of the id, as `endOfId` reads them from a reference. */
  endOfId?: string | undefined;
  /** Leads with a delivery that is held, or with any that has not ended. */
  open?: 'held' | 'any' | undefined;
  /** Leads with this newest outcome, or with none that stands. */
  outcome?: Outcome | 'none' | undefined;
  /** Leads whose newest outcome this actor recorded, as the audit has the name. */
  actor?: string | undefined;
  /** Leads of a person, by a digest that `blindIndexes` makes, or `unreadableDigest`. */
  digest?: string | undefined;
  /** Milliseconds since 1970. Leads from this time on. */
  since?: number | undefined;
  /** Milliseconds since 1970. Leads before this time. */
  until?: number | undefined;
};

/** A page of a list. `after` is the id of the last lead of the previous page. */
export type LeadPage = {limit: number; after?: string | undefined};

/** A lead with everything that is stored with it. The answer of a duplicate is that of the original. */
export type FullLead = Omit<LeadRecord, 'isAnsweredLater'>;

/** A lead whose row is damaged, or was encrypted with a data key that is missing. `unreadable` says which, for operators. */
export type UnreadableLead = {id: string; unreadable: string};

export type ListedLead = FullLead | Tombstone | UnreadableLead;

/** What a lead has in clear: nothing of it is opened. */
export type LeadOutline = {
  id: string;
  createdAt: number;
  partner: string | null;
  status: LeadStatus;
  campaign: string | null;
  erasedAt: number | null;
  revokedAt: number | null;
  /** When it was held because of its number. */
  suppressedAt: number | null;
  supersedes: string | null;
};

/** What leads are counted by. */
export const leadGroups = ['partner', 'day', 'state', 'campaign', 'outcome'] as const;
export type LeadGroup = (typeof leadGroups)[number];

/** `day` is the time at which the day begins. What the leads were not counted by is null. */
export type LeadCount = {
  partner: string | null;
  status: LeadStatus | null;
  campaign: string | null;
  outcome: Outcome | null;
  day: number | null;
  leads: number;
  /** The id of the newest of them. */
  newest: string;
};

/** All queries are cut into short reads, because a long read would keep SQLite from reusing its log. */
export type LeadReader = {
  /** The newest leads first. One that cannot be read does not stop the others. */
  listLeads(filter: LeadFilter, page: LeadPage): Promise<ListedLead[]>;
  /** The newest leads first. Also of one lead. */
  listOutlines(filter: LeadFilter & {id?: string}, page: LeadPage): Promise<LeadOutline[]>;
  /** The oldest leads first. */
  readLeads(filter: LeadFilter, page: LeadPage): Promise<ListedLead[]>;
  countLeads(filter: LeadFilter): Promise<number>;
  /**
   * Counts leads by partner, day, state, campaign and newest outcome, or some of these.
   * @param startOfDay the beginning of the day of a time
   */
  countLeadsBy(
    filter: LeadFilter,
    groups: readonly LeadGroup[],
    startOfDay: (time: number) => number,
  ): Promise<LeadCount[]>;
  /**
   * The leads with these ids that exist, by id. A lead that cannot be read is `unreadable`, with the reason. A duplicate
   * has its own answer here, and not that of the earlier lead.
   */
  findRecords(
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, LeadRecord | Tombstone | (LeadIdentity & UnreadableLead & {cid: string})>>;
  /**
   * The leads of the last day, a hundred at most, that somebody wanted to read and that cannot be opened, neither then nor
   * now. Nothing looks for such leads: each process notes in the store those that it meets.
   */
  unreadableLeads(now: number): Promise<UnreadableLead[]>;
  /** The texts with these hashes, or beginnings of hashes, by what was given. Those that were not kept are missing. */
  consentWords(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The ids of the newest corrections of these leads, by the id of the lead. */
  corrections(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** A lead with everything, and the leads that refer to it. */
  readLead(id: string): Promise<{lead: ListedLead; duplicates: string[]; supersededBy: string[]} | undefined>;
};
