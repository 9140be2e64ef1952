/**
 * `npm start`: starts the server with development credentials, and a partner's page on another origin. Whoever tries the
 * form on a page of their own machine sends leads, too, and DEMO_ORIGINS may list further origins.
 */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {paths} from '../contract/api.ts';
import {withAttached} from '../server/admin/attached.ts';
import {inviteOperator, listOperators} from '../server/admin/operators.ts';
import {sha256} from '../server/config/callers.ts';
import {readConfig, type Config} from '../server/config/config.ts';
import {createObservationLog} from '../server/observe/observation-log.ts';
import {createLog} from '../server/observe/log.ts';
import {startPages} from '../server/pages/process.ts';
import {routes} from '../server/pages/routes.ts';
import {startServer} from '../server/server.ts';
import {noChoices} from '../server/snippets/choices.ts';
import {noVersionForSnippets, snippetParts, versionForSnippets} from '../server/snippets/parts.ts';
import {platforms} from '../server/snippets/platforms.ts';
import {readVersions} from '../server/versions/embed-versions.ts';
import {landingPage} from './landing-page.ts';
import {partner} from './partner.ts';

const host = '127.0.0.1';
const secretsFile = 'data/demo.json';
const developer = 'Developer';

type Secrets = {user: string; password: string; dataKey: string};

/** A private file that is created at the first start and never committed. */
function developmentSecrets(): Secrets {
  if (!existsSync(secretsFile)) {
    const secret = () => randomBytes(24).toString('base64url');
    const made: Secrets = {user: 'developer', password: secret(), dataKey: secret()};
    mkdirSync('data', {recursive: true, mode: 0o700});
    writeFileSync(secretsFile, JSON.stringify(made, null, 2), {mode: 0o600});
  }
  return JSON.parse(readFileSync(secretsFile, 'utf8')) as Secrets;
}

/** Listens on the port, or on a free one if it is in use. */
async function listen(server: Server, port: number): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    await once(server.listen(0, host), 'listening');
  }
  return (server.address() as AddressInfo).port;
}

async function freePort(preferred: number): Promise<number> {
  const probe = createServer();
  const port = await listen(probe, preferred);
  await once(probe.close(), 'close');
  return port;
}

/** What the page of snippets shows the partner for a page with a strict content security policy. */
function snippetOf(config: Config) {
  const version = versionForSnippets(readVersions(config));
  if (!version) throw new Error(noVersionForSnippets);
  const parts = snippetParts(config, version, config.partners[0], noChoices);
  const [, rules = '', form = ''] = platforms.csp.blocks(parts).map(({code}) => code);
  return {rules, form};
}

/** Where the operators' pages are: until somebody has a passkey for them, an invitation, which works once. */
const signIn = (): Promise<string> =>
  withAttached(
    config,
    {mayWrite: true, emit: log.emit, by: {actor: 'npm start', action: 'operators invite'}},
    async (admin) => {
      const known = (await listOperators(admin)).find(
        ({name, revoked_at}) => name === developer && revoked_at === null,
      );
      if (known && known.passkeys > 0) return config.admin?.url ?? '';
      return (await inviteOperator(admin, {name: developer, ...(known ? {again: true} : {role: 'admin'})}))
        .link;
    },
  );

/** What a signal does. Before the server runs, nothing is open that would have to be closed. */
let end = (): void => process.exit(0);
// A closed terminal sends SIGHUP.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end());

const secrets = developmentSecrets();
const port = await freePort(Number(process.env['PORT'] ?? 8080));
const publicUrl = `http://localhost:${port}`;
const adminPort = await freePort(Number(process.env['ADMIN_PORT'] ?? 8082));

const ownMachine = ['http://localhost', 'https://localhost', 'http://127.0.0.1', 'https://127.0.0.1'];
const listed = (process.env['DEMO_ORIGINS'] ?? '').split(/[\s,]+/).filter(Boolean);
const origins = [...ownMachine, ...ownMachine.map((origin) => `${origin}:*`), ...listed];
const caller = {
  user: secrets.user,
  password_sha256: sha256(secrets.password).toString('hex'),
  cids: [partner.cid],
};
const read = readConfig({
  DATABASE_PATH: 'data/demo.sqlite',
  DATA_KEY: secrets.dataKey,
  LOG_LEVEL: 'warn',
  ...process.env,
  HOST: host,
  PORT: String(port),
  PUBLIC_URL: publicUrl,
  CONFIG: JSON.stringify({partners: [{...partner, origins}], callers: [caller]}),
  ADMIN_URL: `http://localhost:${adminPort}`,
  ADMIN_PORT: String(adminPort),
});
// The demo has no releases, so that its pages get the newest build: whoever changes the form wants to see the change.
const config = {...read, releasesFolder: 'no releases'};
const log = createObservationLog(createLog(config.logLevel));
// The demo sends its leads nowhere, and means to.
const emit: typeof log.emit = (event) => (event.type === 'config-doubtful' ? undefined : log.emit(event));
const server = await startServer(config, emit);
const pages = await startPages(() => config, routes, log.emit);
const page = createServer(landingPage({...snippetOf(config), publicUrl}));
const pagePort = await listen(page, Number(process.env['DEMO_PORT'] ?? 8081));

const lead = {
  cid: partner.cid,
  lead_type: 'prequalification',
  first_name: 'Ana',
  last_name: 'Silva',
  phone: '415-555-0132',
  email: 'ana@example.com',
  credit_score: 'Above 720',
  retirement: '120000',
  cash: 20000,
  investments: 0,
};

console.log(`
  A partner's page   http://localhost:${pagePort}
  Its events         http://localhost:${pagePort}/?prequal-debug
  Its snippets       ${publicUrl}${paths.snippets}?partner=${partner.key}
  The form alone     ${publicUrl}${paths.apply}/${partner.key}
  The lead service   ${publicUrl}
  For operators      ${await signIn()}

  Create a lead:

  curl -u ${secrets.user}:${secrets.password} -H 'Content-Type: application/json' -d '${JSON.stringify(lead)}' ${publicUrl}${paths.leads}

  Leads are in ${config.databasePath}. Stop with Ctrl+C.
`);

end = () => {
  end = () => undefined;
  page.close().closeAllConnections();
  void Promise.all([pages.close(), server.close()]).then(() => log.flush(() => process.exit(0)));
};
