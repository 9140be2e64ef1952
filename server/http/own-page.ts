/**
 * Finds out whether one of this server's own pages has made a request. Browsers say so in two headers that no page can set.
 * `Sec-Fetch-Site` is missing in old browsers, and over plain HTTP in all of them. `Origin` is missing with many a GET.
 */
import type {Request} from 'express';

/** @returns undefined if the browser does not say so, as text browsers do not */
export function isFromOwnPage(request: Pick<Request, 'get'>, ownOrigin: string): boolean | undefined {
  const [site, origin] = [request.get('Sec-Fetch-Site'), request.get('Origin')];
  // `none` stands for what the visitor did without a page, such as a reload.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  // For a page that tells nobody where it is, browsers write `null`, also to the page's own server.
  if (origin !== undefined && origin !== 'null') return origin === ownOrigin;
  if (site === 'same-origin') return true;
  return origin === undefined ? undefined : false;
}
