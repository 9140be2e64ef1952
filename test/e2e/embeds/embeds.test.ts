/**
 * The snippet for each kind of site, as partners get it from a real server, on a page that treats it as such a site does:
 * a visitor fills in the form, sees the amounts, and the lead is in the database with the right partner.
 * docs/embedding.md has a table of what was tried, which this file writes with `WRITE_TABLE=1`.
 */
import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import {siteKinds, type SiteKindName} from '../../../server/snippets/site-kinds.ts';
import {alike, emulations, triedKinds} from './site-kinds.ts';
import {notInstalled} from '../../support/installed.ts';
import {documentTable, Results} from './tried.ts';
import {useTrials} from './trials.ts';
import {engines, startVisitor, type Visitor} from './visitors.ts';

const required = process.env['REQUIRE_BROWSERS']?.split(',') ?? ['chromium'];
const trials = useTrials();
const results = new Results();

// One browser after the other, because a browser on a busy machine may wait for minutes.
suite('the snippets of all kinds of sites', {concurrency: 1}, () => {
  for (const engine of engines) {
    suite(`the snippets for all kinds of sites, in ${engine}`, {concurrency: 1}, () => {
      let visitor: Visitor | undefined;
      before(async () => {
        visitor = await startVisitor(engine);
        if (!visitor && required.includes(engine.toLowerCase()))
          throw new Error(`${engine} is required, but ${notInstalled(engine.toLowerCase())}`);
      });
      after(() => visitor?.close());

      for (const site of triedKinds) {
        const {usual, isPlain, missing} = emulations[site];
        if (engine !== 'Chromium' && !isPlain) continue;
        test(`"${siteKinds[site].name}" works on a page that ${usual.does}`, async (t) => {
          const reason = missing ?? (visitor ? undefined : notInstalled(engine.toLowerCase()));
          results.note(site, engine, reason ? 'skipped' : 'failed');
          if (!visitor || reason) return t.skip(reason);
          await trials.sendLead(
            visitor,
            trials.snippetFor(site),
            usual,
            `${site}-${engine.toLowerCase()}@example.com`,
          );
          results.note(site, engine, 'works');
        });
      }
    });
  }
});

for (const [site, tried] of Object.entries(alike) as [SiteKindName, SiteKindName][]) {
  test(`the snippet for "${siteKinds[site].name}" is that for "${siteKinds[tried].name}"`, () => {
    assert.deepEqual(trials.snippetFor(site).texts, trials.snippetFor(tried).texts);
  });
}

test('the documentation says on which kinds of sites the form was tried, in which browsers', async (t) => {
  if (results.areWhole) await documentTable(results);
  else t.skip('not everything was tried');
});
