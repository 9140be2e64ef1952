/** Servers as operators run them: with a database, with destinations, and with commands beside them. */
import {join} from 'node:path';
import type {TestContext} from 'node:test';
import {openStore} from '../../server/store/open-store.ts';
import {createEncryptor} from '../../server/store/encryption.ts';
import type {startFakeUpstream} from '../support/fake-upstream.ts';
import {databaseFor} from '../support/postgres.ts';
import {baseConfig, testEncryptor} from '../support/test-server.ts';
import type {WebhookReceiver} from '../support/webhook-receiver.ts';
import {type FileFields, writeConfig} from '../support/config-file.ts';

export type Environment = Record<string, string>;

/** Settings of a server whose only partner sends its leads to these webhooks, and is answered by `lender` if given. */
export function sendingTo(
  folder: string,
  webhooks: Record<string, WebhookReceiver & {perSecond?: number; parallel?: number; events?: string[]}>,
  lender?: Awaited<ReturnType<typeof startFakeUpstream>>,
  fields: FileFields = {},
): Environment {
  const credentials = (name: string) => name.toUpperCase().replaceAll('-', '_');
  const named = Object.entries(webhooks).map(([name, {settings, perSecond, parallel, events}]) => [
    name,
    {
      type: 'webhook',
      internal: true,
      url: settings.url,
      credentials: credentials(name),
      per_second: perSecond,
      parallel,
      events,
    },
  ]);
  const {url, cid} = lender?.settings ?? {};
  const upstream = lender && {
    lender: {type: 'lead-api', url, cid, credentials: 'LENDER', per_second: 500},
  };
  const partner = {
    send_to: Object.keys(webhooks),
    merge_duplicates: false,
    ...(lender && {answer_from: 'lender'}),
  };
  const destinations = {...(Object.fromEntries(named) as Record<string, object>), ...upstream};
  return {
    CONFIG_FILE: writeConfig(folder, [partner], destinations, fields),
    ...Object.fromEntries(
      Object.entries(webhooks).map(([name, {secret}]) => [`CREDENTIALS_${credentials(name)}_SECRET`, secret]),
    ),
    ...(lender && {
      CREDENTIALS_LENDER_USER: lender.settings.user,
      CREDENTIALS_LENDER_PASSWORD: lender.settings.password,
    }),
  };
}

/** The database of the server: a file in the folder, or a new database in PostgreSQL. */
export const stores = {
  SQLite: (folder: string) => ({DATABASE_PATH: join(folder, 'data', 'leads.sqlite')}),
  PostgreSQL: async (_folder: string, t: TestContext) => {
    const database = await databaseFor(t);
    return {DATABASE_URL: database.url};
  },
};

/** The store of such a server, as a command opens it. */
export const openAttached = (folder: string, {DATABASE_PATH, DATABASE_URL, DATA_KEY}: Environment) =>
  openStore(
    {
      ...baseConfig(folder),
      databasePath: DATABASE_PATH ?? join(folder, 'none.sqlite'),
      databaseUrl: DATABASE_URL,
    },
    DATA_KEY === undefined ? testEncryptor : createEncryptor(DATA_KEY.split(' ') as [string, ...string[]]),
  );
