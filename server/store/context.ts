/** What the queries of the store get. */
import type {FullLead} from '../leads/lead-filter.ts';
import type {LeadEntry} from '../leads/new-lead.ts';
import type {Person, BlindIndexes} from '../leads/persons.ts';
import type {LeadUnreadable} from '../leads/store-errors.ts';
import type {Tombstone} from '../leads/stored-lead.ts';
import type {Database} from './database.ts';
import type {ReadRow} from './rows.ts';
import type {Encryptor, EncryptedText} from './encryption.ts';

/**
 * What is made with the key: digests, and what stands in the link by which a visitor revokes the consent of a lead. `check`
 * tells the key from others.
 */
export type Keyed = {
  digestsOf: (person: Person) => BlindIndexes;
  ofSender: (person: Sender) => Required<Pick<BlindIndexes, 'phone' | 'address'>>;
  tokenOf: (lead: string) => string;
  check: string;
};
/** Who sends a lead. Both are in the form that `Person` has. */
type Sender = {phone: string; email: string};
/** What a process needs to make digests, and how far they are written. `now` is the time of the database. */
export type Index = Keyed & {doneUntil: string; now: number};

export type PersonIndex = {
  /** Undefined if there is no key yet, or if it cannot be opened. */
  find: () => Promise<Index | undefined>;
  /** Makes the key if there is none. Two processes that do so at once get the same key. @throws DecryptionError */
  make: () => Promise<Index>;
  /** The digests of who sent a lead. Undefined if the key cannot be opened. Reads the store only the first time. */
  ofSender: (sender: Sender) => Promise<ReturnType<Keyed['ofSender']> | undefined>;
  /** The key as it is stored, and its check value. Undefined if there is none. @throws DecryptionError */
  stored: () => Promise<(EncryptedText & {check: string}) | undefined>;
  /** Takes this key, unless there is one. @returns false if it cannot be opened */
  adopt: (key: EncryptedText) => Promise<boolean>;
  /** Notes up to which leads others may have written digests, if they write those that are older than `age`. */
  note: (index: Index, age: number) => void;
  /** The digests that a new lead must bring along, because nobody would look for it any more. Mostly none. */
  ofLateLead: (entry: Pick<LeadEntry, 'id' | 'lead'>) => string[];
};

export type LeadOpener = {
  /** The lead of a row, or why it cannot be opened. */
  open: (row: ReadRow) => FullLead | Tombstone | LeadUnreadable;
  /** Notes that something of a lead cannot be opened. It returns at once; closing the store waits for the note (`noted`). */
  note: (id: string) => void;
};

/** What the queries of the store get: the database, what encrypts and decrypts what it holds of leads, and what finds people. */
export type Context = Database & {encryptor: Encryptor; opener: LeadOpener; persons: PersonIndex};
