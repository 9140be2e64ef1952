/**
 * Each host's snippet, as partners get it from a real server, on a page that treats it as the host does: a visitor fills
 * in the form, sees the amounts, and the lead is in the database with the right partner. docs/embedding.md has a table of
 * what was tried, which `npm run embeds` writes.
 */
import {after, before, suite, test} from 'node:test';
import {hostNames, hosts} from '../../server/snippets/hosts.ts';
import {emulations} from './embeds/hosts.ts';
import {notInstalled} from '../support/installed.ts';
import {documentTable, Results} from './embeds/tried.ts';
import {useTrials} from './embeds/trials.ts';
import {engines, startVisitor, type Visitor} from './embeds/visitors.ts';

const required = process.env['REQUIRE_BROWSERS']?.split(',') ?? ['chromium'];
const trials = useTrials();
const results = new Results();

// One browser after the other, because a browser on a busy machine may wait for minutes.
suite('the snippets of the hosts', {concurrency: 1}, () => {
  for (const engine of engines) {
    suite(`the snippets of the hosts, in ${engine}`, {concurrency: 1}, () => {
      let visitor: Visitor | undefined;
      before(async () => {
        visitor = await startVisitor(engine);
        if (!visitor && required.includes(engine.toLowerCase()))
          throw new Error(`${engine} is required, but ${notInstalled(engine.toLowerCase())}`);
      });
      after(() => visitor?.close());

      for (const host of hostNames) {
        const {usual, isPlain, missing} = emulations[host];
        if (engine !== 'Chromium' && !isPlain) continue;
        test(`the form works in ${engine} with the snippet for "${hosts[host].name}", on a page that ${usual.does}`, async (t) => {
          const reason = missing ?? (visitor ? undefined : notInstalled(engine.toLowerCase()));
          results.note(host, engine, reason ? 'skipped' : 'failed');
          if (!visitor || reason) return t.skip(reason);
          await trials.sendLead(
            visitor,
            trials.snippetFor(host),
            usual,
            `${host}-${engine.toLowerCase()}@example.com`,
          );
          results.note(host, engine, 'works');
        });
      }
    });
  }
});

test('the documentation says on which hosts the form was tried, in which browsers', async (t) => {
  if (results.areWhole) await documentTable(results);
  else t.skip('not everything was tried');
});
