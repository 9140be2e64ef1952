/** The part of the store that knows with which data keys it is encrypted, and encrypts it with another one. */

/** What is stored under a data key. Times are milliseconds since 1970. */
export type KeyUse = {
  /**
   * As operators read it: eight hexadecimal digits, or `clear` for what a version before 2.0 stored and no server has encrypted
   * yet.
   */
  key: string;
  /** When something was first stored under the key. */
  since: number;
  /** When an operator said that the key is copied to a safe place. */
  savedAt: number | null;
  /** When everything was encrypted with it, after another key. */
  aloneSince: number | null;
};

/** What `reencrypt` has done so far. `unreadable` are ids of leads of which something cannot be opened. */
export type Reencrypted = {examined: number; reencrypted: number; unreadable: readonly string[]};

/** `part` is a `Part` of store/encryption.ts, and `key` as in `KeyUse`. */
export type StoredPart = {lead: string; part: string; key: string};

export type KeyStore = {
  /** @throws Error when something may be stored under a key that DATA_KEY does not list */
  checkKeys(): Promise<void>;
  /** Like `checkKeys`, and marks that the first key of DATA_KEY is used from now on. */
  useKeys(): Promise<void>;
  keyUses(): Promise<KeyUse[]>;
  /** What is stored under which key: leads in clear, and encrypted parts. Reads in slices, because that takes long. */
  storedParts(): AsyncGenerator<StoredPart[]>;
  /**
   * Encrypts everything with the first key that is in clear or encrypted with another key. Each slice has `sliceSize` rows,
   * and others can write between two slices. It may be interrupted at any time and started again.
   * @param isClearOnly leaves what is encrypted as it is: servers with different first keys would take it from each other
   * @returns what is done, after each slice
   */
  reencrypt(isClearOnly?: boolean): AsyncGenerator<Reencrypted, Reencrypted>;
  /**
   * Deletes what is encrypted with a lost key beside leads: replies to deliveries, the key of the blind indexes, with these,
   * and keys of statements about consents. A server makes new ones.
   */
  dropEncrypted(key: string): Promise<void>;
  /** How many numbers are suppressed (by blind indexes). */
  countSuppressed(): Promise<number>;
  /** Marks that nothing is stored any more under a key, which then may leave DATA_KEY, or in clear. */
  forgetKey(key: string): Promise<void>;
  /** Notes of the first key of DATA_KEY that it is copied to a safe place, or that everything is encrypted with it alone. */
  noteKey(what: 'saved' | 'alone', at: number): Promise<void>;
};

/** The maximum number of rows that one transaction encrypts. */
export const sliceSize = 50;
