/** A page that holds nothing but a form, of a partner without settings of its own. Tests of the form itself open it. */
import {resolve} from 'node:path';
import {before} from 'node:test';
import type {Browser} from 'playwright-core';
import {onePartner} from '../../server/config/partners.ts';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {openFor, suiteOwner} from '../support/opened.ts';
import {startTestServer} from '../support/test-server.ts';
import {openSite, pageOf} from './embeds/site.ts';

/** The addresses of the page and of the server, and a browser, for all tests of a file. */
export function usePlainPage() {
  const owner = suiteOwner();
  const run = {} as {page: string; service: string; browser: Browser};
  before(async () => {
    const site = await openFor(owner, openSite());
    const partner = onePartner({key: 'acme', origins: [site.origin], cid: '1001'});
    const embedFolder = resolve('dist/embed');
    const {config, url} = await openFor(owner, startTestServer({embedFolder, partners: [partner]}));
    const {script} = newestScript({...config, publicUrl: url});
    run.page = site.add(
      pageOf(
        `${script}<lead-prequal-form partner="acme" privacy-href="https://example.com/privacy"></lead-prequal-form>`,
      ),
    );
    run.service = url;
    run.browser = await launchChromium();
    owner.after(() => run.browser.close());
  });
  return run;
}
