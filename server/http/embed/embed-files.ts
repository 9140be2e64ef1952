/**
 * Serves the files of each version: the scripts of the form, and the plugin for WordPress. They are read at start, and each
 * is compressed in memory once for each encoding. Also serves the npm package of a release.
 */
import {readFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import {Router, type Request, type RequestHandler} from 'express';
import {elementName, firstFiles, packageFile, paths, wordpressPlugin} from '../../../contract/api.ts';
import type {Emit} from '../../observe/observations.ts';
import {
  isWithdrawn,
  movingVersions,
  newestPlugin,
  newestVersion,
  type EmbedVersion,
} from '../../versions/embed-versions.ts';
import type {RequestCounter} from '../../versions/request-counts.ts';
import {createCompressor, encodings, type Compressor} from './compression.ts';

type Handler = RequestHandler<{file: string}>;
type Count = RequestCounter['count'];

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
const mayChange = (file: string) => firstFiles.includes(file) || file === wordpressPlugin;

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
export function embedFiles(
  versions: readonly EmbedVersion[],
  count: Count,
  emit: Emit,
  compressor: Compressor = createCompressor(),
): Router {
  const router = Router({caseSensitive: true});
  const filesOf = new Map<EmbedVersion, Files>();
  for (const version of versions) {
    const path = `/embed/${version.name}/:file`;
    if (isWithdrawn(version)) {
      router.get(path, refuse(version, count, emit));
      continue;
    }
    const files = readFiles(version, compressor);
    filesOf.set(version, files);
    router.get(path, counted(version.name, [version], count), serve(files, cachingOf(version)));
    // `package-lock.json` pins the package, and the next build may replace one that is not released.
    if (version.released && version.manifest.package)
      router.get(`/embed/${version.name}/${packageFile}`, servePackage(version, version.manifest.package));
  }
  // Without an exact version in its address, the file of the newest version that has it is served. Older versions are served
  // here, too, because a browser's cache may hold an older script, which asks at this address for later files that newer
  // versions lack.
  const plugin = newestPlugin(versions);
  const newestZip = plugin && filesOf.get(plugin)?.get(wordpressPlugin);
  for (const [name, moving] of movingVersions(versions)) {
    const files = new Map(moving.toReversed().flatMap((version) => [...(filesOf.get(version) ?? [])]));
    if (newestZip) files.set(wordpressPlugin, newestZip);
    router.get(
      `/embed/${name}/:file`,
      counted(name, moving, count),
      serve(files, () => newest),
    );
  }
  const current = newestVersion(versions);
  if (current) void compressAll(filesOf.get(current) ?? new Map());
  return router;
}

/** All requests share the buffers. If each had a copy, clients that never read their responses could fill the memory. */
type ServedFile = {
  etag: string;
  bytes: Buffer;
  compressed: ReturnType<Compressor>;
};
type Files = ReadonlyMap<string, ServedFile>;

const readFiles = ({folder, manifest}: EmbedVersion, compressor: Compressor): Files =>
  new Map(
    Object.entries(manifest.integrity).map(([name, integrity]) => {
      const bytes = readFileSync(join(folder, name));
      return [name, {etag: integrity.slice(-24), bytes, compressed: compressor(bytes)}];
    }),
  );

/**
 * Compresses the files of the newest version right after the start, because most pages ask for these. A file is queued only
 * when the one before is done, so that a request meanwhile waits for one file at most.
 */
async function compressAll(files: Files) {
  for (const encoding of encodings) for (const {compressed} of files.values()) await compressed(encoding);
}

/**
 * Whether the request counts as a use of a version. That is a GET of a file that pages name in their script tags, also
 * if the response is a 304, because a page asked. HEAD comes from monitors.
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

/** Headers that say nothing about a script. Without them, the response of the first file fits into fewer packets. */
const ofDocuments = ['Cross-Origin-Opener-Policy', 'X-Frame-Options'];

const serve =
  (files: Files, caching: Caching): Handler =>
  async (request, response, next) => {
    const {file: name} = request.params;
    const file = files.get(name);
    if (!file) return next();
    response.set({
      ...openToAll,
      'Cache-Control': caching(name, request.query['build']),
      'Timing-Allow-Origin': '*',
      Vary: 'Accept-Encoding',
    });
    for (const header of ofDocuments) response.removeHeader(header);
    const encoding = encodings.find((name) => request.acceptsEncodings(name));
    response.set('ETag', `"${file.etag}-${encoding ?? 'identity'}"`);
    if (encoding) response.set('Content-Encoding', encoding);
    // The browser has the file, so the response needs no compressed copy.
    if (request.fresh) return void response.status(304).end();
    const compressed = encoding && (await file.compressed(encoding));
    if (encoding && !compressed) {
      response.removeHeader('Content-Encoding');
      response.set('ETag', `"${file.etag}-identity"`);
    }
    response.type(extname(name)).send(compressed ?? file.bytes);
  };

function servePackage({folder}: EmbedVersion, integrity: string): RequestHandler {
  const bytes = readFileSync(join(folder, packageFile));
  return (_request, response) => {
    response.set({...openToAll, 'Cache-Control': pinned, ETag: `"${integrity.slice(-24)}"`});
    response.type('application/gzip').send(bytes);
  };
}
