/**
 * The broker of docs/partners.md#questions-of-your-own, from the form on its page to its receivers: with its very file, which
 * only lacks the addresses.
 */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {before, suite, test} from 'node:test';
import {moduleFile} from '../../contract/api.ts';
import type {LeadEvent} from '../../server/leads/lead-event.ts';
import {routes} from '../../server/pages/routes.ts';
import {readVersions} from '../../server/versions/embed-versions.ts';
import {writeConfig} from '../support/config-file.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {engines, type Tab} from '../support/engines.ts';
import {openFor, suiteOwner} from '../support/opened.ts';
import {databaseKinds, type RunningServer} from '../support/operator.ts';
import {servePages, type ServedPages} from '../support/pages.ts';
import {plainBrowser} from '../support/plain-browser.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';
import {startWebhookReceiver, type WebhookReceiver} from '../support/webhook-receiver.ts';
import {pageOf, startWebsite, type Website} from '../support/website.ts';

const [, example = ''] =
  /### Questions of your own[^]*?```json\n([^]*?)```/.exec(readFileSync('docs/partners.md', 'utf8')) ?? [];
const {
  partners: [broker = {}],
} = JSON.parse(example) as {partners: object[]};

/** Five rules, of which several may hold, and a partner that has them. */
const rule = (to: string, revenue: string[], team?: string[]) => ({
  to,
  when: {answers: {revenue, ...(team && {team})}},
});
const choices = (...values: string[]) => values.map((value) => ({value, en: `The answer ${value}`}));
const five = {
  key: 'five',
  ask: [
    {name: 'revenue', label: {en: 'Revenue'}, choices: choices('low', 'middle', 'high')},
    {name: 'team', label: {en: 'Team'}, choices: choices('alone', 'some', 'many')},
  ],
  send_to: [
    rule('first', ['low']),
    rule('second', ['middle', 'high']),
    rule('third', ['high'], ['many']),
    rule('fourth', ['low', 'high'], ['alone', 'some']),
    rule('fifth', ['middle'], ['some']),
    {to: 'rest', otherwise: true},
  ],
};

const [texan, other] = [
  {state: 'TX', revenue: 'over-50k', since: '2019', to: 'texas'},
  {state: 'NY', revenue: 'over-50k', since: '=A1', to: 'rest'},
];
type Visitor = typeof texan;
const amounts = {retirement: '120000', cash: '50000', investments: '0'};
const contactOf = (email: string) => ({first_name: 'Ana', last_name: 'Silva', email, phone: '4155550132'});

const root = "document.querySelector('lead-prequal-form')?.shadowRoot";
const named = (name: string) => `${root}?.querySelector('[name=${name}]')`;

/** Fills in the form of the page. */
async function fillIn(tab: Tab, {state, revenue, since}: Visitor, email: string) {
  const shows = (element: string) => until(() => tab.run<boolean>(`!!${element}`), element);
  const press = async (label: string) => {
    const button = `[...${root}.querySelectorAll('button')].find((one) => one.textContent.trim() === '${label}')`;
    await shows(button);
    await tab.run(`${button}.click()`);
  };
  const type = async (texts: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(texts)) {
      await shows(named(name));
      await tab.run(`${named(name)}.focus()`);
      await tab.press([...text]);
    }
  };
  const choose = async (name: string, value: string) => {
    await shows(named(name));
    await tab.run(`Object.assign(${named(name)}, {value: '${value}'}).name`);
  };
  const score = `${root}?.querySelector('[value="Above 720"]')`;
  await shows(score);
  await tab.run(`${score}.click()`);
  await press('Next');
  await type(amounts);
  await choose('revenue', revenue);
  await press('Next');
  await type(contactOf(email));
  await shows(named('since'));
  await tab.run(`${root}.querySelector('summary').click()`);
  await choose('state', state);
  await type({since});
  await press('See my estimate');
  await shows(`${root}.querySelector('table')`);
}

for (const {name, postgres, skip} of databaseKinds)
  suite(`a broker's own questions, from the form to the receivers, over ${name}`, {skip}, () => {
    const owner = suiteOwner();
    const receivers: Record<string, WebhookReceiver> = {};
    let website: Website;
    let server: RunningServer;
    let operated: ServedPages;

    before(async () => {
      website = await openFor(owner, startWebsite());
      const destinations: Record<string, object> = {};
      const settings: Record<string, string> = {};
      for (const to of ['texas', 'rest', 'first', 'second', 'third', 'fourth', 'fifth']) {
        const receiver = await openFor(owner, startWebhookReceiver());
        receivers[to] = receiver;
        const credentials = to.toUpperCase();
        destinations[to] = {type: 'webhook', url: `http://127.0.0.1:${receiver.port}/`, credentials};
        settings[`CREDENTIALS_${credentials}_SECRET`] = receiver.secret;
      }
      settings['CONFIG_FILE'] = writeConfig(
        temporaryFolder(owner),
        [{...broker, origins: [website.origin]}, five],
        destinations,
      );
      operated = await servePages(owner, routes, {postgres, settings});
      server = await operated.serve();
      const [version] = readVersions({embedFolder: 'dist/embed', releasesFolder: 'no releases'});
      const script = `${server.url}/embed/${version?.name}/${moduleFile}`;
      website.page.html = pageOf(
        `<script type="module" src="${script}"></script><lead-prequal-form partner="acme"></lead-prequal-form>`,
      ).html;
    });

    const eventsOf = (email: string) =>
      Object.entries(receivers).flatMap(([to, {received}]) =>
        received
          .map(({body}) => JSON.parse(body) as LeadEvent)
          .filter(({data}) => data.lead.email === email)
          .map(({data}) => ({to, data})),
      );
    /** @returns where the lead of this address has arrived, once that is everywhere */
    async function heardOf(email: string) {
      await until(async () => {
        const {stdout} = await operated.does('deliveries', 'list', '--json', '--state', 'waiting');
        return stdout === '' && eventsOf(email).length > 0;
      });
      return eventsOf(email);
    }

    async function arrives({to, revenue, since}: Visitor, email: string) {
      const events = await heardOf(email);
      assert.deepEqual(
        events.map((each) => each.to),
        [to],
      );
      const {id, lead} = events[0]!.data;
      assert.deepEqual(lead.answers, [
        {name: 'revenue', label: 'Monthly revenue', value: revenue, text: 'Over $50,000'},
        {name: 'since', label: 'In business since', value: since, text: since},
      ]);
      const {stdout} = await operated.does('leads', 'show', id);
      assert.match(stdout, new RegExp(`^Monthly revenue +Over \\$50,000\nIn business since +${since}$`, 'm'));
      const {text} = await operated.ask(`/leads/${id}`, {
        headers: {cookie: await operated.sessionOf('agent')},
      });
      assert.match(text, /Monthly revenue[^]{0,80}Over \$50,000/);
      assert.ok(text.includes(since));
      const csv = (await operated.does('leads', 'export', '--format', 'csv')).stdout.split('\r\n');
      assert.match(csv[0]!, /,answer_revenue,answer_since,/);
      const row = csv.find((each) => each.includes(email)) ?? assert.fail(email);
      assert.ok(row.includes(`,${revenue},${since.replace('=', "'=")},`), row);
    }

    for (const {name: engine, skip, open} of engines)
      test(`in ${engine}, a Texan reaches the desk alone, and another the rest`, {skip}, async (t) => {
        const tab = await openFor(t, open());
        for (const visitor of [texan, other]) {
          const email = `${visitor.to}@${engine}.example`.toLowerCase();
          await tab.navigate(website.origin);
          await fillIn(tab, visitor, email);
          await arrives(visitor, email);
          // Otherwise the tab shows the answer again.
          await tab.run('sessionStorage.clear()');
        }
      });

    test('without a script, a Texan reaches the desk alone, and another the rest', async () => {
      for (const visitor of [texan, other]) {
        const email = `${visitor.to}@plain.example`;
        const {state, revenue, since} = visitor;
        const browser = plainBrowser(server.url);
        const form = await browser.open('/apply/acme');
        const filled = {credit_score: 'Above 720', ...amounts, ...contactOf(email), state, since};
        const again = await browser.send(form, filled);
        assert.equal(again.status, 422);
        assert.match(again.text, /Monthly revenue is missing/);
        const result = await browser.send(again, {...filled, revenue});
        assert.match(result.text, /Ana, you may qualify/);
        await arrives(visitor, email);
      }
    });

    test('five rules take a lead by the values of its choices', async () => {
      for (const [given, ...expected] of [
        [{revenue: 'low'}, 'first'],
        [{revenue: 'low', team: 'alone'}, 'first', 'fourth'],
        [{revenue: 'middle', team: 'alone'}, 'second'],
        [{revenue: 'middle', team: 'some'}, 'second', 'fifth'],
        [{revenue: 'high', team: 'some'}, 'second', 'fourth'],
        [{revenue: 'high', team: 'many'}, 'second', 'third'],
        [{team: 'many'}, 'rest'],
        [{}, 'rest'],
      ] as const) {
        const lead = somebody(given);
        await sentLead(server, lead, {partner: 'five'});
        const went = (await heardOf(lead.email)).map(({to}) => to);
        assert.deepEqual(went.toSorted(), expected.toSorted(), JSON.stringify(given));
      }
    });
  });
