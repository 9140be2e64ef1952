/**
 * Makes of an encrypted store what a version before 2.0 has left without a data key, but for its tables, which are those of now.
 */
import {encryptMark} from '../../server/store/clear-mark.ts';
import type {RowOf} from '../../server/store/columns.ts';
import type {PersonalData} from '../../server/store/personal-data.ts';
import {keyOwner} from '../../server/store/person-queries.ts';
import {
  boundColumns,
  type Bound,
  type Part,
  type EncryptedText,
  type Encryptor,
} from '../../server/store/encryption.ts';
import type {StoredServer} from './stores.ts';
import {testEncryptor} from './test-server.ts';

type Tables = Pick<StoredServer, 'select' | 'execute'>;
type EncryptedRow = RowOf<'sealed'> & Bound;

const literal = (value: string | number | null) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
/** PostgreSQL returns its large integers as texts, by which it is told apart here. */
const isOfPostgres = ({data_key}: {data_key: unknown}) => typeof data_key === 'string';
const asBytes = (text: string, row: {data_key: unknown}) =>
  isOfPostgres(row) ? `convert_to(${literal(text)}, 'UTF8')` : `CAST(${literal(text)} AS BLOB)`;
/** The statement that says so, with the mark of the upgrade. */
export function noteClear(encryptor: Encryptor, isPostgres: boolean): string {
  const {data_key, blob} = encryptMark(encryptor);
  const hex = Buffer.from(blob).toString('hex');
  const bytes = isPostgres ? `'\\x${hex}'::bytea` : `x'${hex}'`;
  return `INSERT INTO data_keys (check_value, since, data_key, blob) VALUES (0, 1, ${data_key}, ${bytes}) ON CONFLICT DO NOTHING`;
}
const json = (value: unknown) => literal(value === null ? null : JSON.stringify(value));
const assigned = (values: Record<string, string | number | null>) =>
  Object.entries(values).map(([column, value]) => `${column} = ${literal(value)}`);

/** @param only the ids of the leads that are meant; the others stay encrypted */
export async function putInClear(
  {select, execute}: Tables,
  {encryptor = testEncryptor, only}: {encryptor?: Encryptor; only?: readonly string[]} = {},
): Promise<void> {
  const rows = (await select(
    `SELECT sealed.*, ${boundColumns} FROM sealed JOIN leads ON leads.id = lead_id ORDER BY lead_id, part DESC`,
  )) as EncryptedRow[];
  // In the descending order of the parts, an answer that came later takes the place of that of its lead.
  const statements = rows
    .filter(({id}) => only?.includes(id) ?? true)
    .flatMap((row) => inClear(row, opened(encryptor, row, row, row.part as Part)));
  const [key] = (await select('SELECT data_key, blob FROM person_search')) as EncryptedRow[];
  if (key && !only)
    statements.push(
      `UPDATE person_search SET data_key = 0, blob = ${asBytes(opened(encryptor, keyOwner, key, 'person key'), key)}`,
    );
  if (!only) statements.push('DELETE FROM data_keys');
  statements.push(noteClear(encryptor, [...rows, ...(key ? [key] : [])].some(isOfPostgres)));
  await execute(['BEGIN', ...statements, 'COMMIT'].join(';\n'));
}

const opened = (encryptor: Encryptor, of: Bound, {data_key, blob}: EncryptedText, part: Part) =>
  encryptor.of(of).decrypt({data_key: Number(data_key), blob}, part);

function inClear({lead_id, part, data_key}: EncryptedRow, text: string): string[] {
  const [ofLead, ofPart] = [`lead_id = ${literal(lead_id)}`, `part = ${literal(part)}`];
  const isGone = `DELETE FROM sealed WHERE ${ofLead} AND ${ofPart}`;
  const update = (changes: readonly string[]) =>
    `UPDATE leads SET ${changes.join(', ')} WHERE id = ${literal(lead_id)}`;
  if (part === 'consent')
    return [
      `UPDATE sealed SET data_key = 0, blob = ${asBytes(text, {data_key})} WHERE ${ofLead} AND ${ofPart}`,
    ];
  if (part === 'answer') return [isGone, update(assigned(JSON.parse(text) as PersonalData['answer']))];
  if (part === 'lead') {
    const {lead, answer, consent, attribution, context} = JSON.parse(text) as PersonalData;
    const columns = [
      `clear_lead = ${json(lead)}`,
      ...assigned(answer),
      `attribution = ${json(attribution)}`,
      `context = ${json(context)}`,
    ];
    const insert = `INSERT INTO consents VALUES (${literal(lead_id)}, ${json(consent)})`;
    return [isGone, update(columns), ...(consent ? [insert] : [])];
  }
  const [, content = '', destination = ''] = part.split(' ');
  const ofDelivery = `content = ${literal(content)} AND destination = ${literal(destination)}`;
  const reply = json({excerpt: text});
  return [isGone, `UPDATE deliveries SET last_reply = ${reply} WHERE ${ofLead} AND ${ofDelivery}`];
}
