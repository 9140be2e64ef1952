/** Past the service: what is sealed in the rows of a database, opened, or sealed again otherwise. */
import assert from 'node:assert/strict';
import type {RowOf} from '../../server/store/columns.ts';
import type {PersonalData} from '../../server/store/personal-data.ts';
import type {Sealer} from '../../server/store/sealing.ts';
import {rowsOf} from './rows.ts';
import type {StoredServer} from './stores.ts';
import {testSealer} from './test-server.ts';

type Row = Record<string, unknown>;
type OpenedLead = Omit<RowOf<'leads'>, keyof PersonalData> & PersonalData;

/** Selects what `openRows` reads. */
const selectSealed = `
  SELECT leads.*, sealed.data_key, sealed.blob FROM leads JOIN sealed ON lead_id = leads.id AND part = 'lead'
  ORDER BY leads.id`;

/** PostgreSQL returns its large integers as texts. */
function openRow(row: Row, sealer: Sealer): OpenedLead {
  const {data_key, blob, ...lead} = row as RowOf<'leads'> & {data_key: unknown; blob: Uint8Array};
  const text = sealer.of(lead).open({data_key: Number(data_key), blob}, 'lead');
  return {...lead, ...(JSON.parse(text) as PersonalData)};
}

/** The rows of all leads that are not erased, in the order of time, with what is sealed of them. */
export async function openedLeads(
  {select}: Pick<StoredServer, 'select'>,
  sealer = testSealer,
): Promise<OpenedLead[]> {
  return (await select(selectSealed)).map((row) => openRow(row, sealer));
}

/** As `openedLeads`, of a SQLite file. */
export const openedIn = (databasePath: string, sealer = testSealer): OpenedLead[] =>
  rowsOf(databasePath, selectSealed).map((row) => openRow(row, sealer));

/** The leads of a SQLite file that have this address. */
export const leadsOf = (databasePath: string, email: string): OpenedLead[] =>
  openedIn(databasePath).filter(({lead}) => (lead as {email?: string}).email === email);

export async function openedLead(server: Pick<StoredServer, 'select'>, id: string): Promise<OpenedLead> {
  const leads = await openedLeads(server);
  return leads.find((lead) => lead.id === id) ?? assert.fail(`no lead ${id}`);
}

/** Seals something else of a lead, as if it had been stored so. */
export async function sealOtherwise(
  {select, execute}: Pick<StoredServer, 'select' | 'execute'>,
  id: string,
  change: (personal: PersonalData) => unknown,
  sealer = testSealer,
): Promise<void> {
  const row = (await select(selectSealed)).find((each) => each['id'] === id) as RowOf<'leads'> & Row;
  const {lead, answer, consent, attribution, context} = openRow(row, sealer);
  const changed = JSON.stringify(change({lead, answer, consent, attribution, context}));
  const hex = Buffer.from(sealer.of(row).seal(changed, 'lead').blob).toString('hex');
  const bytes = typeof row['data_key'] === 'string' ? `decode('${hex}', 'hex')` : `X'${hex}'`;
  await execute(`UPDATE sealed SET blob = ${bytes} WHERE part = 'lead' AND lead_id = '${id}'`);
}

/** SQL after which nobody can open what is sealed of leads. @param where SQL that names them */
export const damaged = (where: string) => `UPDATE sealed SET data_key = 7 WHERE ${where}`;
