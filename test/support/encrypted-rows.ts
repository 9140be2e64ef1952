/** Past the service: what is encrypted in the rows of a database, decrypted, or encrypted again otherwise. */
import assert from 'node:assert/strict';
import type {RowOf} from '../../server/store/columns.ts';
import type {PersonalData} from '../../server/store/personal-data.ts';
import type {Encryptor} from '../../server/store/encryption.ts';
import {rowsOf} from './rows.ts';
import type {StoredServer} from './stores.ts';
import {testEncryptor} from './test-server.ts';

type Row = Record<string, unknown>;
type OpenedLead = Omit<RowOf<'leads'>, keyof PersonalData> & PersonalData;

/** Selects what `openRows` reads. */
const selectEncrypted = `
  SELECT leads.*, sealed.data_key, sealed.blob FROM leads JOIN sealed ON lead_id = leads.id AND part = 'lead'
  ORDER BY leads.id`;

/** PostgreSQL returns its large integers as texts. */
function openRow(row: Row, encryptor: Encryptor): OpenedLead {
  const {data_key, blob, ...lead} = row as RowOf<'leads'> & {data_key: unknown; blob: Uint8Array};
  const text = encryptor.of(lead).decrypt({data_key: Number(data_key), blob}, 'lead');
  return {...lead, ...(JSON.parse(text) as PersonalData)};
}

/** The rows of all leads that are not erased, in the order of time, with what is encrypted of them. */
export async function openedLeads(
  {select}: Pick<StoredServer, 'select'>,
  encryptor = testEncryptor,
): Promise<OpenedLead[]> {
  return (await select(selectEncrypted)).map((row) => openRow(row, encryptor));
}

/** As `openedLeads`, of a SQLite file. */
export const openedIn = (databasePath: string, encryptor = testEncryptor): OpenedLead[] =>
  rowsOf(databasePath, selectEncrypted).map((row) => openRow(row, encryptor));

/** The leads of a SQLite file that have this address. */
export const leadsOf = (databasePath: string, email: string): OpenedLead[] =>
  openedIn(databasePath).filter(({lead}) => (lead as {email?: string}).email === email);

export async function openedLead(server: Pick<StoredServer, 'select'>, id: string): Promise<OpenedLead> {
  const leads = await openedLeads(server);
  return leads.find((lead) => lead.id === id) ?? assert.fail(`no lead ${id}`);
}

/** Encrypts something else of a lead, as if it had been stored so. */
export async function encryptOtherwise(
  {select, execute}: Pick<StoredServer, 'select' | 'execute'>,
  id: string,
  change: (personal: PersonalData) => unknown,
  encryptor = testEncryptor,
): Promise<void> {
  const row = (await select(selectEncrypted)).find((each) => each['id'] === id) as RowOf<'leads'> & Row;
  const {lead, answer, consent, attribution, context} = openRow(row, encryptor);
  const changed = JSON.stringify(change({lead, answer, consent, attribution, context}));
  const hex = Buffer.from(encryptor.of(row).encrypt(changed, 'lead').blob).toString('hex');
  const bytes = typeof row['data_key'] === 'string' ? `decode('${hex}', 'hex')` : `X'${hex}'`;
  await execute(`UPDATE sealed SET blob = ${bytes} WHERE part = 'lead' AND lead_id = '${id}'`);
}

/** SQL after which nobody can decrypt what is encrypted of leads. @param where SQL that names them */
export const damaged = (where: string) => `UPDATE sealed SET data_key = 7 WHERE ${where}`;
