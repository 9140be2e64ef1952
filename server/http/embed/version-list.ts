/** `/embed/versions.json`: which versions of the form there are, for the webmasters of partners and for tools. */
import {Router} from 'express';
import {listVersions, type EmbedVersion} from '../../versions/embed-versions.ts';
import {replyJson} from '../json-body.ts';
import {mount} from '../mount.ts';
import {operations} from '../operations.ts';

/** Seconds. A page that checks its version learns of a security fault within this time. */
const maxAge = 300;

/** @param versions the highest number first */
export function versionList(versions: readonly EmbedVersion[]): Router {
  const router = Router({caseSensitive: true});
  const list = listVersions(versions);
  mount(router, [
    [
      operations.embedVersions,
      [],
      (_request, response) => {
        response.set({
          'Access-Control-Allow-Origin': '*',
          'Cache-Control': `public, max-age=${maxAge}`,
          'Cross-Origin-Resource-Policy': 'cross-origin',
        });
        replyJson(response, 200, list);
      },
    ],
  ]);
  return router;
}
