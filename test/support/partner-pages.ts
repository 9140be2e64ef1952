/**
 * Lets widget tests open partners' pages: any HTML with any headers, on the origin of the tests. As in production, the
 * built form and its API are on another origin, served by a real server, which starts with the first test that needs
 * it.
 */
import {subscribe} from 'node:diagnostics_channel';
import {cpSync, existsSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {request, type IncomingMessage} from 'node:http';
import {basename, dirname, join} from 'node:path';
import type {Middleware} from '@web/dev-server-core';
import type {TestRunnerPlugin} from '@web/test-runner';
import {classicFile, firstFiles} from '../../contract/api.ts';
import {classicTag, type Attributes} from '../../server/snippets/markup.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import {blocksOf, platforms} from '../../server/snippets/platforms.ts';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {snippetParts, versionForSnippets} from '../../server/snippets/parts.ts';
import {onePartner} from '../../server/config/partners.ts';
import {readVersions, type EmbedVersion} from '../../server/versions/embed-versions.ts';
import {skipUnless} from './installed.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const built = 'dist/embed';

/** Old libraries that replace what browsers have. Debian's package of each has the name of its folder. */
const libraries: Readonly<Record<string, string>> = {
  'Prototype.js': '/usr/share/javascript/prototype/prototype.js',
  MooTools: '/usr/share/javascript/mootools/mootools.js',
};

const isInstalled = ([name, file]: [string, string]) => {
  const notInstalled = `${name} is not installed: apt-get install libjs-${basename(dirname(file))}`;
  const reason = skipUnless('REQUIRE_LIBRARIES', !existsSync(file) && notInstalled);
  if (reason) console.log(`The form is not tested with an old library: ${reason}`);
  return !reason;
};

/** What a partner page needs to know about the server. */
export type Service = {
  origin: string;
  /** The script tag of the version that was built. */
  script: string;
  /** The tag of its classic twin. */
  classicScript: string;
  /** The snippet for a page in HTML, with what it says where the form does not load. */
  snippet: string;
  /**
   * The same for a form with the contact data first, whose version no other page loads, so that the browser has none of
   * its files in the cache.
   */
  preloadingSnippet: string;
  /** The script that tells Google Ads of a conversion. */
  conversion: string;
  /** The number of a version with the same files. */
  otherVersion: string;
  /** Another such version for a single test, so that the browser has none of its files in the cache. */
  uncachedVersion: string;
  /** Another such version, which was withdrawn. */
  withdrawnVersion: string;
  /** Later files, each with two versions in which only this file was changed after the build. */
  laterFiles: {file: string; oneByte: string; planted: string}[];
  /** The addresses of the old libraries that are installed, by name. */
  libraries: Readonly<Record<string, string>>;
};

/** A request that the server got, and what its headers say about the page that sent it. */
export type Received = {method: string; url: string; origin?: string; referer?: string; site?: string};

/** The requests by `User-Agent`, because all browsers use the server at the same time. */
const received = new Map<string, Received[]>();

function record({method = '', url = '', headers}: IncomingMessage) {
  const {'user-agent': browser = '', 'sec-fetch-site': site, origin, referer} = headers;
  const all = received.get(browser) ?? [];
  received.set(browser, all);
  all.push({
    method,
    url,
    ...(origin && {origin}),
    ...(referer && {referer}),
    ...(site && {site: String(site)}),
  });
}

/** Forwards a request to the server unchanged, so that a page can have the API on its own origin. */
const forward = (port: number, incoming: IncomingMessage) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const {method, url, headers} = incoming;
    const outgoing = request({port, host: '127.0.0.1', method, path: url, headers}, resolve);
    incoming.pipe(outgoing.on('error', reject));
  });

/** @returns the name of a version that differs from the newest in what its server sends for one file */
function tamper(releasesFolder: string, version: string, file: string, change: (code: string) => string) {
  const name = `0.0.${readdirSync(releasesFolder).length}`;
  const folder = join(releasesFolder, name);
  cpSync(join(built, version), folder, {recursive: true});
  const code = readFileSync(join(folder, file), 'utf8');
  writeFileSync(join(folder, file), change(code));
  return name;
}

async function start(pageOrigin: string): Promise<{server: TestServer; service: Omit<Service, 'libraries'>}> {
  const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
  const manifest = join(built, version, 'manifest.json');
  if (!existsSync(manifest)) throw new Error('The form is not built: run "npm run build" first');
  const {integrity} = JSON.parse(readFileSync(manifest, 'utf8')) as {integrity: Record<string, string>};
  const otherVersion = '0.9.0';
  const uncachedVersion = '0.9.1';
  const withdrawnVersion = '0.9.2';
  const preloadedVersion = '0.9.3';
  const laterFiles: Service['laterFiles'] = [];

  const server = await startTestServer((folder) => {
    // As releases, whose addresses do not change with each build.
    const releasesFolder = join(folder, 'releases');
    for (const name of [version, otherVersion, uncachedVersion, withdrawnVersion, preloadedVersion]) {
      cpSync(join(built, version), join(releasesFolder, name), {recursive: true});
    }
    for (const file of Object.keys(integrity).filter(
      (name) => name.endsWith('.js') && !firstFiles.includes(name),
    )) {
      laterFiles.push({
        file,
        // A space at the end changes the hash of the file, but not what the file does.
        oneByte: tamper(releasesFolder, version, file, (code) => `${code} `),
        planted: tamper(releasesFolder, version, file, (code) => `globalThis.planted=true;${code}`),
      });
    }
    const partners = [
      onePartner({key: 'acme', origins: [pageOrigin], cid: '1001', contact: {phone: '(415) 555-0132'}}),
      onePartner({key: 'globex', origins: [pageOrigin], cid: '2001'}),
    ] as const;
    return {releasesFolder, partners: [...partners], withdrawnVersions: [withdrawnVersion], proofOfWork: 5};
  });
  subscribe('http.server.request.start', (message) => {
    const {request, socket} = message as {request: IncomingMessage; socket: {localPort?: number}};
    if (socket.localPort === server.port) record(request);
  });
  const config = {...server.config, publicUrl: server.url};
  const {script} = newestScript(config);
  const versions = readVersions(config);
  const snippetOf = (version: EmbedVersion | undefined, attributes: Attributes) => {
    const choices = {...noChoices, attributes: {...noChoices.attributes, ...attributes}};
    return platforms.html.blocks(snippetParts(config, version!, config.partners[0], choices))[0]?.code ?? '';
  };
  const snippet = snippetOf(versionForSnippets(versions), {});
  const preloadingSnippet = snippetOf(
    versions.find(({name}) => name === preloadedVersion),
    {order: 'contact-first'},
  );
  const adsChoices = {...noChoices, googleAds: 'AW-123456789/AbC-D_efG'};
  const adsParts = snippetParts(config, versionForSnippets(versions)!, config.partners[0], adsChoices);
  const conversion = blocksOf('csp', adsParts).at(-1)!.code;
  const classic = {src: `${server.url}/embed/${version}/${classicFile}`, integrity: integrity[classicFile]};
  const scripts = {script, classicScript: classicTag({classic, preload: undefined}), snippet};
  const otherVersions = {otherVersion, uncachedVersion, withdrawnVersion};
  return {
    server,
    service: {origin: server.url, ...scripts, ...otherVersions, preloadingSnippet, conversion, laterFiles},
  };
}

export function partnerPages(): {middleware: Middleware; plugin: TestRunnerPlugin} {
  let started: ReturnType<typeof start> | undefined;
  const installed = Object.fromEntries(Object.entries(libraries).filter(isInstalled));
  const folder = '/partner-pages/libraries/';
  return {
    // This runs before the handlers of the test runner, because those add scripts to the pages that they serve.
    async middleware(context, next) {
      if (context.path === '/partner-page') {
        const {html, headers} = context.query as {html: string; headers: string};
        context.set(JSON.parse(headers) as Record<string, string>);
        context.type = 'html';
        context.body = html;
      } else if (context.path === '/partner-pages/service') {
        started ??= start(context.origin);
        const addresses = Object.keys(installed).map((name) => [name, folder + name] as const);
        const libraries = Object.fromEntries(addresses);
        context.body = {...(await started).service, libraries} satisfies Service;
      } else if (context.path.startsWith(folder)) {
        context.type = 'js';
        context.body = readFileSync(installed[context.path.slice(folder.length)] ?? '');
      } else if (context.path === '/partner-pages/requests') {
        context.body = received.get(context.get('User-Agent')) ?? [];
      } else if (context.path.startsWith('/embed/v1/') && started) {
        const reply = await forward((await started).server.port, context.req);
        context.status = reply.statusCode ?? 502;
        context.type = reply.headers['content-type'] ?? '';
        context.body = reply;
      } else {
        await next();
      }
    },
    plugin: {
      name: 'partner-pages',
      async serverStop() {
        await (await started)?.server.close();
      },
    },
  };
}
