/** The part of the store that finds leads and kept consents by telephone number and e-mail address. */

/**
 * In the form in which they are compared: `comparableEmail`, and E.164. `emailAsTyped`: the address as a caller may have sent
 * it, if it is read differently, such as `mailto:jane@example.com`.
 */
export type Person = {
  email?: string | undefined;
  emailAsTyped?: string | undefined;
  phone?: string | undefined;
};

/** `addressDigest`: of the address, where it is not kept itself. */
export type KnownPerson = Person & {addressDigest?: string | undefined};

/**
 * Blind indexes are keyed digests, by which what is encrypted is found: of the number, and of the mailbox (`email`), so that
 * other spellings of an address have the same one. By these two, leads are found. `address`, of the address itself, is kept with a consent, whose address is not.
 */
export type BlindIndexes = {phone?: string; email?: string; address?: string};

/**
 * The digest of a number together with an address, made of theirs. Not with the mailbox, because that is a guess, which may take
 * two people for one.
 */
export function digestOfBoth({phone, address}: BlindIndexes): string | undefined {
  if (phone === undefined || address === undefined) return undefined;
  const [one, other] = [Buffer.from(phone, 'base64url'), Buffer.from(address, 'base64url')];
  return Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0))).toString('base64url');
}

/** In place of the digests of a lead that cannot be read. Each search looks at such a lead. */
export const unreadableDigest = 'unreadable';

export type PersonReader = {
  /**
   * The digests by which `LeadFilter` finds leads and kept consents of the person, and since when leads have none yet. That
   * is 0 if no lead has one, or if the key of the digests cannot be opened. Milliseconds since 1970.
   */
  blindIndexes(person: Person): Promise<{digests: BlindIndexes; since: number}>;
  /** How many kept consents of erased leads are found by their number alone: version 1.6 kept no address. */
  keptWithoutAddress(): Promise<number>;
  /** The key of the digests. Undefined if there is none yet. @throws DecryptionError when it cannot be opened */
  personKey(): Promise<(EncryptedKey & {check: string}) | undefined>;
};

export type PersonStore = PersonReader & {
  /**
   * Writes the digests of the next leads that have none and are older than `age` milliseconds. From then on, a lead that is
   * stored with an older id brings its digests along: the clock may have been set back, or be behind on another machine.
   * It may be interrupted at any time, and several processes may call it.
   * @returns whether all of them have their digests now
   * @throws DecryptionError when the key of the digests cannot be opened
   */
  writeDigests(age: number): Promise<boolean>;
  /** Takes over the key of the digests of another copy of the store, if this one has none. @returns false if it cannot be opened */
  adoptPersonKey(key: EncryptedKey): Promise<boolean>;
};

/** The key of the digests, encrypted. `dataKey`: the check value of the data key, 0 if it is in clear. */
export type EncryptedKey = {dataKey: number; blob: Uint8Array};
