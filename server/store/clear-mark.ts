/**
 * Decides once which unencrypted data is trusted: in the transaction that upgrades a store from before 2.0. It encrypts a mark,
 * which proves that there was such data, and the public keys of statements. Somebody who can write to the database, but has no
 * data key, can add unencrypted rows, but cannot make this mark.
 */
import {isGenuine} from '../leads/evidence.ts';
import type {RowOf} from './columns.ts';
import {list, statement, type Row, type Statement} from './database.ts';
import {encryptEvidenceKey} from './evidence-queries.ts';
import {refuseMissingKeys, type Bound, type EncryptedText, type Encryptor} from './encryption.ts';

/** The schema version from which on everything is encrypted. */
const encryptedSince = 20;
const owner: Bound = {id: 'clear', cid: '', partner: null};

export const encryptMark = (encryptor: Encryptor): EncryptedText =>
  encryptor.of(owner).encrypt('clear', 'clear mark');

/** Notes that the first data key is in use, unless the store also needs a key that is missing. */
export function insertKey({writesWith, checkValues, mayLackKeys}: Encryptor): Statement {
  const isMissing = `EXISTS (SELECT 1 FROM data_keys WHERE check_value NOT IN (${list([0, ...checkValues].map(String))}))`;
  const text = `
    INSERT INTO data_keys (check_value, since) SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT)
    WHERE ${mayLackKeys ? '1 = 1' : `NOT ${isMissing}`} ON CONFLICT (check_value) DO NOTHING`;
  return statement(text, writesWith, Date.now());
}
/** Encrypts the mark with the first data key. Only for a store that has unencrypted data. */
export function writeMark(encryptor: Encryptor): Statement {
  const {data_key, blob} = encryptMark(encryptor);
  return statement('UPDATE data_keys SET data_key = $1, blob = $2 WHERE check_value = 0', data_key, blob);
}

/** Whether a row of `data_keys` says that there is unencrypted data, and its mark can be decrypted. */
export function isMarked({check_value, data_key, blob}: RowOf<'data_keys'>, encryptor: Encryptor): boolean {
  if (check_value !== 0 || !data_key || blob === null) return false;
  try {
    return encryptor.of(owner).decrypt({data_key, blob}, 'clear mark') === 'clear';
  } catch {
    return false;
  }
}

/** The queries whose rows `encryptedByUpgrade` takes. */
export const selectBefore = [
  'SELECT check_value FROM data_keys',
  'SELECT id, public_key FROM evidence_keys',
] as const;

/**
 * For the transaction of an upgrade: if the store was not encrypted before, writes the mark and encrypts the public keys.
 * @param before the schema version that the database had
 * @throws Error when the store needs a key that DATA_KEY does not list
 */
export function encryptedByUpgrade(
  before: number,
  encryptor: Encryptor,
  keys: readonly Row[],
  publicKeys: readonly Row[],
): Statement[] {
  if (before === 0 || before >= encryptedSince) return [];
  const needed = keys.map(({check_value}) => Number(check_value));
  refuseMissingKeys(needed, encryptor);
  return [
    insertKey(encryptor),
    ...(needed.includes(0) ? [writeMark(encryptor)] : []),
    ...publicKeys
      .map((row) => ({id: String(row['id']), publicKey: String(row['public_key'])}))
      .filter(isGenuine)
      .map((key) => {
        const {data_key, blob} = encryptEvidenceKey(key, encryptor);
        const text = 'UPDATE evidence_keys SET data_key = $1, blob = $2 WHERE id = $3';
        return statement(text, data_key, blob, key.id);
      }),
  ];
}
