/** A real server, and a site with the pages of its partners, for all tests of a file. */
import assert from 'node:assert/strict';
import {resolve} from 'node:path';
import {after, before} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import {noChoices, type Choices} from '../../../server/snippets/choices.ts';
import {siteKinds, type SiteKindName} from '../../../server/snippets/site-kinds.ts';
import {snippetParts, versionForSnippets} from '../../../server/snippets/parts.ts';
import {readVersions} from '../../../server/versions/embed-versions.ts';
import {freePort} from '../../support/free-port.ts';
import {rowsOf} from '../../support/rows.ts';
import {startTestServer, type TestServer} from '../../support/test-server.ts';
import type {Snippet, Way} from './site-kinds.ts';
import {openSite, type Site} from './site.ts';
import {visit} from './visit.ts';
import type {Visitor} from './visitors.ts';

/** The partner whose form is tried, one with the same pages, and one that has not listed the origin of frames. */
export const keys = {tried: 'acme', other: 'other', withoutFrames: 'without-frames'} as const;

export type Trials = {
  readonly site: Site;
  /** The snippet as the server makes it. */
  snippetFor(site: SiteKindName, options?: {key?: string} & Partial<Choices>): Snippet;
  /** Fills in the form on the page, and throws an error unless one lead is stored, with the right partner. */
  sendLead(visitor: Visitor, snippet: Snippet, way: Way, email: string): Promise<void>;
  /** The leads in the database that have this address. */
  leadsOf(email: string): Record<string, unknown>[];
};

export function useTrials(): Trials {
  let server: TestServer;
  let site: Site;

  before(async () => {
    site = await openSite();
    const port = await freePort();
    const consent = {text: 'I agree to be called about my estimate.', version: '2026-11', required: true};
    const origins = [site.origin, site.frameOrigin];
    server = await startTestServer({
      port,
      publicUrl: `http://127.0.0.1:${port}`,
      embedFolder: resolve('dist/embed'),
      // After ten leads of one address, challenges get harder, and a form that has an old one is refused once.
      proofOfWork: 0,
      partners: [
        onePartner({key: keys.other, origins, cid: '2001', consent}),
        onePartner({key: keys.tried, origins, cid: '1001', consent}),
        onePartner({key: keys.withoutFrames, origins: [site.origin], cid: '1002', consent}),
      ],
    });
  });
  after(async () => {
    site.close();
    await server.close();
  });

  const trials: Trials = {
    get site() {
      return site;
    },
    snippetFor(site, {key = keys.tried, ...choices} = {}) {
      const partner = server.config.partners.find((one) => one.key === key)!;
      const parts = snippetParts(server.config, versionForSnippets(readVersions(server.config))!, partner, {
        ...noChoices,
        ...choices,
      });
      return {parts, texts: siteKinds[site].blocks(parts).map(({code}) => code)};
    },
    leadsOf: (email) =>
      rowsOf(
        server.config.databasePath,
        'SELECT partner, status FROM leads WHERE lead LIKE ?',
        `%"${email}"%`,
      ),
    async sendLead(visitor, snippet, way, email) {
      const form = await visitor.open(await way.publish(snippet, site));
      try {
        await visit(form, email);
        assert.deepEqual(form.trouble, []);
      } finally {
        await form.close();
      }
      assert.deepEqual(trials.leadsOf(email), [{partner: keys.tried, status: 'done'}]);
    },
  };
  return trials;
}
