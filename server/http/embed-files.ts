/** The built form, for partners' pages: read once at start, compressed at build, cached by every browser. */
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Router, type RequestHandler} from 'express';
import {paths} from '../../contract/api.ts';
import type {EmbedVersion} from './embed-versions.ts';

const suffixes = {br: '.br', gzip: '.gz', identity: ''} as const;
const day = 86_400;

/**
 * @param versions newest first
 * @param immutable false while developing, when a version's files still change
 */
export function embedFiles(versions: readonly EmbedVersion[], immutable: boolean): Router {
  const router = Router({caseSensitive: true});
  const pinned = immutable ? `public, max-age=${365 * day}, immutable` : 'no-cache';
  const newest = immutable ? `public, max-age=300, stale-while-revalidate=${day}` : 'no-cache';
  for (const version of versions) router.get(`/embed/${version.name}/:file`, serve(version, pinned));
  // Older versions stay behind the newest, for a cached script still asks for the later files it was built with.
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
  // In memory, too: a copy for every request would let clients that never read their answers fill the memory.
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
    // Asked one by one: browsers list gzip first and rank all alike, and brotli is a fifth smaller.
    const encoding = request.acceptsEncodings('br') || request.acceptsEncodings('gzip') || 'identity';
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.set('ETag', `"${file.etag}-${encoding}"`);
    response.type('text/javascript').send(file[encoding as keyof typeof suffixes]);
  };
}
