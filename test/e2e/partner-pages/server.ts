/** Serves the pages of partners, with the built form, which needs no other server in its sandbox. */
import {existsSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {extname, join, resolve} from 'node:path';
import {newestScript} from '../../../server/snippets/newest-script.ts';
import {documentedSnippet, singleSnippet} from '../../support/embed-snippet.ts';
import {listen} from '../../support/listening.ts';
import {partnerPages, themeAddress, type Scheme} from './pages.ts';
import {themeFolder} from './wordpress.ts';

export type PartnerPages = {
  /** The address of a page. */
  addressOf(name: string, scheme: Scheme, layout?: 'steps' | 'single'): string;
  close(): void;
};

const embedFolder = resolve('dist/embed');
/** Addresses that begin with one of these are files of its folder. */
const folders = {'/embed': embedFolder, [themeAddress]: themeFolder};
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
};

function reply({pathname, searchParams, origin}: URL): {type: string; body: string | Buffer} | undefined {
  for (const [address, folder] of Object.entries(folders)) {
    const file = join(folder, decodeURIComponent(pathname).slice(address.length));
    const type = types[extname(file)];
    if (pathname.startsWith(`${address}/`) && type && existsSync(file))
      return {type, body: readFileSync(file)};
  }
  const page = partnerPages[pathname.slice(1)];
  if (!page) return undefined;
  const {script} = newestScript({embedFolder, releasesFolder: 'no releases', publicUrl: origin});
  const steps = documentedSnippet(script, 'sandbox');
  const snippet = searchParams.get('layout') === 'single' ? singleSnippet(steps) : steps;
  const scheme = searchParams.get('scheme') === 'dark' ? 'dark' : 'light';
  return {type: 'text/html; charset=utf-8', body: page.html(scheme, snippet)};
}

export async function servePartnerPages(): Promise<PartnerPages> {
  const server = createServer((request, response) => {
    const found = reply(new URL(request.url ?? '/', `http://${request.headers.host}`));
    response.writeHead(found ? 200 : 404, {'Content-Type': found?.type ?? 'text/plain'}).end(found?.body);
  });
  const {url: origin} = await listen(server);
  return {
    addressOf: (name, scheme, layout = 'steps') => `${origin}/${name}?scheme=${scheme}&layout=${layout}`,
    close: () => server.close().closeAllConnections(),
  };
}
