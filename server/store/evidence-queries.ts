/**
 * The keys of statements about consents. Each row is encrypted with the data key: otherwise, somebody with write access to the
 * database could have the server publish a key of their own, and forged statements would verify. So only the decrypted part of a
 * row is trusted. The other columns are for servers before version 2.0, and for sorting.
 */
import {isGenuine, type EvidenceKey, type EvidenceStore} from '../leads/evidence.ts';
import type {RowOf} from './columns.ts';
import type {Context} from './context.ts';
import {statement, type Statement} from './database.ts';
import type {Bound, EncryptedText, Encryptor} from './encryption.ts';

type KeyRow = Pick<RowOf<'evidence_keys'>, 'id' | 'public_key' | 'data_key' | 'blob'>;
export const selectEvidenceKeys =
  'SELECT id, public_key, data_key, blob FROM evidence_keys ORDER BY since, id';

/** Binds the encrypted text of a key to its id, as personal data is bound to its lead. In another row, it cannot be decrypted. */
export const evidenceOwner = (id: string): Bound => ({id, cid: '', partner: null});

/** Undefined if the row cannot be decrypted, or does not contain the key with its id. */
export function decryptEvidenceKey(
  {id, data_key, blob}: KeyRow,
  encryptor: Encryptor,
): EvidenceKey | undefined {
  if (data_key === null || blob === null) return undefined;
  // Unencrypted rows are never trusted: anybody with write access can add one, and genuine rows have always been encrypted.
  if (data_key === 0) return undefined;
  try {
    const text = encryptor.of(evidenceOwner(id)).decrypt({data_key, blob}, 'evidence key');
    const key = {...(JSON.parse(text) as Omit<EvidenceKey, 'id'>), id};
    return isGenuine(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

export const encryptEvidenceKey = ({id, ...key}: EvidenceKey, encryptor: Encryptor): EncryptedText =>
  encryptor.of(evidenceOwner(id)).encrypt(JSON.stringify(key), 'evidence key');

function storing(key: EvidenceKey, encryptor: Encryptor, known: string, jsonList: string): Statement {
  const {data_key, blob} = encryptEvidenceKey(key, encryptor);
  const text = `
    INSERT INTO evidence_keys (id, public_key, since, data_key, blob)
    SELECT $1, $2, CAST($3 AS BIGINT), CAST($4 AS BIGINT), $5
    WHERE NOT EXISTS (SELECT 1 FROM evidence_keys WHERE id NOT IN ${jsonList})
    ON CONFLICT (id) DO UPDATE SET data_key = excluded.data_key, blob = excluded.blob RETURNING 1 AS kept`;
  return statement(text, key.id, key.publicKey, Date.now(), data_key, blob, known);
}

export const evidenceQueries = ({read, write, encryptor, jsonList, oneByOne}: Context): EvidenceStore => ({
  async evidenceKeys() {
    const rows = await read<KeyRow>(statement(selectEvidenceKeys));
    const opened = rows.map((row) => ({row, key: decryptEvidenceKey(row, encryptor)}));
    return {
      keys: opened.flatMap(({key}) => key ?? []),
      ignored: opened
        .filter(({key}) => !key)
        .map(({row}) => ({id: row.id, publicKey: row.public_key, isEncrypted: row.blob !== null})),
    };
  },

  async keepEvidenceKeys(keys, {keys: known, ignored}) {
    const ids = JSON.stringify([...known, ...ignored, ...keys].map(({id}) => id));
    const [, ...kept] = await write(
      statement(oneByOne('evidence keys')),
      ...keys.map((key) => storing(key, encryptor, ids, jsonList('$6'))),
    );
    return kept.every((rows) => rows.length > 0);
  },

  evidenceKeysAside: () => Promise.resolve([]),
});
