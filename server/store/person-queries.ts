/**
 * The blind indexes: digests by which leads and kept consents are found by person, for both databases. They are written some time
 * after the lead, because writing them with it would make storing an eighth slower. All leads up to the id or time `done_until`
 * have theirs.
 *
 * The key of the digests never changes, because nothing could be found by digests of an earlier key. It is encrypted with the
 * data key.
 */
import {createHmac, createSecretKey, randomBytes, type KeyObject} from 'node:crypto';
import {mailboxOf} from '../leads/confirmation-digests.ts';
import type {KeptConsent} from '../leads/erasure.ts';
import {createdAtOf, firstIdAt} from '../leads/lead-ids.ts';
import type {LeadEntry} from '../leads/new-lead.ts';
import {unreadableDigest, type Person, type BlindIndexes, type PersonStore} from '../leads/persons.ts';
import {comparableEmail} from '../leads/read-contact.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import type {Context} from './context.ts';
import {insertRow, isThere, statement, type Database, type Statement} from './database.ts';
import {isErased, joinKept, keptColumns, encryptedOf, type KeptRow} from './rows.ts';
import {DecryptionError, type EncryptedText, type Encryptor} from './encryption.ts';

/** Binds the encrypted key to its row, as personal data is bound to its lead. */
export const keyOwner = {id: 'person_search', cid: '', partner: null};

/** In a damaged row, the e-mail address and the number may be missing. */
const personOf = ({email, phone}: {email?: string; phone?: {e164?: string}}): Person => ({
  email,
  phone: phone?.e164,
});

const digestBytes = 16;
/** The sender of a lead. Number and address have the normalised form of `Person`. */
type Sender = {phone: string; email: string};
type Keyed = ReturnType<typeof keyedBy>;
/** What a process needs to make digests, and the lead up to which they are written. `now`: the time of the database. */
export type Index = Keyed & {doneUntil: string; now: number};

/** What is made with the key of the digests. `check`: the check value of this key. */
function keyedBy(key: KeyObject) {
  const digest = (text: string, secret = key) =>
    createHmac('sha256', secret).update(text).digest().subarray(0, digestBytes).toString('base64url');
  const keyOfLinks = createSecretKey(
    createHmac('sha256', key).update('links to take consents back').digest(),
  );
  const ofNumber = (phone: string) => digest(`phone:${phone}`);
  const ofAddress = (email: string) => digest(`address:${comparableEmail(email)}`);
  return {
    ofSender: ({phone, email}: Sender) => ({phone: ofNumber(phone), address: ofAddress(email)}),
    digestsOf: ({email, phone}: Person): BlindIndexes => ({
      ...(phone !== undefined && {phone: ofNumber(phone)}),
      ...(email !== undefined && {
        // The result of `mailboxOf` must never change, or earlier leads are no longer found.
        email: digest(`email:${mailboxOf(email)}`),
        address: ofAddress(email),
      }),
    }),
    /** The token in the link by which a visitor revokes the consent of a lead. */
    tokenOf: (lead: string) => digest(lead, keyOfLinks),
    check: digest('check value'),
  };
}

const insertKey = `${insertRow('person_search')} ON CONFLICT (id) DO NOTHING`;

export type PersonIndex = ReturnType<typeof createPersonIndex>;

export function createPersonIndex({read, write, clock}: Database, encryptor: Encryptor) {
  const keyEncryptor = encryptor.of(keyOwner);
  const selectKey = `SELECT data_key, blob, done_until, ${clock} AS now FROM person_search WHERE id = 1`;
  let opened: ({blob: Uint8Array} & Keyed) | undefined;
  /** Leads from before the time `upTo` may have their digests. `upTo` was right at `at` (of `performance.now()`), and grows with the clock. */
  let late: {upTo: number; at: number; digestsOf: Index['digestsOf']} | undefined;

  async function readIndex(): Promise<(Index & {blob: Uint8Array}) | undefined> {
    type KeyRow = EncryptedText & {done_until: string; now: unknown};
    const [row] = await read<KeyRow>(statement(selectKey));
    if (!row) return undefined;
    if (!opened || Buffer.compare(opened.blob, row.blob) !== 0) {
      const key = createSecretKey(keyEncryptor.decrypt(row, 'person key'), 'base64url');
      opened = {blob: row.blob, ...keyedBy(key)};
    }
    return {...opened, doneUntil: row.done_until, now: Number(row.now ?? Date.now())};
  }

  /** Makes the key if there is none. Two processes that do so at the same time get the same key. @throws DecryptionError */
  async function make(): Promise<Index> {
    const known = await readIndex();
    if (known) return known;
    const {data_key, blob} = keyEncryptor.encrypt(randomBytes(32).toString('base64url'), 'person key');
    await write(statement(insertKey, 1, data_key, blob, firstIdAt(0)));
    const made = await readIndex();
    if (!made) throw new Error('The key of the digests was deleted just after it was made');
    return made;
  }

  return {
    /** Undefined if there is no key yet, or if it cannot be decrypted. */
    find: (): Promise<Index | undefined> => readIndex().catch(orUnopened),
    make,
    /** The digests of a lead's sender. Undefined if the key cannot be decrypted. Reads the store only the first time. */
    ofSender: async (sender: Sender) => {
      if (!opened) await make().catch(orUnopened);
      return opened?.ofSender(sender);
    },
    /** The encrypted key and its check value. Undefined if there is no key. @throws DecryptionError */
    async stored() {
      const [row] = await read<EncryptedText>(statement(selectKey));
      const known = row && (await readIndex());
      return known && {data_key: row.data_key, blob: known.blob, check: known.check};
    },
    /** Stores this key, unless there is one already. @returns false if it cannot be decrypted */
    async adopt(key: EncryptedText) {
      try {
        const {data_key, blob} = keyEncryptor.encrypt(keyEncryptor.decrypt(key, 'person key'), 'person key');
        await write(statement(insertKey, 1, data_key, blob, firstIdAt(0)));
        return true;
      } catch (error) {
        orUnopened(error);
        return false;
      }
    },
    /** Notes which leads may have their digests by now: those that are older than `age` milliseconds, in any process. */
    note({digestsOf, doneUntil, now}: Index, age: number) {
      // The other half of the age allows for clocks that differ and commits that take long.
      const upTo = Math.max(createdAtOf(doneUntil), now - age) + age / 2;
      late = {upTo, at: performance.now(), digestsOf};
    },
    /** Digests to store together with a new lead, if its id is so old that the later writing of digests may have passed it. Mostly none. */
    ofLateLead: ({id, lead}: Pick<LeadEntry, 'id' | 'lead'>) => {
      if (!late || createdAtOf(id) > late.upTo + performance.now() - late.at) return [];
      return storedDigests(late.digestsOf(personOf(lead)));
    },
  };
}

function orUnopened(error: unknown): undefined {
  if (!(error instanceof DecryptionError)) throw error;
}

/** The digests that are stored, each in a row of its own. */
export const storedDigests = ({phone, email}: BlindIndexes): string[] =>
  [phone, email].filter((digest) => digest !== undefined);

export const digestsOfLead = ({digestsOf}: Index, lead: Parameters<typeof personOf>[0]) =>
  digestsOf(personOf(lead));

/** The digests by which a kept consent is found. One from before version 1.7 has no digest of an e-mail address. */
export const digestsOfKept = ({digestsOf}: Index, {phone, emailDigest}: KeptConsent): string[] => [
  ...storedDigests(digestsOf({phone: phone.e164})),
  ...(emailDigest === undefined ? [] : [emailDigest]),
];

/** The number of leads in a slice. On SQLite, other writes wait a few milliseconds for its transaction. */
const sliceSize = 100;

const selectSlice = `
  SELECT ${keptColumns} FROM (SELECT id FROM leads WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${sliceSize}) AS page
    JOIN leads ON leads.id = page.id ${joinKept}
  ORDER BY page.id`;

const isKept = (lead: string) =>
  isThere(`sealed AS kept WHERE kept.lead_id = ${lead} AND kept.part = 'consent'`);

/**
 * Must be the first statement of each transaction that writes or deletes digests, so that writing waits for an erasure and then
 * sees it. Locking the rows of the leads instead would write to each of them.
 */
export const lockDigests = ({oneByOne}: Pick<Database, 'oneByOne'>) => statement(oneByOne('person digests'));
/** Each text of the JSON list is the id of a lead, of 36 characters, followed by a digest. */
const insertDigests = ({jsonList}: Database) => `
  INSERT INTO person_digests (digest, lead_id)
  SELECT substr(listed.value, 37), leads.id
  FROM ${jsonList('$1')} AS listed JOIN leads ON leads.id = substr(listed.value, 1, 36)
  WHERE leads.erased_at IS NULL OR ${isKept('leads.id')} = 1
  ON CONFLICT (digest, lead_id) DO NOTHING`;
const moveOn = 'UPDATE person_search SET done_until = $1 WHERE id = 1 AND done_until = $2';

function digestsOfRow({opener, encryptor}: Context, index: Index, row: KeptRow): string[] {
  const lead = opener.open(row);
  if (lead instanceof LeadUnreadable) return [unreadableDigest];
  if (!isErased(lead)) return storedDigests(digestsOfLead(index, lead.lead));
  const kept = encryptedOf(row.kept_key, row.kept_blob);
  try {
    return kept
      ? digestsOfKept(index, JSON.parse(encryptor.of(row).decrypt(kept, 'consent')) as KeptConsent)
      : [];
  } catch {
    opener.note(row.id);
    return [unreadableDigest];
  }
}

async function writeDigests(context: Context, age: number): Promise<boolean> {
  const {persons, read, write} = context;
  const index = await persons.make();
  persons.note(index, age);
  const {doneUntil, now} = index;
  const lastId = firstIdAt(now - age);
  const rows = await read<KeptRow>(statement(selectSlice, doneUntil, lastId));
  const isLast = rows.length < sliceSize;
  if (rows.length > 0) {
    const texts = rows.flatMap((row) => digestsOfRow(context, index, row).map((digest) => row.id + digest));
    await write(
      lockDigests(context),
      statement(insertDigests(context), JSON.stringify(texts)),
      statement(moveOn, isLast ? lastId : rows.at(-1)!.id, doneUntil),
    );
  }
  return isLast;
}

/**
 * Deletes the digests of an erased lead, unless its consent is kept.
 * @param digests undefined if they are not known, because the lead or the key cannot be read. Then all rows are read, because no
 * index finds the lead
 */
export const forgetDigests = (
  {jsonList}: Pick<Database, 'jsonList'>,
  id: string,
  digests: readonly string[] | undefined,
): Statement => {
  const ofLead = `DELETE FROM person_digests WHERE lead_id = $1 AND ${isKept('$1')} = 0`;
  if (digests === undefined) return statement(ofLead, id);
  return statement(
    `${ofLead} AND digest IN ${jsonList('$2')}`,
    id,
    JSON.stringify([...digests, unreadableDigest]),
  );
};

export const personQueries = (context: Context): PersonStore => ({
  writeDigests: (age) => writeDigests(context, age),

  async personKey() {
    const key = await context.persons.stored();
    return key && {check: key.check, dataKey: key.data_key, blob: key.blob};
  },

  adoptPersonKey: ({dataKey, blob}) => context.persons.adopt({data_key: dataKey, blob}),

  async keptWithoutAddress() {
    const text = `
      SELECT COUNT(*) AS consents FROM (
        SELECT leads.id FROM sealed JOIN leads ON leads.id = sealed.lead_id
          JOIN person_digests ON person_digests.lead_id = leads.id AND person_digests.digest <> '${unreadableDigest}'
        WHERE sealed.part = 'consent' AND leads.erased_at IS NOT NULL GROUP BY leads.id HAVING COUNT(*) = 1) AS kept`;
    return Number((await context.readOne(statement(text)))?.['consents']);
  },

  async blindIndexes(person) {
    const index = await context.persons.find();
    return index
      ? {digests: index.digestsOf(person), since: createdAtOf(index.doneUntil)}
      : {digests: {}, since: 0};
  },
});
