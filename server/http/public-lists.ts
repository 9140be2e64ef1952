/** Lists that anybody may read: the versions of the form, and the public keys of statements about consents. */
import {Router} from 'express';
import type {z} from 'zod';
import {onceIn} from '../config/once-in.ts';
import type {EvidenceKey, EvidenceStore} from '../leads/evidence.ts';
import {listVersions, type EmbedVersion} from '../versions/embed-versions.ts';
import {replyJson} from './json-body.ts';
import {mount} from './mount.ts';
import {operations, type Operation} from './operations.ts';
import type {evidenceKeysSchema} from './wire-schemas.ts';

/** Seconds for which others may keep a list. Within this time, a page that checks its version learns of a security fault. */
export const maxAge = 300;
/** Milliseconds between two reads of the store. */
const readEvery = 60_000;

function publicList(operation: Operation, list: () => object | Promise<object>): Router {
  const router = Router({caseSensitive: true});
  mount(router, [
    [
      operation,
      [],
      async (_request, response) => {
        const listed = await list();
        response.set({
          'Access-Control-Allow-Origin': '*',
          'Cache-Control': `public, max-age=${maxAge}`,
          'Cross-Origin-Resource-Policy': 'cross-origin',
        });
        replyJson(response, 200, listed);
      },
    ],
  ]);
  return router;
}

/** For the webmasters of partners and for tools. @param versions the highest number first */
export function versionList(versions: readonly EmbedVersion[]): Router {
  const list = listVersions(versions);
  return publicList(operations.embedVersions, () => list);
}

/** For whoever verifies a statement. The keys whose rows the data key opens, and no others. */
export function evidenceKeyList(store: Pick<EvidenceStore, 'evidenceKeys'>): Router {
  const keys = onceIn(readEvery, () => store.evidenceKeys());
  return publicList(operations.evidenceKeys, async () => jwks((await keys.read()).keys));
}

const jwks = (keys: readonly EvidenceKey[]): z.infer<typeof evidenceKeysSchema> => ({
  keys: keys.map(({id: kid, publicKey: x, leakedSince}) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    kid,
    use: 'sig',
    alg: 'EdDSA',
    ...(leakedSince !== undefined && {
      revoked: {revoked_at: Math.floor(leakedSince / 1_000), reason: 'compromised'},
    }),
  })),
});
