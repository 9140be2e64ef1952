/** A server with the pages of partners. It has two origins: one of the pages, and one of the frames in them. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

export type Page = {html: string; headers?: Readonly<Record<string, string>>};

export type Site = {
  /** The origin of the pages. */
  origin: string;
  /** The origin of the frames. */
  frameOrigin: string;
  /** @returns the address of the page */
  add(page: Page): string;
  /** @returns the address of the page in a frame */
  addFrame(page: Page): string;
  close(): void;
};

/** The head of every page. Without the icon, browsers would ask the server for one. */
export const head =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Partner</title>';

/** A whole page. */
export const pageOf = (body: string): Page => ({
  html: `${head}</head><body><h1>Partner</h1>${body}</body></html>`,
});

export async function openSite(): Promise<Site> {
  const pages = new Map<string, Page>();
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '');
    const headers = {'Content-Type': 'text/html; charset=utf-8', ...page?.headers};
    response.writeHead(page ? 200 : 404, headers).end(page?.html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  const frameOrigin = `http://127.0.0.1:${port}`;
  const add = (page: Page) => {
    const path = `/page-${pages.size + 1}`;
    pages.set(path, page);
    return path;
  };
  return {
    origin,
    frameOrigin,
    add: (page) => origin + add(page),
    addFrame: (page) => frameOrigin + add(page),
    close: () => server.close().closeAllConnections(),
  };
}
