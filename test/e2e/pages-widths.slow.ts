/** The operators' pages fit into each width between a phone and a desk, with long names and notes, and with large text. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readConfig} from '../../server/config/config.ts';
import {startPages} from '../../server/pages/process.ts';
import {routes} from '../../server/pages/routes.ts';
import {freePort} from '../support/free-port.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {openFor} from '../support/opened.ts';
import {hookAndUpstream, operate} from '../support/operator.ts';
import {beginSession, browserCookie} from '../support/pages.ts';
import {asLead, entryAt, newDelivery, prequalificationBody} from '../support/sample-leads.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';

const widths = [390, 640, 719, 720, 768, 800, 819, 820, 959, 960, 1000, 1099, 1100, 1280];

test('no page is wider than its window', async (t) => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const last_name = 'Fernández-Villanueva de la Torre';
  const lead = asLead({...prequalificationBody, last_name, notes: 'x'.repeat(300)});
  const held = newDelivery({destination: 'hook', content: 'created', givesAnswer: false, state: 'held'});
  const entries = Array.from({length: 4}, (_, index) =>
    entryAt(Date.now() - 90_000 * index, {
      ...{lead, partner: 'riverbend-funding-partners', deliveries: [held]},
      attribution: {utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'spring-2026-brand'},
    }),
  );
  const own = {...hookAndUpstream(temporaryFolder(t)), ADMIN_URL: url, ADMIN_PORT: String(port)};
  const {settings, admin} = await operate(t, entries, {settings: {...own, PORT: '0'}});
  const {noteAccess, store} = await admin();
  await noteAccess({partner: 'riverbend-funding-partners', phone: true, reason: 'it moves'}, [
    entries[0]?.id ?? '',
  ]);
  const secret = await beginSession(store, 'admin', 'Maria Lopez');
  await openFor(
    t,
    startPages(
      () => readConfig(settings),
      routes,
      () => undefined,
    ),
  );
  const browser = await launchChromium();
  t.after(() => browser.close());
  const context = await browser.newContext();
  await context.addCookies([browserCookie(secret, url)]);
  const page = await context.newPage();
  const ofLead = ['', '/revoke', '/erase'].map((what) => `/leads/${entries[0]?.id}${what}`);
  const paths = ['/', '/leads', '/leads?open=held&time=week', ...ofLead, '/destinations', '/audit', '/you'];
  const wide: string[] = [];
  async function measure(path: string, width: number, size: string) {
    await page.setViewportSize({width, height: 900});
    const over = await page.evaluate((fontSize) => {
      // The policy of the pages forbids a style sheet, but not a script of the developer tools.
      document.documentElement.style.fontSize = fontSize;
      return document.documentElement.scrollWidth - innerWidth;
    }, size);
    if (over > 0) wide.push(`${path} at ${width}, text of ${size}: ${over}`);
  }
  for (const path of paths) {
    await page.goto(url + path);
    for (const width of widths) await measure(path, width, '100%');
    await measure(path, 390, '200%');
  }
  assert.deepEqual(wide, []);
});
