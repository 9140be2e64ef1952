/** The types of what the queries of the store work with. */
import type {FullLead} from '../leads/lead-filter.ts';
import type {LeadEntry} from '../leads/new-lead.ts';
import type {Person, BlindIndexes} from '../leads/persons.ts';
import type {LeadUnreadable} from '../leads/store-errors.ts';
import type {Tombstone} from '../leads/stored-lead.ts';
import type {Database} from './database.ts';
import type {ReadRow} from './rows.ts';
import type {Encryptor, EncryptedText} from './encryption.ts';

/**
 * What is made with the key of the digests: digests of people, and the token in the link by which a visitor revokes the consent
 * of a lead. `check`: the check value of this key.
 */
export type Keyed = {
  digestsOf: (person: Person) => BlindIndexes;
  ofSender: (person: Sender) => Required<Pick<BlindIndexes, 'phone' | 'address'>>;
  tokenOf: (lead: string) => string;
  check: string;
};
/** The sender of a lead. Number and address have the normalised form of `Person`. */
type Sender = {phone: string; email: string};
/** What a process needs to make digests, and the lead up to which they are written. `now`: the time of the database. */
export type Index = Keyed & {doneUntil: string; now: number};

export type PersonIndex = {
  /** Undefined if there is no key yet, or if it cannot be decrypted. */
  find: () => Promise<Index | undefined>;
  /** Makes the key if there is none. Two processes that do so at the same time get the same key. @throws DecryptionError */
  make: () => Promise<Index>;
  /** The digests of a lead's sender. Undefined if the key cannot be decrypted. Reads the store only the first time. */
  ofSender: (sender: Sender) => Promise<ReturnType<Keyed['ofSender']> | undefined>;
  /** The encrypted key and its check value. Undefined if there is no key. @throws DecryptionError */
  stored: () => Promise<(EncryptedText & {check: string}) | undefined>;
  /** Stores this key, unless there is one already. @returns false if it cannot be decrypted */
  adopt: (key: EncryptedText) => Promise<boolean>;
  /** Notes which leads may have their digests by now: those that are older than `age` milliseconds, in any process. */
  note: (index: Index, age: number) => void;
  /** Digests to store together with a new lead, if its id is so old that the later writing of digests may have passed it. Mostly none. */
  ofLateLead: (entry: Pick<LeadEntry, 'id' | 'lead'>) => string[];
};

export type LeadOpener = {
  /** The lead in a row, or why it cannot be decrypted. */
  open: (row: ReadRow) => FullLead | Tombstone | LeadUnreadable;
  /** Notes that a part of a lead cannot be decrypted. It returns at once; closing the store waits until this is written (`noted`). */
  note: (id: string) => void;
};

/** What the queries work with: the database, encryption and decryption, and the search for people. */
export type Context = Database & {encryptor: Encryptor; opener: LeadOpener; persons: PersonIndex};
