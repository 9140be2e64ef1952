/** A website on an origin of its own, such as that of a partner: it answers every request with one page. */
import {createServer} from 'node:http';
import {listen} from './listening.ts';

export type Page = {html: string; headers?: Readonly<Record<string, string>>};
export type Website = Awaited<ReturnType<typeof startWebsite>>;

/** The head of a page, without its end. Without the icon, browsers would ask the website for one. */
export const head =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Partner</title>';

export const pageOf = (body: string): Page => ({
  html: `${head}</head><body><h1>Partner</h1>${body}</body></html>`,
});

/** @returns the page, which a test may change, and its origin */
export async function startWebsite() {
  const page: Page = {html: ''};
  const server = createServer((_request, response) => {
    response.writeHead(200, {'Content-Type': 'text/html; charset=utf-8', ...page.headers}).end(page.html);
  });
  const {url} = await listen(server);
  return {page, origin: url, close: () => server.close().closeAllConnections()};
}
