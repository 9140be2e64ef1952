/** The public keys of statements about consents, for whoever verifies one. */
import {Router} from 'express';
import type {z} from 'zod';
import type {EvidenceStore, PublicEvidenceKey} from '../leads/evidence.ts';
import {replyJson} from './json-body.ts';
import {mount} from './mount.ts';
import {operations} from './operations.ts';
import type {evidenceKeysSchema} from './wire-schemas.ts';

/** Milliseconds between two reads of the store. */
const readEvery = 60_000;
/** Seconds for which others may keep the keys. */
const maxAge = 300;

export function evidenceKeyList(store: Pick<EvidenceStore, 'evidenceKeys'>): Router {
  const router = Router({caseSensitive: true});
  let [readAt, keys]: [number, Promise<PublicEvidenceKey[]>] = [-Infinity, Promise.resolve([])];
  function read() {
    if (performance.now() - readAt < readEvery) return keys;
    [readAt, keys] = [performance.now(), store.evidenceKeys()];
    keys.catch(() => (readAt = -Infinity));
    return keys;
  }
  mount(router, [
    [
      operations.evidenceKeys,
      [],
      async (_request, response) => {
        const all = await read();
        response.set({
          'Access-Control-Allow-Origin': '*',
          'Cache-Control': `public, max-age=${maxAge}`,
          'Cross-Origin-Resource-Policy': 'cross-origin',
        });
        replyJson(response, 200, jwks(all));
      },
    ],
  ]);
  return router;
}

const jwks = (keys: readonly PublicEvidenceKey[]): z.infer<typeof evidenceKeysSchema> => ({
  keys: keys.map(({id: kid, publicKey: x}) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    kid,
    use: 'sig',
    alg: 'EdDSA',
  })),
});
