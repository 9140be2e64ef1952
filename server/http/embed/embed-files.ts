/** Serves the scripts of the form. The build compressed them, and the server reads them once, at start. */
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Router, type RequestHandler} from 'express';
import {paths} from '../../../contract/api.ts';
import type {EmbedVersion} from './embed-versions.ts';

const suffixes = {br: '.br', gzip: '.gz', identity: ''} as const;
const day = 86_400;

/** @param versions newest first */
export function embedFiles(versions: readonly EmbedVersion[]): Router {
  const router = Router({caseSensitive: true});
  const pinned = `public, max-age=${365 * day}, immutable`;
  const newest = `public, max-age=300, stale-while-revalidate=${day}`;
  for (const version of versions) router.get(`/embed/${version.name}/:file`, serve(version, pinned));
  // Without a version in its address, the newest file of this name is served. Older versions are there as well, because
  // a browser's cache may hold an older script, which asks at this address for later files that newer versions lack.
  for (const version of versions.filter(({name}) => name.startsWith('1.'))) {
    router.get(`${paths.embed}/:file`, serve(version, newest));
  }
  return router;
}

function serve({folder, manifest}: EmbedVersion, cacheControl: string): RequestHandler<{file: string}> {
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
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': cacheControl,
      'Cross-Origin-Resource-Policy': 'cross-origin',
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
