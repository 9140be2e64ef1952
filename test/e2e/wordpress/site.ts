/**
 * Real WordPress sites: Debian's package, a MariaDB of their own, and PHP's built-in web server. Nothing of the system is
 * used but the programs.
 */
import {execFile, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {text} from 'node:stream/consumers';
import {unzipSync} from 'fflate';
import {findProgram, skipUnless} from '../../support/installed.ts';
import {freePort} from '../../support/free-port.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';

const packageFolder = process.env['WORDPRESS_FOLDER'] ?? '/usr/share/wordpress';
/** What Debian has beside it, and to which its links lead. */
const scripts = resolve(packageFolder, '../javascript');

const hasMysqli = () => execFileSync('php', ['-m'], {encoding: 'utf8'}).includes('mysqli');

/** Why there can be no WordPress on this machine; false if there can. */
export const withoutWordPress = skipUnless(
  'REQUIRE_THEMES',
  (
    [
      [existsSync(join(packageFolder, 'wp-includes/blocks.php')), 'WORDPRESS_FOLDER names no WordPress'],
      [
        existsSync(join(packageFolder, 'wp-content/themes/twentytwentyone')),
        'the theme Twenty Twenty-One is missing',
      ],
      [
        findProgram('mariadbd') !== undefined,
        'MariaDB is not installed: apt-get install mariadb-server-core',
      ],
      [
        findProgram('php') !== undefined && hasMysqli(),
        'PHP lacks mysqli: apt-get install php-cli php-mysql',
      ],
    ] as const
  ).find(([holds]) => !holds)?.[1] ?? false,
);

export type Database = {socket: string; close(): Promise<void>};

/** Without the tables of its own, which would hold users and their rights, the database starts in a second. */
export async function startDatabase(): Promise<Database> {
  const folder = makeTemporaryFolder();
  const socket = join(folder.path, 'socket');
  const options = {datadir: folder.path, socket, user: 'root', 'innodb-flush-log-at-trx-commit': '0'};
  const server = spawn(
    findProgram('mariadbd') ?? '',
    [
      ...['--no-defaults', '--skip-networking', '--skip-grant-tables', '--skip-log-bin'],
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    ],
    {stdio: 'ignore'},
  );
  await until(() => existsSync(socket) || server.exitCode !== null, 'MariaDB listens');
  return {
    socket,
    async close() {
      server.kill();
      if (server.exitCode === null) await once(server, 'exit');
      folder.remove();
    },
  };
}

export type WordPress = {
  url: string;
  /**
   * Runs PHP in the site.
   * @param code the body of a function. What it returns, comes back
   * @param user the login name of the user who does it
   * @param environment what WordPress calls the kind of the machine
   */
  php<Result>(code: string, user?: string, environment?: 'local' | 'production'): Promise<Result>;
  /** The cookies of a user who has signed in, for a browser. */
  cookies(user: string): Promise<{name: string; value: string; url: string}[]>;
  /** The lines of PHP's log that name the plugin. */
  complaints(): string[];
  close(): Promise<void>;
};

/** Of each user: `admin`, `editor` and `author`. */
export const password = 'correct horse battery staple';

type Options = {
  theme: 'twentytwentythree' | 'twentytwentyone';
  /** A network with a second site at `/second`. In a network, editors may not post any HTML. */
  network?: true;
  /** The zip of a plugin that is unpacked. */
  plugin?: string;
};

const keyNames = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((of) => [`${of}_KEY`, `${of}_SALT`]);
const keys = Object.fromEntries(keyNames.map((name) => [name, `a secret for ${name}`]));

/** The content of `wp-config.php`. @param constants their values by name */
const wpConfig = (constants: object) => `<?php
${Object.entries(constants)
  .map(([name, value]) => `define('${name}', ${JSON.stringify(value)});`)
  .join('\n')}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require ABSPATH . 'wp-settings.php';
`;

export async function startWordPress(
  {socket}: Database,
  {theme, network, plugin}: Options,
): Promise<WordPress> {
  const temporary = makeTemporaryFolder();
  const folder = join(temporary.path, 'wordpress');
  // Linked, because a copy would take longer than the tests.
  execFileSync('cp', ['--archive', '--link', packageFolder, folder]);
  if (existsSync(scripts)) symlinkSync(scripts, join(temporary.path, 'javascript'));
  for (const name of ['plugins', 'uploads']) mkdirSync(join(folder, 'wp-content', name), {recursive: true});
  for (const [name, bytes] of plugin === undefined ? [] : Object.entries(unzipSync(readFileSync(plugin)))) {
    const path = join(folder, 'wp-content/plugins', name);
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, bytes);
  }
  const logFile = join(temporary.path, 'php.log');
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const database = `wordpress_${port}`;
  const settings = {
    ...keys,
    DB_NAME: database,
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    // Nothing but the lead server is asked, which is on this machine.
    WP_HTTP_BLOCK_EXTERNAL: true,
    DISABLE_WP_CRON: true,
    FS_METHOD: 'direct',
    WP_DEBUG: true,
    WP_DEBUG_DISPLAY: false,
    WP_DEBUG_LOG: logFile,
  };
  const networkSettings = {
    MULTISITE: true,
    SUBDOMAIN_INSTALL: false,
    DOMAIN_CURRENT_SITE: `localhost:${port}`,
    PATH_CURRENT_SITE: '/',
    SITE_ID_CURRENT_SITE: 1,
    BLOG_ID_CURRENT_SITE: 1,
  };
  const configFile = join(folder, 'wp-config.php');
  // Debian's own would be written to, because the files are linked.
  rmSync(configFile, {force: true});
  const writeConfig = (values: object) => writeFileSync(configFile, wpConfig(values));
  const run = (script: string, values: readonly string[], input = '', environment = 'local') =>
    new Promise<string>((succeed, fail) => {
      const child = execFile(
        'php',
        [join(import.meta.dirname, script), folder, `localhost:${port}`, ...values],
        {maxBuffer: 10_000_000, env: {...process.env, WP_ENVIRONMENT_TYPE: environment}},
        (error, out) => (error ? fail(new Error(`${error.message}\n${out}`)) : succeed(out)),
      );
      child.stdin?.end(input);
    });
  writeConfig({...settings, WP_SITEURL: url});
  await run('install.php', [socket, database, theme, password, network ? 'network' : 'site']);
  if (network) {
    writeConfig({...settings, ...networkSettings});
    await run('install.php', [socket, database, theme, password, 'second site']);
  }

  const server = spawn(
    'php',
    [
      '-d',
      'opcache.enable_cli=1',
      '-d',
      // A plugin that is replaced counts at once.
      'opcache.revalidate_freq=0',
      '-S',
      `localhost:${port}`,
      '-t',
      folder,
      join(import.meta.dirname, 'router.php'),
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {...process.env, WP_ENVIRONMENT_TYPE: 'local', PHP_CLI_SERVER_WORKERS: '4'},
      detached: true,
    },
  );
  const said = text(server.stderr);
  await until(
    () =>
      fetch(`${url}/wp-login.php`).then(
        ({ok}) => ok,
        () => false,
      ),
    'WordPress answers',
  );
  const php = async <Result>(code: string, user = 'admin', environment = 'local') =>
    JSON.parse(await run('run.php', [user], code, environment)) as Result;
  return {
    url,
    php,
    async cookies(user) {
      const cookies = await php<Record<string, string>>(
        `$cookie = fn($scheme) => wp_generate_auth_cookie(get_current_user_id(), time() + 3600, $scheme);
        return [LOGGED_IN_COOKIE => $cookie('logged_in'), AUTH_COOKIE => $cookie('auth')];`,
        user,
      );
      return Object.entries(cookies).map(([name, value]) => ({name, value: encodeURIComponent(value), url}));
    },
    complaints() {
      const log = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
      return log.split('\n').filter((line) => line.includes('plugins/lead-prequal'));
    },
    async close() {
      // The whole group: PHP's server has started workers.
      if (server.pid !== undefined) process.kill(-server.pid);
      await said;
      temporary.remove();
    },
  };
}
