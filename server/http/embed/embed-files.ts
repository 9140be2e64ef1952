/** Serves the scripts of the form. The build compressed them, and the server reads them once, at start. */
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Router, type Request, type RequestHandler} from 'express';
import {elementName, firstFiles, paths} from '../../../contract/api.ts';
import type {Emit} from '../../observe/events.ts';
import {isWithdrawn, movingVersions, type EmbedVersion} from '../../versions/embed-versions.ts';
import {movingVersion, type RequestCounter} from '../../versions/request-counts.ts';

type Handler = RequestHandler<{file: string}>;
type Count = RequestCounter['count'];

const suffixes = {br: '.br', gzip: '.gz', identity: ''} as const;
const day = 86_400;

/** Pages of all origins may load the files. */
const openToAll = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

/** The value of `Cache-Control` for a file. @param build the parameter of the address */
type Caching = (file: string, build: unknown) => string;

/** As `pinnedFile` writes it. */
const buildOf = (integrity = '') => integrity.slice('sha384-'.length).slice(0, 12);

/** Whether another build may have other content under this name. The names of later files hold their hashes. */
const mayChange = (file: string) => firstFiles.includes(file.replace(/\.map$/, ''));

/**
 * A release never changes. The address of a build has the beginning of the hash of a first file. Under
 * any other address, a cache must not keep the file, because the next build may replace it.
 */
const cachingOf =
  ({released, manifest}: EmbedVersion): Caching =>
  (file, build) =>
    released || !mayChange(file) || build === buildOf(manifest.integrity[file]) ? pinned : 'no-cache';

const pinned = `public, max-age=${365 * day}, immutable`;
const newest = `public, max-age=300, stale-while-revalidate=${day}`;

/** @param versions the highest number first */
export function embedFiles(versions: readonly EmbedVersion[], count: Count, emit: Emit): Router {
  const router = Router({caseSensitive: true});
  for (const version of versions) {
    const path = `/embed/${version.name}/:file`;
    if (isWithdrawn(version)) router.get(path, refuse(version, count, emit));
    else router.get(path, counted(version.name, [version], count), serve(version, cachingOf(version)));
  }
  // Without a version in its address, the file of the newest version that has it is served. Older versions are served
  // here, too, because a browser's cache may hold an older script, which asks at this address for later files that newer
  // versions lack.
  const moving = movingVersions(versions);
  router.get(`${paths.embed}/:file`, counted(movingVersion, moving, count));
  for (const version of moving)
    router.get(
      `${paths.embed}/:file`,
      serve(version, () => newest),
    );
  return router;
}

/**
 * Whether the request counts as a use of a version. That is a GET of a file that pages name in their script tags, also
 * if the response is a 304, because a page asked. HEAD comes from monitors, and source maps from developers.
 */
const isUse = (method: string, file: string, versions: readonly EmbedVersion[]) =>
  method === 'GET' &&
  firstFiles.includes(file) &&
  versions.some(({manifest}) => Object.hasOwn(manifest.integrity, file));

const countUse = (request: Request<{file: string}>, name: string, count: Count) =>
  count(name, request.get('Origin'), request.get('Sec-Fetch-Site'));

const counted =
  (name: string, versions: readonly EmbedVersion[], count: Count): Handler =>
  (request, _response, next) => {
    if (isUse(request.method, request.params.file, versions)) countUse(request, name, count);
    next();
  };

/**
 * Refuses all files of a withdrawn version with a 410. Browsers run no script that comes with an error status, so the
 * page keeps the element's own children. The body is a comment in JavaScript, because a problem in JSON would not be
 * harmless everywhere: browsers hide JSON, and its status, from a script tag without `crossorigin`, so that the console
 * would say nothing; and plugins that combine the scripts of a page copy any body. No cache may keep the response,
 * because the operator may serve the version again.
 */
function refuse(version: EmbedVersion, count: Count, emit: Emit): Handler {
  const {name, advisory} = version;
  const comment = `// ${elementName} ${name} is withdrawn: ${advisory.withdrawn} See ${paths.embedVersions} on this server.\n`;
  return (request, response) => {
    if (isUse(request.method, request.params.file, [version])) {
      const origin = countUse(request, name, count);
      emit({type: 'withdrawn-version-asked', version: name, origin});
    }
    response.status(410).set(openToAll).type('text/javascript').send(comment);
  };
}

function serve({folder, manifest}: EmbedVersion, caching: Caching): Handler {
  const read = (name: string, suffix: string) => readFileSync(join(folder, `${name}${suffix}`));
  const files = new Map(
    Object.entries(manifest.integrity).map(([name, integrity]) => [
      name,
      {
        etag: integrity.slice(-24),
        br: read(name, suffixes.br),
        gzip: read(name, suffixes.gzip),
        identity: read(name, suffixes.identity),
      },
    ]),
  );
  const mapNames = [...files.keys()].map((name) => `${name}.map`);
  // All requests share these buffers. If each request read a copy, clients that never read their responses could fill
  // the memory.
  const sourceMaps = new Map(
    mapNames.filter((name) => existsSync(join(folder, name))).map((name) => [name, read(name, '')]),
  );

  return (request, response, next) => {
    const {file: name} = request.params;
    const file = files.get(name);
    const sourceMap = sourceMaps.get(name);
    if (!file && !sourceMap) return next();
    response.set({
      ...openToAll,
      'Cache-Control': caching(name, request.query['build']),
      'Timing-Allow-Origin': '*',
      Vary: 'Accept-Encoding',
    });
    if (!file) {
      response.type('application/json').send(sourceMap);
      return;
    }
    if (sourceMaps.has(`${name}.map`)) response.set('SourceMap', `${name}.map`);
    // Browsers accept both encodings alike. Brotli comes first, because it is a fifth smaller.
    const encodings = ['br', 'gzip'] as const;
    const encoding = encodings.find((name) => request.acceptsEncodings(name)) ?? 'identity';
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.set('ETag', `"${file.etag}-${encoding}"`);
    response.type('text/javascript').send(file[encoding]);
  };
}
