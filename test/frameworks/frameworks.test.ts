/**
 * The npm package in small apps of other frameworks: React, Vue, Svelte, Angular and Astro. All apps have the same pages
 * and controls, and go through the same steps in a browser, against a real server.
 */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {AddressInfo} from 'node:net';
import {before, suite, test} from 'node:test';
import express from 'express';
import {onePartner} from '../../server/config/partners.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {runIn} from '../support/npm-project.ts';
import {suiteOwner} from '../support/opened.ts';
import {startTestServer} from '../support/test-server.ts';
import {apps, buildApp, builtFolder, prepareApp, prepareFolder, type Mode} from './apps.ts';
import {steps} from './steps.ts';
import type {Run} from './visit.ts';

/** `FRAMEWORK_MODES=development` takes the development builds only. */
const modes = (process.env['FRAMEWORK_MODES'] ?? 'development,production').split(',') as Mode[];

// Two apps at a time: one is built while the browser drives the other.
suite('the npm package in other frameworks', {concurrency: 2}, () => {
  const run = {} as Run;
  const owner = suiteOwner();
  before(async () => {
    const pages = express()
      .use(express.static(builtFolder))
      .get('/favicon.ico', (_request, response) => void response.status(204).end())
      .listen(0, '127.0.0.1');
    owner.after(() => pages.close());
    await once(pages, 'listening');
    run.origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const partner = (key: string) => onePartner({key, origins: [run.origin], cid: '1001'});
    run.service = await startTestServer({partners: [partner('acme'), partner('globex')]});
    owner.after(() => run.service.close());
    run.browser = await launchChromium();
    owner.after(() => run.browser.close());
    prepareFolder();
  });

  for (const mode of modes) {
    for (const app of apps) {
      suite(`${app.name}, ${mode}`, () => {
        let path: string;
        before(async () => {
          path = await buildApp(app, mode, run.service.url);
        });
        if (app.isServerRendered)
          test(`a server renders the form and its slots as plain markup`, async () => {
            const html = await (await fetch(run.origin + path)).text();
            assert.match(
              html,
              /<lead-prequal-form [^>]*partner="acme"[^>]*><h2 slot="heading">Your funding<\/h2>/,
            );
          });
        if (app.name === 'angular')
          test("Angular's compiler knows the details of the events in a template", async () => {
            const wrong = prepareApp(app, 'mistyped', run.service.url);
            const file = join(wrong, 'funding.ts');
            writeFileSync(file, readFileSync(file, 'utf8').replace('$event.detail.id', '$event.detail.name'));
            await assert.rejects(
              runIn(wrong, [join(import.meta.dirname, 'node_modules/.bin/ngc')]),
              /'name'/,
            );
          });
        for (const [title, step] of Object.entries(steps)) test(title, (t) => step(t, run, path));
      });
    }
  }
});
