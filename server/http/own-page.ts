/**
 * Finds out whether one of this server's own pages has made a request. Browsers say so in two headers that no page can set:
 * `Sec-Fetch-Site`, which old browsers do not send, and none over plain HTTP, and `Origin`, which they do not send with each
 * GET.
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
