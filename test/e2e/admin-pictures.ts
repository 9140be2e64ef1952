/** `node test/e2e/admin-pictures.ts`: takes the pictures of docs/admin.md, of real pages over a store with four weeks of leads. */
import {parseLead} from '../../server/leads/lead-schema.ts';
import {readConfig} from '../../server/config/config.ts';
import {startPages} from '../../server/pages/process.ts';
import {routes} from '../../server/pages/routes.ts';
import {openStore} from '../../server/store/open-store.ts';
import {createEncryptor} from '../../server/store/encryption.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {freePort} from '../support/free-port.ts';
import {openWhile} from '../support/opened.ts';
import {writeConfig} from '../support/config-file.ts';
import {beginSession, browserCookie} from '../support/pages.ts';
import {entryAt, prequalificationBody} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';

const [hour, day] = [3_600_000, 24 * 3_600_000];
const folder = makeTemporaryFolder();
const warehouse = await startWebhookReceiver();
const [port, silentPort] = [await freePort(), await freePort()];
const hook = (at: number) => ({type: 'webhook', url: `http://127.0.0.1:${at}/`, credentials: 'ALL'});
const settings: Record<string, string> = {
  ...serviceSettings(folder.path),
  ADMIN_URL: `http://localhost:${port}`,
  ADMIN_PORT: String(port),
  PORT: String(await freePort()),
  CREDENTIALS_ALL_SECRET: warehouse.secret,
  CONFIG_FILE: writeConfig(
    folder.path,
    [
      {
        send_to: ['crm', 'warehouse'],
        ask: ['call_time', 'state', 'time_frame'],
        consent: {
          text: 'I agree that Acme Funding may call me about my estimate.',
          version: '2026-11',
          required: true,
        },
      },
      {key: 'bright', send_to: ['warehouse']},
      {key: 'northside', send_to: ['warehouse']},
    ],
    {crm: hook(silentPort), warehouse: hook(warehouse.port)},
  ),
};
const config = readConfig(settings);

/** A usual day: most leads come around noon. */
const eachHour = [0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 6, 6, 6, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0];
const secret = await openWhile(openStore(config, createEncryptor(config.dataKeys)), async (store) => {
  const {data: lead} = parseLead(prequalificationBody);
  if (!lead) throw new Error('The sample lead is none');
  for (let back = 30; back >= 0; back -= 1)
    for (const [at, many] of eachHour.entries())
      for (let index = 0; index < many; index += 1) {
        const midnight = Math.floor(Date.now() / day) * day + 5 * hour - back * day;
        const time = midnight + at * hour + (index * hour) / many;
        const partner = ['acme', 'acme', 'acme', 'bright', 'northside'][(at + index + back) % 5] ?? 'acme';
        if (time < Date.now() - hour) await store.accept(entryAt(time, {lead, partner}));
      }
  const began = {origin: 'other', version: '2.0.0', stage: 'began'} as const;
  for (const [partner, often] of Object.entries({acme: 200, bright: 80, northside: 60}))
    await store.addViews(
      Array.from({length: 30}, (_, back) => {
        const today = Math.floor(Date.now() / day) * day;
        return {...began, partner, day: today - back * day, requests: often + ((back * 37) % often) / 2};
      }).map((view) => ({...view, requests: Math.round(view.requests)})),
    );
  return beginSession(store, 'admin', 'Maria Lopez');
});

// The pages run in this process, below.
const service = await startService({...settings, ADMIN_URL: ''}, folder.path);
const server = {fetch: (path: string, init?: RequestInit) => fetch(service.url + path, init)};
const people = [
  ['Priya', 'Raman', '(646) 555-0164', 90_000, 'acme'],
  ['Chidi', 'Okafor', '(512) 555-0119', 20_000, 'northside'],
  ['María-José', 'Fernández', '(202) 555-0158', 0, 'bright'],
  ['Jordan', 'Whitfield', '(303) 555-0177', 250_000, 'acme'],
  ['Ana', 'Silva', '(212) 555-0132', 100_000, 'acme'],
] as const;
let newest = '';
for (const [first_name, last_name, phone, retirement, partner] of people) {
  const asked = partner === 'acme' && {call_time: 'afternoon', state: 'NY', time_frame: '2-6 months'};
  const lead = somebody({
    first_name,
    last_name,
    phone,
    retirement,
    email: `${first_name.toLowerCase()}@example.com`,
    ...asked,
  });
  const consent = partner === 'acme' && {consent: {version: '2026-11', agreed: true}};
  const attribution = {utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'spring'};
  newest = (await sentLead(server, lead, {partner, body: {...consent, attribution}})).id;
}
await warehouse.hasReceived(people.length);
const pages = await startPages(
  () => config,
  routes,
  () => undefined,
);
const browser = await launchChromium();
const {url = ''} = config.admin ?? {};

async function take(name: string, path: string, width: number, height: number) {
  const viewport = {width, height};
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor: 2,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await context.addCookies([browserCookie(secret, url)]);
  const page = await context.newPage();
  await page.goto(url + path);
  await page.screenshot({path: `docs/pictures/${name}.png`});
  await context.close();
  console.log(`docs/pictures/${name}.png`);
}
await take('admin-overview', '/', 1280, 900);
await take('admin-lead', `/leads/${newest}`, 1280, 900);
await take('admin-phone', `/leads/${newest}`, 390, 780);
await browser.close();
await pages.close();
await service.end('SIGTERM');
await warehouse.close();
folder.remove();
