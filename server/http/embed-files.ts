/** The built form, for partners' pages: read once at start, compressed at build, cached by every browser. */
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Router, type RequestHandler} from 'express';
import {elementName, paths} from '../../contract/api.ts';

type Version = {name: string; folder: string; manifest: Manifest};
/** Written by the build beside the files; `integrity` by file name. */
type Manifest = {version: string; integrity: Record<string, string>};

const suffixes = {br: '.br', gzip: '.gz', identity: ''} as const;
const day = 86_400;

/** Every version that was built, newest first. Keep old ones: pages pin them by their hash. */
function readVersions(folder: string): Version[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => existsSync(join(folder, name, 'manifest.json')))
    .sort((a, b) => b.localeCompare(a, 'en', {numeric: true}))
    .map((name) => ({
      name,
      folder: join(folder, name),
      manifest: JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')) as Manifest,
    }));
}

/** The script tag of the newest version. @throws Error when nothing was built */
export function embedScript(folder: string, publicUrl: string): string {
  const [newest] = readVersions(folder);
  if (!newest) throw new Error('The form is not built: run "npm run build" first');
  const file = `${elementName}.js`;
  const address = `${publicUrl}/embed/${newest.name}/${file}`;
  return `<script type="module" src="${address}" integrity="${newest.manifest.integrity[file]}" crossorigin></script>`;
}

/** @param immutable false while developing, when a version's files still change */
export function embedFiles(folder: string, immutable: boolean): Router {
  const router = Router();
  const versions = readVersions(folder);
  const pinned = immutable ? `public, max-age=${365 * day}, immutable` : 'no-cache';
  const newest = immutable ? `public, max-age=300, stale-while-revalidate=${day}` : 'no-cache';
  for (const version of versions) router.get(`/embed/${version.name}/:file`, serve(version, pinned));
  // Older versions stay behind the newest, for a cached script still asks for the later files it was built with.
  for (const version of versions.filter(({name}) => name.startsWith('1.'))) {
    router.get(`${paths.embed}/:file`, serve(version, newest));
  }
  return router;
}

function serve({folder, manifest}: Version, cacheControl: string): RequestHandler<{file: string}> {
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
  const sourceMaps = new Set(mapNames.filter((name) => existsSync(join(folder, name))));

  return (request, response, next) => {
    const {file: name} = request.params;
    const file = files.get(name);
    if (!file && !sourceMaps.has(name)) return next();
    response.set({
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': cacheControl,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Timing-Allow-Origin': '*',
      Vary: 'Accept-Encoding',
    });
    if (!file) {
      response.type('application/json').send(read(name, ''));
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
