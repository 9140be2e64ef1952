/** The reverse proxies of deploy/, run with their files there, with other addresses and without TLS. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {need} from './installed.ts';
import type {Owner} from './opened.ts';
import {until} from './until.ts';

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8');

/** The text with each pattern replaced, which must occur. */
function adapted(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  for (const [pattern, replacement] of changes) {
    assert.match(text, pattern);
    text = text.replace(pattern, replacement);
  }
  return text;
}

/**
 * `servers`: the ports of blue and green, or of the only server. `admin`: the port of the operators' pages, which the proxy
 * has at `localhost`. All else is at 127.0.0.1.
 */
type Setting = {folder: string; port: number; servers: readonly number[]; admin?: number};
type Command = {words: string[]; env?: Record<string, string>; leave?: (server: number) => void};

const [blue, green, pages] = [/10\.0\.0\.1:8080/, /10\.0\.0\.2:8080/, /10\.0\.0\.1:8081/];
const adminHost = [/admin\.example\.com(?=;| \})/, 'localhost'] as const;
/** Nobody listens there. */
const nowhere = 9;
const at = (port: number | undefined) => `127.0.0.1:${port ?? nowhere}`;

/**
 * Each writes its configuration, and returns the command that runs it. `leave` takes a server out, if the proxy does not notice
 * by itself that the server drains.
 */
const proxies = {
  HAProxy({folder, port, servers, admin}: Setting): Command {
    const file = join(folder, 'haproxy.cfg');
    const changes = [
      [/bind :443 .*/, `bind ${at(port)}`],
      ...([[blue, at(servers[0])], [green, at(servers[1])], [pages, at(admin)], adminHost] as const),
    ] as const;
    writeFileSync(file, adapted(fileOf('haproxy.cfg'), changes));
    return {words: ['haproxy', '-db', '-f', file]};
  },
  nginx({folder, port, servers, admin}: Setting): Command {
    const file = join(folder, 'nginx.conf');
    mkdirSync(join(folder, 'logs'));
    const write = (left?: number) => {
      const [one = '', other = ''] = [servers[0], servers[1]].map(
        (server) => `${at(server)}${server !== undefined && server === left ? ' down' : ''}`,
      );
      const changes = [
        [/events \{/, `pid ${folder}/pid; events {`],
        [/http \{/, 'http { access_log off;'],
        [/listen 443 ssl;/g, `listen ${at(port)};`],
        [/ssl_certificate .*\n.*ssl_certificate_key .*/g, ''],
        ...([[blue, one], [green, other], [pages, at(admin)], adminHost] as const),
      ] as const;
      writeFileSync(file, adapted(fileOf('nginx.conf'), changes));
    };
    write();
    return {
      words: ['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', file, '-g', 'daemon off;'],
      leave(server) {
        write(server);
        process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGHUP');
      },
    };
  },
  Caddy({folder, port, servers, admin}: Setting): Command {
    const changes = [
      [/server:8080/, at(servers[0])],
      [/server:8081/, at(admin)],
    ] as const;
    writeFileSync(join(folder, 'Caddyfile'), adapted(fileOf('Caddyfile'), changes));
    const names = {PUBLIC_URL: `http://${at(port)}`, ADMIN_URL: `http://localhost:${port}`};
    return {
      words: ['caddy', 'run', '--config', join(folder, 'Caddyfile')],
      env: {HOME: folder, CADDY_ADMIN: `unix/${join(folder, 'caddy.sock')}`, ...names},
    };
  },
};
export type ProxyName = keyof typeof proxies;

/** Runs it until the test is over. */
export async function startProxy(
  owner: Owner,
  name: ProxyName,
  setting: Setting,
): Promise<Pick<Command, 'leave'> & {url: string}> {
  const {words, env, leave} = proxies[name](setting);
  const [program = '', ...options] = words;
  const child = spawn(need(program), options, {env, stdio: 'ignore'});
  owner.after(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  const url = `http://${at(setting.port)}`;
  await until(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return {url, ...(leave && {leave})};
}
