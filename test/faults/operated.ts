/** Servers as operators run them: with a database, with destinations, and with commands beside them. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {TestContext} from 'node:test';
import {openStore} from '../../server/store/open-store.ts';
import type {startFakeUpstream} from '../support/fake-upstream.ts';
import {databaseFor} from '../support/postgres.ts';
import {baseConfig, listedOrigin, testSealer} from '../support/test-server.ts';
import type {WebhookReceiver} from '../support/webhook-receiver.ts';

export type Environment = Record<string, string>;

/** Settings of a server whose only partner sends its leads to these webhooks, and is answered by `lender` if given. */
export function sendingTo(
  folder: string,
  webhooks: Record<string, WebhookReceiver & {perSecond?: number; parallel?: number}>,
  lender?: Awaited<ReturnType<typeof startFakeUpstream>>,
): Environment {
  const credentials = (name: string) => name.toUpperCase().replaceAll('-', '_');
  const named = Object.entries(webhooks).map(([name, {settings, perSecond, parallel}]) => [
    name,
    {
      type: 'webhook',
      url: settings.url,
      credentials: credentials(name),
      per_second: perSecond,
      parallel,
    },
  ]);
  const upstream = lender && {
    lender: {type: 'lead-api', url: lender.settings.url, cid: lender.settings.cid, credentials: 'LENDER'},
  };
  const partner = {
    key: 'acme',
    origins: [listedOrigin],
    cid: '1001',
    send_to: Object.keys(webhooks),
    merge_duplicates: false,
    ...(lender && {answer_from: 'lender'}),
  };
  const file = join(folder, 'partners.json');
  writeFileSync(
    file,
    JSON.stringify({
      destinations: {...(Object.fromEntries(named) as object), ...upstream},
      partners: [partner],
    }),
  );
  return {
    PARTNERS_FILE: file,
    WEBHOOK_INTERNAL_HOSTS: '127.0.0.1 localhost',
    OUTBOX_PER_SECOND: '500',
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
export const openBeside = (folder: string, {DATABASE_PATH, DATABASE_URL}: Environment) =>
  openStore(
    {
      ...baseConfig(folder),
      databasePath: DATABASE_PATH ?? join(folder, 'none.sqlite'),
      databaseUrl: DATABASE_URL,
    },
    testSealer,
  );
